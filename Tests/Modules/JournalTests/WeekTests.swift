import Foundation
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Time and space for a week at 100 Hz, made of real recordings.
///
/// `LOCOMOTION_JOURNAL_DAYS` gives the number of days; without it the test is skipped.
@Suite struct WeekTests {
  private let folder = ScratchFolder()

  private static let days = ProcessInfo.processInfo.environment["LOCOMOTION_JOURNAL_DAYS"]
    .flatMap { Int($0) }

  /// Minutes of a day by the beginning of the recordings' names: standing is used for rest,
  /// although it is noisier than a phone on a table.
  private static let plan: [(name: String, minutes: Int)] = [
    ("stehen", 720), ("gehen", 60), ("auto", 60), ("stehen", 400), ("rad", 30), ("laufen", 10),
    ("gehen", 40), ("stehen", 120),
  ]

  /// All samples of the recordings whose names begin with `name`.
  private func samples(_ name: String) throws -> SampleSeries {
    let folder = try #require(TestFiles.datasets).appendingPathComponent("ml4qs_mika")
    var result = SampleSeries()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where file.hasPrefix(name) && file.hasSuffix(".csv.gz") && !file.hasSuffix(".gps.csv.gz") {
      var reader = try RecordingReader(path: folder.appendingPathComponent(file).path)
      var batch = SensorBatch()
      while try reader.read(into: &batch) {
        result.append(contentsOf: SampleSeries(batch.accelerations))
      }
    }
    return result
  }

  private func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  @Test(.enabled(if: days != nil && TestFiles.datasets != nil, "LOCOMOTION_JOURNAL_DAYS not given"))
  func aWeekOfRecordingIsSmallAndFast() throws {
    let days = Self.days ?? 7
    let sources = try Dictionary(
      uniqueKeysWithValues: Set(Self.plan.map(\.name)).map { ($0, try samples($0)) })
    let path = folder.path("journal")
    var written = 0
    let start = processorSeconds()
    do {
      let user = try Journal(path: path).user("ada")
      for day in 0..<days {
        for (place, part) in Self.plan.enumerated() {
          let source = try #require(sources[part.name])
          var next = (day * 7_919 + place * 104_729) % source.count
          // Batches of ten seconds, with one fix each.
          for _ in 0..<part.minutes * 6 {
            var batch = JournalBatch()
            for _ in 0..<1_000 {
              batch.accelerations.append(
                x: source.x[next], y: source.y[next], z: source.z[next],
                at: Timestamp(nanoseconds: Int64(written) * 10_000_000))
              next = (next + 1) % source.count
              written += 1
            }
            batch.fixes = [
              LocationFix(
                timestamp: Timestamp(nanoseconds: Int64(written) * 10_000_000), latitude: 48.1,
                longitude: 11.5 + Double(written) * 1e-9, horizontalAccuracy: 8)
            ]
            try user.append(batch)
          }
        }
      }
    }
    let writing = processorSeconds() - start
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    let clock = ContinuousClock()
    let opening = try clock.measure { _ = try Journal(path: path) }
    let user = try Journal(path: path, access: .reading).user("ada")
    let readStart = processorSeconds()
    var read = 0
    while read < written {
      read += try user.samples(in: read..<read + 30_000).count
    }
    let reading = processorSeconds() - readStart
    print(
      """
      \(days) days: \(written) samples, \(Double(size) / Double(3 * written)) bytes per axis and \
      sample in the file with its fixes; written with \(writing) s of a core, \
      \(100 * writing / (Double(written) / 100)) % of one; read at \
      \(Double(read) / reading) samples/s; opened in \(opening)
      """)
    #expect(read == written)
    #expect(Double(size) / Double(3 * written) < 1.2)
  }
}
