import Foundation
import LocomotionJournal
import Testing

@testable import LocomotionServer

/// What an archive says and does when objects are gone or damaged, and after a kill.
extension IntakeTests {
  /// An archive with all units of a phone, which have been derived.
  private func derivedArchive() throws -> (RecordedDevice, ScratchArchive, [UploadUnit]) {
    let phone = try RecordedDevice(user: DatabaseServer.newUser("ada"), seed: 1)
    for part in 0..<3 {
      try phone.record(from: 40 * part, to: 40 * (part + 1))
      _ = try phone.units()
    }
    let archive = try ScratchArchive(in: phone.folder)
    let units = try phone.units()
    #expect(units.count > 2)
    try archive.store(units)
    _ = try archive.derive()
    return (phone, archive, units)
  }

  private func digest(_ unit: UploadUnit) -> String {
    SHA256Digest(of: unit.bytes).hexadecimal
  }

  private func key(_ unit: UploadUnit, of user: String) -> ObjectKey {
    ObjectKey(
      user: user, firstEvent: unit.summary.firstEvent, digest: SHA256Digest(of: unit.bytes))
  }

  private func damage(_ key: ObjectKey, in archive: ScratchArchive, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: archive.objects.path + "/" + key.text))
  }

  private func run(_ sql: String, as user: String) throws {
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    try connection.transaction("testing", as: user) { () throws(DatabaseError) in
      try connection.run("testing", sql)
    }
  }

  private func tables(of user: String, _ archive: ScratchArchive) throws -> [String: Int] {
    try archive.connections.use { database throws(DatabaseError) in
      try database.rowCounts(of: user)
    }
  }

  @Test(arguments: [nil, "flipped", "cut", "empty"])
  func aUnitWithoutItsObjectIsNotKnownAndIsTakenAgain(_ kind: String?) throws {
    let (phone, archive, units) = try derivedArchive()
    let unit = units[1]
    let key = key(unit, of: phone.name)
    var bytes = unit.bytes
    switch kind {
    case "flipped": bytes[bytes.count / 2] ^= 1
    case "cut": bytes.removeLast(bytes.count / 2)
    case "empty": bytes = []
    default: break
    }
    if kind == nil {
      try archive.objects.delete(key)
    } else {
      try damage(key, in: archive, bytes)
    }
    // What cannot be seen without reading it is found by whoever offers the right bytes.
    let isSeen = kind == "flipped"
    #expect(try archive.intake.isKnown(digest(unit), of: phone.name) == isSeen)
    archive.journals.delete(phone.name)
    try archive.derivation.noteAll(of: phone.name)
    let outcome = try #require(try archive.derive().first)
    #expect(outcome.gone == (kind == nil ? 1 : 0) && outcome.damaged == (kind == nil ? 0 : 1))

    let store = { () throws in
      try archive.intake.store(unit.bytes, digest: digest(unit), of: phone.name)
    }
    #expect(try store() == .healed)
    #expect(try archive.objects.get(key) == unit.bytes)
    #expect(try archive.intake.isKnown(digest(unit), of: phone.name))
    let again = try #require(try archive.derive().first)
    #expect(again.gone + again.damaged == 0 && again.units == units.count)
    #expect(
      try archive.stories(of: phone.name, unit.summary.device) == phone.stories())
    #expect(try store() == .known)
    #expect(try archive.derive().isEmpty)
  }

  @Test func aDeletionThatWasKilledIsFinishedAtTheNextStart() throws {
    let (phone, archive, units) = try derivedArchive()
    #expect(try tables(of: phone.name, archive)["days"] != nil)
    // Killed after the note, after the object, and after the row of the last one.
    for (number, unit) in units.enumerated() {
      try run(
        "INSERT INTO archive.withdrawn_units VALUES ('\(phone.name)', '\(digest(unit))')",
        as: phone.name)
      if number > 0 { try archive.objects.delete(key(unit, of: phone.name)) }
    }
    try run("DELETE FROM archive.units WHERE digest = '\(digest(units[2]))'", as: phone.name)
    // A copy of one that is late.
    #expect(throws: IntakeError.withdrawn) {
      try archive.intake.store(units[1].bytes, digest: digest(units[1]), of: phone.name)
    }
    #expect(try tables(of: phone.name, archive)["units"] == units.count - 1)
    var unitsWhenFound: [Int] = []
    let found = try archive.intake.completeRows { user in
      guard user == phone.name, let rows = try? tables(of: user, archive) else { return }
      unitsWhenFound.append(rows["units"] ?? 0)
    } isStopping: {
      false
    }
    // Days are derived of what is left.
    #expect(unitsWhenFound == [0])
    #expect(found.deleted == units.count - 1 && found.users.contains(phone.name))
    _ = try archive.derive()
    let left = try tables(of: phone.name, archive)
    #expect(Set(left.keys) == ["users", "devices", "withdrawn_units"], "\(left)")
    #expect(archive.journals.nameCount(of: phone.name) == 0)
    #expect(try archive.objects.nameCount(of: key(units[0], of: phone.name).owner) == 0)
  }

  @Test func daysOfUnitsThatAreGoneAreFoundAtTheNextStart() throws {
    let (phone, archive, units) = try derivedArchive()
    for unit in units { try archive.objects.delete(key(unit, of: phone.name)) }
    try run("DELETE FROM archive.units", as: phone.name)
    let found = try archive.intake.completeRows { false }
    #expect(found.users.contains(phone.name))
    try archive.derivation.noteAll(of: phone.name)
    _ = try archive.derive()
    #expect(Set(try tables(of: phone.name, archive).keys) == ["users", "devices"])
  }

  @Test func aCheckFindsWhatDiffersAndRepairsIt() throws {
    let (phone, archive, units) = try derivedArchive()
    let name = phone.name
    let check = ArchiveCheck(archive.intake)
    func findings() throws -> [String: ArchiveCheck.Finding] {
      var all: [String: ArchiveCheck.Finding] = [:]
      _ = try check.findings(of: name) { all[$0.key.digest] = $0 }
      return all
    }
    #expect(try findings().isEmpty)
    try archive.objects.delete(key(units[0], of: name))
    try damage(key(units[1], of: name), in: archive, Array(units[1].bytes.dropLast()))
    try run("DELETE FROM archive.units WHERE digest = '\(digest(units[2]))'", as: name)
    // Something else under a name of its own.
    let text = Array("no unit".utf8)
    let foreign = ObjectKey(user: name, firstEvent: nil, digest: SHA256Digest(of: text))
    _ = try archive.objects.put(text, at: foreign)
    var found = try findings()
    #expect(found.count == 4)
    #expect(found[digest(units[0])]?.kind == .gone)
    #expect(found[digest(units[1])]?.kind == .damaged)
    #expect(found[digest(units[2])]?.kind == .unindexed)
    #expect(found[foreign.digest]?.kind == .foreign)
    #expect(try findings() == found, "nothing was changed")
    // What has been repaired meanwhile stays.
    let unit = units[1]
    let damaged = try #require(found[digest(unit)])
    found[digest(unit)] = nil
    #expect(
      try archive.intake.store(unit.bytes, digest: digest(unit), of: name) == .healed)
    #expect(try check.repair(damaged))
    #expect(try archive.intake.isKnown(digest(unit), of: name))
    for finding in found.values {
      #expect(try check.repair(finding) == (finding.kind != .foreign))
    }
    #expect(try findings().values.map(\.kind) == [.foreign])
    #expect(try archive.intake.isKnown(digest(units[2]), of: name))
    #expect(try tables(of: name, archive)["units"] == units.count - 1)

    // A withdrawn one, and all that is there of an erased user.
    try run(
      "INSERT INTO archive.withdrawn_units VALUES ('\(name)', '\(digest(unit))')", as: name)
    let withdrawn = try #require(try findings()[digest(unit)])
    #expect(withdrawn.kind == .withdrawn)
    #expect(try check.repair(withdrawn))
    #expect(try archive.objects.get(key(unit, of: name)) == nil)
    _ = try archive.connections.use { database throws(DatabaseError) in
      try database.erase(user: name)
    }
    var kinds: [ArchiveCheck.Kind] = []
    _ = try check.findings(besides: []) { finding in
      kinds.append(finding.kind)
      let isRepaired = try check.repair(finding)
      #expect(isRepaired)
    }
    #expect(!kinds.isEmpty && kinds.allSatisfy { $0 == .erased })
    #expect(try archive.objects.nameCount(of: foreign.owner) == 0)
  }
}
