@_spi(Server) import LocomotionFormats
import LocomotionJournal
import LocomotionSensing

/// Stores one user's messages without duplicates, and each session as a measurement.
///
/// The keys of stored data are read from the journal itself, so that a message whose response was
/// lost with the server is recognized as a duplicate by the next one.
struct LiveRecorder {
  /// What was stored of a message.
  struct Stored {
    var samples = 0
    var fixes = 0
    /// Samples and fixes that were duplicates.
    var known = 0
  }

  private let user: UserJournal
  private var newest: Timestamp?
  /// The samples to detect duplicates of: 20 minutes at 100 Hz.
  ///
  /// By hashes, so that the cost of a message depends on its own length only. A collision of two
  /// hashes of 64 bits is less likely than an error of the disk.
  private var samples = RecentKeys(capacity: samplesToCompare)
  /// The fixes to detect duplicates of: a day.
  private var fixes = RecentKeys(capacity: fixesToCompare)
  private var sessions: [String] = []
  /// The start of the current measurement; nil when there is none.
  private var start: Timestamp?
  /// Whether `start` must be read again, because a change of it failed halfway.
  private var isStale = false
  /// The rate of new sessions: each is a measurement, and the client chooses their number.
  private var beginnings: RateLimit
  private static let samplesToCompare = 120_000
  private static let fixesToCompare = 20_000
  private static let sessionsToCompare = 1_000
  private static let sessionsAtOnce = 20
  private static let note = "session "

  init(user: UserJournal, now: ContinuousClock.Instant) throws(JournalError) {
    self.user = user
    beginnings = RateLimit(perMinute: 1, atOnce: Self.sessionsAtOnce, now: now)
    let counts = try user.counts()
    let part = 10_000
    // What was dropped, because an archive has it, cannot be compared.
    let kept = try user.droppedSamples().samples
    for first in stride(
      from: max(kept, counts.samples - Self.samplesToCompare), to: counts.samples, by: part)
    {
      let series = try user.samples(in: first..<min(counts.samples, first + part))
      for index in 0..<series.count { samples.insert(Self.key(series, index)) }
      newest = [newest, series.timestamps.max()].compactMap(\.self).max()
    }
    for fix in try user.fixes(in: max(0, counts.fixes - Self.fixesToCompare)..<counts.fixes) {
      fixes.insert(Self.key(fix))
      newest = max(newest ?? fix.timestamp, fix.timestamp)
    }
    try readMeasurements()
  }

  /// Reads which sessions there were, and whether a measurement is running.
  private mutating func readMeasurements() throws(JournalError) {
    let measurements = try user.measurements()
    for measurement in measurements.suffix(Self.sessionsToCompare) {
      for event in measurement.events where event.kind == .note {
        if let value = event.value, value.hasPrefix(Self.note) {
          remember(String(value.dropFirst(Self.note.count)))
        }
      }
    }
    start = measurements.last.flatMap { $0.state == .stopped ? nil : $0.start }
  }

  private mutating func remember(_ session: String) {
    guard !sessions.contains(session) else { return }
    sessions.append(session)
    if sessions.count > Self.sessionsToCompare { sessions.removeFirst() }
  }

  /// Stores what is new in a message; when this returns, it is durable.
  mutating func keep(
    _ message: LiveMessage, now: ContinuousClock.Instant
  ) throws(JournalError) -> Stored {
    var batch = JournalBatch()
    var sampleKeys: Set<UInt64> = []
    var fixKeys: Set<UInt64> = []
    var all = 0
    for part in message.batches {
      let series = SampleSeries(part.accelerations)
      all += series.count + part.pressures.count + part.fixes.count
      for index in 0..<series.count {
        let key = Self.key(series, index)
        guard !samples.contains(key), sampleKeys.insert(key).inserted else { continue }
        batch.accelerations.append(
          x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
      }
      for fix in part.fixes {
        let key = Self.key(fix)
        guard !fixes.contains(key), fixKeys.insert(key).inserted else { continue }
        batch.fixes.append(fix)
      }
      for (pressure, time) in zip(part.pressures.hectopascals, part.pressures.timestamps) {
        let key = Self.key(pressure, time)
        guard !samples.contains(key), sampleKeys.insert(key).inserted else { continue }
        batch.pressures.append(pressure, at: time)
      }
      batch.rotationRates.append(contentsOf: SampleSeries(part.rotationRates))
    }
    // A message is repeated as a whole: with its accelerations the rest is stored too. Pressures
    // from before the start are not compared; they count only where there is nothing else.
    var new = batch.accelerations.count + batch.fixes.count
    let hasOthers = message.batches.contains { $0.accelerations.count > 0 || !$0.fixes.isEmpty }
    if new == 0, hasOthers { return Stored(known: all) }
    new += batch.pressures.count
    if new == 0, all > 0 { return Stored(known: all) }
    guard !batch.isEmpty else { return Stored() }
    try begin(message.session, batch, now: now)
    try user.append(batch)
    for key in sampleKeys { samples.insert(key) }
    for key in fixKeys { fixes.insert(key) }
    newest = [newest, batch.newest].compactMap(\.self).max()
    return Stored(samples: batch.accelerations.count, fixes: batch.fixes.count, known: all - new)
  }

  private static func key(_ series: SampleSeries, _ index: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(series.timestamps[index])
    hasher.combine(series.x[index].bitPattern)
    hasher.combine(series.y[index].bitPattern)
    hasher.combine(series.z[index].bitPattern)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func key(_ pressure: Float, _ time: Timestamp) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(time)
    hasher.combine(pressure.bitPattern)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func key(_ fix: LocationFix) -> UInt64 {
    UInt64(bitPattern: Int64(fix.hashValue))
  }

  /// Starts a measurement when there is none, or when a session begins.
  private mutating func begin(
    _ session: String?, _ batch: JournalBatch, now: ContinuousClock.Instant
  ) throws(JournalError) {
    guard let first = batch.oldest else { return }
    if isStale { start = try user.currentMeasurement()?.start }
    isStale = false
    let name = session.map { String($0.prefix(128)) }
    var isNew = name.map { !sessions.contains($0) } ?? false
    if isNew, start != nil { isNew = beginnings.secondsToWait(now: now) == nil }
    guard isNew || start == nil else { return }
    isStale = true
    if let start { try user.stop(at: max(newest ?? start, start)) }
    start = nil
    try user.start("unknown", at: first)
    start = first
    if let name, isNew {
      try user.note(Self.note + name, at: first)
      remember(name)
    }
    isStale = false
  }
}

extension JournalBatch {
  fileprivate var oldest: Timestamp? {
    [
      accelerations.timestamps.min(), rotationRates.timestamps.min(), pressures.timestamps.min(),
      fixes.lazy.map(\.timestamp).min(),
    ].compactMap(\.self).min()
  }

  fileprivate var newest: Timestamp? {
    [accelerations.timestamps.max(), fixes.lazy.map(\.timestamp).max()].compactMap(\.self).max()
  }
}
