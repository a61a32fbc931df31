import Foundation

/// Says whose token it is.
protocol TokenAccess {
  /// The decision on a token that came with a request.
  func decision(on token: String) -> TokenDecision
}

/// Whose a token is.
enum TokenDecision: Sendable {
  /// The name of the user.
  case user(String)
  /// Nobody's; the reason is for the operator, not for the sender.
  case refused(reason: String)
  /// Nobody knows whose now, because what decides on it cannot be read.
  case unknown
}

extension AccessTokens: TokenAccess {
  func decision(on token: String) -> TokenDecision {
    user(of: token).map { .user(users[$0]) } ?? .refused(reason: "unknown")
  }
}

/// Decides whose a request is, and whether they may send it now.
///
/// Used in the server's loop only.
final class RequestGate {
  /// The header fields that a service must read for this.
  static let fieldNames = [
    "authorization", "content-length", "content-encoding", "transfer-encoding",
  ]
  /// The query parameters that a service must read for this.
  static let queryNames = ["token", "access_token"]
  /// The number of the largest bodies that a user may send per minute, or more smaller ones.
  private static let largestBodiesPerMinute = 8
  /// The requests that were refused since the start.
  var refused = 0

  private struct Owner {
    let name: String
    var requests: RateLimit
    /// The limit for bytes of bodies.
    var volume: RateLimit
    /// The limit for seconds of processor time.
    var processor: RateLimit
    var lastUse: ContinuousClock.Instant
  }

  private let access: any TokenAccess
  private let limits: HTTPLimits
  private let requestsPerMinute: Int
  private var owners: [Int: Owner] = [:]
  private var indices: [String: Int] = [:]
  private var nextIndex = 0
  /// The limit for invalid tokens, for all clients together.
  private var unauthenticated: RateLimit
  private var logRate: RateLimit
  private let clock = ContinuousClock()
  private let log: (String) -> Void
  /// Beyond this number owners are forgotten who have sent nothing for so long that their limits
  /// are whole again.
  private static let mostOwners = 4_096
  private static let forgettingInterval = Duration.seconds(120)

  init(
    _ access: any TokenAccess, limits: HTTPLimits, requestsPerMinute: Int,
    log: @escaping (String) -> Void
  ) {
    self.access = access
    self.limits = limits
    self.requestsPerMinute = requestsPerMinute
    self.log = log
    unauthenticated = RateLimit(perMinute: 60, now: clock.now)
    logRate = RateLimit(perMinute: 60, now: clock.now)
  }

  /// Admits a request with a valid token and no defect, within the owner's limits.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - defect: What is wrong with the head of a user's request, if anything.
  /// - Returns: The owner's number, or the refusal.
  func admission(
    of request: HTTPRequest, defect: (HTTPRequest) -> HTTPResponse?
  ) -> HTTPAdmission {
    let user: String
    switch decision(on: request) {
    case .user(let name): user = name
    case .refused(let reason):
      if let seconds = unauthenticated.secondsToWait(now: clock.now) {
        return .refused(.tooMany(seconds))
      }
      writeLog("\(request.path.prefix(40)): a token is refused: \(reason)")
      return .refused(
        .error(401, "expected a token that is known", ["WWW-Authenticate": "Bearer"]))
    case .unknown:
      // Not 401: the sender can do nothing about it, and is to come again.
      return .refused(.error(503, "no token can be verified now", ["Retry-After": "60"]))
    }
    let index = index(of: user)
    let now = clock.now
    owners[index]?.lastUse = now
    if let seconds = owners[index]?.requests.secondsToWait(now: now) {
      return .refused(.tooMany(seconds))
    }
    // What the requests before have cost; what this one will, nobody knows yet.
    if let seconds = owners[index]?.processor.secondsToWait(0, now: now) {
      return .refused(.tooMany(seconds))
    }
    if let response = defect(request) { return .refused(response) }
    if let seconds = owners[index]?.volume.secondsToWait(Double(request.length ?? 0), now: now) {
      return .refused(.tooMany(seconds))
    }
    return .granted(owner: index)
  }

  /// Charges a user for the processor time of a request.
  func charge(_ seconds: Double, for request: HTTPRequest) {
    guard let owner = request.owner else { return }
    owners[owner]?.processor.charge(seconds, now: clock.now)
  }

  /// The name of the user who was admitted under this number.
  func name(of owner: Int?) -> String? { owner.flatMap { owners[$0]?.name } }

  /// The error in the head of a request with a body, if any.
  func defectOfBody(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.fields["transfer-encoding"] == nil, request.fields["content-length"] != nil else {
      return .error(411, "expected the Content-Length of the body")
    }
    guard let length = request.length, length >= 0 else {
      return .error(400, "expected a number as Content-Length")
    }
    guard length <= limits.largestBody else {
      return .error(413, "expected at most \(limits.largestBody) bytes, found \(length)")
    }
    guard ["identity", nil].contains(request.fields["content-encoding"]?.lowercased()) else {
      return .error(415, "expected a body without Content-Encoding")
    }
    return nil
  }

  /// Logs a line, subject to a rate limit; without any content of a body.
  func writeLog(_ text: String) {
    guard logRate.secondsToWait(now: clock.now) == nil else { return }
    log(String(String.UnicodeScalarView(text.unicodeScalars.filter { 32..<127 ~= $0.value })))
  }

  /// Counts and logs a refusal.
  func noteRefusal(of request: HTTPRequest, _ response: HTTPResponse) {
    refused += 1
    writeLog("\(request.path.prefix(40)): \(response.status)")
  }

  /// Whose the token in the request's header or query is.
  private func decision(on request: HTTPRequest) -> TokenDecision {
    let scheme = "bearer "
    if let field = request.fields["authorization"], field.lowercased().hasPrefix(scheme) {
      return access.decision(on: String(field.dropFirst(scheme.count).drop { $0 == " " }))
    }
    guard let token = request.query["token"] ?? request.query["access_token"] else {
      return .refused(reason: "none")
    }
    return access.decision(on: token)
  }

  private func index(of user: String) -> Int {
    if let index = indices[user] { return index }
    let now = clock.now
    if owners.count >= Self.mostOwners {
      owners = owners.filter { now - $0.value.lastUse < Self.forgettingInterval }
      indices = Dictionary(uniqueKeysWithValues: owners.map { ($0.value.name, $0.key) })
    }
    let index = nextIndex
    nextIndex += 1
    indices[user] = index
    owners[index] = Owner(
      name: user, requests: RateLimit(perMinute: Double(requestsPerMinute), now: now),
      volume: RateLimit(
        perMinute: Double(Self.largestBodiesPerMinute * limits.largestBody), now: now),
      processor: RateLimit(perMinute: limits.processorSecondsPerMinute, now: now),
      lastUse: now)
    return index
  }
}

extension HTTPResponse {
  /// An error in JSON.
  static func error(
    _ status: Int, _ words: String, _ fields: [String: String] = [:]
  ) -> HTTPResponse {
    let body = (try? ["error": words].json) ?? "{}"
    return HTTPResponse(status: status, body: Array(body.utf8), fields: fields)
  }

  /// The answer to whoever sends more than their limit.
  static func tooMany(_ seconds: Int) -> HTTPResponse {
    error(429, "too many requests", ["Retry-After": "\(seconds)"])
  }

  /// The answer while the bodies that are being received leave no memory for another.
  static var withoutRoom: HTTPResponse {
    error(503, "too much is being sent at once", ["Retry-After": "2"])
  }
}
