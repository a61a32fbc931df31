internal import LocomotionSensing

/// A number in the notation of most files: an optional minus, digits, and at most one point.
struct PlainDecimal: Equatable {
  /// The digits as an integer, if there are at most 19.
  private(set) var significand: UInt64 = 0
  /// The number of all digits.
  private(set) var count = 0
  /// The number of digits after the point.
  private(set) var decimals = 0
  /// Whether there is a minus.
  private(set) var isNegative = false

  /// Parses the number that starts at `index` and moves `index` to its end.
  ///
  /// It may have no digits; the caller checks that, and what follows.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ index: inout Int) {
    isNegative = index < bytes.count && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let first = index
    significand = Self.appendDigits(of: bytes, from: &index, to: 0)
    count = index - first
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let point = index
      significand = Self.appendDigits(of: bytes, from: &index, to: significand)
      decimals = index - point
      count += decimals
    }
  }

  /// Whether there are digits, and ``significand`` has all of them: nineteen always fit 64 bits.
  @inline(__always)
  var isExact: Bool { 1...19 ~= count }

  @inline(__always)
  private static func appendDigits(
    of bytes: Span<UInt8>, from index: inout Int, to significand: UInt64
  ) -> UInt64 {
    var significand = significand
    while index < bytes.count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      significand = significand &* 10 &+ UInt64(digit)
      index += 1
    }
    return significand
  }

  /// Whether the digits fit a Double exactly, so that one division gives the nearest number.
  @inline(__always)
  var isShort: Bool { significand <= 1 << 53 }

  /// The Float that ``DecimalField`` gives; `powers` are the powers of ten.
  ///
  /// - Precondition: the number ``isShort``.
  @inline(__always)
  func component(_ powers: Span<Double>) -> Float {
    assert(isShort)
    let magnitude = Double(significand) / powers[decimals]
    return Float(isNegative ? -magnitude : magnitude)
  }

  /// The number of seconds as an instant, computed from the digits alone.
  var timestamp: Timestamp? {
    DecimalField.number(
      significand: significand, exponent: -decimals, isNegative: isNegative, nearest: .nan
    ).timestamp
  }
}
