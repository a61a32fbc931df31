extension String {
  /// A text from its bytes in UTF-8; nil when they are anything else.
  ///
  /// In place of `String(validating:as:)`, which iOS 17 and the other systems of its year lack.
  init?(validUTF8 bytes: [UInt8]) {
    // What is not UTF-8 is decoded to replacement characters, whose bytes are others.
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
