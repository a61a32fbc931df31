internal import LocomotionRecordings
internal import LocomotionSensing

/// Tables of sensor apps that write one row per instant, with a column per axis.
///
/// What an app calls its columns, and their units, is a row of ``apps``: another app is another
/// row, and no code. Each file is a recording. Where a table has a clock besides a count of seconds
/// or milliseconds, the count gives the intervals and the clock of the first row their zero.
/// Objects of JSON with names that are common are rows, too.
final class SensorTableImporter: FormatImporter {
  /// The columns of an app: names in the order of preference, in lower case; a trailing `*` matches
  /// any rest.
  struct App {
    var name: String
    /// The columns by which a table is recognised, all of which it has.
    var signature: [String]
    /// The columns by what they hold: `count`, a time since 1970 or any zero; `clock`, dates and
    /// times as text, or times of day beside a `date`; `ns` and `ew`, the letters of hemispheres;
    /// `departure`, the ends of visits whose starts are the times; and what is left of
    /// `TableColumns.quantities`, but for the axes.
    var columns: [String: [String]] = [:]
    /// Counts are in units of 10^−`digits` seconds.
    var digits = 0
    /// The three axes, and what makes m/s² in Android's sign of them; none for a table of fixes.
    var acceleration: [[String]] = []
    var accelerationScale = 1.0
    /// The three axes, and what makes rad/s of them.
    var rotation: [[String]] = []
    var rotationScale = 1.0
    /// What makes degrees of the coordinates.
    var degrees = 1.0
    /// What makes metres of the accuracies.
    var accuracyScale = 1.0
    /// What makes m/s of the speeds.
    var speedScale = 1.0
    /// The order of dates as text.
    var dates = DateText([])
    /// Whether each sensor has a file, whose columns are alike; that of the accelerometer is read.
    var hasFilePerSensor = false
  }

  /// What the headers do not tell.
  var given = TableColumns()

  /// The rows by which units are found.
  private static let firstRows = 256

  private static func axes(_ name: (String) -> String) -> [[String]] {
    ["x", "y", "z"].map { [name($0)] }
  }

  /// The apps whose tables are read.
  static let apps = [
    App(
      name: "SensorLog", signature: ["accelerometeraccelerationx(g)"],
      columns: [
        "clock": ["loggingtime(txt)"],
        "count": ["accelerometertimestamp_sincereboot(s)", "motiontimestamp_sincereboot(s)"],
        "pressure": ["altimeterpressure(kpa)"], "lat": ["locationlatitude(wgs84)"],
        "lon": ["locationlongitude(wgs84)"], "alt": ["locationaltitude(m)"],
        "hacc": ["locationhorizontalaccuracy(m)"], "vacc": ["locationverticalaccuracy(m)"],
        "speed": ["locationspeed(m/s)"], "course": ["locationcourse(°)"],
      ],
      acceleration: axes { "accelerometeracceleration\($0)(g)" },
      accelerationScale: -Acceleration.standardGravity,
      rotation: axes { "gyrorotation\($0)(rad/s)" }),
    App(
      name: "AndroSensor", signature: ["accelerometer x*", "time since start*"],
      columns: [
        "clock": ["yyyy-mo-dd*"], "count": ["time since start*"],
        "pressure": ["atmospheric pressure*"], "lat": ["location latitude*", "gps latitude*"],
        "lon": ["location longitude*", "gps longitude*"],
        "alt": ["location altitude (*", "gps altitude*"],
        "hacc": ["location accuracy*", "gps accuracy*"],
        "speed": ["location speed*", "gps speed*"],
        "course": ["location orientation*", "gps orientation*"],
      ], digits: 3, acceleration: axes { "accelerometer \($0)*" },
      rotation: axes { "gyroscope \($0)*" }, speedScale: 1 / 3.6),
    App(
      name: "Physics Toolbox", signature: ["time", "gfx", "gfy", "gfz"],
      columns: [
        "clock": ["time"], "count": ["time"], "pressure": ["p"], "lat": ["latitude"],
        "lon": ["longitude"], "speed": ["speed (m/s)"],
      ], acceleration: axes { "gf\($0)" }, accelerationScale: Acceleration.standardGravity,
      rotation: axes { "w\($0)" }),
    App(
      name: "Sensor Record", signature: ["timestamp", "milliseconds", "x", "y", "z"],
      columns: ["clock": ["timestamp"], "count": ["milliseconds"]], digits: 3,
      acceleration: axes { $0 }, hasFilePerSensor: true),
  ]

