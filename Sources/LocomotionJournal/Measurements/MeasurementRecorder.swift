public import LocomotionSensing

/// Gathers what the sensors deliver and saves it every few seconds, while a measurement goes on.
///
/// A plain value without a clock: time comes in with the samples. If saving fails nothing is lost
/// but what does not fit the backlog; the next batch tries again.
///
/// ```swift
/// var recorder = MeasurementRecorder(user: ada)
/// try recorder.start("BICYCLE", at: now, in: &journal)
/// if let fix = try recorder.add(batch, to: &journal) { show(fix) }
/// try recorder.stop(at: now, in: &journal)
/// ```
public struct MeasurementRecorder: Sendable {
  /// How the recorder behaves.
  public struct Settings: Hashable, Sendable {
    /// How much time to gather before saving, seconds; default 10, and with 0 none.
    public var savingInterval = 10.0
    /// Of how many fixes one is shown; default 1, every fix.
    public var locationUpdateSkipRate = 1
    /// How many samples to hold at most while saving fails; default 360,000, an hour at 100 Hz.
    public var largestBacklog = 360_000

    /// The defaults.
    public init() {}
  }

  /// Whose measurements are recorded.
  public let user: JournalUser
  /// How the recorder behaves.
  public let settings: Settings
  /// What the measurement is doing.
  public private(set) var state = MeasurementState.stopped
  /// How many samples and fixes came while nothing was recorded.
  public private(set) var ignored = 0
  /// How many samples and fixes were given up, the oldest first, because saving failed for long.
  public private(set) var lost = 0

  private var pending = JournalBatch()
  private var oldest: Timestamp?
  private var fixesSeen = 0

  /// A recorder without a measurement.
  public init(user: JournalUser, settings: Settings = .init()) {
    self.user = user
    self.settings = settings
  }

  /// How many samples and fixes wait to be saved.
  public var pendingCount: Int {
    pending.accelerations.count + pending.rotationRates.count + pending.fixes.count
  }

  /// Goes on with the measurement that a former run of the program left open, if there is one.
  public mutating func restore(from journal: borrowing Journal) throws(JournalError) {
    state = try journal.currentMeasurement(of: user)?.state ?? .stopped
  }

  /// Begins a measurement.
  public mutating func start(
    _ modality: String, at timestamp: Timestamp, in journal: inout Journal
  ) throws(JournalError) {
    try journal.start(modality, at: timestamp, for: user)
    state = .recording
  }

  /// Saves what is pending and pauses.
  public mutating func pause(
    at timestamp: Timestamp, in journal: inout Journal
  ) throws(JournalError) {
    try save(to: &journal)
    try journal.pause(at: timestamp, for: user)
    state = .paused
  }

  /// Goes on in a new track.
  public mutating func resume(
    at timestamp: Timestamp, in journal: inout Journal
  ) throws(JournalError) {
    try journal.resume(at: timestamp, for: user)
    state = .recording
  }

  /// Saves what is pending and ends the measurement.
  public mutating func stop(
    at timestamp: Timestamp, in journal: inout Journal
  ) throws(JournalError) {
    try save(to: &journal)
    try journal.stop(at: timestamp, for: user)
    state = .stopped
  }

  /// Saves what is pending and changes the mode of travel.
  public mutating func changeModality(
    to modality: String, at timestamp: Timestamp, in journal: inout Journal
  ) throws(JournalError) {
    try save(to: &journal)
    try journal.changeModality(to: modality, at: timestamp, for: user)
  }

  /// Takes in a batch, and saves when it is time.
  ///
  /// - Returns: The fix to show now, if it is one's turn.
  /// - Throws: What saving threw; the batch is pending then and not lost.
  public mutating func add(
    _ batch: SensorBatch, to journal: inout Journal
  ) throws(JournalError) -> LocationFix? {
    guard state == .recording else {
      ignored += batch.accelerations.count + batch.rotationRates.count + batch.fixes.count
      return nil
    }
    pending.append(contentsOf: JournalBatch(batch))
    var shown: LocationFix?
    for fix in batch.fixes {
      if fixesSeen % max(settings.locationUpdateSkipRate, 1) == 0 { shown = fix }
      fixesSeen += 1
    }
    trimBacklog()
    let times =
      batch.rotationRates.timestamps + batch.accelerations.timestamps
      + batch.fixes.map(\.timestamp)
    guard let newest = times.last else { return shown }
    let since = oldest ?? times[0]
    oldest = since
    // A clock that was set back must not put off saving.
    if abs(newest.seconds(since: since)) >= settings.savingInterval { try save(to: &journal) }
    return shown
  }

  /// Saves what is pending now.
  public mutating func save(to journal: inout Journal) throws(JournalError) {
    guard !pending.isEmpty else { return }
    try journal.append(pending, for: user)
    pending = JournalBatch()
    oldest = nil
  }

  /// Gives up the oldest tenth of what is pending when it has become too much.
  private mutating func trimBacklog() {
    let limit = max(settings.largestBacklog, 1)
    guard pendingCount > limit else { return }
    let before = pendingCount
    var rest = JournalBatch()
    rest.accelerations = Self.newest(pending.accelerations)
    rest.rotationRates = Self.newest(pending.rotationRates)
    rest.fixes = Array(pending.fixes.suffix(pending.fixes.count * 9 / 10))
    pending = rest
    lost += before - pendingCount
  }

  private static func newest(_ series: SampleSeries) -> SampleSeries {
    series[(series.count - series.count * 9 / 10)..<series.count]
  }
}
