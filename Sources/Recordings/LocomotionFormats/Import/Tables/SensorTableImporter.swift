internal import Foundation
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
    /// What makes metres and m/s of the quantities of a fix, where that isn't 1.
    var scales: [String: Double] = [:]
    /// 1970 in counts of days; nil for those of seconds and their parts.
    var dayZero: Double?
    var dates = DateText([])
    /// Whether each sensor has a file, whose columns are alike; that of the accelerometer is read.
    var hasFilePerSensor = false
  }

  /// The rows by which units are found.
  private static let firstRows = 256

  private static func axes(_ name: (String) -> String) -> [[String]] {
    ["x", "y", "z"].map { [name($0)] }
  }

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
      rotation: axes { "gyroscope \($0)*" }, scales: ["speed": 1 / 3.6]),
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

  /// Whether a file is a table of an app, or has columns of names or values that are common; also
  /// one that is refused for what it lacks.
  static func canRead(_ name: String, of source: ImportSource) -> Bool {
    do throws(RecordingError) {
      return try Self(source, ImportSink { _ in }).app(name) != nil
    } catch .refused {
      return true
    } catch {
      return false
    }
  }

  /// The lines in which a header is looked for.
  private static let mostLines = 100

  /// The rows of a file: of objects of JSON, up to so many, or of a table.
  private func open(_ name: String, atMost most: Int? = nil) throws(RecordingError) -> TableRows {
    if let rows = try ObjectTable.rows(of: name, in: source, atMost: most) { return rows }
    var lines = try source.lines(of: name)
    var (header, skipped, first): ([String], Int, TableRows?) = ([], 0, nil)
    while lines.line < Self.mostLines, let range = try? lines.next() {
      let line = LineReader(bytes: Array(lines.bytes[range]), name: name)
      guard let row = try? TableRows(line, isTidy: false) else { continue }
      if first == nil, !lines.bytes[range].starts(with: "#".utf8) { first = row }
      // Another header behind the first one is that of another table.
      let isHeader =
        given.isEmpty && Self.app(row) != nil || NamedColumns(row.columns, given) != nil
      if row.columns != header, isHeader { (header, skipped) = (row.columns, lines.line - 1) }
    }
    lines = try source.lines(of: name)
    if header.isEmpty, given.isEmpty, let row = first, Self.isData(row.columns) {
      sink.note("\(name): without a header")
      let names = row.columns.indices.map { "column \($0 + 1)" }
      return TableRows(withoutHeader: lines, row.delimiter, columns: names)
    }
    if skipped > 0 { sink.note("\(name): the header is in line \(skipped + 1)") }
    return try TableRows(lines, isTidy: false, behind: skipped)
  }

  /// Whether the fields of a line are no names: two numbers and more, and what isn't is a time.
  private static func isData(_ fields: [String]) -> Bool {
    fields.count { NamedColumns.number($0) != nil } > 1
      && fields.allSatisfy { field in
        NamedColumns.number(field) != nil || field.isEmpty || field.first?.isNumber ?? false
      }
  }

  /// What the columns of a file hold; nil when there is no time, or nothing else.
  ///
  /// - Throws: `RecordingError.refused` for rows that say something else than their header.
  private func app(_ name: String) throws(RecordingError) -> App? {
    var rows = try open(name, atMost: Self.firstRows)
    if given.isEmpty, let app = Self.app(rows) { return app }
    let header = rows.columns
    var samples: [[String]] = []
    var longer = 0
    while samples.count < Self.firstRows, try rows.next() {
      let texts = header.indices.map { rows.text(at: $0) }
      if texts.map({ $0.lowercased() }) != header { samples.append(texts) }
      if !rows.text(at: header.count).isEmpty { longer += 1 }
    }
    let path = source.displayPath(of: name)
    guard 2 * longer <= samples.count || samples.isEmpty else {
      throw .refused(
        path: path,
        reason: "its rows have more fields than its header, as with decimal commas between commas")
    }
    let columns = NamedColumns(header, given, file: ImportSource.stem(name), rows: samples)
    return try columns?.app(samples, path: path)
  }

  /// Reads all tables of the input.
  ///
  /// A file `X.gps.csv` beside the only file `X.csv` belongs to it.
  override func read() throws(RecordingError) {
    var hasRead = false
    for name in source.names {
      let opened = try ifSound { () throws(RecordingError) in
        (rows: try open(name), app: try app(name))
      }
      guard let rows = opened?.rows else { continue }
      guard let app = opened?.app else {
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
      var devices = DevicePasses()
      repeat {
        var table = SensorTable(app, devices.pass == 0 ? rows : try open(name), into: sink)
        try table.read(as: title, &devices)
      } while devices.advance()
      if source.names.count == 1, app.columns["lat"] == nil,
        let fixes = RecordingReader.files(ofRecordingAt: source.root).dropFirst().first
      {
        var reader = try RecordingReader(path: fixes, leavingOutBadRows: true)
        try sink.append(contentsOf: &reader)
      }
    }
    guard hasRead else {
      throw .nothingUsable(
        path: source.path,
        reason: "expected a table of \(Self.apps.map(\.name).joined(separator: ", ")), or one with "
          + "columns for time and acceleration, or time, latitude and longitude")
    }
  }
}

