internal import LocomotionRecordings
internal import LocomotionSensing

/// The quantity in one file, or under one name of a message.
enum SensorRole: String {
  /// The specific force.
  case total
  /// The acceleration without gravity.
  case linear
  case gravity
  case rotationRate
  case pressure
  case location
}

/// Merges the sensors of one recording in time order.
struct SensorMerge {
  var acceleration: TableReader<SampleRow>?
  /// What is added to the accelerations, by linear interpolation between its rows.
  var gravity: TableReader<SampleRow>?
  var rotationRate: TableReader<SampleRow>?
  var pressure: TableReader<SampleRow>?
  var fixes: TableReader<LocationFix>?
  private var gravityBefore: SampleRow?
  /// The largest distance in time between gravity and a sample that it is added to, seconds.
  private static let longestReach = 1.0

  /// The sensors in `sources`; the specific force is the total, or else the linear acceleration
  /// plus gravity.
  ///
  /// `open` is called for each one that is needed, but not for fixes.
  init<Source>(
    _ sources: [SensorRole: Source], _ sink: ImportSink,
    open: (SensorRole, Source) throws(RecordingError) -> TableReader<SampleRow>
  ) throws(RecordingError) {
    if let total = sources[.total] {
      acceleration = try open(.total, total)
    } else if let linear = sources[.linear], let field = sources[.gravity] {
      acceleration = try open(.linear, linear)
      gravity = try open(.gravity, field)
    } else if sources[.linear] != nil {
      sink.note("the accelerations are without gravity, and there is no gravity: left out")
    }
    if let rates = sources[.rotationRate] { rotationRate = try open(.rotationRate, rates) }
    if let values = sources[.pressure] { pressure = try open(.pressure, values) }
  }

  /// Imports the files of a recording by what they hold, with the columns of an app.
  ///
  /// `columns` are those of fixes, and under `t` that of the time of all files; `axes` gives those
  /// of a sensor, whose components are multiplied by `scales`, if not by 1.
  ///
  /// - Returns: Whether there is a sensor to import besides a barometer, which says nothing alone.
  static func read(
    _ files: [SensorRole: String], of source: ImportSource, as recording: ImportedRecording,
    _ columns: [String: [String]], into sink: ImportSink, scales: [SensorRole: Double] = [:],
    timestamp: @escaping (DecimalField) -> Timestamp?, axes: (SensorRole) -> [[String]]
  ) throws(RecordingError) -> Bool {
    var recording = recording
    recording.hasGyroscope = files[.rotationRate] != nil
    recording.hasBarometer = files[.pressure] != nil
    try sink.begin(recording)
    var merge = try SensorMerge(files, sink) { (role, name) throws(RecordingError) in
      try TableReader(
        source.lines(of: name), time: columns["t"] ?? [], axes: axes(role),
        scale: scales[role] ?? 1, sink: sink, timestamp: timestamp)
    }
    if let name = files[.location] {
      do {
        merge.fixes = try TableReader(
          source.lines(of: name), columns, sink: sink, timestamp: timestamp)
      } catch {
        guard case .empty(let path) = error else { throw error }
        sink.note("\(path) is empty: no fixes")
      }
    }
    guard merge.acceleration != nil || merge.rotationRate != nil || merge.fixes != nil else {
      return false
    }
    try merge.run(sink)
    return true
  }

  mutating func run(_ sink: ImportSink) throws(RecordingError) {
    let needsGravity = gravity != nil
    while true {
      let times = [
        acceleration?.head?.time, rotationRate?.head?.time, fixes?.head?.timestamp,
        pressure?.head?.time,
      ]
      guard let first = times.compactMap({ $0 }).min() else { return }
      if first == times[2], let fix = fixes?.head {
        try sink.append(fix)
        try fixes?.advance(sink)
      } else if first == times[1], let row = rotationRate?.head {
        let rate = SIMD3<Float>(row.values)
        try sink.append(RotationRate(x: rate.x, y: rate.y, z: rate.z), at: row.time)
        try rotationRate?.advance(sink)
      } else if first == times[3], let row = pressure?.head {
        try sink.append(pressure: row.values.x, at: row.time)
        try pressure?.advance(sink)
      } else if let row = acceleration?.head {
        try give(row, needsGravity, sink)
        try acceleration?.advance(sink)
      }
    }
  }

  private mutating func give(
    _ row: SampleRow, _ needsGravity: Bool, _ sink: ImportSink
  ) throws(RecordingError) {
    var total = row.values
    if needsGravity {
      guard let gravity = try gravity(at: row.time, sink) else {
        sink.drop(.noGravity)
        return
      }
      total += gravity
    }
    let force = SIMD3<Float>(total)
    try sink.append(Acceleration(x: force.x, y: force.y, z: force.z), at: row.time)
  }

  private mutating func gravity(
    at time: Timestamp, _ sink: ImportSink
  ) throws(RecordingError) -> SIMD3<Double>? {
    while let head = gravity?.head, head.time <= time {
      gravityBefore = head
      try gravity?.advance(sink)
    }
    let before = gravityBefore.flatMap {
      abs(time.seconds(since: $0.time)) <= Self.longestReach ? $0 : nil
    }
    let after = gravity?.head.flatMap {
      abs($0.time.seconds(since: time)) <= Self.longestReach ? $0 : nil
    }
    guard let before, let after else { return (before ?? after)?.values }
    let span = after.time.seconds(since: before.time)
    let fraction = span > 0 ? time.seconds(since: before.time) / span : 0
    return before.values + fraction * (after.values - before.values)
  }
}

