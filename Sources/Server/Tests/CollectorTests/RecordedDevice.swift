import Foundation
import LocomotionJournal
import LocomotionSensing
import Testing

@testable import LocomotionServer

/// A phone's journal with walks and rests, and the archive's folders, in a scratch folder.
final class RecordedDevice {
  /// 2023-11-14 23:53 in UTC, so that the recording goes over midnight.
  static let start = 1_700_006_000.0

  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    .path
  let name: String
  let seed: UInt64
  private var random: SplitMix64
  private var north = 0.0
  var store: String { folder + "/phone.locomotion" }

  init(user: String, seed: UInt64) throws {
    (name, self.seed) = (user, seed)
    random = SplitMix64(seed: seed)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Records an interval, seconds from ``start``: five minutes' rest, five minutes' walk, and so
  /// on, at 25 Hz.
  func record(from first: Int, to last: Int) throws {
    let user = try Journal(path: store).user(name)
    if try user.currentMeasurement() == nil {
      try user.start("unknown", at: time(Double(first)))
    }
    for minute in stride(from: first, to: last, by: 60) {
      var batch = JournalBatch()
      for second in minute..<min(minute + 60, last) { add(second, to: &batch) }
      try user.append(batch)
    }
  }

  private func add(_ second: Int, to batch: inout JournalBatch) {
    let isWalking = second / 300 % 2 == 1
    for step in 0..<25 {
      let instant = Double(second) + Double(step) / 25
      let swing = isWalking ? 2.5 : 0.02
      batch.accelerations.append(
        x: 0.4 * swing * sin(6 * instant) + random.nextNormal() / 20,
        y: random.nextNormal() / 20,
        z: 9.81 + swing * sin(12 * instant) + random.nextNormal() / 20, at: time(instant))
    }
    if isWalking { north += 1.4 / 111_200 }
    batch.fixes.append(
      LocationFix(
        timestamp: time(Double(second)), latitude: 48.1 + Double(seed) / 100 + north,
        longitude: 11.5, altitude: 500, horizontalAccuracy: 5, speed: isWalking ? 1.4 : 0))
  }

  func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((Self.start + seconds) * 1e9))
  }

  /// Updates the days, and makes units of everything.
  func units() throws -> [UploadUnit] {
    let user = try Journal(path: store).user(name)
    try user.updateDays()
    while try user.makeUnits(closing: true) > 0 {}
    return try user.units().map { try user.unit($0) }
  }

  /// The storylines of the days on the phone, by date.
  func stories() throws -> [String: String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let user = try Journal(path: store).user(name)
    try user.updateDays()
    guard let span = try user.daySpan() else { return [:] }
    var stories: [String: String] = [:]
    var next = CivilDay(holding: span.start, calendar)
    while let day = next, day.start < span.end {
      let items = try user.dayItems(from: day.start, to: day.end)
      stories[day.date("-")] = try Day(day, items).json
      next = day.next
    }
    return stories
  }

  /// Changes the phone's journal.
  func change(_ body: (UserJournal) throws -> Void) throws {
    try body(Journal(path: store).user(name))
  }
}

/// An archive on the test's database, with folders beside a phone's journal.
struct ScratchArchive {
  let connections: ArchiveConnections
  let objects: DirectoryObjectStore
  let journals: WorkingJournals
  let intake: UnitIntake
  let derivation: ArchiveDerivation

  init(in folder: String, settings: ArchiveDerivation.Settings = .init()) throws {
    // Migrates the database, if nobody has yet.
    _ = try DatabaseServer.archive()
    connections = ArchiveConnections(try #require(DatabaseServer.collector))
    objects = try DirectoryObjectStore(path: folder + "/objects")
    journals = WorkingJournals(folder: folder + "/cache", objects: objects)
    let derivation = ArchiveDerivation(
      journals: journals, connections: connections, settings: settings)
    self.derivation = derivation
    intake = UnitIntake(objects: objects, connections: connections) {
      derivation.noteChange(of: $0, device: $1)
    }
  }

  /// Stores units as their owner.
  func store(_ units: [UploadUnit]) throws {
    for unit in units {
      _ = try intake.store(
        unit.bytes, digest: SHA256Digest(of: unit.bytes).hexadecimal, of: unit.summary.user)
    }
  }

  /// Derives whatever waits.
  func derive() throws -> [ArchiveDerivation.Outcome] {
    var outcomes: [ArchiveDerivation.Outcome] = []
    while let outcome = try derivation.deriveNext(isFlushing: true) { outcomes.append(outcome) }
    return outcomes
  }

  /// The stored storylines of a user's device, by date.
  func stories(of user: String, _ device: String) throws -> [String: String] {
    try connections.use { database throws(DatabaseError) in
      var stories: [String: String] = [:]
      for day in try database.days(of: user) where day.device == device {
        stories[day.date] = try database.dayJSON(of: user, date: day.date, device: device)
      }
      return stories
    }
  }

  /// The revisions of a user's days, by date.
  func revisions(of user: String) throws -> [String: Int] {
    try connections.use { database throws(DatabaseError) in
      Dictionary(
        try database.days(of: user).map { ($0.date, $0.revision) }, uniquingKeysWith: max)
    }
  }
}
