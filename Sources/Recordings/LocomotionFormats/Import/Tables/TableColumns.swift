public import LocomotionRecordings
internal import LocomotionSensing

/// The columns of a table by their names in the tidy form, and its units, where its header does not
/// tell them.
///
/// ```swift
/// let columns = try TableColumns(["t=timestamp_ms", "ax=x", "ay=y", "az=z"], units: ["g"])
/// ```
public struct TableColumns: Sendable, Hashable {
  /// A unit of a table's values.
  public enum Unit: String, CaseIterable, Sendable {
    /// Seconds, and parts of them.
    case seconds = "s"
    /// Milliseconds.
    case milliseconds = "ms"
    /// Microseconds.
    case microseconds = "us"
    /// Nanoseconds.
    case nanoseconds = "ns"
    /// Metres per second squared, with gravity.
    case metresPerSecondSquared = "m/s2"
    /// Standard gravity, 9.80665 m/s², in Android's sign: flat with the screen up z is +1.
    case standardGravity = "g"
    /// A thousandth of it.
    case milligravity = "mg"
    /// Standard gravity in Apple's sign: flat with the screen up z is −1.
    case appleGravity = "-g"
    /// Radians per second.
    case radiansPerSecond = "rad/s"
    /// Degrees per second.
    case degreesPerSecond = "deg/s"
    /// Metres per second, of the speeds of fixes.
    case metresPerSecond = "m/s"
    /// Kilometres per hour, of the speeds of fixes.
    case kilometresPerHour = "km/h"
    /// Miles per hour, of the speeds of fixes.
    case milesPerHour = "mph"
    /// Nautical miles per hour, of the speeds of fixes.
    case knots = "kn"
  }

  /// What the columns of a table can hold: time, acceleration, rotation rate, pressure, and the
  /// parts of a fix, by the names of the tidy form; `point`, both coordinates as text (WKT, or
  /// latitude and longitude); `arrival` and `departure` of a visit; and the `device`.
  public static let quantities =
    ["t"] + SensorNames.accelerations + SensorNames.rotationRates + [
      SensorNames.pressures,
      "lat", "lon", "alt", "hacc", "vacc", "speed", "course", "point", "arrival", "departure",
      "device",
    ]

  /// The names of columns in lower case, by quantity.
  let names: [String: String]
  let units: Set<Unit>

  /// Nothing but what the header tells.
  public init() {
    names = [:]
    units = []
  }

  /// Columns and units from texts.
  ///
  /// - Parameters:
  ///   - names: `quantity=column`, one or several to a text with commas between them.
  ///   - units: Units by their raw values, also several to a text.
  /// - Throws: `RecordingError.malformed` for a quantity or a unit that there is not, or one named
  ///   twice; its place is the text in quotation marks.
  public init(_ names: [String], units: [String] = []) throws(RecordingError) {
    func invalid(_ text: Substring, _ expected: String, _ known: [String]) -> RecordingError {
      .malformed(
        path: "columns and units", place: "'\(text)'",
        expected: expected + known.joined(separator: ", "), found: String(text))
    }
    var columns: [String: String] = [:]
    for text in names.flatMap({ $0.split(separator: ",") }) {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, Self.quantities.contains(parts[0]), columns[parts[0]] == nil else {
        throw invalid(text, "QUANTITY=COLUMN, once each of ", Self.quantities)
      }
      columns[parts[0]] = parts[1].lowercased()
    }
    var known: Set<Unit> = []
    for text in units.flatMap({ $0.split(separator: ",") }) {
      guard let unit = Unit(rawValue: String(text)) else {
        throw invalid(text, "units of ", Unit.allCases.map { $0.rawValue })
      }
      known.insert(unit)
    }
    self.names = columns
    self.units = known
  }

  /// Whether nothing is said but what the header tells.
  public var isEmpty: Bool { names.isEmpty && units.isEmpty }
}

extension TableColumns.Unit {
  /// What makes a value in metres per second squared, radians per second or metres per second of
  /// one in this unit.
  var scale: Double {
    switch self {
    case .standardGravity: Acceleration.standardGravity
    case .milligravity: Acceleration.standardGravity / 1_000
    case .appleGravity: -Acceleration.standardGravity
    case .degreesPerSecond: .pi / 180
    case .kilometresPerHour: 1 / 3.6
    case .milesPerHour: 0.44704
    case .knots: 1852 / 3600
    default: 1
    }
  }
}

extension TableColumns {
  /// The error for a table without what was named, or without enough of it.
  func missing(in rows: TableRows) -> RecordingError {
    let named = names.map { "\($0)=\($1)" }.sorted()
    return rows.badHeader(
      named.isEmpty
        ? ["of a time and of accelerations or positions"]
        : [named.joined(separator: ",") + " and of a time, and accelerations or positions"])
  }
}

