import Foundation
import LocomotionJournal
@_spi(Server) import LocomotionTool

/// The answers of the archive to one user's requests, which run outside the server's loop.
struct ArchiveAnswers: Sendable {
  let intake: UnitIntake
  let connections: ArchiveConnections
  let journals: WorkingJournals
  let calendar: Calendar

  /// An answer, and what the operator should know of it, if anything.
  struct Answer: Sendable {
    var response: HTTPResponse
    var note: String?
    /// Why a unit was not taken.
    var error: IntakeError?
  }

  /// The media type of a unit.
  static let unitType = "application/vnd.locomotion.unit"
  /// When to come again while the store or the database is away, seconds.
  private static let pause = "10"

  /// The answer to a request of a user.
  ///
  /// - Parameters:
  ///   - route: What it is about.
  ///   - method: One of the route's methods.
  ///   - device: The device that the query names, if any.
  ///   - body: The body.
  ///   - user: The name of the user.
  /// - Returns: The answer, also to what has failed.
  func answer(
    _ route: CollectRoute, _ method: String, device: String?, body: [UInt8], of user: String
  ) -> Answer {
    do {
      switch (route, method) {
      case (.unit(let digest), _):
        return try answer(toUnit: digest, method, body, user)
      case (.device(let name), _):
        let count = try intake.deleteUnits(ofDevice: name, of: user)
        return Answer(
          response: count > 0 ? .done(200) : .error(404, "no units of such a device"))
      case (.days, _): return Answer(response: try days(of: user))
      case (.story(let date), _): return Answer(response: try story(date, device, user))
      case (.report(let date), _): return Answer(response: try report(date, device, user))
      case (.metrics, _): return Answer(response: .error(404, "no such address"))
      }
    } catch let error as IntakeError {
      var answer = Self.answer(to: error)
      answer.error = error
      return answer
    } catch let error as DatabaseError {
      return Self.answer(to: .database(error))
    } catch let error as JournalError {
      // A journal that is being made anew, or that another thread writes to.
      return Answer(
        response: .error(503, "the day is being derived", ["Retry-After": Self.pause]),
        note: error.description)
    } catch {
      return Answer(response: .error(500, "the archive has failed"), note: "\(error)")
    }
  }

  private func answer(
    toUnit digest: String, _ method: String, _ body: [UInt8], _ user: String
  ) throws(IntakeError) -> Answer {
    let none = HTTPResponse.error(404, "no such unit")
    switch method {
    case "PUT":
      switch try intake.store(body, digest: digest, of: user) {
      case .stored: return Answer(response: .done(201))
      case .known: return Answer(response: .done(409))
      case .healed:
        return Answer(
          response: .done(201), note: "the object was gone or damaged, and is stored again")
      }
    case "DELETE":
      return Answer(response: try intake.delete(digest, of: user) ? .done(200) : none)
    default:
      return Answer(response: try intake.isKnown(digest, of: user) ? .done(200) : none)
    }
  }

  private static func answer(to error: IntakeError) -> Answer {
    /// For programs with the reason, where they can do something.
    func final(_ status: Int, _ reason: String? = nil) -> Answer {
      let response = HTTPResponse.error(status, error.description)
      return Answer(response: reason.map { response.naming("reason", $0) } ?? response)
    }
    switch error {
    case .wrongDigest: return final(422)
    case .notAUnit: return final(400)
    case .otherUser: return final(403)
    case .contradiction: return final(422, "not-a-continuation")
    case .withdrawn: return final(410, "withdrawn")
    case .erased: return final(410, "erased")
    case .objects(let failure):
      // What the store says is the operator's business.
      let status = failure.isBusy ? 503 : 500
      return Answer(
        response: .error(status, "the store has failed", ["Retry-After": pause]),
        note: failure.description)
    case .database(let failure):
      let status = failure.isTemporary ? 503 : 500
      return Answer(
        response: .error(status, "the database has failed", ["Retry-After": pause]),
        note: failure.description)
    }
  }

  // MARK: Days

  private func days(of user: String) throws -> HTTPResponse {
    let days = try connections.use { database throws(DatabaseError) in
      try database.days(of: user)
    }
    return HTTPResponse(status: 200, body: try days.json + "\n")
  }

  private func story(_ date: String, _ device: String?, _ user: String) throws -> HTTPResponse {
    guard CivilDay(date, calendar) != nil else { return .error(404, "no such day") }
    let text = try connections.use { database throws(DatabaseError) in
      try database.dayJSON(of: user, date: date, device: device)
    }
    guard let text else { return .error(404, "no such day") }
    return HTTPResponse(status: 200, body: text + "\n")
  }

  /// The page about a day, made of the device's working journal.
  private func report(_ date: String, _ device: String?, _ user: String) throws -> HTTPResponse {
    let days = try connections.use { database throws(DatabaseError) in
      try database.days(of: user)
    }
    let found = days.first { day in
      day.date == date && (device.map { $0 == day.device } ?? day.isPrimary)
    }
    guard let found, let day = CivilDay(date, calendar) else { return .error(404, "no such day") }
    let journal = try Journal(
      path: journals.path(of: user, device: found.device), access: .reading)
    guard let own = try journal.existingUser(user) else { return .error(404, "no such day") }
    return .page(try JournalPages.page(about: day, of: own))
  }
}

extension HTTPResponse {
  /// A success about what the endpoint names in it.
  fileprivate static func done(_ status: Int) -> HTTPResponse {
    HTTPResponse(status: status, body: "{}")
  }
}
