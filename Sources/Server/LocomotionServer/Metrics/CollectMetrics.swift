import Foundation

/// What the collector counts from its start on, for its operator; nothing of it is about any one
/// user.
///
/// Unchecked, because the counts are only accessed under the lock.
final class CollectMetrics: @unchecked Sendable {
  /// What distinguishes requests in the counts.
  struct Request: Hashable, Comparable {
    var route: String
    var method: String
    var status: Int

    static func < (one: Request, other: Request) -> Bool {
      (one.route, one.method, one.status) < (other.route, other.method, other.status)
    }

    /// The labels of the metric.
    var labels: String {
      "route=\"\(route)\",method=\"\(method)\",status=\"\(status)\""
    }
  }

  /// The counts.
  struct Counts {
    var requests: [Request: Int] = [:]
    /// Units that are new, and their bytes.
    var stored = 0
    var bytes = 0
    /// Units that were there already.
    var known = 0
    /// Units that were not taken, by the reason.
    var refused: [String: Int] = [:]
    /// Derivations of a device's days that have ended, and the time that they took.
    var derivations = 0
    var derivationSeconds = 0.0
    var derivationFailures = 0
    /// When the derivation that runs has begun.
    var derivationStart: ContinuousClock.Instant?
  }

  /// When the program was started, seconds since 1970.
  let start = Date().timeIntervalSince1970
  private let lock = NSLock()
  private var state = Counts()
  private static let methods: Set = ["GET", "HEAD", "PUT", "POST", "DELETE"]

  /// The counts until now.
  var counts: Counts { lock.withLock { state } }

  /// Counts an answer; names that a client may choose freely are "other".
  func noteAnswer(_ status: Int, to request: HTTPRequest) {
    let route = request.isExact ? CollectRoute(path: request.path)?.name : nil
    let method = Self.methods.contains(request.method) ? request.method : "other"
    let key = Request(route: route ?? "other", method: method, status: status)
    lock.withLock { state.requests[key, default: 0] += 1 }
  }

  /// Counts a unit that is durable now.
  func noteUnit(isNew: Bool, bytes: Int) {
    lock.withLock {
      state.stored += isNew ? 1 : 0
      state.bytes += isNew ? bytes : 0
      state.known += isNew ? 0 : 1
    }
  }

  /// Counts a unit that was not taken.
  func noteRefusal(_ error: IntakeError) {
    lock.withLock { state.refused[error.name, default: 0] += 1 }
  }

  /// Measures a derivation; one that finds nothing to do does not count.
  func derivation<Outcome>(
    _ derive: () throws(DerivationError) -> Outcome?
  ) throws(DerivationError) -> Outcome? {
    let start = ContinuousClock.now
    lock.withLock { state.derivationStart = start }
    let result: Outcome?
    do throws(DerivationError) {
      result = try derive()
    } catch {
      lock.withLock {
        state.derivationStart = nil
        state.derivationFailures += 1
      }
      throw error
    }
    lock.withLock {
      state.derivationStart = nil
      guard result != nil else { return }
      state.derivations += 1
      state.derivationSeconds += (ContinuousClock.now - start) / .seconds(1)
    }
    return result
  }
}

extension CollectRoute {
  /// The name of the route in the metrics.
  fileprivate var name: String {
    switch self {
    case .unit: "unit"
    case .device: "device"
    case .days: "days"
    case .report: "report"
    case .story: "story"
    case .metrics: "metrics"
    }
  }
}

extension IntakeError {
  /// The name of the error in the metrics.
  fileprivate var name: String {
    switch self {
    case .wrongDigest: "digest"
    case .notAUnit: "form"
    case .otherUser: "user"
    case .contradiction: "number"
    case .withdrawn: "withdrawn"
    case .erased: "erased"
    case .objects: "objects"
    case .database: "database"
    }
  }
}
