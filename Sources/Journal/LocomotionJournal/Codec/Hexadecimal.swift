/// Bytes as hexadecimal digits in lower case, two for each.
package enum Hexadecimal {
  /// The digits of bytes.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// The bytes with these digits; nil unless they are digits in lower case of `count` bytes.
  package static func bytes(_ text: String, count: Int) -> [UInt8]? {
    let values = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case 48...57: digit - 48
      case 97...102: digit - 87
      default: nil
      }
    }
    guard text.utf8.count == 2 * count, values.count == 2 * count else { return nil }
    return stride(from: 0, to: 2 * count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
