internal import LocomotionRecordings
internal import LocomotionSensing

/// The samples and fixes of an input in memory, in the order of time.
struct HeldRecording {
  /// Everything, each sensor in the order of time.
  private(set) var all = SensorBatch()
  /// What was read, kept and left out.
  private(set) var report = ImportReport()
  /// What ended the reading, thrown after the events before it.
  private var defect: RecordingError?
  /// The number of events of each sensor that were given.
  private var given = (accelerations: 0, rotationRates: 0, pressures: 0, fixes: 0)

  private static let longestBatch = 4096

  /// A recording without events.
  init() {}

  /// Sorts the events of a batch, which `defect` follows, and corrects its fixes.
  init(_ batch: SensorBatch, _ report: ImportReport, defect: RecordingError? = nil) {
    self.defect = defect
    self.report = report
    all = batch
    if let end = FixSurvey(batch.fixes).rolloverEnd { undoRollover(before: end) }
    let descents = batch.descents
    if descents > 0 {
      self.report.outOfOrder = descents
      self.report.notes.append("sorted by time")
    }
    if all.descents > 0 { all = all.sortedByTime }
    var correction = FixCorrection(FixSurvey(all.fixes))
    correction.apply(to: &all.fixes)
    if let last = correction.finish() { all.append(last) }
    self.report = correction.report(self.report)
  }

  /// Adds to early times what a receiver did not count.
  private mutating func undoRollover(before end: Timestamp) {
    let early = all.fixes.indices.filter { all.fixes[$0].timestamp < end }
    for index in early {
      let time = all.fixes[index].timestamp
      all.fixes[index].timestamp = time.advanced(
        byNanoseconds: Int64(FixSurvey.weeks) * 1_000_000_000)
    }
    report.notes.append(
      "fixes 1,024 weeks early, as after the end of the week counter of GPS, corrected: "
        + "\(early.count)")
  }

  /// Reads all recordings of an input.
  ///
  /// - Throws: `RecordingError.refused` when two of them have accelerations of the same time.
  init(_ source: RecordingSource) throws(RecordingError) {
    var batch = SensorBatch()
    var spans: [(name: String, first: Int, fix: Int)] = []
    var devices: [String?] = []
    var report = try source.importEvents { (event: ImportEvent) throws(RecordingError) in
      switch event {
      case .recording(let recording):
        spans.append((recording.name, batch.accelerations.count, batch.fixes.count))
        devices.append(recording.device)
      case .batch(let part): batch.append(contentsOf: part)
      case .label: break
      }
    }
    try Self.refusePhonesSideBySide(
      source.path, spans.map { ($0.name, $0.first) }, batch.accelerations.timestamps)
    if batch.accelerations.count == 0, devices.contains(where: { $0 != nil }) {
      let starts = zip(spans, devices).map { ($0.name, $1 ?? "", $0.fix) }
      let choice = DeviceChoice(batch.fixes, starts)
      batch.fixes = choice.fixes
      for (index, start) in choice.starts.enumerated() { spans[index].fix = start }
      report.drop(choice.leftOut, .otherDevice)
      report.notes += choice.notes
    }
    let tracks = Self.overlap(spans.map { ($0.name, $0.fix) }, batch.fixes.map(\.timestamp))
    if batch.accelerations.count == 0, let (one, other) = tracks {
      report.notes.append("fixes of '\(one)' and '\(other)' are of the same time, and merged")
    }
    self.init(batch, report)
  }

  /// Throws when the accelerations of two recordings overlap in time.
  private static func refusePhonesSideBySide(
    _ path: String, _ recordings: [(name: String, first: Int)], _ times: [Timestamp]
  ) throws(RecordingError) {
    guard let (earlier, later) = overlap(recordings, times) else { return }
    throw .refused(
      path: path,
      reason: "'\(earlier)' and '\(later)' of its \(recordings.count) recordings have "
        + "accelerations of the same time: two phones, or clocks that begin at 0; name one of "
        + "them, or convert the input to a folder of recordings")
  }

  /// Two recordings that overlap in time; nil where none do.
  private static func overlap(
    _ recordings: [(name: String, first: Int)], _ times: [Timestamp]
  ) -> (String, String)? {
    let ends = recordings.dropFirst().map(\.first) + [times.count]
    let spans = zip(recordings, ends).compactMap { recording, end in
      let own = times[recording.first..<end]
      return own.min().flatMap { first in own.max().map { (recording.name, first, $0) } }
    }.sorted { $0.1 < $1.1 }
    return zip(spans, spans.dropFirst()).first { $1.1 < $0.2 }.map { ($0.0, $1.0) }
  }

