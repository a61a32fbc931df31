import LocomotionSensing

/// The epochs of the pipeline: the whole seconds of the sensor's clock, counted from its zero.
enum Epoch {
  static let nanoseconds: Int64 = 1_000_000_000

  /// The epoch that holds `timestamp`.
  static func index(of timestamp: Timestamp) -> Int64 {
    let (quotient, remainder) =
      timestamp.nanoseconds.quotientAndRemainder(dividingBy: nanoseconds)
    return remainder < 0 ? quotient - 1 : quotient
  }

  static func start(of index: Int64) -> Timestamp {
    Timestamp(nanoseconds: index * nanoseconds)
  }

  static func end(of index: Int64) -> Timestamp {
    start(of: index + 1)
  }
}

/// The epoch that is being filled.
struct EpochAccumulator: Sendable, Hashable, Codable {
  var index: Int64?
  /// The newest fix that was accepted in it.
  var rawLocation: LocationFix?
  /// Cells that it had before an interruption emptied the ring.
  var cellsBeforeBreak = 0
}
