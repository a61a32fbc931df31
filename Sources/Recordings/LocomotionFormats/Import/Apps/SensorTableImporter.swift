internal import LocomotionRecordings
internal import LocomotionSensing

/// Tables of sensor apps that write one row per instant, with a column per axis.
///
/// What an app calls its columns, and their units, is a row of ``apps``: another app is another
/// row, and no code. Each file is a recording. Where a table has a clock besides a count of seconds
/// or milliseconds, the count gives the intervals and the clock of the first row their zero.
enum SensorTableImporter {
  /// The columns of an app: names in the order of preference, in lower case; a trailing `*` matches
  /// any rest.
  struct App {
    var name: String
    /// The columns by which a table is recognised, all of which it has.
    var signature: [String]
    /// Dates and times as text.
    var clock: [String] = []
    /// The dates, where the clock has times of day alone.
    var date: [String] = []
    /// Seconds since the Unix epoch, or since any zero.
    var seconds: [String] = []
    /// Milliseconds since any zero.
    var milliseconds: [String] = []
    /// Microseconds and nanoseconds since any zero.
    var microseconds: [String] = [], nanoseconds: [String] = []
    /// The three axes, and what makes m/s² in Android's sign of them; none for a table of fixes.
    var acceleration: [[String]] = []
    var accelerationScale = 1.0
    /// The three axes, and what makes rad/s of them.
    var rotation: [[String]] = []
    var rotationScale = 1.0
    var pressure: [String] = []
    var latitude: [String] = []
    var longitude: [String] = []
    var altitude: [String] = []
    var accuracy: [String] = []
    var verticalAccuracy: [String] = []
    var speed: [String] = []
    var speedScale = 1.0
    var course: [String] = []
    /// Whether each sensor has a file, whose columns are alike; that of the accelerometer is read.
    var hasFilePerSensor = false
  }

  private static func axes(_ name: (String) -> String) -> [[String]] {
    ["x", "y", "z"].map { [name($0)] }
  }

  /// The apps whose tables are read.
  static let apps = [
    App(
      name: "SensorLog", signature: ["accelerometeraccelerationx(g)"],
      clock: ["loggingtime(txt)"],
      seconds: ["accelerometertimestamp_sincereboot(s)", "motiontimestamp_sincereboot(s)"],
      acceleration: axes { "accelerometeracceleration\($0)(g)" },
      accelerationScale: -Acceleration.standardGravity,
      rotation: axes { "gyrorotation\($0)(rad/s)" }, pressure: ["altimeterpressure(kpa)"],
      latitude: ["locationlatitude(wgs84)"], longitude: ["locationlongitude(wgs84)"],
      altitude: ["locationaltitude(m)"], accuracy: ["locationhorizontalaccuracy(m)"],
      verticalAccuracy: ["locationverticalaccuracy(m)"], speed: ["locationspeed(m/s)"],
      course: ["locationcourse(°)"]),
    App(
      name: "AndroSensor", signature: ["accelerometer x*", "time since start*"],
      clock: ["yyyy-mo-dd*"], milliseconds: ["time since start*"],
      acceleration: axes { "accelerometer \($0)*" }, rotation: axes { "gyroscope \($0)*" },
      pressure: ["atmospheric pressure*"],
      latitude: ["location latitude*", "gps latitude*"],
      longitude: ["location longitude*", "gps longitude*"],
      altitude: ["location altitude (*", "gps altitude*"],
      accuracy: ["location accuracy*", "gps accuracy*"],
      speed: ["location speed*", "gps speed*"], speedScale: 1 / 3.6,
      course: ["location orientation*", "gps orientation*"]),
    App(
      name: "Physics Toolbox", signature: ["time", "gfx", "gfy", "gfz"], clock: ["time"],
      seconds: ["time"], acceleration: axes { "gf\($0)" },
      accelerationScale: Acceleration.standardGravity, rotation: axes { "w\($0)" },
      pressure: ["p"], latitude: ["latitude"], longitude: ["longitude"], speed: ["speed (m/s)"]),
    App(
      name: "Sensor Record", signature: ["timestamp", "milliseconds", "x", "y", "z"],
      clock: ["timestamp"], milliseconds: ["milliseconds"], acceleration: axes { $0 },
      hasFilePerSensor: true),
  ]

  /// The app whose table has these columns; nil when none has.
  static func app(_ rows: DelimitedRows) -> App? {
    apps.first { app in app.signature.allSatisfy { rows.position(of: $0) != nil } }
  }

  /// Whether a file is a table of an app, or has columns of names that are common.
  static func canRead(_ name: String, of source: ImportSource) -> Bool {
    (try? app(name, of: source, TableColumns())) != nil
  }

