internal import LocomotionRecordings
internal import LocomotionSensing

/// Three-axis samples of a file or of the memory, with the next row in view.
struct SensorColumns {
  /// A sample as the input has it.
  struct Row {
    var time: Timestamp
    var x, y, z: Double
  }

  /// The next row; nil at the end.
  private(set) var head: Row?
  private var file: FileRows?
  private var memory: ArraySlice<Row> = []

  /// Rows of `lines` below a header that has the columns `time` and `axes`.
  ///
  /// Components are multiplied by `scale`; `timestamp` makes an instant of the field of time.
  init(
    _ lines: consuming LineReader, time: [String], axes: [[String]], scale: Double,
    sink: ImportSink, timestamp: @escaping (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    file = try FileRows(lines, time, axes, scale, timestamp)
    try advance(sink)
  }

  /// Rows in memory, which are put in the order of time.
  init(_ rows: [Row]) {
    memory =
      rows.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }.map(\.element)[...]
    head = memory.popFirst()
  }

  /// Goes to the next row that has a time; counts those that have none.
  mutating func advance(_ sink: ImportSink) throws(RecordingError) {
    head = file == nil ? memory.popFirst() : try file?.next(sink)
  }

  /// The rows of a file.
  private struct FileRows {
    var rows: DelimitedRows
    let time: Int
    let axes: [Int]
    let scale: Double
    let timestamp: (DecimalField) -> Timestamp?

    init(
      _ lines: consuming LineReader, _ names: [String], _ axes: [[String]], _ scale: Double,
      _ timestamp: @escaping (DecimalField) -> Timestamp?
    ) throws(RecordingError) {
      let rows = try DelimitedRows(withHeader: lines)
      let places = axes.compactMap { rows.position(of: $0) }
      guard let time = rows.position(of: names), places.count == axes.count else {
        throw .badHeader(
          path: rows.path, line: rows.line,
          expected: (names + axes.compactMap(\.first)).joined(separator: ","),
          found: rows.columns.joined(separator: ","))
      }
      self.rows = rows
      self.time = time
      self.axes = places
      self.scale = scale
      self.timestamp = timestamp
    }

    mutating func next(_ sink: ImportSink) throws(RecordingError) -> Row? {
      while let instant = try rows.nextTimed(at: time, timestamp, sink) {
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

/// What the samples of one file, or of one name in a message, are.
enum SensorRole: String {
  /// The specific force.
  case total
  /// The acceleration without gravity.
  case linear
  case gravity
  case rotationRate
  case location
}

/// Several sensors of one recording, given out in the order of their times.
struct SensorMerge {
  var acceleration: SensorColumns?
  /// What is added to the accelerations, by linear interpolation between its rows.
  var gravity: SensorColumns?
  var rotationRate: SensorColumns?
  var fixes: FixColumns?
  private var gravityBefore: SensorColumns.Row?
  /// Gravity farther than this from a sample says nothing about it.
  private static let longestReach = 1.0

  /// The sensors that `sources` names; the specific force is the total, or else what is without
  /// gravity plus gravity.
  ///
  /// `open` is called for what is needed; fixes are the caller's.
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
  }

  /// Whether nothing is there that could be kept.
  var isEmpty: Bool { acceleration == nil && rotationRate == nil && fixes == nil }

  /// Gives everything to `sink`.
  mutating func run(_ sink: ImportSink) throws(RecordingError) {
    let needsGravity = gravity != nil
    while true {
      let times = [acceleration?.head?.time, rotationRate?.head?.time, fixes?.head?.timestamp]
      guard let first = times.compactMap({ $0 }).min() else { return }
      if first == times[2], let fix = fixes?.head {
        try sink.append(fix)
        try fixes?.advance(sink)
      } else if first == times[1], let row = rotationRate?.head {
        try sink.append(
          RotationRate(x: Float(row.x), y: Float(row.y), z: Float(row.z)), at: row.time)
        try rotationRate?.advance(sink)
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

/// A file of fixes, with its next one in view.
struct FixColumns {
  /// The columns' names, each in the order of preference; a `*` at the end stands for any rest.
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

  /// Goes to the next fix that has a time; counts those that have none.
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
  /// Goes to the next row that has all fields and a time, and gives the time; nil at the end.
  ///
  /// Rows that lack one are counted in `sink`.
  fileprivate mutating func nextTimed(
    at time: Int, _ timestamp: (DecimalField) -> Timestamp?, _ sink: ImportSink
  ) throws(RecordingError) -> Timestamp? {
    while try next() {
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