  /// Replaces the content of `batch` by the next events; false at the end.
  ///
  /// - Throws: The defect that ended the reading, after the events before it.
  mutating func read(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
    batch.removeAll()
    let (accelerations, rates) = (all.accelerations.timestamps, all.rotationRates.timestamps)
    let pressures = all.pressures.timestamps
    // Up to the time at which the densest sensor's batch is full: the sensors stay together.
    let end = [
      Self.time(accelerations.count, given.accelerations) { accelerations[$0] },
      Self.time(rates.count, given.rotationRates) { rates[$0] },
      Self.time(pressures.count, given.pressures) { pressures[$0] },
      Self.time(all.fixes.count, given.fixes) { all.fixes[$0].timestamp },
    ].compactMap(\.self).min()
    func index(_ count: Int, _ start: Int, _ time: (Int) -> Timestamp) -> Int {
      guard let end else { return count }
      var index = start
      while index < count, time(index) <= end { index += 1 }
      return index
    }
    let next = (
      accelerations: index(accelerations.count, given.accelerations) { accelerations[$0] },
      rotationRates: index(rates.count, given.rotationRates) { rates[$0] },
      pressures: index(pressures.count, given.pressures) { pressures[$0] },
      fixes: index(all.fixes.count, given.fixes) { all.fixes[$0].timestamp }
    )
    batch.accelerations.append(
      contentsOf: all.accelerations, in: given.accelerations..<next.accelerations)
    batch.rotationRates.append(
      contentsOf: all.rotationRates, in: given.rotationRates..<next.rotationRates)
    batch.pressures.append(contentsOf: all.pressures[given.pressures..<next.pressures])
    batch.fixes += all.fixes[given.fixes..<next.fixes]
    given = next
    if batch.isEmpty, let defect { throw defect }
    return !batch.isEmpty
  }

  /// The time of the last event of a full batch; nil where the rest is no more than a batch.
  private static func time(
    _ count: Int, _ start: Int, _ time: (Int) -> Timestamp
  ) -> Timestamp? {
    count - start > longestBatch ? time(start + longestBatch - 1) : nil
  }
}

extension SensorBatch {
  /// The events that are earlier than the one before of their sensor.
  var descents: Int {
    accelerations.timestamps.descents + rotationRates.timestamps.descents
      + pressures.timestamps.descents + fixes.map(\.timestamp).descents
  }

  /// The largest share of such events among those of a sensor; 0 to 1.
  var shareOfDescents: Double {
    [
      accelerations.timestamps, rotationRates.timestamps, pressures.timestamps,
      fixes.map(\.timestamp),
    ].map { Double($0.descents) / Double(Swift.max(1, $0.count - 1)) }.max() ?? 0
  }

  /// Each sensor's events in the order of time; those of one time stay in their order.
  var sortedByTime: SensorBatch {
    var sorted = SensorBatch()
    sorted.accelerations = accelerations.sortedByTime
    sorted.rotationRates = rotationRates.sortedByTime
    for index in pressures.timestamps.orderOfTime {
      sorted.append(
        pressure: pressures.hectopascals[index], at: pressures.timestamps[index])
    }
    sorted.fixes = fixes.map(\.timestamp).orderOfTime.map { fixes[$0] }
    return sorted
  }
}

extension SensorBatch.Series {
  fileprivate var sortedByTime: Self {
    var sorted = Self()
    for index in timestamps.orderOfTime {
      sorted.append(x: x[index], y: y[index], z: z[index], at: timestamps[index])
    }
    return sorted
  }

  fileprivate mutating func append(contentsOf other: Self, in range: Range<Int>) {
    for index in range {
      append(x: other.x[index], y: other.y[index], z: other.z[index], at: other.timestamps[index])
    }
  }
}

extension [Timestamp] {
  /// The number of times that are earlier than the one before.
  fileprivate var descents: Int { zip(self, dropFirst()).count { $0 > $1 } }

  /// The indices in the order of time, and where times are equal in their own order.
  fileprivate var orderOfTime: [Int] {
    indices.sorted { (self[$0], $0) < (self[$1], $1) }
  }
}
