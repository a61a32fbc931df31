internal import Foundation
package import LocomotionRecordings
internal import LocomotionSensing

/// A format in which recordings can be imported or exported.
public enum RecordingFormat: String, CaseIterable, Sendable {
  /// Tidy CSV: a recording's files or a folder of them, with `labels.csv`.
  case csv
  /// GPX 1.1.
  case gpx
  /// GeoJSON (RFC 7946), one point per fix with Overland's properties.
  case geojson
  /// JSON, one batch per line, as `locomotion record` reads it.
  case ndjson
  /// A batch of the Overland app: GeoJSON points under `locations`.
  case overland
  /// A storyline in the format of the Moves service.
  case moves
  /// A recording of the Sensor Logger app: a folder of CSV files, or its zip.
  case sensorlogger
  /// Messages that the Sensor Logger app sends while it records, one after another.
  case sensorloggerpush
  /// An export of the phyphox app: a folder of CSV files, or its zip.
  case phyphox
  /// A table of another sensor app, a row per instant: SensorLog, AndroSensor, Physics Toolbox,
  /// Sensor Record.
  case table
  /// Google's history of locations, in the forms of its exports.
  case google
  /// Messages of the OwnTracks apps: the recorder's `.rec` files, or JSON.
  case owntracks
  /// Garmin's FIT, one activity or several.
  case fit
  /// Training Center XML, Garmin's TCX 2.
  case tcx
  /// KML, or KMZ, with times: tracks and points.
  case kml
  /// The archive of Strava: `activities.csv` and the files of the activities.
  case strava
  /// The export of Apple's Health: routes of workouts, and `export.xml`.
  case appleHealth = "apple-health"
  /// GeoJSON of Dawarich, with times in seconds.
  case dawarich
  /// Trajectories of the GeoLife set: `.plt` files with `labels.txt`.
  case geolife
  /// The text files of the SHL set.
  case shl
  /// The inertial signals of the UCI HAR set.
  case ucihar
  /// The `.dat` files of the PAMAP2 set.
  case pamap2
  /// An export of LocoKit2 or the Arc app.
  case arc

  /// Whether recordings can be exported in this format.
  public var isWritable: Bool {
    switch self {
    case .csv, .gpx, .geojson, .ndjson, .overland: true
    default: false
    }
  }

  /// The format for an output path by its file name extension; without one a folder of CSV.
  public init?(outputPath path: String) {
    let plain = path.fileName.withoutGzip
    switch plain.split(separator: ".").last.map({ $0.lowercased() }) {
    case _ where !plain.contains("."): self = .csv
    case "gpx": self = .gpx
    case "geojson": self = .geojson
    case "ndjson", "jsonl": self = .ndjson
    default: return nil
    }
  }
}

/// Reads the files of an input in one format, or one of a family of formats.
///
/// A class, because the parsers call it back, and what one file tells may be needed for the next.
class FormatImporter {
  let source: ImportSource
  let sink: ImportSink
  var format = RecordingFormat.csv
  /// What the caller says of the columns of a table, as its headers do not tell.
  var given = TableColumns()

  required init(_ source: ImportSource, _ sink: ImportSink) {
    (self.source, self.sink) = (source, sink)
  }

  func read() throws(RecordingError) {
    throw .refused(
      path: source.path,
      reason: "there is no reader of \(format.rawValue) here: 'locomotion convert' makes CSV of it")
  }

  /// Reads each folder of the input that holds a recording, as a source of its own.
  final func forEachFolder(
    where isData: (String) -> Bool, _ read: (Self) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    let folders = source.folders(where: isData)
    if folders.count > 1 { sink.note("\(folders.count) folders: a recording each") }
    for folder in folders { try read(Self(folder, sink)) }
  }

