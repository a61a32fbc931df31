public import LocomotionSensing

/// Reads the files of a phone's recording as one sequence of events.
///
/// ```swift
/// var reader = try RecordingReader(path: "walk.csv.gz")
/// var batch = SensorBatch()
/// while try reader.read(into: &batch) {
///   print(batch.accelerations.count)
/// }
/// print(reader.counts)
/// ```
///
/// ## Files
/// - `X.csv`: columns `t,ax,ay,az` and, if there is a gyroscope, `gx,gy,gz`; if there is a
///   barometer, `pressure`. Seconds on the recording's clock, m/s² with gravity in Android's sign,
///   rad/s, hPa. Slower sensors leave their fields empty in between, and a row may hold a pressure
///   alone.
/// - `X.gps.csv`: columns `t,lat,lon` and any of `alt,hacc,speed,course`. Degrees on WGS 84,
///   metres, m/s, degrees clockwise from north. Empty or negative means unknown, except for `alt`.
///
/// Both are UTF-8 text with a comma between fields and a decimal point, plain or compressed by gzip
/// (`X.csv.gz`). Columns are found by name, in any order and case; others are ignored. A byte order
/// mark, CR LF, blank lines and quoted fields are accepted.
///
/// ## Bad data and bad files
/// Empty, `nan` and `inf` are what sensors write when they have no value: they are passed on as NaN
/// and counted in ``counts-swift.property``, and a row without a time is left out and counted. Text
/// instead of a number, a row of the wrong length and a damaged archive make a bad file, which
/// throws a ``RecordingError`` that names file and line. Times may repeat or run backwards; the
/// estimators handle that.
///
/// Noncopyable, because it owns open files and their read positions. Memory is constant, some
/// hundred kilobytes per file, whatever the file's length.
public struct RecordingReader: ~Copyable {
  /// The counts of what has been read so far.
  ///
  /// Rows kept are ``accelerations``, ``rowsWithPressureOnly`` and ``fixes``; every other row is in
  /// ``rowsWithoutTime``.
  public struct Counts: Hashable, Sendable {
    /// Lines read from all files, headers and blank lines included.
    public var lines = 0
    /// Accelerations delivered.
    public var accelerations = 0
    /// Rotation rates delivered.
    public var rotationRates = 0
    /// Pressures delivered.
    public var pressures = 0
    /// Fixes delivered.
    public var fixes = 0
    /// Rows left out because their time is empty, not finite or beyond ±2⁶² ns.
    public var rowsWithoutTime = 0
    /// Rows with a pressure and no acceleration.
    public var rowsWithPressureOnly = 0
    /// Acceleration rows with a component that is empty or not finite, and therefore NaN.
    public var rowsWithMissingValues = 0
    /// Fixes without a latitude or longitude, which is then NaN.
    public var fixesWithoutPosition = 0
    /// Rows left out for text in place of a number, or for too many or too few fields.
    public var badRows = 0

    /// All counts zero.
    init() {}
  }

  /// The acceleration file, or nil when the recording has none.
  public let accelerationsPath: String?
  /// The file of fixes, or nil when the recording has none.
  public let fixesPath: String?

  private var accelerations: SensorRows<AccelerationRow>?
  private var fixes: SensorRows<LocationFix>?
  private var given = Counts()
  private var failure: RecordingError?

  /// Opens the recording at `path` and reads the first row of each of its files.
  ///
  /// - Parameters:
  ///   - path: `X.csv[.gz]`, to which `X.gps.csv[.gz]` beside it is added (of two, the one with the
  ///     same compression as `X`); or `X.gps.csv[.gz]` alone. The content of a file with another
  ///     name is determined by its header.
  ///   - leavesOut: Whether a row that is no row is left out and counted, as long as they are few:
  ///     at most one of twenty in the end, and up to ten on the way.
  /// - Throws: ``RecordingError`` when a file cannot be opened, its header lacks a column, its
  ///   first row is bad, or no file has a row with a time.
  public init(path: String, leavingOutBadRows leavesOut: Bool = false) throws(RecordingError) {
    let name = RecordingPath(path)
    let rows = try TableRows(LineReader(path: path))
    let holdsFixes =
      name.kind == "gps" || (!rows.columns.contains("ax") && rows.columns.contains("lat"))
    guard !holdsFixes else {
      try self.init(accelerations: nil, fixes: SensorRows(rows, leavesOut))
      return
    }
    let accelerations = try SensorRows<AccelerationRow>(rows, leavesOut)
    var fixes: SensorRows<LocationFix>?
    if let sibling = name.sibling("gps") {
      fixes = try SensorRows(TableRows(LineReader(path: sibling)), leavesOut)
    }
    try self.init(accelerations: accelerations, fixes: fixes)
  }

  /// The paths of the files that the recording at `path` is read from.
  package static func files(ofRecordingAt path: String) -> [String] {
    let name = RecordingPath(path)
    return [path] + (name.kind == "gps" ? [] : [name.sibling("gps")].compactMap { $0 })
  }

  /// A recording in memory, for tests: the bytes of its files.
  package init(accelerations: [UInt8]?, fixes: [UInt8]?) throws(RecordingError) {
    func rows<Row>(_ bytes: [UInt8]?, _ name: String) throws(RecordingError) -> SensorRows<Row>? {
      guard let bytes else { return nil }
      return try SensorRows(TableRows(LineReader(bytes: bytes, name: name)))
    }
    try self.init(
      accelerations: rows(accelerations, "memory.csv"), fixes: rows(fixes, "memory.gps.csv"))
  }

