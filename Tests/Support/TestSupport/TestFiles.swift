public import Foundation

/// The locations of test files: the package, its golden data, and real recordings.
public enum TestFiles {
  /// The folder that holds `Package.swift`.
  public static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder of real recordings, or nil when it does not exist.
  ///
  /// `LOCOMOTION_DATASETS` gives its path; the default is `../shared/datasets` beside the package.
  public static let datasets: URL? = {
    let named = ProcessInfo.processInfo.environment["LOCOMOTION_DATASETS"]
    let folder =
      named.map { URL(fileURLWithPath: $0) }
      ?? packageRoot.deletingLastPathComponent().appendingPathComponent("shared/datasets")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// The numbers of `Tests/Support/Golden/<name>`: one row per line, comma-separated; `#` starts a
  /// comment.
  public static func golden(_ name: String) throws -> [[Double]] {
    let file = packageRoot.appendingPathComponent("Tests/Support/Golden/\(name)")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        try line.split(separator: ",").map { field in
          guard let value = Double(field.trimmingCharacters(in: .whitespaces)) else {
            throw CocoaError(.fileReadCorruptFile)
          }
          return value
        }
      }
  }
}

func logarithm(_ x: Double) -> Double { Foundation.log(x) }
func cosine(_ x: Double) -> Double { Foundation.cos(x) }
