internal import Foundation
internal import Locomotion
internal import LocomotionJournal

/// The derivation of one device's days from its units, in portions.
///
/// Units are appended to the working journal and its days updated in turn, so that a portion is
/// short however much there is; then the days are stored, one in a transaction. The journal stays
/// open from one portion to the next.
///
/// Unchecked, because it belongs to the thread that derives.
final class DeviceDerivation: @unchecked Sendable {
  /// After appending so many samples the days are updated: a day at 100 Hz with rotation rates.
  private static let samplesPerUpdate = 1 << 24
  /// About the samples of one step of an update, which is not interrupted.
  private static let samplesPerStep = 1 << 20
  /// 24 hours.
  private static let day: Int64 = 86_400_000_000_000

  private(set) var outcome: ArchiveDerivation.Outcome
  /// The portions that were done.
  private(set) var portions = 0
  private let journals: WorkingJournals
  private let connections: ArchiveConnections
  private let calendar: Calendar
  private let units: [UnitRow]
  private var update: WorkingJournals.Update
  /// At first false: a journal whose last derivation was interrupted has units and no days.
  private var areDaysUpdated = false
  /// The start of what has changed in all updates.
  private var changeStart: Timestamp?
  private var storing: Storing?

  /// The days that remain to be stored.
  private struct Storing {
    /// From here on.
    var next: Timestamp
    /// The days that the database has and that may not be there any more, by date.
    var left: [String: StoredDay]
  }

  /// A derivation from all units of a device, in order of sequence; at least one.
  ///
  /// - Throws: ``DerivationError``.
  init(
    _ user: String, _ device: String, _ units: [UnitRow], journals: WorkingJournals,
    connections: ArchiveConnections, calendar: Calendar
  ) throws(DerivationError) {
    outcome = ArchiveDerivation.Outcome(user: user, device: device)
    (self.journals, self.connections, self.calendar) = (journals, connections, calendar)
    self.units = units
    update = try journals.update(user: user, device: device, units: units)
    outcome.isRebuilt = update.isNew
  }

  /// The number of units that it derives the days from.
  var unitCount: Int { units.count }

  /// Whether these are its units, or begin with them.
  func isAbout(_ other: [UnitRow]) -> Bool {
    other.starts(with: units) { $0.digest == $1.digest }
  }

  /// Does a portion.
  ///
  /// - Parameter isDue: Asked often; after true it ends.
  /// - Returns: Whether the days are derived and stored.
  /// - Throws: ``DerivationError``; what was stored is stored, and another derivation goes on.
  func advance(until isDue: () -> Bool) throws(DerivationError) -> Bool {
    portions += 1
    repeat {
      if !areDaysUpdated {
        try updateDays()
      } else if update.next < units.count {
        try journals.append(
          units, to: &update, device: outcome.device, samples: Self.samplesPerUpdate,
          isDue: isDue)
        outcome.units = update.appended
        (outcome.gone, outcome.damaged) = (update.gone, update.damaged)
        areDaysUpdated = false
      } else if try storeNext() {
        return true
      }
    } while !isDue()
    return false
  }

  private func updateDays() throws(DerivationError) {
    let step = try update.updateDays(upTo: Self.samplesPerStep)
    guard step.isComplete else { return }
    areDaysUpdated = true
    if let start = step.change?.start { changeStart = min(changeStart ?? start, start) }
  }

  // MARK: Storing

  /// Stores the next day whose story is another than the stored one; after the last one the rest.
  ///
  /// - Returns: Whether all is stored.
  private func storeNext() throws(DerivationError) -> Bool {
    do throws(DerivationError) {
      if storing == nil { storing = try beginStoring() }
      guard var state = storing else { return true }
      defer { storing = state }
      guard let next = try update.nextItem(from: state.next) else {
        try finish(state)
        return true
      }
      guard let day = CivilDay(holding: next, calendar) else {
        // At the ends of the range of times.
        state.next = next.advanced(byNanoseconds: Self.day)
        return false
      }
      state.next = day.end
      try store(day, &state)
      return false
    } catch .database(.conflict) {
      // The user was erased meanwhile: nothing of them may stay.
      journals.delete(outcome.user, device: outcome.device)
      return true
    }
  }

