import CLocomotionStopRequest
import Foundation
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import LocomotionSync

extension Command {
  static let sync = Command(
    name: "sync",
    synopsis:
      "--store FILE --user USER|--withdraw-device DEVICE --to URL --token-file FILE [--once] "
      + "[--policy FILE]",
    summary: "Sends a user's recording to an archive, unit by unit, until it confirms all.",
    options: [
      Option(name: "store", value: "FILE", help: "the journal"),
      Option(name: "user", value: "USER", help: "whose recording it is"),
      Option(name: "to", value: "URL", help: "the address of the archive, such as https://host/"),
      Option(
        name: "token-file", value: "FILE",
        help: "the bearer token, one line; read again for every request"),
      Option(
        name: "once", value: nil,
        help: "sends what the policy allows and ends: status 0 when the archive has all, 1 when "
          + "something waits or is refused, the token too; else it goes on until it is stopped"),
      Option(
        name: "policy", value: "FILE",
        help: "lines 'key = value': cellular, roaming, cellular-bytes-per-day, lowest-battery, "
          + "first-delay, longest-delay, closing-interval, keep (all, none, or so many days)"),
      Option(
        name: "retry-parked", value: nil, help: "sends again what the archive has refused"),
      Option(
        name: "withdraw-device", value: "DEVICE",
        help: "without a journal: asks the archive to delete all units that a device of the "
          + "token's user has sent, by the 32 digits that 'journal erase' or the archive's list of "
          + "days tells, URL/v1/days"),
      Option(
        name: "insecure", value: nil,
        help: "allows http:// to another machine, which sees the token and the data"),
    ],
    run: runSync)

  private static func runSync(_ arguments: Arguments) throws {
    let address = try archiveAddress(arguments)
    let tokenFile = try arguments.required("token-file")
    if let device = arguments.value("withdraw-device") {
      return try withdraw(device, arguments, from: address, tokenFile)
    }
    let run = SyncRun(
      store: try arguments.required("store"), user: try arguments.required("user"),
      policy: try policy(arguments),
      retriesParked: arguments.has("retry-parked"), transport: HTTPTransport(to: address)
    ) { _ in try token(in: tokenFile) }
    _ = try token(in: tokenFile)
    locomotion_catch_stop()
    let isOnce = arguments.has("once")
    let progress = try waiting {
      try await isOnce ? run.once(patience: 10) : run.untilStopped()
    }
    guard isOnce else { return }
    let words = SyncRun.words(progress)
    guard progress.isComplete, progress.problem == nil else {
      throw CommandFailure("sync: \(words)")
    }
    StandardError.write("locomotion: \(words)\n")
  }

  private static func withdraw(
    _ text: String, _ arguments: Arguments, from address: URL, _ tokenFile: String
  ) throws {
    for other in ["store", "user", "once", "policy", "retry-parked"] where arguments.has(other) {
      throw UsageError("'--withdraw-device' takes no '--\(other)'")
    }
    guard let device = DeviceName(text) else {
      throw UsageError("'--withdraw-device \(text)': expected 32 hexadecimal digits")
    }
    _ = try token(in: tokenFile)
    locomotion_catch_stop()
    try waiting {
      try await SyncSession.delete(unitsOf: device, over: HTTPTransport(to: address)) { _ in
        try token(in: tokenFile)
      }
    }
    StandardError.write("locomotion: the archive has deleted all units of \(device)\n")
  }

  private static func archiveAddress(_ arguments: Arguments) throws -> URL {
    let text = try arguments.required("to")
    guard let address = URL(string: text), let scheme = address.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = address.host, !host.isEmpty,
      address.query == nil, address.fragment == nil, address.user == nil
    else {
      throw UsageError("'--to \(text)': expected an address such as https://host/")
    }
    let isOwn = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    guard scheme == "https" || isOwn || arguments.has("insecure") else {
      throw UsageError(
        "'--to \(text)' sends the token and locations in the clear; '--insecure' allows it")
    }
    return address
  }

