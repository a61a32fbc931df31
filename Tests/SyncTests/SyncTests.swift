import Foundation
import LocomotionJournal
import LocomotionSensing
import LocomotionSync
import Synchronization
import TestSupport
import Testing

/// An archive in memory, which takes units as the contract says.
final class MemoryArchive: Sendable {
  private let stored = Mutex<[String: [UInt8]]>([:])

  var units: [String: [UInt8]] { stored.withLock { $0 } }

  /// Answers a request as an archive does that has nothing against it.
  func answer(_ request: SyncRequest) -> SyncResponse {
    let name = String(request.path.dropFirst("v1/units/".count))
    if request.method == .delete {
      return stored.withLock { SyncResponse(status: $0.removeValue(forKey: name) == nil ? 404 : 204) }
    }
    guard SHA256Digest(of: request.body).hexadecimal == name else {
      return SyncResponse(status: 422, body: Array("digest".utf8))
    }
    let isNew = stored.withLock { $0.updateValue(request.body, forKey: name) == nil }
    return SyncResponse(
      status: isNew ? 201 : 409, body: Array("{ \"digest\": \"\(name)\" }\n".utf8))
  }

  /// A journal of all units that are stored, in order.
  func journal(at path: String, user name: String) throws -> Journal {
    var journal = try Journal(path: path)
    let user = try journal.user(name)
    let units = try units.values.map { try UploadUnit($0) }
    for unit in units.sorted(by: { $0.summary.sequence < $1.summary.sequence }) {
      try journal.append(unit, for: user)
    }
    return journal
  }
}

/// A clock that stands still until something sleeps.
final class StoppedClock: Sendable {
  private let time: Mutex<Double>

  init(at seconds: Double = 1_700_000_000) { time = Mutex(seconds) }

  func set(_ seconds: Double) { time.withLock { $0 = seconds } }
  var seconds: Double { time.withLock { $0 } }

  var clock: SyncClock {
    SyncClock(
      now: { [self] in Timestamp(nanoseconds: Int64(seconds * 1e9)) },
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
        timestamp: Timestamp(nanoseconds: start), latitude: 48.1 + Double(number) * 1e-5,
        longitude: 11.5, horizontalAccuracy: 4.5))
    return batch
  }

  /// A journal of some days with a measurement.
  static func record(_ count: Int, at path: String) throws -> JournalUser {
    var journal = try Journal(path: path)
    let user = try journal.user("ada")
    try journal.start("WALKING", at: Timestamp(nanoseconds: 1_700_000_000_000_000_000), for: user)
    for number in 0..<count { try journal.append(batch(number), for: user) }
    try journal.stop(at: Timestamp(nanoseconds: 1_800_000_000_000_000_000), for: user)
    return user
  }

  /// What a user's recording holds.
  struct Content: Equatable {
    var samples: SampleSeries
    var fixes: [LocationFix]
    var measurements: [JournalMeasurement]
  }

  static func content(_ journal: borrowing Journal, _ user: JournalUser) throws -> Content {
    let counts = try journal.counts(of: user)
    return Content(
      samples: try journal.samples(of: user, in: 0..<counts.samples),
      fixes: try journal.fixes(of: user, in: 0..<counts.fixes),
      measurements: try journal.measurements(of: user))
  }
}

func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("locomotion-sync-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
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
  @Test func everyStatusHasItsMeaning() {
    let digest = SHA256Digest(of: [1])
    let body = Array("{\"digest\":\"\(digest)\"}".utf8)
    for status in 100...599 {
      let with = SyncAnswer(SyncResponse(status: status, body: body), digest: digest)
      let without = SyncAnswer(SyncResponse(status: status, retryAfter: 7), digest: digest)
      switch status {
      case 200, 201, 409: #expect(with == .confirmed)
      case 401: #expect(with == .unauthorized)
      case 403: #expect(with == .forbidden)
      case 407, 408, 425, 429, ..<400, 500...:
        #expect(with == .later(retryAfter: nil, reason: "\(status)"))
        #expect(without == .later(retryAfter: 7, reason: "\(status)"))
      default: #expect(without == .refused(reason: "\(status) "))
      }
      #expect(without != .confirmed)
    }
    let other = Array("{\"digest\":\"\(SHA256Digest(of: [2]))\"}".utf8)
    for body in [other, Array("<html>\(digest)</html>".utf8), Array(body.dropLast(3))] {
      let answer = SyncAnswer(SyncResponse(status: 200, body: body), digest: digest)
      #expect(answer != .confirmed)
    }
  }
}