  /// Nil when the stored days are those of the journal.
  private func beginStoring() throws(DerivationError) -> Storing? {
    let (user, device) = (outcome.user, outcome.device)
    let stored = try database { database throws(DatabaseError) in
      try database.days(of: user).filter { $0.device == device }
    }
    let isWhole = update.hasAnnotations || stored.isEmpty || !update.areDaysStored
    guard update.appended > 0 || isWhole else { return nil }
    var start = Timestamp(nanoseconds: -Timestamp.limit)
    if !isWhole, let changeStart {
      // What was not final may be so now without having changed.
      let open = stored.lazy.filter { !$0.isFinal }.compactMap { Timestamp(seconds: $0.start) }
      start = min(changeStart, open.min() ?? changeStart)
    }
    let left = stored.filter { $0.end > start.seconds }
    return Storing(
      next: CivilDay(holding: start, calendar)?.start ?? start,
      left: Dictionary(uniqueKeysWithValues: left.map { ($0.date, $0) }))
  }

  private func store(_ day: CivilDay, _ state: inout Storing) throws(DerivationError) {
    let (user, device) = (outcome.user, outcome.device)
    let story = Day(day, try update.items(of: day))
    // An edit alone doesn't make a day.
    guard story.items.contains(where: { !$0.isGap }) else { return }
    let date = day.date("-")
    guard let text = try? story.json else { throw .story(date: date) }
    if let old = state.left.removeValue(forKey: date), old.isLike(story) {
      let stored = try database { database throws(DatabaseError) in
        try database.dayJSON(of: user, date: date, device: device)
      }
      if stored == text { return }
    }
    let paths = Dictionary(
      try update.tracks(of: story.items).map {
        ($0.leg.start, LegPath.points(of: $0.points))
      }, uniquingKeysWith: { $1 })
    try database { database throws(DatabaseError) in
      try database.store(story, with: paths, of: user, device: device)
    }
    outcome.days += 1
  }

  /// Removes the days that are not there any more, and stores what is not of a day.
  private func finish(_ state: Storing) throws(DerivationError) {
    let (user, device) = (outcome.user, outcome.device)
    for day in state.left.values.sorted(by: { $0.date < $1.date }) {
      try database { database throws(DatabaseError) in
        try database.removeDay(day.date, of: user, device: device)
      }
      outcome.days += 1
    }
    let (measurements, places) = (try update.measurements, try update.places)
    try database { database throws(DatabaseError) in
      try database.replaceMeasurements(measurements, of: user, device: device)
      try database.replacePlaces(places, of: user, device: device)
    }
    journals.noteStored(user, device: device)
    // Without rows to store there was no conflict with an erasure.
    let devices = try database { database throws(DatabaseError) in
      try database.streams(of: user)
    }
    if !devices.contains(device) { journals.delete(user, device: device) }
  }

  private func database<Result>(
    _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
  ) throws(DerivationError) -> Result {
    try connections.derive(body)
  }
}

extension StoredDay {
  /// Whether a day has the same times and is as final.
  fileprivate func isLike(_ day: Day) -> Bool {
    isFinal == day.isFinal && start == day.date.start.seconds && end == day.date.end.seconds
      && timeZone == day.date.calendar.timeZone.identifier
  }
}

extension ArchiveConnections {
  /// ``use(_:)`` with the error of a derivation.
  func derive<Result>(
    _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
  ) throws(DerivationError) -> Result {
    do throws(DatabaseError) {
      return try use(body)
    } catch {
      throw .database(error)
    }
  }
}