  /// What the columns of a file hold; nil when there is no time, or nothing else.
  private static func app(
    _ name: String, of source: ImportSource, _ columns: TableColumns
  ) throws(RecordingError) -> App? {
    var rows = try DelimitedRows(withHeader: source.lines(of: name))
    if columns.isEmpty, let app = app(rows) { return app }
    let header = rows.columns
    var samples: [[String]] = []
    while samples.count < 8, try rows.next() {
      samples.append(header.indices.map { rows.text(at: $0) })
    }
    return NamedColumns(header, columns)?.app(samples)
  }

  /// Reads all tables of an input; `columns` name what the headers do not tell.
  ///
  /// A file `X.gps.csv` beside the only file `X.csv` belongs to it.
  static func read(
    _ source: ImportSource, _ columns: TableColumns, into sink: ImportSink
  ) throws(RecordingError) {
    var hasRead = false
    for name in source.names {
      guard var rows = try source.table(name, sink) else { continue }
      guard let app = try app(name, of: source, columns) else {
        guard columns.isEmpty || source.names.count > 1 else { throw columns.missing(in: rows) }
        sink.note("left out: \(name), without columns of time, and accelerations or positions")
        continue
      }
      let file = ImportSource.stem(name).lowercased()
      guard !app.hasFilePerSensor || file.hasPrefix("acc") || source.names.count == 1 else {
        sink.note("left out: \(name), another sensor than the accelerometer")
        continue
      }
      hasRead = true
      let title = source.names.count == 1 ? source.stem : ImportSource.stem(name)
      sink.note("\(name): a table of \(app.name)")
      try SensorTable(app, rows).read(&rows, as: title, into: sink)
      if source.names.count == 1, app.latitude.isEmpty { try readFixes(beside: source, sink) }
    }
    guard hasRead else {
      throw .nothingUsable(
        path: source.path,
        reason: "expected a table of \(apps.map(\.name).joined(separator: ", ")), or one with "
          + "columns for time and acceleration, or time, latitude and longitude")
    }
  }
}

extension SensorTableImporter {
  /// Reads the tidy fixes, `X.gps.csv`, beside the only file `X.csv`.
  private static func readFixes(
    beside source: ImportSource, _ sink: ImportSink
  ) throws(RecordingError) {
    guard let path = RecordingReader.files(ofRecordingAt: source.root).dropFirst().first else {
      return
    }
    var reader = try RecordingReader(path: path)
    try sink.append(contentsOf: &reader)
  }
}

/// The columns of one table.
private struct SensorTable {
  private let app: SensorTableImporter.App
  private let clock, date, pressure: Int?
  /// The column of a count in units of 10^−`digits` seconds.
  private let count: (position: Int, digits: Int)?
  private let acceleration, rotation: [Int]
  private let position: [Int?]

  init(_ app: SensorTableImporter.App, _ rows: DelimitedRows) {
    self.app = app
    clock = rows.position(of: app.clock)
    date = rows.position(of: app.date)
    count =
      [
        (app.seconds, 0), (app.milliseconds, 3), (app.microseconds, 6), (app.nanoseconds, 9),
      ].lazy.compactMap { names, digits in rows.position(of: names).map { ($0, digits) } }.first
    pressure = rows.position(of: app.pressure)
    acceleration = app.acceleration.compactMap { rows.position(of: $0) }
    rotation = app.rotation.compactMap { rows.position(of: $0) }
    position = [
      app.latitude, app.longitude, app.altitude, app.accuracy, app.verticalAccuracy, app.speed,
      app.course,
    ].map { rows.position(of: $0) }
  }

