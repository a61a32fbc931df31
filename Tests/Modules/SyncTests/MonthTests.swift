import Foundation
import LocomotionJournal
import LocomotionSensing
import LocomotionSync
import TestSupport
import Testing

/// A month without a network, and then all of it at once.
@Suite struct MonthTests {
  private let folder = ScratchFolder()

  /// What an archive was sent: the day of each request, the number of the unit and its bytes.
  private struct Sent: Hashable {
    var day: Int
    var sequence: Int
    var bytes: Int
  }

  @Test func aMonthOfflineIsSentInOrderAndWithinTheBytesOfEachDay() async throws {
    let path = folder.path("device")
    let start = 1_700_000_000.0
    // Four hours' beginnings a day, for thirty days.
    let recorded = (0..<30).flatMap { day in (0..<4).map { 24 * day + $0 } }
    do {
      let user = try Journal(path: path).user("ada")
      try user.start("WALKING", at: Timestamp(nanoseconds: Int64(start) * 1_000_000_000))
      for number in recorded { try user.append(SyncScript.batch(number)) }
    }

    let archive = MemoryArchive()
    let clock = StoppedClock(at: start)
    let network = Locked(SyncConditions.Network.none)
    let log = Locked<[Sent]>([])
    let transport = ScriptedTransport { request, number in
      let sequence = (try? UploadUnit(request.body))?.summary.sequence ?? -1
      log.withLock {
        $0.append(
          Sent(day: Int(clock.seconds / 86_400), sequence: sequence, bytes: request.body.count))
      }
      // Now and then the network fails: what was sent in vain counts as well.
      return number % 5 == 3 ? SyncResponse(status: 503) : archive.answer(request)
    }
    var policy = SyncPolicy()
    policy.allowsCellular = true
    policy.cellularBytesPerDay = 60_000
    let limit = policy.cellularBytesPerDay
    let session = SyncSession(
      of: try await JournalSession(path: path).user("ada"), over: transport,
      authenticator: { _ in "token" }, policy: policy, backOff: SyncBackOff(seed: 1),
      clock: clock.clock,
      conditions: { SyncConditions(network: network.withLock { $0 }) })

    for day in 0..<30 {
      clock.set(start + Double(day) * 86_400)
      let progress = await session.synchronise()
      #expect(progress.phase == .waiting(.offline))
    }
    #expect(log.withLock { $0 }.isEmpty)

    network.withLock { $0 = .cellular }
    var progress = SyncProgress()
    var days = 0
    while days < 365 {
      days += 1
      clock.set(start + Double(30 + days) * 86_400)
      progress = await session.synchronise(patience: 3_600)
      if progress.isComplete { break }
      #expect(progress.phase == .waiting(.cellularLimit))
    }
    #expect(progress.isComplete)

    let sent = log.withLock { $0 }
    let bytes = Dictionary(grouping: sent, by: \.day).mapValues { $0.map(\.bytes).reduce(0, +) }
    #expect(bytes.values.allSatisfy { $0 <= limit })
    // It took several days, and on each but the last as much was sent as fits.
    #expect(bytes.count == days && days > 2)
    let largest = try #require(sent.map(\.bytes).max())
    #expect(bytes.values.sorted().dropFirst().allSatisfy { $0 > limit - largest })
    // In order: a number comes again only after a failure, and none is left out.
    #expect(zip(sent, sent.dropFirst()).allSatisfy { 0...1 ~= $1.sequence - $0.sequence })
    #expect(Set(sent.map(\.sequence)) == Set(0..<archive.units.count))
    // Small batches of several days are one stored batch: there are fewer units than days.
    #expect(archive.units.count > 10)

    let user = try Journal(path: path, access: .reading).user("ada")
    let again = try archive.journal(at: folder.path("restored"), user: "ada")
    #expect(try SyncScript.content(user) == SyncScript.content(again))
  }
}
