import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// The files that a journal is opened from; beside a refused file nothing is created or changed.
@Suite struct StoreLocationTests {
  private let folder = ScratchFolder()

  /// Creates a journal with one batch and closes it.
  private func makeJournal(at path: String) throws {
    try Journal(path: path).user("ada").append(JournalScript.batch(0))
  }

  /// Every name in the folder, with the content of the regular files.
  private func content() throws -> [String: Data?] {
    Dictionary(
      uniqueKeysWithValues: try folder.names().map { name in
        let path = folder.path(name)
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
        let isOrdinary = type as? FileAttributeType == .typeRegular
        return (name, isOrdinary ? FileManager.default.contents(atPath: path) : nil)
      })
  }

  /// Checks that opening is refused for reading and writing, and leaves the folder unchanged.
  private func expectRefusal(
    of path: String, _ words: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try content()
    for access in [Journal.Access.reading, .writing] {
      let error = #expect(throws: JournalError.self, sourceLocation: location) {
        try Journal(path: path, access: access)
      }
      let isRefused =
        switch error {
        case .notAJournal, .encrypted: error?.description.contains(words) ?? false
        default: false
        }
      #expect(isRefused, "\(String(describing: error))", sourceLocation: location)
    }
    #expect(try content() == before, sourceLocation: location)
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

    /// Makes one at `path`; a link leads to `other`.
    func make(at path: String, other: String) throws {
      let files = FileManager.default
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
    let files = FileManager.default
    let path = try folder.makeFolder("inner") + "/journal"
    try makeJournal(at: path)
    let link = folder.path("link")
    let second = folder.path("second")
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
    #expect(try content().keys.sorted() == ["inner", "link", "second"])
  }

  /// The ways in which a journal goes from its path while it is open.
  enum Removal: CaseIterable {
    case removed, allRemoved, allMoved, logRemoved, emptyFile, folderMoved
    case moved, link, pipe, folder

    func carryOut(at path: String, in folder: String) throws {
      let files = FileManager.default
      let own = ["", "-wal", "-shm", "-writer"].map { path + $0 }
        .filter { files.fileExists(atPath: $0) }
      switch self {
      case .removed: try files.removeItem(atPath: path)
      case .allRemoved: for file in own { try files.removeItem(atPath: file) }
      case .allMoved: for file in own { try files.moveItem(atPath: file, toPath: file + ".old") }
      case .logRemoved: try files.removeItem(atPath: path + "-wal")
      case .folderMoved:
        try files.moveItem(atPath: folder, toPath: folder + ".old")
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
      case .emptyFile: try Data().write(to: URL(fileURLWithPath: path), options: .atomic)
      case .moved, .link, .pipe, .folder:
        try files.moveItem(atPath: path, toPath: path + ".old")
        let kinds = [Removal.link: Kind.link, .pipe: .pipe, .folder: .folder]
        try kinds[self]?.make(at: path, other: folder + "/other")
      }
    }
  }

