import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct RecordingWriterTests {
  private let folder = ScratchFolder()

  /// Writes a recording of one batch.
  private func write(
    _ batch: SensorBatch, to name: String, hasGyroscope: Bool = false, hasBarometer: Bool = false
  ) throws {
    var writer = try RecordingWriter(
      path: folder.path(name), hasGyroscope: hasGyroscope, hasBarometer: hasBarometer)
    try writer.write(batch)
    try writer.close()
  }

  @Test func filesAreWrittenInTheTidyFormat() throws {
    var batch = SensorBatch()
    batch.append(Acceleration(x: 0.125, y: -9.81, z: 0), at: Timestamp(nanoseconds: 0))
    batch.append(Acceleration(x: .nan, y: .infinity, z: 1), at: Timestamp(nanoseconds: 20_000_000))
    batch.append(
      LocationFix(
        timestamp: Timestamp(nanoseconds: -1), latitude: -48.137, longitude: 11.5, speed: 1.005,
        course: 359.96))
    try write(batch, to: "walk.csv")
    #expect(
      try folder.text("walk.csv")
        == "t,ax,ay,az\n0,0.1250,-9.8100,0.0000\n0.02,,,1.0000\n")
    #expect(
      try folder.text("walk.gps.csv")
        == "t,lat,lon,alt,hacc,speed,course\n"
        + "-0.000000001,-48.13700000,11.50000000,,,1.00,360.0\n")
  }

  @Test func pressuresStandInTheRowOfTheirTimeOrInOneOfTheirOwn() throws {
    func time(_ milliseconds: Int64) -> Timestamp {
      Timestamp(nanoseconds: milliseconds * 1_000_000)
    }
    var batch = SensorBatch()
    for index in 0..<4 {
      batch.append(Acceleration(x: 0, y: 0, z: 9.81), at: time(Int64(index) * 20))
    }
    for (pressure, milliseconds) in [(1_000.25, 20), (999.5, 25), (998, 90)] as [(Float, Int64)] {
      batch.append(pressure: pressure, at: time(milliseconds))
    }
    try write(batch, to: "stairs.csv", hasBarometer: true)
    let row = "0.0000,0.0000,9.8100"
    #expect(
      try folder.text("stairs.csv")
        == "t,ax,ay,az,pressure\n0,\(row),\n0.02,\(row),1000.250\n0.025,,,,999.500\n"
        + "0.04,\(row),\n0.06,\(row),\n0.09,,,,998.000\n")
    var reader = try RecordingReader(path: folder.path("stairs.csv"))
    var read = SensorBatch()
    _ = try reader.read(into: &read)
    #expect(read == batch)
    #expect(reader.counts.accelerations == 4 && reader.counts.pressures == 3)
    #expect(reader.counts.rowsWithPressureOnly == 2 && reader.counts.rowsWithMissingValues == 0)
    var without = try RecordingWriter(path: folder.path("without.csv"))
    try without.write(batch)
    #expect(without.pressuresLeftOut == 3)
  }

  @Test(arguments: [1, 7, 400])
  func pressuresOfABarometerSurviveInBatchesOfAnySize(size: Int) throws {
    var random = SplitMix64(seed: UInt64(size))
    var whole = SensorBatch()
    var events: [(Timestamp, Float?)] = []
    for index in 0..<5_000 {
      events.append((Timestamp(nanoseconds: Int64(index) * 10_000_000), nil))
      if random.nextUniform() < 0.05 {
        let offset = Int64(random.next() % 2) * 3_000_000
        let pressure = Float((random.nextUniform() * 200 + 900) * 1_000).rounded() / 1_000
        events.append((Timestamp(nanoseconds: Int64(index) * 10_000_000 + offset), pressure))
      }
    }
    let path = folder.path("\(size).csv.gz")
    var writer = try RecordingWriter(path: path, hasGyroscope: true, hasBarometer: true)
    for start in stride(from: 0, to: events.count, by: size) {
      var batch = SensorBatch()
      for (time, pressure) in events[start..<min(start + size, events.count)] {
        if let pressure {
          batch.append(pressure: pressure, at: time)
          whole.append(pressure: pressure, at: time)
        } else {
          batch.append(Acceleration(x: 1, y: 2, z: 9), at: time)
          whole.append(Acceleration(x: 1, y: 2, z: 9), at: time)
        }
      }
      try writer.write(batch)
    }
    try writer.close()
    var reader = try RecordingReader(path: path)
    var (read, part) = (SensorBatch(), SensorBatch())
    while try reader.read(into: &part, maximumEvents: 97) {
      for (time, x) in zip(part.accelerations.timestamps, part.accelerations.x) {
        read.append(Acceleration(x: x, y: 2, z: 9), at: time)
      }
      read.pressures.append(contentsOf: part.pressures)
    }
    #expect(read == whole)
  }

  @Test func writtenRecordingsAreReadBack() throws {
    var generator = SplitMix64(seed: 6)
    var batch = SensorBatch()
    for index in 0..<3000 {
      let time = Timestamp(
        nanoseconds: Int64.random(in: -2_000_000_000...1 << 61, using: &generator))
      func value(_ scale: Double) -> Double { generator.nextNormal() * scale }
      batch.append(
        Acceleration(x: Float(value(5)), y: Float(value(5)), z: Float(value(5))), at: time)
      batch.append(
        RotationRate(x: Float(value(1)), y: Float(value(1)), z: Float(value(1))), at: time)
      if index.isMultiple(of: 10) {
        batch.append(
          LocationFix(
            timestamp: time, latitude: value(30), longitude: value(90), altitude: value(100),
            horizontalAccuracy: abs(value(10)) + 1, speed: abs(value(3)),
            course: generator.nextUniform() * 359))
      }
    }
    let path = folder.path("walk.csv.gz")
    var writer = try RecordingWriter(path: path, hasGyroscope: true)
    try writer.write(batch)
    #expect(writer.rotationRatesLeftOut == 0)
    #expect(writer.fixesPath == folder.path("walk.gps.csv.gz"))
    try writer.close()

    var reader = try RecordingReader(path: path)
    var read = SensorBatch()
    #expect(try reader.read(into: &read, maximumEvents: 10_000))
    #expect(read.accelerations.timestamps == batch.accelerations.timestamps)
    #expect(read.rotationRates.timestamps == batch.rotationRates.timestamps)
    #expect(read.fixes.map(\.timestamp) == batch.fixes.map(\.timestamp))
    // Half a unit of the last digit, and a rounding of Float for values below 32 m/s².
    func close(_ a: [Float], _ b: [Float], _ tolerance: Float) -> Bool {
      a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
    }
    #expect(close(read.accelerations.x, batch.accelerations.x, 0.5e-4 + 2e-6))
    #expect(close(read.accelerations.z, batch.accelerations.z, 0.5e-4 + 2e-6))
    #expect(close(read.rotationRates.y, batch.rotationRates.y, 0.5e-5 + 5e-7))
    let none = Double.nan
    for (fix, original) in zip(read.fixes, batch.fixes) {
      #expect(abs(fix.latitude - original.latitude) <= 0.5e-8 + 1e-13)
      #expect(abs(fix.longitude - original.longitude) <= 0.5e-8 + 1e-13)
      #expect(abs((fix.altitude ?? none) - (original.altitude ?? none)) <= 0.005 + 1e-12)
      #expect(abs((fix.speed ?? none) - (original.speed ?? none)) <= 0.005 + 1e-12)
      #expect(abs((fix.course ?? none) - (original.course ?? none)) <= 0.05 + 1e-12)
    }
  }

  @Test func writingInBatchesGivesTheSameFile() throws {
    var whole = SensorBatch()
    var writer = try RecordingWriter(path: folder.path("pieces.csv"), hasGyroscope: true)
    for index in 0..<100 {
      var piece = SensorBatch()
      let time = Timestamp(nanoseconds: Int64(index) * 20_000_000)
      let rate = RotationRate(x: Float(index), y: 1, z: 2)
      // The rate comes a little earlier, every other time in a batch of its own.
      let earlier = time.advanced(byNanoseconds: -1000)
      piece.append(rate, at: earlier)
      whole.append(rate, at: earlier)
      if index.isMultiple(of: 2) {
        try writer.write(piece)
        piece.removeAll()
      }
      piece.append(Acceleration(x: 1, y: 2, z: 3), at: time)
      whole.append(Acceleration(x: 1, y: 2, z: 3), at: time)
      try writer.write(piece)
    }
    try writer.close()
    try write(whole, to: "whole.csv", hasGyroscope: true)
    let pieces = try folder.text("pieces.csv")
    #expect(try pieces == folder.text("whole.csv"))
    #expect(pieces.hasSuffix("1.98,1.0000,2.0000,3.0000,99.00000,1.00000,2.00000\n"))
  }

  @Test func rotationRatesWithoutARowAreCounted() throws {
    var batch = SensorBatch()
    for time in [0, 1, 2] as [Int64] {
      batch.append(RotationRate(x: Float(time), y: 0, z: 0), at: Timestamp(nanoseconds: time))
    }
    batch.append(Acceleration(x: 1, y: 2, z: 3), at: Timestamp(nanoseconds: 2))
    var writer = try RecordingWriter(path: folder.path("a.csv"), hasGyroscope: true)
    try writer.write(batch)
    #expect(writer.rotationRatesLeftOut == 2)
    var without = try RecordingWriter(path: folder.path("b.csv"))
    try without.write(batch)
    #expect(without.rotationRatesLeftOut == 3)
    try writer.close()
    #expect(
      try folder.text("a.csv").hasSuffix(
        "\n0.000000002,1.0000,2.0000,3.0000,2.00000,0.00000,0.00000\n"))
  }

  @Test func valuesTooLargeForTheirDecimalsAreLeftEmpty() throws {
    var batch = SensorBatch()
    batch.append(
      Acceleration(x: .greatestFiniteMagnitude, y: -1e9, z: 1e-30), at: Timestamp(nanoseconds: 0))
    try write(batch, to: "a.csv")
    #expect(try folder.text("a.csv").hasSuffix("\n0,,-1000000000.0000,0.0000\n"))
  }

  /// Whether a recording cannot be written at `path`, for which the input is not to blame.
  private func isUnwritable(_ path: String) -> Bool {
    let error = recordingError { try RecordingWriter(path: path).close() }
    guard case .unwritable(path, _)? = error else { return false }
    return error?.isInputRejection == false
  }

  @Test func anUnwritablePathIsAnInputOutputError() {
    #expect(isUnwritable(folder.path("no such folder/a.csv")))
  }

  #if os(Linux)
    @Test func aFullDiskIsAnInputOutputError() throws {
      let path = folder.path("full.csv")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
      #expect(isUnwritable(path))
    }
  #endif
}
