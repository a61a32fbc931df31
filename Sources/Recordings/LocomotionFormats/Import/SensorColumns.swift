internal import LocomotionRecordings
internal import LocomotionSensing

/// The samples of a file or of an array, with one row of look-ahead.
struct SensorColumns {
  /// A sample as the input gives it; a pressure is `x`.
  struct Row {
    var time: Timestamp
    var x, y, z: Double
  }

  /// The next row; nil at the end.
  private(set) var head: Row?
  private var file: FileRows?
  private var memory: ArraySlice<Row> = []

  /// Rows of `lines` below a header with the columns `time` and `axes`.
  ///
  /// Components are multiplied by `scale`; `timestamp` converts the field of time.
  init(
    _ lines: consuming LineReader, time: [String], axes: [[String]], scale: Double,
    sink: ImportSink, timestamp: @escaping (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    file = try FileRows(lines, time, axes, scale, timestamp)
    try advance(sink)
  }

  /// Rows in memory, which are sorted by time.
  init(_ rows: [Row]) {
    memory =
      rows.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }.map(\.element)[...]
    head = memory.popFirst()
  }

  /// Advances to the next row with a time; rows without one are counted.
  mutating func advance(_ sink: ImportSink) throws(RecordingError) {
    head = file == nil ? memory.popFirst() : try file?.next(sink)
  }

  /// The rows of a file.
  private struct FileRows {
    var rows: DelimitedRows
    let time: Int
    let axes: [Int]
    let scale: Double
    /// Whether other sensors stand beside this one, so that its fields may end before theirs.
    let isSideBySide: Bool
    let timestamp: (DecimalField) -> Timestamp?

    init(
      _ lines: consuming LineReader, _ names: [String], _ axes: [[String]], _ scale: Double,
      _ timestamp: @escaping (DecimalField) -> Timestamp?
    ) throws(RecordingError) {
      let rows = try DelimitedRows(withHeader: lines)
      let places = axes.compactMap { rows.position(of: $0) }
      let times = rows.columns.indices.filter { names.contains(rows.columns[$0]) }
      // Of sensors side by side, each has its time before its axes.
      let time = times.last { $0 < places.first ?? 0 } ?? times.first
      guard let time, places.count == axes.count else {
        throw .badHeader(
          path: rows.path, line: rows.line,
          expected: (names + axes.compactMap(\.first)).joined(separator: ","),
          found: rows.columns.joined(separator: ","))
      }
      self.rows = rows
      self.time = time
      self.axes = places
      self.scale = scale * Self.unit(of: rows.columns[places[0]])
      isSideBySide = times.count > 1
      self.timestamp = timestamp
    }

    /// What the unit in parentheses at a column's end is in m/s² or rad/s; 1 when there is none.
    private static func unit(of column: String) -> Double {
      let units = [
        "(g)": Acceleration.standardGravity, "(mg)": Acceleration.standardGravity / 1_000,
        "(deg/s)": Double.pi / 180, "(°/s)": Double.pi / 180, "(dps)": Double.pi / 180,
      ]
      return units.first { column.hasSuffix($0.key) }?.value ?? 1
    }

