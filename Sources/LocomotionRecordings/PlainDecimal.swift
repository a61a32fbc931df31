internal import LocomotionSensing

/// A number as most files write it: a minus or none, digits, and perhaps a point among them.
struct PlainDecimal: Equatable {
  /// The digits as a whole number, at most 18 of them.
  var significand: UInt64 = 0
  /// How many of the digits stand behind the point.
  var decimals = 0
  /// Whether a minus stands before them.
  var isNegative = false

  /// Zero.
  init() {}

  /// Reads the number that starts at `index` and moves `index` behind it.
  ///
  /// Nil when there is none, or one of more than 18 digits. What follows is the caller's business.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, _ index: inout Int) {
    guard index < bytes.count else { return nil }
    isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let first = index
    var point: Int?
    while index < bytes.count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit <= 9 {
        significand = significand &* 10 &+ UInt64(digit)
      } else if bytes[index] == UInt8(ascii: "."), point == nil {
        point = index
      } else {
        break
      }
      index += 1
    }
    let digits = index - first - (point == nil ? 0 : 1)
    guard digits > 0, digits <= 18 else { return nil }
    if let point { decimals = index - point - 1 }
  }

  /// Whether Double holds the digits, so that one division gives the nearest number.
  var isShort: Bool { significand <= 1 << 53 }

  /// The Float that ``DecimalField`` gives.
  ///
  /// - Precondition: the number ``isShort``.
  var component: Float {
    assert(isShort)
    let magnitude = Double(significand) / powersOfTen[decimals]
    return Float(isNegative ? -magnitude : magnitude)
  }

  /// The number of seconds as an instant, which needs the digits alone.
  var timestamp: Timestamp? {
    DecimalField.number(
      significand: significand, exponent: -decimals, isNegative: isNegative, nearest: .nan
    ).timestamp
  }
}
