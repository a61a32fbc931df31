import Foundation
import LocomotionJournal
import LocomotionSensing
import LocomotionSync
import TestSupport
import Testing

@Suite struct SessionTests {
  private let folder = ScratchFolder()
  private let archive = MemoryArchive()

  /// The path of a journal of so many batches.
  private func device(of count: Int) throws -> String {
    let path = folder.path("device")
    try SyncScript.record(count, at: path)
    return path
  }

  private static let token: Authenticator = { _ in "secret" }

  private func session(
    _ path: String, _ transport: any SyncTransport, policy: SyncPolicy = .init(),
    clock: StoppedClock = .init(), authenticator: @escaping Authenticator = token,
    conditions: @escaping @Sendable () async -> SyncConditions = { SyncConditions() }
  ) async throws -> SyncSession {
    let journal = try JournalSession(path: path)
    return SyncSession(
      of: try await journal.user("ada"), over: transport,
      authenticator: authenticator, policy: policy, backOff: SyncBackOff(seed: 1),
      clock: clock.clock, conditions: conditions)
  }

  /// The archive has all of a journal, and no more.
  private func expectAll(of path: String) throws {
    let device = try Journal(path: path)
    let user = try device.user("ada")
    #expect(Set(try user.units().map(\.name)) == Set(archive.units.keys))
    let expected = try SyncScript.content(user)
    let back = try archive.journal(at: path + "-back", user: "ada")
    let isEqual = try SyncScript.content(back) == expected
    #expect(isEqual)
    #expect(device.check().problems == [])
  }

  @Test func allIsSentOnceAndTheArchivesContentIsTheJournals() async throws {
    let path = try device(of: 40)
    let transport = ScriptedTransport { request, _ in archive.answer(request) }
    let result = try await session(path, transport).synchronise()
    #expect(result.isComplete && result.problem == nil)
    #expect(result.unitsSent == archive.units.count && result.unitsSent > 1)
    #expect(result.sent?.lowerBound.nanoseconds == 1_700_000_000_000_000_000)
    #expect(result.sent?.upperBound.nanoseconds == 1_800_000_000_000_000_000)
    #expect(result.lastSuccess != nil)
    let count = transport.requests
    // Nothing is sent twice once confirmed, also not by a later session.
    let again = try await session(path, transport).synchronise()
    #expect(transport.requests == count && again.isComplete)
    try expectAll(of: path)
  }

