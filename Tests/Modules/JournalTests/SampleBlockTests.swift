import Foundation
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// The names of a data set's recordings of accelerations, sorted.
private func recordings(of set: String) throws -> [String] {
  let folder = try #require(TestFiles.datasets).appendingPathComponent(set)
  return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    .filter { $0.hasSuffix(".csv.gz") && $0.split(separator: ".").count == 3 }
    .map { "\(set)/\($0)" }
}

/// Round trips of blocks: exact to the bit, and in few bytes.
@Suite struct SampleBlockTests {
  /// Encodes the values of one axis, checks that they are decoded, and returns the number of bytes.
  private func roundTrip(
    _ values: [Double], times: [Int64]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    var block = JournalBatch()
    for (index, value) in values.enumerated() {
      block.accelerations.append(
        x: value, y: 0, z: 0,
        at: Timestamp(nanoseconds: times?[index] ?? Int64(index) * 10_000_000))
    }
    let bytes = SampleBlock.encoded(block, key: 7)
    let decoded = try SampleBlock.decoded(bytes, key: 7)
    #expect(
      decoded.accelerations.x.map(\.bitPattern) == values.map(\.bitPattern),
      sourceLocation: sourceLocation)
    #expect(
      decoded.accelerations.timestamps == block.accelerations.timestamps,
      sourceLocation: sourceLocation)
    return bytes.count
  }

  private func noise(_ count: Int, seed: UInt64, _ value: (Double) -> Double) -> [Double] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in value(random.nextNormal()) }
  }

  @Test func constantsAndShortBlocksAreDecodedExactly() throws {
    for count in [0, 1, 2, 3, 63, 64, 65, 66, 129, 1_000] {
      _ = try roundTrip([Double](repeating: -9.81, count: count))
      _ = try roundTrip((0..<count).map { Double($0) })
      _ = try roundTrip(noise(count, seed: UInt64(count)) { ($0 * 1_000).rounded() / 1_000 })
    }
    // A thousand equal samples at equal intervals: headers, and six bits for 64 numbers.
    #expect(try roundTrip([Double](repeating: -9.81, count: 1_000)) < 120)
  }

  @Test func everyKindOfNumberIsDecodedBitForBit() throws {
    _ = try roundTrip(noise(500, seed: 1) { $0 })
    _ = try roundTrip(noise(500, seed: 2) { Double(Float($0)) })
    _ = try roundTrip(noise(500, seed: 3) { Double(Float(($0 * 100).rounded() / 100)) })
    _ = try roundTrip(noise(500, seed: 4) { Double(Float(($0 * 400).rounded() * 0.002_394_2)) })
    _ = try roundTrip(noise(500, seed: 5) { $0 * 1e300 })
    _ = try roundTrip(noise(500, seed: 6) { $0 * 1e-300 * 1e-10 })
    _ = try roundTrip([
      .nan, -.nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      Double(bitPattern: 0x7FF0_0000_0000_0001),
    ])
  }

  @Test func missingValuesAmongValidOnesCostFewBytes() throws {
    var values = noise(2_000, seed: 8) { ($0 * 100).rounded() / 100 }
    let whole = try roundTrip(values)
    for index in stride(from: 5, to: 2_000, by: 200) { values[index] = .nan }
    values[777] = -0.0
    #expect(try roundTrip(values) < whole + 11 * 16)
  }

  @Test func timesOfEveryKindAreDecodedExactly() throws {
    var random = SplitMix64(seed: 9)
    let values = [Double](repeating: 1, count: 300)
    _ = try roundTrip(values, times: (0..<300).map { _ in Int64(bitPattern: random.next()) })
    _ = try roundTrip(values, times: (0..<300).map { 1_700_000_000_000_000_000 - $0 * 7_777 })
    _ = try roundTrip(values, times: (0..<300).map { $0 % 2 == 0 ? .min : .max })
    _ = try roundTrip(values, times: [Int64](repeating: .min, count: 300))
    _ = try roundTrip(values, times: (0..<300).map { $0 == 150 ? 0 : 1 << 62 })
  }

  @Test func theQuantizationStepIsFoundInRoundedText() throws {
    // 16 bits over ±8 g with an offset, written with four decimals as in a text file.
    let step = 9.80665 / 4_096
    let text = noise(3_000, seed: 10) { noise in
      ((0.013 + (noise * 100).rounded() * step) * 1e4).rounded() / 1e4
    }
    let plain = noise(3_000, seed: 10) { ($0 * 100).rounded() / 100 }
    // The step's 8 + 8 bytes and at most a few numbers that were rounded to the other side.
    #expect(try roundTrip(text) < roundTrip(plain) + 200)
    let float = noise(3_000, seed: 10) { Double(Float(($0 * 100).rounded() * step)) }
    #expect(try roundTrip(float) < roundTrip(plain) + 200)
  }

  @Test func pressuresAreKeptAndBlocksWithoutAnyAreAsBefore() throws {
    var block = JournalBatch()
    for index in 0..<100 {
      let time = Timestamp(nanoseconds: Int64(index) * 10_000_000)
      block.accelerations.append(x: 0, y: 0.5, z: 9.81, at: time)
    }
    let without = SampleBlock.encoded(block, key: 1)
    #expect(try SampleBlock.decoded(without, key: 1).pressures.count == 0)
    for index in 0..<25 {
      block.pressures.append(
        index == 7 ? .nan : 1_000 + Float(index) / 3,
        at: Timestamp(nanoseconds: Int64(index) * 40_000_001))
    }
    let decoded = try SampleBlock.decoded(SampleBlock.encoded(block, key: 1), key: 1)
    #expect(decoded.pressures.timestamps == block.pressures.timestamps)
    #expect(
      decoded.pressures.hectopascals.map(\.bitPattern)
        == block.pressures.hectopascals.map(\.bitPattern))
    #expect(decoded.accelerations == block.accelerations)
    var alone = JournalBatch()
    alone.pressures = block.pressures
    let other = try SampleBlock.decoded(SampleBlock.encoded(alone, key: 2), key: 2)
    #expect(other.pressures.count == 25)
  }

  @Test func everyFlippedBitIsDetected() throws {
    var block = JournalBatch()
    block.pressures.append(1_000, at: Timestamp(nanoseconds: 5))
    for index in 0..<40 {
      block.accelerations.append(
        x: Double(index % 7), y: 0.5, z: 9.81, at: Timestamp(nanoseconds: Int64(index) * 10))
    }
    let bytes = SampleBlock.encoded(block, key: 3)
    for bit in 0..<(8 * bytes.count) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: UnitError.self) { try SampleBlock.decoded(damaged, key: 3) }
    }
    #expect(throws: UnitError.self) { try SampleBlock.decoded(bytes, key: 4) }
    for count in 0..<bytes.count {
      #expect(throws: UnitError.self) { try SampleBlock.decoded(Array(bytes[..<count]), key: 3) }
    }
  }

  /// Bytes per axis and sample over all recordings of a data set, in blocks of 30 s.
  private func bytesPerValue(_ set: String, _ files: Int) throws -> Double {
    var (bytes, samples) = (0, 0)
    for name in try recordings(of: set).prefix(files) {
      let whole = SampleSeries(try recording(name).accelerations)
      for start in stride(from: 0, to: whole.count, by: 3_000) {
        var block = JournalBatch()
        block.accelerations = whole[start..<min(start + 3_000, whole.count)]
        let encoded = SampleBlock.encoded(block, key: 1)
        let decoded = try SampleBlock.decoded(encoded, key: 1)
        #expect(decoded.accelerations == block.accelerations)
        bytes += encoded.count
        samples += block.accelerations.count
      }
    }
    return Double(bytes) / Double(3 * samples)
  }

  @Test(.enabled(if: TestFiles.datasets != nil, "the data sets are not here"))
  func realRecordingsTakeLittleMoreThanAByteForEachValue() throws {
    // Walking in a resampled recording has more digits than the sensor gave.
    for (set, files, limit) in [
      ("ml4qs_mika", 200, 1.34), ("geotec_spsw", 200, 1.34), ("oxford_steps", 40, 1.27),
      ("difronzo", 12, 1.25), ("days", 1, 0.57), ("comma2k19_ex1", 1, 1.9),
    ] {
      let value = try bytesPerValue(set, files)
      print("\(set): \(value) bytes per axis and sample")
      #expect(value < limit, "\(set)")
    }
  }
}

