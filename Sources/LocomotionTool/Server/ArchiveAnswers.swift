#if Collect
  import Foundation
  import LocomotionCollector
  import LocomotionJournal
  import LocomotionReport
  import LocomotionSensing

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
        case (.unit(let digest), "PUT"): return Answer(response: try put(body, digest, user))
        case (.unit(let digest), "DELETE"):
          let isDeleted = try intake.delete(digest, of: user)
          return Answer(
            response: isDeleted ? Self.digest(digest, 200) : .error(404, "no such unit"))
        case (.unit(let digest), _):
          let isKnown = try intake.isKnown(digest, of: user)
          return Answer(response: isKnown ? Self.digest(digest, 200) : .error(404, "no such unit"))
        case (.days, _): return Answer(response: try days(of: user))
        case (.story(let date), _): return Answer(response: try story(date, device, user))
        case (.report(let date), _): return Answer(response: try report(date, device, user))
        case (.live, _): return Answer(response: .error(404, "no such address"))
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

    private func put(
      _ body: [UInt8], _ digest: String, _ user: String
    ) throws(IntakeError) -> HTTPResponse {
      switch try intake.store(body, digest: digest, of: user) {
      case .stored: Self.digest(digest, 201)
      case .known: Self.digest(digest, 409)
      }
    }

    /// The client takes a success for one only with the digest: what stands in between may answer
    /// 200 to anything.
    private static func digest(_ digest: String, _ status: Int) -> HTTPResponse {
      HTTPResponse(status: status, body: "{\"digest\":\"\(digest)\"}")
    }

    private static func answer(to error: IntakeError) -> Answer {
      switch error {
      case .wrongDigest: return Answer(response: .error(422, error.description))
      case .notAUnit: return Answer(response: .error(400, error.description))
      case .otherUser: return Answer(response: .error(403, error.description))
      case .contradiction: return Answer(response: .error(422, error.description))
      case .withdrawn: return Answer(response: .error(410, error.description))
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

    private struct Day: Encodable {
      let date: String
      let device: String
      let revision: Int
      let final: Bool
      let primary: Bool
      let timeZone: String
      let start: Double
      let end: Double
      let recorded: Double
      let distance: Double?
      let steps: Double
    }

    private func days(of user: String) throws -> HTTPResponse {
      let days = try connections.use { database throws(DatabaseError) in
        try database.days(of: user)
      }
      return HTTPResponse(status: 200, body: try Self.json(days) + "\n")
    }

    /// A list of days in JSON with sorted names.
    static func json(_ days: [StoredDay]) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let rows = days.map {
        Day(
          date: $0.date, device: $0.device, revision: $0.revision, final: $0.isFinal,
          primary: $0.isPrimary, timeZone: $0.timeZone, start: $0.start.seconds,
          end: $0.end.seconds, recorded: $0.recordedSeconds, distance: $0.distance,
          steps: $0.steps)
      }
      return String(decoding: try encoder.encode(rows), as: UTF8.self)
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
      let owner = try journal.existing(user)
      let analysis = try Command.analysis(of: day, of: owner, user, in: journal)
      return HTTPResponse(
        status: 200, body: HTMLReport(analysis).html,
        fields: [
          "Content-Type": "text/html; charset=utf-8",
          // Also in the page, but for the frames, which only a field can forbid.
          "Content-Security-Policy": HTMLReport.policy + "; frame-ancestors 'none'",
        ])
    }
  }
#endif
