package import LocomotionSensing

/// The names of the sensors' columns in tables and lines of JSON.
package enum SensorNames {
  /// The components of accelerations.
  package static let accelerations = ["ax", "ay", "az"]
  /// The components of rotation rates.
  package static let rotationRates = ["gx", "gy", "gz"]
  /// Pressures of the air.
  package static let pressures = "pressure"
}

extension LocationFix {
  /// The names of `quantities` in lines of JSON and, as far as it has them, the tidy form.
  package static let quantityNames = [
    "lat", "lon", "alt", "hacc", "vacc", "speed", "sacc", "course", "cacc",
  ]

  /// A fix of what `number` gives for each of ``quantityNames``; an unknown coordinate is NaN.
  package init(at time: Timestamp, _ number: (String) -> Double?) {
    self.init(at: time, Self.quantityNames.map(number))
  }

  /// A fix of quantities in the order of ``quantityNames``; an unknown coordinate is NaN.
  package init(at time: Timestamp, _ values: [Double?]) {
    self.init(
      timestamp: time, latitude: values[0] ?? .nan, longitude: values[1] ?? .nan,
      altitude: values[2], horizontalAccuracy: values[3], verticalAccuracy: values[4],
      speed: values[5], speedAccuracy: values[6], course: values[7], courseAccuracy: values[8])
  }
}

/// One row of a file of a recording.
protocol SensorRow {
  /// The columns that the file's header names.
  associatedtype Columns

  var timestamp: Timestamp { get }

  static func columns(of rows: TableRows) throws(RecordingError) -> Columns

  /// The current row of the file; nil when it has no time.
  init?(_ rows: TableRows, _ columns: Columns) throws(RecordingError)
}

/// The rows of a file of a recording, with two rows of look-ahead in the file's order.
struct SensorRows<Row: SensorRow> {
  private var rows: TableRows
  private let columns: Row.Columns
  /// The next row; nil at the end.
  private(set) var head: Row?
  private var following: Row?
  /// What is wrong behind ``head``, thrown when the rows before it have been taken.
  private var failure: RecordingError?
  /// Rows whose time is empty or impossible, left out.
  private(set) var rowsWithoutTime = 0
  /// Whether bad rows are left out, as long as they are few.
  private let leavesOut: Bool
  private(set) var badRows = 0
  private(set) var firstBadRow: RecordingError?

  /// Finds the columns in the header and reads the first row.
  init(_ rows: consuming TableRows, _ leavesOut: Bool = false) throws(RecordingError) {
    self.leavesOut = leavesOut
    columns = try Row.columns(of: rows)
    self.rows = rows
    try advance()
    try advance()
  }

  var path: String { rows.path }
  var lines: Int { rows.line }

  /// The earlier of the times of the next two rows; nil at the end.
  var dueTime: Timestamp? {
    head.map { min($0.timestamp, following?.timestamp ?? $0.timestamp) }
  }

  /// Advances to the next row with a time.
  mutating func advance() throws(RecordingError) {
    head = following
    following = nil
    if let failure { throw failure }
    do { following = try read() } catch { failure = error }
  }

  private mutating func read() throws(RecordingError) -> Row? {
    while true {
      do throws(RecordingError) {
        guard try rows.next() else { break }
        if let row = try Row(rows, columns) { return row }
        rowsWithoutTime += 1
      } catch {
        try leaveOut(error)
      }
    }
    if let firstBadRow, 20 * badRows > rows.line { throw firstBadRow }
    return nil
  }

  /// Counts a bad row.
  ///
  /// - Throws: The defect of the first one when there are many.
  private mutating func leaveOut(_ defect: RecordingError) throws(RecordingError) {
    switch defect {
    case .badNumber where leavesOut, .wrongFieldCount where leavesOut: break
    default: throw defect
    }
    badRows += 1
    firstBadRow = firstBadRow ?? defect
    if badRows > 10, 20 * badRows > rows.line { throw firstBadRow ?? defect }
  }
}

