package import LocomotionRecordings
package import LocomotionSensing

/// A file of features of GeoJSON (RFC 7946), one per line.
package struct FeatureCollection {
  /// What a collection begins with.
  static let head = "{\"type\":\"FeatureCollection\",\"features\":[\n"

  private let file: OutputFile
  private var isFirst = true

  /// A collection without features yet.
  package init(
    _ file: OutputFile, head: String = FeatureCollection.head
  ) throws(RecordingError) {
    self.file = file
    try file.write(head)
  }

  /// Writes a feature with a geometry and members of its properties.
  package mutating func write(
    _ geometry: String, _ properties: [String]
  ) throws(RecordingError) {
    try file.write((isFirst ? "" : ",\n") + Self.feature(geometry, properties))
    isFirst = false
  }

  /// Writes the end of the file's content.
  package func finish() throws(RecordingError) {
    try file.write("\n]}\n")
  }

  /// The text of a feature.
  package static func feature(_ geometry: String, _ properties: [String]) -> String {
    "{\"type\":\"Feature\",\"geometry\":\(geometry),"
      + "\"properties\":{\(properties.joined(separator: ","))}}"
  }

  /// The text of a geometry of a type.
  package static func geometry(_ type: String, _ coordinates: String) -> String {
    "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
  }

  /// The coordinates of a fix, all digits, longitude first.
  package static func position(of fix: LocationFix) -> String {
    "[\(fix.longitude),\(fix.latitude)\(fix.altitude.map { ",\($0)" } ?? "")]"
  }
}
