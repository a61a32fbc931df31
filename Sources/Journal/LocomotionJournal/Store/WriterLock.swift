internal import Foundation

/// The exclusive lock of a journal's writer, held while the journal is open.
///
/// The operating system locks a file beside the journal and releases it when the process ends,
/// however it ends. SQLite's own locks last for one transaction only.
///
/// A class, because it owns the lock and releases it with its last reference.
final class WriterLock: Sendable {
  private let descriptor: Int32
  private let path: String
  /// What was created here, and is removed again when the journal is refused.
  private let madeLock: Bool
  private let madeStore: Bool

  /// Takes the lock, waiting at most `seconds` for another writer to finish, and creates the
  /// journal's file when there is none.
  ///
  /// - Throws: ``JournalError``: `busy`, `readOnly`, `full`, `notAJournal`, `inputOutput`.
  init(path: String, waiting seconds: Double) throws(JournalError) {
    self.path = path
    let start = ContinuousClock.now
    while true {
      let (file, isNew) = try Self.openLock(of: path)
      do {
        try Self.lock(file, path) { ContinuousClock.now - start < .seconds(seconds) }
      } catch {
        close(file)
        throw error
      }
      // Another program may have removed the file while this one waited for the lock.
      guard Self.isStill(file, at: path + "-writer") else {
        close(file)
        continue
      }
      // A journal reveals where people live: nobody else may read it. SQLite creates its companion
      // files with the same permissions.
      let store = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      let code = errno
      if store >= 0 { close(store) }
      guard store >= 0 || code == EEXIST else {
        if isNew { unsafe _ = unlink(path + "-writer") }
        close(file)
        throw Self.error(code, path)
      }
      descriptor = file
      madeLock = isNew
      madeStore = store >= 0
      return
    }
  }

  deinit {
    close(descriptor)
  }

  /// Removes the files that were created for a journal that could not be opened.
  func withdraw() {
    if madeStore, (try? FileEntry(path: path))??.size == 0 { unsafe _ = unlink(path) }
    if madeLock { unsafe _ = unlink(path + "-writer") }
  }

  private static func openLock(
    of path: String
  ) throws(JournalError) -> (file: Int32, isNew: Bool) {
    let name = path + "-writer"
    let isNew = try FileEntry(path: name) == nil
    let file = unsafe open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw error(errno, path) }
    return (file, isNew)
  }

  private static func lock(
    _ file: Int32, _ path: String, while mayWait: () -> Bool
  ) throws(JournalError) {
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw .inputOutput(path: path, reason: "the lock file cannot be locked")
      }
      guard mayWait() else { throw .busy(path: path) }
      usleep(20_000)
    }
  }

  private static func isStill(_ file: Int32, at name: String) -> Bool {
    var status = stat()
    return unsafe fstat(file, &status) == 0 && (try? FileEntry(path: name)) == FileEntry(status)
  }

  private static func error(_ code: Int32, _ path: String) -> JournalError {
    switch code {
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    case ENOSPC, EDQUOT: .full(path: path)
    case ENOENT, ENOTDIR: .notAJournal(path: path, reason: "its folder does not exist")
    default: .inputOutput(path: path, reason: "the lock file cannot be opened")
    }
  }
}
