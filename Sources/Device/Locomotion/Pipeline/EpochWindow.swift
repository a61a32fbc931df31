internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionSignals

/// What goes with the window of an epoch.
package struct EpochContext: Sendable, Hashable {
  /// The epoch, counted from the zero of the sensor's clock.
  var index: Int64
  /// The grid cell behind the newest one of its windows.
  var end: Int64
  /// Whether it is the first of a stretch without gaps.
  var beginsStretch: Bool
  /// Whether it has enough cells to count its steps.
  var isWhole: Bool
  /// The fraction of the window of the activities that is not filled, 0 to 1.
  var observedFraction: Float
  /// The speed at its end, m/s, and its standard deviation, as far as they are known.
  private var speed: Double?
  private var speedDeviation: Double?

  init(
    index: Int64, end: Int64, beginsStretch: Bool, isWhole: Bool, observedFraction: Float,
    location: LocationEstimate?
  ) {
    (self.index, self.end) = (index, end)
    (self.beginsStretch, self.isWhole) = (beginsStretch, isWhole)
    self.observedFraction = observedFraction
    (speed, speedDeviation) = (location?.speed, location?.speedDeviation)
  }

  var speedEvidence: SpeedEvidence? {
    speed.map {
      SpeedEvidence(metresPerSecond: Float($0), deviation: speedDeviation.map { Float($0) })
    }
  }

  func gaitHint(_ decision: ActivityDecision) -> GaitHint {
    GaitHint(decision: decision, speed: speed)
  }
}

/// The window of accelerations that ends with an epoch.
///
/// The ring may hold cells beyond the end of the epoch; the window stops before them.
package struct EpochWindow: Sendable {
  let epoch: EpochContext
  let ring: SampleRing
  /// Cells of the ring beyond the end of the epoch.
  let beyond: Int

  /// Cells that the window has at most.
  var available: Int { ring.count - beyond }

  /// Calls `body` with the newest cells of the window, as many as there are up to `length`.
  func withAccelerations<Result>(
    atMost length: Int, _ body: (Span<SIMD4<Float>>) -> Result
  ) -> Result {
    let count = min(length, available)
    return ring.withLatest(count + beyond) { body($0.extracting(first: count)) }
  }
}

/// What becomes of the windows of a recording, epoch by epoch.
package protocol WindowProcessor {
  /// Takes the next window, and writes to `sample` what it shows, if that is known at once.
  ///
  /// `number` is the place of the sample in the pipeline's output.
  mutating func process(
    _ window: EpochWindow, ofSample number: Int, _ rotation: RotationIntake,
    into sample: inout LocomotionSample)
}

/// Leaves windows out, which are most of the work; locations and moving states don't need them.
package struct NoWindows: WindowProcessor {
  package init() {}

  package mutating func process(
    _ window: EpochWindow, ofSample number: Int, _ rotation: RotationIntake,
    into sample: inout LocomotionSample
  ) {}
}
