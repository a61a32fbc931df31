/// What one call of the pipeline found out.
///
/// Keep one value and hand it to every call: its arrays then keep their memory.
public struct LocomotionOutput: Equatable, Sendable, StateArchivable {
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
