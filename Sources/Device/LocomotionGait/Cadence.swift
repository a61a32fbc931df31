package import LocomotionSensing

/// The step rate of a person on foot.
public struct Cadence: Hashable, Sendable {
  /// Steps per minute, both feet counted.
  public var stepsPerMinute: Float
  /// The posterior probability of this step rate (within 5 %), 0 to 1.
  public var confidence: Float
  /// Standard error of the mean rate of the last six seconds, steps per minute; nil when unknown.
  ///
  /// It covers uneven steps and noise, but not octave errors: for these see
  /// ``CadenceUpdate/octaveAlternative``.
  public var standardErrorStepsPerMinute: Float?

  /// A step rate in steps per minute with its confidence, and its standard error when known.
  public init(
    stepsPerMinute: Float, confidence: Float, standardErrorStepsPerMinute: Float? = nil
  ) {
    self.stepsPerMinute = stepsPerMinute
    self.confidence = confidence
    self.standardErrorStepsPerMinute = standardErrorStepsPerMinute
  }
}

extension Cadence: StateElement {
  package static let blank = Cadence(stepsPerMinute: 0, confidence: 0)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&stepsPerMinute)
    archive.pass(&confidence)
    archive.pass(&standardErrorStepsPerMinute)
  }
}
