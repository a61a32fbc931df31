package import LocomotionActivityRecognition

/// The few features of a window that simple methods use.
package struct MotionSummary: Hashable, Sendable {
  /// The standard deviation of |a|, m/s².
  package var deviation: Float
  /// The standard deviation of the acceleration along gravity, m/s².
  package var verticalLevel: Float
  /// The mean of the acceleration across gravity, m/s².
  package var horizontalLevel: Float
  /// The highest autocorrelation of |a| at lags of 0.26 to 2 s.
  package var periodicity: Float
  /// That lag, s.
  package var period: Float
  /// Speed over ground, m/s; nil when no location source reported it.
  package var metresPerSecond: Float?

  /// A summary from its parts.
  package init(
    deviation: Float, verticalLevel: Float, horizontalLevel: Float, periodicity: Float,
    period: Float, metresPerSecond: Float? = nil
  ) {
    self.deviation = deviation
    self.verticalLevel = verticalLevel
    self.horizontalLevel = horizontalLevel
    self.periodicity = periodicity
    self.period = period
    self.metresPerSecond = metresPerSecond
  }

  /// Steps per second, as of a pedometer: 1 / period, or 0 at a periodicity of at most 0.5.
  package var stepHertz: Float { periodicity > 0.5 && period > 0 ? 1 / period : 0 }
}

/// A window with its label and its weight.
package struct LabelledMotion: Hashable, Sendable {
  /// The window.
  package var motion: MotionSummary
  /// The labelled activity.
  package var activity: Activity
  /// The weight, not negative.
  package var weight: Double

  /// A labelled window.
  package init(_ motion: MotionSummary, activity: Activity, weight: Double = 1) {
    self.motion = motion
    self.activity = activity
    self.weight = weight
  }
}

/// A baseline for activity recognition.
///
/// These are reference implementations for evaluation: they implement as plainly as possible how
/// other packages, or a first attempt, decide. All classes are weighted alike, whatever the
/// windows' weights sum to. None of them belongs on a device.
package protocol ActivityBaseline: Sendable {
  /// The name in tables.
  var name: String { get }
  /// Fits the method to labelled windows, independent of any earlier training.
  mutating func train(on windows: [LabelledMotion])
  /// The activity, or nil when the method has no answer for such a window.
  func answer(to motion: MotionSummary) -> Activity?
}
