public import LocomotionSensing

/// Writes a recording in the format that ``RecordingReader`` reads.
///
/// ```swift
/// var writer = try RecordingWriter(path: "walk.csv.gz", hasGyroscope: false)
/// try writer.write(batch)
/// try writer.close()
/// ```
///
/// Times are written exactly, to the nanosecond. The files are renamed into place when the writer
/// is closed: data that must survive a crash belong in a journal. Noncopyable, because it owns open
/// files.
public struct RecordingWriter: ~Copyable {
  /// The number of decimals of each column.
  private struct Decimals {
    var acceleration = 4, rotationRate = 5, pressure = 3, coordinate = 8, distance = 2, course = 1

    init(_ all: Int?) {
      guard let all else { return }
      (acceleration, rotationRate, pressure) = (all, all, all)
      (coordinate, distance, course) = (all, all, all)
    }
  }

  /// The file of accelerations.
  public let path: String
  /// The path of the file of fixes, which exists only when a fix was written.
  public let fixesPath: String
  /// Rotation rates dropped so far, because a later one came before the next acceleration.
  public private(set) var rotationRatesLeftOut = 0

  /// Pressures dropped so far, because the file has no column for them.
  public private(set) var pressuresLeftOut = 0

  /// ``rotationRatesLeftOut``, and the one that still waits for an acceleration.
  package var rotationRatesWithoutRow: Int {
    rotationRatesLeftOut + (pendingRotationRate == nil ? 0 : 1)
  }

  private let hasGyroscope: Bool
  private let hasBarometer: Bool
  private let decimals: Decimals
  private let outputs: OutputFiles
  private let accelerations: OutputFile
  private var fixes: OutputFile?
  private var hasRows = false
  private var pendingRotationRate: RotationRate?
  /// Pressures that are later than every acceleration so far.
  private var pendingPressures = SensorBatch.PressureSeries()
  private var text: [UInt8] = []

  /// A writer to `X.csv` or `X.csv.gz`, compressed in the second case.
  ///
  /// Fixes are written to `X.gps.csv[.gz]` beside it. An existing file of fixes from an earlier
  /// recording of the same name would be read as part of this one: remove it first.
  ///
  /// - Parameters:
  ///   - path: Ends in `.csv` or `.csv.gz`.
  ///   - hasGyroscope: Whether the columns `gx,gy,gz` are written.
  ///   - hasBarometer: Whether the column `pressure` is written.
  ///   - decimals: The decimals of every column, 0 to 9; nil for those that are finer than the
  ///     resolution of a phone's sensors: 4 of m/s², 5 of rad/s, 3 of hPa (about 1 cm of altitude),
  ///     8 of degrees (about 1 mm), 2 of metres and the speed, 1 of the course.
  /// - Throws: ``RecordingError/unwritable(path:reason:)``.
  public init(
    path: String, hasGyroscope: Bool = false, hasBarometer: Bool = false, decimals: Int? = nil
  ) throws(RecordingError) {
    try self.init(
      path: path, hasGyroscope: hasGyroscope, hasBarometer: hasBarometer, decimals: decimals,
      to: OutputFiles())
  }

  /// A writer whose files are renamed into place together with others.
  package init(
    path: String, hasGyroscope: Bool, hasBarometer: Bool, decimals: Int? = nil,
    to outputs: OutputFiles
  ) throws(RecordingError) {
    let name = RecordingPath(path)
    precondition(
      !name.ending.isEmpty && name.kind.isEmpty, "\(path) is not of the form X.csv or X.csv.gz")
    precondition(0...9 ~= decimals ?? 0, "decimals is \(decimals ?? 0), not 0 to 9")
    let output = try outputs.open(path)
    try output.write(
      "t,ax,ay,az\(hasGyroscope ? ",gx,gy,gz" : "")\(hasBarometer ? ",pressure" : "")\n")
    self.outputs = outputs
    self.path = path
    fixesPath = name.stem + ".gps" + name.ending
    self.hasGyroscope = hasGyroscope
    self.hasBarometer = hasBarometer
    self.decimals = Decimals(decimals)
    accelerations = output
  }

  /// Appends the events of `batch`.
  ///
  /// A component that is NaN or infinite becomes an empty field, and so does a missing quantity of
  /// a fix. A rotation rate is written in the row of the first acceleration that is not earlier
  /// than it. Of several, one with exactly the acceleration's time takes precedence, else the last
  /// one. A pressure without an acceleration of its time has a row of its own. Linear time; once
  /// the row buffer has grown nothing is allocated.
  ///
  /// - Throws: ``RecordingError/unwritable(path:reason:)``.
  public mutating func write(_ batch: borrowing SensorBatch) throws(RecordingError) {
    text.removeAll(keepingCapacity: true)
    appendAccelerations(batch.accelerations, batch.rotationRates, takingIn: batch.pressures)
    hasRows = hasRows || !text.isEmpty
    try accelerations.write(text)

    guard !batch.fixes.isEmpty else { return }
    text.removeAll(keepingCapacity: true)
    if fixes == nil {
      fixes = try outputs.open(fixesPath)
      text += Array("t,lat,lon,alt,hacc,speed,course\n".utf8)
    }
    for fix in batch.fixes { append(fix) }
    try fixes?.write(text)
  }

