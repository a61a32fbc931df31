public import LocomotionActivityRecognition
import LocomotionSensing

/// A journal that several tasks of an app share, with a sequence of what changes in the days.
///
/// ```swift
/// let session = try JournalSession(path: "journal.locomotion")
/// let ada = try await session.user("ada")
/// Task {
///   for await change in await ada.dayChanges() {
///     show(try await ada.withJournal { try $0.dayItems(from: change.start, to: change.end) })
///   }
/// }
/// try await ada.withJournal { try $0.append(JournalBatch(batch)) }
/// try await ada.updateDays()
/// ```
///
/// Updating the days lets other tasks append and read in between.
public actor JournalSession {
  private let journal: Journal
  private var recorders: [Int64: MeasurementRecorder] = [:]
  private var listeners: [(user: Int64, stream: AsyncStream<DayChange>.Continuation)] = []

  /// Opens the journal at `path`.
  ///
  /// - Throws: What ``Journal/init(path:access:settings:)`` throws.
  public init(
    path: String, access: Journal.Access = .writing, settings: Journal.Settings = .init()
  ) throws(JournalError) {
    journal = try Journal(path: path, access: access, settings: settings)
  }

  deinit {
    for (_, stream) in listeners { stream.finish() }
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
  public func withJournal<Result: Sendable, Failure>(
    _ body: sending (Journal) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { sendChanges() }
    return try body(journal)
  }

  // MARK: One user

  fileprivate func withRecorder<Result: Sendable>(
    of user: UserSession, _ body: sending (inout MeasurementRecorder) throws -> Result
  ) throws -> Result {
    var recorder: MeasurementRecorder
    if let known = recorders.removeValue(forKey: user.number) {
      recorder = known
    } else {
      recorder = MeasurementRecorder(in: user.part(of: journal))
      try recorder.restore()
    }
    // Also after an error: the buffer is in it.
    defer {
      recorders[user.number] = recorder
      sendChanges()
    }
    return try body(&recorder)
  }

  fileprivate func dayChanges(of user: UserSession) -> AsyncStream<DayChange> {
    AsyncStream { listeners.append((user.number, $0)) }
  }

  private func sendChanges() {
    for user in Set(listeners.map(\.user)) {
      guard let change = journal.dayChanges.removeValue(forKey: user) else { continue }
      listeners.removeAll { owner, stream in
        guard owner == user, case .terminated = stream.yield(change) else { return false }
        return true
      }
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

  fileprivate func part(of journal: Journal) -> UserJournal {
    UserJournal(journal: journal, number: number, name: name)
  }

  /// Calls `body` with the user's part of the journal.
  ///
  /// What it changes in the days is sent to those who follow their changes.
  @discardableResult
  public func withJournal<Result: Sendable, Failure>(
    _ body: sending (UserJournal) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await session.withJournal { (journal) throws(Failure) in try body(part(of: journal)) }
  }

  /// Calls `body` with the recorder of the user's measurement, also of one that an earlier run of
  /// the program began.
  ///
  /// Call its ``MeasurementRecorder/save()`` before the app is suspended or ends.
  ///
  /// - Throws: What `body` throws, and ``JournalError`` when the stored measurements are damaged;
  ///   what is buffered is not lost.
  @discardableResult
  public func withRecorder<Result: Sendable>(
    _ body: sending (inout MeasurementRecorder) throws -> Result
  ) async throws -> Result {
    try await session.withRecorder(of: self, body)
  }

  /// Brings the user's days up to date, in portions between which other tasks have their turn.
  ///
  /// - Parameter model: The activity model.
  /// - Returns: The interval in which items may have changed; nil when nothing was computed.
  /// - Throws: What ``UserJournal/updateDays(model:)`` throws.
  @discardableResult
  public func updateDays(model: ActivityModel = .default) async throws(JournalError) -> DayChange? {
    while true {
      let step = try await withJournal { (journal) throws(JournalError) in
        try journal.updateDays(model: model, upTo: Self.portion)
      }
      guard !step.isComplete else { return step.change }
      await Task.yield()
    }
  }

  /// About how many samples an update reads at a time: some ten milliseconds of work.
  private static let portion = 100_000

  /// The intervals in which the items of the user's days change from now on.
  ///
  /// Updates, edits and erasures through the session count. The sequence ends with the session.
  public func dayChanges() async -> AsyncStream<DayChange> { await session.dayChanges(of: self) }
}
