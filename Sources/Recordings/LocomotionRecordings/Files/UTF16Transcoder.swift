/// Turns text in UTF-16 into UTF-8, piece by piece.
struct UTF16Transcoder {
  private let isBigEndian: Bool
  /// The bytes of a character that the last piece did not end.
  private var rest: [UInt8] = []

  /// A transcoder for the text after a byte order mark; nil for any other two bytes.
  init?(byteOrderMark mark: [UInt8]) {
    guard mark == [0xFF, 0xFE] || mark == [0xFE, 0xFF] else { return nil }
    isBigEndian = mark[0] == 0xFE
  }

  /// The next piece in UTF-8; what is no character becomes U+FFFD, and where nothing follows, half
  /// a character too.
  mutating func utf8(_ bytes: some Sequence<UInt8>, isLast: Bool) -> [UInt8] {
    let all = rest + bytes
    var units: [UInt16] = []
    units.reserveCapacity(all.count / 2)
    for index in stride(from: 0, to: all.count - 1, by: 2) {
      let (first, second) = (UInt16(all[index]), UInt16(all[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    rest = all.count.isMultiple(of: 2) ? [] : [all[all.count - 1]]
    // Half of a pair waits for the other half.
    if !isLast, let last = units.last, 0xD800..<0xDC00 ~= last {
      units.removeLast()
      rest = Array(all[(2 * units.count)...])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