private struct SensorTable {
  private let app: SensorTableImporter.App
  private let sink: ImportSink
  private var rows: TableRows
  private var progress = Clock()
  private let count, clock, date, pressure, point, departure, device: Int?
  private let hemispheres: [Int?]
  private let acceleration, rotation: [Int]
  private let position: [Int?]
  private let scales: [Double]

  init(_ app: SensorTableImporter.App, _ rows: TableRows, into sink: ImportSink) {
    (self.app, self.rows, self.sink) = (app, rows, sink)
    let places = app.columns.compactMapValues { rows.column($0) }
    (count, clock, date) = (places["count"], places["clock"], places["date"])
    (pressure, point) = (places["pressure"], places["point"])
    (departure, device) = (places["departure"], places["device"])
    hemispheres = ["ns", "ew"].map { places[$0] }
    position = LocationFix.quantityNames.map { places[$0] }
    scales = LocationFix.quantityNames.map { app.scales[$0] ?? 1 }
    acceleration = app.acceleration.compactMap { rows.column($0) }
    rotation = app.rotation.compactMap { rows.column($0) }
  }

  /// Reads the rows of the device whose turn it is.
  mutating func read(as name: String, _ devices: inout DevicePasses) throws(RecordingError) {
    try sink.begin(
      devices.recording(
        ImportedRecording(
          name: name, hasGyroscope: rotation.count == 3, hasBarometer: pressure != nil)))
    var last: [Double?] = []
    var lastPressure: Double?
    while try rows.next() {
      guard device == nil || devices.isOwn(rows.text(at: device)) else { continue }
      let values = values
      guard departure == nil else {
        try visit(values)
        continue
      }
      sink.clock.place = values[0].flatMap { latitude in values[1].map { (latitude, $0) } }
      guard let time = time() else {
        sink.drop(.noTime, rows.defect("a time", at: count ?? clock))
        continue
      }
      if let sample = vector(acceleration, app.accelerationScale) {
        try sink.append(sample, at: time)
      } else if !acceleration.isEmpty,
        !acceleration.allSatisfy({ rows.text(at: $0).isEmpty }) || !hasOthers
      {
        sink.drop(.notANumber, rows.defect("three numbers", at: acceleration.first))
        continue
      }
      if let rate = vector(rotation, app.rotationScale) {
        try sink.append(rate, isRate: true, at: time)
      }
      // A table repeats what slower sensors said last.
      let air = rows.value(at: pressure)
      if let air, air > 0, air != lastPressure { try sink.append(pressure: air, at: time) }
      lastPressure = air ?? lastPressure
      guard let latitude = values[0], let longitude = values[1] else {
        if acceleration.isEmpty {
          sink.drop(.noPosition, rows.defect("degrees", at: point ?? position[0]))
        }
        continue
      }
      guard acceleration.isEmpty || values != last else { continue }
      last = values
      // Some write zeros before the first fix.
      guard latitude != 0 || longitude != 0 else { continue }
      try sink.append(LocationFix(at: time, values))
    }
  }

  /// Reads a visit: a fix at each of its ends, and where both are known a statement.
  private mutating func visit(_ values: [Double?]) throws(RecordingError) {
    let arrival = time()
    let departure = time(at: departure)
    guard arrival != nil || departure != nil else {
      return sink.drop(.noTime, rows.defect("a time", at: count ?? clock))
    }
    guard let latitude = values[0], let longitude = values[1] else {
      return sink.drop(.noPosition, rows.defect("degrees", at: point ?? position[0]))
    }
    for time in [arrival, departure].compactMap(\.self) {
      try sink.append(LocationFix(at: time, values))
    }
    sink.state(
      .visit(latitude: latitude, longitude: longitude, radius: values[3]), from: arrival,
      to: departure, source: "rows of visits")
  }