  /// Answers of every kind, and none at all, in random order: in the end all is there once.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func afterAnyAnswersAllIsThereOnce(seed: UInt64) async throws {
    let path = try device(of: 30)
    let random = Locked(SplitMix64(seed: seed))
    let transport = ScriptedTransport { request, number throws(SyncError) in
      let kind = number < 150 ? random.withLock { $0.next() } % 8 : 7
      switch kind {
      case 0: throw SyncError.unreachable(reason: "cut before")
      case 1:
        _ = archive.answer(request)
        throw SyncError.unreachable(reason: "cut after")
      case 2:
        // A portal's page.
        return SyncResponse(status: 200, body: Array("<html>log in</html>".utf8))
      case 3:
        let status = random.withLock { 300 + Int($0.next() % 300) }
        return MemoryArchive.answer(status == 409 ? 500 : status, to: request, error: "x")
      case 4: return SyncResponse(status: 503, retryAfter: 120)
      case 5:
        let answer = archive.answer(request)
        return SyncResponse(status: answer.status, body: Array(answer.body.dropLast(9)))
      default: return archive.answer(request)
      }
    }
    let clock = StoppedClock()
    var result = SyncProgress()
    for attempt in 0..<400 {
      // A new session each time: nothing but the journal knows what was.
      let session = try await session(path, transport, clock: clock)
      if attempt % 3 == 0 { try await session.retryParked() }
      result = await session.synchronise(patience: 300)
      if result.isComplete { break }
    }
    #expect(result.isComplete)
    try expectAll(of: path)
  }

  @Test func aRefusedUnitIsParkedWithItsReasonAndTheOthersGoOn() async throws {
    let path = try device(of: 40)
    let transport = ScriptedTransport { request, number in
      number == 1
        ? MemoryArchive.answer(415, to: request, error: "no\\nsuch type")
        : archive.answer(request)
    }
    let session = try await session(path, transport)
    let result = await session.synchronise()
    #expect(result.unitsParked == 1 && result.unitsLeft == 0 && !result.isComplete)
    let parked = try Journal(path: path, access: .reading).user("ada").units(in: .parked)
    #expect(parked.map(\.reason) == ["415 no such type"])
    #expect(parked.map(\.sequence) == [1])
    #expect(try await session.retryParked() == 1)
    #expect(await session.synchronise().isComplete)
  }

  @Test func aRefusedTokenIsRefreshedOnceAndThenTheAppSeesIt() async throws {
    let path = try device(of: 3)
    let asked = Locked<[TokenRequest]>([])
    let renewing: Authenticator = { request in
      asked.withLock { $0.append(request) }
      return request == .refreshed ? "new" : "old"
    }
    let transport = ScriptedTransport { request, _ in
      request.token == "new"
        ? archive.answer(request) : MemoryArchive.answer(401, to: request, error: "unknown")
    }
    let first = try await session(path, transport, authenticator: renewing).synchronise()
    #expect(first.isComplete)
    #expect(asked.withLock { $0.prefix(2) } == [.current, .refreshed])

    let other = path + "-other"
    try SyncScript.record(3, at: other)
    for authenticator in [
      { _ in "old" }, { _ in "line\r\nX-Header: 1" }, { _ in "" },
      { _ in throw CancellationError() },
    ] as [Authenticator] {
      let result = try await session(other, transport, authenticator: authenticator)
        .synchronise()
      #expect(result.problem == .unauthorized && result.unitsLeft > 0)
      #expect(result.unitsParked == 0)
    }
    let forbidding = ScriptedTransport { request, _ in
      MemoryArchive.answer(403, to: request, error: "another user's")
    }
    let result = try await session(other, forbidding).synchronise()
    #expect(result.problem == .forbidden && result.unitsParked == 0)
    // With nothing to send the archive is asked; nobody else is believed.
    for (status, body, problem) in [
      (401, #"{"error":"x"}"#, .unauthorized), (403, #"{"error":"x"}"#, .forbidden),
      (200, "[]", nil), (503, #"{"error":"x"}"#, nil), (403, "<html>", nil),
    ] as [(Int, String, SyncError?)] {
      let asking = ScriptedTransport { request, _ in
        #expect(request.method == .get && request.path == "v1/days" && request.body.isEmpty)
        return SyncResponse(status: status, body: Array(body.utf8))
      }
      #expect(try await session(path, asking).tokenProblem() == problem)
    }
    // The token is nowhere in the journal.
    for suffix in ["", "-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path + suffix))) ?? Data()
      #expect(bytes.range(of: Data("secret".utf8)) == nil)
    }
  }

  @Test func pauseAndClearingEndWhatIsSent() async throws {
    let path = try device(of: 30)
    let transport = ScriptedTransport { request, _ in archive.answer(request) }
    let session = try await session(path, transport)
    await session.pause()
    let paused = await session.synchronise()
    #expect(paused.phase == .waiting(.paused) && transport.requests == 0)
    #expect(paused.unitsLeft > 0 && paused.bytesLeft > 0)
    await session.resume()
    #expect(await session.synchronise().isComplete)
    var states: [SyncProgress] = []
    let stream = await session.progress()
    try await session.clearData()
    for await state in stream { states.append(state) }
    #expect(states.last?.phase == .cleared)
    #expect(await session.synchronise().phase == .cleared)
  }

  @Test func confirmedSamplesAreDroppedAndErasedOnesAreDeletedInTheArchive() async throws {
    let path = try device(of: 60)
    let transport = ScriptedTransport { request, _ in archive.answer(request) }
    var policy = SyncPolicy()
    policy.retention = .none
    #expect(try await session(path, transport, policy: policy).synchronise().isComplete)
    let before = archive.units
    do {
      let journal = try Journal(path: path)
      let user = try journal.user("ada")
      #expect(try user.droppedSamples().samples > 0)
      let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000 + 50 * 3_600_000_000_000)
      try user.erase(from: start, to: start.advanced(byNanoseconds: 1_000_000_000))
      #expect(try user.units(in: .withdrawn).count > 0)
      #expect(journal.check().problems == [])
    }
    #expect(try await session(path, transport, policy: policy).synchronise().isComplete)
    let gone = before.keys.filter { archive.units[$0] == nil }
    #expect(gone.count > 0)
    // No unit in the archive holds the erased second.
    for bytes in archive.units.values {
      let summary = try UploadUnit(bytes).summary
      let (name, sequence) = (summary.device, summary.sequence)
      let ada = try Journal(path: path + "-\(name)-\(sequence)").user("ada")
      let counts = try ada.append(UploadUnit(bytes))
      let times = try ada.samples(in: 0..<counts.samples).timestamps
      let erased = 1_700_000_000_000_000_000 + 50 * 3_600_000_000_000 as Int64
      #expect(!times.contains { erased..<erased + 1_000_000_000 ~= $0.nanoseconds })
    }
    let user = try Journal(path: path).user("ada")
    #expect(try user.units(in: .withdrawn).isEmpty)
  }

  /// A portal answers in the archive's place with every status and page: nothing is parked,
  /// confirmed or forgotten, and each answer is a failure after which it waits.
  @Test func noAnswerOfAPortalIsTakenForTheArchives() async throws {
    let path = try device(of: 4)
    let answers = (100...599).flatMap { status in
      AnswerTests.foreignBodies.map { SyncResponse(status: status, body: Array($0.utf8)) }
    }
    let method = Locked(SyncRequest.Method.put)
    let next = Locked(0)
    let transport = ScriptedTransport { request, _ in
      guard request.method == method.withLock({ $0 }) else { return archive.answer(request) }
      let number = next.withLock { number in
        defer { number += 1 }
        return number
      }
      return number < answers.count ? answers[number] : archive.answer(request)
    }
    do {
      let session = try await session(path, transport)
      var result = await session.synchronise()
      #expect(result.problem == .unreachable(reason: "100: not the archive's answer"))
      #expect(await session.backOff.failures == 1 && result.unitsLeft > 0)
      #expect(archive.units.isEmpty)
      result = await session.synchronise(patience: .infinity)
      #expect(result.isComplete && result.unitsSent == archive.units.count)
      #expect(next.withLock { $0 } > answers.count)
    }

    // The same when something is to be deleted.
    let before = Set(archive.units.keys)
    try Journal(path: path).user("ada").erase(
      from: Timestamp(nanoseconds: 1_700_000_000_000_000_000),
      to: Timestamp(nanoseconds: 1_700_000_001_000_000_000))
    next.withLock { $0 = 0 }
    method.withLock { $0 = .delete }
    let session = try await session(path, transport)
    var result = await session.synchronise()
    #expect(result.problem == .notDeleted(reason: "100: not the archive's answer"))
    #expect(result.unitsWithdrawn == before.count && !result.isComplete)
    #expect(await session.backOff.failures == 1 && before.isSubset(of: archive.units.keys))
    result = await session.synchronise(patience: .infinity)
    #expect(result.isComplete && before.isDisjoint(with: archive.units.keys))
    #expect(next.withLock { $0 } > answers.count)
  }

  @Test func anArchiveIsAskedToDeleteAllUnitsOfADevice() async throws {
    let device = try #require(DeviceName("0123456789abcdef0123456789abcdef"))
    let paths = Locked<[String]>([])
    func problem(_ status: Int, _ body: String) async -> SyncError? {
      let transport = ScriptedTransport { request, _ in
        paths.withLock { $0.append("\(request.method.rawValue) \(request.path)") }
        return SyncResponse(status: status, body: Array(body.utf8))
      }
      do throws(SyncError) {
        try await SyncSession.delete(
          unitsOf: device, over: transport, authenticator: Self.token)
        return nil
      } catch {
        return error
      }
    }
    let own = "{\"device\":\"\(device)\",\"error\":\"none\"}"
    #expect(await problem(200, own) == nil)
    #expect(await problem(404, own) == .notDeleted(reason: "404 none"))
    #expect(await problem(200, "<html>") == .unreachable(reason: "200: not the archive's answer"))
    #expect(await problem(401, own) == .unauthorized)
    #expect(Set(paths.withLock { $0 }) == ["DELETE v1/devices/\(device)"])
  }

  /// A journal that is restored on a second phone while the first one goes on: the archive takes
  /// the units of one, and the other one goes on as a new device.
  @Test(arguments: [false, true])
  func aCopyOfAJournalGoesOnAsANewDevice(refusesAll: Bool) async throws {
    let paths = ["one", "two"].map { folder.path($0) }
    try SyncScript.record(20, at: paths[0])
    let archive = MemoryArchive()
    let chains = Locked<[String: [Int: String]]>([:])
    let transport = ScriptedTransport { request, _ in
      guard request.method == .put, let unit = try? UploadUnit(request.body).summary else {
        return archive.answer(request)
      }
      let name = String(request.path.suffix(64))
      let isContinued = chains.withLock { chains in
        var chain = chains[unit.device, default: [:]]
        defer { chains[unit.device] = chain }
        let before = chain[unit.sequence - 1]
        guard before == nil || before == unit.predecessor,
          chain.updateValue(name, forKey: unit.sequence) ?? name == name
        else { return false }
        return true
      }
      guard isContinued, !refusesAll else {
        let body = "{\"digest\":\"\(name)\",\"error\":\"no\",\"reason\":\"not-a-continuation\"}"
        return SyncResponse(status: 422, body: Array(body.utf8))
      }
      return archive.answer(request)
    }
    if !refusesAll {
      let first = try await session(paths[0], transport).synchronise()
      #expect(first.isComplete)
    }
    try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
    for (path, numbers) in zip(paths, [20..<30, 30..<45]) {
      let user = try Journal(path: path).user("ada")
      for number in numbers { try user.append(SyncScript.batch(number)) }
    }
    for path in paths {
      let result = try await session(path, transport).synchronise()
      // Once in a synchronisation: an archive that refuses everything is not asked for ever.
      #expect(refusesAll ? result.unitsParked > 0 : result.isComplete)
      #expect(result.problem == nil)
    }
    guard !refusesAll else { return }
    let units = try archive.units.values.map { try UploadUnit($0).summary }
    #expect(Set(units.map(\.device)).count == 2)
    let times = try archive.sampleTimes()
    #expect(Set(times).count == times.count)
    let all = (0..<45).reduce(0) { $0 + SyncScript.batch($1).accelerations.count }
    #expect(times.count == all)
  }

  /// What an archive was sent: the day of each request, the number of the unit and its bytes.
  private struct Sent: Hashable {
    var day: Int
    var sequence: Int
    var bytes: Int
  }

  /// A month without a network, and then all of it at once.
  @Test func aMonthOfflineIsSentInOrderAndWithinTheBytesOfEachDay() async throws {
    let path = folder.path("device")
    let start = 1_700_000_000.0
    // Four hours' beginnings a day, for thirty days.
    let recorded = (0..<30).flatMap { day in (0..<4).map { 24 * day + $0 } }
    do {
      let user = try Journal(path: path).user("ada")
      try user.start("WALKING", at: .at(start))
      for number in recorded { try user.append(SyncScript.batch(number)) }
    }
    let clock = StoppedClock(at: start)
    let (days, log) = (Locked(0), Locked<[Sent]>([]))
    let transport = ScriptedTransport { request, number in
      let sequence = (try? UploadUnit(request.body))?.summary.sequence ?? -1
      let day = days.withLock { $0 }
      log.withLock { $0.append(Sent(day: day, sequence: sequence, bytes: request.body.count)) }
      // Now and then the network fails: what was sent in vain counts as well.
      return number % 5 == 3 ? SyncResponse(status: 503) : archive.answer(request)
    }
    var policy = SyncPolicy()
    policy.allowsCellular = true
    policy.cellularBytesPerDay = 60_000
    do {
      let session = try await session(
        path, transport, policy: policy, clock: clock,
        conditions: { SyncConditions(network: .none) })
      for day in 0..<30 {
        clock.set(start + Double(day) * 86_400)
        #expect(await session.synchronise().phase == .waiting(.offline))
      }
    }
    #expect(log.withLock { $0 }.isEmpty)

    var progress = SyncProgress()
    repeat {
      let day = days.withLock { days in
        days += 1
        return days
      }
      // Sessions that end and begin again do not raise it, nor does a clock that is set back.
      for shift in [0, -3_600, -86_400, 60] as [Double] {
        clock.set(start + Double(30 + day) * 86_400 + shift)
        progress = try await session(
          path, transport, policy: policy, clock: clock,
          conditions: { SyncConditions(network: .cellular) }
        ).synchronise(patience: 3_600)
        #expect(progress.isComplete || progress.phase == .waiting(.cellularLimit))
      }
    } while !progress.isComplete && days.withLock { $0 } < 365
    #expect(progress.isComplete)

    let sent = log.withLock { $0 }
    let bytes = Dictionary(grouping: sent, by: \.day).mapValues { $0.map(\.bytes).reduce(0, +) }
    #expect(bytes.values.allSatisfy { $0 <= policy.cellularBytesPerDay })
    // It took several days, and on each but the last as much was sent as fits.
    #expect(bytes.count == days.withLock { $0 } && bytes.count > 2)
    let largest = try #require(sent.map(\.bytes).max())
    #expect(
      bytes.values.sorted().dropFirst().allSatisfy { $0 > policy.cellularBytesPerDay - largest })
    // In order: a number comes again only after a failure, and none is left out.
    #expect(zip(sent, sent.dropFirst()).allSatisfy { 0...1 ~= $1.sequence - $0.sequence })
    #expect(Set(sent.map(\.sequence)) == Set(0..<archive.units.count))
    // Small batches of several days are one stored batch: there are fewer units than days.
    #expect(archive.units.count > 10)
    try expectAll(of: path)
  }
}
