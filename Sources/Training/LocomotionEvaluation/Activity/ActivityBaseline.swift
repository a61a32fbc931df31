public import LocomotionActivityRecognition

/// The few features of a window that simple methods use.
public struct MotionSummary: Hashable, Sendable {
  /// The standard deviation of |a|, m/s².
  public var deviation: Float
  /// The standard deviation of the acceleration along gravity, m/s².
  public var verticalLevel: Float
  /// The mean of the acceleration across gravity, m/s².
  public var horizontalLevel: Float
  /// The highest autocorrelation of |a| at lags of 0.26 to 2 s.
  public var periodicity: Float
  /// That lag, s.
  public var period: Float
  /// Speed over ground, m/s; nil when no location source reported it.
  public var metresPerSecond: Float?

  /// A summary from its parts.
  public init(
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
  public var stepHertz: Float { periodicity > 0.5 && period > 0 ? 1 / period : 0 }
}

/// A window with its label and its weight.
public struct LabelledMotion: Hashable, Sendable {
  /// The window.
  public var motion: MotionSummary
  /// The labelled activity.
  public var activity: Activity
  /// The weight, not negative.
  public var weight: Double

  /// A labelled window.
  public init(_ motion: MotionSummary, activity: Activity, weight: Double = 1) {
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
public protocol ActivityBaseline: Sendable {
  /// The name in tables.
  var name: String { get }
  /// Fits the method to labelled windows, independent of any earlier training.
  mutating func train(on windows: [LabelledMotion])
  /// The activity, or nil when the method has no answer for such a window.
  func answer(to motion: MotionSummary) -> Activity?
}
