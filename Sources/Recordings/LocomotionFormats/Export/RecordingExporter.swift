internal import Foundation
package import LocomotionRecordings
package import LocomotionSensing

/// Writes the events of an importer in one format; the creator of its files commits them.
package protocol RecordingExporter: AnyObject {
  /// Writes one event, or buffers it.
  func take(_ event: ImportEvent) throws(RecordingError)
  /// Writes what is buffered.
  func finish() throws(RecordingError)
  /// After `finish`: whether anything was written of what `report` kept, and notes on what was not.
  func result(of report: ImportReport) -> (isWritten: Bool, notes: [String])
}

extension RecordingExporter {
  /// The result of a form that holds everything.
  package func result(of report: ImportReport) -> (isWritten: Bool, notes: [String]) { (true, []) }
}

extension RecordingFormat {
  /// An exporter to the file or folder `path`, for every writable form.
  package func exporter(
    to path: String, in outputs: OutputFiles
  ) throws(RecordingError) -> any RecordingExporter {
    switch self {
    case .gpx: try GPXExporter(outputs.open(path))
    case .geojson: try FeatureExporter(outputs.open(path), isOverland: false)
    case .overland: try FeatureExporter(outputs.open(path), isOverland: true)
    case .ndjson: try LineJSONExporter(outputs.open(path))
    default: try TidyExporter(folder: path, to: outputs)
    }
  }
}

/// Writes a form that holds fixes alone.
package protocol FixExporter: RecordingExporter {
  /// Begins a recording, of which the fixes after it are.
  func begin(_ recording: ImportedRecording) throws(RecordingError)
  func write(_ fix: LocationFix) throws(RecordingError)
}

extension FixExporter {
  package func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording(let recording): try begin(recording)
    case .batch(let batch): for fix in batch.fixes { try write(fix) }
    case .label: break
    }
  }

  package func result(of report: ImportReport) -> (isWritten: Bool, notes: [String]) {
    let lost = [
      (report.accelerations, "accelerations"), (report.rotationRates, "rotation rates"),
      (report.pressures, "pressures"), (report.labels, "labels"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return (report.fixes > 0, lost.isEmpty ? [] : ["not written: \(lost); the form holds fixes"])
  }
}

/// Escaping of text from an input for the formats of the output; of JSON see `JSONText`.
package enum ForeignText {
  /// Text of an XML element; characters that XML 1.0 forbids are left out.
  static func xml(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": break
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// A field of CSV: without line breaks, quoted where needed.
  ///
  /// A spreadsheet evaluates a field that begins with `=`, `+`, `-` or `@` as a formula; an
  /// apostrophe in front of it prevents that.
  static func csv(_ text: String) -> String {
    csv(withLines: text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 })
  }

  /// The same with line breaks, which a field has between quotation marks.
  package static func csv(withLines text: some Sequence<Unicode.Scalar>) -> String {
    // By scalars: CR LF is one Character, and so is a comma with a combining accent.
    var scalars = Array(text)
    let formulas: [Unicode.Scalar] = ["=", "+", "-", "@", "\t", "\r"]
    if let first = scalars.first, formulas.contains(first) { scalars.insert("'", at: 0) }
    let special: [Unicode.Scalar] = [",", "\"", "\n", "\r"]
    if scalars.contains(where: special.contains) {
      scalars = ["\""] + scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] } + ["\""]
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// A file name without path components: ASCII letters and digits, `-`, `_`; at most 64.
  static func fileName(_ text: String) -> String {
    let safe = text.unicodeScalars.prefix(64).map(Character.init).map { character in
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain || character == "-" ? character : "_"
    }
    return safe.isEmpty ? "recording" : String(safe)
  }
}
