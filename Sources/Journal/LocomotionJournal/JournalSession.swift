public import Foundation
public import LocomotionActivityRecognition
public import LocomotionSensing

/// A journal that several tasks of an app share, with a sequence of what changes in the days.
///
/// ```swift
/// let session = try JournalSession(path: "journal.locomotion")
/// let ada = try await session.user("ada")
/// Task {
///   for await change in await ada.dayChanges() {
///     show(try await ada.dayItems(from: change.start, to: change.end))
///   }
/// }
/// try await ada.append(JournalBatch(batch))
/// try await ada.updateDays()
/// ```
///
/// Updating the days lets other tasks append and read in between.
public actor JournalSession {
  /// About how many samples an update reads at a time: some ten milliseconds of work.
  private static let portion = 100_000

  private let journal: Journal
  private var recorders: [Int64: MeasurementRecorder] = [:]
  private var listeners: [Int: (user: Int64, stream: AsyncStream<DayChange>.Continuation)] = [:]
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

  /// The part of the user with this name, who is added when the journal is open for writing.
  ///
  /// - Throws: What ``Journal/user(_:)`` throws.
  public func user(_ name: String) throws(JournalError) -> UserSession {
    UserSession(self, try journal.user(name))
  }

  /// The part of the user with this name, or nil when there is none.
  ///
  /// - Throws: What ``Journal/existingUser(_:)`` throws.
  public func existingUser(_ name: String) throws(JournalError) -> UserSession? {
    try journal.existingUser(name).map { UserSession(self, $0) }
  }

  /// Calls `body` with the journal, for what concerns the whole of it.
  ///
  /// What it changes in the days of users whose changes are followed is sent to them.
  public func withJournal<Result: Sendable>(
    _ body: sending (Journal) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    defer { sendChanges() }
    return try body(journal)
  }

  // MARK: One user

  fileprivate func withJournal<Result: Sendable>(
    of user: UserSession, _ body: sending (UserJournal) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    defer { sendChanges() }
    return try body(part(of: user))
  }

  fileprivate func withRecorder<Result: Sendable>(
    of user: UserSession, _ body: sending (inout MeasurementRecorder) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    var recorder: MeasurementRecorder
    if let known = recorders.removeValue(forKey: user.number) {
      recorder = known
    } else {
      recorder = MeasurementRecorder(in: part(of: user))
      try recorder.restore()
    }
    // Also after an error: the buffer is in it.
    defer { recorders[user.number] = recorder }
    return try body(&recorder)
  }

  fileprivate func updateDays(
    of user: UserSession, model: ActivityModel
  ) async throws(JournalError) -> DayChange? {
    while true {
      let step = try part(of: user).updateDays(model: model, upTo: Self.portion)
      guard !step.isComplete else {
        sendChanges()
        return step.change
      }
      await Task.yield()
    }
  }

  fileprivate func dayChanges(of user: UserSession) -> AsyncStream<DayChange> {
    let number = nextListener
    nextListener += 1
    return AsyncStream { stream in
      listeners[number] = (user.number, stream)
      stream.onTermination = { [weak self] _ in
        Task { await self?.forget(number) }
      }
    }
  }

  private func part(of user: UserSession) -> UserJournal {
    UserJournal(journal, number: user.number, name: user.name)
  }

  private func forget(_ listener: Int) {
    listeners[listener] = nil
  }

  private func sendChanges() {
    for user in Set(listeners.values.map(\.user)) {
      guard let change = journal.dayChanges.removeValue(forKey: user) else { continue }
      for (owner, stream) in listeners.values where owner == user { stream.yield(change) }
    }
  }
}

/// One user's part of a journal that several tasks share, from ``JournalSession/user(_:)``.
///
/// Its calls have no parameter that names a user: what they read and change is of this one.
public struct UserSession: Sendable {
  /// The session of the whole journal.
  public let session: JournalSession
  fileprivate let number: Int64
  /// The user's name.
  public let name: String

  fileprivate init(_ session: JournalSession, _ user: UserJournal) {
    self.session = session
    number = user.number
    name = user.name
  }

  /// Appends samples and fixes; when this returns, they are durable.
  ///
  /// - Returns: How much the journal holds of the user now.
  /// - Throws: What ``UserJournal/append(_:)-(JournalBatch)`` throws.
  @discardableResult
  public func append(_ batch: JournalBatch) async throws(JournalError) -> JournalCounts {
    try await withJournal { (journal) throws(JournalError) in try journal.append(batch) }
  }

