import Foundation
import LocomotionCollector
import LocomotionJournal
import LocomotionSensing
import LocomotionServing
import LocomotionSync

/// Makes units of the messages that phones pushed, and takes them into the archive as those of a
/// device of its own for each user.
///
/// A message is acknowledged when it is durable in the spool, and leaves it when its unit is in
/// the archive.
struct SpoolForwarder {
  private let spool: LiveIntake
  private let intake: UnitIntake
  /// Small batches that are younger than this wait for more, seconds.
  private static let closingAge = 60.0
  /// How long samples stay to know what is sent again.
  private static let retention = SampleRetention.days(2)
  private var lastClosing = ContinuousClock.now

  init(_ spool: LiveIntake, _ intake: UnitIntake) {
    (self.spool, self.intake) = (spool, intake)
  }

  /// Takes all units of these users into the archive that can be made now.
  ///
  /// - Returns: The number of units taken.
  /// - Throws: ``JournalError`` of the spool, or ``IntakeError``; the rest is taken next time.
  mutating func forward(isClosing: Bool = false) throws -> Int {
    let now = ContinuousClock.now
    let isClosing = isClosing || now - lastClosing > .seconds(Self.closingAge)
    if isClosing { lastClosing = now }
    var count = 0
    for name in try spool.withJournal({ (journal) throws(JournalError) in
      try journal.userNames()
    }) {
      count += try forward(name, isClosing)
    }
    return count
  }

  private func forward(_ name: String, _ isClosing: Bool) throws -> Int {
    let digest = { (bytes: [UInt8]) in SHA256Digest(of: bytes).bytes }
    let pending = try spool.withJournal { (journal) throws(JournalError) in
      let user = try journal.user(name)
      while try user.makeUnits(closing: isClosing, digest: digest) > 0 {}
      return try user.units(in: .pending)
    }
    guard let owner = UserName.canonical(name) else { return 0 }
    for status in pending {
      // The lock is held for one unit at a time, because the server waits for it.
      let unit = try spool.withJournal { (journal) throws(JournalError) in
        try journal.user(name).unit(status, digest: digest)
      }
      do throws(IntakeError) {
        _ = try intake.store(unit.bytes, digest: status.name, of: owner)
      } catch {
        guard error.isFinal else { throw error }
        // It came before the erasure was known here.
        if error == .erased {
          try spool.erase(name)
          return 0
        }
        // It must not hold up those behind it; 'locomotion journal' still reads it.
        try spool.withJournal { (journal) throws(JournalError) in
          try journal.user(name).parkUnit(status.digest, because: error.description)
        }
        continue
      }
      let now = Timestamp(Date()) ?? Timestamp(nanoseconds: 0)
      try spool.withJournal { (journal) throws(JournalError) in
        _ = try journal.user(name).confirmUnit(status.digest, at: now)
      }
    }
    if isClosing, !pending.isEmpty {
      let now = Timestamp(Date()) ?? Timestamp(nanoseconds: 0)
      try spool.withJournal { (journal) throws(JournalError) in
        let user = try journal.user(name)
        try user.updateDays()
        try user.dropSamples(keeping: Self.retention, at: now)
      }
    }
    return pending.count
  }
}
