internal import Foundation

/// The bytes of a journal's files as SQLite would see them.
///
/// Everything that looks at a file itself, beside SQLite, asks here.
enum StoreBytes {
  /// The first `count` bytes of a file, or all; nil when there is none.
  ///
  /// `path` is that of the database or of its write-ahead log; `fileSystem` names the virtual file
  /// system of SQLite to which it belongs, and nil is the system's.
  ///
  /// - Throws: ``JournalError/notAJournal(path:reason:)`` when something else than an ordinary file
  ///   stands there: a pipe would wait for ever. ``JournalError/inputOutput(path:reason:)``.
  static func read(
    _ path: String, fileSystem: String?, upTo count: Int = .max
  ) throws(JournalError) -> [UInt8]? {
    guard try FileEntry(path: path, isCompanion: true) != nil else { return nil }
    if let fileSystem, EncryptedFileSystem.isNamed(fileSystem) {
      let isLog = path.hasSuffix("-wal")
      let database = isLog ? String(path.dropLast("-wal".count)) : path
      return try EncryptedFileSystem.read(database, isLog: isLog, upTo: count, by: fileSystem)
    }
    guard let file = FileHandle(forReadingAtPath: path) else {
      // It was deleted meanwhile, as SQLite does with a log, or must not be read.
      guard try FileEntry(path: path, isCompanion: true) != nil else { return nil }
      throw .inputOutput(path: path, reason: "the file cannot be opened")
    }
    defer { try? file.close() }
    do {
      let data = count == .max ? try file.readToEnd() : try file.read(upToCount: count)
      return [UInt8](data ?? Data())
    } catch {
      throw JournalError.inputOutput(path: path, reason: "the file cannot be read")
    }
  }
}

/// What stands at a path, without following a link.
struct FileEntry {
  let type: FileAttributeType
  let size: Int
  /// How many names the file has.
  let names: Int

  /// Nil when nothing is there.
  ///
  /// - Throws: ``JournalError/inputOutput(path:reason:)`` when that cannot be known. With
  ///   `isCompanion`, ``JournalError/notAJournal(path:reason:)`` unless it is an ordinary file.
  init?(path: String, isCompanion: Bool = false) throws(JournalError) {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      type = attributes[.type] as? FileAttributeType ?? .typeUnknown
      size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      names = (attributes[.referenceCount] as? NSNumber)?.intValue ?? 1
    } catch {
      guard !Self.saysThatNothingIsThere(error) else { return nil }
      throw JournalError.inputOutput(path: path, reason: "its folder cannot be searched")
    }
    if isCompanion { try requireOrdinary(path) }
  }

  /// One ordinary file with one name.
  func requireOrdinary(_ path: String) throws(JournalError) {
    let kind: String? =
      switch type {
      case .typeRegular: names > 1 ? "a file with \(names) names (hard links)" : nil
      case .typeDirectory: "a folder"
      case .typeSymbolicLink: "a symbolic link"
      case .typeSocket: "a socket"
      case .typeCharacterSpecial, .typeBlockSpecial: "a device"
      default: "a pipe or device"
      }
    if let kind {
      throw .notAJournal(path: path, reason: "expected an ordinary file, found \(kind)")
    }
  }

  private static func saysThatNothingIsThere(_ error: any Error) -> Bool {
    var error = error as NSError
    if error.domain == NSCocoaErrorDomain,
      [CocoaError.fileNoSuchFile.rawValue, CocoaError.fileReadNoSuchFile.rawValue]
        .contains(error.code)
    {
      return true
    }
    while error.domain != NSPOSIXErrorDomain,
      let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    {
      error = cause as NSError
    }
    return error.domain == NSPOSIXErrorDomain
      && [Int(ENOENT), Int(ENOTDIR)].contains(error.code)
  }
}
