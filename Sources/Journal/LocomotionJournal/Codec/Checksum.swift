// The only Swift file of this module that imports zlib.
internal import CLocomotionZlib

/// A running CRC-32 (ISO 3309, the polynomial of zlib and gzip).
///
/// It detects every error of one or two bits, every burst of up to 32 bits, and all but one in 4 ×
/// 10⁹ of the other errors.
struct Checksum {
  private(set) var value: UInt32

  /// Starts from `value`, the last checksum of a chain, or from 0 for a new chain.
  init(following value: UInt32 = 0) {
    self.value = value
  }

  mutating func add(_ bytes: some Collection<UInt8>) {
    let whole: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      // For a null pointer zlib returns its initial value and would discard `value`.
      guard !buffer.isEmpty else { return }
      value = unsafe UInt32(
        truncatingIfNeeded: crc32(UInt(value), buffer.baseAddress, UInt32(buffer.count)))
    }
    if whole == nil { add(Array(bytes)) }
  }

  mutating func add(_ number: Int64) {
    // Without an intermediate array: each row has a dozen numbers.
    let bytes = number.littleEndian
    value = unsafe withUnsafeBytes(of: bytes) { buffer in
      unsafe UInt32(
        truncatingIfNeeded: crc32(
          UInt(value), buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), 8))
    }
  }

  mutating func add(_ number: Double?) {
    // A leading byte distinguishes nil from every number.
    add(CollectionOfOne(number == nil ? 0 : 1))
    add(Int64(bitPattern: (number ?? 0).bitPattern))
  }
}

/// Compression of bytes by zlib, for columns that fit no grid.
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

  /// The inflated bytes of `compressed`, or nil when they are not exactly `count` bytes.
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