  /// Starts a measurement, which ``record(_:)`` fills.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when one is already running.
  public func start(_ modality: String, at timestamp: Timestamp) async throws(JournalError) {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.start(modality, at: timestamp)
    }
  }

  /// Saves what is buffered and pauses the measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't recording.
  public func pause(at timestamp: Timestamp) async throws(JournalError) {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.pause(at: timestamp)
    }
  }

  /// Resumes the paused measurement, in a new track.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't paused.
  public func resume(at timestamp: Timestamp) async throws(JournalError) {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.resume(at: timestamp)
    }
  }

  /// Saves what is buffered and stops the measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when there is none.
  public func stop(at timestamp: Timestamp) async throws(JournalError) {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.stop(at: timestamp)
    }
  }

  /// The state of the user's measurement, also of one that an earlier run of the program began.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  public func state() async throws(JournalError) -> MeasurementState {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in recorder.state }
  }

  /// Buffers a batch of the running measurement and saves every ten seconds.
  ///
  /// While none is running, or it is paused, the batch is ignored.
  ///
  /// - Returns: The fix to display now, if any.
  /// - Throws: The ``JournalError`` of saving; the batch stays in the buffer and is not lost.
  @discardableResult
  public func record(_ batch: SensorBatch) async throws(JournalError) -> LocationFix? {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.add(batch)
    }
  }

  /// Saves what ``record(_:)`` has buffered: call it before the app is suspended or ends.
  ///
  /// - Throws: ``JournalError``; what is buffered is not lost.
  public func save() async throws(JournalError) {
    try await session.withRecorder(of: self) { (recorder) throws(JournalError) in
      try recorder.save()
    }
  }

  /// The items of the user's days, as ``UserJournal/dayItems(from:to:)`` gives them.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  public func dayItems(
    from start: Timestamp, to end: Timestamp
  ) async throws(JournalError) -> [DayItem] {
    try await withJournal { (journal) throws(JournalError) in
      try journal.dayItems(from: start, to: end)
    }
  }

  /// The start of the first item and the end of the last one, as ``UserJournal/daySpan()``.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  public func daySpan() async throws(JournalError) -> (start: Timestamp, end: Timestamp)? {
    try await withJournal { (journal) throws(JournalError) in try journal.daySpan() }
  }

  /// The paths of items, as ``UserJournal/tracks(of:)-([DayItem])`` gives them.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  public func tracks(of items: [DayItem]) async throws(JournalError) -> [DayTrack] {
    try await withJournal { (journal) throws(JournalError) in try journal.tracks(of: items) }
  }

  /// Stores the user's correction, as
  /// ``UserJournal/correctActivity(to:from:to:)-(Activity,_,_)``.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func correctActivity(
    to activity: Activity, from start: Timestamp, to end: Timestamp
  ) async throws(JournalError) {
    try await withJournal { (journal) throws(JournalError) in
      try journal.correctActivity(to: activity, from: start, to: end)
    }
  }

  /// Stores an activity of the user's own, as
  /// ``UserJournal/correctActivity(to:from:to:)-(CustomActivity,_,_)``.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func correctActivity(
    to activity: CustomActivity, from start: Timestamp, to end: Timestamp
  ) async throws(JournalError) {
    try await withJournal { (journal) throws(JournalError) in
      try journal.correctActivity(to: activity, from: start, to: end)
    }
  }

  /// The leg to ask the user about, as ``UserJournal/question(at:in:)``, noted as asked.
  ///
  /// - Throws: ``JournalError``.
  public func nextQuestion(
    at now: Timestamp, in calendar: Calendar
  ) async throws(JournalError) -> LegQuestion? {
    try await withJournal { (journal) throws(JournalError) in
      guard let question = try journal.question(at: now, in: calendar) else { return nil }
      try journal.noteAsked(question, at: now)
      return question
    }
  }

  /// The model that the user's corrections make, as ``UserJournal/learnedModel(from:)``.
  ///
  /// - Throws: ``JournalError``.
  public func learnedModel(
    from base: ActivityModel = .default
  ) async throws(JournalError) -> LearnedModel {
    try await withJournal { (journal) throws(JournalError) in
      try journal.learnedModel(from: base)
    }
  }

  /// Calls `body` with the user's part of the journal: for edits, places and all else.
  ///
  /// What it changes in the days is sent to those who follow their changes.
  public func withJournal<Result: Sendable>(
    _ body: sending (UserJournal) throws(JournalError) -> Result
  ) async throws(JournalError) -> Result {
    try await session.withJournal(of: self, body)
  }

  /// Brings the user's days up to date, in portions between which other tasks have their turn.
  ///
  /// - Parameter model: The activity model.
  /// - Returns: The interval in which items may have changed; nil when nothing was computed.
  /// - Throws: What ``UserJournal/updateDays(model:)`` throws.
  @discardableResult
  public func updateDays(model: ActivityModel = .default) async throws(JournalError) -> DayChange? {
    try await session.updateDays(of: self, model: model)
  }

  /// The intervals in which the items of the user's days change from now on.
  ///
  /// Updates, edits and erasures through the session count. The sequence ends with the session.
  public func dayChanges() async -> AsyncStream<DayChange> { await session.dayChanges(of: self) }
}
