internal import Foundation

/// What is wrong with a file of keys; without anything of the keys.
package struct TokenKeyDefect: Error, Hashable, CustomStringConvertible {
  package let description: String
}

/// The tokens of an issuer, by the keys in a file that is read again each second.
///
/// An issuer that changes its keys writes the new one beside the old one, and leaves the old one
/// out when its last token has expired. While the file cannot be read or has a defect, nobody knows
/// which keys were taken out of it, and no token is accepted.
package final class IssuedTokens {
  /// What is wrong with the file; nil when nothing is.
  package private(set) var defect: TokenKeyDefect?
  /// How often the file was looked at and found to have a defect.
  package private(set) var failureCount = 0
  private let path, issuer, audience: String
  private let report: (String) -> Void
  private var keys: JSONWebKeySet
  private var lastLook: Double

  /// Reads the file, a set of JSON Web Keys.
  ///
  /// `issuer` is the `iss` of every token, `audience` what `aud` must be or contain, `now` the time
  /// in seconds since 1970; `report` is called when a defect is found, and when it is mended.
  package init(
    path: String, issuer: String, audience: String, now: Double,
    report: @escaping (String) -> Void = { _ in }
  ) throws(TokenKeyDefect) {
    (self.path, self.issuer, self.audience, self.report) = (path, issuer, audience, report)
    (keys, lastLook) = (try Self.keys(path), now)
  }

  /// The user whose token it is; nil while no key is good.
  package func user(of token: String, now: Double) throws(TokenRefusal) -> String? {
    look(now: now)
    guard defect == nil else { return nil }
    return try keys.user(of: token, issuer: issuer, audience: audience, now: now)
  }

  /// Looks at the file, once a second.
  package func look(now: Double) {
    // A clock that was set back must not stop it from looking.
    guard abs(now - lastLook) >= 1 else { return }
    lastLook = now
    let before = defect
    do throws(TokenKeyDefect) {
      (keys, defect) = (try Self.keys(path), nil)
    } catch {
      defect = error
      failureCount += 1
    }
    guard defect != before else { return }
    let news = defect.map { "no token is accepted: \($0)" } ?? "the keys were read again"
    report("\(path): \(news)")
  }

  private static func keys(_ path: String) throws(TokenKeyDefect) -> JSONWebKeySet {
    guard let file = FileHandle(forReadingAtPath: path),
      let content = try? file.read(upToCount: JSONWebKeySet.largest + 1) ?? Data()
    else { throw TokenKeyDefect(description: "the file cannot be read") }
    return try JSONWebKeySet(content)
  }
}
