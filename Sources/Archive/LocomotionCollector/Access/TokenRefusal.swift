/// Why a token is not accepted.
///
/// For the operator's log: to whoever sent the token all of them are one answer, 401.
package enum TokenRefusal: String, Error, Hashable, Sendable, CaseIterable {
  /// It is not three parts of base64url with JSON in the first two, or it is too long.
  case malformed = "malformed"
  /// A name is in it twice, so that two programs could read two different tokens.
  case ambiguous = "with a name twice"
  /// Its header asks for something that is not supported.
  case unsupported = "with an unknown extension"
  /// No key has its number, or it has none and there are several keys.
  case unknownKey = "with an unknown key"
  /// Its algorithm is not that of its key.
  case wrongAlgorithm = "of another algorithm than its key's"
  /// The signature is not that of the key.
  case wrongSignature = "with a wrong signature"
  /// A claim that must be there is missing, or it is not of its type.
  case missingClaim = "without a claim that is needed"
  /// It is not valid any more.
  case expired = "expired"
  /// It is not valid yet.
  case early = "not valid yet"
  /// Somebody else issued it.
  case wrongIssuer = "of another issuer"
  /// It is meant for somebody else.
  case wrongAudience = "for another audience"
  /// Its subject cannot be a user's name.
  case invalidSubject = "with an invalid subject"
}
