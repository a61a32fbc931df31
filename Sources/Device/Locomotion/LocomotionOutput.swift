/// What one call of the pipeline found out.
///
/// Keep one value and hand it to every call: its arrays then keep their memory.
public struct LocomotionOutput: Hashable, Sendable, StateArchivable {
  /// The seconds that ended, in order.
  public var samples: [LocomotionSample] = []
  /// The fixes that were processed, in that order.
  public var fixes: [FixReport] = []

  /// An empty output.
  public init() {}

  /// Removes everything and keeps the memory.
  public mutating func removeAll() {
    samples.removeAll(keepingCapacity: true)
    fixes.removeAll(keepingCapacity: true)
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&samples, &fixes)
  }
}

/// What the filter made of one location fix when it came.
public struct FixReport: Hashable, Sendable, StateElement {
  /// The fix as it came.
  public var fix: LocationFix
  /// What became of it.
  public var status: FixStatus
  /// The location at the fix's time, after it was taken in; nil when none is known.
  public var location: LocationEstimate?
  /// Whether the phone changed place at that time.
  public var moving: MovingDecision
  /// What the accelerometer said in the last whole second before the fix came.
  public var acceleration: AccelerationEvidence?

  package static let blank = FixReport(
    fix: .blank, status: .used, location: nil,
    moving: MovingDecision(state: .uncertain, probability: 0.5), acceleration: nil)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&fix, &status, &location, &moving, &acceleration)
  }
}