  func read(
    _ rows: inout DelimitedRows, as name: String, into sink: ImportSink
  ) throws(RecordingError) {
    try sink.begin(
      ImportedRecording(
        name: name, hasGyroscope: rotation.count == 3, hasBarometer: pressure != nil))
    var progress = Clock()
    var last: [Double?] = []
    var lastPressure: Double?
    while try rows.next() {
      guard let time = time(&rows, &progress, sink) else {
        sink.drop(.noTime, rows.defect("a time", at: count?.position ?? clock))
        continue
      }
      let values = position.map { rows.number(at: $0) }
      if let sample = vector(acceleration, app.accelerationScale, &rows) {
        try sink.append(Acceleration(x: sample.x, y: sample.y, z: sample.z), at: time)
      } else if !acceleration.isEmpty, !isBlank(acceleration, rows) || !hasOthers(&rows) {
        sink.drop(.notANumber, rows.defect("three numbers", at: acceleration.first))
        continue
      }
      if let rate = vector(rotation, app.rotationScale, &rows) {
        try sink.append(RotationRate(x: rate.x, y: rate.y, z: rate.z), at: time)
      }
      // A table repeats what slower sensors said last.
      let air = rows.number(at: pressure)
      if let air, air > 0, air != lastPressure { try sink.append(pressure: air, at: time) }
      lastPressure = air ?? lastPressure
      guard let latitude = values[0], let longitude = values[1] else {
        if acceleration.isEmpty { sink.drop(.noPosition, rows.defect("degrees", at: place)) }
        continue
      }
      guard acceleration.isEmpty || values != last else { continue }
      last = values
      // Some write zeros before the first fix.
      guard latitude != 0 || longitude != 0 else { continue }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: latitude, longitude: longitude, altitude: values[2],
          horizontalAccuracy: values[3], verticalAccuracy: values[4],
          speed: values[5].map { $0 * app.speedScale }, course: values[6]))
    }
  }

  /// What the rows before tell of a row's time.
  private struct Clock {
    /// What is added to counts, found in the first row, nanoseconds.
    var zero: Int64?
    /// The last time of day without a date, and the days that have begun since the first, seconds.
    var timeOfDay: Double?, days = 0.0

    /// A time of day on the day that makes it nearest to the one before.
    mutating func seconds(ofTimeOfDay seconds: Double) -> Double {
      let day = 86_400.0
      if let last = timeOfDay, abs(seconds - last) > day / 2 { days += seconds < last ? day : -day }
      timeOfDay = seconds
      return days + seconds
    }
  }

  /// The time of a row.
  private func time(
    _ rows: inout DelimitedRows, _ clock: inout Clock, _ sink: ImportSink
  ) -> Timestamp? {
    let count = count.flatMap { rows.field(at: $0.position).timestamp(unitDigits: $0.digits) }
    guard let count else { return clockTime(rows, &clock, sink) }
    if clock.zero == nil {
      clock.zero = clockTime(rows, &clock, sink).map { $0.nanoseconds(since: count) } ?? 0
    }
    return count.advanced(byNanoseconds: clock.zero ?? 0)
  }

  private func clockTime(
    _ rows: DelimitedRows, _ progress: inout Clock, _ sink: ImportSink
  ) -> Timestamp? {
    guard clock != nil else { return nil }
    var text = rows.text(at: clock)
    if date != nil { text = rows.text(at: date) + " " + text }
    // "2017-06-23 15:42:42.144 +0200", "… UTC" and "2014-05-10 15:23:45:123".
    for sign in ["+", "-"] { text = text.replacing(" " + sign, with: sign) }
    for zone in [" UTC", " GMT"] where text.hasSuffix(zone) {
      text = text.dropLast(zone.count) + "Z"
    }
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var time = CalendarTime.timestamp(text)
    if time == nil, parts.count == 4, let last = parts.popLast() {
      text = parts.joined(separator: ":") + "." + last
      time = CalendarTime.timestamp(text)
    }
    if let (time, hasZone) = time {
      if !hasZone { sink.note("times without a zone are taken for UTC") }
      return time
    }
    // Minutes and seconds since the start, or the time of day.
    let numbers = text.split(separator: ":").map { Double($0.replacing(",", with: ".")) }
    guard 2...3 ~= numbers.count else { return nil }
    var seconds = 0.0
    for number in numbers {
      guard let number, number >= 0 else { return nil }
      seconds = seconds * 60 + number
    }
    let isTimeOfDay = numbers.count == 3 && seconds < 86_400
    return Timestamp(seconds: isTimeOfDay ? progress.seconds(ofTimeOfDay: seconds) : seconds)
  }

  /// The column of the latitudes.
  private var place: Int? { position[0] }

  /// Whether a row has a rotation rate, a pressure or a position.
  private func hasOthers(_ rows: inout DelimitedRows) -> Bool {
    vector(rotation, 1, &rows) != nil || rows.number(at: pressure) != nil
      || rows.number(at: place) != nil
  }

  private func isBlank(_ places: [Int], _ rows: DelimitedRows) -> Bool {
    places.allSatisfy { rows.text(at: $0).isEmpty }
  }

  private func vector(
    _ places: [Int], _ scale: Double, _ rows: inout DelimitedRows
  ) -> SIMD3<Float>? {
    guard places.count == 3 else { return nil }
    var values = SIMD3<Float>.zero
    for (index, place) in places.enumerated() {
      guard let number = rows.number(at: place) else { return nil }
      values[index] = Float(number * scale)
    }
    return values
  }
}
