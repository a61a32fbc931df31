import Foundation
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

extension FaultTests {
  /// The number of reads from the disk until a user's counts are known, for reading and for
  /// writing.
  private func readsOfOpening(_ batches: Int) throws -> (reads: Int, pages: Int) {
    let path = folder.path("journal-\(batches)")
    do {
      let user = try Journal(path: path).user("ada")
      var batch = JournalBatch()
      for index in 0..<3_000 {
        batch.accelerations.append(
          x: Double(index % 7), y: Double(index % 11) / 8, z: 9.75,
          at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
      }
      batch.fixes = [LocationFix(timestamp: Timestamp(nanoseconds: 0), latitude: 1, longitude: 2)]
      for _ in 0..<batches { try user.append(batch) }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    FaultFileSystem.reset()
    for access in [Journal.Access.reading, .writing] {
      let user = try Journal(path: path, access: access, settings: faulty).user("ada")
      #expect(try user.counts().samples == 3_000 * batches)
    }
    return (FaultFileSystem.reads, try #require(size) / 4_096)
  }

  @Test func openingReadsNoMoreOfALongRecordingThanOfAShortOne() throws {
    let short = try readsOfOpening(20)
    let long = try readsOfOpening(1_000)
    print(
      "opening reads \(short.reads) of \(short.pages) pages, \(long.reads) of \(long.pages)")
    #expect(long.pages > 10 * short.pages)
    #expect(long.reads == short.reads)
    // Twice the header, the pages of the schema, the store and the users.
    #expect(long.reads <= 16)
  }
}
