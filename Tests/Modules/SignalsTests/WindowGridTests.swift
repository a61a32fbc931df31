import LocomotionSensing
import LocomotionSignals
import TestSupport
import Testing

@Suite struct WindowGridTests {
  /// Four seconds, a gap of five seconds, and four seconds.
  private static let samples =
    walk(hertz: 104, from: 3_000_000, seconds: 4)
    + walk(hertz: 104, from: 9_003_000_000, seconds: 4)

  private static let series = {
    var series = SensorBatch.Series()
    for sample in samples {
      let (value, time) = (sample.value, Timestamp(nanoseconds: sample.nanoseconds))
      series.append(x: value.x, y: value.y, z: value.z, at: time)
    }
    return series
  }()

  @Test func aWindowEndsBeforeTheGivenCell() {
    var grid = WindowGrid(capacity: 300)
    let (series, count) = (Self.series, 417)
    for index in 0..<count {
      _ = grid.take(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
    }
    let cells = Resampling(Array(Self.samples.prefix(count))).stretches[0].cells
    #expect(grid.count == 300)
    for beyond in [0, 1, 120, 299, 300] {
      let (end, held) = (grid.end - Int64(beyond), cells.suffix(300).dropLast(beyond))
      #expect(grid.count(before: end) == held.count)
      for length in [0, 1, 150, 1_000] {
        let window = grid.withCells(before: end, atMost: length) { span in
          span.indices.map { span[$0] }
        }
        #expect(window == Array(held.suffix(length)))
      }
    }
    #expect(grid.count(before: grid.end - 301) == 0)
    #expect(grid.count(before: grid.end + 7) == 300)
  }

  @Test func aSeriesHasTheStretchesOfTheResampler() {
    var gridded = GriddedSeries()
    gridded.append(Self.series)
    let expected = Resampling(Self.samples).stretches
    #expect(gridded.stretches.count == 2)
    #expect(gridded.stretches.map(\.firstCell) == expected.map(\.firstCell))
    #expect(gridded.stretches.map(\.samples) == expected.map(\.cells))
    #expect(gridded.window(before: 0, atMost: 10) == nil)
    #expect(gridded.window(before: 1_000_000, atMost: 512)?.end == gridded.stretches[1].endCell)
    #expect(gridded.window(before: 300, atMost: 100)?.cells == expected[0].cells[199..<299])
  }
}
