/// A SHA-256 digest (FIPS 180-4), by which an upload unit is named.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes of the digest.
  public let bytes: [UInt8]

  /// The digest of these bytes, by CryptoKit or, where there is none, by Nettle.
  public init(of content: [UInt8]) {
    bytes = Self.digest(content)
  }

  /// The digest with this name; nil unless it has 64 hexadecimal digits in lower case.
  public init?(hexadecimal text: String) {
    let values = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case 48...57: digit - 48
      case 97...102: digit - 87
      default: nil
      }
    }
    guard text.utf8.count == 64, values.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// The digest as 64 hexadecimal digits in lower case.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// ``hexadecimal``.
  public var description: String { hexadecimal }
}

#if canImport(CryptoKit)
  internal import CryptoKit
  internal import Foundation

  extension SHA256Digest {
    fileprivate static func digest(_ content: [UInt8]) -> [UInt8] {
      Array(SHA256.hash(data: content))
    }
  }
#else
  // The only Swift file of the package that imports Nettle.
  internal import CLocomotionNettle

  extension SHA256Digest {
    fileprivate static func digest(_ content: [UInt8]) -> [UInt8] {
      var context = sha256_ctx()
      unsafe nettle_sha256_init(&context)
      unsafe content.withUnsafeBufferPointer { buffer in
        // Nettle takes no null pointer, which an empty buffer may have.
        if let start = buffer.baseAddress, !buffer.isEmpty {
          unsafe nettle_sha256_update(&context, buffer.count, start)
        }
      }
      var result = [UInt8](repeating: 0, count: 32)
      unsafe result.withUnsafeMutableBufferPointer { buffer in
        unsafe nettle_sha256_digest(&context, 32, buffer.baseAddress)
      }
      return result
    }
  }
#endif