  private static func policy(_ arguments: Arguments) throws -> SyncPolicy {
    guard let path = arguments.value("policy") else { return SyncPolicy() }
    let bytes = try SecretFile(path: path, option: "policy").bytes
    do throws(SyncError) {
      return try SyncPolicy(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw RecordingError.refused(path: path, reason: error.description)
    }
  }

  private static func token(in path: String) throws(RecordingError) -> String {
    let bytes = try SecretFile(path: path, option: "token-file").bytes
    let lines = bytes.split { $0 == 10 || $0 == 13 }
    guard lines.count == 1, lines[0].allSatisfy({ 33...126 ~= $0 }) else {
      throw .refused(path: path, reason: "expected a bearer token in one line")
    }
    return String(decoding: lines[0], as: UTF8.self)
  }

  /// Waits on this thread for a task, which is cancelled when a stop is requested.
  private static func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let box = Locked<Result<Value, any Error>?>(nil)
    let task = Task {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      box.withLock { $0 = result }
      done.signal()
    }
    while done.wait(timeout: .now() + 0.2) == .timedOut {
      if locomotion_stop_came() != 0 { task.cancel() }
    }
    guard let result = box.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

/// The runs of `sync` over one journal.
private struct SyncRun: Sendable {
  let store: String
  let user: String
  let policy: SyncPolicy
  let retriesParked: Bool
  let transport: any SyncTransport
  let authenticator: Authenticator

  /// Sends all that may be sent.
  func once(patience: Double) async throws -> SyncProgress {
    let session = try await session(SyncBackOff(seed: .random(in: 0...UInt64.max)))
    if retriesParked { try await retry(session) }
    var progress = await shown(session, closing: true, patience: patience)
    // Else a wrong token is told only when there is something to send.
    if progress.unitsSent == 0, progress.isComplete, progress.problem == nil {
      progress.problem = await session.tokenProblem()
    }
    return progress
  }

  /// Sends every minute until the task is cancelled.
  ///
  /// The journal is closed in between, so that others can write to it.
  func untilStopped() async throws -> SyncProgress {
    var backOff = SyncBackOff(seed: .random(in: 0...UInt64.max))
    var lastClosing: ContinuousClock.Instant?
    var progress = SyncProgress()
    var retries = retriesParked
    var said = ""
    while !Task.isCancelled {
      do throws(JournalError) {
        let session = try await session(backOff)
        if retries { try await retry(session) }
        retries = false
        let now = ContinuousClock.now
        let isClosing =
          lastClosing.map { $0.duration(to: now) >= .seconds(policy.closingInterval) } ?? true
        if isClosing { lastClosing = now }
        progress = await shown(session, closing: isClosing, patience: 0)
        backOff = await session.backOff
      } catch {
        guard case .busy = error else { throw error }
        progress.problem = .journal(.busy(path: store))
      }
      let words = Self.words(progress)
      if words != said { StandardError.write("locomotion: \(words)\n") }
      said = words
      let delay = max(60, backOff.remaining(at: SyncClock.system.now()))
      do { try await Task.sleep(for: .seconds(delay)) } catch { break }
    }
    return progress
  }

  private func session(_ backOff: SyncBackOff) async throws(JournalError) -> SyncSession {
    guard FileManager.default.fileExists(atPath: store) else { throw .notFound(path: store) }
    let journal = try JournalSession(path: store)
    guard let found = try await journal.existingUser(user) else { throw .unknownUser }
    return SyncSession(
      of: found, over: transport, authenticator: authenticator, policy: policy,
      backOff: backOff)
  }

  private func retry(_ session: SyncSession) async throws(JournalError) {
    let count = try await session.retryParked()
    if count > 0 { StandardError.write("locomotion: \(count) refused units are sent again\n") }
  }

  /// Synchronises, with a bar on a terminal.
  private func shown(
    _ session: SyncSession, closing: Bool, patience: Double
  ) async -> SyncProgress {
    guard StandardError.isTerminal else {
      return await session.synchronise(closing: closing, patience: patience)
    }
    let states = await session.progress()
    let bar = Task {
      for await state in states { Self.show(state) }
    }
    let result = await session.synchronise(closing: closing, patience: patience)
    bar.cancel()
    await bar.value
    ProgressBar(total: 1).clear()
    return result
  }

  private static func show(_ state: SyncProgress) {
    let total = state.unitsSent + state.unitsLeft
    guard total > 0 else {
      ProgressBar(total: 1).show("making units")
      return
    }
    var bar = ProgressBar(total: total, done: state.unitsSent)
    bar.advance(to: "units, \(state.bytesLeft / 1_000) kB left")
  }

  /// The state in one line.
  static func words(_ progress: SyncProgress) -> String {
    var parts = ["\(progress.unitsSent) units confirmed"]
    if progress.unitsLeft > 0 {
      parts.append("\(progress.unitsLeft) wait (\(progress.bytesLeft) bytes)")
    }
    if progress.unitsParked > 0 { parts.append("\(progress.unitsParked) refused") }
    if progress.unitsWithdrawn > 0 { parts.append("\(progress.unitsWithdrawn) to be deleted") }
    if case .waiting(let hold) = progress.phase { parts.append(Self.words(hold)) }
    if let problem = progress.problem { parts.append("\(problem)") }
    return parts.joined(separator: "; ")
  }

  private static func words(_ hold: SyncHold) -> String {
    switch hold {
    case .offline: "no network"
    case .cellular: "waiting for wireless LAN"
    case .roaming: "waiting while roaming"
    case .cellularLimit: "the day's bytes over cellular networks are sent"
    case .battery: "the battery is low"
    case .paused: "paused"
    case .delay(let seconds): "again in \(Int(seconds.rounded(.up))) s"
    }
  }
}
