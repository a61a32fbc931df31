internal import Foundation

/// What is wrong with a file of keys; without anything of the keys.
struct TokenKeyDefect: Error, Hashable, CustomStringConvertible {
  let description: String
}

/// The tokens of an issuer, by the keys in a file that is read again in each second with a token.
///
/// An issuer that changes its keys writes the new one beside the old one, and leaves the old one
/// out when its last token has expired. While the file cannot be read or has a defect, nobody knows
/// which keys were taken out of it, and no token is accepted.
final class IssuedTokens {
  /// How often the file was looked at and found to have a defect.
  private(set) var failureCount = 0
  private let path, issuer, audience: String
  private let report: (String) -> Void
  private var keys: JSONWebKeySet?
  private var lastLook: Double
  private var lastReport = "the keys were read again"

  /// Reads the file, a set of JSON Web Keys.
  ///
  /// `issuer` is the `iss` of every token, `audience` what `aud` must be or contain, `now` the time
  /// in seconds since 1970; `report` is called when a defect is found, and when it is mended.
  init(
    path: String, issuer: String, audience: String, now: Double,
    report: @escaping (String) -> Void = { _ in }
  ) throws(TokenKeyDefect) {
    (self.path, self.issuer, self.audience, self.report) = (path, issuer, audience, report)
    (keys, lastLook) = (try JSONWebKeySet(path: path), now)
  }

  /// The user whose token it is; nil while no key is good.
  func user(of token: String, now: Double) throws(TokenRefusal) -> String? {
    // A clock that was set back must not stop it from looking.
    if abs(now - lastLook) >= 1 { look(now: now) }
    return try keys?.user(of: token, issuer: issuer, audience: audience, now: now)
  }

  private func look(now: Double) {
    lastLook = now
    let news: String
    do throws(TokenKeyDefect) {
      (keys, news) = (try JSONWebKeySet(path: path), "the keys were read again")
    } catch {
      (keys, news) = (nil, "no token is accepted: \(error)")
      failureCount += 1
    }
    if news != lastReport { report("\(path): \(news)") }
    lastReport = news
  }
}

extension IssuedTokens: TokenAccess {
  func decision(on token: String) -> TokenDecision {
    do throws(TokenRefusal) {
      let user = try user(of: token, now: Date().timeIntervalSince1970)
      return user.map { .user($0) } ?? .unknown
    } catch {
      return .refused(reason: error.rawValue)
    }
  }
}
