import LocomotionRecordings
package import LocomotionSensing

package struct ImportedRecording: Hashable, Sendable {
  package var name: String
  /// The person who recorded; the name of the recording when unknown.
  package var subject: String
  package var hasGyroscope: Bool
  package var hasBarometer: Bool
  /// The device, where the input tells of several; nil where it does not.
  var device: String?
  /// Whether a journal has exported it, so that nothing is to be corrected.
  package var isOfJournal = false

  package init(
    name: String, subject: String? = nil, hasGyroscope: Bool = false, hasBarometer: Bool = false,
    device: String? = nil
  ) {
    (self.name, self.subject, self.device) = (name, subject ?? name, device)
    (self.hasGyroscope, self.hasBarometer) = (hasGyroscope, hasBarometer)
  }
}

/// An event that an importer emits, in the order of the input.
package enum ImportEvent: Sendable {
  /// A recording starts; the events after it belong to it.
  case recording(ImportedRecording)
  case batch(SensorBatch)
  /// An annotated activity of the person from `start` to `end`.
  case label(start: Timestamp, end: Timestamp, text: String)
}

/// Receives what an importer reads, counts it, and emits it in batches.
final class ImportSink {
  typealias Receiver = (ImportEvent) throws(RecordingError) -> Void

  private(set) var report = ImportReport()
  private let receiver: Receiver
  /// The accepted times; samples and fixes outside are dropped, and nil accepts every time.
  private let times: ClosedRange<Timestamp>?
  private var batch = SensorBatch()
  private var hasRecording = false
  private var spans = Spans()
  private var name = ""
  /// What was passed over and is no row of a recording, by kind.
  private var leftOut: [String: Int] = [:]
  /// Reads times without a zone.
  var clock = LocalClock(zone: nil)
  /// From the first to the last time of each sensor of the recording.
  private struct Spans {
    var acceleration, rate, pressure, fix: ClosedRange<Timestamp>?
  }

  private static let largestBatch = 2048
  private static let mostNotes = 20
  /// The limit for statements, hundreds of years of a service's history.
  private static let mostStatements = 1 << 20

  init(times: ClosedRange<Timestamp>? = nil, _ receiver: @escaping Receiver) {
    (self.times, self.receiver) = (times, receiver)
  }

  /// Starts a recording; what follows belongs to it.
  func begin(_ recording: ImportedRecording) throws(RecordingError) {
    try flush()
    try checkClocks()
    name = recording.name
    report.recordings += 1
    hasRecording = true
    clock = LocalClock(zone: clock.zone)
    try receiver(.recording(recording))
  }

  /// Appends an acceleration, or a rotation rate; NaN is a missing component.
  func append(
    _ value: SIMD3<Float>, isRate: Bool = false, at time: Timestamp
  ) throws(RecordingError) {
    guard isPossible(time) else { return }
    report.read += 1
    guard value.x.isFinite || value.y.isFinite || value.z.isFinite else { return count(.noValue) }
    if isRate {
      report.rotationRates += 1
      note(time, in: &spans.rate)
      batch.rotationRates.append(value, at: time)
    } else {
      report.accelerations += 1
      note(time, in: &spans.acceleration)
      batch.accelerations.append(value, at: time)
    }
    try flushIfFull()
  }

  /// Appends the acceleration and then the rotation rate in six columns of a row; a row with text
  /// in one of them is dropped.
  ///
  /// - Returns: Whether it was not.
  func append(
    motionIn columns: [Int], of rows: TableRows, at time: Timestamp
  ) throws(RecordingError) -> Bool {
    let fields = columns.map { rows.field(at: $0) }
    if let bad = fields.firstIndex(of: .text) {
      drop(.notANumber, rows.defect("a number", at: columns[bad]))
      return false
    }
    let values = fields.map { Float($0.value ?? .nan) }
    try append(SIMD3(values[3...]), isRate: true, at: time)
    try append(SIMD3(values[..<3]), at: time)
    return true
  }

  /// Appends a pressure of the air, hPa, unless its size shows that it is in kPa or Pa.
  func append(pressure: Double, at time: Timestamp) throws(RecordingError) {
    guard isPossible(time) else { return }
    report.read += 1
    guard pressure.isFinite else { return count(.noValue) }
    var hectopascals = pressure
    if 10..<120 ~= pressure {
      note("pressures below 120 are taken for kPa")
      hectopascals *= 10
    } else if 10_000..<120_000 ~= pressure {
      note("pressures above 10000 are taken for Pa")
      hectopascals /= 100
    }
    report.pressures += 1
    note(time, in: &spans.pressure)
    batch.append(pressure: Float(hectopascals), at: time)
    try flushIfFull()
  }

