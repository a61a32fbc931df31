internal import LocomotionSensing

/// One row of an acceleration file.
struct AccelerationRow {
  var timestamp: Timestamp
  var acceleration: Acceleration
  /// Nil when the file has no gyroscope columns, or they are all empty in this row.
  var rotationRate: RotationRate?
  /// The pressure of the air, hPa; nil when the file has no such column, or it is empty here.
  var pressure: Float?
  /// Whether every component is finite; one that is not is NaN.
  var isComplete: Bool
  /// Whether the row has a pressure and nothing else.
  var isPressureOnly = false
}

/// The rows of an acceleration file, with two rows of look-ahead.
struct AccelerationRows {
  static let expectedHeader = "t,ax,ay,az[,gx,gy,gz][,pressure]"

  private var rows: CSVRows
  private let time: Int
  private let acceleration: [Int]
  private let rotation: [Int]
  private let pressure: Int?
  /// The meaning of the columns, in the file's order.
  private let fields: [SensorField]
  private var view = LookAhead<AccelerationRow>()
  /// Rows whose time is empty or impossible, left out.
  private(set) var rowsWithoutTime = 0

  /// Finds the columns in the header and reads the first row.
  init(_ rows: consuming CSVRows) throws(RecordingError) {
    let expected = Self.expectedHeader
    let positions = try rows.positions(of: ["t", "ax", "ay", "az"], expected: expected)
    time = positions[0]
    acceleration = Array(positions[1...])
    let gyroscope = ["gx", "gy", "gz"]
    let hasGyroscope = gyroscope.contains { rows.columns.contains($0) }
    rotation = hasGyroscope ? try rows.positions(of: gyroscope, expected: expected) : []
    pressure = rows.position(of: "pressure")
    let components = acceleration + rotation
    fields = rows.columns.indices.map { [time, pressure] column in
      if column == time { return .time }
      if column == pressure { return .pressure }
      return components.firstIndex(of: column).map { .component($0) } ?? .other
    }
    self.rows = rows
    try advance()
    try advance()
  }

  var path: String { rows.path }
  var lines: Int { rows.line }

  /// The next row; nil at the end.
  var head: AccelerationRow? { view.head }

  /// The earlier of the times of the next two rows; nil at the end.
  var dueTime: Timestamp? { view.dueTime(\.timestamp) }

  /// Advances to the next row with a time.
  mutating func advance() throws(RecordingError) {
    var view = view
    defer { self.view = view }
    try view.advance { () throws(RecordingError) in try read() }
  }

  private mutating func read() throws(RecordingError) -> AccelerationRow? {
    while try rows.next() {
      var isComplete = true
      let x = try component(acceleration[0], &isComplete)
      let y = try component(acceleration[1], &isComplete)
      let z = try component(acceleration[2], &isComplete)
      let rotationRate = try rotationRate(&isComplete)
      let pressure = try pressure(ifAt: pressure)
      guard let timestamp = try rows.timestamp(at: time) else {
        rowsWithoutTime += 1
        continue
      }
      return AccelerationRow(
        timestamp: timestamp, acceleration: Acceleration(x: x, y: y, z: z),
        rotationRate: rotationRate, pressure: pressure, isComplete: isComplete,
        isPressureOnly: pressure != nil && rotationRate == nil && x.isNaN && y.isNaN && z.isNaN)
    }
    return nil
  }

  /// Appends rows to `batch` while the next two are complete, what follows is plain and buffered,
  /// and none of them is due after `fix`; at most `limit` rows.
  ///
  /// The same as ``head`` and ``advance()`` row by row, but much faster.
  mutating func giveRun(
    to batch: inout SensorBatch, before fix: Timestamp?, atMost limit: Int
  ) -> Int {
    guard view.failure == nil, var first = view.head, var second = view.following else { return 0 }
    guard first.isComplete, second.isComplete else { return 0 }
    let hasRotation = !rotation.isEmpty
    guard !hasRotation || (first.rotationRate != nil && second.rotationRate != nil) else {
      return 0
    }
    var (given, withoutTime) = (0, 0)
    let (columns, tens) = (fields[...], powersOfTen[...])
    let (fields, powers) = (columns.span, tens.span)
    rows.take { bytes in
      var (lines, taken) = (0, 0)
      while given < limit, fix.map({ min(first.timestamp, second.timestamp) < $0 }) ?? true {
        var end = taken
        guard let row = PlainRow(bytes, &end, fields: fields, powers: powers) else { break }
        taken = end
        lines += 1
        guard let timestamp = row.timestamp else {
          withoutTime += 1
          continue
        }
        batch.append(first.acceleration, at: first.timestamp)
        if hasRotation, let rate = first.rotationRate { batch.append(rate, at: first.timestamp) }
        if let pressure = first.pressure { batch.append(pressure: pressure, at: first.timestamp) }
        given += 1
        first = second
        second = AccelerationRow(
          timestamp: timestamp, acceleration: row.acceleration,
          rotationRate: hasRotation ? row.rotationRate : nil, pressure: row.pressure,
          isComplete: true)
      }
      return (lines, taken)
    }
    view.head = first
    view.following = second
    rowsWithoutTime += withoutTime
    return given
  }

