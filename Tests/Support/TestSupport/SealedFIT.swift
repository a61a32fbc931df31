/// A file of FIT with these messages: the header and checksums that let them be read.
package func sealedFIT(_ messages: [UInt8]) -> [UInt8] {
  func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xA001 : 0) }
    }
    return [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
  }
  var file: [UInt8] = [14, 0x20, 0, 0]
  file += (0..<4).map { UInt8(truncatingIfNeeded: messages.count >> (8 * $0)) }
  file += Array(".FIT".utf8)
  file += checksum(file)
  file += messages
  return file + checksum(file)
}
