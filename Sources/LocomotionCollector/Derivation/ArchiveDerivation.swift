#if Collect
  public import Foundation
  internal import LocomotionJournal
  internal import LocomotionSensing

  /// Derives the days of the archive's users from their units, with the pipeline of the device.
  ///
  /// Safe to use from several threads: ``noteChange(of:device:)`` is called by those that take
  /// units, and one other calls ``deriveNext(isFlushing:)`` again and again.
  public final class ArchiveDerivation: Sendable {
    /// The settings of the derivation.
    public struct Settings: Sendable {
      /// It has the time zone whose midnights cut the days.
      public var calendar: Calendar
      /// A device's days are derived when it has sent nothing for so long, seconds: its units often
      /// come in a row, and not always in order.
      public var quietInterval = 1.0
      /// They are derived after so long anyhow, seconds.
      public var longestWait = 20.0
      /// After an error that may pass the next attempt comes so much later, seconds.
      public var retryInterval = 10.0

      /// Days of UTC.
      public init() {
        calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
      }
    }

    /// What one derivation has done.
    public struct Outcome: Hashable, Sendable {
      /// The owner.
      public let user: String
      /// The device.
      public let device: String
      /// The units put into the working journal.
      public var units = 0
      /// The days stored.
      public var days = 0
      /// Whether the working journal was made anew.
      public var isRebuilt = false
      /// The units whose object is missing or damaged.
      public var missing = 0
    }

    private struct Stream: Hashable {
      let user: String
      let device: String
    }

    private struct Wait {
      let first: ContinuousClock.Instant
      var last: ContinuousClock.Instant
      /// Not before this, because the last attempt failed.
      var earliest: ContinuousClock.Instant?
    }

    private let journals: WorkingJournals
    private let connections: ArchiveConnections
    private let settings: Settings
    private let waiting = Locked<[Stream: Wait]>([:])

    /// A derivation that begins with nothing to do; see ``noteAll(of:)``.
    public init(
      journals: WorkingJournals, connections: ArchiveConnections, settings: Settings = .init()
    ) {
      (self.journals, self.connections, self.settings) = (journals, connections, settings)
    }

    /// Notes that a device has new units.
    public func noteChange(of user: String, device: String) {
      let now = ContinuousClock.now
      waiting.withLock { waiting in
        waiting[Stream(user: user, device: device), default: Wait(first: now, last: now)].last = now
      }
    }

    /// Notes all devices of a user, of whose units nobody knows whether they were derived before
    /// the program ended.
    public func noteAll(of user: String) throws(DatabaseError) {
      let devices = try connections.use { database throws(DatabaseError) in
        try database.streams(of: user)
      }
      for device in devices { noteChange(of: user, device: device) }
    }

    /// The number of devices that wait for their days to be derived.
    public var waitingCount: Int { waiting.withLock { $0.count } }

    /// The devices that wait, and for how long the one that waits longest, seconds.
    public var backlog: (devices: Int, seconds: Double) {
      let now = ContinuousClock.now
      return waiting.withLock { waiting in
        let first = waiting.values.map(\.first).min()
        return (waiting.count, first.map { (now - $0) / .seconds(1) } ?? 0)
      }
    }

    /// Derives the days of the device that waits longest, if its time has come.
    ///
    /// - Parameter isFlushing: Whether every device's time has come.
    /// - Returns: What was done; nil when there is nothing to do now.
    /// - Throws: ``DerivationError``; then it is tried again later.
    public func deriveNext(isFlushing: Bool = false) throws(DerivationError) -> Outcome? {
      let now = ContinuousClock.now
      let taken = waiting.withLock { waiting -> (Stream, Wait)? in
        let ready = waiting.filter { isFlushing || isReady($0.value, now) }
        guard let next = ready.min(by: { $0.value.first < $1.value.first }) else { return nil }
        waiting[next.key] = nil
        return next
      }
      guard let (stream, wait) = taken else { return nil }
      do throws(DerivationError) {
        return try derive(stream.user, stream.device)
      } catch {
        waiting.withLock { waiting in
          var again = waiting[stream] ?? wait
          again.earliest = now + .seconds(settings.retryInterval)
          waiting[stream] = again
        }
        throw error
      }
    }

    private func isReady(_ wait: Wait, _ now: ContinuousClock.Instant) -> Bool {
      if let earliest = wait.earliest, now < earliest { return false }
      return now - wait.last >= .seconds(settings.quietInterval)
        || now - wait.first >= .seconds(settings.longestWait)
    }

    /// Brings the days of one device up to date with its units.
    ///
    /// - Throws: ``DerivationError``; then what was stored is stored, and the next call goes on.
    public func derive(_ user: String, _ device: String) throws(DerivationError) -> Outcome {
      var outcome = Outcome(user: user, device: device)
      let (units, stored) = try database { database throws(DatabaseError) in
        let units = try database.units(of: user, device: device)
        return (units, try database.days(of: user).filter { $0.device == device })
      }
      guard !units.isEmpty else {
        // The user was erased, or the device has asked for the deletion of its units.
        journals.delete(user, device: device)
        for day in stored {
          try replace([], of: user, device, from: day.start, to: day.end)
          outcome.days += 1
        }
        return outcome
      }
      var update = try journals.update(user: user, device: device, units: units)
      outcome.units = update.appended
      outcome.isRebuilt = update.isNew
      outcome.missing = update.missing
      let isWhole = update.hasAnnotations || stored.isEmpty || !update.areDaysStored
      guard update.appended > 0 || isWhole else { return outcome }
      do throws(DerivationError) {
        let start = try update.start(isWhole: isWhole, stored)
        outcome.days = try store(update, of: user, device, from: start, stored)
        try storeRest(update, of: user, device)
        journals.noteStored(user, device: device)
      } catch .database(.conflict) {
        // The user was erased meanwhile: nothing of them may stay.
        journals.delete(user, device: device)
      }
      return outcome
    }

    /// Stores the days from an instant on whose story is another than the stored one, a day at a
    /// time, so that the rows of one day are in memory.
    private func store(
      _ update: borrowing WorkingJournals.Update, of user: String, _ device: String,
      from start: Timestamp, _ stored: [StoredDay]
    ) throws(DerivationError) -> Int {
      var count = 0
      var left = Dictionary(uniqueKeysWithValues: stored.map { ($0.date, $0) })
      left = left.filter { $0.value.end > start }
      let span = try update.span
      var next = span.flatMap { CivilDay(holding: max(start, $0.start), settings.calendar) }
      while let day = next, let end = span?.end, day.start < end {
        next = day.next
        let items = try update.items(of: day)
        guard !items.isEmpty else { continue }
        let date = day.date("-")
        guard let story = DayStory(day, items) else { throw .story(date: date) }
        if let old = left.removeValue(forKey: date), story.isLike(old) {
          let text = try database { database throws(DatabaseError) in
            try database.dayJSON(of: user, date: date, device: device)
          }
          if text == story.json { continue }
        }
        let row = story.row(with: try update.tracks(of: items))
        try replace([row], of: user, device, from: day.start, to: day.end)
        count += 1
      }
      for day in left.values.sorted(by: { $0.date < $1.date }) {
        try replace([], of: user, device, from: day.start, to: day.end)
        count += 1
      }
      return count
    }

    /// Stores the measurements and places of a device.
    private func storeRest(
      _ update: borrowing WorkingJournals.Update, of user: String, _ device: String
    ) throws(DerivationError) {
      let (measurements, places) = (try update.measurements, try update.places)
      try database { database throws(DatabaseError) in
        try database.replaceMeasurements(measurements, of: user, device: device)
        try database.replacePlaces(places, of: user, device: device)
      }
    }

    private func replace(
      _ days: [DayRow], of user: String, _ device: String, from start: Timestamp,
      to end: Timestamp
    ) throws(DerivationError) {
      try database { database throws(DatabaseError) in
        try database.replace(days, of: user, device: device, from: start, to: end)
      }
    }

    private func database<Result>(
      _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
    ) throws(DerivationError) -> Result {
      do throws(DatabaseError) {
        return try connections.use(body)
      } catch {
        throw .database(error)
      }
    }
  }
#endif
