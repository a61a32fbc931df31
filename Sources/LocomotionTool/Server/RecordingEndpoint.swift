import Foundation
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

/// Stores the messages of phones in a journal, for the user whose token they carry.
final class RecordingEndpoint: HTTPService {
  /// The counts since the start.
  struct Counts: Sendable {
    var messages = 0
    var samples = 0
    var fixes = 0
    var known = 0
    /// Samples and fixes dropped because their time is not possible.
    var impossible = 0
    var refused = 0
  }

  let fieldNames = [
    "authorization", "content-length", "content-encoding", "transfer-encoding", "if-none-match",
  ]
  let queryNames = ["token", "access_token", "platform"]
  private(set) var counts = Counts()

  private let tokens: AccessTokens
  private let limits: HTTPLimits
  /// What a browser gets; nil without a page.
  private let page: PageFiles?
  private var journal: Journal
  private var recorders: [LiveRecorder] = []
  private var rates: [RateLimit] = []
  /// The limits for bytes of bodies, per user.
  private var volumes: [RateLimit] = []
  /// The limit for invalid tokens, for all clients together.
  private var unauthenticated: RateLimit
  private var logRate: RateLimit
  private let clock = ContinuousClock()
  private let log: (String) -> Void

  /// The paths of the messages, and the app of each; nil detects it from the message.
  private static let paths: [String: LiveMessage.App?] = [
    "/": nil, "/overland": .overland, "/sensorlogger": .sensorlogger,
  ]
  /// The number of the largest bodies that a user may send per minute, or more smaller ones.
  static let largestBodiesPerMinute = 8

  init(
    _ journal: consuming Journal, _ tokens: AccessTokens, limits: HTTPLimits,
    page: PageFiles? = nil, requestsPerMinute: Int, log: @escaping (String) -> Void
  ) throws(JournalError) {
    self.tokens = tokens
    self.limits = limits
    self.page = page
    self.log = log
    unauthenticated = RateLimit(perMinute: 60, now: clock.now)
    logRate = RateLimit(perMinute: 60, now: clock.now)
    for name in tokens.users {
      let user = try journal.user(name)
      recorders.append(try LiveRecorder(user: user, journal, now: clock.now))
      rates.append(RateLimit(perMinute: requestsPerMinute, now: clock.now))
      volumes.append(
        RateLimit(perMinute: Self.largestBodiesPerMinute * limits.largestBody, now: clock.now))
    }
    self.journal = journal
  }

  func admission(of request: HTTPRequest) -> HTTPAdmission {
    let admission = decision(on: request)
    if case .refused(let refusal) = admission {
      counts.refused += 1
      writeLog("\(request.path.prefix(40)): \(refusal.status)")
    }
    return admission
  }

  private func decision(on request: HTTPRequest) -> HTTPAdmission {
    guard request.isExact else {
      return .refused(Self.error(400, "expected a head that can be read in one way only"))
    }
    if let page, ["GET", "HEAD"].contains(request.method) {
      return .answered(page.answer(to: request))
    }
    guard Self.paths[request.path] != nil else {
      return .refused(
        Self.error(404, "expected \(Self.paths.keys.sorted().joined(separator: ", "))"))
    }
    guard request.method == "POST" else {
      return .refused(Self.error(405, "expected POST", ["Allow": "POST"]))
    }
    guard let user = user(of: request) else {
      if let seconds = unauthenticated.secondsToWait(now: clock.now) {
        return .refused(Self.tooMany(seconds))
      }
      return .refused(
        Self.error(401, "expected a token that is known", ["WWW-Authenticate": "Bearer"]))
    }
    if let seconds = rates[user].secondsToWait(now: clock.now) {
      return .refused(Self.tooMany(seconds))
    }
    if let defect = defect(of: request) { return .refused(defect) }
    if let seconds = volumes[user].secondsToWait(Double(request.length ?? 0), now: clock.now) {
      return .refused(Self.tooMany(seconds))
    }
    return .granted(owner: user)
  }

