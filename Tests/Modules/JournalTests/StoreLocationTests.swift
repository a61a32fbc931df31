import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

/// The files that a journal is opened from; beside a refused file nothing is created or changed.
@Suite struct StoreLocationTests {
  /// Creates a journal with one batch and closes it.
  private func makeJournal(at path: String) throws {
    let user = try Journal(path: path).user("ada")
    try user.append(JournalScript.batch(0))
  }

  /// Every name in a folder, with the content of the regular files.
  private func content(of folder: URL) throws -> [String: Data?] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        let path = folder.appendingPathComponent(name).path
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        let isOrdinary = type as? FileAttributeType == .typeRegular
        return (name, isOrdinary ? FileManager.default.contents(atPath: path) : nil)
      })
  }

  /// Checks that opening is refused for reading and writing, and leaves the folder unchanged.
  private func expectRefusal(
    of path: String, in folder: URL, _ words: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try content(of: folder)
    for access in [Journal.Access.reading, .writing] {
      do throws(JournalError) {
        _ = try Journal(path: path, access: access)
        Issue.record("opened", sourceLocation: location)
      } catch {
        switch error {
        case .notAJournal, .encrypted: break
        default:
          Issue.record("\(error)", sourceLocation: location)
          continue
        }
        #expect(error.description.contains(words), "\(error)", sourceLocation: location)
      }
    }
    #expect(try content(of: folder) == before, sourceLocation: location)
  }

  enum Kind: CaseIterable {
    case folder, link, pipe, hardLink

    var words: String {
      switch self {
      case .folder: "found a folder"
      case .link: "found a symbolic link"
      case .pipe: "found a pipe"
      case .hardLink: "2 names"
      }
    }

    func make(at path: String, in folder: URL) throws {
      let files = FileManager.default
      let other = folder.appendingPathComponent("other").path
      switch self {
      case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: other)
      case .pipe: try #require(FaultFileSystem.makePipe(at: path))
      case .hardLink:
        try Data().write(to: URL(fileURLWithPath: other))
        try files.linkItem(atPath: other, toPath: path)
      }
    }
  }

  @Test func aSymbolicLinkUsesTheLockAndTheLogOfItsTarget() throws {
    try withTemporaryFolder { folder in
      let files = FileManager.default
      let inner = folder.appendingPathComponent("inner")
      try files.createDirectory(at: inner, withIntermediateDirectories: false)
      let path = inner.appendingPathComponent("journal").path
      try makeJournal(at: path)
      let link = folder.appendingPathComponent("link").path
      let second = folder.appendingPathComponent("second").path
      try files.createSymbolicLink(atPath: link, withDestinationPath: "inner/journal")
      try files.createSymbolicLink(atPath: second, withDestinationPath: link)
      var settings = Journal.Settings()
      settings.longestWait = 0
      do {
        let journal = try Journal(path: path)
        #expect(throws: JournalError.busy(path: path)) {
          _ = try Journal(path: second, settings: settings)
        }
        try journal.user("ada").append(JournalScript.batch(1))
        let reader = try Journal(path: second, access: .reading)
        let user = try #require(try reader.existingUser("ada"))
        #expect(try JournalContent(user) == JournalScript.content(2))
      }
      #expect(try content(of: folder).keys.sorted() == ["inner", "link", "second"])
    }
  }

  /// The ways in which a journal goes from its path while it is open.
  enum Removal: CaseIterable {
    case removed, moved, allRemoved, allMoved, logRemoved, emptyFile, link, pipe, folder
    case folderMoved

    func carryOut(at path: String, in folder: URL) throws {
      let files = FileManager.default
      let own = ["", "-wal", "-shm", "-writer"].map { path + $0 }
        .filter { files.fileExists(atPath: $0) }
      switch self {
      case .removed: try files.removeItem(atPath: path)
      case .allRemoved: for file in own { try files.removeItem(atPath: file) }
      case .allMoved: for file in own { try files.moveItem(atPath: file, toPath: file + ".old") }
      case .logRemoved: try files.removeItem(atPath: path + "-wal")
      case .folderMoved:
        try files.moveItem(atPath: folder.path, toPath: folder.path + ".old")
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
      case .moved, .emptyFile, .link, .pipe, .folder:
        try files.moveItem(atPath: path, toPath: path + ".old")
        switch self {
        case .emptyFile: try Data().write(to: URL(fileURLWithPath: path))
        case .link: try Kind.link.make(at: path, in: folder)
        case .pipe: try Kind.pipe.make(at: path, in: folder)
        case .folder: try Kind.folder.make(at: path, in: folder)
        default: break
        }
      }
    }
  }

  @Test(arguments: Removal.allCases)
  func nothingIsAcknowledgedIntoAFileThatIsNoLongerThere(removal: Removal) throws {
    try withTemporaryFolder { outer in
      let folder = outer.appendingPathComponent("inner")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let path = folder.appendingPathComponent("journal").path
      let user = try Journal(path: path).user("ada")
      try user.append(JournalScript.batch(0))
      // Another one opens and closes it, which takes nothing away.
      _ = try Journal(path: path, access: .reading)
      try user.append(JournalScript.batch(1))
      try removal.carryOut(at: path, in: folder)
      let gone = removal == .logRemoved ? path + "-wal" : path
      for number in 2..<5 {
        #expect(throws: JournalError.replaced(path: gone)) {
          try user.append(JournalScript.batch(number))
        }
      }
      #expect(throws: JournalError.replaced(path: gone)) { try user.updateDays() }
    }
  }

  @Test func aSymbolicLinkWithoutATargetIsRefused() throws {
    try withTemporaryFolder { folder in
      let files = FileManager.default
      for (name, target) in [("dangling", "nowhere"), ("ring", "ring")] {
        let path = folder.appendingPathComponent(name).path
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
        try expectRefusal(of: path, in: folder, "symbolic link")
      }
    }
  }

  @Test(arguments: [Kind.folder, .pipe, .hardLink])
  func anythingButARegularFileWithOneLinkIsRefused(kind: Kind) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      if kind == .hardLink {
        try makeJournal(at: folder.appendingPathComponent("other").path)
        try FileManager.default.linkItem(
          atPath: folder.appendingPathComponent("other").path, toPath: path)
      } else {
        try kind.make(at: path, in: folder)
      }
      try expectRefusal(of: path, in: folder, kind.words)
    }
    for path in ["/dev/null", "/dev/zero"] {
      #expect(throws: JournalError.self) { _ = try Journal(path: path) }
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal", "-writer"], Kind.allCases)
  func aCompanionThatIsNotARegularFileIsRefused(ending: String, kind: Kind) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try makeJournal(at: path)
      try? FileManager.default.removeItem(atPath: path + ending)
      try kind.make(at: path + ending, in: folder)
      try expectRefusal(of: path, in: folder, kind.words)
      // Nor for a new journal, where there was no companion.
      let new = folder.appendingPathComponent("new").path
      let inner = folder.appendingPathComponent("inner")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
      try kind.make(at: new + ending, in: inner)
      let before = try content(of: folder)
      #expect(throws: JournalError.self) { _ = try Journal(path: new) }
      #expect(try content(of: folder) == before)
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func aJournalWithTheNameOfAnotherJournalsCompanionIsRefused(ending: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try makeJournal(at: path + ending)
      try expectRefusalOfWriting(path, in: folder)
      // Nor is a journal created where the log of another would be.
      let other = folder.appendingPathComponent("other").path
      try makeJournal(at: other)
      try? FileManager.default.removeItem(atPath: other + ending)
      try expectRefusalOfWriting(other + ending, in: folder)
    }
  }

  private func expectRefusalOfWriting(_ path: String, in folder: URL) throws {
    let before = try content(of: folder)
    #expect(throws: JournalError.self) { _ = try Journal(path: path) }
    #expect(try content(of: folder) == before)
  }

  @Test func openingAnotherProgramsDatabaseCreatesNoFiles() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("foreign.db").path
      let statements = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)"
      #expect(FaultFileSystem.execute(statements, at: path))
      try expectRefusal(of: path, in: folder, "another program")
      let text = folder.appendingPathComponent("text").path
      try Data("no database".utf8).write(to: URL(fileURLWithPath: text))
      try expectRefusal(of: text, in: folder, "no database")
    }
  }

  @Test func anEncryptedJournalOfAnEarlierVersionIsRefusedAndSaysHowToDecryptIt() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try Data("LocomotionCrypt1".utf8 + [UInt8](repeating: 0xA7, count: 8_000))
        .write(to: URL(fileURLWithPath: path))
      try expectRefusal(of: path, in: folder, "open it once with 0.1.0: locomotion journal rekey")
      #expect(throws: JournalError.encrypted(path: path)) {
        try Journal.salvage(from: path, to: path + "-new")
      }
    }
  }

  @Test func anEmptyFileBecomesAJournalWhenOpenedForWriting() throws {
    try withJournalPath { path in
      try Data().write(to: URL(fileURLWithPath: path))
      #expect(throws: JournalError.self) { _ = try Journal(path: path, access: .reading) }
      try makeJournal(at: path)
      #expect(try Journal(path: path, access: .reading).check().samples == 100)
    }
  }

  @Test func newFilesAreReadableByTheirOwnerOnly() throws {
    try withJournalPath { path in
      let journal = try Journal(path: path)
      try journal.user("ada").append(JournalScript.batch(0))
      for ending in ["", "-wal", "-shm", "-writer"] {
        let rights =
          try FileManager.default.attributesOfItem(atPath: path + ending)[
            .posixPermissions] as? Int
        #expect(rights == 0o600, "\(ending)")
      }
    }
  }

  @Test func aUserNameInAnotherUnicodeNormalizationIsTheSameUser() throws {
    try withTemporaryFolder { folder in
      let journal = try Journal(path: folder.appendingPathComponent("journal").path)
      let composed = try journal.user("\u{E9}mile")
      #expect(try journal.user("e\u{301}mile").name == composed.name)
      #expect(try journal.userNames() == [composed.name])
      #expect(throws: JournalError.invalidUserName) { _ = try journal.user("ada\u{FFFD}") }
    }
  }
}
