import Foundation
import LocomotionJournal
import Testing

@testable import LocomotionServer

/// One at a time: completing rows takes up what it finds of every user of the database.
@Suite(.serialized, .enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct IntakeTests {
  @Test func aUnitIsStoredOnceWithItsObjectAndRow() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 1)
    try phone.record(from: 0, to: 120)
    let archive = try ScratchArchive(in: phone.folder)
    let unit = try #require(try phone.units().first)
    let digest = SHA256Digest(of: unit.bytes).hexadecimal
    #expect(try archive.intake.isKnown(digest, of: phone.name) == false)
    #expect(try archive.intake.store(unit.bytes, digest: digest, of: phone.name) == .stored)
    #expect(try archive.intake.store(unit.bytes, digest: digest, of: phone.name) == .known)
    #expect(try archive.intake.isKnown(digest, of: phone.name))
    let row = try archive.connections.use { database throws(DatabaseError) in
      try database.unit(digest: digest, of: phone.name)
    }
    let stored = try #require(row)
    let key = try #require(ObjectKey(stored.objectKey))
    #expect(try archive.objects.get(key) == unit.bytes)
    #expect(row?.samples == unit.summary.samples && row?.bytes == unit.bytes.count)
  }

  @Test func aWithdrawnUnitIsNotStoredAgainBeforeOrAfterItCame() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 1)
    let archive = try ScratchArchive(in: phone.folder)
    for part in 0..<2 {
      try phone.record(from: 120 * part, to: 120 * (part + 1))
      _ = try phone.units()
    }
    let units = try phone.units()
    #expect(units.count > 1)
    // The request to delete follows the first unit, and overtakes the last one.
    for unit in [units[0], units[units.count - 1]] {
      let digest = SHA256Digest(of: unit.bytes).hexadecimal
      let isThere = unit.summary.sequence == units[0].summary.sequence
      if isThere { _ = try archive.intake.store(unit.bytes, digest: digest, of: phone.name) }
      #expect(try archive.intake.delete(digest, of: phone.name) == isThere)
      #expect(throws: IntakeError.withdrawn) {
        try archive.intake.store(unit.bytes, digest: digest, of: phone.name)
      }
      #expect(try archive.intake.isKnown(digest, of: phone.name) == false)
    }
    #expect(IntakeError.withdrawn.isFinal)
    // An object that a copy has left before it could be refused.
    let key = ObjectKey(
      user: phone.name, firstEvent: units[0].summary.firstEvent,
      digest: SHA256Digest(of: units[0].bytes))
    _ = try archive.objects.put(units[0].bytes, at: key)
    let found = try archive.intake.completeRows { false }
    #expect(found.inserted == 0 && found.foreign == 0)
    #expect(try archive.objects.get(key) == nil)
  }

  @Test func aUnitThatArrivesDuringItsWithdrawalIsDeletedOrRefused() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser(), seed: 1)
    let archive = try ScratchArchive(in: phone.folder)
    let user = phone.name
    let units = (0..<200).map { Invented.unit(of: user, sequence: $0) }
    let conninfo = try #require(DatabaseServer.collector)
    let threads = (0..<2).map { _ in
      DatabaseThread { () throws(DatabaseError) in
        let archive = try ArchiveDatabase(conninfo)
        for unit in units {
          do throws(DatabaseError) {
            try archive.insert(unit)
          } catch .conflict {
            // Its withdrawal came first.
          }
        }
      }
    }
    for unit in units { _ = try archive.intake.delete(unit.digest, of: user) }
    for thread in threads { #expect(thread.outcome() == nil) }
    let left = try archive.connections.use { database throws(DatabaseError) in
      try database.units(of: user, device: Invented.device)
    }
    #expect(left.isEmpty)
  }

  @Test func anObjectWithoutARowGetsItsRowAndOthersDoNot() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("zoë Ünal"), seed: 1)
    try phone.record(from: 0, to: 120)
    let archive = try ScratchArchive(in: phone.folder)
    let units = try phone.units()
    for unit in units {
      let key = ObjectKey(
        user: phone.name, firstEvent: unit.summary.firstEvent,
        digest: SHA256Digest(of: unit.bytes))
      #expect(try archive.objects.put(unit.bytes, at: key))
    }
    // A unit under the name of somebody else, and something that is no unit.
    let bytes = units[0].bytes
    let eve = DatabaseServer.newUser("eve")
    for (content, user) in [(bytes, eve), (Array("no unit".utf8), phone.name)] {
      let key = ObjectKey(
        user: user, firstEvent: units[0].summary.firstEvent, digest: SHA256Digest(of: content))
      _ = try archive.objects.put(content, at: key)
    }
    var timesFound = 0
    let found = try archive.intake.completeRows(
      found: { _ in timesFound += 1 }, isStopping: { false })
    // A row that comes after its user was found is derived too.
    #expect(timesFound == units.count)
    #expect(found.inserted == units.count && found.foreign == 2)
    #expect(found.users == [phone.name])
    let again = try archive.intake.completeRows { false }
    #expect(again.inserted == 0 && again.foreign == 2)
    try archive.derivation.noteAll(of: phone.name)
    #expect(try archive.derive().map(\.user) == [phone.name])
    let all = try archive.connections.use { database throws(DatabaseError) in
      try database.units(of: phone.name, device: units[0].summary.device)
    }
    #expect(all.map(\.sequence) == units.map(\.summary.sequence))
  }

  @Test func anotherUnitOfTheSameNumberIsRefusedAndLeavesNoObject() throws {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 1)
    try phone.record(from: 0, to: 60)
    // The phone's journal is restored from a backup, and goes on in another way.
    let backup = phone.folder + "/backup"
    _ = try phone.stories()
    try FileManager.default.copyItem(atPath: phone.store, toPath: backup)
    try phone.record(from: 60, to: 120)
    let archive = try ScratchArchive(in: phone.folder)
    try archive.store(try phone.units())
    try FileManager.default.removeItem(atPath: phone.store)
    try FileManager.default.copyItem(atPath: backup, toPath: phone.store)
    try phone.record(from: 60, to: 180)
    let other = try #require(try phone.units().first)
    let digest = SHA256Digest(of: other.bytes)
    #expect(throws: IntakeError.contradiction) {
      try archive.intake.store(other.bytes, digest: digest.hexadecimal, of: phone.name)
    }
    let key = ObjectKey(
      user: phone.name, firstEvent: other.summary.firstEvent, digest: digest)
    #expect(try archive.objects.get(key) == nil)
  }
}