  /// Flushes the files and renames them into place.
  ///
  /// Without this call no file appears.
  ///
  /// - Throws: ``RecordingError/unwritable(path:reason:)``.
  public consuming func close() throws(RecordingError) {
    try writePendingPressures()
    try outputs.commit()
  }

  /// Flushes and closes the files, which are renamed together with the others; a file without a row
  /// is not created.
  ///
  /// - Returns: The paths of the files that were written.
  package consuming func finish() throws(RecordingError) -> [String] {
    try writePendingPressures()
    try fixes?.finish()
    let fixesPaths = fixes == nil ? [] : [fixesPath]
    guard hasRows else {
      outputs.discard(accelerations)
      return fixesPaths
    }
    try accelerations.finish()
    return [path] + fixesPaths
  }

  private mutating func appendAccelerations(
    _ series: SensorBatch.Series, _ rates: SensorBatch.Series,
    takingIn newPressures: SensorBatch.PressureSeries
  ) {
    let pressures = pressures(with: newPressures)
    var (next, nextPressure) = (0, 0)
    for index in 0..<series.count {
      let timestamp = series.timestamps[index]
      while next < rates.count, rates.timestamps[next] <= timestamp {
        takeRotationRate(rates, next)
        next += 1
        // Of the same reading: it stays with this row even when the clock repeats or runs
        // backwards.
        if rates.timestamps[next - 1] == timestamp { break }
      }
      let pressure = appendPressures(pressures, from: &nextPressure, upTo: timestamp)
      text.append(timestamp)
      appendField(Double(series.x[index]), decimals.acceleration)
      appendField(Double(series.y[index]), decimals.acceleration)
      appendField(Double(series.z[index]), decimals.acceleration)
      if hasGyroscope {
        appendField(pendingRotationRate.map { Double($0.x) }, decimals.rotationRate)
        appendField(pendingRotationRate.map { Double($0.y) }, decimals.rotationRate)
        appendField(pendingRotationRate.map { Double($0.z) }, decimals.rotationRate)
        pendingRotationRate = nil
      }
      if hasBarometer { appendField(pressure.map(Double.init), decimals.pressure) }
      text.append(UInt8(ascii: "\n"))
    }
    pendingPressures.append(contentsOf: pressures[nextPressure..<pressures.count])
    while next < rates.count {
      takeRotationRate(rates, next)
      next += 1
    }
  }

  /// The pressures that wait for a row, and those that are new.
  private mutating func pressures(
    with new: SensorBatch.PressureSeries
  ) -> SensorBatch.PressureSeries {
    guard hasBarometer else {
      pressuresLeftOut += new.count
      return pendingPressures
    }
    guard pendingPressures.count > 0 else { return new }
    pendingPressures.append(contentsOf: new)
    defer { pendingPressures.removeAll() }
    return pendingPressures
  }

  /// Writes the pressures before a time as rows of their own, and returns the one of that time.
  private mutating func appendPressures(
    _ pressures: SensorBatch.PressureSeries, from next: inout Int, upTo timestamp: Timestamp
  ) -> Float? {
    while next < pressures.count, pressures.timestamps[next] <= timestamp {
      defer { next += 1 }
      guard pressures.timestamps[next] < timestamp else { return pressures.hectopascals[next] }
      appendPressure(pressures.hectopascals[next], at: pressures.timestamps[next])
    }
    return nil
  }

  private mutating func appendPressure(_ hectopascals: Float, at timestamp: Timestamp) {
    text.append(timestamp)
    for _ in 0..<(hasGyroscope ? 6 : 3) { appendField(nil, 0) }
    appendField(Double(hectopascals), decimals.pressure)
    text.append(UInt8(ascii: "\n"))
  }

  /// Writes what was waiting for an acceleration that did not come.
  private mutating func writePendingPressures() throws(RecordingError) {
    guard pendingPressures.count > 0 else { return }
    text.removeAll(keepingCapacity: true)
    for index in 0..<pendingPressures.count {
      appendPressure(
        pendingPressures.hectopascals[index], at: pendingPressures.timestamps[index])
    }
    pendingPressures.removeAll()
    hasRows = true
    try accelerations.write(text)
  }

  /// Holds a rotation rate for the next row.
  private mutating func takeRotationRate(_ rates: SensorBatch.Series, _ index: Int) {
    if !hasGyroscope || pendingRotationRate != nil { rotationRatesLeftOut += 1 }
    guard hasGyroscope else { return }
    pendingRotationRate = RotationRate(
      x: rates.x[index], y: rates.y[index], z: rates.z[index])
  }

  private mutating func append(_ fix: LocationFix) {
    text.append(fix.timestamp)
    appendField(fix.latitude, decimals.coordinate)
    appendField(fix.longitude, decimals.coordinate)
    appendField(fix.altitude, decimals.distance)
    appendField(fix.horizontalAccuracy, decimals.distance)
    appendField(fix.speed, decimals.distance)
    appendField(fix.course, decimals.course)
    text.append(UInt8(ascii: "\n"))
  }

  private mutating func appendField(_ value: Double?, _ decimals: Int) {
    text.append(UInt8(ascii: ","))
    if let value { text.append(value, digits: decimals) }
  }
}
