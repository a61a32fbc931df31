internal import Foundation

/// The bytes of a journal's files, read without SQLite.
package enum StoreBytes {
  /// The first `count` bytes of a file, or all; nil when there is no file.
  ///
  /// - Throws: ``JournalError/notAJournal(path:reason:)`` unless it is a regular file (a pipe would
  ///   block for ever); ``JournalError/inputOutput(path:reason:)`` when it cannot be read.
  package static func read(
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
struct FileEntry {
  let type: FileAttributeType
  let size: Int
  /// The number of hard links.
  let names: Int

  /// Nil when there is no entry.
  ///
  /// - Throws: ``JournalError/inputOutput(path:reason:)`` when the folder cannot be searched. With
  ///   `isCompanion`, ``JournalError/notAJournal(path:reason:)`` unless it is a regular file.
  init?(path: String, isCompanion: Bool = false) throws(JournalError) {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      type = attributes[.type] as? FileAttributeType ?? .typeUnknown
      size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      names = (attributes[.referenceCount] as? NSNumber)?.intValue ?? 1
    } catch {
      guard !Self.isMissingFile(error) else { return nil }
      throw JournalError.inputOutput(path: path, reason: "its folder cannot be searched")
    }
    if isCompanion { try requireOrdinary(path) }
  }

  /// Throws ``JournalError/notAJournal(path:reason:)`` unless it is a regular file with one name.
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

  private static func isMissingFile(_ error: any Error) -> Bool {
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
