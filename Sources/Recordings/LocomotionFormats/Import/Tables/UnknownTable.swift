internal import LocomotionRecordings

/// A table that no form fits: what it lacks, and which form is nearest.
enum UnknownTable {
  /// What is expected in place of its header.
  static func error(of source: ImportSource) -> RecordingError {
    guard let rows = try? TableRows(source.lines(of: source.names[0]), isTidy: false) else {
      return .empty(path: source.path)
    }
    let known = Set(rows.columns.map { ColumnNames.parts(of: $0).name })
    func has(_ quantity: String) -> Bool {
      !known.isDisjoint(with: ColumnNames.common[quantity] ?? [])
    }
    let (time, axes) = (has("t"), SensorNames.accelerations.filter { !has($0) })
    let place = has("point") ? [] : ["lat", "lon"].filter { !has($0) }
    // What fewer columns lack is what the table is likely to be.
    let rest = axes.count < place.count && axes.count < 3 ? axes : place
    let missing = (time ? [] : ["a time (t, timestamp, …)"]) + rest.map(title)
    let lack = missing.isEmpty ? "readable values" : missing.joined(separator: ", ")
    let other = rest.count == 2 && axes.count == 3 ? ", or accelerations (ax, ay, az)" : ""
    let text =
      "of a time and of a position or accelerations; missing: \(lack)\(other)"
      + "; nearest form: \(nearest(to: rows)); '--column t=…,lat=…' names others"
    return .badHeader(path: source.path, line: rows.line, expected: text, found: rows.header)
  }

  private static func title(_ quantity: String) -> String {
    switch quantity {
    case "lat": "a latitude (lat, …)"
    case "lon": "a longitude (lon, lng, …)"
    default: "an acceleration (\(quantity), acc_\(quantity.suffix(1)), …)"
    }
  }

  /// The form with the largest share of its columns in the table.
  private static func nearest(to rows: TableRows) -> String {
    let forms =
      [("csv (t,lat,lon)", ["t", "lat", "lon"]), ("csv (t,ax,ay,az)", ["t", "ax", "ay", "az"])]
      + SensorTableImporter.apps.map { ("table (\($0.name))", $0.signature) }
      + [
        ("sensorlogger", ["time", "seconds_elapsed", "x", "y", "z"]),
        ("phyphox", ["time (s)", "acceleration x (m/s^2)"]),
      ]
    func share(_ signature: [String]) -> Double {
      Double(signature.count { rows.column($0) != nil }) / Double(signature.count)
    }
    let best = forms.map { ($0.0, share($0.1)) }.max { $0.1 < $1.1 }
    return best.map { $0.1 > 0 ? $0.0 : forms[0].0 } ?? ""
  }
}
