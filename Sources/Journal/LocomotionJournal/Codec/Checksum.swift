// The only Swift file of this module that imports zlib.
internal import CLocomotionZlib

/// CRC-32 (ISO 3309, the polynomial of zlib and gzip).
///
/// It detects every error of one or two bits, every burst of up to 32 bits, and all but one in 4 ×
/// 10⁹ of the other errors.
enum Checksum {
  static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe UInt32(
        truncatingIfNeeded: CLocomotionZlib.crc32(0, buffer.baseAddress, UInt32(buffer.count)))
    }
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
