import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

/// Salvage of files that no journal has written: it recovers what it can, and terminates.
@Suite struct ForeignSalvageTests {
  private func series(_ count: Int) -> SampleSeries {
    var series = SampleSeries()
    for index in 0..<count {
      series.append(x: 0, y: 0, z: 9.75, at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
    }
    return series
  }

  private func salvage(_ bytes: [UInt8]) throws -> JournalReport {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("salvage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (damaged, path) = (folder.path + "/damaged", folder.path + "/journal")
    try Data(bytes).write(to: URL(fileURLWithPath: damaged))
    let report = try Journal.salvage(from: damaged, to: path)
    #expect(try Journal(path: path, access: .reading).check().isSound)
    return report
  }

  @Test(arguments: [Int64(1) << 40, .max, (.max >> 40) << 40]) func aBlockOfAnyUserIsSalvaged(
    key: Int64
  ) throws {
    var block = SampleBlock()
    block.accelerations = series(3)
    let report = try salvage(block.encoded(key: key) + [UInt8](repeating: 0, count: 64))
    #expect(report.samples == 3)
    #expect(report.users == 1)
  }

  @Test func aBlockOnACycleOfPagesIsNotSalvaged() throws {
    // A block with a length of four gigabytes, on pages each of which links to the first.
    let header = Array("LJB1".utf8) + [1, 0, 0, 0, 0, 1, 0, 0] + [0xF0, 0xFF, 0xFF, 0xFF]
    let page = header + [UInt8](repeating: 0, count: 4_096 - header.count)
    var bytes = page + page
    for index in header.count..<bytes.count - 4 where index.isMultiple(of: 4) {
      bytes.replaceSubrange(index..<index + 4, with: [0, 0, 0, 1])
    }
    bytes.replaceSubrange(0..<4, with: [0, 0, 0, 1])
    bytes.replaceSubrange(4_096..<4_096 + header.count, with: header)
    do {
      _ = try salvage(bytes)
      Issue.record("a journal was found")
    } catch JournalError.notAJournal {}
  }
}
