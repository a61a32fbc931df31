/// An epoch that is over: what the stages say of it that need no windows, and what goes with its
/// window; nil without one.
typealias ClosedEpoch = (sample: LocomotionSample, window: EpochContext?)

/// What goes with the window of an epoch.
package struct EpochContext: Sendable {
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
  /// Whether the phone lies, by the mean accelerations of the newest seconds.
  var isStill: Bool
  /// The speed at its end, m/s, and its standard deviation, as far as they are known.
  var speed: Double?
  var speedDeviation: Double?

  var speedEvidence: SpeedEvidence? {
    speed.map {
      SpeedEvidence(metresPerSecond: Float($0), deviation: speedDeviation.map { Float($0) })
    }
  }

  func gaitHint(_ decision: ActivityDecision) -> GaitHint {
    GaitHint(decision: decision, speed: speed)
  }
}

/// What becomes of the windows of a recording, epoch by epoch.
package protocol WindowProcessor {
  /// Takes the next windows, and writes to `sample` what they show, if that is known at once.
  ///
  /// - Parameters:
  ///   - epoch: What goes with the windows.
  ///   - number: The place of the sample in the pipeline's output.
  ///   - accelerations: The newest ``WindowStages/longestWindow`` cells before the end of the
  ///     epoch, or as many as there are.
  ///   - rotation: The rates that go with the window of the activities; none unless all were
  ///     measured.
  ///   - sample: What is known without them.
  mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample)

  /// Takes the fix of the next sample, after its windows if it has some, and writes to `sample`
  /// what the course of the fixes shows, if that is known at once and there are no windows.
  mutating func processFix(of sample: inout LocomotionSample, hasWindow: Bool)
}

extension WindowProcessor {
  /// Leaves the fix out.
  package mutating func processFix(of sample: inout LocomotionSample, hasWindow: Bool) {}
}

/// Leaves windows out, which are most of the work; locations and moving states don't need them.
package struct NoWindows: WindowProcessor {
  package init() {}

  package mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {}
}
