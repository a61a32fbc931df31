import Foundation
import LocomotionJournal
import LocomotionRecordings
@_spi(Server) import LocomotionTool

/// Shows users the days of a journal, and stores what they correct in these pages; used in the
/// server's loop only.
final class DayPages {
  private let journal: Journal
  private let calendar: Calendar
  /// What each user's pages carry, so that no page of another origin can post in their name.
  private var pageTokens: [String: String] = [:]
  /// The header field with the page's token.
  static let fieldNames = ["x-page-token"]

  /// The pages of a journal, whose days are those of a calendar.
  init(_ journal: Journal, _ calendar: Calendar) {
    (self.journal, self.calendar) = (journal, calendar)
  }

  /// The day of a request's path, `/days/2026-11-21`; nil for other paths.
  func day(of request: HTTPRequest) -> CivilDay? {
    let prefix = "/days/"
    guard request.path.hasPrefix(prefix) else { return nil }
    return CivilDay(String(request.path.dropFirst(prefix.count)), calendar)
  }

  /// The most bytes of corrections: hundreds, which a day's page doesn't have.
  private static let largestBody = 1 << 16

  /// The page about a day, or the answer to corrections of it, which are durable with status 200.
  ///
  /// What the operator should know is passed to `log`.
  func answer(
    to request: HTTPRequest, about day: CivilDay, of user: String, body: [UInt8],
    log: (String) -> Void
  ) -> HTTPResponse {
    do {
      guard let own = try journal.existingUser(user) else { return .error(404, "no such day") }
      guard request.method == "POST" else {
        try own.updateDays()
        let page = try JournalPages.page(about: day, of: own, pageToken: pageToken(of: user))
        return .page(page)
      }
      guard let token = pageTokens[user], request.fields["x-page-token"] == token else {
        return .error(403, "expected the X-Page-Token of a page of this server: load it anew")
      }
      guard body.count <= Self.largestBody else {
        return .error(413, "expected at most \(Self.largestBody) bytes of corrections")
      }
      try JournalPages.store(corrections: body, in: own)
      return HTTPResponse(status: 200, body: "{\"result\":\"ok\"}")
    } catch let error as RecordingError {
      return .error(422, error.description)
    } catch {
      log("\(error)")
      return (error as? JournalError)?.isTemporary == true
        ? .error(503, "the journal cannot be written to now", ["Retry-After": "30"])
        : .error(500, "the journal refuses it")
    }
  }

  /// 128 random bits, which stay the same for a user while the server runs.
  private func pageToken(of user: String) -> String {
    let token =
      pageTokens[user]
      ?? (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
    pageTokens[user] = token
    return token
  }
}

extension HTTPResponse {
  /// A page with its policy, which is in the page as well, but for the frames, which only a field
  /// can forbid.
  static func page(_ page: (html: String, policy: String)) -> HTTPResponse {
    HTTPResponse(
      status: 200, body: page.html,
      fields: [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": page.policy + "; frame-ancestors 'none'",
      ])
  }
}

extension JournalError {
  /// Whether the journal may take it later.
  var isTemporary: Bool {
    switch self {
    case .full, .inputOutput, .busy, .readOnly, .replaced: true
    default: false
    }
  }
}
