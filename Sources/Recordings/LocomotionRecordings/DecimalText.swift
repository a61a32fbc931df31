package import LocomotionSensing

/// Appends numbers as text, independent of the locale and without allocating.
extension [UInt8] {
  /// Appends `value` with exactly `digits` decimals; nothing when it is NaN, infinite or too large.
  ///
  /// The text differs from `value` by at most half a unit of its last digit, up to one rounding of
  /// value · 10^digits. Too large means that this product exceeds 2⁵³, where a Double has no
  /// decimals left.
  package mutating func append(_ value: Double, digits: Int) {
    let scaled = (value * powersOfTen[digits]).rounded(.toNearestOrEven)
    if abs(scaled) <= 0x1p53 { append(Int64(scaled), overPowerOfTen: digits) }
  }

  /// Appends `value` / 10^`digits` with exactly `digits` decimals.
  package mutating func append(_ value: Int64, overPowerOfTen digits: Int) {
    let scale = integerPowersOfTen[digits]
    if value < 0 { append(UInt8(ascii: "-")) }
    append(integer: value.magnitude / scale, atLeast: 1)
    guard digits > 0 else { return }
    append(UInt8(ascii: "."))
    append(integer: value.magnitude % scale, atLeast: digits)
  }

  /// Appends an instant in seconds, exactly, without trailing zeros.
  package mutating func append(_ timestamp: Timestamp) {
    let magnitude = timestamp.nanoseconds.magnitude
    if timestamp.nanoseconds < 0 { append(UInt8(ascii: "-")) }
    append(integer: magnitude / 1_000_000_000, atLeast: 1)
    var fraction = magnitude % 1_000_000_000
    guard fraction > 0 else { return }
    var digits = 9
    while fraction % 10 == 0 {
      fraction /= 10
      digits -= 1
    }
    append(UInt8(ascii: "."))
    append(integer: fraction, atLeast: digits)
  }

  /// Appends `value` in decimal, padded with leading zeros to `width` digits.
  private mutating func append(integer value: UInt64, atLeast width: Int) {
    var digits = width
    while digits < integerPowersOfTen.count, value >= integerPowersOfTen[digits] { digits += 1 }
    for place in stride(from: digits - 1, through: 0, by: -1) {
      append(UInt8(ascii: "0") + UInt8(value / integerPowersOfTen[place] % 10))
    }
  }
}

/// 10⁰ to 10¹⁹, every power of ten that fits 64 bits.
let integerPowersOfTen: [UInt64] = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
  1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]
