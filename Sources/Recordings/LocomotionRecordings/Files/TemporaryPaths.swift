internal import Foundation

/// The temporary files and folders of this process.
///
/// Whoever ends the process early (a signal handler) deletes them first.
package final class TemporaryPaths: @unchecked Sendable {
  /// The temporary paths of this process.
  package static let shared = TemporaryPaths()

  private let lock = NSLock()
  /// Held while files are renamed.
  private let exit = NSLock()
  /// Whether each is a folder for files that will follow, deleted only when it is empty.
  private var paths: [String: Bool] = [:]
  /// What is locked until the process ends.
  private var locks: [FolderLock] = []

  private init() {}

  /// Keeps a lock until the process ends.
  func keep(_ folder: FolderLock) { lock.withLock { locks.append(folder) } }

  /// Adds a path at which something is about to be created, or a folder was for what follows.
  func insert(_ path: String, isFolder: Bool = false) {
    lock.withLock { paths[path] = isFolder }
  }

  /// Removes a path from the list.
  func remove(_ path: String) {
    lock.withLock { paths[path] = nil }
  }

  /// Deletes what is at a path, if the path is in the list; a folder only when it is empty.
  func delete(_ path: String) {
    lock.withLock {
      guard let isFolder = paths.removeValue(forKey: path) else { return }
      Self.delete(path, isFolder: isFolder)
    }
  }

  private static func delete(_ path: String, isFolder: Bool) {
    if isFolder { unsafe rmdir(path) } else { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Runs `body`, for which ``deleteAllForExit()`` waits; it may call ``remove(_:)``.
  func undisturbed(
    _ body: () throws(RecordingError) -> Void
  ) throws(RecordingError) {
    exit.lock()
    defer { exit.unlock() }
    try body()
  }

  /// Deletes everything and blocks further renaming: the process must end now.
  package func deleteAllForExit() {
    exit.lock()
    lock.lock()
    // Files before their folders, and these before those that they are in.
    let order = paths.sorted { ($0.value ? 0 : 1, $0.key.count) > ($1.value ? 0 : 1, $1.key.count) }
    for (path, isFolder) in order { Self.delete(path, isFolder: isFolder) }
  }
}

/// A temporary folder of this process, removed with the last reference.
///
/// Its lock tells other processes that it is in use: each removes the folders of those that were
/// killed.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String
  private let lock: FolderLock
  private let isKept: Bool

  /// A folder that stays until the process deletes its temporary paths.
  package static func untilExit() throws(RecordingError) -> TemporaryFolder {
    try TemporaryFolder(isKept: true)
  }

  /// A new folder, for this user alone.
  package init(isKept: Bool = false) throws(RecordingError) {
    self.isKept = isKept
    let parent = FileManager.default.temporaryDirectory.path
    Self.removeUnlocked(in: parent)
    for _ in 0..<10 {
      let path = "\(parent)/\(Self.start)\(UUID().uuidString)"
      TemporaryPaths.shared.insert(path)
      guard unsafe mkdir(path, 0o700) == 0 else {
        TemporaryPaths.shared.remove(path)
        throw .unwritable(path: path, reason: systemErrorText())
      }
      // Another process may have taken it for a left one in between.
      if let lock = FolderLock(path, exclusively: false), FileStatus(path: path) != nil {
        (self.path, self.lock) = (path, lock)
        if isKept { TemporaryPaths.shared.keep(lock) }
        return
      }
      TemporaryPaths.shared.delete(path)
    }
    throw .unwritable(path: parent, reason: "a temporary folder cannot be locked")
  }

  deinit {
    if !isKept { TemporaryPaths.shared.delete(path) }
  }

  private static let start = "locomotion-unpacked-"

  /// Removes this user's temporary folders that no process holds.
  private static func removeUnlocked(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(start) && UUID(uuidString: String(name.dropFirst(start.count))) != nil {
      let path = "\(parent)/\(name)"
      guard FileStatus(path: path)?.owner == getuid(),
        let lock = FolderLock(path, exclusively: true), lock.isHeld
      else { continue }
      withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
    }
  }
}

/// A lock on a folder, which the system releases when the process ends, however it ends.
///
/// A class, because it owns the lock and releases it with its last reference. On file systems
/// without locks nobody excludes another.
final class FolderLock: Sendable {
  private let descriptor: Int32
  /// Whether it is locked; false on file systems without locks.
  let isHeld: Bool

  /// Nil when the folder cannot be opened, or another lock excludes this one.
  init?(_ path: String, exclusively: Bool) {
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let kind = exclusively ? LOCK_EX : LOCK_SH
    isHeld = descriptor >= 0 && flock(descriptor, kind | LOCK_NB) == 0
    guard descriptor >= 0, isHeld || errno != EWOULDBLOCK else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
