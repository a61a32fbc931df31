import LocomotionSync

/// A transport in memory whose answers a test scripts.
final class ScriptedTransport: SyncTransport {
  /// What answers a request; the number counts requests from 0 on.
  typealias Script =
    @Sendable (SyncRequest, Int) async throws(SyncTransportError) -> SyncResponse

  private let script: Script
  private let count = Locked(0)

  /// A transport that asks this closure.
  init(_ script: @escaping Script) {
    self.script = script
  }

  /// How many requests were sent.
  var requests: Int { count.withLock { $0 } }

  func send(
    _ request: SyncRequest
  ) async throws(SyncTransportError) -> SyncResponse {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    return try await script(request, number)
  }
}
