// This module's only contact with zlib.
internal import CLocomotionZlib

/// A CRC-32 (ISO 3309, the polynomial of zlib and gzip) under construction.
///
/// It finds every error of one or two bits, every burst of up to 32, and all but one in 4 × 10⁹ of
/// the others.
struct Checksum {
  private(set) var value: UInt32

  /// Begins with `value`, which makes a chain of checksums: 0 for the first link.
  init(following value: UInt32 = 0) {
    self.value = value
  }

  mutating func add(_ bytes: some Collection<UInt8>) {
    let whole: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      // Of no bytes zlib would make the value of an empty text.
      guard !buffer.isEmpty else { return }
      value = unsafe UInt32(
        truncatingIfNeeded: crc32(UInt(value), buffer.baseAddress, UInt32(buffer.count)))
    }
    if whole == nil { add(Array(bytes)) }
  }

  mutating func add(_ number: Int64) {
    // Without an array of bytes: rows have a dozen numbers.
    let bytes = number.littleEndian
    value = unsafe withUnsafeBytes(of: bytes) { buffer in
      unsafe UInt32(
        truncatingIfNeeded: crc32(
          UInt(value), buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), 8))
    }
  }

  mutating func add(_ number: Double?) {
    // Told apart from every number by one more byte.
    add(CollectionOfOne(number == nil ? 0 : 1))
    add(Int64(bitPattern: (number ?? 0).bitPattern))
  }
}

/// Compression of bytes by zlib, for columns in which no order was found.
enum Deflate {
  static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var length = compressBound(UInt(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    let code = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe result.withUnsafeMutableBufferPointer { target in
        unsafe compress2(
          target.baseAddress, &length, source.baseAddress, UInt(source.count), 6)
      }
    }
    precondition(code == Z_OK, "zlib refused \(bytes.count) bytes with \(code)")
    result.removeSubrange(Int(length)...)
    return result
  }

  /// The bytes behind `compressed`, or nil when they are not `count` bytes.
  static func expanded(_ compressed: [UInt8], count: Int) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: count)
    var length = UInt(count)
    let code = unsafe compressed.withUnsafeBufferPointer { source in
      unsafe result.withUnsafeMutableBufferPointer { target in
        unsafe uncompress(target.baseAddress, &length, source.baseAddress, UInt(source.count))
      }
    }
    return code == Z_OK && Int(length) == count ? result : nil
  }
}
