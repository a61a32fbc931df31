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
    case .csv, .gpx, .geojson, .ndjson, .overland, .moves: true
    default: false
    }
  }

  /// The format for an output path by its file name extension; without one a folder of CSV.
  public init?(outputPath path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    switch plain.split(separator: ".").last.map({ $0.lowercased() }) {
    case _ where !plain.contains("."): self = .csv
    case "gpx": self = .gpx
    case "geojson": self = .geojson
    case "ndjson", "jsonl": self = .ndjson
    case "json": self = .moves
    default: return nil
    }
  }
}
