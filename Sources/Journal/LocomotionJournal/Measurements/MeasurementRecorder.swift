public import LocomotionSensing

/// Buffers sensor data and saves them every few seconds while a measurement is running.
///
/// A plain value without a clock: time comes from the samples. If saving fails the data stay in the
/// buffer, and the next batch tries again; only what exceeds the backlog is lost.
///
/// ```swift
/// var recorder = MeasurementRecorder(in: ada)
/// try recorder.start("BICYCLE", at: now)
/// if let fix = try recorder.add(batch) { show(fix) }
/// try recorder.stop(at: now)
/// ```
public struct MeasurementRecorder {
  /// The options of the recorder.
  public struct Settings: Hashable, Sendable {
    /// The time to buffer before saving, seconds; default 10, and 0 saves every batch.
    public var savingInterval = 10.0
    /// One of this many fixes is returned for display; default 1, every fix.
    public var locationUpdateSkipRate = 1
    /// The most samples and fixes to buffer while saving fails; default 360,000, an hour at 100 Hz.
    public var largestBacklog = 360_000

    /// The defaults.
    public init() {}
  }

  /// The user's part of the journal into which measurements are recorded.
  ///
  /// After the journal was opened again, that part of it saves what is buffered.
  public var journal: UserJournal
  /// The options of the recorder.
  public let settings: Settings
  /// The state of the measurement.
  public private(set) var state = MeasurementState.stopped
  /// The number of samples and fixes that came while nothing was recorded.
  public private(set) var ignored = 0
  /// The number of samples and fixes that were dropped, the oldest first, because saving failed for
  /// long.
  public private(set) var lost = 0

  /// The number of samples and fixes that were left out, because no journal takes their times; see
  /// ``JournalError/implausibleTime``.
  public private(set) var implausible = 0

  private var pending = JournalBatch()
  private var oldest: Timestamp?
  private var fixesSeen = 0

  /// A recorder without a measurement.
  public init(in journal: UserJournal, settings: Settings = .init()) {
    self.journal = journal
    self.settings = settings
  }

  /// The number of buffered samples and fixes.
  public var pendingCount: Int { pending.count }

  /// Continues the measurement that an earlier run of the program left open, if there is one.
  public mutating func restore() throws(JournalError) {
    state = try journal.currentMeasurement()?.state ?? .stopped
  }

  /// Starts a measurement.
  public mutating func start(_ modality: String, at timestamp: Timestamp) throws(JournalError) {
    try journal.start(modality, at: timestamp)
    state = .recording
  }

  /// Saves the buffer and pauses.
  public mutating func pause(at timestamp: Timestamp) throws(JournalError) {
    try save()
    try journal.pause(at: timestamp)
    state = .paused
  }

  /// Resumes in a new track.
  public mutating func resume(at timestamp: Timestamp) throws(JournalError) {
    try journal.resume(at: timestamp)
    state = .recording
  }

  /// Saves the buffer and stops the measurement.
  public mutating func stop(at timestamp: Timestamp) throws(JournalError) {
    try save()
    try journal.stop(at: timestamp)
    state = .stopped
  }

  /// Saves the buffer and changes the mode of travel.
  public mutating func changeModality(
    to modality: String, at timestamp: Timestamp
  ) throws(JournalError) {
    try save()
    try journal.changeModality(to: modality, at: timestamp)
  }

  /// Adds a batch, and saves the buffer when the interval is over.
  ///
  /// - Returns: The fix to display now, if any.
  /// - Throws: The ``JournalError`` of saving; the batch stays in the buffer and is not lost.
  public mutating func add(_ batch: SensorBatch) throws(JournalError) -> LocationFix? {
    var batch = JournalBatch(batch)
    guard state == .recording else {
      ignored += batch.count
      return nil
    }
    implausible += batch.removeImplausibleTimes()
    pending.append(contentsOf: batch)
    var shown: LocationFix?
    for fix in batch.fixes {
      if fixesSeen % max(settings.locationUpdateSkipRate, 1) == 0 { shown = fix }
      fixesSeen += 1
    }
    trimBacklog()
    let times = batch.sampleTimes.reversed().joined() + batch.fixes.map(\.timestamp)
    guard let newest = times.last else { return shown }
    let since = oldest ?? times[0]
    oldest = since
    // A clock that was set back must not delay saving.
    if abs(newest.seconds(since: since)) >= settings.savingInterval { try save() }
    return shown
  }

  /// Saves the buffer now.
  public mutating func save() throws(JournalError) {
    guard !pending.isEmpty else { return }
    try journal.append(pending)
    pending = JournalBatch()
    oldest = nil
  }

  /// Drops the oldest tenth of the buffer when it exceeds the limit.
  private mutating func trimBacklog() {
    let limit = max(settings.largestBacklog, 1)
    guard pendingCount > limit else { return }
    let before = pendingCount
    var rest = JournalBatch()
    func newest(_ count: Int) -> Range<Int> { count - count * 9 / 10..<count }
    rest.accelerations = pending.accelerations[newest(pending.accelerations.count)]
    rest.rotationRates = pending.rotationRates[newest(pending.rotationRates.count)]
    rest.pressures = pending.pressures[newest(pending.pressures.count)]
    rest.fixes = Array(pending.fixes[newest(pending.fixes.count)])
    pending = rest
    lost += before - pendingCount
  }
}