struct AccelerationRow: SensorRow {
  var timestamp: Timestamp
  var acceleration: Acceleration
  /// Nil when the file has no gyroscope columns, or they are all empty in this row.
  var rotationRate: RotationRate?
  /// The pressure of the air, hPa; nil when the file has no such column, or it is empty here.
  var pressure: Float?
  /// Whether every component is finite; one that is not is NaN.
  var isComplete = true
  /// Whether the row has a pressure and nothing else.
  var isPressureOnly = false

  struct Columns {
    var time: Int
    var acceleration: [Int]
    /// Empty without a gyroscope.
    var rotation: [Int]
    var pressure: Int?
    /// The meaning of the columns, in the file's order.
    var fields: [SensorField]
  }

  static func columns(of rows: TableRows) throws(RecordingError) -> Columns {
    let expected = "t,ax,ay,az[,gx,gy,gz][,pressure]"
    let positions = try rows.positions(of: ["t"] + SensorNames.accelerations, expected: expected)
    let gyroscope = SensorNames.rotationRates
    let hasGyroscope = gyroscope.contains { rows.columns.contains($0) }
    let rotation = hasGyroscope ? try rows.positions(of: gyroscope, expected: expected) : []
    let pressure = rows.position(of: SensorNames.pressures)
    let acceleration = Array(positions[1...])
    let components = acceleration + rotation
    let fields = rows.columns.indices.map { column -> SensorField in
      if column == positions[0] { return .time }
      if column == pressure { return .pressure }
      return components.firstIndex(of: column).map { .component($0) } ?? .other
    }
    return Columns(
      time: positions[0], acceleration: acceleration, rotation: rotation, pressure: pressure,
      fields: fields)
  }

  init?(_ rows: TableRows, _ columns: Columns) throws(RecordingError) {
    let (force, isWhole) = try Self.vector(rows, columns.acceleration)
    acceleration = Acceleration(x: force.x, y: force.y, z: force.z)
    isComplete = isWhole
    if !columns.rotation.isEmpty {
      let (rate, isWhole) = try Self.vector(rows, columns.rotation)
      // A gyroscope that is slower than the accelerometer leaves all three empty in between.
      if !(rate.x.isNaN && rate.y.isNaN && rate.z.isNaN) {
        rotationRate = RotationRate(x: rate.x, y: rate.y, z: rate.z)
        isComplete = isComplete && isWhole
      }
    }
    if let value = try rows.number(ifAt: columns.pressure), value.isFinite {
      pressure = Float(value)
    }
    guard let timestamp = try rows.timestamp(at: columns.time) else { return nil }
    self.timestamp = timestamp
    isPressureOnly =
      pressure != nil && rotationRate == nil && force.x.isNaN && force.y.isNaN && force.z.isNaN
  }

  /// Three components, those that are not finite as NaN, and whether all are.
  private static func vector(
    _ rows: TableRows, _ places: [Int]
  ) throws(RecordingError) -> (values: SIMD3<Float>, isWhole: Bool) {
    var values = SIMD3<Float>.zero
    var isWhole = true
    for index in 0..<3 {
      let value = Float(try rows.number(at: places[index]))
      values[index] = value.isFinite ? value : .nan
      isWhole = isWhole && value.isFinite
    }
    return (values, isWhole)
  }
}