  /// Whether a time is within the accepted times; if not, it is counted as dropped.
  ///
  /// An importer that computes with times checks them first.
  func isPossible(_ time: Timestamp) -> Bool {
    guard let times, !times.contains(time) else { return true }
    if time > times.upperBound { report.earliestFuture = min(report.earliestFuture ?? time, time) }
    drop(.impossibleTime)
    return false
  }

  /// Appends a fix; one that is not on Earth is dropped.
  ///
  /// - Returns: Whether it is kept.
  @discardableResult func append(_ fix: LocationFix) throws(RecordingError) -> Bool {
    guard isPossible(fix.timestamp) else { return false }
    guard fix.latitude.isFinite, fix.longitude.isFinite, abs(fix.latitude) <= 90,
      abs(fix.longitude) <= 360
    else {
      drop(.noPosition, fix.looksExchanged ? .exchanged(fix, in: name) : nil)
      return false
    }
    report.read += 1
    report.fixes += 1
    note(fix.timestamp, in: &spans.fix)
    batch.append(fix)
    try flushIfFull()
    return true
  }

  /// Appends samples and fixes: each acceleration behind the rotation rates and pressures that are
  /// not later.
  func append(contentsOf batch: SensorBatch) throws(RecordingError) {
    let (series, rates, pressures) = (batch.accelerations, batch.rotationRates, batch.pressures)
    var (rate, pressure) = (0, 0)
    for index in 0...series.count {
      let time = index < series.count ? series.timestamps[index] : nil
      func isDue(_ other: Timestamp) -> Bool { time.map { other <= $0 } ?? true }
      while rate < rates.count, isDue(rates.timestamps[rate]) {
        try append(rates[rate], isRate: true, at: rates.timestamps[rate])
        rate += 1
      }
      while pressure < pressures.count, isDue(pressures.timestamps[pressure]) {
        let value = Double(pressures.hectopascals[pressure])
        try append(pressure: value, at: pressures.timestamps[pressure])
        pressure += 1
      }
      guard let time else { break }
      try append(series[index], at: time)
    }
    for fix in batch.fixes { try append(fix) }
  }

  func label(_ text: String, from start: Timestamp, to end: Timestamp) throws(RecordingError) {
    report.read += 1
    guard start <= end else { return count(.badInterval) }
    report.labels += 1
    try flush()
    try receiver(.label(start: start, end: end, text: text))
  }

  /// Keeps what the system that wrote the input states, if it tells both ends, unless that is not
  /// possible, which is counted: it ends before it starts, or is nowhere on Earth.
  func state(
    _ kind: StatedInterval.Kind, from start: Timestamp?, to end: Timestamp?, source: String,
    probability: Double? = nil, basis: StatedInterval.Basis = .inferred,
    totals: StatedTotals? = nil, place: String? = nil
  ) {
    guard let start, let end else { return }
    let statement = StatedInterval(
      kind, from: start, to: end, source: source, probability: probability, basis: basis,
      totals: totals, place: place)
    guard let statement, times?.contains(start) ?? true, times?.contains(end) ?? true else {
      return leaveOut("statements without a possible time or place")
    }
    guard report.statements.count < Self.mostStatements else {
      return leaveOut("statements beyond the first \(Self.mostStatements)")
    }
    report.statements.append(statement)
  }

  /// Keeps what a device measured of the body; what nobody can have is left out.
  func measure(_ quantity: BodyQuantity, _ value: Double?, at time: Timestamp) {
    // A byte of a heart rate with all its bits is none.
    guard let value, 0.5..<(quantity == .heartRate ? 250 : 3_000) ~= value, time.isPlausible
    else { return }
    report.body[quantity, default: []].append(BodySample(time: time, value: Float(value)))
  }

  /// Keeps a lap with a distance and a time.
  func addLap(from start: Timestamp?, _ totals: StatedTotals?) {
    guard let start, let distance = totals?.distance, distance > 0,
      let seconds = totals?.movingSeconds ?? totals?.elapsedSeconds, seconds > 0
    else { return }
    report.laps.append(StatedLap(start: start, seconds: seconds, distance: distance))
  }

  /// Keeps the name of a track, unless it is empty; a long one is cut.
  func name(_ name: String, from start: Timestamp) {
    if !name.isEmpty { report.names[start] = String(name.prefix(120)) }
  }

  /// Notes that what follows is another track of a file, which may be an outing of its own.
  func beginTrack() { report.trackStarts.append(report.fixes) }