    mutating func next(_ sink: ImportSink) throws(RecordingError) -> Row? {
      while let instant = try rows.nextTimed(
        at: time, timestamp, sink, skipping: isSideBySide ? [time] + axes : [])
      {
        var values = [Double](repeating: .nan, count: 3)
        var bad: Int?
        for (index, axis) in axes.enumerated() {
          if let value = rows.field(at: axis).value {
            values[index] = value * scale
          } else {
            bad = bad ?? axis
          }
        }
        if let bad {
          sink.drop(.notANumber, rows.defect("a number", at: bad))
          continue
        }
        return Row(time: instant, x: values[0], y: values[1], z: values[2])
      }
      return nil
    }
  }
}

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
  var acceleration: SensorColumns?
  /// What is added to the accelerations, by linear interpolation between its rows.
  var gravity: SensorColumns?
  var rotationRate: SensorColumns?
  var pressure: SensorColumns?
  var fixes: FixColumns?
  private var gravityBefore: SensorColumns.Row?
  /// The largest distance in time between gravity and a sample that it is added to, seconds.
  private static let longestReach = 1.0

  /// The sensors in `sources`; the specific force is the total, or else the linear acceleration
  /// plus gravity.
  ///
  /// `open` is called for each one that is needed; the caller adds the fixes.
  init<Source>(
    _ sources: [SensorRole: Source], _ sink: ImportSink,
    open: (SensorRole, Source) throws(RecordingError) -> SensorColumns
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

  /// Whether there is no sensor to import but a barometer, which says nothing alone.
  var isEmpty: Bool { acceleration == nil && rotationRate == nil && fixes == nil }

  /// Appends everything to `sink`.
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
        try sink.append(
          RotationRate(x: Float(row.x), y: Float(row.y), z: Float(row.z)), at: row.time)
        try rotationRate?.advance(sink)
      } else if first == times[3], let row = pressure?.head {
        try sink.append(pressure: row.x, at: row.time)
        try pressure?.advance(sink)
      } else if let row = acceleration?.head {
        try give(row, needsGravity, sink)
        try acceleration?.advance(sink)
      }
    }
  }

  private mutating func give(
    _ row: SensorColumns.Row, _ needsGravity: Bool, _ sink: ImportSink
  ) throws(RecordingError) {
    var total = row
    if needsGravity {
      guard let gravity = try gravity(at: row.time, sink) else {
        sink.drop(.noGravity)
        return
      }
      total.x += gravity.x
      total.y += gravity.y
      total.z += gravity.z
    }
    try sink.append(
      Acceleration(x: Float(total.x), y: Float(total.y), z: Float(total.z)), at: row.time)
  }

  private mutating func gravity(
    at time: Timestamp, _ sink: ImportSink
  ) throws(RecordingError) -> SensorColumns.Row? {
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
    guard let before, let after else { return before ?? after }
    let span = after.time.seconds(since: before.time)
    let fraction = span > 0 ? time.seconds(since: before.time) / span : 0
    return SensorColumns.Row(
      time: time, x: before.x + fraction * (after.x - before.x),
      y: before.y + fraction * (after.y - before.y), z: before.z + fraction * (after.z - before.z))
  }
}

/// A file of fixes, with one row of look-ahead.
struct FixColumns {
  /// The column names, in the order of preference; a trailing `*` matches any rest.
  struct Names {
    var time: [String]
    var latitude: [String]
    var longitude: [String]
    var altitude: [String]
    var horizontalAccuracy: [String]
    var verticalAccuracy: [String]
    var speed: [String]
    var speedAccuracy: [String] = []
    var course: [String]
    var courseAccuracy: [String] = []
  }

  private(set) var head: LocationFix?

  /// The file that `open` opens; nil, with a note, when there is nothing in it.
  static func unlessEmpty(
    _ sink: ImportSink, _ open: () throws(RecordingError) -> FixColumns
  ) throws(RecordingError) -> FixColumns? {
    do throws(RecordingError) {
      return try open()
    } catch {
      guard case .empty(let path) = error else { throw error }
      sink.note("\(path) is empty: no fixes")
      return nil
    }
  }

  private var rows: DelimitedRows
  private let time: Int
  private let places: [Int?]
  private let timestamp: (DecimalField) -> Timestamp?

  init(
    _ lines: consuming LineReader, _ names: Names, sink: ImportSink,
    timestamp: @escaping (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    let rows = try DelimitedRows(withHeader: lines)
    let all = [
      names.latitude, names.longitude, names.altitude, names.horizontalAccuracy,
      names.verticalAccuracy, names.speed, names.speedAccuracy, names.course, names.courseAccuracy,
    ]
    places = all.map { rows.position(of: $0) }
    guard let time = rows.position(of: names.time), places[0] != nil, places[1] != nil else {
      throw .badHeader(
        path: rows.path, line: rows.line,
        expected: (names.time + names.latitude + names.longitude).joined(separator: ","),
        found: rows.columns.joined(separator: ","))
    }
    self.rows = rows
    self.time = time
    self.timestamp = timestamp
    try advance(sink)
  }

  /// Advances to the next fix with a time; rows without one are counted.
  mutating func advance(_ sink: ImportSink) throws(RecordingError) {
    while let instant = try rows.nextTimed(at: time, timestamp, sink) {
      if let bad = places.prefix(2).first(where: { rows.field(at: $0) == .text }) {
        sink.drop(.notANumber, rows.defect("degrees", at: bad))
        continue
      }
      let values = places.map { rows.number(at: $0) }
      head = LocationFix(
        timestamp: instant, latitude: values[0] ?? .nan, longitude: values[1] ?? .nan,
        altitude: values[2], horizontalAccuracy: values[3], verticalAccuracy: values[4],
        speed: values[5], speedAccuracy: values[6], course: values[7], courseAccuracy: values[8])
      return
    }
    head = nil
  }
}

extension DelimitedRows {
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