  private func rotationRate(_ isComplete: inout Bool) throws(RecordingError) -> RotationRate? {
    guard !rotation.isEmpty else { return nil }
    var isWhole = true
    let x = try component(rotation[0], &isWhole)
    let y = try component(rotation[1], &isWhole)
    let z = try component(rotation[2], &isWhole)
    // A gyroscope that is slower than the accelerometer leaves all three empty in between.
    guard !(x.isNaN && y.isNaN && z.isNaN) else { return nil }
    isComplete = isComplete && isWhole
    return RotationRate(x: x, y: y, z: z)
  }

  /// A pressure, or nil when there is none.
  private func pressure(ifAt position: Int?) throws(RecordingError) -> Float? {
    guard let value = try rows.number(ifAt: position), value.isFinite else { return nil }
    return Float(value)
  }

  /// A component as a Float; NaN, and `isComplete` false, when it is not finite.
  private func component(
    _ position: Int, _ isComplete: inout Bool
  ) throws(RecordingError) -> Float {
    let value = Float(try rows.number(at: position))
    guard value.isFinite else {
      isComplete = false
      return .nan
    }
    return value
  }
}

/// The rows of a location file, with two fixes of look-ahead.
struct FixRows {
  static let expectedHeader = "t,lat,lon[,alt,hacc,speed,course]"

  private var rows: CSVRows
  private let required: [Int]
  private let altitude, horizontalAccuracy, speed, course: Int?
  private var view = LookAhead<LocationFix>()
  /// Rows whose time is empty or impossible, left out.
  private(set) var rowsWithoutTime = 0

  /// Finds the columns in the header and reads the first fix.
  init(_ rows: consuming CSVRows) throws(RecordingError) {
    required = try rows.positions(of: ["t", "lat", "lon"], expected: Self.expectedHeader)
    altitude = rows.position(of: "alt")
    horizontalAccuracy = rows.position(of: "hacc")
    speed = rows.position(of: "speed")
    course = rows.position(of: "course")
    self.rows = rows
    try advance()
    try advance()
  }

  var path: String { rows.path }
  var lines: Int { rows.line }

  /// The next fix; nil at the end.
  var head: LocationFix? { view.head }

  /// The earlier of the times of the next two fixes; nil at the end.
  var dueTime: Timestamp? { view.dueTime(\.timestamp) }

  /// Advances to the next fix with a time.
  mutating func advance() throws(RecordingError) {
    var view = view
    defer { self.view = view }
    try view.advance { () throws(RecordingError) in try read() }
  }

  private mutating func read() throws(RecordingError) -> LocationFix? {
    while try rows.next() {
      // The initializer of LocationFix turns negative and missing values into nil.
      let latitude = try rows.number(at: required[1])
      let longitude = try rows.number(at: required[2])
      let altitude = try rows.number(ifAt: altitude)
      let horizontalAccuracy = try rows.number(ifAt: horizontalAccuracy)
      let speed = try rows.number(ifAt: speed)
      let course = try rows.number(ifAt: course)
      guard let timestamp = try rows.timestamp(at: required[0]) else {
        rowsWithoutTime += 1
        continue
      }
      return LocationFix(
        timestamp: timestamp, latitude: latitude, longitude: longitude, altitude: altitude,
        horizontalAccuracy: horizontalAccuracy, speed: speed, course: course)
    }
    return nil
  }
}
