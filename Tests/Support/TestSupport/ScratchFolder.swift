package import Foundation

/// A folder for one test's files, removed with the last reference.
package final class ScratchFolder {
  package let path: String

  package init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("locomotion-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes `bytes`, creates the folders they need, and returns the file's path.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  /// Writes `text` and returns the file's path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(text.utf8, to: name)
  }
}

/// Runs `body` with a folder that is removed with its content afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = try ScratchFolder()
  return try withExtendedLifetime(folder) { try body(URL(fileURLWithPath: folder.path)) }
}

/// Runs `body` with a folder that is removed with its content afterwards.
package func withTemporaryFolder<Result>(
  _ body: (URL) async throws -> Result
) async throws -> Result {
  let folder = try ScratchFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(URL(fileURLWithPath: folder.path))
}
