/// Requests to an archive, with a token that is refreshed when it is refused.
struct ArchiveRequests: Sendable {
  let transport: any SyncTransport
  let authenticator: Authenticator

  /// Sends a request, and once more with a refreshed token when the first one is refused.
  func answer(
    to method: SyncRequest.Method, about subject: SyncSubject, body: [UInt8] = []
  ) async -> SyncAnswer {
    for kind in [TokenRequest.current, .refreshed] {
      let token: String
      do {
        token = try await authenticator(kind)
      } catch {
        return .unauthorized
      }
      // A line break in it could add headers.
      guard !token.isEmpty, token.utf8.allSatisfy({ 33...126 ~= $0 }) else { return .unauthorized }
      do {
        let response = try await transport.send(
          SyncRequest(method, subject.path, token: token, body: body))
        // Whoever says so: a server before the archive may know that the token has expired.
        if response.status == 401, kind == .current { continue }
        return SyncAnswer(response, to: method, about: subject)
      } catch {
        return .later(retryAfter: nil, reason: error.reason)
      }
    }
    return .unauthorized
  }
}

extension SyncSession {
  /// Asks an archive to delete all units that a device of the token's user has sent.
  ///
  /// For what no journal knows any more, because it was lost, damaged or cleared: a session asks by
  /// itself for the deletion of what was erased. A device that goes on sends what comes after.
  ///
  /// - Throws: ``SyncProblem``; then it can be asked again.
  public static func delete(
    unitsOf device: DeviceName, over transport: any SyncTransport,
    authenticator: @escaping Authenticator
  ) async throws(SyncProblem) {
    let archive = ArchiveRequests(transport: transport, authenticator: authenticator)
    if let problem = await archive.answer(to: .delete, about: .device(device)).problem {
      throw problem
    }
  }
}
