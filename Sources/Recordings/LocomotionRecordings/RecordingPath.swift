internal import Foundation

/// The names of the files that make up one recording: `<stem>[.<kind>].csv[.gz]`.
///
/// The kind is empty for accelerations, `gps` for fixes, `truth` for the reference track.
package struct RecordingPath {
  /// The path without kind and extension.
  let stem: String
  /// The part between the stem and the extension, without its points.
  let kind: String
  /// `.csv`, `.csv.gz`, or empty for any other name.
  let ending: String

  /// The kinds that a name can have; any other point belongs to the stem.
  private static let kinds = ["gps", "truth", "stays", "sources"]

  /// Splits the path of one of the files.
  package init(_ path: String) {
    ending = [".csv.gz", ".csv"].first { path.hasSuffix($0) } ?? ""
    let rest = String(path.dropLast(ending.count))
    let kind = ending.isEmpty ? nil : Self.kinds.first { rest.hasSuffix("." + $0) }
    self.kind = kind ?? ""
    stem = kind.map { String(rest.dropLast($0.count + 1)) } ?? rest
  }

  /// The path of the recording's file of another kind, or nil when there is none.
  ///
  /// A file with the same compression as this one takes precedence.
  package func sibling(_ kind: String) -> String? {
    guard !ending.isEmpty else { return nil }
    let endings = ending == ".csv" ? [".csv", ".csv.gz"] : [".csv.gz", ".csv"]
    let middle = kind.isEmpty ? "" : "." + kind
    return endings.map { stem + middle + $0 }.first { FileManager.default.fileExists(atPath: $0) }
  }
}
