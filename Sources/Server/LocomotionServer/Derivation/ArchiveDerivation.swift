import Foundation
internal import LocomotionJournal
internal import LocomotionSensing
internal import Synchronization

/// Derives the days of the archive's users from their units, with the pipeline of the device.
///
/// Users take turns: a portion of the work on one device, then one of another user's. So whoever
/// sends much, or what takes long to derive, delays others by a portion at most. Of work that
/// takes several portions a few are open at a time; what has taken the most makes room.
///
/// Safe to use from several threads: ``noteChange(of:device:)`` is called by those that take
/// units, and one other calls ``deriveNext(isFlushing:isStopping:)`` again and again.
final class ArchiveDerivation: Sendable {
  /// The settings of the derivation.
  struct Settings: Sendable {
    /// It has the time zone whose midnights cut the days.
    var calendar: Calendar
    /// A device's days are derived when it has sent nothing for so long, seconds: its units often
    /// come in a row, and not always in order.
    var quietInterval = 1.0
    /// They are derived after so long anyhow, seconds.
    var longestWait = 20.0
    /// After an error that may pass the next attempt comes so much later, seconds.
    var retryInterval = 10.0
    /// About the time of a portion, seconds.
    var portion = 1.0
    /// The most derivations that are kept open from one portion to the next; each holds some
    /// 10 MB and an open file.
    var mostOpen = 8

    /// Days of UTC.
    init() {
      calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
    }
  }

  /// What a derivation has done so far.
  struct Outcome: Hashable, Sendable {
    /// The owner.
    let user: String
    /// The device.
    let device: String
    /// The units put into the working journal.
    var units = 0
    /// The days stored.
    var days = 0
    /// Whether the working journal was made anew.
    var isRebuilt = false
    /// The units without an object.
    var gone = 0
    /// The units whose object is damaged.
    var damaged = 0
    /// Whether the days are up to date; else another portion follows.
    var isComplete = false
  }

  private let journals: WorkingJournals
  private let connections: ArchiveConnections
  private let settings: Settings
  private let waiting = Mutex(DerivationQueue())
  /// Those that are not complete; used by the thread that derives.
  private let open = Mutex<[DeviceStream: DeviceDerivation]>([:])

  /// A derivation that begins with nothing to do; see ``noteAll(of:)``.
  init(
    journals: WorkingJournals, connections: ArchiveConnections, settings: Settings = .init()
  ) {
    (self.journals, self.connections, self.settings) = (journals, connections, settings)
  }

  /// Notes that a device has new units.
  func noteChange(of user: String, device: String) {
    waiting.withLock { $0.add(DeviceStream(user: user, device: device), at: .now) }
  }

  /// Notes all devices of a user, of whose units nobody knows whether they were derived before
  /// the program ended.
  func noteAll(of user: String) throws(DatabaseError) {
    let devices = try connections.use { database throws(DatabaseError) in
      try database.streams(of: user)
    }
    for device in devices { noteChange(of: user, device: device) }
  }

  /// The devices that wait, and for how long the one that waits longest, seconds.
  var backlog: (devices: Int, seconds: Double) {
    let now = ContinuousClock.now
    return waiting.withLock { queue in
      (queue.count, queue.oldest.map { (now - $0) / .seconds(1) } ?? 0)
    }
  }

  /// Does a portion of the work on the device whose turn it is, if there is any.
  ///
  /// - Parameters:
  ///   - isFlushing: Whether every device's time has come, and all of its work is done.
  ///   - isStopping: Asked often; after true it ends, and the work goes on another time.
  /// - Returns: What was done; nil when there is nothing to do now.
  /// - Throws: ``DerivationError``; then it is tried again later.
  func deriveNext(
    isFlushing: Bool = false, isStopping: () -> Bool = { false }
  ) throws(DerivationError) -> Outcome? {
    let now = ContinuousClock.now
    let kept = open.withLock { $0 }
    let taken = waiting.withLock { queue in
      queue.next { stream, wait in
        guard !wait.isGivenUp || kept.count < settings.mostOpen else { return false }
        return isFlushing || wait.isReady(now, settings)
      }
    }
    guard let (stream, wait) = taken else { return nil }
    let end = now + .seconds(settings.portion)
    do throws(DerivationError) {
      let outcome = try advance(stream) {
        isStopping() || !isFlushing && ContinuousClock.now >= end
      }
      if !outcome.isComplete {
        let givenUp = giveUpLongest()
        waiting.withLock { queue in
          queue.putBack(stream, wait, isBegun: true)
          for stream in givenUp { queue.giveUp(stream) }
        }
      }
      return outcome
    } catch {
      let again = now + .seconds(settings.retryInterval)
      waiting.withLock { $0.putBack(stream, wait, isBegun: false, notBefore: again) }
      throw error
    }
  }

  /// Brings the days of one device up to date with its units.
  ///
  /// - Throws: ``DerivationError``; then what was stored is stored, and the next call goes on.
  func derive(_ user: String, _ device: String) throws(DerivationError) -> Outcome {
    try advance(DeviceStream(user: user, device: device)) { false }
  }

  private func advance(
    _ stream: DeviceStream, until isDue: () -> Bool
  ) throws(DerivationError) -> Outcome {
    let kept = open.withLock { $0.removeValue(forKey: stream) }
    let (user, device) = (stream.user, stream.device)
    let units = try connections.derive { database throws(DatabaseError) in
      try database.units(of: user, device: device)
    }
    guard !units.isEmpty else { return try remove(stream) }
    let derivation: DeviceDerivation
    if let kept, kept.isAbout(units) {
      derivation = kept
    } else {
      derivation = try DeviceDerivation(
        user, device, units, journals: journals, connections: connections,
        calendar: settings.calendar)
    }
    var isComplete = try derivation.advance(until: isDue)
    if isComplete {
      // Those that came meanwhile.
      isComplete = derivation.unitCount == units.count
    } else {
      open.withLock { $0[stream] = derivation }
    }
    var outcome = derivation.outcome
    outcome.isComplete = isComplete
    return outcome
  }

  /// Closes the derivations that have taken the most portions, until no more are open than may
  /// be.
  private func giveUpLongest() -> [DeviceStream] {
    open.withLock { open in
      let ordered = open.sorted { $0.value.portions > $1.value.portions }
      let longest = ordered.prefix(max(0, open.count - settings.mostOpen)).map(\.key)
      for stream in longest { open[stream] = nil }
      return longest
    }
  }

  /// Removes the days of a device without units: the user was erased, or the device has asked for
  /// their deletion.
  private func remove(_ stream: DeviceStream) throws(DerivationError) -> Outcome {
    let (user, device) = (stream.user, stream.device)
    var outcome = Outcome(user: user, device: device)
    journals.delete(user, device: device)
    outcome.days = try connections.derive { database throws(DatabaseError) in
      let stored = try database.days(of: user).filter { $0.device == device }
      for day in stored {
        try database.removeDay(day.date, of: user, device: device)
      }
      try database.replaceMeasurements([], of: user, device: device)
      try database.replacePlaces([], of: user, device: device)
      return stored.count
    }
    outcome.isComplete = true
    return outcome
  }
}
