#if Collect
  import Foundation
  import LocomotionCollector

  /// The tokens that somebody else issues, verified by the issuer's keys.
  struct IssuedTokens: TokenAccess {
    private let keys: TokenKeyFile
    private let requirements: TokenRequirements

    /// Reads the keys.
    init(path: String, _ requirements: TokenRequirements) throws {
      self.requirements = requirements
      do throws(JSONWebKeySet.Defect) {
        keys = try TokenKeyFile(path: path, now: Date().timeIntervalSince1970)
      } catch {
        throw UsageError("'--jwks \(path)': \(error.description)")
      }
    }

    func decision(on token: String) -> TokenDecision {
      let now = Date().timeIntervalSince1970
      let found = keys.keys(now: now)
      do throws(TokenRefusal) {
        return .user(
          try JSONWebToken(verifying: token, with: found, requirements, now: now).user)
      } catch {
        // A new key may be in a file that cannot be read.
        let defect = keys.lastDefect.map { "; the file of keys was not read again: \($0)" } ?? ""
        return .refused(reason: error.rawValue + defect)
      }
    }
  }
#endif
