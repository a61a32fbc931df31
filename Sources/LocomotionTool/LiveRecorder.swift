import LocomotionFormats
import LocomotionJournal
import LocomotionSensing

/// Keeps one user's messages: those that come again once, and each session as a measurement.
///
/// What is known is looked up in the journal itself, so that a message whose answer was lost with
/// the server is recognised by the next one.
struct LiveRecorder {
  /// What a message has brought.
  struct Kept {
    var samples = 0
    var fixes = 0
    /// Samples and fixes that were there already.
    var known = 0
  }

  private let user: JournalUser
  private var newestSample = Timestamp(nanoseconds: .min)
  private var newestFix = Timestamp(nanoseconds: .min)
  private var sessions: Set<String> = []
  /// How far back a message is looked for that comes again: 20 minutes at 100 Hz, a day of fixes.
  private static let samplesToCompare = 120_000
  private static let fixesToCompare = 20_000
  private static let note = "session "

  init(user: JournalUser, _ journal: borrowing Journal) throws(JournalError) {
    self.user = user
    newestSample = try Self.samples(user, journal).timestamps.max() ?? newestSample
    newestFix = try Self.fixes(user, journal).map(\.timestamp).max() ?? newestFix
    for measurement in try journal.measurements(of: user) {
      for event in measurement.events where event.kind == .note {
        if let value = event.value, value.hasPrefix(Self.note) {
          sessions.insert(String(value.dropFirst(Self.note.count)))
        }
      }
    }
  }

  /// Saves what is new in a message; when this returns, it is safe.
  mutating func keep(
    _ message: LiveMessage, in journal: inout Journal
  ) throws(JournalError) -> Kept {
    var batch = JournalBatch()
    for part in message.batches { batch.append(contentsOf: JournalBatch(part)) }
    let all = batch.accelerations.count + batch.fixes.count
    try removeKnown(from: &batch, journal)
    let new = batch.accelerations.count + batch.fixes.count
    // A message comes again as a whole: with its accelerations its rotation rates are known too.
    if new == 0, all > 0 { return Kept(known: all) }
    guard !batch.isEmpty else { return Kept() }
    try begin(message.session, batch, in: &journal)
    try journal.append(batch, for: user)
    newestSample = max(newestSample, batch.accelerations.timestamps.max() ?? newestSample)
    newestFix = max(newestFix, batch.fixes.map(\.timestamp).max() ?? newestFix)
    return Kept(samples: batch.accelerations.count, fixes: batch.fixes.count, known: all - new)
  }

  /// Takes out what the newest part of the journal holds, and what the batch itself holds twice.
  private func removeKnown(
    from batch: inout JournalBatch, _ journal: borrowing Journal
  ) throws(JournalError) {
    struct Sample: Hashable {
      let time: Timestamp
      let x, y, z: UInt64
    }
    func sample(_ series: SampleSeries, _ index: Int) -> Sample {
      Sample(
        time: series.timestamps[index], x: series.x[index].bitPattern,
        y: series.y[index].bitPattern, z: series.z[index].bitPattern)
    }
    let series = batch.accelerations
    var known: Set<Sample> = []
    if let first = series.timestamps.min(), first <= newestSample {
      let stored = try Self.samples(user, journal)
      for index in 0..<stored.count where stored.timestamps[index] >= first {
        known.insert(sample(stored, index))
      }
    }
    var new = SampleSeries()
    for index in 0..<series.count where known.insert(sample(series, index)).inserted {
      new.append(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
    }
    batch.accelerations = new

    var fixes: Set<LocationFix> = []
    if let first = batch.fixes.map(\.timestamp).min(), first <= newestFix {
      fixes = Set(try Self.fixes(user, journal).filter { $0.timestamp >= first })
    }
    batch.fixes = batch.fixes.filter { fixes.insert($0).inserted }
  }

  /// Begins a measurement when there is none, or when a session begins.
  private mutating func begin(
    _ session: String?, _ batch: JournalBatch, in journal: inout Journal
  ) throws(JournalError) {
    let times =
      batch.accelerations.timestamps + batch.rotationRates.timestamps + batch.fixes.map(\.timestamp)
    guard let first = times.min() else { return }
    let current = try journal.currentMeasurement(of: user)
    let name = session.map { String($0.prefix(128)) }
    let isNew = name.map { !sessions.contains($0) } ?? false
    if current != nil, isNew {
      try journal.stop(at: max(newestSample, newestFix, current?.start ?? first), for: user)
    }
    if current == nil || isNew { try journal.start("unknown", at: first, for: user) }
    if let name, isNew {
      try journal.note(Self.note + name, at: first, for: user)
      sessions.insert(name)
    }
  }

  private static func samples(
    _ user: JournalUser, _ journal: borrowing Journal
  ) throws(JournalError) -> SampleSeries {
    let count = try journal.counts(of: user).samples
    return try journal.samples(of: user, in: max(0, count - samplesToCompare)..<count)
  }

  private static func fixes(
    _ user: JournalUser, _ journal: borrowing Journal
  ) throws(JournalError) -> [LocationFix] {
    let count = try journal.counts(of: user).fixes
    return try journal.fixes(of: user, in: max(0, count - fixesToCompare)..<count)
  }
}
