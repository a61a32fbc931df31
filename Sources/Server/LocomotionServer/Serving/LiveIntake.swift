import Foundation
@_spi(Server) import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

/// Stores the messages that phones push while they record in a journal; used in the server's loop
/// only.
final class LiveIntake {
  /// The counts since the start.
  struct Counts: Sendable {
    var messages = 0
    var samples = 0
    var fixes = 0
    var known = 0
    /// Samples and fixes dropped because their time is not possible.
    var impossible = 0
  }

  /// What came of a message.
  struct Outcome {
    var response: HTTPResponse
    /// What the operator should know, if anything.
    var note: String?
  }

  /// The header fields that it reads of a message's request beside those of the gate.
  static let queryNames = ["platform"]
  /// The paths of the messages, and the app of each; nil detects it from the message.
  static let paths: [String: LiveMessage.App?] = [
    "/": nil, "/overland": .overland, "/sensorlogger": .sensorlogger,
  ]

  private var recorders: [String: LiveRecorder] = [:]
  /// The counts since the start.
  private(set) var counts = Counts()
  private let clock = ContinuousClock()

  /// An intake into a journal.
  ///
  /// - Parameters:
  ///   - journal: The journal.
  ///   - users: The users whose data are read at once, to know what is repeated; each takes up to
  ///     1.5 MB.
  /// - Throws: ``JournalError``.
  init(_ journal: Journal, users: [String]) throws(JournalError) {
    for name in users {
      recorders[name] = try LiveRecorder(user: journal.user(name), now: clock.now)
    }
  }

  /// The error in the head of a message, if any.
  static func defect(of request: HTTPRequest) -> HTTPResponse? {
    ["ios", "android", nil].contains(request.query["platform"]?.lowercased())
      ? nil : .error(400, "platform: expected ios or android")
  }

  /// A function that parses a message.
  static func reading(_ request: HTTPRequest, _ body: [UInt8])
    -> @Sendable () -> any Sendable
  {
    let app = paths[request.path] ?? nil
    let isApple = request.query["platform"]?.lowercased() == "ios"
    let times = possibleTimes
    return {
      Result { () throws(RecordingError) in
        try LiveMessage(body, app: app, isApple: isApple, times: times)
      }
    }
  }

  /// Stores a message that was parsed; when this returns with status 200, it is durable.
  func keep(_ result: any Sendable, of user: String) -> Outcome {
    let message: LiveMessage
    switch result as? Result<LiveMessage, RecordingError> {
    case .success(let value): message = value
    case .failure(let error): return Outcome(response: .error(400, "\(error)"))
    case nil: return Outcome(response: .error(500, "the message cannot be read"))
    }
    let report = message.report
    var note: String?
    if let count = report.dropped[.impossibleTime] {
      counts.impossible += count
      note = "\(count) samples and fixes of an impossible time dropped"
    }
    if let response = Self.refusal(ofFuture: report) {
      return Outcome(response: response.0, note: response.1)
    }
    if report.kept == 0, let lost = report.dropped[.noGravity] {
      let words = "\(lost) accelerations are without gravity: have the app send gravity too"
      return Outcome(response: .error(422, words), note: note)
    }
    do throws(JournalError) {
      try store(message, of: user)
    } catch {
      note = "not saved: \(error)"
      let response =
        error.isTemporary
        ? HTTPResponse.error(503, "the journal cannot be written to now", ["Retry-After": "30"])
        : .error(500, "the journal refuses the message")
      return Outcome(response: response, note: note)
    }
    return Outcome(response: HTTPResponse(status: 200, body: "{\"result\":\"ok\"}"), note: note)
  }

  private func store(_ message: LiveMessage, of name: String) throws(JournalError) {
    guard let kept = try recorders[name]?.keep(message, now: clock.now) else { return }
    counts.messages += 1
    counts.samples += kept.samples
    counts.fixes += kept.fixes
    counts.known += kept.known
  }

  /// The times at which data that arrive now can have been recorded.
  ///
  /// That is from 1990 until a day after this machine's time, because a phone's clock may be ahead.
  /// A clock of this machine that has not been set gives no limit.
  private static var possibleTimes: ClosedRange<Timestamp> {
    let isSet = 1_767_225_600.0  // 2026-01-01
    let now = Date().timeIntervalSince1970
    let end = now < isSet ? nil : Timestamp(seconds: now + 86_400)
    return Timestamp(
      nanoseconds: 631_152_000 * 1_000_000_000)...(end ?? Timestamp(nanoseconds: Timestamp.limit))
  }

  /// How far ahead a message may be for this machine's clock to be in doubt, seconds: ten years.
  ///
  /// A receiver that miscounts the weeks of GPS is nearly twenty off.
  private static let mostSlowness = 10 * 365.25 * 86_400

  /// The response to a message that this machine's clock takes for impossible, if it is slow.
  ///
  /// Its sender must keep it. Nil when nothing of it is ahead, or a part that is far from the rest.
  private static func refusal(ofFuture report: ImportReport) -> (HTTPResponse, String)? {
    let now = Timestamp(seconds: Date().timeIntervalSince1970)
    guard let now, let first = report.earliestFuture else { return nil }
    let ahead = first.seconds(since: now)
    // An hour beyond the limit a message goes on that began before it.
    guard report.kept == 0 ? ahead < mostSlowness : ahead < 90_000 else { return nil }
    let times = [now, first].map {
      Date(timeIntervalSince1970: $0.seconds).formatted(.iso8601)
    }
    let words = "the clock of the server says \(times[0]), the message is of \(times[1])"
    return (.error(503, words, ["Retry-After": "30"]), "not saved: " + words)
  }
}