  /// The error in the head of a user's request, if any.
  private func defect(of request: HTTPRequest) -> HTTPResponse? {
    guard request.fields["transfer-encoding"] == nil, request.fields["content-length"] != nil else {
      return Self.error(411, "expected the Content-Length of the body")
    }
    guard let length = request.length, length >= 0 else {
      return Self.error(400, "expected a number as Content-Length")
    }
    guard length <= limits.largestBody else {
      return Self.error(413, "expected at most \(limits.largestBody) bytes, found \(length)")
    }
    guard ["identity", nil].contains(request.fields["content-encoding"]?.lowercased()) else {
      return Self.error(415, "expected a body without Content-Encoding")
    }
    guard ["ios", "android", nil].contains(request.query["platform"]?.lowercased()) else {
      return Self.error(400, "platform: expected ios or android")
    }
    return nil
  }

  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable {
    let app = Self.paths[request.path] ?? nil
    let isApple = request.query["platform"]?.lowercased() == "ios"
    let times = Self.possibleTimes
    return {
      Result { () throws(RecordingError) in
        try LiveMessage(body, app: app, isApple: isApple, times: times)
      }
    }
  }

  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPResponse {
    let answer = keep(request, result as? Result<LiveMessage, RecordingError>)
    if answer.status != 200 {
      counts.refused += 1
      writeLog("\(request.path): \(answer.status)")
    }
    return answer
  }

  private func keep(
    _ request: HTTPRequest, _ result: Result<LiveMessage, RecordingError>?
  ) -> HTTPResponse {
    guard let user = user(of: request) else { return Self.error(401, "expected a token") }
    let message: LiveMessage
    switch result {
    case .success(let value): message = value
    case .failure(let error): return Self.error(400, "\(error)")
    case nil: return Self.error(500, "the message cannot be read")
    }
    let report = message.report
    if let count = report.dropped[.impossibleTime] {
      counts.impossible += count
      writeLog("\(request.path): \(count) samples and fixes of an impossible time dropped")
    }
    if report.kept == 0, let lost = report.dropped[.noGravity] {
      return Self.error(
        422, "\(lost) accelerations are without gravity: have the app send gravity too")
    }
    do throws(JournalError) {
      let kept = try recorders[user].keep(message, in: &journal, now: clock.now)
      counts.messages += 1
      counts.samples += kept.samples
      counts.fixes += kept.fixes
      counts.known += kept.known
    } catch {
      switch error {
      case .full, .inputOutput, .busy, .readOnly:
        writeLog("not saved: \(error)")
        return Self.error(503, "the journal cannot be written to now", ["Retry-After": "30"])
      default:
        writeLog("not saved: \(error)")
        return Self.error(500, "the journal refuses the message")
      }
    }
    return HTTPResponse(status: 200, body: "{\"result\":\"ok\"}")
  }

  /// The times at which data that arrive now can have been recorded.
  ///
  /// That is from 1990 until a day after this machine's time, because a phone's clock may be ahead.
  /// A clock of this machine that has not been set gives no limit.
  private static var possibleTimes: ClosedRange<Timestamp> {
    let isSet = 1_577_836_800.0  // 2020-01-01
    let now = Date().timeIntervalSince1970
    let end = now < isSet ? nil : Timestamp(seconds: now + 86_400)
    return Timestamp(
      nanoseconds: 631_152_000 * 1_000_000_000)...(end ?? Timestamp(nanoseconds: Timestamp.limit))
  }

  func answerWithoutRoom() -> HTTPResponse {
    counts.refused += 1
    return Self.error(503, "too much is being sent at once", ["Retry-After": "2"])
  }

  /// The index of the user whose token is in the request's header or query.
  private func user(of request: HTTPRequest) -> Int? {
    let scheme = "bearer "
    if let field = request.fields["authorization"], field.lowercased().hasPrefix(scheme) {
      let token = field.dropFirst(scheme.count).drop { $0 == " " }
      return tokens.user(of: String(token))
    }
    return (request.query["token"] ?? request.query["access_token"]).flatMap(tokens.user)
  }

  /// Logs a line, subject to the rate limit; without any content of a body.
  private func writeLog(_ text: String) {
    guard logRate.secondsToWait(now: clock.now) == nil else { return }
    log(String(String.UnicodeScalarView(text.unicodeScalars.filter { 32..<127 ~= $0.value })))
  }

  private static func tooMany(_ seconds: Int) -> HTTPResponse {
    error(429, "too many requests", ["Retry-After": "\(seconds)"])
  }

  private static func error(
    _ status: Int, _ words: String, _ fields: [String: String] = [:]
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, body: "{\"error\":\(ForeignText.json(words))}", fields: fields)
  }
}
