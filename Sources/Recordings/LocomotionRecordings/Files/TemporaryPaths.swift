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

  private init() {}

  /// Adds a path at which something is about to be created, or a folder was for what follows.
  func insert(_ path: String, isFolder: Bool = false) {
    lock.withLock { paths[path] = isFolder }
  }

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

/// A temporary folder of this process, for this user alone.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String
  private let isKept: Bool

  /// A new folder, removed with the last reference, or else when the process deletes its temporary
  /// paths.
  package init(untilExit isKept: Bool = false) throws(RecordingError) {
    self.isKept = isKept
    path = FileManager.default.temporaryDirectory.path + "/locomotion-unpacked-\(UUID().uuidString)"
    TemporaryPaths.shared.insert(path)
    guard unsafe mkdir(path, 0o700) == 0 else {
      TemporaryPaths.shared.remove(path)
      throw .unwritable(path: path, reason: systemErrorText())
    }
  }

  deinit {
    if !isKept { TemporaryPaths.shared.delete(path) }
  }
}
