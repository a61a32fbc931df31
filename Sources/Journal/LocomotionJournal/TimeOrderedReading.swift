internal import Locomotion

/// Reads a user's recording in time order, from given positions on.
///
/// Recording order is not time order: a phone may deliver early samples late, the fixes after all
/// samples, and the same time twice. What is read depends on what was recorded alone, not on how
/// it was divided into batches: of samples of one time the first recorded ones count.
struct TimeOrderedReading {
  private typealias Part = (batch: BatchRecord, start: Timestamp, end: Timestamp)

  /// The interval of time that is read at once, nanoseconds; cells begin at its multiples.
  private static let cell: Int64 = 300_000_000_000
  /// How far other sensors' times may reach beyond those of their batch's accelerations.
  private static let slack: Int64 = 10_000_000_000
  /// The age of data, nanoseconds, up to which they count as being in order.
  private static let day: Int64 = 86_400_000_000_000

  private let user: UserRecord
  /// The batches with accelerations, sorted by their first time.
  private var parts: [Part] = []
  /// Fixes with their positions, sorted by time.
  private var fixes: [(position: Int, fix: LocationFix)] = []
  /// The lowest positions of what is not over before a time.
  private let lowest: (samples: LowestPositions, fixes: LowestPositions)

  init(
    of user: UserRecord, fromSample: Int, fromFix: Int, in journal: UserJournal
  ) throws(JournalError) {
    self.user = user
    var parts: [Part] = []
    let dropped = try journal.uploadRecord(user).droppedBatches
    let first = max(
      dropped, try journal.firstBatch(of: user) { $0.sampleRange.upperBound <= fromSample })
    try journal.forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
      let times = try journal.connection.accelerationTimes(of: batch)
      if let start = times.min(), let end = times.max() {
        parts.append((batch, start, end))
      }
      return true
    }
    self.parts = parts.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }.map(\.element)
    let found = try journal.fixes(of: user, in: min(fromFix, user.fixes)..<user.fixes)
    fixes = found.enumerated().map { (fromFix + $0.offset, $0.element) }
    fixes.sort { ($0.fix.timestamp, $0.position) < ($1.fix.timestamp, $1.position) }
    lowest = (
      LowestPositions(parts.map { ($0.end, $0.batch.firstSample) }),
      LowestPositions(fixes.map { ($0.fix.timestamp, $0.position) })
    )
  }

  /// The earliest time, at or after `retainedEnd` if there is one, of data from these positions on.
  func earliestTime(
    fromSample: Int, fromFix: Int, notBefore retainedEnd: Timestamp?, in journal: UserJournal
  ) throws(JournalError) -> Timestamp? {
    let isRecent = { (time: Timestamp) in retainedEnd.map { $0 <= time } ?? true }
    var earliest = fixes.first { $0.position >= fromFix && isRecent($0.fix.timestamp) }?
      .fix.timestamp
    for part in parts where part.batch.sampleRange.upperBound > fromSample {
      guard part.end > retainedEnd ?? Timestamp(nanoseconds: .min),
        earliest.map({ part.start < $0 }) ?? true
      else { continue }
      let times = try journal.connection.accelerationTimes(of: part.batch)
      let new = times.dropFirst(max(0, fromSample - part.batch.firstSample)).lazy.filter(isRecent)
      earliest = [earliest, new.min()].compactMap { $0 }.min()
    }
    return earliest
  }

  /// The lowest positions of the data that are needed to read from `instant` on.
  func positions(from instant: Timestamp) -> (sample: Int, fix: Int) {
    let first = Self.start(ofCell: instant)
    return (
      lowest.samples.position(from: first) ?? user.samples,
      lowest.fixes.position(from: first) ?? user.fixes
    )
  }

  /// The latest time of the accelerations, or of a fix before another one; nil without data.
  ///
  /// So one fix with a wrong time counts for nothing. Nor do times more than a day after what came
  /// last, which a wrong clock may have.
  var newestTime: Timestamp? {
    let last =
      [
        parts.max { $0.batch.key < $1.batch.key }?.end,
        fixes.max { $0.position < $1.position }?.fix.timestamp,
      ].compactMap { $0 }.max()
    guard let limit = last?.advanced(byNanoseconds: Self.day) else { return nil }
    let fixTimes = fixes.map(\.fix.timestamp).filter { $0 <= limit }.dropLast()
    return (parts.map(\.end).filter { $0 <= limit } + fixTimes).max()
  }

  /// Calls `body` with the data at or after `start`, in time order, until it returns false.
  ///
  /// Each batch lies in a cell of five minutes, of which every hour of UTC has twelve. The first
  /// and the last one may hold data outside the interval.
  ///
  /// - Returns: Whether `body` was called with all data.
  func forEachBatch(
    from start: Timestamp?, to end: Timestamp? = nil, in journal: UserJournal,
    _ body: (JournalBatch) throws(JournalError) -> Bool
  ) throws(JournalError) -> Bool {
    let first = start.map(Self.start(ofCell:)) ?? Timestamp(nanoseconds: .min)
    var waiting = fixes[...].drop { $0.fix.timestamp < first }
    var rest = parts.filter { $0.end.advanced(byNanoseconds: Self.slack) >= first }[...]
    var open: [OpenPart] = []
    while true {
      let next = [
        waiting.first?.fix.timestamp, rest.first.map { max($0.start, first) },
        open.compactMap(\.nextTime).min(),
      ].compactMap { $0 }.min()
      guard let next, end.map({ next < $0 }) ?? true else { return true }
      // Included, so that whatever `next` is, its own datum is taken.
      let last = Self.last(ofCell: next)
      while let part = rest.first,
        part.start <= last.advanced(byNanoseconds: Self.slack)
      {
        open.append(
          OpenPart(part.batch.key, try journal.connection.block(of: part.batch), from: first))
        rest.removeFirst()
      }
      var batch = OpenPart.take(from: &open, upTo: last)
      batch.fixes = waiting.prefix { $0.fix.timestamp <= last }.map(\.fix)
      waiting.removeFirst(batch.fixes.count)
      if !batch.isEmpty, try !body(batch) { return false }
    }
  }

  /// Nanoseconds from the beginning of a cell to an instant in it.
  private static func place(inCell instant: Timestamp) -> Int64 {
    instant.nanoseconds &- instant.interval(of: cell) &* cell
  }

  /// The first instant of the cell that holds an instant.
  private static func start(ofCell instant: Timestamp) -> Timestamp {
    instant.advanced(byNanoseconds: -place(inCell: instant))
  }

  /// The last instant of the cell that holds an instant, never before that.
  static func last(ofCell instant: Timestamp) -> Timestamp {
    instant.advanced(byNanoseconds: cell - 1 - place(inCell: instant))
  }
}