extension SensorRows<AccelerationRow> {
  /// Appends rows to `batch` while the next two are complete, what follows is plain and buffered,
  /// and none of them is due after `fix`; at most `limit` rows.
  ///
  /// The same as ``head`` and ``advance()`` row by row, but much faster.
  mutating func giveRun(
    to batch: inout SensorBatch, before fix: Timestamp?, atMost limit: Int
  ) -> Int {
    guard failure == nil, var first = head, var second = following else { return 0 }
    guard first.isComplete, second.isComplete else { return 0 }
    let hasRotation = !columns.rotation.isEmpty
    guard !hasRotation || (first.rotationRate != nil && second.rotationRate != nil) else {
      return 0
    }
    var (given, withoutTime) = (0, 0)
    let (meanings, tens) = (columns.fields[...], powersOfTen[...])
    let (fields, powers) = (meanings.span, tens.span)
    rows.take { bytes in
      var (lines, taken) = (0, 0)
      while given < limit, fix.map({ min(first.timestamp, second.timestamp) < $0 }) ?? true {
        var end = taken
        var hasTime = true
        let row = AccelerationRow(
          bytes, &end, fields: fields, powers: powers, hasRotation: hasRotation, hasTime: &hasTime)
        guard let row else { break }
        taken = end
        lines += 1
        guard hasTime else {
          withoutTime += 1
          continue
        }
        batch.append(first.acceleration, at: first.timestamp)
        if hasRotation, let rate = first.rotationRate { batch.append(rate, at: first.timestamp) }
        if let pressure = first.pressure { batch.append(pressure: pressure, at: first.timestamp) }
        given += 1
        first = second
        second = row
      }
      return (lines, taken)
    }
    head = first
    following = second
    rowsWithoutTime += withoutTime
    return given
  }
}

extension LocationFix: SensorRow {
  struct Columns {
    var time: Int
    /// Those of ``LocationFix/quantityNames``, as far as the tidy form has them.
    var quantities: [Int?]
  }

  static func columns(of rows: TableRows) throws(RecordingError) -> Columns {
    let required = try rows.positions(
      of: ["t", "lat", "lon"], expected: "t,lat,lon[,alt,hacc,speed,course]")
    let known = ["lat", "lon", "alt", "hacc", "speed", "course"]
    return Columns(
      time: required[0],
      quantities: quantityNames.map { known.contains($0) ? rows.position(of: $0) : nil })
  }

  init?(_ rows: TableRows, _ columns: Columns) throws(RecordingError) {
    // The initializer turns negative and missing values into nil.
    let values = try columns.quantities.map { (column) throws(RecordingError) in
      try rows.number(ifAt: column)
    }
    guard let timestamp = try rows.timestamp(at: columns.time) else { return nil }
    self.init(at: timestamp, values)
  }
}

/// The meaning of a field in a row of an acceleration file.
enum SensorField {
  case time
  /// The component of the acceleration (0 to 2) or of the rotation rate (3 to 5).
  case component(Int)
  /// The pressure, which most rows leave empty: a barometer is slower than the accelerometer.
  case pressure
  /// A column that is not used, but must hold a number.
  case other
}

extension AccelerationRow {
  /// Parses the line that starts at `index` and moves `index` after its end; nil for every line
  /// that is not plain, or not completely in the buffer.
  ///
  /// One pass over the bytes, where `TableRows.next()` and ``DecimalField`` make three, which then
  /// parse the others. `hasTime` is false when the time is out of range.
  @inline(__always)
  init?(
    _ bytes: Span<UInt8>, _ index: inout Int, fields: Span<SensorField>, powers: Span<Double>,
    hasRotation: Bool, hasTime: inout Bool
  ) {
    var time: PlainDecimal?
    var components = SIMD8<Float>.zero
    for position in fields.indices {
      if position > 0 {
        guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return nil }
        index += 1
      }
      if case .pressure = fields[position], index < bytes.count, bytes[index] < UInt8(ascii: "-") {
        continue
      }
      let value = PlainDecimal(bytes, &index)
      guard value.isExact else { return nil }
      switch fields[position] {
      case .time: time = value
      case .component(let component):
        guard value.isShort else { return nil }
        components[component] = value.component(powers)
      case .pressure:
        guard value.isShort else { return nil }
        pressure = value.component(powers)
      case .other: break
      }
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "\r") { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\n") else { return nil }
    index += 1
    let timestamp = time?.timestamp
    hasTime = timestamp != nil
    self.timestamp = timestamp ?? Timestamp(nanoseconds: 0)
    acceleration = Acceleration(x: components[0], y: components[1], z: components[2])
    if hasRotation {
      rotationRate = RotationRate(x: components[3], y: components[4], z: components[5])
    }
  }
}
