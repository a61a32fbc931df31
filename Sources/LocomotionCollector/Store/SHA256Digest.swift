internal import CLocomotionNettle

/// TEMPORARY until LocomotionSync has it.
public struct SHA256Digest: Hashable, Sendable {
  public let bytes: [UInt8]
  public init(of content: [UInt8]) {
    var context = sha256_ctx()
    unsafe nettle_sha256_init(&context)
    unsafe nettle_sha256_update(&context, content.count, content)
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe nettle_sha256_digest(&context, 32, &digest)
    bytes = digest
  }
  public var hexadecimal: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
