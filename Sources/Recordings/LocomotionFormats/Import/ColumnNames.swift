internal import Foundation

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
    for (open, close) in [("(", ")"), ("[", "]"), ("_", ""), (" ", "")] {
      guard let start = text.range(of: open, options: .backwards), text.hasSuffix(close) else {
        continue
      }
      let ending = text[start.upperBound...].dropLast(close.count)
      guard let found = endings.first(where: { $0.text == ending }) else { continue }
      unit = found.unit
      text = String(text[..<start.lowerBound])
      break
    }
    return (String(text.unicodeScalars.filter(CharacterSet.alphanumerics.contains)), unit)
  }
}
