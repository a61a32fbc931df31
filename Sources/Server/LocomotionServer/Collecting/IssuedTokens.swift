import Foundation
import LocomotionCollector
import LocomotionServing

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
