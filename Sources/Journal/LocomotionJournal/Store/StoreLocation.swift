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
    let start = try Self.start(of: self.path, StoreFormat.pageSize)
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
      if (try? Self.start(of: companion, 16)) == Self.databaseLetters {
        throw .notAJournal(
          path: path, reason: "\(companion) is a database of its own and not a companion")
      }
    }
  }

  /// The first `count` bytes of an ordinary file, or all; none when there is no file.
  private static func start(of path: String, _ count: Int) throws(JournalError) -> [UInt8] {
    // A pipe would block for ever.
    guard try FileEntry(path: path, isCompanion: true) != nil else { return [] }
    guard let file = FileHandle(forReadingAtPath: path) else {
      // It was deleted in the meantime, as SQLite does with a log, or is not readable.
      guard try FileEntry(path: path) != nil else { return [] }
      throw .inputOutput(path: path, reason: "the file cannot be opened")
    }
    defer { try? file.close() }
    do {
      return [UInt8](try file.read(upToCount: count) ?? Data())
    } catch {
      throw JournalError.inputOutput(path: path, reason: "the file cannot be read")
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
      let log = try Self.start(of: path + "-wal", 4)
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

  /// Has Apple's systems encrypt a journal's files until the first unlock after a restart.
  ///
  /// A recorder can continue while the phone is locked again. On other systems, and where the file
  /// system has no protection classes, this does nothing.
  static func protectFiles(of path: String) {
    #if os(iOS) || os(watchOS)
      for ending in [""] + StoreLocation.companions {
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
          ofItemAtPath: path + ending)
      }
    #endif
  }
}

/// The directory entry at a path; symbolic links are not followed.
struct FileEntry: Equatable {
  private let status: stat

  var size: Int { Int(status.st_size) }
  var isSymbolicLink: Bool { status.st_mode & S_IFMT == S_IFLNK }

  /// Whether both are one file, whatever its name.
  static func == (one: FileEntry, other: FileEntry) -> Bool {
    (one.status.st_dev, one.status.st_ino) == (other.status.st_dev, other.status.st_ino)
  }

  init(_ status: stat) { self.status = status }

  /// Nil when there is no entry.
  ///
  /// - Throws: ``JournalError/inputOutput(path:reason:)`` when the folder cannot be searched. With
  ///   `isCompanion`, ``JournalError/notAJournal(path:reason:)`` unless it is a regular file.
  init?(path: String, isCompanion: Bool = false) throws(JournalError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      guard errno != ENOENT, errno != ENOTDIR else { return nil }
      throw .inputOutput(path: path, reason: "its folder cannot be searched")
    }
    self.init(status)
    if isCompanion { try requireOrdinary(path) }
  }

  /// Throws ``JournalError/notAJournal(path:reason:)`` unless it is a regular file with one name.
  func requireOrdinary(_ path: String) throws(JournalError) {
    let (names, type) = (status.st_nlink, status.st_mode & S_IFMT)
    let kind: String? =
      switch type {
      case S_IFREG: names > 1 ? "a file with \(names) names (hard links)" : nil
      case S_IFDIR: "a folder"
      case S_IFLNK: "a symbolic link"
      case S_IFSOCK: "a socket"
      case S_IFCHR, S_IFBLK: "a device"
      default: "a pipe or device"
      }
    if let kind {
      throw .notAJournal(path: path, reason: "expected an ordinary file, found \(kind)")
    }
  }
}
