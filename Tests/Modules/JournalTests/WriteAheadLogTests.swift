import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

extension FaultTests {
  /// Opening and salvage with a damaged write-ahead log.
  @Suite(.serialized) struct WriteAheadLogTests {
    /// The length of a frame in SQLite's log: its header and its page.
    private static let frameLength = 24 + 4_096
    private static let batches = 30

    init() {
      FaultFileSystem.register()
    }

    /// The files of a killed process: all batches are in the log.
    private struct Files {
      var file: Data
      var log: Data
      /// The offset of each frame, and whether it commits a transaction.
      var frames: [(start: Int, commits: Bool)] = []

      var lastCommit: Int { frames.lastIndex { $0.commits } ?? 0 }
      /// The first frame of the last transaction.
      var lastBegin: Int { (frames[..<lastCommit].lastIndex { $0.commits } ?? -1) + 1 }

      func write(at path: String) throws {
        for ending in ["-shm", "-writer"] {
          try? FileManager.default.removeItem(atPath: path + ending)
        }
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
      }
    }

    private func killedFiles(in folder: URL) throws -> Files {
      let path = folder.appendingPathComponent("killed").path
      var settings = Journal.Settings()
      settings.fileSystem = FaultFileSystem.name
      FaultFileSystem.reset()
      let journal = try Journal(path: path, settings: settings)
      let user = try journal.user("ada")
      try user.start("WALKING", at: Timestamp(nanoseconds: 0))
      for number in 0..<Self.batches {
        try user.append(JournalScript.batch(number, samples: 700))
      }
      let copy = folder.appendingPathComponent("copy").path
      try #require(
        FaultFileSystem.makeFiles(length: FaultFileSystem.logLength, seed: 0, at: copy))
      var files = Files(
        file: try Data(contentsOf: URL(fileURLWithPath: copy)),
        log: try Data(contentsOf: URL(fileURLWithPath: copy + "-wal")))
      for start in stride(from: 32, to: files.log.count, by: Self.frameLength) {
        files.frames.append((start, files.log[start + 4..<start + 8].contains { $0 != 0 }))
      }
      try #require(files.lastCommit == files.frames.count - 1 && files.lastBegin > 20)
      return files
    }

    /// Opens the journal, checks that it holds the first batches, and returns what was rolled back.
    private func opened(
      _ files: Files, at path: String, holding count: Int, access: Journal.Access = .reading
    ) throws -> RolledBackTransaction? {
      try files.write(at: path)
      let journal = try Journal(path: path, access: access)
      let user = try #require(try journal.existingUser("ada"))
      #expect(try JournalContent(user) == JournalScript.content(count, samples: 700))
      #expect(journal.check().problems == [])
      #expect(journal.undidUnfinishedTransaction == (journal.rolledBackTransaction != nil))
      return journal.rolledBackTransaction
    }

    @Test func aLogThatEndsInsideATransactionReportsTheRollback() throws {
      try withTemporaryFolder { folder in
        let whole = try killedFiles(in: folder)
        let path = folder.appendingPathComponent("cut").path
        #expect(try opened(whole, at: path, holding: Self.batches) == nil)
        let begin = whole.frames[whole.lastBegin].start
        let end = whole.log.count
        for (length, expected) in [
          // After one frame of the transaction, and after all but the last.
          (begin + Self.frameLength, RolledBackTransaction.neverCommitted),
          (end - Self.frameLength, .neverCommitted),
          // Inside the first frame, inside the last one's page, and inside its header.
          (begin + 7, .incomplete), (begin + 1_000, .incomplete), (end - 1, .incomplete),
          (end - Self.frameLength + 8, .incomplete),
        ] {
          for access in [Journal.Access.reading, .writing] {
            var cut = whole
            cut.log = whole.log.prefix(length)
            let undone = try opened(
              cut, at: path, holding: Self.batches - 1, access: access)
            #expect(undone == expected, "\(length)")
          }
        }
        // Cut at the end of a transaction, the log shows no trace of the next one.
        var cut = whole
        cut.log = whole.log.prefix(begin)
        #expect(try opened(cut, at: path, holding: Self.batches - 1) == nil)
      }
    }

    @Test func severalFlippedBitsInTheLastTransactionRollItBack() throws {
      try withTemporaryFolder { folder in
        var files = try killedFiles(in: folder)
        for offset in [100, 900, 2_000] {
          files.log[files.frames[files.lastCommit].start + offset] ^= 0x81
        }
        let path = folder.appendingPathComponent("torn").path
        let undone = try opened(files, at: path, holding: Self.batches - 1)
        #expect(undone == .incomplete)
      }
    }