  @Test(arguments: Removal.allCases)
  func nothingIsAcknowledgedIntoAFileThatIsNoLongerThere(removal: Removal) throws {
    let inner = try folder.makeFolder("inner")
    let path = inner + "/journal"
    let user = try Journal(path: path).user("ada")
    try user.append(JournalScript.batch(0))
    // Another one opens and closes it, which takes nothing away.
    _ = try Journal(path: path, access: .reading)
    try user.append(JournalScript.batch(1))
    try removal.carryOut(at: path, in: inner)
    let gone = removal == .logRemoved ? path + "-wal" : path
    for number in 2..<5 {
      #expect(throws: JournalError.replaced(path: gone)) {
        try user.append(JournalScript.batch(number))
      }
    }
    #expect(throws: JournalError.replaced(path: gone)) { try user.updateDays() }
  }

  @Test func aSymbolicLinkWithoutATargetIsRefused() throws {
    let files = FileManager.default
    for (name, target) in [("dangling", "nowhere"), ("ring", "ring")] {
      try files.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
      try expectRefusal(of: folder.path(name), "symbolic link")
    }
  }

  @Test(arguments: [Kind.folder, .pipe, .hardLink])
  func anythingButARegularFileWithOneLinkIsRefused(kind: Kind) throws {
    let path = folder.path("journal")
    if kind == .hardLink {
      try makeJournal(at: folder.path("other"))
      try FileManager.default.linkItem(atPath: folder.path("other"), toPath: path)
    } else {
      try kind.make(at: path, other: folder.path("other"))
    }
    try expectRefusal(of: path, kind.words)
    for path in ["/dev/null", "/dev/zero"] {
      #expect(throws: JournalError.self) { _ = try Journal(path: path) }
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal", "-writer"], Kind.allCases)
  func aCompanionThatIsNotARegularFileIsRefused(ending: String, kind: Kind) throws {
    let path = folder.path("journal")
    try makeJournal(at: path)
    try? FileManager.default.removeItem(atPath: path + ending)
    try kind.make(at: path + ending, other: folder.path("other"))
    try expectRefusal(of: path, kind.words)
    // Nor for a new journal, where there was no companion.
    let inner = try folder.makeFolder("inner")
    try kind.make(at: folder.path("new" + ending), other: inner + "/other")
    try expectRefusalOfWriting(folder.path("new"))
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func aJournalWithTheNameOfAnotherJournalsCompanionIsRefused(ending: String) throws {
    let path = folder.path("journal")
    try makeJournal(at: path + ending)
    try expectRefusalOfWriting(path)
    // Nor is a journal created where the log of another would be.
    let other = folder.path("other")
    try makeJournal(at: other)
    try? FileManager.default.removeItem(atPath: other + ending)
    try expectRefusalOfWriting(other + ending)
  }

  private func expectRefusalOfWriting(_ path: String) throws {
    let before = try content()
    #expect(throws: JournalError.self) { _ = try Journal(path: path) }
    #expect(try content() == before)
  }

  @Test func openingAnotherProgramsDatabaseCreatesNoFiles() throws {
    let path = folder.path("foreign.db")
    let statements = "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)"
    #expect(FaultFileSystem.execute(statements, at: path))
    try expectRefusal(of: path, "another program")
    let text = String(repeating: "certainly not a journal\n", count: 2_000)
    try expectRefusal(of: folder.write(text, to: "text"), "no database")
    let none = folder.path("none")
    #expect(throws: JournalError.notFound(path: none)) {
      _ = try Journal(path: none, access: .reading)
    }
    try expectRefusalOfWriting(none + "/below")
  }

  @Test func anEncryptedJournalOfAnEarlierVersionIsRefusedAndSaysHowToDecryptIt() throws {
    let path = try folder.write(
      "LocomotionCrypt1".utf8 + [UInt8](repeating: 0xA7, count: 8_000), to: "journal")
    try expectRefusal(of: path, "open it once with 0.1.0: locomotion journal rekey")
  }

  @Test func anEmptyFileBecomesAJournalWhenOpenedForWriting() throws {
    let path = try folder.write("", to: "journal")
    #expect(throws: JournalError.self) { _ = try Journal(path: path, access: .reading) }
    try makeJournal(at: path)
    #expect(try Journal(path: path, access: .reading).check().samples == 100)
  }

  @Test func newFilesAreReadableByTheirOwnerOnly() throws {
    let path = folder.path("journal")
    let journal = try Journal(path: path)
    try journal.user("ada").append(JournalScript.batch(0))
    for ending in ["", "-wal", "-shm", "-writer"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + ending)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(ending)")
    }
  }

  @Test func aUserNameInAnotherUnicodeNormalizationIsTheSameUser() throws {
    let journal = try Journal(path: folder.path("journal"))
    let composed = try journal.user("\u{E9}mile")
    #expect(try journal.user("e\u{301}mile").name == composed.name)
    #expect(try journal.userNames() == [composed.name])
  }
}
