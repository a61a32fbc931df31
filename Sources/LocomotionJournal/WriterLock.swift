internal import Foundation

/// The right to write to a journal, held while it is open.
///
/// A file beside the journal is locked by the operating system, which frees it when the process
/// ends, however it ends. SQLite's own locks last for one transaction only.
///
/// A class, because it owns the lock and frees it with its last reference.
final class WriterLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, waiting at most `seconds` for another writer to finish.
  init(path: String, waiting seconds: Double) throws(JournalError) {
    // A journal tells where people live: nobody else may read it. SQLite gives its companions the
    // same rights.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
    let name = path + "-writer"
    descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case EROFS, EACCES, EPERM: throw .readOnly(path: path)
      case ENOSPC, EDQUOT: throw .full(path: path)
      case ENOENT, ENOTDIR: throw .notAJournal(path: path, reason: "its folder does not exist")
      default: throw .inputOutput(path: path, reason: "the lock file cannot be opened")
      }
    }
    let start = ContinuousClock.now
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else {
        close(descriptor)
        throw .inputOutput(path: path, reason: "the lock file cannot be locked")
      }
      guard ContinuousClock.now - start < .seconds(seconds) else {
        close(descriptor)
        throw .busy(path: path)
      }
      usleep(20_000)
    }
  }

  deinit {
    close(descriptor)
  }
}
