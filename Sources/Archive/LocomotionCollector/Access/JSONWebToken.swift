internal import Foundation
internal import LocomotionJournal

/// What a token must say to be accepted, beside a signature.
package struct TokenRequirements: Hashable, Sendable {
  /// The `iss` of every token.
  package var issuer: String
  /// What `aud` must be or contain.
  package var audience: String
  /// By how much the clocks of issuer and archive may differ, seconds: so much longer a token
  /// counts after `exp`, and so much earlier before `nbf`.
  package var clockSkew = 60.0

  /// The usual requirements.
  package init(issuer: String, audience: String) {
    (self.issuer, self.audience) = (issuer, audience)
  }
}

/// A JSON Web Token (RFC 7519) that was verified.
///
/// Following the best current practice (RFC 8725): the key decides on the algorithm and the token
/// must name the same, so that neither `none` nor a public key as a shared secret is accepted;
/// issuer and audience are compared; nothing of the token is used before its signature.
package struct JSONWebToken: Hashable, Sendable {
  /// The user: the claim `sub` in Unicode's form C.
  package let user: String
  /// The longest token that is read, bytes.
  package static let longest = 8_192

  /// Verifies a token.
  ///
  /// - Parameters:
  ///   - text: The token, in three parts.
  ///   - keys: The keys of the issuer.
  ///   - requirements: What its claims must be.
  ///   - now: The time, seconds since 1970.
  /// - Throws: The first reason not to accept it.
  package init(
    verifying text: String, with keys: JSONWebKeySet, _ requirements: TokenRequirements,
    now: Double
  ) throws(TokenRefusal) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.longest else { throw .malformed }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let signature = Base64URL.bytes(parts[2]) else { throw .malformed }
    let header: Header = try Self.decode(parts[0])
    // Extensions that a verifier must understand; this one understands none.
    guard header.crit == nil, header.b64 == nil, header.zip == nil else { throw .unsupported }
    guard ["jwt", "at+jwt"].contains(header.typ?.lowercased() ?? "jwt") else {
      throw .unsupported
    }
    guard let key = keys.key(numbered: header.kid) else { throw .unknownKey }
    guard header.alg == key.algorithm.rawValue else { throw .wrongAlgorithm }
    let signed = Array(bytes[..<parts[1].endIndex])
    guard key.verifies(signature, of: signed) else { throw .wrongSignature }

    let claims: Claims = try Self.decode(parts[1])
    guard let issuer = claims.iss, let audience = claims.aud, let subject = claims.sub,
      let end = claims.exp, let start = claims.nbf
    else { throw .missingClaim }
    guard Self.equals(issuer, requirements.issuer) else { throw .wrongIssuer }
    guard audience.names.contains(where: { Self.equals($0, requirements.audience) }) else {
      throw .wrongAudience
    }
    guard end.isFinite, now < end + requirements.clockSkew else { throw .expired }
    guard start.isFinite, start - requirements.clockSkew <= now else { throw .early }
    guard let user = UserName.canonical(subject) else { throw .invalidSubject }
    self.user = user
  }

  private struct Header: Decodable {
    let alg: String
    let kid: String?
    let typ: String?
    let crit: [String]?
    let b64: Bool?
    let zip: String?
  }

  private struct Claims: Decodable {
    let iss: String?
    let aud: Audience?
    let sub: String?
    let exp: Double?
    let nbf: Double?
  }

  private struct Audience: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      names = try (try? [value.decode(String.self)]) ?? value.decode([String].self)
    }
  }

  private static func decode<Part: Decodable>(
    _ text: ArraySlice<UInt8>
  ) throws(TokenRefusal) -> Part {
    guard let json = Base64URL.bytes(text), String(validUTF8: json) != nil,
      let part = try? JSONDecoder().decode(Part.self, from: Data(json))
    else { throw .malformed }
    guard JSONObjectNames.areUnique(in: json) else { throw .ambiguous }
    return part
  }

  /// Byte by byte: Swift's own comparison takes two spellings of a letter for one.
  private static func equals(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }
}