    @Test func oneFlippedBitInTheLastTransactionIsRefusedAndSalvaged() throws {
      try withTemporaryFolder { folder in
        let whole = try killedFiles(in: folder)
        let path = folder.appendingPathComponent("flipped").path
        var random = SplitMix64(seed: 3)
        var complete = 0
        for trial in 0..<30 {
          var files = whole
          // Once in each part of the header of the last frame, then anywhere in the transaction.
          let begin = whole.frames[whole.lastBegin].start
          let offset =
            trial < 6
            ? whole.frames[whole.lastCommit].start + 4 * trial + 3
            : begin + Int(random.next() % UInt64(whole.log.count - begin))
          files.log[offset] ^= 1 << UInt8(random.next() % 8)
          try files.write(at: path)
          #expect(throws: JournalError.self, "trial \(trial)") {
            _ = try Journal(path: path, access: .reading)
          }
          if try losesNothing(salvaging: path, in: folder, "trial \(trial)") { complete += 1 }
        }
        print("one flipped bit at the end of the log: \(complete) of 30 lose nothing")
        #expect(complete >= 27)
      }
    }

    /// Whether salvage loses nothing; a loss must be reported and small.
    private func losesNothing(
      salvaging path: String, in folder: URL, _ comment: Comment
    ) throws -> Bool {
      let copy = folder.appendingPathComponent("new").path
      for ending in ["", "-wal", "-shm", "-writer"] {
        try? FileManager.default.removeItem(atPath: copy + ending)
      }
      let report = try Journal.salvage(from: path, to: copy)
      #expect(report.notes != [], comment)
      let journal = try Journal(path: copy, access: .reading)
      #expect(journal.check().problems == [], comment)
      let expected = JournalScript.content(Self.batches, samples: 700)
      let user = try #require(try journal.existingUser("ada"), comment)
      let content = try JournalContent(user)
      guard report.isSound else {
        #expect(report.notes.contains { $0.contains("one wrong bit") }, comment)
        #expect(content.samples.count >= expected.samples.count - 6_000, comment)
        expectBatches(content, comment)
        return false
      }
      #expect(report.losses == [], comment)
      #expect(content == expected, comment)
      #expect(report.rotationRates == expected.rotationRates.count, comment)
      #expect(try user.currentMeasurement()?.modality == "WALKING", comment)
      return true
    }

    @Test func oneFlippedBitAnywhereInTheLogIsSalvaged() throws {
      try withTemporaryFolder { folder in
        let whole = try killedFiles(in: folder)
        let path = folder.appendingPathComponent("flipped").path
        var random = SplitMix64(seed: 11)
        var (complete, trials) = (0, 0)
        for trial in 0..<100 {
          var files = whole
          let offset = trial < 32 ? trial : Int(random.next() % UInt64(whole.log.count))
          files.log[offset] ^= 1 << UInt8(random.next() % 8)
          try files.write(at: path)
          trials += 1
          let comment: Comment = "trial \(trial), byte \(offset)"
          if try losesNothing(salvaging: path, in: folder, comment) { complete += 1 }
        }
        print("one flipped bit of the log: \(complete) of \(trials) lose nothing")
        #expect(complete >= trials * 95 / 100)
      }
    }

    @Test func salvageReportsTheLossFromADamagedPageOfTheLog() throws {
      try withTemporaryFolder { folder in
        let whole = try killedFiles(in: folder)
        let path = folder.appendingPathComponent("damaged").path
        let expected = JournalScript.content(Self.batches, samples: 700)
        var random = SplitMix64(seed: 7)
        var (complete, kept) = (0, 0)
        let trials = 40
        for trial in 0..<trials {
          var files = whole
          let frame = whole.frames[Int(random.next() % UInt64(whole.frames.count))].start
          for offset in 0..<64 { files.log[frame + 1_000 + offset] = UInt8(offset) }
          try files.write(at: path)
          let copy = folder.appendingPathComponent("new-\(trial)").path
          let report = try Journal.salvage(from: path, to: copy)
          let journal = try Journal(path: copy)
          let user = try journal.user("ada")
          let content = try JournalContent(user)
          if content == expected {
            complete += 1
          } else {
            #expect(!report.isSound, "trial \(trial)")
          }
          #expect(journal.check().problems == [])
          #expect(report.samples == content.samples.count)
          expectBatches(content, "trial \(trial)")
          kept += content.samples.count
        }
        let fraction = Double(kept) / Double(trials * expected.samples.count)
        print(
          "a damaged page of the log: \(complete) of \(trials) whole, \(fraction) of the samples")
        #expect(fraction > 0.9)
        #expect(complete > 0 && complete < trials)
      }
    }

    /// Each batch is there as a whole or not at all, once, and in order.
    private func expectBatches(_ content: JournalContent, _ comment: Comment) {
      var numbers: [Int] = []
      for start in stride(from: 0, to: content.samples.count, by: 700) {
        let end = min(start + 700, content.samples.count)
        let number = Int(content.samples.x[start])
        let batch = JournalScript.batch(number, samples: 700)
        #expect(content.samples[start..<end] == batch.accelerations, comment)
        numbers.append(number)
      }
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, comment)
    }

    @Test func aReaderReportsNoRollbackWhileAWriterIsActive() throws {
      try withTemporaryFolder { folder in
        let path = folder.appendingPathComponent("journal").path
        let journal = try Journal(path: path)
        try journal.user("ada").append(JournalScript.batch(0))
        // As if the writer were in the middle of a frame.
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-wal"))
        try log.seekToEnd()
        try log.write(contentsOf: Data(repeating: 7, count: 100))
        #expect(try Journal(path: path, access: .reading).rolledBackTransaction == nil)
        // A journal that is being written to is not salvaged either.
        #expect(throws: JournalError.busy(path: path)) {
          _ = try Journal.salvage(from: path, to: path + "-copy")
        }
      }
    }
  }
}
