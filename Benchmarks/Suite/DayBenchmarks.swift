import BenchmarkHarness
import LocomotionSensing
import SensorSimulator

/// A whole day at 100 Hz, 8.64 million samples and their fixes, in batches of one second.
enum DayBenchmarks {
  static func items() -> [Suite.Item] {
    [.comparison(Comparison("Day", [plainRead()]))]
  }

  /// The sum of all components and times: what it costs to touch the day's bytes.
  private static func plainRead() -> Entry {
    Entry("plain read", items: 8_640_000, unit: "sample") {
      let day = self.day()
      return {
        var sum = SIMD8<Float>.zero
        var times: Int64 = 0
        for batch in day {
          let series = batch.accelerations
          sum += total(series.x.span) + total(series.y.span) + total(series.z.span)
          let stamps = series.timestamps.span
          for index in stamps.indices { times &+= stamps[index].nanoseconds }
        }
        blackHole(sum.sum())
        blackHole(Double(times))
      }
    }
  }

  private static func total(_ values: Span<Float>) -> SIMD8<Float> {
    var sum = SIMD8<Float>.zero
    var index = 0
    while index + 8 <= values.count {
      sum += SIMD8(
        values[index], values[index + 1], values[index + 2], values[index + 3],
        values[index + 4], values[index + 5], values[index + 6], values[index + 7])
      index += 8
    }
    while index < values.count {
      sum[0] += values[index]
      index += 1
    }
    return sum
  }

  /// The demonstration day, once for all entries.
  private static func day() -> [SensorBatch] {
    Array(Scenario.demoDay(seed: 1).recording().batches(everySeconds: 1))
  }
}