/// A sample as the input gives it; of a pressure only the first component is known.
struct SampleRow {
  var time: Timestamp
  var values: SIMD3<Double>
}

/// The samples or fixes of a file or of an array, with one row of look-ahead.
///
/// A class, because copies would share the place in the file.
final class TableReader<Row> {
  /// The next row; nil at the end.
  private(set) var head: Row?
  private let read: (ImportSink) throws(RecordingError) -> Row?

  /// Reads the first row by `read`, which gives nil at the end.
  private init(
    _ sink: ImportSink, _ read: @escaping (ImportSink) throws(RecordingError) -> Row?
  ) throws(RecordingError) {
    self.read = read
    head = try read(sink)
  }

  /// Advances to the next row with a time; rows without one are counted.
  func advance(_ sink: ImportSink) throws(RecordingError) {
    head = try read(sink)
  }
}

extension TableReader<SampleRow> {
  /// Rows of `lines` below a header with the columns `time` and `axes`.
  ///
  /// Components are multiplied by `scale`; `timestamp` converts the field of time.
  convenience init(
    _ lines: consuming LineReader, time names: [String], axes: [[String]], scale: Double,
    sink: ImportSink, timestamp: @escaping (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    var rows = try TableRows(lines, isTidy: false)
    let places = axes.compactMap { rows.column($0) }
    let times = rows.columns.indices.filter { names.contains(rows.columns[$0]) }
    // Of sensors side by side, each has its time before its axes.
    let time = times.last { $0 < places.first ?? 0 } ?? times.first
    guard let time, places.count == axes.count else {
      throw rows.badHeader(names + axes.compactMap { $0.first })
    }
    let scale = scale * (ColumnNames.parts(of: rows.columns[places[0]]).unit?.scale ?? 1)
    // Where other sensors stand beside this one, its fields may end before theirs.
    let own = times.count > 1 ? [time] + places : []
    try self.init(sink) { (sink) throws(RecordingError) in
      while let instant = try rows.nextTimed(at: time, timestamp, sink, skipping: own) {
        var values = SIMD3(repeating: Double.nan)
        var bad: Int?
        for (index, place) in places.enumerated() {
          if let value = rows.field(at: place).value {
            values[index] = value * scale
          } else {
            bad = bad ?? place
          }
        }
        if let bad {
          sink.drop(.notANumber, rows.defect("a number", at: bad))
          continue
        }
        return SampleRow(time: instant, values: values)
      }
      return nil
    }
  }

  /// Rows in memory, which are sorted by time.
  convenience init(_ rows: [SampleRow], _ sink: ImportSink) throws(RecordingError) {
    var sorted =
      rows.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }.map { $0.element }[...]
    try self.init(sink) { _ in sorted.popFirst() }
  }
}

extension TableReader<LocationFix> {
  /// Fixes of `lines`, whose columns are `names` by what they hold: `t`, and the names of the
  /// quantities of a fix.
  convenience init(
    _ lines: consuming LineReader, _ names: [String: [String]], sink: ImportSink,
    timestamp: @escaping (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    var rows = try TableRows(lines, isTidy: false)
    let places = LocationFix.quantityNames.map { rows.column(names[$0] ?? []) }
    guard let time = rows.column(names["t"] ?? []), places[0] != nil, places[1] != nil
    else {
      throw rows.badHeader(["t", "lat", "lon"].flatMap { names[$0] ?? [] })
    }
    try self.init(sink) { (sink) throws(RecordingError) in
      while let instant = try rows.nextTimed(at: time, timestamp, sink) {
        if let bad = places.prefix(2).first(where: { rows.field(at: $0) == .text }) {
          sink.drop(.notANumber, rows.defect("degrees", at: bad))
          continue
        }
        return LocationFix(at: instant, places.map { rows.value(at: $0) })
      }
      return nil
    }
  }
}

extension TableRows {
  /// The error for a header without what was expected.
  func badHeader(_ expected: [String]) -> RecordingError {
    .badHeader(
      path: path, line: line, expected: expected.joined(separator: ","),
      found: columns.joined(separator: ","))
  }

  /// Advances to the next row with all fields and a time, which is returned; nil at the end.
  ///
  /// Rows that lack one are counted in `sink`; rows in which all fields of `own` are empty belong
  /// to other sensors and are passed over.
  fileprivate mutating func nextTimed(
    at time: Int, _ timestamp: (DecimalField) -> Timestamp?, _ sink: ImportSink,
    skipping own: [Int] = []
  ) throws(RecordingError) -> Timestamp? {
    while try next() {
      if !own.isEmpty, own.allSatisfy({ text(at: $0).isEmpty }) { continue }
      guard count == columns.count else {
        sink.drop(.fieldCount, defect("\(columns.count) fields as in the header"))
        continue
      }
      let field = field(at: time)
      if let instant = timestamp(field) { return instant }
      sink.drop(field == .text ? .notANumber : .noTime, defect("a time", at: time))
    }
    return nil
  }
}
