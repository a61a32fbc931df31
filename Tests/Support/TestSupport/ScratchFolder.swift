package import Foundation

/// A folder for one test's files, removed with the last reference.
///
/// A suite that has one as a property has an empty folder for each of its tests.
package final class ScratchFolder: Sendable {
  package let path: String

  /// A new folder; what is written to it throws where it cannot be created.
  package init() {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("locomotion-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, whether it exists or not.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The folder itself.
  package var url: URL { URL(fileURLWithPath: path) }

  /// The names of what is in the folder, or in one below it, sorted.
  package func names(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: self.path(name)).sorted()
  }

  /// The text of a file in UTF-8.
  package func text(_ name: String) throws -> String {
    try String(contentsOfFile: path(name), encoding: .utf8)
  }

  /// The bytes of a file.
  package func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  /// Writes `bytes`, creates the folders they need, and returns the file's path.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let file = URL(fileURLWithPath: path(name))
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

  /// Creates a folder below this one, and returns its path.
  @discardableResult
  package func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: true)
    return path(name)
  }
}
