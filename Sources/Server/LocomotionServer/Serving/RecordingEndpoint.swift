import Foundation
import LocomotionJournal

/// Stores the messages of phones in a journal, for the user whose token they carry, and shows the
/// user their days.
final class RecordingEndpoint: HTTPService {
  let fieldNames = RequestGate.fieldNames + DayPages.fieldNames + ["if-none-match"]
  let queryNames = RequestGate.queryNames + LiveIntake.queryNames

  private let gate: RequestGate
  private let intake: LiveIntake
  private let days: DayPages
  /// What a browser gets; nil without a page.
  private let page: PageFiles?

  init(
    _ journal: Journal, _ tokens: AccessTokens, limits: HTTPLimits,
    page: PageFiles? = nil, calendar: Calendar, requestsPerMinute: Int,
    log: @escaping (String) -> Void
  ) throws(JournalError) {
    self.page = page
    days = DayPages(journal, calendar)
    gate = RequestGate(tokens, limits: limits, requestsPerMinute: requestsPerMinute, log: log)
    intake = try LiveIntake(journal, users: tokens.users)
  }

  /// The counts since the start.
  var counts: LiveIntake.Counts { intake.counts }

  /// The requests that were refused since the start.
  var refused: Int { gate.refused }

  func admission(of request: HTTPRequest) -> HTTPAdmission {
    let admission = decision(on: request)
    if case .refused(let refusal) = admission { gate.noteRefusal(of: request, refusal) }
    return admission
  }

  private func decision(on request: HTTPRequest) -> HTTPAdmission {
    guard request.isExact else {
      return .refused(.error(400, "expected a head that can be read in one way only"))
    }
    let isReading = ["GET", "HEAD"].contains(request.method)
    if days.day(of: request) != nil {
      guard isReading || request.method == "POST" else {
        return .refused(.error(405, "expected GET or POST", ["Allow": "GET, HEAD, POST"]))
      }
      return gate.admission(of: request) { isReading ? nil : gate.defectOfBody($0) }
    }
    if let page, isReading {
      return .answered(page.answer(to: request))
    }
    guard LiveIntake.paths[request.path] != nil else {
      let paths = LiveIntake.paths.keys.sorted().joined(separator: ", ")
      return .refused(.error(404, "expected \(paths), /days/DATE"))
    }
    guard request.method == "POST" else {
      return .refused(.error(405, "expected POST", ["Allow": "POST"]))
    }
    return gate.admission(of: request) { request in
      gate.defectOfBody(request) ?? LiveIntake.defect(of: request)
    }
  }

  func reading(of request: HTTPRequest, body: [UInt8]) -> @Sendable () -> any Sendable {
    if days.day(of: request) != nil { return { body } }
    return LiveIntake.reading(request, body)
  }

  func charge(_ seconds: Double, for request: HTTPRequest) {
    gate.charge(seconds, for: request)
  }

  func answer(to request: HTTPRequest, with result: any Sendable) -> HTTPResponse {
    guard let user = gate.name(of: request.owner) else { return .error(401, "expected a token") }
    if let day = days.day(of: request) {
      let body = result as? [UInt8] ?? []
      let answer = days.answer(to: request, about: day, of: user, body: body) {
        gate.writeLog("\(request.path): \($0)")
      }
      if answer.status != 200 { gate.noteRefusal(of: request, answer) }
      return answer
    }
    let outcome = intake.keep(result, of: user)
    if let note = outcome.note { gate.writeLog("\(request.path): \(note)") }
    if outcome.response.status != 200 { gate.noteRefusal(of: request, outcome.response) }
    return outcome.response
  }

  func answerWithoutRoom(to request: HTTPRequest) -> HTTPResponse {
    gate.refused += 1
    return .withoutRoom
  }
}