  /// Reads the values, each of at most `limit` bytes, of lists in a file: those under names in an
  /// object, or in each of an array of objects; an array of values itself has an empty name.
  final func readLists(
    of name: String, _ lists: Set<String>, limit: Int = 1 << 16,
    _ take: (String, JSONValue) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    var stream = JSONStream(try source.bytes(of: name))
    func readValues(_ stream: inout JSONStream, of list: String) throws(RecordingError) {
      try stream.values(limit: limit) { (value) throws(RecordingError) in try take(list, value) }
    }
    func readObject(_ stream: inout JSONStream) throws(RecordingError) {
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        guard !member.isEmpty, lists.contains(member), try stream.peek() != UInt8(ascii: "n")
        else { return try stream.skip() }
        try readValues(&stream, of: member)
      }
    }
    let first = try stream.peek()
    if lists.contains(""), first == UInt8(ascii: "[") {
      try readValues(&stream, of: "")
    } else if lists.contains("") || first == UInt8(ascii: "{") {
      try readObject(&stream)
    } else {
      try stream.array(readObject)
    }
    try stream.end()
  }

  /// What `open` makes of a file; nil, with a note, when it is one of several and has a defect.
  final func ifSound<Content>(
    _ open: () throws(RecordingError) -> Content
  ) throws(RecordingError) -> Content? {
    do {
      return try open()
    } catch let error where source.names.count > 1 {
      sink.note("left out: \(error)")
      return nil
    }
  }

  /// Reads one file of many: when its content is rejected, it is left out from there, with a note.
  final func leavingOutDefects(_ body: () throws(RecordingError) -> Void) throws(RecordingError) {
    do {
      try body()
    } catch let error where error.isInputRejection {
      sink.leaveOut("files with a defect, from there on")
      sink.note("\(error)")
    }
  }
}

extension RecordingFormat {
  private var importer: FormatImporter.Type {
    switch self {
    case .sensorlogger: SensorLoggerImporter.self
    case .sensorloggerpush: SensorLoggerMessages.self
    case .gpx: TrackImporter.self
    #if hasFeature(Embedded)
      default: FormatImporter.self
    #else
      case .tcx, .kml, .fit: TrackImporter.self
      case .csv: TidyImporter.self
      case .geojson, .overland, .dawarich: FeatureImporter.self
      case .ndjson: LineJSONImporter.self
      case .moves: MovesImporter.self
      case .phyphox: PhyphoxImporter.self
      case .table: SensorTableImporter.self
      case .google: GoogleHistoryImporter.self
      case .owntracks: OwnTracksImporter.self
      case .strava: StravaImporter.self
      case .appleHealth: AppleHealthImporter.self
      case .geolife: GeoLifeImporter.self
      case .shl: SHLImporter.self
      case .ucihar: UCIHARImporter.self
      case .pamap2: PAMAP2Importer.self
      case .arc: ArcImporter.self
    #endif
    }
  }

  /// Reads `source` in this format and calls `receiver` with its content.
  ///
  /// - Throws: What `receiver` throws, and `RecordingError` when the source is not in this format,
  ///   or holds nothing that can be kept: then the first defect.
  @discardableResult
  package func read(
    _ source: ImportSource, columns: TableColumns = TableColumns(),
    _ receiver: @escaping (ImportEvent) throws(RecordingError) -> Void
  ) throws(RecordingError) -> ImportReport {
    let sink = ImportSink(receiver)
    let importer = importer.init(source, sink)
    (importer.format, importer.given) = (self, columns)
    #if !hasFeature(Embedded)
      sink.clock = LocalClock(zone: columns.zone.flatMap { TimeZone(identifier: $0) })
    #endif
    try importer.read()
    sink.leaveOut("files whose names are not in UTF-8", count: source.unnamed)
    try sink.finish()
    let report = sink.report
    guard report.kept > 0 else {
      throw report.firstDefect
        ?? .nothingUsable(
          path: source.path, reason: "read \(report.read) rows as \(rawValue), kept none")
    }
    return report
  }

  /// Detects the format of an input from the names and the first bytes of its files.
  ///
  /// - Throws: `RecordingError` when the format is unknown, or the input cannot be read.
  package init(detecting source: ImportSource) throws(RecordingError) {
    if let format = try Self.detected(in: source) {
      self = format
      return
    }
    let start = source.names.first.flatMap { name -> [UInt8]? in
      guard var bytes = try? source.bytes(of: name) else { return nil }
      return try? bytes.prefix(48)
    }
    throw .malformed(
      path: source.path, place: "the whole input",
      expected: "a recording in a form that 'locomotion formats' lists",
      found: start.map(Self.appearance) ?? "no file")
  }

