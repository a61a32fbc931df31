extension ActivityModel {
  /// Reads a model file from its bytes in hexadecimal, as it is embedded in source text.
  ///
  /// White space is skipped; digits may be of either case.
  ///
  /// - Throws: ``ModelFileError``; offsets of bytes count from the start of the decoded file.
  public static func embedded(
    hexadecimal text: String
  ) throws(ModelFileError) -> ActivityModel {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    var offset = 0
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        offset += 1
        continue
      default: throw .invalidHexadecimal(offset: offset)
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
      offset += 1
    }
    guard high == nil else { throw .invalidHexadecimal(offset: offset) }
    return try ActivityModel(file: bytes)
  }

  /// The model ``file`` in hexadecimal, without white space.
  public var hexadecimal: String {
    var text: [UInt8] = []
    let digits = Array("0123456789abcdef".utf8)
    for byte in file {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Swift source text of `enum name { static let hex = … }`, for a model that ships in a binary.
  ///
  /// No line is longer than 100 columns. `embedded(hexadecimal: name.hex)` gives the model back.
  public func swiftSource(named name: String) -> String {
    let digits = Array(hexadecimal.utf8)
    let columns = 96
    let lines = stride(from: 0, to: digits.count, by: columns).map { start in
      "    " + String(decoding: digits[start..<min(start + columns, digits.count)], as: UTF8.self)
    }
    return """
      /// A trained model file in hexadecimal; `locomotion train` writes this file.
      enum \(name) {
        static let hex = \"\"\"
      \(lines.joined(separator: "\n"))
          \"\"\"
      }

      """
  }
}