/// The names that the columns of tables commonly have.
enum ColumnNames {
  /// Names without what is not a letter or digit, by quantity, in the order of preference.
  static let common: [String: [String]] = {
    var names: [String: [String]] = [
      "t": [
        "t", "time", "timestamp", "datetime", "utc", "utctime", "utcdatetime", "datetimeutc",
        "timeutc", "timestamputc", "utctimestamp", "gpstime", "gpsdatetime", "fixtime",
        "trackedat", "recordedat", "unixtime", "unixtimestamp", "unix", "epoch", "epochtime", "ts",
        "tst", "localtime", "localdatetime", "timelocal", "elapsed", "elapsedtime", "seconds",
        "milliseconds", "millis", "createdat", "date", "utcdate", "localdate",
      ],
      "lat": [
        "lat", "latitude", "gpslat", "gpslatitude", "latdeg", "latitudedeg", "latitudedegrees",
        "positionlat", "locationlatitude", "lats", "latitudens", "late7", "latitudee7",
      ],
      "lon": [
        "lon", "lng", "long", "longitude", "gpslon", "gpslng", "gpslong", "gpslongitude", "londeg",
        "longitudedeg", "longitudedegrees", "positionlong", "positionlon", "locationlongitude",
        "longitudeew", "lone7", "lnge7", "longitudee7",
      ],
      "alt": [
        "alt", "altitude", "elevation", "ele", "elev", "height", "gpsaltitude", "gpsalt",
        "altitudemeters", "altitudem", "elevationm", "locationaltitude", "altmsl",
      ],
      "hacc": [
        "hacc", "accuracy", "horizontalaccuracy", "acc", "precision", "accuracymeters", "accuracym",
        "gpsaccuracy", "locationaccuracy", "horizontalaccuracymeters", "uncertainty",
        "accuracyhorizontal", "hdop",
      ],
      "vacc": ["vacc", "verticalaccuracy", "accuracyvertical", "verticalaccuracymeters"],
      "speed": [
        "speed", "velocity", "gpsspeed", "groundspeed", "locationspeed", "sensedspeed",
        "speedmeterspersecond", "vel",
      ],
      "course": [
        "course", "bearing", "heading", "direction", "cog", "azimuth", "gpsbearing", "gpscourse",
        "locationcourse", "courseoverground",
      ],
      "pressure": ["pressure", "airpressure", "barometer"],
      "point": [
        "geom", "geometry", "wkt", "thegeom", "point", "latlng", "latlon", "latlong", "coordinates",
        "position", "location",
      ],
      "arrival": [
        "arrival", "arrivaldate", "arrivaltime", "arrivedat", "startedat", "starttime",
        "visitstart",
        "entered", "enteredat",
      ],
      "departure": [
        "departure", "departuredate", "departuretime", "departedat", "finishedat", "endedat",
        "endtime", "visitend", "exited", "exitedat",
      ],
      "device": [
        "device", "deviceid", "devicename", "devicetag", "trackerid", "tid", "imei", "phone",
        "userid", "user",
      ],
    ]
    for axis in ["x", "y", "z"] {
      names["a" + axis] =
        ["a", "acc", "accel", "acceleration", "accelerometer"].map { $0 + axis }
        + ["\(axis)acc", "\(axis)axis", axis]
      names["g" + axis] = ["g", "gyr", "gyro", "gyroscope", "rotationrate"].map { $0 + axis }
    }
    return names
  }()

  /// The units that the end of a name tells, behind a bracket or an underscore; nil for those of
  /// the tidy form.
  private static let endings: [(text: String, unit: TableColumns.Unit?)] = [
    ("ms", .milliseconds), ("millis", .milliseconds), ("us", .microseconds),
    ("µs", .microseconds), ("ns", .nanoseconds), ("nanos", .nanoseconds), ("s", .seconds),
    ("sec", .seconds), ("seconds", .seconds), ("m/s2", .metresPerSecondSquared),
    ("m/s^2", .metresPerSecondSquared), ("m/s²", .metresPerSecondSquared),
    ("ms2", .metresPerSecondSquared), ("g", .standardGravity), ("mg", .milligravity),
    ("rad/s", .radiansPerSecond), ("rads", .radiansPerSecond), ("deg/s", .degreesPerSecond),
    ("°/s", .degreesPerSecond), ("dps", .degreesPerSecond), ("km/h", .kilometresPerHour),
    ("kmh", .kilometresPerHour), ("kph", .kilometresPerHour), ("mph", .milesPerHour),
    ("kn", .knots), ("knots", .knots), ("kt", .knots), ("kts", .knots), ("m/s", nil),
    ("mps", nil), ("m", nil), ("hpa", nil), ("deg", nil), ("°", nil),
  ]

  /// A column's name without its unit and without what is not a letter or digit, and the unit.
  static func parts(of column: String) -> (name: String, unit: TableColumns.Unit?) {
    var text = column
    var unit: TableColumns.Unit? =
      switch column {
      case "milliseconds", "millis": .milliseconds
      case "seconds": .seconds
      default: nil
      }
    let brackets: [(Character, String)] = [("(", ")"), ("[", "]"), ("_", ""), (" ", "")]
    for (open, close) in brackets {
      guard let start = text.lastIndex(of: open), text.hasSuffix(close) else { continue }
      let ending = text[start...].dropFirst().dropLast(close.count)
      guard let found = endings.first(where: { $0.text == ending }) else { continue }
      unit = found.unit
      text = String(text[..<start])
      break
    }
    return (text.filter { $0.isLetter || $0.isNumber }, unit)
  }
}
