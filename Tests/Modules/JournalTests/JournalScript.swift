import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// Batches that encode their number, for tests that check which ones were stored.
enum JournalScript {
  /// The batch with this number: some samples, every third time a fix, and a rate now and then.
  static func batch(_ number: Int, samples: Int = 100) -> JournalBatch {
    var random = SplitMix64(seed: UInt64(number) + 1)
    var batch = JournalBatch()
    let start = 1_700_000_000_000_000_000 + Int64(number) * 1_000_000_000
    for index in 0..<samples {
      let time = Timestamp(nanoseconds: start + Int64(index) * 10_000_000)
      let value = { (random.nextNormal() * 1_000).rounded() / 1_000 }
      batch.accelerations.append(x: Double(number), y: value(), z: value(), at: time)
      if number % 4 == 0 { batch.rotationRates.append(x: value(), y: 0, z: 1, at: time) }
    }
    if number % 3 == 0 {
      batch.fixes.append(
        LocationFix(
          timestamp: Timestamp(nanoseconds: start), latitude: 48.137_154 + Double(number) * 1e-5,
          longitude: 11.576_124, altitude: number % 2 == 0 ? nil : 519.5,
          horizontalAccuracy: 4.5, speed: 1.25))
    }
    return batch
  }

  /// A user's recording after the first `count` batches.
  static func content(_ count: Int, samples: Int = 100) -> JournalContent {
    var whole = JournalBatch()
    for number in 0..<count { whole.append(contentsOf: batch(number, samples: samples)) }
    return JournalContent(whole)
  }
}

/// All samples and fixes of a user.
struct JournalContent: Equatable {
  var samples = SampleSeries()
  var rotationRates = SampleSeries()
  var fixes: [LocationFix] = []

  init(_ batch: JournalBatch = JournalBatch()) {
    samples = batch.accelerations
    rotationRates = batch.rotationRates
    fixes = batch.fixes
  }

  init(_ user: UserJournal) throws(JournalError) {
    let counts = try user.counts()
    samples = try user.samples(in: 0..<counts.samples)
    rotationRates = try user.rotationRates(in: 0..<counts.rotationRates)
    fixes = try user.fixes(in: 0..<counts.fixes)
  }
}

/// Runs `body` with a new journal and its user "ada"; the journal is sound afterwards.
func withJournal(
  at sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (_ journal: Journal, _ ada: UserJournal) throws -> Void
) throws {
  let folder = ScratchFolder()
  try withExtendedLifetime(folder) {
    let journal = try Journal(path: folder.path("journal"))
    try body(journal, journal.user("ada"))
    #expect(journal.check().problems == [], sourceLocation: sourceLocation)
  }
}

extension ScratchFolder {
  /// A user's part of the journal of this name, which is created where there is none.
  func user(_ name: String = "ada", of journal: String = "journal") throws -> UserJournal {
    try Journal(path: path(journal)).user(name)
  }
}

extension Data {
  /// The bytes of a number in the order in which SQLite stores them.
  init<Value: FixedWidthInteger>(stored value: Value) {
    let count = Value.bitWidth / 8
    self.init((1...count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - $0))) })
  }

  /// What of this stands in the files of a journal.
  static func traces(of secrets: [Data], in path: String) -> [Data] {
    let files = ["", "-wal", "-shm", "-journal"].reduce(into: Data()) { files, ending in
      files += FileManager.default.contents(atPath: path + ending) ?? Data()
    }
    return secrets.filter { files.range(of: $0) != nil }
  }
}