  /// Throws ``RecordingError/nothingUsable(path:reason:)`` when no file has a usable row.
  private init(
    accelerations: SensorRows<AccelerationRow>?, fixes: SensorRows<LocationFix>?
  ) throws(RecordingError) {
    if accelerations?.head == nil, fixes?.head == nil {
      let rows = (accelerations?.rowsWithoutTime ?? 0) + (fixes?.rowsWithoutTime ?? 0)
      throw .nothingUsable(
        path: accelerations?.path ?? fixes?.path ?? "",
        reason: rows == 0
          ? "no row below the header"
          : "none of the \(rows) rows has a time: expected seconds up to 4611686018")
    }
    self.accelerations = accelerations
    self.fixes = fixes
    accelerationsPath = accelerations?.path
    fixesPath = fixes?.path
  }

  /// The counts of what has been read so far.
  public var counts: Counts {
    var counts = given
    counts.lines = (accelerations?.lines ?? 0) + (fixes?.lines ?? 0)
    counts.rowsWithoutTime =
      (accelerations?.rowsWithoutTime ?? 0) + (fixes?.rowsWithoutTime ?? 0)
    counts.badRows = (accelerations?.badRows ?? 0) + (fixes?.badRows ?? 0)
    return counts
  }

  /// The defect of the first row that was left out; nil where none was.
  package var firstBadRow: RecordingError? { accelerations?.firstBadRow ?? fixes?.firstBadRow }

  /// Replaces the content of `batch` by the next events of the recording.
  ///
  /// A fix comes before the first acceleration that is not earlier than it. Only the next rows of
  /// each file are compared, so that a clock that runs backwards reorders nothing. A row that is
  /// later than the one after it is merged at that one's time, so that a single wrong time delays
  /// nothing. Linear time; once the batch's arrays have grown nothing is allocated.
  ///
  /// - Parameters:
  ///   - batch: Emptied first. After an error it holds the events before it.
  ///   - maximumEvents: The largest number of rows to deliver, positive.
  /// - Returns: Whether there was an event; false at the end of the recording.
  /// - Throws: ``RecordingError`` at a defect, and again at every later call.
  public mutating func read(
    into batch: inout SensorBatch, maximumEvents: Int = 4096
  ) throws(RecordingError) -> Bool {
    precondition(maximumEvents > 0, "maximumEvents is \(maximumEvents), not positive")
    batch.removeAll()
    if let failure { throw failure }
    do {
      var events = 0
      while events < maximumEvents {
        let run = giveRun(to: &batch, atMost: maximumEvents - events)
        if run == 0 { guard try giveNext(to: &batch) else { break } }
        events += max(run, 1)
      }
      return events > 0
    } catch {
      failure = error
      throw error
    }
  }

  /// Moves as many rows of accelerations into `batch` as the fast path allows; returns how many.
  private mutating func giveRun(to batch: inout SensorBatch, atMost limit: Int) -> Int {
    let (rates, pressures) = (batch.rotationRates.count, batch.pressures.count)
    let run = accelerations?.giveRun(to: &batch, before: fixes?.dueTime, atMost: limit) ?? 0
    given.accelerations += run
    given.rotationRates += batch.rotationRates.count - rates
    given.pressures += batch.pressures.count - pressures
    return run
  }

  /// Moves the earlier of the two next rows into `batch`; false when there is none.
  private mutating func giveNext(to batch: inout SensorBatch) throws(RecordingError) -> Bool {
    let row = accelerations?.head
    if let fix = fixes?.head, let due = fixes?.dueTime, due <= accelerations?.dueTime ?? due {
      batch.append(fix)
      given.fixes += 1
      if fix.latitude.isNaN || fix.longitude.isNaN { given.fixesWithoutPosition += 1 }
      try fixes?.advance()
      return true
    }
    guard let row else { return false }
    if row.isPressureOnly {
      given.rowsWithPressureOnly += 1
    } else {
      batch.append(row.acceleration, at: row.timestamp)
      given.accelerations += 1
      if !row.isComplete { given.rowsWithMissingValues += 1 }
    }
    if let pressure = row.pressure {
      batch.append(pressure: pressure, at: row.timestamp)
      given.pressures += 1
    }
    if let rotationRate = row.rotationRate {
      batch.append(rotationRate, at: row.timestamp)
      given.rotationRates += 1
    }
    try accelerations?.advance()
    return true
  }
}

#if !hasFeature(Embedded)
  extension RecordingReader.Counts: Codable {}
#endif

/// The names of the files that make up one recording: `<stem>[.<kind>].csv[.gz]`.
///
/// The kind is empty for accelerations, `gps` for fixes, `truth` for the reference track.
package struct RecordingPath {
  /// The path without kind and extension.
  let stem: String
  /// The part between the stem and the extension, without its points.
  let kind: String
  /// `.csv`, `.csv.gz`, or empty for any other name.
  let ending: String

  /// The kinds that a name can have; any other point belongs to the stem.
  private static let kinds = ["gps", "truth", "stays", "sources"]

  /// Splits the path of one of the files.
  package init(_ path: String) {
    ending = [".csv.gz", ".csv"].first { path.hasSuffix($0) } ?? ""
    let rest = String(path.dropLast(ending.count))
    let kind = ending.isEmpty ? nil : Self.kinds.first { rest.hasSuffix("." + $0) }
    self.kind = kind ?? ""
    stem = kind.map { String(rest.dropLast($0.count + 1)) } ?? rest
  }

  /// The path of the recording's file of another kind, or nil when there is none.
  ///
  /// A file with the same compression as this one takes precedence.
  package func sibling(_ kind: String) -> String? {
    guard !ending.isEmpty else { return nil }
    let endings = ending == ".csv" ? [".csv", ".csv.gz"] : [".csv.gz", ".csv"]
    let middle = kind.isEmpty ? "" : "." + kind
    return endings.map { stem + middle + $0 }.first { FileStatus(path: $0) != nil }
  }
}
