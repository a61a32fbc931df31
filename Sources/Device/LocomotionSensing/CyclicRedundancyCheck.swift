/// CRC-32 as in zip, gzip and PNG: polynomial 0x04C11DB7 reflected, start and end inverted.
///
/// It detects every single-bit error, every two-bit error and every burst of up to 32 bits in files
/// of our size (Koopman, "32-bit cyclic redundancy codes for internet applications", 2002).
package struct CyclicRedundancyCheck: Sendable {
  private var register: UInt32 = 0xFFFF_FFFF

  /// The checksum of no bytes.
  package init() {}

  /// The checksum of `bytes`.
  init(of bytes: Span<UInt8>) { update(with: bytes) }

  /// The checksum of the bytes so far.
  package var value: UInt32 { ~register }

  /// Appends `bytes` to what is checked.
  package mutating func update(with bytes: Span<UInt8>) {
    let table = Self.table
    for index in 0..<bytes.count {
      register = register >> 8 ^ table[Int((register ^ UInt32(bytes[index])) & 0xFF)]
    }
  }

  /// The register after eight shifts, for each byte.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }
}
