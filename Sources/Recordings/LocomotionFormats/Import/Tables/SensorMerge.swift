internal import LocomotionRecordings
internal import LocomotionSensing

/// The quantity in one file, or under one name of a message.
enum SensorRole: CaseIterable {
  /// The specific force.
  case total
  /// The acceleration without gravity.
  case linear
  case gravity
  case rotationRate
  case pressure
  case location
}

/// The sensors of one recording, each from a file or measurements of its own, in the order of time.
///
/// The specific force is the total, or else the linear acceleration plus gravity. All samples are
/// held in memory, some 20 bytes each.
struct SensorMerge {
  private var batch = SensorBatch()
  private var linear = SensorBatch.Series()
  private var gravity = SensorBatch.Series()
  /// The largest distance in time between gravity and a sample that it is added to, seconds.
  private static let longestReach = 1.0

  /// Imports the files of a recording by what they hold, with the columns of an app.
  ///
  /// `columns` are those of fixes, and under `t` that of the time of all files; `axes` gives those
  /// of a sensor, whose components are multiplied by `scales`, if not by 1.
  ///
  /// - Returns: Whether there is a sensor to import besides a barometer, which says nothing alone.
  static func read(
    _ files: [SensorRole: String], of source: ImportSource, as recording: ImportedRecording,
    _ columns: [String: [String]], into sink: ImportSink, scales: [SensorRole: Double] = [:],
    timestamp: (DecimalField) -> Timestamp?, axes: (SensorRole) -> [[String]]
  ) throws(RecordingError) -> Bool {
    var (files, recording) = (files, recording)
    recording.hasGyroscope = files[.rotationRate] != nil
    recording.hasBarometer = files[.pressure] != nil
    try sink.begin(recording)
    // What isn't needed isn't opened, so that it can have no defect.
    if files[.total] != nil || files[.linear] == nil || files[.gravity] == nil {
      if files[.total] == nil, files[.linear] != nil { sink.note(withoutGravity) }
      (files[.linear], files[.gravity]) = (nil, nil)
    }
    guard files.keys.contains(where: { $0 != .pressure }) else { return false }
    var merge = SensorMerge()
    for role in SensorRole.allCases {
      guard let name = files[role] else { continue }
      do {
        let isFix = role == .location
        try merge.read(
          source.lines(of: name), role, time: columns["t"] ?? [],
          isFix ? LocationFix.quantityNames.map { columns[$0] ?? [] } : axes(role),
          scale: scales[role] ?? 1, sink, timestamp)
      } catch .empty(let path) where role == .location {
        sink.note("\(path) is empty: no fixes")
      }
    }
    try merge.give(to: sink)
    return true
  }

  static let withoutGravity =
    "the accelerations are without gravity, and there is no gravity: left out"

  /// Adds a sample as the input gives it; of a pressure only the first component is known.
  mutating func add(_ values: SIMD3<Double>, of role: SensorRole, at time: Timestamp) {
    let values = SIMD3<Float>(values)
    switch role {
    case .total: batch.accelerations.append(values, at: time)
    case .linear: linear.append(values, at: time)
    case .gravity: gravity.append(values, at: time)
    case .rotationRate: batch.rotationRates.append(values, at: time)
    case .pressure: batch.append(pressure: values.x, at: time)
    case .location: break
    }
  }

  /// Gives all in the order of time.
  mutating func give(to sink: ImportSink) throws(RecordingError) {
    addGravity(sink)
    var slices = BatchSlices(batch.descents > 0 ? batch.sortedByTime : batch)
    while slices.next(into: &batch) { try sink.append(contentsOf: batch) }
  }

  /// Adds the linear accelerations with the gravity at their times, by linear interpolation.
  private mutating func addGravity(_ sink: ImportSink) {
    let (own, field) = (linear.sortedByTime, gravity.sortedByTime)
    var next = 0
    for (index, time) in own.timestamps.enumerated() {
      while next < field.count, field.timestamps[next] <= time { next += 1 }
      let near = [next - 1, next].filter {
        0..<field.count ~= $0 && abs(field.timestamps[$0].seconds(since: time)) <= Self.longestReach
      }
      guard let first = near.first, let last = near.last else {
        sink.drop(.noGravity)
        continue
      }
      let span = field.timestamps[last].seconds(since: field.timestamps[first])
      let part = span > 0 ? Float(time.seconds(since: field.timestamps[first]) / span) : 0
      let total = own[index] + field[first] + part * (field[last] - field[first])
      batch.accelerations.append(total, at: time)
    }
  }

  /// Reads the rows of `lines` below a header with columns of time and of a sensor.
  ///
  /// They are the axes, which are multiplied by `scale`, or the quantities of a fix, of which only
  /// the first two must be there; `timestamp` converts the field of time.
  private mutating func read(
    _ lines: consuming LineReader, _ role: SensorRole, time names: [String],
    _ quantities: [[String]], scale: Double, _ sink: ImportSink,
    _ timestamp: (DecimalField) -> Timestamp?
  ) throws(RecordingError) {
    var rows = try TableRows(lines, isTidy: false)
    let isFix = role == .location
    let needed = quantities.prefix(isFix ? 2 : 3)
    let places = needed.compactMap { rows.column($0) }
    let times = rows.columns.indices.filter { names.contains(rows.columns[$0]) }
    // Of sensors side by side, each has its time before its axes.
    let time = times.last { $0 < places.first ?? 0 } ?? times.first
    guard let time, places.count == needed.count else {
      throw rows.badHeader(names + needed.flatMap { $0.prefix(isFix ? $0.count : 1) })
    }
    let columns = isFix ? quantities.map { rows.column($0) } : []
    let scale = scale * (ColumnNames.parts(of: rows.columns[places[0]]).unit?.scale ?? 1)
    // Where other sensors stand beside this one, its fields may end before theirs.
    let own = times.count > 1 ? [time] + places : []
    while try rows.next() {
      if !own.isEmpty, own.allSatisfy({ rows.text(at: $0).isEmpty }) { continue }
      guard rows.count == rows.columns.count else {
        sink.drop(.fieldCount, rows.defect("\(rows.columns.count) fields as in the header"))
        continue
      }
      let field = rows.field(at: time)
      guard let instant = timestamp(field) else {
        sink.drop(field == .text ? .notANumber : .noTime, rows.defect("a time", at: time))
        continue
      }
      if let bad = places.first(where: { rows.field(at: $0) == .text }) {
        sink.drop(.notANumber, rows.defect(isFix ? "degrees" : "a number", at: bad))
      } else if isFix {
        batch.append(LocationFix(at: instant, columns.map { rows.value(at: $0) }))
      } else {
        var values = SIMD3(repeating: Double.nan)
        for (index, place) in places.enumerated() {
          values[index] = (rows.field(at: place).value ?? .nan) * scale
        }
        add(values, of: role, at: instant)
      }
    }
  }
}

extension TableRows {
  func badHeader(_ expected: [String]) -> RecordingError {
    .badHeader(
      path: path, line: line, expected: expected.joined(separator: ","),
      found: columns.joined(separator: ","))
  }
}
