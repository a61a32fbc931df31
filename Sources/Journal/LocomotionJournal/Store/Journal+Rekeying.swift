internal import Foundation

extension Journal {
  /// Encrypts a journal, changes its key, or decrypts it.
  ///
  /// The journal is copied to a file beside it, which is read back and compared, and then replaces
  /// it. After a failure before that the journal is unchanged. What the disk retains of the old
  /// file's blocks is out of reach.
  ///
  /// - Parameters:
  ///   - path: The path of the journal; nobody else may have it open.
  ///   - key: The new key; nil to decrypt.
  ///   - settings: How to open it now, with its present key.
  /// - Throws: ``JournalError``: what opening throws; `busy` when somebody reads it; `full` when
  ///   there is no room for a second copy in the meantime.
  public static func rekey(
    path: String, to key: JournalKey?, settings: Settings = .init()
  ) throws(JournalError) {
    let old = try EncryptedFileSystem(settings.key, over: nil)
    let new = try EncryptedFileSystem(key, over: nil)
    let location = try StoreLocation(
      path, .writing, fileSystem: old?.name, key: settings.key)
    guard !location.isNew else { throw .notFound(path: path) }
    let lock = try WriterLock(path: location.path, waiting: settings.longestWait)
    var own = settings
    own.fileSystem = old?.name
    try emptyLog(location.path, own, lock)
    removeCopies(of: location.path)
    let copy = location.path + copyMark + UUID().uuidString
    let isMade = FileManager.default.createFile(
      atPath: copy, contents: nil, attributes: [.posixPermissions: 0o600])
    guard isMade else { throw .inputOutput(path: copy, reason: "the file cannot be made") }
    do throws(JournalError) {
      try EncryptedFileSystem.copy(location.path, by: old, to: copy, by: new)
      try lock.replaceStore(by: copy)
    } catch {
      try? FileManager.default.removeItem(atPath: copy)
      throw error
    }
  }

  /// Runs a checkpoint that empties the log, and closes the file.
  private static func emptyLog(
    _ path: String, _ settings: Settings, _ lock: WriterLock
  ) throws(JournalError) {
    let connection = try open(path, .writing, settings, lock)
    guard try connection.emptyLog() else { throw .busy(path: path) }
  }

  private static let copyMark = "-rekey-"

  /// Removes the copies that an interrupted ``rekey(path:to:settings:)`` has left.
  static func removeCopies(of path: String) {
    let file = URL(fileURLWithPath: path)
    let folder = file.deletingLastPathComponent().path
    let start = file.lastPathComponent + copyMark
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }
}