  /// What the first bytes of a file look like, with these bytes.
  private static func appearance(of start: [UInt8]) -> String {
    let text = String(decoding: start, as: UTF8.self).trimmed
    let kinds = [
      ("<html", "a page of HTML"), ("<!doctype html", "a page of HTML"), ("<", "XML"),
      ("{", "JSON"), ("[", "JSON"),
    ]
    let kind = kinds.first { text.lowercased().hasPrefix($0.0) }?.1
    return (kind.map { "\($0): " } ?? (start.contains(0) ? "no text: " : "")) + text
  }

  private static func byNames(_ source: ImportSource) -> Self? {
    let names = source.names.map { $0.lowercased() }
    func hasSuffix(_ suffix: String) -> Bool { names.contains { $0.hasSuffix(suffix) } }
    if hasSuffix(".plt") { return .geolife }
    if hasSuffix("_motion.txt") { return .shl }
    if hasSuffix("total_acc_x_train.txt") || hasSuffix("total_acc_x_test.txt") { return .ucihar }
    if names.contains(where: { $0.contains("samples/") && $0.contains(".json") }) { return .arc }
    if hasSuffix("meta/time.csv") { return .phyphox }
    let files = Set(names.map { $0.fileName })
    // Older versions of the app had no seconds_elapsed, by which its tables are recognised.
    if files.contains("metadata.csv"), !files.isDisjoint(with: SensorLoggerImporter.files) {
      return .sensorlogger
    }
    let tracks = names.filter { TrackImporter.format(of: $0) != nil }
    let hasTable = files.contains("activities.csv")
    if hasTable, tracks.contains(where: { $0.contains("activities/") }) { return .strava }
    let hasRoutes = names.contains { $0.contains("workout-routes/") }
    if hasRoutes, hasSuffix(".xml") { return .appleHealth }
    if hasSuffix(".rec") { return .owntracks }
    let formats = Set(tracks.compactMap(TrackImporter.format(of:)))
    // The activities of Strava without their table are of several formats.
    if formats.count > 1 { return .strava }
    return tracks.count == names.count ? formats.first : nil
  }

  /// The format that the names of the files indicate, or else the content of one; or nil.
  private static func detected(in source: ImportSource) throws(RecordingError) -> Self? {
    if let format = byNames(source) { return format }
    for name in source.names.prefix(64) {
      if let format = try byContent(of: name, source) { return format }
    }
    #if hasFeature(Embedded)
      // The error of the tidy form says what a table lacks.
      return source.isTable ? .csv : nil
    #else
      for name in source.names.prefix(64) where SensorTableImporter.canRead(name, of: source) {
        return .table
      }
      if source.isTable { throw UnknownTable.error(of: source) }
      return nil
    #endif
  }

  /// The format that the first 4 KiB of a file indicate, or nil.
  private static func byContent(
    of name: String, _ source: ImportSource
  ) throws(RecordingError) -> Self? {
    var bytes = try source.bytes(of: name)
    let start = try bytes.prefix(4096)
    if FITMessages.isStart(start) { return .fit }
    guard let first = start.first(where: { $0 > 0x20 }) else { return nil }
    let text = String(decoding: start, as: UTF8.self)
    switch first {
    case UInt8(ascii: "<"):
      let roots: [(String, Self)] = [
        ("<gpx", .gpx), ("<TrainingCenterDatabase", .tcx), ("<kml", .kml),
        ("<HealthData", .appleHealth), ("<!DOCTYPE HealthData", .appleHealth),
      ]
      return roots.first { text.contains($0.0) }?.1 ?? TrackImporter.format(of: name)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(text, first, name)
    default:
      if text.contains("\"_type\""), isOwnTracksLine(start[...]) { return .owntracks }
      if let format = table(text, source) { return format }
      #if !hasFeature(Embedded)
        let rows = try? TableRows(source.lines(of: name), isTidy: false)
        if rows.flatMap(SensorTableImporter.app) != nil { return .table }
      #endif
      return nil
    }
  }

  /// Whether a line has a date before its message.
  static func isOwnTracksLine(_ line: ArraySlice<UInt8>) -> Bool {
    line.first.map { 0x30...0x39 ~= $0 } ?? false
      && line.prefix(64).contains { $0 == UInt8(ascii: "*") || $0 == 0x09 }
  }

