import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

/// The source and target of salvage, and deleted data, which stay deleted.
@Suite struct SalvageTests {
  private let folder = ScratchFolder()
  private var path: String { folder.path("journal") }
  private var copy: String { folder.path("copy") }

  private func makeJournal() throws {
    let journal = try Journal(path: path)
    for name in ["ada", "bob"] {
      let user = try journal.user(name)
      for number in 0..<12 { try user.append(JournalScript.batch(number, samples: 400)) }
    }
  }

  @Test func salvageRefusesATargetThatExists() throws {
    try makeJournal()
    let before = try folder.data("journal")
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for target in [path, link, folder.path, path + "-wal", path + "/below"] {
      #expect(throws: JournalError.self, "\(target)") {
        _ = try Journal.salvage(from: path, to: target)
      }
    }
    #expect(try folder.data("journal") == before)
    #expect(try folder.names() == ["journal", "journal-writer", "link"])
  }

  @Test func salvageRefusesAFileWithoutJournalData() throws {
    let new = folder.path("new")
    let text = try folder.write("no journal", to: "text")
    let foreign = folder.path("foreign")
    #expect(FaultFileSystem.execute("CREATE TABLE users (id)", at: foreign))
    for path in [text, foreign, folder.path, "/dev/null"] {
      #expect(throws: JournalError.self, "\(path)") {
        _ = try Journal.salvage(from: path, to: new)
      }
    }
    #expect(throws: JournalError.notFound(path: folder.path("none"))) {
      _ = try Journal.salvage(from: folder.path("none"), to: new)
    }
    #expect(!FileManager.default.fileExists(atPath: new))
  }

  @Test func whatAKilledSalvageLeavesIsNoJournalAndTheNextOneTakesItOver() throws {
    try makeJournal()
    // As a kill would leave it: sound, and not all of it.
    do { try folder.user(of: "other").append(JournalScript.batch(0)) }
    try FileManager.default.moveItem(atPath: folder.path("other"), toPath: copy + "-part")
    for access in [Journal.Access.reading, .writing] {
      #expect(throws: JournalError.self) { _ = try Journal(path: copy + "-part", access: access) }
    }
    #expect(throws: JournalError.self) {
      _ = try Journal.salvage(from: copy + "-part", to: copy)
    }
    // Nor is it put beside a log of another journal, which SQLite would take for its own.
    try folder.write("log", to: "copy-wal")
    #expect(throws: JournalError.self) { _ = try Journal.salvage(from: path, to: copy) }
    try FileManager.default.removeItem(atPath: copy + "-wal")
    let report = try Journal.salvage(from: path, to: copy)
    #expect(report.isSound && report.samples == 2 * 12 * 400)
    #expect(try Journal(path: copy, access: .reading).check().isSound)
    #expect(try !folder.names().contains { $0.hasPrefix("copy-part") })
  }

  @Test func salvageDoesNotRestoreAnErasedUser() throws {
    try makeJournal()
    do { try folder.user("bob").erase() }
    let report = try Journal.salvage(from: path, to: copy)
    #expect(report.users == 1 && report.isSound)
    let journal = try Journal(path: copy, access: .reading)
    #expect(try journal.existingUser("bob") == nil)
    #expect(try journal.existingUser("user-2") == nil)
  }

  @Test func salvageRestoresMergedBatchesOnlyOnce() throws {
    try makeJournal()
    // The rows that identify merged blocks are gone, and pages are not overwritten.
    #expect(FaultFileSystem.execute("DELETE FROM batches", at: path))
    let report = try Journal.salvage(from: path, to: copy)
    #expect(report.samples == 2 * 12 * 400)
    let user = try Journal(path: copy).user("ada")
    let expected = JournalScript.content(12, samples: 400)
    #expect(try JournalContent(user).samples == expected.samples)
    #expect(try JournalContent(user).rotationRates == expected.rotationRates)
  }

  @Test func aGapIsReportedWithTheTimesAroundIt() throws {
    do {
      let user = try folder.user()
      for number in 0..<6 { try user.append(JournalScript.batch(4 * number, samples: 3_000)) }
    }
    var bytes = try folder.data("journal")
    // The block of the third batch, found by its key.
    let key = Data("LJB1".utf8) + Data([2, 0, 0, 0, 0, 1, 0, 0])
    let place = try #require(bytes.range(of: key))
    bytes[place.upperBound + 100] ^= 0xFF
    try folder.write(bytes, to: "journal")
    let report = try Journal.salvage(from: path, to: copy)
    let loss = try #require(report.losses.first)
    #expect(report.losses.count == 1 && !report.isSound)
    #expect(loss.user == 1 && loss.batches == 1 && loss.samples == 3_000)
    #expect(loss.after == JournalScript.batch(4, samples: 3_000).accelerations.timestamps.last)
    #expect(loss.before == JournalScript.batch(12, samples: 3_000).accelerations.timestamps.first)
    #expect(report.samples == 15_000 && report.rotationRates == 15_000)
  }

  /// A journal some of whose units an archive has and is to delete; returns their digests.
  private func makeUnits() throws -> Set<String> {
    try makeJournal()
    let ada = try folder.user()
    let start = try ada.samples(in: 0..<1).timestamps[0]
    for isErased in [false, true] {
      if isErased { try ada.erase(from: start, to: start.advanced(byNanoseconds: 1)) }
      try UnitScript.makeUnits(ada)
      for unit in try ada.units(in: .pending) { try ada.confirmUnit(unit.digest, at: start) }
    }
    return Set(try ada.units(in: .withdrawn).map(\.name))
  }

  @Test func salvageKeepsWhatTheArchiveIsToDelete() throws {
    let withdrawn = try makeUnits()
    var all = Set<String>()
    do {
      let journal = try Journal(path: path, access: .reading)
      let ada = try #require(try journal.existingUser("ada"))
      all = Set(try ada.units().map(\.name))
    }
    #expect(!withdrawn.isEmpty && withdrawn.count < all.count)
    let report = try Journal.salvage(from: path, to: copy)
    #expect(report.isSound && !report.mayRemainInArchive)
    let note = "user 1: \(all.count) units are to be deleted"
    #expect(report.notes.count { $0.contains(note) } == 1)
    let (journal, ada) = try openJournal(copy)
    #expect(Set(try ada.units(in: .withdrawn).map(\.name)) == all)
    // All is sent again, once.
    try UnitScript.makeUnits(ada)
    let pending = try ada.units(in: .pending)
    let samples = try ada.counts().samples
    #expect(pending.reduce(0) { $0 + $1.samples } == samples)
    #expect(journal.check().problems == [])
  }

  @Test(arguments: [
    ("DELETE FROM blocks WHERE id >> 40 = 1", false, "stay in the archive"),
    ("DELETE FROM uploads", true, "user 1: which units the archive"),
  ])
  func salvageTellsWhatMayRemainInTheArchive(
    damage: String, isProblem: Bool, words: String
  ) throws {
    let withdrawn = try makeUnits()
    #expect(FaultFileSystem.execute(damage, at: path))
    let report = try Journal.salvage(from: path, to: copy)
    #expect(!report.isSound && report.mayRemainInArchive)
    let lines = isProblem ? report.problems : report.notes
    #expect(lines.contains { $0.contains(words) })
    let (journal, ada) = try openJournal(copy)
    #expect(Set(try ada.units(in: .withdrawn).map(\.name)) == withdrawn)
    #expect(journal.check().problems == [])
  }
}
