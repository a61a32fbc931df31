/// An instant on a sensor's clock, in whole nanoseconds.
///
/// The clock's zero is the caller's choice (Unix epoch, time since boot): only differences matter
/// to the estimators, as long as accelerations and location fixes share one clock.
///
/// Arithmetic saturates, so that a damaged timestamp can never trap.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's zero.
  public var nanoseconds: Int64

  /// An instant `nanoseconds` after the clock's zero.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// An instant `seconds` after the clock's zero, rounded to the nearest nanosecond.
  ///
  /// Returns nil when `seconds` is NaN, infinite, or not inside ±``limit`` (about 146 years).
  public init?(seconds: Double) {
    // Whole seconds separately: their product with 1e9 is not exact in Double on the Unix clock.
    let whole = seconds.rounded(.towardZero)
    guard abs(whole) <= Double(Self.limit / Self.nanosecondsPerSecond) else { return nil }
    let rest = ((seconds - whole) * 1e9).rounded()
    self.init(nanoseconds: Int64(whole) * Self.nanosecondsPerSecond + Int64(rest))
    guard isPlausible else { return nil }
  }

  /// The bound of a plausible instant's magnitude, excluded: 2⁶² ns.
  ///
  /// The difference of two such instants fits 64 bits.
  public static let limit: Int64 = 1 << 62

  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Whether the instant lies inside ±``limit``, the limits themselves excluded.
  public var isPlausible: Bool { nanoseconds > -Self.limit && nanoseconds < Self.limit }

  /// Seconds since the clock's zero, within half a step of Double.
  ///
  /// That is 0.5 ns up to 48 days (2²² s) and 0.12 µs today on the Unix clock. Up to 48 days
  /// ``init(seconds:)`` gives back the same instant; beyond 97 days a number of seconds that
  /// became an instant comes out unchanged.
  public var seconds: Double { Self.seconds(nanoseconds) }

  /// Seconds from `earlier` to this instant, negative when `earlier` is later.
  public func seconds(since earlier: Timestamp) -> Double {
    Self.seconds(nanoseconds(since: earlier))
  }

  private static func seconds(_ nanoseconds: Int64) -> Double {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
    return Double(whole) + Double(rest) / 1e9
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

  /// The number of the interval of `length` nanoseconds that holds the instant; interval 0 begins
  /// at the clock's zero, and those before it have negative numbers.
  ///
  /// - Precondition: `length` is positive.
  @inlinable
  package func interval(of length: Int64) -> Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: length)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The end of an interval of `length` nanoseconds by its number, saturating at the limit of 64
  /// bits.
  package static func end(ofInterval number: Int64, of length: Int64) -> Timestamp {
    let (end, overflow) = (number + 1).multipliedReportingOverflow(by: length)
    return Timestamp(nanoseconds: overflow ? .max : end)
  }

  /// The number of the first interval of `length` nanoseconds that begins at the instant or after
  /// it.
  ///
  /// - Precondition: `length` is positive.
  @inlinable
  package func firstInterval(of length: Int64) -> Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: length)
    return remainder > 0 ? quotient + 1 : quotient
  }

  /// Whether `lhs` is earlier than `rhs`.
  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}

#if !hasFeature(Embedded)
  extension Timestamp: Codable {}
#endif
