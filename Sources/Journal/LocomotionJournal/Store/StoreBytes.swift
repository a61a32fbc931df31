internal import Foundation

/// The bytes of a journal's files, read without SQLite.
enum StoreBytes {
  /// The first `count` bytes of a file, or all; nil when there is no file.
  ///
  /// - Throws: ``JournalError/notAJournal(path:reason:)`` unless it is a regular file (a pipe would
  ///   block for ever); ``JournalError/inputOutput(path:reason:)`` when it cannot be read.
  static func read(
    _ path: String, upTo count: Int
  ) throws(JournalError) -> [UInt8]? {
    guard try FileEntry(path: path, isCompanion: true) != nil else { return nil }
    guard let file = FileHandle(forReadingAtPath: path) else {
      // It was deleted in the meantime, as SQLite does with a log, or is not readable.
      guard try FileEntry(path: path, isCompanion: true) != nil else { return nil }
      throw .inputOutput(path: path, reason: "the file cannot be opened")
    }
    defer { try? file.close() }
    do {
      return [UInt8](try file.read(upToCount: count) ?? Data())
    } catch {
      throw JournalError.inputOutput(path: path, reason: "the file cannot be read")
    }
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
