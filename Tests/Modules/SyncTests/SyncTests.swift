import Foundation
import LocomotionJournal
import LocomotionSensing
import LocomotionSync
import TestSupport
import Testing

/// An archive in memory, which takes units as the contract says.
final class MemoryArchive: Sendable {
  private let stored = Locked<[String: [UInt8]]>([:])

  var units: [String: [UInt8]] { stored.withLock { $0 } }

  /// Answers a request as an archive does that has nothing against it.
  func answer(_ request: SyncRequest) -> SyncResponse {
    let name = String(request.path.dropFirst("v1/units/".count))
    if request.method == .delete {
      let isThere = stored.withLock { $0.removeValue(forKey: name) != nil }
      return isThere ? Self.answer(200, name) : Self.answer(404, name, error: "no such unit")
    }
    guard SHA256Digest(of: request.body).hexadecimal == name else {
      return Self.answer(422, name, error: "another digest")
    }
    let isNew = stored.withLock { $0.updateValue(request.body, forKey: name) == nil }
    return Self.answer(isNew ? 201 : 409, name)
  }

  /// An answer about the unit with this digest.
  static func answer(_ status: Int, _ name: String, error: String? = nil) -> SyncResponse {
    let words = error.map { ", \"error\": \"\($0)\"" } ?? ""
    return SyncResponse(
      status: status, body: Array("{ \"digest\": \"\(name)\"\(words) }\n".utf8))
  }

  /// An answer about the unit of the request.
  static func answer(_ status: Int, to request: SyncRequest, error: String) -> SyncResponse {
    answer(status, String(request.path.suffix(64)), error: error)
  }

  /// The times of all accelerations in all units, in order.
  func sampleTimes() throws -> [Timestamp] {
    let folder = ScratchFolder()
    var times: [Timestamp] = []
    for (index, bytes) in units.values.enumerated() {
      let ada = try Journal(path: folder.path("\(index)")).user("ada")
      let counts = try ada.append(UploadUnit(bytes))
      times += try ada.samples(in: 0..<counts.samples).timestamps
    }
    return times.sorted()
  }

  /// A user's part of a journal of all units that are stored, in order.
  func journal(at path: String, user name: String) throws -> UserJournal {
    let journal = try Journal(path: path).user(name)
    let units = try units.values.map { try UploadUnit($0) }
    for unit in units.sorted(by: { $0.summary.sequence < $1.summary.sequence }) {
      try journal.append(unit)
    }
    return journal
  }
}

/// A clock that stands still until something sleeps.
final class StoppedClock: Sendable {
  private let time: Locked<Double>

  init(at seconds: Double = 1_700_000_000) { time = Locked(seconds) }

  func set(_ seconds: Double) { time.withLock { $0 = seconds } }
  var seconds: Double { time.withLock { $0 } }

  var clock: SyncClock {
    SyncClock(
      now: { [self] in .at(seconds) },
      sleep: { [self] seconds in
        try Task.checkCancellation()
        time.withLock { $0 += seconds }
      })
  }
}

enum SyncScript {
  static func batch(_ number: Int, samples: Int = 700) -> JournalBatch {
    var random = SplitMix64(seed: UInt64(number) + 1)
    var batch = JournalBatch()
    let start = 1_700_000_000_000_000_000 + Int64(number) * 3_600_000_000_000
    for index in 0..<samples {
      let time = Timestamp(nanoseconds: start + Int64(index) * 10_000_000)
      let value = { (random.nextNormal() * 1_000).rounded() / 1_000 }
      batch.accelerations.append(x: Double(number), y: value(), z: value(), at: time)
    }
    batch.fixes.append(
      LocationFix(
        timestamp: Timestamp(nanoseconds: start),
        // Elsewhere every eight hours, so that what was before is final.
        latitude: 48.1 + Double(number / 8) * 0.05 + Double(number) * 1e-5, longitude: 11.5,
        horizontalAccuracy: 4.5))
    return batch
  }

  /// A journal of some days with a measurement.
  static func record(_ count: Int, at path: String) throws {
    let user = try Journal(path: path).user("ada")
    try user.start("WALKING", at: Timestamp(nanoseconds: 1_700_000_000_000_000_000))
    for number in 0..<count { try user.append(batch(number)) }
    try user.stop(at: Timestamp(nanoseconds: 1_800_000_000_000_000_000))
  }

  /// What a user's recording holds.
  struct Content: Equatable {
    var samples: SampleSeries
    var fixes: [LocationFix]
    var measurements: [JournalMeasurement]
  }

  static func content(_ user: UserJournal) throws -> Content {
    let counts = try user.counts()
    return Content(
      samples: try user.samples(in: 0..<counts.samples),
      fixes: try user.fixes(in: 0..<counts.fixes),
      measurements: try user.measurements())
  }
}

