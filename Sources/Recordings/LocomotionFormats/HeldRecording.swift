internal import LocomotionPositioning
package import LocomotionRecordings
package import LocomotionSensing

/// The samples and fixes of an input in memory, in the order of time.
package struct HeldRecording: Sendable {
  /// Everything, each sensor in the order of time.
  private(set) var all = SensorBatch()
  package private(set) var report = ImportReport()
  /// What ended the reading, thrown after the events before it.
  private var defect: RecordingError?
  /// What is left to give; nil before the first batch.
  private var slices: BatchSlices?

  init() {}

  /// Sorts the events of a batch, which `defect` follows, and corrects its fixes; `starts` are the
  /// indices of the first fixes of its recordings, in their order.
  init(
    _ batch: SensorBatch, _ report: ImportReport, defect: RecordingError? = nil,
    starts: [Int] = [0]
  ) {
    self.defect = defect
    self.report = report
    all = batch
    spreadBatches()
    if let end = FixSurvey(batch.fixes).rolloverEnd { undoRollover(before: end) }
    let wrong = leaveOutWrongClocks(starts)
    if hasOnlyFixes {
      let bounds = Set(starts + report.trackStarts).sorted()
        .map { start in start - wrong.count { $0 < start } }
      let times = all.fixes.map { $0.timestamp }
      self.report.statements += RecordedSpan.pauses(
        between: zip(bounds, bounds.dropFirst() + [times.count]).map { Array(times[$0..<$1]) },
        report.statements
      ) { [fixes = all.fixes] one, other in
        RecordedSpan.isOnePlace(
          fixes.first { $0.timestamp == one }, fixes.first { $0.timestamp == other })
      }
    }
    let descents = all.descents
    if descents > 0 {
      self.report.outOfOrder = descents
      self.report.notes.append("sorted by time")
      all = all.sortedByTime
    }
    let survey = FixSurvey(all.fixes)
    var correction = FixCorrection(survey)
    correction.apply(to: &all.fixes)
    if let last = correction.finish() { all.append(last) }
    self.report = correction.report(self.report)
    let screening = FixScreening(fixes: all.fixes[...])
    let held = screening.heldPositions(decimals: survey.roundedDecimals)
    all.removeFixes(held)
    self.report.drop(held.count, .heldPosition)
  }

  private mutating func spreadBatches() {
    guard let times = all.accelerations.timestamps.spread else { return }
    all.accelerations = all.accelerations.at(times)
    if let times = all.rotationRates.timestamps.spread {
      all.rotationRates = all.rotationRates.at(times)
    }
    report.notes.append(
      "samples in batches of one time, as a sensor gives them: spread up to the next")
  }

  /// Leaves out few fixes of a recording with dates that are far off, and says which.
  ///
  /// - Returns: The indices that they had.
  private mutating func leaveOutWrongClocks(_ starts: [Int]) -> [Int] {
    let pauses = report.statements.filter { $0.kind == .pause }.map { $0.start...$0.end }
    var wrong: [Int] = []
    for (start, end) in zip(starts, starts.dropFirst() + [all.fixes.count]) where start < end {
      for range in FixScreening(fixes: all.fixes[start..<end], pauses: pauses).wrongClocks {
        wrong += range
        let second = all.fixes[range.lowerBound].timestamp.interval(of: 1_000_000_000)
        let start = CalendarTime.text(Timestamp(nanoseconds: second * 1_000_000_000))
        report.notes.append("left out for a wrong clock: \(range.count) fixes from \(start) on")
      }
    }
    all.removeFixes(wrong)
    report.drop(wrong.count, .wrongClock)
    return wrong
  }

  // MARK: Ends of recordings

  /// The recordings of the input that each end at their last point, with the report on all of
  /// them; itself where there is one.
  package var parts: [HeldRecording] {
    let pauses = report.statements.filter { $0.kind == .unrecorded }
    guard !pauses.isEmpty else { return [self] }
    let ends = pauses.map { pause in all.fixes.partitioningIndex { $0.timestamp >= pause.end } }
    return zip([0] + ends, ends + [all.fixes.count]).compactMap { begin, end in
      var part = self
      part.all.fixes = Array(all.fixes[begin..<end])
      return begin < end ? part : nil
    }
  }

  /// When it was recorded; nil where there is more than fixes, whose silence says nothing then.
  package var span: RecordedSpan? {
    hasOnlyFixes ? RecordedSpan(all.fixes.map { $0.timestamp }) : nil
  }

  package var firstFix: LocationFix? { all.fixes.first }

  private var hasOnlyFixes: Bool { all.times.dropLast().allSatisfy { $0.isEmpty } }

  /// Adds to early times what a receiver did not count.
  private mutating func undoRollover(before end: Timestamp) {
    let early = all.fixes.indices.filter { all.fixes[$0].timestamp < end }
    for index in early {
      all.fixes[index].timestamp = all.fixes[index].timestamp.advanced(
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
    var spans: [(name: String, device: String?, first: Int, fix: Int)] = []
    var report = try source.importEvents { (event: ImportEvent) throws(RecordingError) in
      switch event {
      case .recording(let recording):
        spans.append(
          (recording.name, recording.device, batch.accelerations.count, batch.fixes.count))
      case .batch(let part): batch.append(contentsOf: part)
      case .label: break
      }
    }
    let phones = Self.overlap(spans.map { ($0.name, $0.first) }, batch.accelerations.timestamps)
    if let (earlier, later) = phones {
      throw .refused(
        path: source.path,
        reason: "'\(earlier)' and '\(later)' of its \(spans.count) recordings have "
          + "accelerations of the same time: two phones, or clocks that begin at 0; name one of "
          + "them, or convert the input to a folder of recordings")
    }
    if batch.accelerations.count == 0, spans.contains(where: { $0.device != nil }) {
      let choice = DeviceChoice(batch.fixes, spans.map { ($0.name, $0.device ?? "", $0.fix) })
      batch.fixes = choice.fixes
      for (index, start) in choice.starts.enumerated() { spans[index].fix = start }
      report.trackStarts = []
      report.drop(choice.leftOut, .otherDevice)
      report.notes += choice.notes
    }
    let tracks = Self.overlap(spans.map { ($0.name, $0.fix) }, batch.fixes.map { $0.timestamp })
    if batch.accelerations.count == 0, let (one, other) = tracks {
      report.notes.append("fixes of '\(one)' and '\(other)' are of the same time, and merged")
    }
    self.init(batch, report, starts: spans.map { $0.fix })
    var doubts = RecordingDoubts()
    doubts.add(all)
    self.report = self.report.noting(doubts.lines)
  }

  /// Two recordings that overlap in time; nil where none do.
  private static func overlap(
    _ recordings: [(name: String, first: Int)], _ times: [Timestamp]
  ) -> (String, String)? {
    let ends = recordings.dropFirst().map { $0.first } + [times.count]
    let spans = zip(recordings, ends).compactMap { recording, end in
      let own = times[recording.first..<end]
      return own.min().flatMap { first in own.max().map { (recording.name, first, $0) } }
    }.sorted { $0.1 < $1.1 }
    return zip(spans, spans.dropFirst()).first { $1.1 < $0.2 }.map { ($0.0, $1.0) }
  }

  /// Replaces the content of `batch` by the next events; false at the end.
  ///
  /// - Throws: The defect that ended the reading, after the events before it.
  package mutating func read(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
    if slices == nil { slices = BatchSlices(all) }
    let hasMore = slices?.next(into: &batch) ?? false
    if !hasMore, let defect { throw defect }
    return hasMore
  }
}

extension RecordedSpan {
  /// Whether the last fix of one recording and the first of the next are at one place.
  package static func isOnePlace(_ last: LocationFix?, _ first: LocationFix?) -> Bool {
    last.flatMap { last in first.map { last.distance(to: $0) <= 200 } } ?? false
  }
}

/// A batch whose sensors are each in the order of time, in pieces of some thousand events, in which
/// they stay together.
struct BatchSlices {
  private let all: SensorBatch
  private let times: [[Timestamp]]
  /// The number of those that were given, of each sensor.
  private var given = [0, 0, 0, 0]
  private static let longest = 4096

  init(_ all: SensorBatch) { (self.all, times) = (all, all.times) }

  /// Replaces the content of `batch` by the next events; false at the end.
  mutating func next(into batch: inout SensorBatch) -> Bool {
    batch.removeAll()
    // Up to the time at which the densest sensor's piece is full.
    let end = zip(times, given).compactMap { times, start in
      times.count - start > Self.longest ? times[start + Self.longest - 1] : nil
    }.min()
    let next = zip(times, given).map { times, start in
      guard let end else { return times.count }
      return times[start...].firstIndex { $0 > end } ?? times.count
    }
    let ranges = zip(given, next).map { $0..<$1 }
    batch.accelerations.append(contentsOf: all.accelerations, in: ranges[0])
    batch.rotationRates.append(contentsOf: all.rotationRates, in: ranges[1])
    batch.pressures.append(contentsOf: all.pressures[ranges[2]])
    batch.fixes += all.fixes[ranges[3]]
    given = next
    return !batch.isEmpty
  }
}

extension SensorBatch {
  fileprivate var times: [[Timestamp]] {
    [
      accelerations.timestamps, rotationRates.timestamps, pressures.timestamps,
      fixes.map { $0.timestamp },
    ]
  }

  /// Removes fixes by their indices.
  fileprivate mutating func removeFixes(_ indices: [Int]) {
    guard !indices.isEmpty else { return }
    let removed = Set(indices)
    fixes = fixes.indices.filter { !removed.contains($0) }.map { fixes[$0] }
  }

  /// The events that are earlier than the one before of their sensor.
  var descents: Int { times.map { $0.descents }.reduce(0, +) }

  /// The largest share of such events among those of a sensor; 0 to 1.
  var shareOfDescents: Double {
    times.map { Double($0.descents) / Double(Swift.max(1, $0.count - 1)) }.max() ?? 0
  }

  /// Each sensor's events in the order of time; those of one time stay in their order.
  var sortedByTime: SensorBatch {
    var sorted = SensorBatch()
    sorted.accelerations = accelerations.sortedByTime
    sorted.rotationRates = rotationRates.sortedByTime
    for index in pressures.timestamps.orderOfTime {
      sorted.append(pressure: pressures.hectopascals[index], at: pressures.timestamps[index])
    }
    sorted.fixes = fixes.map { $0.timestamp }.orderOfTime.map { fixes[$0] }
    return sorted
  }
}

extension SensorBatch.Series {
  fileprivate func at(_ times: [Timestamp]) -> Self {
    var moved = Self()
    moved.append(x: x, y: y, z: z, at: times)
    return moved
  }

  subscript(place: Int) -> SIMD3<Float> { SIMD3(x[place], y[place], z[place]) }

  mutating func append(_ value: SIMD3<Float>, at time: Timestamp) {
    append(x: value.x, y: value.y, z: value.z, at: time)
  }

  var sortedByTime: Self {
    var sorted = Self()
    sorted.append(contentsOf: self, in: timestamps.orderOfTime)
    return sorted
  }

  fileprivate mutating func append(contentsOf other: Self, in places: some Sequence<Int>) {
    for index in places { append(other[index], at: other.timestamps[index]) }
  }
}

extension [Timestamp] {
  /// The number of times that are earlier than the one before.
  fileprivate var descents: Int { zip(self, dropFirst()).count { $0 > $1 } }

  /// The times of samples that come in batches of one time, spread evenly up to that of the next
  /// batch; nil where they have times of their own.
  ///
  /// A batch before a hole, and the last one, are as dense as the others.
  var spread: [Timestamp]? {
    let starts = [0] + indices.dropFirst().filter { self[$0] != self[$0 - 1] }
    guard count >= 32, starts.count > 1, 3 * starts.count <= count else { return nil }
    let ends = starts.dropFirst() + [count]
    let steps = zip(starts, ends).map { start, end in
      end == count ? 0 : Double(self[end].nanoseconds(since: self[start])) / Double(end - start)
    }
    guard let usual = steps.filter({ $0 > 0 }).median else { return nil }
    var times = self
    for ((start, end), step) in zip(zip(starts, ends), steps) {
      let step = 0 < step && step < 2 * usual ? step : usual
      for index in start..<end {
        let later = Swift.min(step * Double(index - start), 9e18)
        times[index] = self[index].advanced(byNanoseconds: Int64(later))
      }
    }
    return times
  }

  /// The indices in the order of time, and where times are equal in their own order.
  fileprivate var orderOfTime: [Int] { indices.sorted { (self[$0], $0) < (self[$1], $1) } }
}
