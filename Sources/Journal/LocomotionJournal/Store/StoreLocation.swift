internal import Foundation

/// The location of a journal's files, checked before any of them is opened.
///
/// SQLite follows a symbolic link and puts the log beside its target. So the link is resolved here
/// first: by whichever name a journal is opened, its log and its lock are the same. A file with two
/// names (hard links) would have two logs, each of which hides what is in the other: it is refused,
/// also for reading, which would miss the content of the other log.
struct StoreLocation {
  /// The path, with symbolic links at its end resolved.
  let path: String

  /// The endings of the files that SQLite and the lock create beside a journal.
  static let companions = ["-wal", "-shm", "-journal", "-writer"]

  /// Resolves `path` and inspects what is there; nothing is created or changed.
  ///
  /// - Throws: ``JournalError``: `notFound`, `notAJournal`, `inputOutput`, `encrypted`.
  init(_ path: String, _ access: Journal.Access) throws(JournalError) {
    guard !path.isEmpty, !path.contains("\0"), !path.hasSuffix("/") else {
      throw .notAJournal(path: path, reason: "the path names no file")
    }
    // SQLite gives these names a meaning of its own.
    let isSpecial = path.hasPrefix(":") || path.lowercased().hasPrefix("file:")
    self.path = try Self.followed(isSpecial ? "./" + path : path)
    let entry = try FileEntry(path: self.path)
    if let entry {
      try entry.requireOrdinary(self.path)
    } else if access == .reading {
      throw .notFound(path: path)
    }
    try checkName()
    try checkCompanions()
    guard let entry else { return }
    let start = try StoreBytes.read(self.path, upTo: StoreFormat.pageSize) ?? []
    guard !start.starts(with: Self.encryptedLetters) else { throw .encrypted(path: self.path) }
    if entry.size > 0 {
      try recognise(start)
    } else if access == .reading {
      throw .notAJournal(path: self.path, reason: "the file is empty")
    }
  }

  /// What an encrypted journal of version 0.1.0 begins with.
  private static let encryptedLetters = Array("LocomotionCrypt1".utf8)

  /// The target of the symbolic links at the end of a path.
  private static func followed(_ path: String) throws(JournalError) -> String {
    guard try FileEntry(path: path)?.isSymbolicLink == true else { return path }
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard try FileEntry(path: target)?.isSymbolicLink == false else {
      throw .notAJournal(path: path, reason: "the symbolic link leads to no file")
    }
    return target
  }

  /// A file with the name of another journal's companion is that companion, or would be taken for
  /// it.
  private func checkName() throws(JournalError) {
    for ending in Self.companions where path.hasSuffix(ending) {
      let owner = String(path.dropLast(ending.count))
      guard !owner.isEmpty, !owner.hasSuffix("/"), try FileEntry(path: owner) != nil else {
        continue
      }
      throw .notAJournal(path: path, reason: "the name belongs to the files of \(owner)")
    }
  }

  /// The files beside a journal must be SQLite's companions, because it would write to them.
  private func checkCompanions() throws(JournalError) {
    for ending in Self.companions {
      let companion = path + ending
      guard try FileEntry(path: companion, isCompanion: true) != nil else { continue }
      let start = try? StoreBytes.read(companion, upTo: 16)
      if start == Self.databaseLetters {
        throw .notAJournal(
          path: path, reason: "\(companion) is a database of its own and not a companion")
      }
    }
  }

  /// What every database begins with.
  private static let databaseLetters = Array("SQLite format 3".utf8) + [0]

  /// Checks that the file is a journal, before SQLite may create anything beside it.
  ///
  /// Source: SQLite's documentation, "Database File Format", 1.3 and 1.6.
  private func recognise(_ start: [UInt8]) throws(JournalError) {
    let header = start.prefix(100)
    guard header.count == 100, header.starts(with: Self.databaseLetters) else {
      // The power may have failed while the first page was copied from the log, which has it still.
      let log = try StoreBytes.read(path + "-wal", upTo: 4) ?? []
      guard log.dropLast() != [0x37, 0x7F, 0x06] else { return }
      // SQLite would first roll back the transaction of a rollback journal: the creation of the
      // file.
      let isBeingMade = try (FileEntry(path: path + "-journal")?.size ?? 0) > 0
      guard isBeingMade, header.allSatisfy({ $0 == 0 }) else {
        throw .notAJournal(path: path, reason: "the file is no database")
      }
      return
    }
    let application = header[68..<72].reduce(0) { $0 << 8 | Int64($1) }
    // A leaf page of the schema table without a row: an empty database, as SQLite creates it.
    let isEmpty = start.count >= 105 && start[100] == 13 && start[103] == 0 && start[104] == 0
    guard application == StoreFormat.applicationID || application == 0 && isEmpty else {
      throw .notAJournal(path: path, reason: "the file belongs to another program")
    }
  }
}

extension Journal {
  /// Whether a path leads to a journal or to one of its companions, by whichever name.
  package static func isFile(_ path: String, ofJournalAt store: String) -> Bool {
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let journal = URL(fileURLWithPath: store).resolvingSymlinksInPath().path
    return ([""] + StoreLocation.companions).contains { real == journal + $0 }
  }
}
