public import LocomotionActivityRecognition
public import LocomotionSensing

/// A journal that several tasks of an app share, with a sequence of what changes in the days.
///
/// ```swift
/// let session = try JournalSession(path: "journal.locomotion")
/// let ada = try await session.user("ada")
/// Task {
///   for await change in await session.dayChanges(of: ada) {
///     show(try await session.dayItems(of: ada, from: change.start, to: change.end))
///   }
/// }
/// try await session.append(JournalBatch(batch), for: ada)
/// try await session.updateDays(of: ada)
/// ```
///
/// Updating the days lets other tasks append and read in between.
public actor JournalSession {
  /// About how many samples an update reads at a time: some ten milliseconds of work.
  private static let portion = 100_000

  private var journal: Journal
  private var recorders: [JournalUser: MeasurementRecorder] = [:]
  private var listeners: [Int: (user: JournalUser, stream: AsyncStream<DayChange>.Continuation)] =
    [:]
  private var nextListener = 0

  /// Opens the journal at `path`.
  ///
  /// - Throws: What ``Journal/init(path:access:settings:)`` throws.
  public init(
    path: String, access: Journal.Access = .writing, settings: Journal.Settings = .init()
  ) throws(JournalError) {
    journal = try Journal(path: path, access: access, settings: settings)
  }

  deinit {
    for (_, stream) in listeners.values { stream.finish() }
  }

  /// The handle of a user, as ``Journal/user(_:)`` gives it.
  public func user(_ name: String) throws(JournalError) -> JournalUser {
    try journal.user(name)
  }

  /// Appends samples and fixes; when this returns, they are durable.
  @discardableResult
  public func append(
    _ batch: JournalBatch, for user: JournalUser
  ) throws(JournalError) -> JournalCounts {
    try journal.append(batch, for: user)
  }

  /// Starts a measurement, which ``record(_:for:)`` fills.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when one is already running.
  public func start(
    _ modality: String, at timestamp: Timestamp, for user: JournalUser
  ) throws(JournalError) {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.start(modality, at: timestamp, in: &journal)
    }
  }

  /// Saves what is buffered and pauses the measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't recording.
  public func pause(at timestamp: Timestamp, for user: JournalUser) throws(JournalError) {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.pause(at: timestamp, in: &journal)
    }
  }

  /// Resumes the paused measurement, in a new track.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't paused.
  public func resume(at timestamp: Timestamp, for user: JournalUser) throws(JournalError) {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.resume(at: timestamp, in: &journal)
    }
  }

  /// Saves what is buffered and stops the measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when there is none.
  public func stop(at timestamp: Timestamp, for user: JournalUser) throws(JournalError) {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.stop(at: timestamp, in: &journal)
    }
  }

  /// The state of the user's measurement, also of one that an earlier run of the program began.
  public func state(of user: JournalUser) throws(JournalError) -> MeasurementState {
    try withRecorder(of: user) { (recorder, _) throws(JournalError) in recorder.state }
  }

  /// Buffers a batch of the running measurement and saves every ten seconds.
  ///
  /// While none is running, or it is paused, the batch is ignored.
  ///
  /// - Returns: The fix to display now, if any.
  /// - Throws: The ``JournalError`` of saving; the batch stays in the buffer and is not lost.
  @discardableResult
  public func record(
    _ batch: SensorBatch, for user: JournalUser
  ) throws(JournalError) -> LocationFix? {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.add(batch, to: &journal)
    }
  }

  /// Saves what ``record(_:for:)`` has buffered: call it before the app is suspended or ends.
  public func save(for user: JournalUser) throws(JournalError) {
    try withRecorder(of: user) { (recorder, journal) throws(JournalError) in
      try recorder.save(to: &journal)
    }
  }

  private func withRecorder<Result>(
    of user: JournalUser,
    _ body: (inout MeasurementRecorder, inout Journal) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    var recorder: MeasurementRecorder
    if let known = recorders.removeValue(forKey: user) {
      recorder = known
    } else {
      recorder = MeasurementRecorder(user: user)
      try recorder.restore(from: journal)
    }
    // Also after an error: the buffer is in it.
    defer { recorders[user] = recorder }
    return try body(&recorder, &journal)
  }

  /// The items of a user's days, as ``Journal/dayItems(of:from:to:)`` gives them.
  public func dayItems(
    of user: JournalUser, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [DayItem] {
    try journal.dayItems(of: user, from: start, to: end)
  }

  /// Calls `body` with the journal: for edits, places, measurements and all else.
  ///
  /// What it changes in the days of users whose changes are followed is sent to them.
  public func withJournal<Result: Sendable>(
    _ body: sending (inout Journal) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    defer { sendChanges() }
    return try body(&journal)
  }

  /// Brings a user's days up to date, in portions between which other tasks have their turn.
  ///
  /// - Parameters:
  ///   - user: Whose days.
  ///   - model: The activity model.
  /// - Returns: The interval in which items may have changed; nil when nothing was computed.
  /// - Throws: What ``Journal/updateDays(of:model:)`` throws.
  @discardableResult
  public func updateDays(
    of user: JournalUser, model: ActivityModel = .default
  ) async throws(JournalError) -> DayChange? {
    while true {
      let step = try journal.updateDays(of: user, model: model, upTo: Self.portion)
      guard !step.isComplete else {
        sendChanges()
        return step.change
      }
      await Task.yield()
    }
  }

  /// The intervals in which the items of a user's days change from now on.
  ///
  /// Updates, edits and erasures through the session count. The sequence ends with the session.
  public func dayChanges(of user: JournalUser) -> AsyncStream<DayChange> {
    let number = nextListener
    nextListener += 1
    return AsyncStream { stream in
      listeners[number] = (user, stream)
      stream.onTermination = { [weak self] _ in
        Task { await self?.forget(number) }
      }
    }
  }

  private func forget(_ listener: Int) {
    listeners[listener] = nil
  }

  private func sendChanges() {
    for user in Set(listeners.values.map(\.user)) {
      guard let change = journal.takeDayChange(of: user) else { continue }
      for (owner, stream) in listeners.values where owner == user { stream.yield(change) }
    }
  }
}