@Suite struct DigestTests {
  @Test func theDigestsAreThoseOfTheStandard() {
    // FIPS 180-4's examples, and the empty text.
    #expect(
      SHA256Digest(of: []).hexadecimal
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      SHA256Digest(of: Array("abc".utf8)).hexadecimal
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let digest = SHA256Digest(of: [1, 2, 3])
    #expect(SHA256Digest(hexadecimal: digest.hexadecimal) == digest)
    #expect(SHA256Digest(hexadecimal: digest.hexadecimal.uppercased()) == nil)
    #expect(SHA256Digest(hexadecimal: String(digest.hexadecimal.dropLast())) == nil)
  }
}

@Suite struct AnswerTests {
  private static let digest = SHA256Digest(of: [1])
  private static let device = DeviceName("0123456789abcdef0123456789abcdef")

  /// Bodies of whoever is not the archive, or has another unit in mind.
  static let foreignBodies: [String] = {
    let own = "{\"digest\":\"\(digest)\"}"
    return [
      "", "<html>log in</html>", "<html>\(own)</html>", String(own.dropLast()), "[\(own)]",
      "{\"answer\":\(own)}", own + own, "\"digest\":\"\(digest)\"", "{}", "null",
      "{\"error\":\"no such unit\"}", "{\"digest\":null}", "{\"digest\":[\"\(digest)\"]}",
      "{\"digest\":\"\(SHA256Digest(of: [2]))\",\"error\":\"no such unit\"}",
      "{\"digest\":\"\(digest.hexadecimal.uppercased())\"}", "{\"device\":\"\(digest)\"}",
    ]
  }()

  private func answer(
    _ status: Int, _ body: String, _ method: SyncRequest.Method = .put,
    _ subject: SyncSubject = .unit(digest)
  ) -> SyncAnswer {
    SyncAnswer(
      SyncResponse(status: status, retryAfter: 7, body: Array(body.utf8)), to: method,
      about: subject)
  }

  @Test func aStatusIsBelievedInTheArchivesOwnAnswer() throws {
    let device = SyncSubject.device(try #require(Self.device))
    for status in 100...599 {
      let unit = "{\"error\":\"A\\nb\", \"digest\" : \"\(Self.digest)\"}"
      let put = answer(status, unit)
      let delete = answer(status, unit, .delete)
      let all = answer(
        status, "{\"device\":\"0123456789abcdef0123456789abcdef\",\"error\":\"A b\"}", .delete,
        device)
      switch status {
      case 200: #expect([put, delete, all].allSatisfy { $0 == .confirmed })
      case 201, 409: #expect(put == .confirmed && delete != .confirmed && all != .confirmed)
      case 404, 410: #expect(delete == .confirmed && put != .confirmed && all != .confirmed)
      case 401: #expect([put, delete, all].allSatisfy { $0 == .unauthorized })
      case 403: #expect([put, delete, all].allSatisfy { $0 == .forbidden })
      case 407, 408, 425, 429, ..<400, 500...:
        let later = SyncAnswer.later(retryAfter: 7, reason: "\(status) A b")
        #expect([put, delete, all].allSatisfy { $0 == later })
      default:
        let refused = SyncAnswer.refused(.other, reason: "\(status) A b")
        #expect([put, delete, all].allSatisfy { $0 == refused })
      }
    }
  }

  @Test func aRefusalHasItsReasonForPrograms() {
    func refusal(_ reason: String) -> SyncAnswer {
      answer(422, "{\"digest\":\"\(Self.digest)\",\"error\":\"x\",\"reason\":\"\(reason)\"}")
    }
    #expect(refusal("not-a-continuation") == .refused(.discontinued, reason: "422 x"))
    #expect(refusal("of another time") == .refused(.other, reason: "422 x"))
  }

  @Test func theNameOfADeviceHas32DigitsInLowerCase() {
    #expect(Self.device?.description == "0123456789abcdef0123456789abcdef")
    for text in ["", "0123456789ABCDEF0123456789ABCDEF", "../days"] {
      #expect(DeviceName(text) == nil)
    }
    #expect(DeviceName(String(repeating: "0", count: 33)) == nil)
  }
}

/// A transport in memory whose answers a test scripts.
final class ScriptedTransport: SyncTransport {
  /// What answers a request; the number counts requests from 0 on.
  typealias Script =
    @Sendable (SyncRequest, Int) async throws(SyncError) -> SyncResponse

  private let script: Script
  private let count = Locked(0)

  /// A transport that asks this closure.
  init(_ script: @escaping Script) {
    self.script = script
  }

  /// How many requests were sent.
  var requests: Int { count.withLock { $0 } }

