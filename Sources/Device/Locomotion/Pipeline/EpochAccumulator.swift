/// The epochs of the pipeline: the whole seconds of the sensor's clock, counted from its zero.
enum Epoch {
  static let nanoseconds: Int64 = 1_000_000_000

  static func index(of timestamp: Timestamp) -> Int64 { timestamp.interval(of: nanoseconds) }

  static func start(of index: Int64) -> Timestamp {
    Timestamp(nanoseconds: index * nanoseconds)
  }

  /// The epochs of the instants that a clock can show.
  static let range =
    index(
      of: Timestamp(nanoseconds: -Timestamp.limit))...index(
      of: Timestamp(nanoseconds: Timestamp.limit))

  static func end(of index: Int64) -> Timestamp {
    start(of: index + 1)
  }
}

/// The epoch that is being filled.
struct EpochAccumulator: Sendable, StateArchivable {
  var index: Int64?
  /// The newest fix that was accepted in it.
  var rawLocation: LocationFix?
  /// Cells that it had before an interruption emptied the ring.
  var cellsBeforeBreak = 0

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(epoch: &index)
    archive.pass(&rawLocation, &cellsBeforeBreak)
  }
}

extension StateArchive {
  mutating func pass(epoch index: inout Int64?) {
    pass(&index)
    require(index.map { Epoch.range.contains($0) } ?? true)
  }
}
