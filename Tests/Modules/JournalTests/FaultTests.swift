import Foundation
import Locomotion
import LocomotionJournal
import TestSupport
import Testing

/// After every injected fault nothing acknowledged is lost and nothing wrong is read.
///
/// Serialized, because the file system for tests has one global state.
@Suite(.serialized) struct FaultTests {
  let folder = ScratchFolder()

  init() {
    FaultFileSystem.register()
  }

  var faulty: Journal.Settings {
    var settings = Journal.Settings()
    settings.fileSystem = FaultFileSystem.name
    settings.longestWait = 0.05
    return settings
  }

  /// Repeats calls that throw, as an app does; the fault is removed after some errors.
  final class Attempts {
    private(set) var errors = 0
    private let patience: Int

    init(healingAfter patience: Int) {
      self.patience = patience
    }

    func trying<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
      while true {
        do {
          return try body()
        } catch let error as JournalError {
          errors += 1
          if errors == patience { FaultFileSystem.heal() }
          if errors > 20 { throw error }
        }
      }
    }
  }

  /// Opens a journal and appends batches, retrying after errors; returns the number of errors.
  private func record(_ count: Int, at path: String) throws -> Int {
    let attempts = Attempts(healingAfter: 3)
    let journal = try attempts.trying { try Journal(path: path, settings: faulty) }
    let user = try attempts.trying { try journal.user("ada") }
    try attempts.trying {
      _ = try user.start("WALKING", at: Timestamp(nanoseconds: 0))
    }
    for number in 0..<count {
      // Large enough that small batches are merged now and then.
      try attempts.trying {
        _ = try user.append(JournalScript.batch(number, samples: 700))
      }
      let seen = try attempts.trying { try user.counts() }
      #expect(seen.samples == 700 * (number + 1))
    }
    try attempts.trying { try user.stop(at: Timestamp(nanoseconds: 9)) }
    return attempts.errors
  }

  @Test(arguments: FaultFileSystem.Fault.allCases, [false, true])
  func aFaultAtAnyDiskOperationThrowsAndLosesNothingAcknowledged(
    fault: FaultFileSystem.Fault, lasts: Bool
  ) throws {
    let expected = JournalScript.content(9, samples: 700)
    let step = TestLength.runs(5, long: 1)
    let (operations, told) = try FaultFileSystem.forEachFault(fault, lasts: lasts, every: step) {
      try record(9, at: folder.path("journal-\($0)"))
    } check: { number in
      let (journal, user) = try openJournal(folder.path("journal-\(number)"))
      #expect(try JournalContent(user) == expected, "operation \(number)")
      #expect(journal.check().problems == [], "operation \(number)")
      #expect(try user.measurements().map(\.state) == [.stopped])
    }
    // Only cleaning up may fail without an error.
    #expect(operations > 60)
    #expect(told > operations / step / 2)
  }

  @Test func everyStateOfTheDiskAfterAPowerFailureOpensWithAllAcknowledgedData() throws {
    let count = 56
    let batches = (0..<count).map { JournalScript.batch($0, samples: $0 % 9 == 0 ? 700 : 100) }
    let path = folder.path("journal")
    FaultFileSystem.reset()
    var acknowledged: [Int] = []
    do {
      let user = try Journal(path: path, settings: faulty).user("ada")
      for batch in batches {
        try user.append(batch)
        acknowledged.append(FaultFileSystem.logLength)
      }
    }
    // The log of writes is complete: replayed without a fault it gives the journal itself.
    let end = FaultFileSystem.logLength
    var whole = JournalBatch()
    var contents = [JournalContent()]
    for batch in batches {
      whole.append(contentsOf: batch)
      contents.append(JournalContent(whole))
    }
    let copy = folder.path("copy")
    let lengths = stride(from: 0, through: end, by: TestLength.runs(3, long: 1))
    try FaultFileSystem.forEachState(after: lengths, at: copy) { length, seed in
      let state: Comment = "after \(length) of \(end) entries, seed \(seed)"
      let least = acknowledged.firstIndex { $0 > length } ?? count
      #expect(throws: Never.self, state) {
        let (journal, user) = try openJournal(copy)
        let content = try JournalContent(user)
        #expect(content == contents[least] || content == contents[min(least + 1, count)], state)
        // The journal can also be written to.
        if length % 16 == 0 {
          try user.append(batches[0])
          #expect(journal.check().problems == [])
        }
      }
    }
  }

  /// The files of a journal after a process was killed: a database, and a log with transactions.
  private func killedJournal() throws -> (file: Data, log: Data) {
    let path = folder.path("killed")
    FaultFileSystem.reset()
    let (journal, user) = try openJournal(path, settings: faulty)
    try user.start("WALKING", at: Timestamp(nanoseconds: 0))
    for number in 0..<12 {
      try user.append(JournalScript.batch(number, samples: 40))
      if number == 6 { try journal.vacuum() }
    }
    try user.addPlace(Place(name: "home", latitude: 48.1, longitude: 11.5))
    try user.updateDays()
    let copy = folder.path("copy")
    try #require(
      FaultFileSystem.makeFiles(length: FaultFileSystem.logLength, seed: 0, at: copy))
    return (try folder.data("copy"), try folder.data("copy-wal"))
  }

  /// The result of reading a damaged journal: of `other` the samples are those that were written,
  /// or the first of them.
  private enum Outcome {
    case right, refused, other, wrong
  }

  private func read(_ file: Data, _ log: Data, at path: String) throws -> Outcome {
    for ending in ["-shm", "-wal"] { try? FileManager.default.removeItem(atPath: path + ending) }
    try file.write(to: URL(fileURLWithPath: path))
    try log.write(to: URL(fileURLWithPath: path + "-wal"))
    do throws(JournalError) {
      let user = try Journal(path: path, access: .reading).user("ada")
      let content = try JournalContent(user)
      let measurements = try user.measurements()
      let expected = JournalScript.content(12, samples: 40)
      _ = try user.dayItems(from: Timestamp(nanoseconds: 0), to: Timestamp(nanoseconds: .max / 4))
      if content == expected, measurements.map(\.modality) == ["WALKING"],
        try user.places().map(\.name) == ["home"]
      {
        return .right
      }
      // SQLite takes a log up to the first frame whose checksum is wrong; the file has none.
      let count = min(content.samples.count, expected.samples.count)
      return content.samples == expected.samples[0..<count] ? .other : .wrong
    } catch {
      return .refused
    }
  }

  @Test func noFlippedBitIsReadAsAnotherSample() throws {
    let (file, log) = try killedJournal()
    let path = folder.path("flipped")
    var random = SplitMix64(seed: 17)
    var outcomes: [Outcome: Int] = [:]
    try #require(try read(file, log, at: path) == .right)
    let trials = ProcessInfo.processInfo.environment["LOCOMOTION_BIT_FLIPS"].flatMap { Int($0) }
    for trial in 0..<(trials ?? TestLength.runs(600, long: 3_000)) {
      var (file, log) = (file, log)
      let bit = UInt8(1) << UInt8(random.next() % 8)
      if trial < 100 {
        file[trial] ^= bit
      } else if trial < 156 {
        log[trial - 100] ^= bit
      } else if trial % 2 == 0 {
        file[Int(random.next() % UInt64(file.count))] ^= bit
      } else {
        log[Int(random.next() % UInt64(log.count))] ^= bit
      }
      let outcome = try read(file, log, at: path)
      #expect(outcome != .wrong, "trial \(trial)")
      outcomes[outcome, default: 0] += 1
    }
    #expect(outcomes[.refused] ?? 0 > 0)
    #expect(outcomes[.right] ?? 0 > 0)
  }
}