  private static func json(_ text: String, _ first: UInt8, _ name: String) -> Self? {
    let plain = text.filter { !$0.isWhitespace }
    if plain.contains("\"_type\":\"") { return .owntracks }
    if name.lowercased().contains(".ndjson") || name.lowercased().contains(".jsonl") {
      return .ndjson
    }
    if plain.contains("\"schemaVersion\"") || plain.contains("\"movingState\"") { return .arc }
    if plain.contains("\"segments\"") || plain.contains("\"trackPoints\"") { return .moves }
    if plain.contains("\"payload\":[") { return .sensorloggerpush }
    if plain.contains("\"sensor\":\""), plain.contains("\"seconds_elapsed\"") {
      return .sensorlogger
    }
    let googles = ["\"latitudeE7\"", "\"timelineObjects\"", "\"semanticSegments\"", "\"geo:"]
    if googles.contains(where: plain.contains) { return .google }
    // Points with names of their own are rows of a table.
    if plain.contains("\"locations\""), !plain.contains("\"lat\":") { return .overland }
    if plain.contains("\"tracker_id\":"), plain.contains("\"features\"") { return .dawarich }
    if plain.contains("\"FeatureCollection\"") || plain.contains("\"features\"") { return .geojson }
    let starts = ["{\"t\":", "{\"fixes\":", "{\"recording\":", "{\"ax\":", "{\"label\":"]
    return first == UInt8(ascii: "{") && starts.contains(where: plain.hasPrefix) ? .ndjson : nil
  }

  private static func table(_ text: String, _ source: ImportSource) -> Self? {
    let lines = text.split { $0.isNewline }
    let line = lines.first.map { $0.lowercased() } ?? ""
    if line.contains("seconds_elapsed") {
      // A file by another name is a table, whose values tell which sensor's.
      return source.names.contains(where: SensorLoggerImporter.isData) ? .sensorlogger : nil
    }
    let phyphox = ["acceleration x", "gyroscope x", "latitude (", "pressure ("]
    if line.contains("time (s)"), phyphox.contains(where: line.contains) { return .phyphox }
    let columns = line.split(separator: ",").map { $0.trimmed }
    if let time = columns.firstIndex(of: "t"), columns.contains("ax") || columns.contains("lat") {
      let row = lines.dropFirst().first?.split(separator: ",", omittingEmptySubsequences: false)
      let field = row?.dropFirst(time).first.map(String.init) ?? ""
      // The tidy form has seconds; a date, or a number too large for them, is another table's.
      let isSeconds =
        Double(field).map { $0.isNaN || Timestamp(seconds: $0) != nil } ?? !field.contains(":")
      // What cannot be m/s² at times in seconds is a table in other units.
      let rows = lines.dropFirst().dropLast().map { line in
        line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.trimmed) }
      }
      let axes = SensorNames.accelerations.compactMap { columns.firstIndex(of: $0) }
      return isSeconds && !isInOtherUnits(rows, time, axes) ? .csv : nil
    }
    let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    if fields.count == 54, fields.allSatisfy({ Double($0) != nil }) { return .pamap2 }
    return nil
  }
}

/// Whether the first rows of accelerations are farther apart than 2 s, or their mean is as long as
/// gravity in g, or far longer than any motion, or those of fixes are at days of a spreadsheet or
/// MATLAB.
private func isInOtherUnits(_ rows: [[Double?]], _ time: Int, _ axes: [Int]) -> Bool {
  let whole = rows.filter { row in ([time] + axes).allSatisfy { $0 < row.count && row[$0] != nil } }
  guard whole.count >= 16 else { return false }
  let times = whole.map { $0[time] ?? 0 }
  let step = times.steps.median ?? 0
  guard axes.count == 3 else {
    return [2e4...8e4, 7e5...8e5].contains { $0.contains(times[0]) } && 0 < step && step < 0.02
  }
  let sums = axes.map { axis in whole.reduce(0.0) { $0 + ($1[axis] ?? 0) } }
  let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot() / Double(whole.count)
  return step >= 2 || length > 200 || 0.85...1.15 ~= length
}

extension ImportSource {
  /// Whether the only file is a table by its name.
  fileprivate var isTable: Bool {
    names.count == 1
      && [".csv", ".csv.gz", ".tsv"].contains { names[0].lowercased().hasSuffix($0) }
  }
}
