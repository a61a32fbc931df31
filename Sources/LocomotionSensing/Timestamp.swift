/// An instant on a sensor's clock, in whole nanoseconds.
///
/// The clock's zero is the caller's choice (Unix epoch, time since boot): only differences matter
/// to the estimators, as long as accelerations and location fixes share one clock.
///
/// Arithmetic saturates, so that a damaged timestamp can never trap.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
  /// Nanoseconds since the clock's zero.
  public var nanoseconds: Int64

  /// An instant `nanoseconds` after the clock's zero.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// An instant `seconds` after the clock's zero, rounded to the nearest nanosecond.
  ///
  /// Returns nil when `seconds` is NaN, infinite, or outside ±2⁶² ns (about 146 years).
  public init?(seconds: Double) {
    let nanoseconds = (seconds * 1e9).rounded()
    guard abs(nanoseconds) <= Double(Self.limit) else { return nil }
    self.nanoseconds = Int64(nanoseconds)
  }

  /// The largest magnitude, in nanoseconds, of an instant that is taken for a real one: 2⁶².
  ///
  /// The difference of two instants inside the limit fits 64 bits.
  public static let limit: Int64 = 1 << 62

  /// Whether the instant lies inside ±2⁶² ns.
  public var isPlausible: Bool { nanoseconds >= -Self.limit && nanoseconds <= Self.limit }

  /// Seconds since the clock's zero; exact to the nanosecond for |t| < 104 days, to 0.2 µs today
  /// on the Unix clock.
  public var seconds: Double { Double(nanoseconds) * 1e-9 }

  /// Seconds from `earlier` to this instant, negative when `earlier` is later.
  public func seconds(since earlier: Timestamp) -> Double {
    Double(nanoseconds(since: earlier)) * 1e-9
  }

  /// Nanoseconds from `earlier` to this instant, saturating at the limits of 64 bits.
  public func nanoseconds(since earlier: Timestamp) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return overflow ? (nanoseconds < 0 ? .min : .max) : difference
  }

  /// This instant moved by `nanoseconds`, saturating at the limits of 64 bits.
  public func advanced(byNanoseconds nanoseconds: Int64) -> Timestamp {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return Timestamp(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// Whether `lhs` is earlier than `rhs`.
  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}
