// The only file of the package that imports cjose and jansson.
internal import CLocomotionJOSE
internal import Foundation

/// The keys of an issuer of tokens, from a set of JSON Web Keys (RFC 7517).
///
/// A key of the type `oct` verifies HS256, one of the type `RSA` verifies RS256, and neither
/// anything else. Keys of other types or uses are passed over, because an issuer may have them
/// for others.
struct JSONWebKeySet {
  /// A key of the library's.
  @safe final class Key {
    /// What names it in a token, if anything.
    let number: String?
    /// The one algorithm for which it is used.
    let algorithm: String
    private let key: OpaquePointer

    fileprivate init?(_ entry: [String: Any], _ algorithm: String, bits: ClosedRange<Int>) {
      // A modulus has no leading zeros, which would count as bits.
      guard (entry["n"] as? String)?.hasPrefix("AA") != true,
        let json = try? JSONSerialization.data(withJSONObject: entry),
        let key = unsafe cjose_jwk_import(String(decoding: json, as: UTF8.self), json.count, nil)
      else { return nil }
      (number, self.algorithm) = (entry["kid"] as? String, algorithm)
      unsafe self.key = unsafe key
      guard unsafe bits ~= cjose_jwk_get_keysize(key, nil) else { return nil }
    }

    deinit { unsafe cjose_jwk_release(key) }

    /// Whether the signature of a token is this key's, by the algorithm in its header.
    func verifies(_ token: String) -> Bool {
      guard let token = unsafe cjose_jws_import(token, token.utf8.count, nil) else { return false }
      defer { unsafe cjose_jws_release(token) }
      return unsafe cjose_jws_verify(token, key, nil)
    }
  }

  private(set) var keys: [Key] = []
  /// The algorithm of each type, and the sizes of its keys that RFC 7518 allows.
  private static let types = [
    "oct": (algorithm: "HS256", bits: 256...32_768, expected: "k of 32 bytes or more"),
    "RSA": (algorithm: "RS256", bits: 2_048...8_192, expected: "n of 2048 to 8192 bits, and e"),
  ]

  /// Reads a set of keys from a file of up to 256 KiB.
  ///
  /// - Throws: ``TokenKeyDefect`` when it is not one, a key of a type that is used has a defect,
  ///   two keys have one number, or there is no usable key.
  init(path: String) throws(TokenKeyDefect) {
    guard let file = FileHandle(forReadingAtPath: path),
      let json = try? file.read(upToCount: 1 << 18), let document = try? Self.object(json),
      let entries = document["keys"] as? [[String: Any]]
    else {
      throw TokenKeyDefect(description: "expected a file of {\"keys\": [...]} with keys in JSON")
    }
    for (place, entry) in entries.enumerated() {
      guard let type = Self.types[entry["kty"] as? String ?? ""],
        entry["use"] as? String ?? "sig" == "sig",
        entry["alg"] as? String ?? type.algorithm == type.algorithm
      else { continue }
      guard let key = Key(entry, type.algorithm, bits: type.bits) else {
        throw TokenKeyDefect(description: "keys[\(place)]: expected \(type.expected)")
      }
      guard keys.allSatisfy({ $0.number != key.number }) else {
        throw TokenKeyDefect(description: "keys[\(place)]: expected a kid that no other key has")
      }
      keys.append(key)
    }
    guard !keys.isEmpty else {
      throw TokenKeyDefect(description: "expected a key of the type oct or RSA, found none")
    }
  }

  /// The object in a text of JSON.
  static func object(_ json: Data) throws(TokenRefusal) -> [String: Any] {
    let text = String(decoding: json, as: UTF8.self)
    guard unsafe locomotion_json_is_clear(text, text.utf8.count) != 0,
      let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any]
    else { throw .malformed }
    return object
  }
}