  /// The quantities of the fix of a row, in the order of their names.
  private var values: [Double?] {
    var values = position.map { rows.value(at: $0) }
    for (axis, column) in position.prefix(2).enumerated() where column != nil {
      values[axis] =
        values[axis].map { $0 * app.degrees } ?? PlaceText.degrees(rows.text(at: column))
      let letter = rows.text(at: hemispheres[axis]).first
      if let letter, "SsWw".contains(letter) { values[axis] = values[axis].map { -abs($0) } }
    }
    if point != nil, let place = PlaceText.point(rows.text(at: point)) {
      (values[0], values[1]) = (place.latitude, place.longitude)
    }
    for (quantity, scale) in scales.enumerated() where scale != 1 {
      values[quantity] = values[quantity].map { $0 * scale }
    }
    return values
  }

  /// What the rows before tell of a row's time.
  private struct Clock {
    /// What is added to counts, found in the first row, nanoseconds.
    var zero: Int64?
    /// The last time of day without a date, and the days that have begun since the first, seconds.
    var timeOfDay: Double?, days = 0.0
    /// The last count, and what the counter lost when it began again, nanoseconds.
    var last: Timestamp?, lost: Int64 = 0
    /// The limit for beginnings of a counter, many of which are another mistake.
    private static let mostTurns: Int64 = 64

    /// A time of day on the day that makes it nearest to the one before.
    mutating func seconds(ofTimeOfDay seconds: Double) -> Double {
      let day = 86_400.0
      if let last = timeOfDay, abs(seconds - last) > day / 2 { days += seconds < last ? day : -day }
      timeOfDay = seconds
      return days + seconds
    }

    /// The count of a counter of 32 bits that begins again after its end, in units of 10^−`digits`
    /// seconds.
    mutating func unwrapped(_ count: Timestamp, _ digits: Int, _ sink: ImportSink) -> Timestamp {
      guard let unit: Int64 = [3: 1_000_000, 6: 1_000, 9: 1][digits] else { return count }
      let period = unit << 32
      if let last, last.nanoseconds < period, last.nanoseconds(since: count) > period / 2 {
        sink.note("the counter of time began again after 2^32: continued")
        if lost < Self.mostTurns * period { lost += period }
      }
      last = count
      return lost == 0 ? count : count.advanced(byNanoseconds: lost)
    }
  }

  /// The time of a row, or another one in the same unit at a column.
  private mutating func time(at column: Int? = nil) -> Timestamp? {
    guard let place = count else { return clockTime(at: column ?? clock) }
    let field = rows.field(at: column ?? place)
    if let zero = app.dayZero {
      return field.value.flatMap { Timestamp(seconds: ($0 - zero) * 86_400) }.map(sink.localTime)
    }
    guard let counted = field.timestamp(unitDigits: app.digits) else {
      return clockTime(at: column ?? clock)
    }
    let count = column == nil ? progress.unwrapped(counted, app.digits, sink) : counted
    let zero = progress.zero ?? clockTime(at: clock).map { $0.nanoseconds(since: count) } ?? 0
    progress.zero = zero
    return count.advanced(byNanoseconds: zero)
  }

  private mutating func clockTime(at column: Int?) -> Timestamp? {
    guard clock != nil else { return nil }
    var text = rows.text(at: column)
    if date != nil { text = Self.joined(rows.text(at: date), text) }
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
    if time == nil, let plain = app.dates.iso(text) {
      time = CalendarTime.timestamp(plain)
      if time != nil, app.dates.isAmbiguous {
        sink.note("dates such as \(text.prefix(10)) are read with the day before the month")
      }
    }
    if let (time, hasZone) = time { return hasZone ? time : sink.localTime(time) }
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

  /// A date and a time of day, each of which may be of digits alone: 240501 and 70510.
  private static func joined(_ date: String, _ time: String) -> String {
    let clock = time.prefix { $0 != "." }
    guard date.isOfDigits, clock.isOfDigits, date.count >= 6 else { return date + " " + time }
    return (date.count == 6 ? "20" : "") + date + " "
      + String(repeating: "0", count: max(0, 6 - clock.count)) + time
  }

  /// Whether a row has a rotation rate, a pressure or a position.
  private var hasOthers: Bool {
    vector(rotation, 1) != nil || rows.value(at: pressure) != nil
      || rows.value(at: position[0]) != nil
  }

  private func vector(_ places: [Int], _ scale: Double) -> SIMD3<Float>? {
    let values = places.compactMap { rows.value(at: $0) }
    return values.count == 3 ? SIMD3<Float>(SIMD3(values) * scale) : nil
  }
}
