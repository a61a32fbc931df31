extension [UInt8] {
  /// Appends `value`, the lowest byte first.
  mutating func append(littleEndian value: UInt32) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// The number whose lowest byte is at `offset`.
  package func littleEndian(at offset: Int) -> UInt32 {
    UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
      | UInt32(self[offset + 3]) << 24
  }
}