/// The lowest position among those of a time or later ones.
private struct LowestPositions {
  /// In order of time, each with the lowest position from it on.
  private var positions: [(time: Timestamp, lowest: Int)]

  init(_ all: [(time: Timestamp, position: Int)]) {
    positions = all.sorted { $0.time < $1.time }.map { ($0.time, $0.position) }
    for index in positions.indices.dropLast().reversed() {
      positions[index].lowest = min(positions[index].lowest, positions[index + 1].lowest)
    }
  }

  /// Nil where nothing is as late.
  func position(from time: Timestamp) -> Int? {
    let index = positions.partitioningIndex { $0.time >= time }
    return index < positions.count ? positions[index].lowest : nil
  }
}

/// A stored block of which the samples before some instant were taken.
private struct OpenPart {
  /// The batch's key, by which recording order is known.
  let key: Int64
  private var series: [SampleSeries]
  /// The index of the next sample of each series.
  private var next: [Int]

  init(_ key: Int64, _ block: JournalBatch, from start: Timestamp) {
    self.key = key
    series = [block.accelerations, block.rotationRates, SampleSeries(block.pressures)]
      .map { $0.sortedByTime() }
    next = series.map { series in series.timestamps.firstIndex { $0 >= start } ?? series.count }
  }

  /// The time of the next sample; nil when all were taken.
  var nextTime: Timestamp? {
    zip(series, next).compactMap { $1 < $0.count ? $0.timestamps[$1] : nil }.min()
  }

  /// Takes the samples of all parts up to `last`, and drops the parts that have no more.
  static func take(from parts: inout [OpenPart], upTo last: Timestamp) -> JournalBatch {
    parts.sort { $0.key < $1.key }
    var merged = Array(repeating: SampleSeries(), count: 3)
    for part in parts.indices {
      for index in merged.indices {
        let series = parts[part].series[index]
        let first = parts[part].next[index]
        let end =
          series.timestamps[first...].firstIndex { $0 > last } ?? series.timestamps.endIndex
        guard first < end else { continue }
        merged[index].fill(with: series[first..<end])
        parts[part].next[index] = end
      }
    }
    parts.removeAll { $0.nextTime == nil }
    var batch = JournalBatch()
    (batch.accelerations, batch.rotationRates) = (merged[0], merged[1])
    batch.pressures = SensorBatch.PressureSeries(merged[2])
    return batch
  }
}

extension SampleSeries {
  /// The longest interval between two samples that later recorded ones don't fill, nanoseconds.
  private static let longestInterval: Int64 = 500_000_000

  fileprivate func sortedByTime() -> SampleSeries {
    guard zip(timestamps, timestamps.dropFirst()).contains(where: { $0 > $1 }) else { return self }
    // Swift's sort is not guaranteed to be stable.
    return samples(
      at: timestamps.indices.sorted { (timestamps[$0], $0) < (timestamps[$1], $1) })
  }

  /// Adds samples that were recorded later: those before, after and in holes of what is here.
  ///
  /// Both are in order of time.
  fileprivate mutating func fill(with later: SampleSeries) {
    guard let last = timestamps.last, let first = later.timestamps.first, first <= last else {
      append(contentsOf: later)
      return
    }
    var result = SampleSeries()
    var index = 0
    for (other, time) in later.timestamps.enumerated() {
      while index < count, timestamps[index] <= time {
        result.append(x: x[index], y: y[index], z: z[index], at: timestamps[index])
        index += 1
      }
      if index > 0 {
        let before = timestamps[index - 1]
        if before == time { continue }
        if index < count,
          timestamps[index].nanoseconds(since: before) <= Self.longestInterval
        {
          continue
        }
      }
      result.append(x: later.x[other], y: later.y[other], z: later.z[other], at: time)
    }
    if index < count { result.append(contentsOf: self[index..<count]) }
    self = result
  }
}

extension UserJournal {
  /// The first batch that `isBefore` rejects, or the number of batches when there is none.
  func firstBatch(
    of user: UserRecord, isBefore: (BatchRecord) -> Bool
  ) throws(JournalError) -> Int {
    try (0..<user.batches).partitioningIndex { (index: Int) throws(JournalError) in
      !isBefore(try connection.batch(index, of: user))
    }
  }
}
