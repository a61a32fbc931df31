#if Collect
  import Foundation
  import LocomotionCollector
  import LocomotionJournal

  /// The thread beside the server: it completes what an earlier run has left, derives days, takes
  /// what is in the spool into the archive, and publishes what analysts see.
  ///
  /// Unchecked, because all but the flags, which are under the lock, belongs to the thread.
  final class CollectWorker: @unchecked Sendable {
    /// For how many users what they sent last is in memory, to know what is sent again.
    static let mostRecorders = 24

    private let intake: UnitIntake
    private let derivation: ArchiveDerivation
    private var forwarder: SpoolForwarder
    private let spool: LiveIntake
    private let erasure: SpoolErasure
    private var publication: DailyPublication
    private let metrics: CollectMetrics
    private let log: @Sendable (String) -> Void
    private let condition = NSCondition()
    private var isStopping = false
    private var hasEnded = true
    /// Between two looks for something to do, seconds.
    private static let pause = 0.2
    /// Between two looks into the spool, seconds.
    private static let spoolInterval = 2.0
    /// After an error, seconds.
    private static let retryInterval = 10.0

    init(
      intake: UnitIntake, derivation: ArchiveDerivation, publication: DailyPublication,
      spool: LiveIntake, spoolPath: String, metrics: CollectMetrics,
      log: @escaping @Sendable (String) -> Void
    ) {
      (self.intake, self.derivation, self.log) = (intake, derivation, log)
      (self.publication, self.spool, self.metrics) = (publication, spool, metrics)
      forwarder = SpoolForwarder(spool, intake)
      erasure = SpoolErasure(ofSpoolAt: spoolPath)
    }

    /// Starts the thread.
    func start() {
      hasEnded = false
      let thread = Thread { [self] in
        run()
        condition.withLock {
          hasEnded = true
          condition.broadcast()
        }
      }
      thread.name = "derivation"
      thread.stackSize = 8 << 20
      thread.start()
    }

    /// Ends the thread after what it is doing.
    func stop() {
      condition.lock()
      isStopping = true
      condition.broadcast()
      while !hasEnded { condition.wait() }
      condition.unlock()
    }

    private var mustStop: Bool { condition.withLock { isStopping } }

    private func run() {
      var isComplete = false
      var nextCompletion = ContinuousClock.now
      var nextSpool = ContinuousClock.now
      while !mustStop {
        let now = ContinuousClock.now
        if !isComplete, now >= nextCompletion {
          isComplete = complete()
          nextCompletion = now + .seconds(Self.retryInterval)
        }
        if now >= nextSpool {
          nextSpool = now + .seconds(forward() ? Self.spoolInterval : Self.retryInterval)
        }
        publish()
        if !derive() { wait() }
      }
    }

    private func wait() {
      condition.withLock {
        if !isStopping { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
      }
    }

    /// Completes rows, and has the days of all devices looked at.
    private func complete() -> Bool {
      do {
        let found = try intake.completeRows { mustStop }
        if found.inserted > 0 || found.foreign > 0 || found.deleted > 0 {
          log(
            "\(found.inserted) rows of units and \(found.deleted) deletions completed, "
              + "\(found.foreign) objects are no units")
        }
        for user in found.users.sorted() where !mustStop { try derivation.noteAll(of: user) }
        return true
      } catch {
        log("looking through the objects: \(error)")
        return false
      }
    }

    /// Takes units out of the spool; false after an error.
    private func forward() -> Bool {
      do {
        try erasure.answerRequests(spool)
        _ = try forwarder.forward()
        return true
      } catch {
        log("taking units out of the spool: \(error)")
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
#endif
