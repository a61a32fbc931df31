package import LocomotionSensing

/// A CSV field parsed as a number, independent of the locale.
///
/// A field is an optional sign, decimal digits with at most one point and an optional exponent,
/// with blanks around it; or empty, `nan`, `inf` or `infinity` in any case, which all mean that the
/// sensor gave no value. Anything else is text.
package enum DecimalField: Equatable {
  /// No finite value.
  case missing
  /// A finite value, as ± significand × 10^exponent and as the nearest Double.
  ///
  /// The significand is nil when it has more than 19 digits.
  case number(significand: UInt64?, exponent: Int, isNegative: Bool, nearest: Double)
  /// Not a number.
  case text

  /// Parses the field in `range` of `bytes`.
  ///
  /// The value is the one that `Double(String)` gives for the same text. With at most 19 digits
  /// that make at most 2⁵³, and a power of ten within ±22, it is the result of one correctly
  /// rounded multiplication or division of two exact numbers (Clinger, "How to read floating point
  /// numbers accurately", PLDI 1990); the rare others are parsed by `Double(String)`. Linear time;
  /// allocates only in the rare case.
  package init(_ bytes: [UInt8], in range: Range<Int>) {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    guard start < end else {
      self = .missing
      return
    }
    let hasPlus = bytes[start] == UInt8(ascii: "+")
    var index = hasPlus ? start + 1 : start
    let slice = bytes[..<end]
    let digits = PlainDecimal(slice.span, &index)
    let isNegative = digits.isNegative
    guard digits.count > 0, !(hasPlus && isNegative) else {
      self = Self.isNameOfNoValue(bytes, in: index..<end) ? .missing : .text
      return
    }
    var exponent = -digits.decimals
    if index < end {
      guard let written = Self.exponent(bytes, in: index..<end) else {
        self = .text
        return
      }
      exponent += written
    }
    let significand = digits.isExact ? digits.significand : nil
    let nearest: Double
    if let significand, significand <= 1 << 53, abs(exponent) <= 22 {
      let magnitude =
        exponent < 0
        ? Double(significand) / powersOfTen[-exponent]
        : Double(significand) * powersOfTen[exponent]
      nearest = isNegative ? -magnitude : magnitude
    } else {
      nearest = Double(String(decoding: bytes[start..<end], as: UTF8.self)) ?? .nan
    }
    self =
      nearest.isFinite
      ? .number(
        significand: significand, exponent: exponent, isNegative: isNegative, nearest: nearest)
      : .missing
  }

  /// The value, NaN when it's missing, nil for text.
  package var value: Double? {
    switch self {
    case .number(_, _, _, let nearest): nearest
    case .missing: .nan
    case .text: nil
    }
  }

  /// The value in seconds as an instant; as ``timestamp(unitDigits:)``.
  package var timestamp: Timestamp? { timestamp(unitDigits: 0) }

  /// The value in units of 10^−`digits` seconds as an instant, rounded to the nearest nanosecond.
  ///
  /// Exact for every decimal text of up to 19 digits, also where a Double is too coarse (seconds
  /// since 1970). Nil when the value is missing, text, or outside ±2⁶² ns.
  package func timestamp(unitDigits digits: Int) -> Timestamp? {
    guard case .number(let significand, let exponent, let isNegative, let nearest) = self else {
      return nil
    }
    let shift = exponent - digits + 9
    guard let significand, abs(shift) <= 19 else {
      return Timestamp(seconds: nearest / powersOfTen[digits])
    }
    let magnitude: UInt64
    if shift >= 0 {
      let (product, overflow) = significand.multipliedReportingOverflow(
        by: integerPowersOfTen[shift])
      guard !overflow else { return nil }
      magnitude = product
    } else {
      let (quotient, remainder) = significand.quotientAndRemainder(
        dividingBy: integerPowersOfTen[-shift])
      magnitude = quotient + (remainder >= integerPowersOfTen[-shift] / 2 ? 1 : 0)
    }
    guard magnitude <= UInt64(Timestamp.limit) else { return nil }
    return Timestamp(nanoseconds: isNegative ? -Int64(magnitude) : Int64(magnitude))
  }

  /// The value of an exponent: `e` or `E`, an optional sign and digits; nil for anything else.
  private static func exponent(_ bytes: [UInt8], in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    var isNegative = false
    if index < range.upperBound,
      bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
    {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    guard index < range.upperBound else { return nil }
    var value = 0
    while index < range.upperBound {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      // Far beyond the range of Double; the limit only prevents an overflow.
      if value < 1_000_000 { value = value * 10 + Int(digit) }
      index += 1
    }
    return isNegative ? -value : value
  }

  /// Whether the bytes are one of the names by which programs print "no number".
  private static func isNameOfNoValue(_ bytes: [UInt8], in range: Range<Int>) -> Bool {
    ["nan", "inf", "infinity"].contains { (word: String) -> Bool in
      word.utf8.count == range.count
        && zip(word.utf8, bytes[range]).allSatisfy { (a: UInt8, b: UInt8) in a == b | 0x20 }
    }
  }
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// 10⁰ to 10²², every power of ten that a Double holds exactly.
package let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]

/// A number in the notation of most files: an optional minus, digits, and at most one point.
struct PlainDecimal: Equatable {
  /// The digits as an integer, if there are at most 19.
  private(set) var significand: UInt64 = 0
  /// The number of all digits.
  private(set) var count = 0
  /// The number of digits after the point.
  private(set) var decimals = 0
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