  func send(
    _ request: SyncRequest
  ) async throws(SyncError) -> SyncResponse {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    return try await script(request, number)
  }
}

@Suite struct PolicyTests {
  /// Every combination of what the policy asks, against a table in words.
  @Test(
    arguments: 0..<8,
    [
      (nil, false, false), (0.2, false, false), (0.19, false, true), (0.01, true, false),
      (.nan, false, true),
    ] as [(Double?, Bool, Bool)])
  func theConditionsDecideAsTheTableSays(
    flags: Int, battery: (level: Double?, isCharging: Bool, isLow: Bool)
  ) {
    var policy = SyncPolicy()
    policy.allowsCellular = flags & 1 > 0
    policy.allowsRoaming = flags & 2 > 0
    let isRoaming = flags & 4 > 0
    func hold(_ network: SyncConditions.Network) -> SyncHold? {
      policy.hold(
        SyncConditions(
          network: network, isRoaming: isRoaming, batteryLevel: battery.level,
          isCharging: battery.isCharging))
    }
    let low: SyncHold? = battery.isLow ? .battery : nil
    #expect(hold(.none) == .offline)
    // Roaming concerns cellular networks only.
    #expect(hold(.local) == low)
    let expected: SyncHold? =
      isRoaming && !policy.allowsRoaming ? .roaming : policy.allowsCellular ? low : .cellular
    #expect(hold(.cellular) == expected)
  }

  @Test func delaysDoubleUpToTheirBoundAndNeverBeginBeforeWhatWasAskedFor() {
    let policy = SyncPolicy()
    let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    var backOff = SyncBackOff(seed: 3)
    #expect(backOff.remaining(at: now) == 0)
    var seen: Set<Double> = []
    for failures in 1...40 {
      backOff.fail(at: now, retryAfter: nil, policy)
      let mean = min(3_600, 15 * Double(1 << min(failures - 1, 20)))
      let delay = backOff.remaining(at: now)
      #expect(mean / 2...mean * 1.5 ~= delay)
      seen.insert(delay / mean)
    }
    #expect(seen.count == 40)
    #expect(backOff.failures == 40)
    backOff.fail(at: now, retryAfter: 7_200, policy)
    #expect(7_200...7_200 + 540 ~= backOff.remaining(at: now))
    backOff.fail(at: now, retryAfter: 1e300, policy)
    #expect(86_400...86_400 + 540 ~= backOff.remaining(at: now))
    backOff.succeed()
    #expect(backOff.remaining(at: now) == 0)
  }

  @Test func aClockThatIsSetBackLengthensNoDelay() {
    let policy = SyncPolicy()
    let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    var backOff = SyncBackOff(seed: 3)
    backOff.fail(at: now, retryAfter: nil, policy)
    let delay = backOff.remaining(at: now)
    let earlier = now.advanced(byNanoseconds: -400 * 86_400_000_000_000)
    #expect(backOff.remaining(at: earlier) == delay)
    #expect(backOff.remaining(at: earlier.advanced(byNanoseconds: 60_000_000_000)) == 0)
  }

  @Test func aPolicyIsReadFromItsLines() throws {
    let policy = try SyncPolicy(
      text: """
        # at home only
        cellular = yes
        roaming=no
        cellular-bytes-per-day = 5000000

        lowest-battery = 0.5
        first-delay = 1
        longest-delay = 60
        closing-interval = 0
        keep = 30\r
        """)
    #expect(policy.allowsCellular && !policy.allowsRoaming)
    #expect(policy.cellularBytesPerDay == 5_000_000)
    #expect(policy.lowestBatteryLevel == 0.5)
    #expect((policy.firstDelay, policy.longestDelay, policy.closingInterval) == (1, 60, 0))
    #expect(policy.retention == .days(30))
    #expect(try SyncPolicy(text: "") == SyncPolicy())
    #expect(try SyncPolicy(text: "keep = none").retention == .none)
  }

  @Test(arguments: [
    ("cellular", 1, "'key = value'"), ("\nwifi = yes", 2, "'wifi'"),
    ("cellular = true", 1, "'yes' or 'no', found 'true'"),
    ("lowest-battery = 20", 1, "0 to 1, found '20'"),
    ("keep = -1", 1, "a number of days, found '-1'"),
    ("first-delay = inf", 1, "seconds"), ("keep = all\n\nkeep = none", 3, "once"),
  ])
  func aPolicyThatIsNoneIsRefusedWithItsLine(text: String, line: Int, words: String) {
    let error = #expect(throws: SyncError.self) { try SyncPolicy(text: text) }
    #expect(error?.description.hasPrefix("line \(line): ") == true)
    #expect(error?.description.contains(words) == true)
  }
}
