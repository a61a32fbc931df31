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
    guard let bytes = Hexadecimal.bytes(text, count: 32) else { return nil }
    self.bytes = bytes
  }

  /// The digest as 64 hexadecimal digits in lower case.
  public var hexadecimal: String { Hexadecimal.text(bytes) }

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
