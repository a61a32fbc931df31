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
  private var paths: Set<String> = []
  /// Folders that are deleted when they are empty, parents first.
  private var folders: [String] = []

  private init() {}

  /// Adds a path at which something is about to be created.
  package func insert(_ path: String) {
    lock.withLock { _ = paths.insert(path) }
  }

  /// Removes a path from the list.
  package func remove(_ path: String) {
    lock.withLock { _ = paths.remove(path) }
  }

  /// Deletes the file at a path, if the path is in the list.
  package func delete(_ path: String) {
    lock.withLock {
      guard paths.remove(path) != nil else { return }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Adds a folder that was just created for files that will follow.
  func insert(folder path: String) {
    lock.withLock { folders.append(path) }
  }

  /// Removes a folder from the list.
  func remove(folder path: String) {
    lock.withLock { folders.removeAll { $0 == path } }
  }

  /// Removes a folder from the list, and deletes it when it is empty.
  func delete(folder path: String) {
    remove(folder: path)
    unsafe rmdir(path)
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
    for path in paths { try? FileManager.default.removeItem(atPath: path) }
    for folder in folders.reversed() { unsafe rmdir(folder) }
  }
}
