import LocomotionSensing
import TestSupport
import Testing

@Suite struct SensorBatchTests {
  static let fix = LocationFix(
    timestamp: Timestamp(nanoseconds: 3), latitude: 1, longitude: 2)

  static func filled(_ count: Int) -> SensorBatch {
    var batch = SensorBatch()
    for index in 0..<count {
      let timestamp = Timestamp(nanoseconds: Int64(index))
      let value = Float(index)
      batch.append(Acceleration(x: value, y: -value, z: 2 * value), at: timestamp)
      batch.append(RotationRate(x: 3 * value, y: 4 * value, z: 5 * value), at: timestamp)
      batch.append(fix)
    }
    return batch
  }

  @Test func anySensorAloneMakesABatchNotEmpty() {
    #expect(SensorBatch().isEmpty)
    #expect(SensorBatch().accelerations.count == 0 && SensorBatch().rotationRates.count == 0)
    var batches = (SensorBatch(), SensorBatch(), SensorBatch())
    batches.0.append(Acceleration(x: 0, y: 0, z: 0), at: Timestamp(nanoseconds: 0))
    batches.1.append(RotationRate(x: 0, y: 0, z: 0), at: Timestamp(nanoseconds: 0))
    batches.2.append(Self.fix)
    #expect(!batches.0.isEmpty && !batches.1.isEmpty && !batches.2.isEmpty)
  }

  @Test func samplesStayInOrderOfArrivalOnTheirOwnAxes() {
    let batch = Self.filled(3)
    #expect(batch.accelerations.timestamps.map(\.nanoseconds) == [0, 1, 2])
    #expect(batch.accelerations.x == [0, 1, 2])
    #expect(batch.accelerations.y == [0, -1, -2])
    #expect(batch.accelerations.z == [0, 2, 4])
    #expect(batch.rotationRates.timestamps.map(\.nanoseconds) == [0, 1, 2])
    #expect(batch.rotationRates.x == [0, 3, 6])
    #expect(batch.rotationRates.y == [0, 4, 8])
    #expect(batch.rotationRates.z == [0, 5, 10])
    #expect(batch.fixes == [Self.fix, Self.fix, Self.fix])
  }

  @Test func anEmptiedBatchIsRefilledInItsMemory() {
    var batch = Self.filled(1_000)
    batch.removeAll()
    #expect(batch.isEmpty)
    #expect(batch == SensorBatch())
    for series in [batch.accelerations, batch.rotationRates] {
      #expect(series.count == 0)
      #expect(series.timestamps.capacity >= 1_000)
      #expect(series.x.capacity >= 1_000)
      #expect(series.y.capacity >= 1_000)
      #expect(series.z.capacity >= 1_000)
    }
    #expect(batch.fixes.capacity >= 1_000)
    batch.append(Acceleration(x: 7, y: 8, z: 9), at: Timestamp(nanoseconds: 11))
    #expect(batch.accelerations.x == [7] && batch.rotationRates.count == 0)
    #expect(batch.accelerations.timestamps.map(\.nanoseconds) == [11])
  }

  @Test(arguments: [0, 1, 2, 999]) func arraysAreWhatTheirSamplesAre(count: Int) {
    let expected = Self.filled(count)
    let (a, r) = (expected.accelerations, expected.rotationRates)
    var batch = SensorBatch()
    // In two pieces, so that the second is appended to something.
    for part in [0..<count / 3, count / 3..<count] {
      let times = a.timestamps[part].span
      batch.accelerations.append(
        x: a.x[part].span, y: a.y[part].span, z: a.z[part].span,
        at: times)
      let sideBySide = part.flatMap { [r.x[$0], r.y[$0], r.z[$0]] }
      let values = sideBySide.slice.span
      let first = min(1, values.count)
      batch.rotationRates.append(
        x: values, y: values.extracting(droppingFirst: first),
        z: values.extracting(droppingFirst: 2 * first), at: times, stride: 3)
      batch.append(expected.fixes[part].span)
    }
    #expect(batch == expected)
  }

  @Test func arraysAreWhatTheirSpansAre() {
    let (x, y, z): ([Float], [Float], [Float]) = ([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12])
    let times = [Timestamp(nanoseconds: 1), Timestamp(nanoseconds: 3)]
    let fixes = [Self.fix, Self.fix]
    var (batch, expected) = (SensorBatch(), SensorBatch())
    for _ in 0..<2 {
      batch.accelerations.append(x: x, y: y, z: z, at: times, stride: 2)
      batch.pressures.append(x, at: times)
      batch.append(fixes)
      expected.accelerations.append(
        x: x.slice.span, y: y.slice.span, z: z.slice.span, at: times.slice.span, stride: 2)
      expected.pressures.append(x.slice.span, at: times.slice.span)
      expected.append(fixes.slice.span)
    }
    #expect(batch == expected)
    #expect(batch.accelerations.y == [5, 7, 5, 7])
    #expect(batch.fixes.count == 4)
  }

  @Test func arraysOfPressuresMaySkipPlaces() {
    let times = (0..<3).map { Timestamp(nanoseconds: $0) }
    let values: [Float] = [1_000, .nan, 1_001, .nan, 1_002]
    var series = SensorBatch.PressureSeries()
    series.append(values.slice.span, at: times.slice.span, stride: 2)
    #expect(series.timestamps == times)
    #expect(series.hectopascals == [1_000, 1_001, 1_002])
  }
}
