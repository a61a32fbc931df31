/// A file of FIT with these messages: the header and checksums that let them be read.
package func sealedFIT(_ messages: [UInt8]) -> [UInt8] {
  func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xA001 : 0) }
    }
    return little(sum, 2)
  }
  var file: [UInt8] = [14, 0x20, 0, 0]
  file += little(messages.count)
  file += Array(".FIT".utf8)
  file += checksum(file)
  file += messages
  return file + checksum(file)
}

/// The lowest bytes of a number, the lowest first.
package func little(_ value: some BinaryInteger, _ count: Int = 4) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
