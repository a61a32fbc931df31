internal import Foundation

/// Why a token is not accepted, in words for the operator's log: to whoever sent it all of them are
/// one answer, 401.
enum TokenRefusal: String, Error {
  case malformed = "malformed, or with a name twice"
  case unsupported = "with an unknown extension"
  case unknownKey = "with an unknown key"
  case wrongAlgorithm = "of another algorithm than its key's"
  case wrongSignature = "with a wrong signature"
  case missingClaim = "without a claim that is needed"
  case expired = "expired"
  case early = "not valid yet"
  case wrongIssuer = "of another issuer"
  case wrongAudience = "for another audience"
  case invalidSubject = "with an invalid subject"
}

extension JSONWebKeySet {
  /// The user of a JSON Web Token (RFC 7519), in Unicode's form C.
  ///
  /// Following the best current practice (RFC 8725): the key decides on the algorithm and the token
  /// must name the same, so that neither `none` nor a public key as a shared secret is accepted;
  /// issuer and audience are compared; nothing of the token is used before its signature.
  ///
  /// - Throws: The first reason not to accept it.
  func user(
    of token: String, issuer: String, audience: String, now: Double
  ) throws(TokenRefusal) -> String {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard token.utf8.count <= 8_192, parts.count == 3 else { throw .malformed }
    let header = try Self.object(Self.bytes(parts[0]))
    // Extensions that a verifier must understand; this one understands none.
    guard header["crit"] == nil, header["b64"] == nil, header["zip"] == nil,
      ["jwt", "at+jwt"].contains((header["typ"] as? String)?.lowercased() ?? "jwt")
    else { throw .unsupported }
    let number = header["kid"] as? String
    guard let key = keys.first(where: { number == nil ? keys.count == 1 : $0.number == number })
    else { throw .unknownKey }
    guard header["alg"] as? String == key.algorithm else { throw .wrongAlgorithm }
    _ = try Self.bytes(parts[2])
    guard key.verifies(token) else { throw .wrongSignature }

    let claims = try Self.object(Self.bytes(parts[1]))
    let audiences = (claims["aud"] as? String).map { [$0] } ?? claims["aud"] as? [String]
    guard let issued = claims["iss"] as? String, let audiences,
      let subject = claims["sub"] as? String, let end = claims["exp"] as? Double,
      let start = claims["nbf"] as? Double
    else { throw .missingClaim }
    guard issued == issuer else { throw .wrongIssuer }
    guard audiences.contains(audience) else { throw .wrongAudience }
    // Their clocks may differ by a minute.
    guard now < end + 60 else { throw .expired }
    guard start - 60 <= now else { throw .early }
    guard let user = UserName.canonical(subject) else { throw .invalidSubject }
    return user
  }

  /// The bytes of a part, of a text that an encoder gives: of another one with the same bytes a
  /// signed text could be changed and still be the same.
  private static func bytes(_ part: Substring) throws(TokenRefusal) -> Data {
    let padding = String(repeating: "=", count: (4 - part.utf8.count % 4) % 4)
    let text = String(part).replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text,
      !part.contains(where: { "+/=".contains($0) })
    else { throw .malformed }
    return bytes
  }
}