  /// Keeps places and edits that a journal exported, for another one.
  func annotate(_ annotations: [JSONValue]) { report.annotations += annotations }

  /// Counts a row that was read and dropped.
  ///
  /// Only the first defect is reported, so only that one is created.
  func drop(_ reason: DropReason, _ defect: @autoclosure () -> RecordingError? = nil) {
    report.read += 1
    count(reason)
    if report.firstDefect == nil { report.firstDefect = defect() }
  }

  /// Counts what was read and dropped for what stands at a place of a file.
  func drop<Place: CustomStringConvertible>(
    _ reason: DropReason, in path: String, at place: @autoclosure () -> Place,
    expected: String, found: @autoclosure () -> String
  ) {
    drop(reason, .malformed(path: path, place: "\(place())", expected: expected, found: found()))
  }

  private func count(_ reason: DropReason) { report.dropped[reason, default: 0] += 1 }

  /// The instant of a text in ISO 8601; how one without a zone is taken is noted.
  func time(of text: String) -> Timestamp? {
    guard let (time, hasZone) = CalendarTime.timestamp(text) else { return nil }
    return hasZone ? time : localTime(time)
  }

  /// The instant of the reading of a clock whose zone the input does not tell.
  func localTime(_ reading: Timestamp) -> Timestamp {
    let time = clock.time(of: reading)
    note(clock.note)
    return time
  }

  /// Adds a note on how the input was read, unless it is there already.
  func note(_ text: String) {
    guard report.notes.count < Self.mostNotes, !report.notes.contains(text) else { return }
    report.notes.append(text)
  }

  /// Counts what is passed over and is no row of a recording; `kind` is a plural for a note.
  func leaveOut(_ kind: String, count: Int = 1) {
    guard count > 0, leftOut.count < Self.mostNotes || leftOut[kind] != nil else { return }
    leftOut[kind, default: 0] += count
  }

  /// Ends the last recording and emits what is held.
  func finish() throws(RecordingError) {
    try flush()
    try checkClocks()
    for (kind, count) in leftOut.sorted(by: { $0.key < $1.key }) {
      report.notes.append("\(kind), left out: \(count)")
    }
    leftOut = [:]
    report.statements.sort { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// Notes when the times of samples and fixes have nothing in common, and forgets them.
  ///
  /// - Throws: `RecordingError.refused` where they are of clocks that nobody can compare.
  private func checkClocks() throws(RecordingError) {
    defer { spans = Spans() }
    guard let samples = spans.acceleration, let fixes = spans.fix, !samples.overlaps(fixes) else {
      return
    }
    try FixSurvey.compareClocks(name, samples.lowerBound, [fixes.lowerBound, fixes.upperBound])
    note(
      "\(name): accelerations from \(samples.lowerBound.seconds) s to "
        + "\(samples.upperBound.seconds) s and fixes from \(fixes.lowerBound.seconds) s to "
        + "\(fixes.upperBound.seconds) s: their clocks differ")
  }

  func flush() throws(RecordingError) {
    guard !batch.isEmpty else { return }
    precondition(hasRecording, "an importer starts a recording before its first sample")
    defer { batch.removeAll() }
    try receiver(.batch(batch))
  }

  private func flushIfFull() throws(RecordingError) {
    let samples = batch.accelerations.count + batch.rotationRates.count + batch.pressures.count
    if samples + batch.fixes.count >= Self.largestBatch { try flush() }
  }

  private func note(_ time: Timestamp, in span: inout ClosedRange<Timestamp>?) {
    if let latest = span?.upperBound, time < latest { report.outOfOrder += 1 }
    span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
  }
}

/// Joins the labels of successive samples into intervals.
struct LabelRuns {
  private var open: (label: String, start: Timestamp, last: Timestamp)?
  /// A pause in the samples longer than this ends an interval.
  private let longestPause: Double

  init(longestPause: Double = 10) { self.longestPause = longestPause }

  /// Adds the label of the sample at `time`, nil for none.
  mutating func take(
    _ label: String?, at time: Timestamp, _ sink: ImportSink
  ) throws(RecordingError) {
    if let run = open {
      let pause = time.seconds(since: run.last)
      let isNear = 0...longestPause ~= pause
      guard !isNear || label != run.label else {
        open?.last = time
        return
      }
      // Up to this sample when it follows directly; else to the last one with the label.
      try sink.label(run.label, from: run.start, to: isNear ? time : run.last)
    }
    open = label.map { ($0, time, time) }
  }

  mutating func finish(_ sink: ImportSink) throws(RecordingError) {
    if let run = open { try sink.label(run.label, from: run.start, to: run.last) }
    open = nil
  }
}
