internal import LocomotionRecordings
internal import LocomotionSensing

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
      throw rows.badHeader(names + axes.compactMap(\.first))
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
      }.map(\.element)[...]
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
