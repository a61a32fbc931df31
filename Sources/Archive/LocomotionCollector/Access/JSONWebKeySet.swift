// The only file of the package that imports GnuTLS.
internal import CLocomotionGnuTLS
internal import Foundation

/// The keys of an issuer of tokens, from a set of JSON Web Keys (RFC 7517).
///
/// A key of the type `oct` verifies HS256, one of the type `RSA` verifies RS256, and neither
/// anything else. Keys of other types or uses are passed over, because an issuer may have them
/// for others.
package struct JSONWebKeySet: Sendable {
  /// Why a set of keys is refused; without anything of the keys.
  package struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what was expected.
    package let description: String
  }

  /// An algorithm of signatures, by its name in a token.
  enum Algorithm: String, Sendable {
    case sharedSecret = "HS256"
    case rsa = "RS256"
  }

  /// A key and the one algorithm for which it is used.
  struct Key: Sendable {
    let number: String?
    let algorithm: Algorithm
    private let verification: Verification

    private enum Verification: Sendable {
      case secret([UInt8])
      case publicKey(PublicKey)
    }

    fileprivate init(number: String?, secret: [UInt8]) {
      (self.number, algorithm, verification) = (number, .sharedSecret, .secret(secret))
    }

    fileprivate init(number: String?, publicKey: PublicKey) {
      (self.number, algorithm, verification) = (number, .rsa, .publicKey(publicKey))
    }

    /// Whether a signature is this key's.
    func verifies(_ signature: [UInt8], of content: [UInt8]) -> Bool {
      switch verification {
      case .publicKey(let key): return key.verifies(signature, of: content)
      case .secret(let secret):
        var digest = [UInt8](repeating: 0, count: 32)
        let result = unsafe gnutls_hmac_fast(
          GNUTLS_MAC_SHA256, secret, secret.count, content, content.count, &digest)
        guard result == 0, signature.count == digest.count else { return false }
        // In a time that does not depend on how much of a guess is right.
        return unsafe gnutls_memcmp(signature, digest, digest.count) == 0
      }
    }
  }

  /// The number of keys.
  package var count: Int { keys.count }
  /// The largest file of keys, bytes.
  package static let largest = 1 << 18
  private let keys: [Key]
  private static let mostKeys = 64
  /// The bytes of the digest, of which RFC 7518 wants as many at least.
  private static let shortestSecret = 32
  /// Bits of the modulus, as RFC 7518 wants them at least.
  private static let shortestModulus = 2_048
  private static let longestModulus = 8_192

  /// Reads a set of keys.
  ///
  /// - Throws: ``Defect`` when it is not one, a key of a type that is used has a defect, two keys
  ///   have one number, or there is no usable key.
  package init(_ json: [UInt8]) throws(Defect) {
    guard json.count <= Self.largest else {
      throw Defect(description: "expected at most \(Self.largest) bytes, found \(json.count)")
    }
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)),
      JSONObjectNames.areUnique(in: json)
    else { throw Defect(description: "expected {\"keys\": [...]} with keys in JSON") }
    guard document.keys.count <= Self.mostKeys else {
      throw Defect(description: "expected at most \(Self.mostKeys) keys")
    }
    var keys: [Key] = []
    for (place, entry) in document.keys.enumerated() {
      guard let key = try Self.key(entry, "keys[\(place)]") else { continue }
      guard !keys.contains(where: { $0.number == key.number }) else {
        throw Defect(description: "keys[\(place)].kid: expected a number of its own for each key")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else {
      throw Defect(description: "expected a key of the type oct or RSA, found none")
    }
    self.keys = keys
  }

  /// The key with this number; without a number the only key that there is.
  func key(numbered number: String?) -> Key? {
    guard let number else { return keys.count == 1 ? keys[0] : nil }
    return keys.first { $0.number.map { $0.utf8.elementsEqual(number.utf8) } ?? false }
  }

  private struct Document: Decodable {
    let keys: [Entry]
  }

  private struct Entry: Decodable {
    let kty: String
    let kid: String?
    let alg: String?
    let use: String?
    let n: String?
    let e: String?
    let k: String?
  }

  /// A key; nil for one of another type or use.
  private static func key(_ entry: Entry, _ place: String) throws(Defect) -> Key? {
    guard entry.use ?? "sig" == "sig" else { return nil }
    switch entry.kty {
    case "oct":
      guard entry.alg ?? "HS256" == "HS256" else { return nil }
      guard let secret = entry.k.flatMap({ Base64URL.bytes($0.utf8) }),
        secret.count >= shortestSecret
      else {
        throw Defect(description: "\(place).k: expected \(shortestSecret) bytes or more")
      }
      return Key(number: entry.kid, secret: secret)
    case "RSA":
      guard entry.alg ?? "RS256" == "RS256" else { return nil }
      guard let modulus = entry.n.flatMap({ Base64URL.bytes($0.utf8) }),
        let exponent = entry.e.flatMap({ Base64URL.bytes($0.utf8) }),
        let bits = bitCount(modulus), shortestModulus...longestModulus ~= bits,
        1...8 ~= exponent.count, let key = PublicKey(modulus, exponent)
      else {
        throw Defect(
          description:
            "\(place): expected n of \(shortestModulus) to \(longestModulus) bits, and e")
      }
      return Key(number: entry.kid, publicKey: key)
    default: return nil
    }
  }

  private static func bitCount(_ number: [UInt8]) -> Int? {
    guard let first = number.first, first != 0 else { return nil }
    return 8 * number.count - first.leadingZeroBitCount
  }
}

/// A public key of the library's.
///
/// Unchecked: the library allows verification from several threads.
@safe private final class PublicKey: @unchecked Sendable {
  private let key: gnutls_pubkey_t

  init?(_ modulus: [UInt8], _ exponent: [UInt8]) {
    var key: gnutls_pubkey_t?
    guard unsafe gnutls_pubkey_init(&key) == 0, let key = unsafe key else { return nil }
    unsafe self.key = unsafe key
    let result = unsafe Self.withDatum(modulus) { modulus in
      unsafe Self.withDatum(exponent) { exponent in
        unsafe gnutls_pubkey_import_rsa_raw(key, &modulus, &exponent)
      }
    }
    guard result == 0 else { return nil }
  }

  deinit { unsafe gnutls_pubkey_deinit(key) }

  /// Whether a signature of RSASSA-PKCS1-v1_5 with SHA-256 is this key's.
  func verifies(_ signature: [UInt8], of content: [UInt8]) -> Bool {
    let result = unsafe Self.withDatum(content) { content in
      unsafe Self.withDatum(signature) { signature in
        unsafe gnutls_pubkey_verify_data2(
          key, GNUTLS_SIGN_RSA_SHA256, 0, &content, &signature)
      }
    }
    return result >= 0
  }

  private static func withDatum<Result>(
    _ bytes: [UInt8], _ body: (inout gnutls_datum_t) -> Result
  ) -> Result {
    var copy = bytes
    return unsafe copy.withUnsafeMutableBufferPointer { buffer in
      var datum = unsafe gnutls_datum_t(
        data: buffer.baseAddress, size: UInt32(buffer.count))
      return unsafe body(&datum)
    }
  }
}
