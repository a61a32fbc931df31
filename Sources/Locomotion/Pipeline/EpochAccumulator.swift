import LocomotionSensing
import LocomotionSignals

/// The whole seconds of the sensor's clock, counted from its zero.
enum Second {
  static let nanoseconds: Int64 = 1_000_000_000

  /// The second that holds `timestamp`.
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

/// The second that is being filled.
struct EpochAccumulator: Sendable, Hashable, Codable {
  var index: Int64?
  /// The newest fix that was accepted in it.
  var rawLocation: LocationFix?
  /// Cells that it had before an interruption emptied the ring.
  var cellsBeforeBreak = 0
}

/// The RMS of the rotation rate over the current second.
struct RotationMeter: Sendable, Hashable, Codable {
  /// Phones' gyroscopes end at 2,000 °/s, which is 35 rad/s.
  static let largestComponent: Float = 200

  private(set) var counts = IntakeCounts()
  private var second: Int64?
  private var sumOfSquares: Float = 0
  private var count: Float = 0

  /// RMS, rad/s; nil when nothing was measured in the second.
  var level: Float? { count > 0 ? (sumOfSquares / count).squareRoot() : nil }

  mutating func begin(_ index: Int64) {
    second = index
    sumOfSquares = 0
    count = 0
  }

  mutating func reset() {
    second = nil
    sumOfSquares = 0
    count = 0
  }

  /// Adds a rate that belongs to the current second; another's is counted as out of order.
  mutating func add(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
    guard x.isFinite, y.isFinite, z.isFinite else { return counts.count(.notFinite) }
    guard max(abs(x), abs(y), abs(z)) <= Self.largestComponent, timestamp.isPlausible else {
      return counts.count(.outOfRange)
    }
    guard Second.index(of: timestamp) == second else { return counts.count(.outOfOrder) }
    counts.count(nil)
    sumOfSquares += x * x + y * y + z * z
    count += 1
  }
}