  /// The app whose table has these columns; nil when none has.
  static func app(_ rows: TableRows) -> App? {
    apps.first { app in app.signature.allSatisfy { rows.column($0) != nil } }
  }

  /// Whether a file is a table of an app, or has columns of names that are common.
  static func canRead(_ name: String, of source: ImportSource) -> Bool {
    (try? Self(source, ImportSink { _ in }).app(name)) != nil
  }

  /// The rows of a file: of objects of JSON, up to so many, or of a table.
  private func open(_ name: String, atMost most: Int? = nil) throws(RecordingError) -> TableRows {
    if let rows = try ObjectTable.rows(of: name, in: source, atMost: most) { return rows }
    return try TableRows(source.lines(of: name), isTidy: false)
  }

  /// What the columns of a file hold; nil when there is no time, or nothing else.
  private func app(_ name: String) throws(RecordingError) -> App? {
    var rows = try open(name, atMost: Self.firstRows)
    if given.isEmpty, let app = Self.app(rows) { return app }
    let header = rows.columns
    var samples: [[String]] = []
    while samples.count < Self.firstRows, try rows.next() {
      samples.append(header.indices.map { rows.text(at: $0) })
    }
    return NamedColumns(header, given, file: ImportSource.stem(name))?.app(samples)
  }

  /// Reads all tables of the input.
  ///
  /// A file `X.gps.csv` beside the only file `X.csv` belongs to it.
  override func read() throws(RecordingError) {
    var hasRead = false
    for name in source.names {
      let opened = try ifSound { () throws(RecordingError) in
        try open(name)
      }
      guard var rows = opened else { continue }
      guard let app = try app(name) else {
        guard given.isEmpty || source.names.count > 1 else { throw given.missing(in: rows) }
        sink.note("left out: \(name), without columns of time, and accelerations or positions")
        continue
      }
      let file = ImportSource.stem(name).lowercased()
      guard !app.hasFilePerSensor || file.hasPrefix("acc") || source.names.count == 1 else {
        sink.note("left out: \(name), another sensor than the accelerometer")
        continue
      }
      hasRead = true
      let isAlone = source.names.count == 1 && !rows.isInMemory
      let title = isAlone ? source.stem : ImportSource.stem(name)
      sink.note("\(name): a table of \(app.name)")
      let table = SensorTable(app, rows)
      var devices = DevicePasses()
      try table.read(&rows, as: title, &devices, into: sink)
      while devices.advance() {
        rows = try open(name)
        try table.read(&rows, as: title, &devices, into: sink)
      }
      if source.names.count == 1, app.columns["lat"] == nil { try readFixes() }
    }
    guard hasRead else {
      throw .nothingUsable(
        path: source.path,
        reason: "expected a table of \(Self.apps.map(\.name).joined(separator: ", ")), or one with "
          + "columns for time and acceleration, or time, latitude and longitude")
    }
  }

  /// Reads the tidy fixes, `X.gps.csv`, beside the only file `X.csv`.
  private func readFixes() throws(RecordingError) {
    guard let path = RecordingReader.files(ofRecordingAt: source.root).dropFirst().first else {
      return
    }
    var reader = try RecordingReader(path: path)
    try sink.append(contentsOf: &reader)
  }
}
