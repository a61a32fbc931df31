internal import Foundation
package import LocomotionRecordings
internal import LocomotionSensing

extension RecordingFormat {
  /// Detects the format of an input from the names and the first bytes of its files.
  ///
  /// - Throws: `RecordingError` when the format is unknown, or the input cannot be read.
  package init(detecting source: ImportSource) throws(RecordingError) {
    if let format = Self.byNames(source) {
      self = format
      return
    }
    for name in source.names.prefix(64) {
      if let format = try Self.byContent(of: name, source) {
        self = format
        return
      }
    }
    for name in source.names.prefix(64) where SensorTableImporter.canRead(name, of: source) {
      self = .table
      return
    }
    if source.isTable {
      guard let rows = try? TableRows(source.lines(of: source.names[0]), isTidy: false) else {
        throw .empty(path: source.path)
      }
      throw UnknownTable.error(rows, path: source.path)
    }
    let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
    throw .malformed(
      path: source.path, place: "the whole input", expected: "one of the forms \(known)",
      found: source.names.isEmpty ? "no file" : source.names.prefix(3).joined(separator: ", "))
  }

  private static func byNames(_ source: ImportSource) -> Self? {
    let names = source.names.map { $0.lowercased() }
    func hasSuffix(_ suffix: String) -> Bool { names.contains { $0.hasSuffix(suffix) } }
    if hasSuffix(".plt") { return .geolife }
    if hasSuffix("_motion.txt") { return .shl }
    if hasSuffix("total_acc_x_train.txt") || hasSuffix("total_acc_x_test.txt") { return .ucihar }
    if names.contains(where: { $0.contains("samples/") && $0.contains(".json") }) { return .arc }
    if hasSuffix("meta/time.csv") { return .phyphox }
    let files = Set(names.compactMap { $0.split(separator: "/").last.map(String.init) })
    // Older versions of the app had no seconds_elapsed, by which its tables are recognised.
    if files.contains("metadata.csv"),
      !files.isDisjoint(with: SensorLoggerImporter.files)
    {
      return .sensorlogger
    }
    if files.contains("activities.csv"),
      names.contains(where: { $0.contains("activities/") && TrackImporter.format(of: $0) != nil })
    {
      return .strava
    }
    if names.contains(where: { $0.contains("workout-routes/") }),
      names.contains(where: { $0.hasSuffix(".xml") })
    {
      return .appleHealth
    }
    if hasSuffix(".rec") { return .owntracks }
    let formats = Set(names.compactMap(TrackImporter.format(of:)))
    // The activities of Strava without their table are of several formats.
    if formats.count > 1 { return .strava }
    return names.allSatisfy { TrackImporter.format(of: $0) != nil } ? formats.first : nil
  }

  /// The format that the first 4 KiB of a file indicate, or nil.
  private static func byContent(
    of name: String, _ source: ImportSource
  ) throws(RecordingError) -> Self? {
    var bytes = try source.bytes(of: name)
    var start = try bytes.prefix(4096)
    if FITMessages.isStart(start) { return .fit }
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
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
      if text.contains("\"_type\""), OwnTracksImporter.isLine(start[...]) { return .owntracks }
      if let format = table(text) { return format }
      let rows = try? TableRows(source.lines(of: name), isTidy: false)
      return rows.flatMap(SensorTableImporter.app) == nil ? nil : .table
    }
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
    if plain.contains("\"FeatureCollection\"") || plain.contains("\"features\"") {
      return .geojson
    }
    if first == UInt8(ascii: "{"),
      ["{\"t\":", "{\"fixes\":", "{\"recording\":", "{\"ax\":", "{\"label\":"]
        .contains(where: plain.hasPrefix)
    {
      return .ndjson
    }
    return nil
  }

  private static func table(_ text: String) -> Self? {
    let lines = text.split(whereSeparator: \.isNewline)
    let line = lines.first.map { $0.lowercased() } ?? ""
    if line.contains("seconds_elapsed") { return .sensorlogger }
    let phyphox = ["acceleration x", "gyroscope x", "latitude (", "pressure ("]
    if line.contains("time (s)"), phyphox.contains(where: line.contains) { return .phyphox }
    let columns = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if let time = columns.firstIndex(of: "t"), columns.contains("ax") || columns.contains("lat") {
      let row = lines.dropFirst().first?.split(separator: ",", omittingEmptySubsequences: false)
      let field = row?.dropFirst(time).first.map(String.init) ?? ""
      // The tidy form has seconds; a date, or a number too large for them, is another table's.
      let isSeconds =
        Double(field).map { $0.isNaN || Timestamp(seconds: $0) != nil } ?? !field.contains(":")
      return isSeconds ? .csv : nil
    }
    let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    if fields.count == 54, fields.allSatisfy({ Double($0) != nil }) { return .pamap2 }
    return nil
  }
}

extension ImportSource {
  /// Whether the only file is a table by its name.
  fileprivate var isTable: Bool {
    names.count == 1
      && [".csv", ".csv.gz", ".tsv"].contains { names[0].lowercased().hasSuffix($0) }
  }
}