extension FaultTests {
  /// The number of reads from the disk until a user's counts are known, for reading and for
  /// writing.
  private func readsOfOpening(_ batches: Int) throws -> (reads: Int, pages: Int) {
    let path = folder.path("journal-\(batches)")
    do {
      let user = try Journal(path: path).user("ada")
      var batch = JournalBatch()
      for index in 0..<3_000 {
        batch.accelerations.append(
          x: Double(index % 7), y: Double(index % 11) / 8, z: 9.75,
          at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
      }
      batch.fixes = [LocationFix(timestamp: Timestamp(nanoseconds: 0), latitude: 1, longitude: 2)]
      for _ in 0..<batches { try user.append(batch) }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    FaultFileSystem.reset()
    for access in [Journal.Access.reading, .writing] {
      let user = try Journal(path: path, access: access, settings: faulty).user("ada")
      #expect(try user.counts().samples == 3_000 * batches)
    }
    return (FaultFileSystem.reads, try #require(size) / 4_096)
  }

  @Test func openingReadsNoMoreOfALongRecordingThanOfAShortOne() throws {
    let short = try readsOfOpening(20)
    let long = try readsOfOpening(1_000)
    #expect(long.pages > 10 * short.pages)
    #expect(long.reads == short.reads)
    // Twice the header, the pages of the schema, the store and the users.
    #expect(long.reads <= 16)
  }
}

/// Upload units under faults: what an archive has not confirmed is never dropped.
extension FaultTests {
  private var now: Timestamp { DayScript.time(400_000) }

  /// A day that is up to date, the first hours of which are in units.
  private func record(at path: String, settings: Journal.Settings) throws {
    let ada = try Journal(path: path, settings: settings).user("ada")
    for start in stride(from: 0.0, to: 18_000, by: 1_200) {
      let batch = UnitScript.batch(from: start, to: start + 1_200, seed: UInt64(start))
      if !batch.isEmpty { try ada.append(batch) }
      if start < 9_000 { try UnitScript.makeUnits(ada) }
    }
    try ada.updateDays()
  }

  /// Makes all units and confirms each one after `receive` has its bytes, as an app does that tries
  /// again after an error.
  ///
  /// - Returns: The number of errors.
  private func send(
    at path: String, settings: Journal.Settings, healingAfter patience: Int,
    _ receive: (UploadUnit) -> Void, confirmed: () -> Void = {}
  ) throws -> Int {
    let attempts = Attempts(healingAfter: patience)
    let journal = try attempts.trying { try Journal(path: path, settings: settings) }
    let ada = try attempts.trying { try journal.user("ada") }
    try attempts.trying { try UnitScript.makeUnits(ada) }
    while let next = try attempts.trying({ try ada.units(in: .pending).first }) {
      let unit = try attempts.trying { try ada.unit(next) }
      receive(unit)
      _ = try attempts.trying { try ada.confirmUnit(next.digest, keeping: .none, at: now) }
      confirmed()
    }
    return attempts.errors
  }

  @Test(arguments: FaultFileSystem.Fault.allCases, [false, true])
  func aFaultAtAnyDiskOperationOfSendingDropsNothingThatIsNotConfirmed(
    fault: FaultFileSystem.Fault, lasts: Bool
  ) throws {
    let base = folder.path("base")
    try record(at: base, settings: .init())
    let expected = try WholeRecording(Journal(path: base).user("ada"))
    let step = TestLength.runs(7, long: 1)
    var received: [[UInt8]: UploadUnit] = [:]
    let (operations, told) = try FaultFileSystem.forEachFault(fault, lasts: lasts, every: step) {
      let path = folder.path("journal-\($0)")
      try FileManager.default.copyItem(atPath: base, toPath: path)
      received = [:]
      return try send(at: path, settings: faulty, healingAfter: 3) { unit in
        received[SHA256Digest(of: unit.bytes).bytes] = unit
      }
    } check: { number in
      let path = folder.path("journal-\(number)")
      let (journal, ada) = try openJournal(path)
      #expect(journal.check().problems == [], "operation \(number)")
      let units = try ada.units()
      #expect(units.allSatisfy { $0.state == .confirmed && received[$0.digest] != nil })
      #expect(units.count == received.count, "operation \(number)")
      #expect(try ada.droppedSamples().samples > 0, "operation \(number)")
      // Some, because it computes the days.
      if number % (10 * step) == 1 {
        let user = try Journal(path: path + "-archive").user("ada")
        for unit in units {
          try user.append(try #require(received[unit.digest]))
        }
        try user.updateDays()
        let isEqual = try WholeRecording(user) == expected
        #expect(isEqual, "operation \(number)")
      }
    }
    #expect(operations > 40)
    #expect(told > operations / step / 2)
  }

  @Test func everyStateOfTheDiskAfterAPowerFailureHasWhatTheArchiveHasNot() throws {
    let path = folder.path("journal")
    FaultFileSystem.reset()
    try record(at: path, settings: faulty)
    let begin = FaultFileSystem.logLength
    // The ends of the log at which a unit was received, and at which it was known as confirmed.
    var received: [(digest: [UInt8], samples: Int, at: Int)] = []
    var acknowledged: [Int] = []
    _ = try send(
      at: path, settings: faulty, healingAfter: 1,
      { unit in
        received.append(
          (SHA256Digest(of: unit.bytes).bytes, unit.summary.samples, FaultFileSystem.logLength))
      },
      confirmed: { acknowledged.append(FaultFileSystem.logLength) })
    #expect(received.count > 2)
    let end = FaultFileSystem.logLength
    let copy = folder.path("copy")
    var dropped = Set<Int>()
    try FaultFileSystem.forEachState(after: begin...end, at: copy) { length, seed in
      let (journal, ada) = try openJournal(copy)
      #expect(journal.check().problems == [], "after \(length) of \(end), seed \(seed)")
      let confirmed = Set(try ada.units(in: .confirmed).map(\.digest))
      // What was confirmed stays so, and what is confirmed was received.
      let known = zip(received, acknowledged).filter { $0.1 <= length }.map(\.0.digest)
      #expect(confirmed.isSuperset(of: known), "after \(length) of \(end), seed \(seed)")
      let arrived = received.filter { $0.at <= length }
      #expect(confirmed.isSubset(of: arrived.map(\.digest)))
      let gone = try ada.droppedSamples().samples
      let safe = arrived.filter { confirmed.contains($0.digest) }
      #expect(gone <= safe.reduce(0) { $0 + $1.samples })
      dropped.insert(gone)
    }
    #expect(dropped.count > 1)
  }
}
