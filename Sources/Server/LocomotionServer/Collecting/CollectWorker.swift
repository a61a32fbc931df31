import Foundation

/// The threads beside the server: one derives days and publishes what analysts see; the other one
/// completes what an earlier run has left, for which it looks at every object, and ends.
///
/// Unchecked, because all variables but those under the lock belong to the first one.
final class CollectWorker: @unchecked Sendable {
  private let intake: UnitIntake
  private let derivation: ArchiveDerivation
  private var publication: DailyPublication
  private let metrics: CollectMetrics
  private let log: @Sendable (String) -> Void
  private let condition = NSCondition()
  private var isStopping = false
  /// The number of threads that run.
  private var running = 0
  /// Between two looks for something to do, seconds.
  private static let pause = 0.2
  /// After an error, seconds.
  private static let retryInterval = 10.0

  init(
    intake: UnitIntake, derivation: ArchiveDerivation, publication: DailyPublication,
    metrics: CollectMetrics, log: @escaping @Sendable (String) -> Void
  ) {
    (self.intake, self.derivation, self.log) = (intake, derivation, log)
    (self.publication, self.metrics) = (publication, metrics)
  }

  /// Starts the threads.
  func start() {
    start("derivation") { $0.run() }
    start("completion") { $0.complete() }
  }

  private func start(_ name: String, _ body: @escaping @Sendable (CollectWorker) -> Void) {
    condition.withLock { running += 1 }
    let thread = Thread { [self] in
      body(self)
      condition.withLock {
        running -= 1
        condition.broadcast()
      }
    }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Ends the threads after what they are doing.
  func stop() {
    condition.lock()
    isStopping = true
    condition.broadcast()
    while running > 0 { condition.wait() }
    condition.unlock()
  }

  private var mustStop: Bool { condition.withLock { isStopping } }

  private func run() {
    while !mustStop {
      publish()
      if !derive() { wait(Self.pause) }
    }
  }

  /// Waits for so many seconds, or until the threads are to end.
  private func wait(_ seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    condition.withLock {
      while !isStopping, condition.wait(until: end) {}
    }
  }

  /// Completes rows, and has the days of all devices looked at.
  private func complete() {
    while !mustStop, !tryToComplete() { wait(Self.retryInterval) }
  }

  private func tryToComplete() -> Bool {
    do {
      // At once, because with many objects the rest takes long; and again after an error.
      var missed: [String] = []
      let found = try intake.completeRows { user in
        do throws(DatabaseError) {
          try derivation.noteAll(of: user)
        } catch {
          missed.append(user)
        }
      } isStopping: {
        mustStop
      }
      if found.inserted > 0 || found.foreign > 0 || found.deleted > 0 {
        log(
          "\(found.inserted) rows of units and \(found.deleted) deletions completed, "
            + "\(found.foreign) objects are no units")
      }
      for user in missed where !mustStop { try derivation.noteAll(of: user) }
      return true
    } catch {
      log("looking through the objects: \(error)")
      return false
    }
  }

  /// Publishes a week or month, if one is due.
  private func publish() {
    do throws(DatabaseError) {
      try publication.publishNext()
    } catch {
      log("\(error)")
    }
  }

  /// Does a portion of the derivation; false when there is nothing to do.
  private func derive() -> Bool {
    do throws(DerivationError) {
      let outcome = try metrics.derivation { () throws(DerivationError) in
        try derivation.deriveNext(isStopping: { mustStop })
      }
      guard let outcome else { return false }
      guard outcome.isComplete else { return true }
      if outcome.gone > 0 { log("\(outcome.gone) units have no object in the store") }
      if outcome.damaged > 0 { log("\(outcome.damaged) units have a damaged object") }
      return true
    } catch {
      log("deriving days: \(error)")
      return false
    }
  }
}
