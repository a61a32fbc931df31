public import LocomotionJournal
internal import LocomotionSensing

/// Sends one user's recording to an archive, unit by unit in order, and drops what need not stay.
///
/// All state is in the journal: a session may be killed at any moment, and another one goes on. A
/// unit is sent until the archive confirms its digest, and not again after that.
///
/// ```swift
/// let session = SyncSession(
///   of: ada, over: HTTPTransport(to: address), authenticator: { _ in token })
/// Task { for await progress in await session.progress() { show(progress) } }
/// await session.run()
/// ```
public actor SyncSession {
  /// The user's part of the journal that is sent.
  public nonisolated let journal: UserSession

  private let archive: ArchiveRequests
  private let conditions: @Sendable () async -> SyncConditions
  private let clock: SyncClock
  private let updatesDays: Bool
  /// The rules; a change holds from the next unit on.
  public private(set) var policy: SyncPolicy

  /// The failures since the last success, and when the next sending is; for a later session.
  public private(set) var backOff: SyncBackOff
  private var state = SyncProgress()
  private var isPaused = false
  private var isCleared = false
  private var isBusy = false
  private var lastClosing: Timestamp?
  private var listeners: [AsyncStream<SyncProgress>.Continuation] = []

  /// A session that does nothing before ``run(every:)`` or ``synchronise(closing:patience:)``.
  ///
  /// - Parameters:
  ///   - journal: The user's part of the journal, which others may use at the same time.
  ///   - transport: How requests reach the archive.
  ///   - authenticator: Gives the token.
  ///   - policy: The rules.
  ///   - updatesDays: Whether the days are updated before units are made, so that the archive is
  ///     told all places and samples can be dropped; default true.
  ///   - backOff: The failures of an earlier session, if they are known.
  ///   - clock: The time.
  ///   - conditions: How the device is connected and supplied now.
  public init(
    of journal: UserSession, over transport: any SyncTransport,
    authenticator: @escaping Authenticator, policy: SyncPolicy = .init(),
    updatesDays: Bool = true,
    backOff: SyncBackOff = SyncBackOff(seed: .random(in: 0...UInt64.max)),
    clock: SyncClock = .system,
    conditions: @escaping @Sendable () async -> SyncConditions = { SyncConditions() }
  ) {
    self.journal = journal
    archive = ArchiveRequests(transport: transport, authenticator: authenticator)
    self.policy = policy
    self.updatesDays = updatesDays
    self.clock = clock
    self.conditions = conditions
    self.backOff = backOff
  }

  deinit {
    for stream in listeners { stream.finish() }
  }

  /// How far the session is, now and whenever it changes; the newest state if several changed it.
  public func progress() -> AsyncStream<SyncProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
      listeners.append(stream)
      // The new stream gets the state, and streams that have ended are forgotten.
      publish()
    }
  }

  /// Replaces the rules.
  public func setPolicy(_ policy: SyncPolicy) {
    self.policy = policy
  }

  /// Ends sending after the unit that is on its way, until ``resume()``.
  public func pause() {
    isPaused = true
  }

  /// Lets it send again.
  public func resume() {
    isPaused = false
  }

  /// Sends the units again that the archive has refused, at the next synchronisation.
  ///
  /// - Returns: How many there are.
  @discardableResult
  public func retryParked() async throws(JournalError) -> Int {
    try await journal.withJournal { (journal) throws(JournalError) in
      try journal.retryParkedUnits()
    }
  }

  /// Removes the user with all their data from this device, and ends the session.
  ///
  /// What the archive has it keeps, also units that it has not deleted yet though something of them
  /// was erased here: ``SyncProgress/unitsWithdrawn``. It can be asked to delete all that this
  /// device has sent, by ``delete(unitsOf:over:authenticator:)`` with the name that
  /// `device()` of it gave before.
  public func clearData() async throws(JournalError) {
    isCleared = true
    try await journal.withJournal { (journal) throws(JournalError) in try journal.erase() }
    state = SyncProgress()
    state.phase = .cleared
    publish()
    for stream in listeners { stream.finish() }
    listeners = []
  }

  /// Synchronises again and again until the task is cancelled or the data are cleared.
  ///
  /// - Parameter interval: The seconds between two times; a failed sending is repeated when its
  ///   delay is over, if that is later.
  public func run(every interval: Double = 60) async {
    while !Task.isCancelled, !isCleared {
      await synchronise(closing: isClosingDue())
      let delay = max(interval, backOff.remaining(at: clock.now()))
      do { try await clock.sleep(delay) } catch { return }
    }
  }

  /// Makes units of what is new and sends what the rules allow, once.
  ///
  /// - Parameters:
  ///   - isClosing: Whether also the newest small batches are sent, which could still be merged
  ///     with later ones.
  ///   - patience: How many seconds to wait in all for repetitions of failed sendings.
  /// - Returns: How far it got.
  @discardableResult
  public func synchronise(
    closing isClosing: Bool = true, patience: Double = 0
  ) async -> SyncProgress {
    // One at a time: a second caller gets what is known.
    guard !isCleared, !isBusy else { return state }
    isBusy = true
    defer { isBusy = false }
    state.problem = nil
    do {
      state.phase = .preparing
      publish()
      try await prepare(isClosing)
      try await count()
      var patience = patience
      try await transfer(.pending, &patience)
      if state.problem == nil { try await transfer(.withdrawn, &patience) }
      try await dropSamples()
      try await count()
    } catch {
      if !isCleared {
        state.problem = .journal(error)
        state.phase = .idle
      }
    }
    publish()
    return state
  }

  /// Why the archive refuses the token, asked where nothing was sent; nil when nobody says that it
  /// does.
  package func tokenProblem() async -> SyncError? {
    let answer = await archive.answer(to: .get, about: .days)
    return [.unauthorized, .forbidden].contains(answer) ? answer.problem : nil
  }

  // MARK: Steps

  private func isClosingDue() -> Bool {
    let now = clock.now()
    guard let last = lastClosing, last <= now else { return true }
    return now.seconds(since: last) >= policy.closingInterval
  }

  private func prepare(_ isClosing: Bool) async throws(JournalError) {
    if updatesDays { try await journal.updateDays() }
    while !Task.isCancelled {
      let made = try await journal.withJournal { (journal) throws(JournalError) in
        try journal.makeUnits(closing: isClosing)
      }
      guard made > 0 else { break }
    }
    if isClosing { lastClosing = clock.now() }
  }

  private func count() async throws(JournalError) {
    let (units, last) = try await journal.withJournal { (journal) throws(JournalError) in
      (try journal.units(), try journal.lastConfirmation())
    }
    let pending = units.filter { $0.state == .pending }
    state.unitsLeft = pending.count
    state.bytesLeft = pending.reduce(0) { $0 + $1.byteCount }
    state.unitsParked = units.count { $0.state == .parked }
    state.unitsWithdrawn = units.count { $0.state == .withdrawn }
    state.lastSuccess = last
  }

  /// Sends the pending units, or asks the archive to delete the withdrawn ones, as far as the rules
  /// and its answers let.
  private func transfer(
    _ kind: UnitStatus.State, _ patience: inout Double
  ) async throws(JournalError) {
    let isSending = kind == .pending
    var rest = try await units(in: kind)
    let phase = isSending ? .idle : state.phase
    var hasBegunAnew = false
    while let unit = rest.first, !Task.isCancelled, !isCleared {
      guard try await isLetThrough(isSending ? unit.byteCount : 0, &patience) else { return }
      let answer = try await isSending ? send(unit) : delete(unit)
      switch answer {
      case .confirmed:
        backOff.succeed()
        state.problem = nil
        try await isSending ? confirm(unit) : forget(unit)
        rest.removeFirst()
      case .refused(.discontinued, _) where isSending && !hasBegunAnew:
        // Once: an archive that refuses the first unit of a new device refuses everything.
        hasBegunAnew = true
        backOff.succeed()
        rest = try await beginNewDevice()
      case .refused(_, let reason) where isSending:
        backOff.succeed()
        try await journal.withJournal { (journal) throws(JournalError) in
          try journal.parkUnit(unit.digest, because: reason)
        }
        state.unitsParked += 1
        leave(unit)
        rest.removeFirst()
      case .unauthorized, .forbidden:
        state.problem = answer.problem
        state.phase = .idle
        return
      case .later(let retryAfter, let reason):
        state.problem = isSending ? answer.problem : .notDeleted(reason: reason)
        backOff.fail(at: clock.now(), retryAfter: retryAfter, policy)
      case .refused:
        state.problem = answer.problem
        backOff.fail(at: clock.now(), retryAfter: nil, policy)
      }
    }
    state.phase = phase
  }

  private func units(
    in state: UnitStatus.State
  ) async throws(JournalError) -> ArraySlice<UnitStatus> {
    try await journal.withJournal { (journal) throws(JournalError) in
      try journal.units(in: state)
    }[...]
  }

  /// Makes units of a new device of what the archive doesn't have, because another copy of the
  /// journal goes on under the device's name.
  ///
  /// - Returns: These units.
  private func beginNewDevice() async throws(JournalError) -> ArraySlice<UnitStatus> {
    try await journal.withJournal { (journal) throws(JournalError) in
      try journal.beginNewDevice()
    }
    try await prepare(true)
    try await count()
    return try await units(in: .pending)
  }

  /// Whether so many bytes may be sent now, after a wait within the patience.
  private func isLetThrough(
    _ byteCount: Int, _ patience: inout Double
  ) async throws(JournalError) -> Bool {
    while let hold = try await hold(for: byteCount) {
      state.phase = .waiting(hold)
      guard case .delay(let seconds) = hold, seconds <= patience else { return false }
      publish()
      patience -= seconds
      do { try await clock.sleep(seconds) } catch { return false }
    }
    state.phase = .sending
    publish()
    return !isCleared
  }

  /// Why a unit of this size may not be sent now; what may be sent on a day is counted before.
  private func hold(for byteCount: Int) async throws(JournalError) -> SyncHold? {
    if isPaused { return .paused }
    let present = await conditions()
    if let hold = policy.hold(present) { return hold }
    let now = clock.now()
    let delay = backOff.remaining(at: now)
    if delay > 0 { return .delay(seconds: delay) }
    guard present.network == .cellular else { return nil }
    let limit = policy.cellularBytesPerDay
    let isWithin = try await journal.withJournal { (journal) throws(JournalError) in
      try journal.addMeteredBytes(byteCount, on: SyncPolicy.day(of: now), limit: limit)
    }
    return isWithin ? nil : .cellularLimit
  }

  private func send(_ status: UnitStatus) async throws(JournalError) -> SyncAnswer {
    let unit: UploadUnit
    do {
      unit = try await journal.withJournal { (journal) throws(JournalError) in
        try journal.unit(status)
      }
    } catch .unknownUnit {
      // Something of it was erased in the meantime.
      return .later(retryAfter: nil, reason: "the unit was withdrawn")
    }
    return await archive.answer(
      to: .put, about: .unit(SHA256Digest(of: unit.bytes)), body: unit.bytes)
  }

  private func confirm(_ unit: UnitStatus) async throws(JournalError) {
    let (now, retention) = (clock.now(), policy.retention)
    do {
      try await journal.withJournal { (journal) throws(JournalError) in
        _ = try journal.confirmUnit(unit.digest, keeping: retention, at: now)
      }
    } catch .unknownUnit {
      // Something of it was erased while it was on its way: it is deleted in the next step.
      return
    }
    state.lastSuccess = now
    state.unitsSent += 1
    if let first = unit.firstEvent, let last = unit.lastEvent {
      state.sent =
        min(first, state.sent?.lowerBound ?? first)...max(last, state.sent?.upperBound ?? last)
    }
    leave(unit)
  }

  private func leave(_ unit: UnitStatus) {
    state.unitsLeft = max(0, state.unitsLeft - 1)
    state.bytesLeft = max(0, state.bytesLeft - unit.byteCount)
    publish()
  }

  private func delete(_ unit: UnitStatus) async -> SyncAnswer {
    guard let digest = SHA256Digest(hexadecimal: unit.name) else {
      return .refused(.other, reason: "its digest is damaged here")
    }
    return await archive.answer(to: .delete, about: .unit(digest))
  }

  private func forget(_ unit: UnitStatus) async throws(JournalError) {
    try await journal.withJournal { (journal) throws(JournalError) in
      try journal.forgetWithdrawnUnit(unit.digest)
    }
  }

  private func dropSamples() async throws(JournalError) {
    let (now, retention) = (clock.now(), policy.retention)
    guard retention != .all, !isCleared else { return }
    try await journal.withJournal { (journal) throws(JournalError) in
      _ = try journal.dropSamples(keeping: retention, at: now)
    }
  }

  private func publish() {
    listeners.removeAll { stream in
      if case .terminated = stream.yield(state) { true } else { false }
    }
  }
}
