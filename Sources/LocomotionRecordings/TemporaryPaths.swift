internal import Foundation

/// The files and folders that this process has for a while only.
///
/// Who ends the process early (a handler of signals) removes them first.
package final class TemporaryPaths: @unchecked Sendable {
  /// Those of this process.
  package static let shared = TemporaryPaths()

  private let lock = NSLock()
  /// Held while files get their names.
  private let exit = NSLock()
  private var paths: Set<String> = []
  /// Folders that go if nothing is left in them; those above others come first.
  private var folders: [String] = []

  private init() {}

  /// Adds a path at which something is about to be made.
  package func insert(_ path: String) {
    lock.withLock { _ = paths.insert(path) }
  }

  /// Forgets a path.
  package func remove(_ path: String) {
    lock.withLock { _ = paths.remove(path) }
  }

  /// Deletes what is at a path, if it was added and not forgotten since.
  package func delete(_ path: String) {
    lock.withLock {
      guard paths.remove(path) != nil else { return }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Adds a folder that was just made for files that are still to come.
  func insert(folder path: String) {
    lock.withLock { folders.append(path) }
  }

  /// Forgets a folder.
  func remove(folder path: String) {
    lock.withLock { folders.removeAll { $0 == path } }
  }

  /// Forgets a folder, and deletes it unless something has been put into it.
  func delete(folder path: String) {
    remove(folder: path)
    unsafe rmdir(path)
  }

  /// Runs `body`, which ``deleteAllForExit()`` waits for; it may call ``remove(_:)``.
  func undisturbed(
    _ body: () throws(RecordingError) -> Void
  ) throws(RecordingError) {
    exit.lock()
    defer { exit.unlock() }
    try body()
  }

  /// Deletes everything and keeps more from being renamed: the process must end now.
  package func deleteAllForExit() {
    exit.lock()
    lock.lock()
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
    for folder in folders.reversed() { unsafe rmdir(folder) }
  }
}
