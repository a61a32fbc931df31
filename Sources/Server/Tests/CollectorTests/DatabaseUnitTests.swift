import LocomotionSensing
import Synchronization
import Testing

@testable import LocomotionServer

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseUnitTests {
  @Test func aUnitIsStoredOnceAndReadBack() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let unit = Invented.unit(of: user)
    #expect(try archive.insert(unit))
    #expect(try archive.insert(unit) == false)
    #expect(try archive.unit(digest: unit.digest, of: user) == unit)
    #expect(try archive.units(of: user, device: unit.device) == [unit])
    #expect(try archive.streams(of: user) == [unit.device])
  }

  @Test func whatIsUnknownStaysUnknownAndExtremesStayExact() throws {
    let archive = try DatabaseServer.archive()
    var unit = Invented.unit(of: DatabaseServer.newUser())
    unit.measurement = nil
    unit.first = nil
    unit.last = nil
    #expect(try archive.insert(unit))
    var other = Invented.unit(of: unit.user, sequence: 1)
    other.first = Timestamp(nanoseconds: -Timestamp.limit + 1)
    other.last = Timestamp(nanoseconds: Timestamp.limit - 1)
    other.samples = Int.max
    #expect(try archive.insert(other))
    #expect(try archive.units(of: unit.user, device: unit.device) == [unit, other])
  }

  @Test func unitsOfADeviceAreInOrderOfSequence() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    for sequence in [10, 2, 0, 9, 1] {
      try archive.insert(Invented.unit(of: user, sequence: sequence))
    }
    try archive.insert(Invented.unit(of: user, device: Invented.otherDevice))
    let found = try archive.units(of: user, device: Invented.device).map(\.sequence)
    #expect(found == [0, 1, 2, 9, 10])
    #expect(try archive.streams(of: user) == [Invented.device, Invented.otherDevice].sorted())
  }

  @Test func anotherUnitWithTheSameSequenceIsAConflict() throws {
    let archive = try DatabaseServer.archive()
    var unit = Invented.unit(of: DatabaseServer.newUser())
    try archive.insert(unit)
    unit.digest = String(repeating: "f", count: 64)
    #expect(
      throws: DatabaseError.conflict(what: "storing a unit", constraint: "units_one_per_sequence")
    ) { try archive.insert(unit) }
    #expect(try archive.unit(digest: unit.digest, of: unit.user) == nil)
  }

  /// A request that a network has doubled is served by two threads at once.
  @Test func theSameUnitFromSeveralConnectionsIsStoredOnceAndIsNoConflict() throws {
    let user = DatabaseServer.newUser()
    _ = try DatabaseServer.archive()
    let news = Mutex<[Int]>([])
    let threads = (0..<4).map { _ in
      DatabaseThread { () throws(DatabaseError) in
        let archive = try ArchiveDatabase(DatabaseServer.collector ?? "")
        for sequence in 0..<500 {
          if try archive.insert(Invented.unit(of: user, sequence: sequence)) {
            news.withLock { $0.append(sequence) }
          }
        }
      }
    }
    for thread in threads { #expect(thread.outcome() == nil) }
    #expect(news.withLock { $0 }.sorted() == Array(0..<500))
  }

  @Test(arguments: [
    ("device", "0123"), ("device", String(repeating: "A", count: 32)), ("digest", ""),
    ("digest", String(repeating: "g", count: 64)), ("user", ""),
    ("user", String(repeating: "é", count: 65)), ("user", "a\0b"), ("key", "a\0b"),
  ])
  func whatIsNoUnitIsRefused(field: String, text: String) throws {
    let archive = try DatabaseServer.archive()
    var unit = Invented.unit(of: DatabaseServer.newUser())
    switch field {
    case "device": unit.device = text
    case "digest": unit.digest = text
    case "user": unit.user = text
    default: unit.objectKey = text
    }
    #expect { try archive.insert(unit) } throws: { error in
      switch error as? DatabaseError {
      case .invalidRow: true
      // Nobody is called '', so that nobody may store this.
      case .refused: unit.user.isEmpty
      default: false
      }
    }
  }
}
