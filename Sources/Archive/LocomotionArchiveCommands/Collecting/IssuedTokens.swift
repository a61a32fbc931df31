import Foundation
import LocomotionCollector
import LocomotionRecordings
import LocomotionServing

/// The tokens that somebody else issues, verified by the issuer's keys.
struct IssuedTokens: TokenAccess {
  let keys: TokenKeyFile
  private let requirements: TokenRequirements

  /// Reads the keys; `report` gets what an operator must know of them later.
  init(
    path: String, _ requirements: TokenRequirements, grace: Double,
    report: @escaping @Sendable (String) -> Void
  ) throws {
    self.requirements = requirements
    do throws(JSONWebKeySet.Defect) {
      keys = try TokenKeyFile(
        path: path, now: Date().timeIntervalSince1970, grace: grace, report: report)
    } catch {
      throw UsageError("'--jwks \(path)': \(error.description)")
    }
  }

  func decision(on token: String) -> TokenDecision {
    let now = Date().timeIntervalSince1970
    guard let found = keys.keys(now: now) else { return .unknown }
    do throws(TokenRefusal) {
      return .user(
        try JSONWebToken(verifying: token, with: found, requirements, now: now).user)
    } catch {
      // A new key may be in a file that cannot be read.
      let defect = keys.defect.map { "; the file of keys was not read again: \($0.text)" } ?? ""
      return .refused(reason: error.rawValue + defect)
    }
  }

  func lookAround() { _ = keys.keys(now: Date().timeIntervalSince1970) }
}