/// Time and space for a week at 100 Hz, made of real recordings.
///
/// `LOCOMOTION_JOURNAL_DAYS` gives the number of days; without it the test is skipped.
@Suite struct WeekTests {
  private static let days = ProcessInfo.processInfo.environment["LOCOMOTION_JOURNAL_DAYS"]
    .flatMap { Int($0) }

  /// Minutes of a day by the beginning of the recordings' names: standing is used for rest,
  /// although it is noisier than a phone on a table.
  private static let plan: [(name: String, minutes: Int)] = [
    ("stehen", 720), ("gehen", 60), ("auto", 60), ("stehen", 400), ("rad", 30), ("laufen", 10),
    ("gehen", 40), ("stehen", 120),
  ]

  private func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

  @Test(.enabled(if: days != nil && TestFiles.datasets != nil, "LOCOMOTION_JOURNAL_DAYS not given"))
  func aWeekOfRecordingIsSmallAndFast() throws {
    let days = Self.days ?? 7
    let files = try recordings(of: "ml4qs_mika")
    let sources = try Self.plan.map { part in
      var samples = SampleSeries()
      for file in files where file.hasPrefix("ml4qs_mika/\(part.name)") {
        samples.append(contentsOf: SampleSeries(try recording(file).accelerations))
      }
      return samples
    }
    let folder = ScratchFolder()
    let user = try Journal(path: folder.path("journal")).user("ada")
    var written = 0
    let start = processorSeconds()
    for day in 0..<days {
      for (place, part) in Self.plan.enumerated() {
        // Batches of ten seconds, with one fix each.
        for number in 0..<part.minutes * 6 {
          var batch = JournalBatch()
          for index in 0..<1_000 {
            let next =
              (day * 7_919 + place * 104_729 + number * 1_000 + index) % sources[place].count
            batch.accelerations.append(
              x: sources[place].x[next], y: sources[place].y[next], z: sources[place].z[next],
              at: Timestamp(nanoseconds: Int64(written) * 10_000_000))
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
    let writing = processorSeconds() - start
    let size = try Data(contentsOf: folder.url.appendingPathComponent("journal")).count
    let perValue = Double(size) / Double(3 * written)
    let readStart = processorSeconds()
    let counts = try stride(from: 0, to: written, by: 30_000).map {
      try user.samples(in: $0..<min($0 + 30_000, written)).count
    }
    let reading = processorSeconds() - readStart
    print(
      "\(days) days: \(perValue) bytes per axis and sample in the file with its fixes; written with",
      "\(1e4 * writing / Double(written)) % of a core; read at \(Double(written) / reading) Hz")
    #expect(counts.reduce(0, +) == written)
    #expect(perValue < 1.2)
  }
}
