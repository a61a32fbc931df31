import Foundation
import LocomotionCollector
import LocomotionJournal
import Testing

/// In order, because compacting rewrites all tables.
@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence), .serialized)
struct DatabaseErasureTests {
  /// Words that stand in every text of a user, and nowhere else.
  private static let marks = ["n", "z", "p", "u", "a", "j", "m", "k", "x"].map {
    "\($0)mark\(UUID().uuidString)"
  }

  private func store(_ archive: ArchiveDatabase) throws -> String {
    let marks = Self.marks
    let user = marks[0]
    _ = try archive.readmit(user: user)
    var unit = Invented.unit(of: user)
    unit.objectKey = marks[7]
    try archive.insert(unit)
    let day = try Invented.day(name: marks[2], purpose: marks[3])
    try archive.store(day, with: Invented.paths(of: day), of: user, device: Invented.device)
    // Words that the journal's days don't have in these columns.
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    try connection.transaction("marking", as: user) { () throws(DatabaseError) in
      try connection.run(
        "marking", "UPDATE archive.days SET time_zone = $1, json = $2",
        [.text(marks[1]), .text(marks[5])])
      try connection.run(
        "marking", "UPDATE archive.items SET activity = $1 WHERE number = 1",
        [.text(marks[4])])
    }
    try archive.replaceMeasurements(
      [
        MeasurementRow(
          number: 0, modality: marks[6], start: day.date.start, end: nil, samples: 0, fixes: 0)
      ], of: user, device: Invented.device)
    try archive.replacePlaces(
      [
        PlaceRow(
          number: 0, name: marks[8], latitude: 1, longitude: 2, radius: 1, isLearned: false)
      ], of: user, device: Invented.device)
    return user
  }

  private func found(in data: Data) -> [String] {
    Self.marks.filter { data.range(of: Data($0.utf8)) != nil }
  }

  private func dump() throws -> Data {
    try DatabaseServer.output(
      of: "pg_dump", ["--dbname", try #require(DatabaseServer.admin), "--no-sync"])
  }

  @Test func nothingOfAnErasedUserIsInADump() throws {
    let archive = try DatabaseServer.archive()
    let user = try store(archive)
    #expect(try found(in: dump()) == Self.marks)
    let erased = try archive.erase(user: user)
    #expect(erased.objectKeys == [Self.marks[7]])
    #expect(erased.counts["items"] == 5 && erased.counts["places"] == 1)
    #expect(try archive.rowCounts(of: user).isEmpty)
    #expect(try found(in: dump()).isEmpty)
  }

  @Test func unitsThatArriveDuringErasingAreErasedOrRefused() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let conninfo = try #require(DatabaseServer.collector)
    let threads = (0..<2).map { number in
      DatabaseThread { () throws(DatabaseError) in
        let archive = try ArchiveDatabase(conninfo)
        for sequence in 0..<2_000 {
          let device = number == 0 ? Invented.device : Invented.otherDevice
          let unit = Invented.unit(of: user, device: device, sequence: sequence)
          guard try archive.insert(unit) else {
            throw .unexpectedAnswer(what: "storing a unit", reason: "it is known")
          }
        }
      }
    }
    while try archive.rowCounts(of: user)["units", default: 0] < 20 {}
    _ = try archive.erase(user: user)
    #expect(try archive.rowCounts(of: user).isEmpty)
    for thread in threads {
      guard case .conflict(_, "erased_users") = thread.outcome() else {
        Issue.record("a unit of an erased user was stored")
        continue
      }
    }
    #expect(try archive.rowCounts(of: user).isEmpty)
  }

  @Test func nothingOfAnErasedUserIsInTheFilesAfterCompacting() throws {
    let archive = try DatabaseServer.archive()
    // Somebody else stays, without whom the statistics of empty tables would be kept.
    try Invented.store([Invented.day()], of: DatabaseServer.newUser(), in: archive)
    let user = try store(archive)
    let admin = try DatabaseServer.connection(DatabaseServer.admin)
    let folder = try DatabaseServer.column(
      admin,
      """
      SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database
      WHERE datname = current_database()
      """)
    let path = try #require(folder.first ?? nil)
    guard FileManager.default.isReadableFile(atPath: path) else {
      Issue.record("the server's files can only be read by its user")
      return
    }
    func foundInFiles() throws -> Set<String> {
      try admin.script("writing the files", "CHECKPOINT")
      var all: Set<String> = []
      for file in try FileManager.default.contentsOfDirectory(atPath: path) {
        // Files of indexes that others rewrite at this moment may go.
        if let data = FileManager.default.contents(atPath: "\(path)/\(file)") {
          all.formUnion(found(in: data))
        }
      }
      return all
    }
    #expect(try foundInFiles() == Set(Self.marks))
    _ = try archive.erase(user: user)
    try ArchiveDatabase.compact(try #require(DatabaseServer.owner))
    #expect(try foundInFiles().isEmpty)
  }
}
