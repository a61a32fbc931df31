import BenchmarkHarness
import Locomotion
import SensorSimulator

/// The cost as a function of a recording's length and of the number of pipelines; it should not
/// grow.
enum GrowthBenchmarks {
  static func items() -> [Suite.Item] {
    [
      .comparison(
        Comparison("Locomotion/an hour after", [1, 6, 24, 168].map { hour(after: $0 - 1) })),
      .comparison(
        Comparison("Locomotion/side by side", [1, 100, 10_000].map { sideBySide($0) })),
    ]
  }

  /// An hour of rest, walking and driving, which is repeated.
  private struct Hour {
    private let batches: [SensorBatch]
    private var batch = SensorBatch()
    private var lived: Int64 = 0

    init() {
      let scenario = Scenario(seed: 1).rest(.minutes(20)).walk(.minutes(20)).drive(.minutes(20))
      batches = Array(scenario.recording().batches(everySeconds: 1))
    }

    mutating func live(_ pipeline: inout LocomotionPipeline, _ output: inout LocomotionOutput) {
      for original in batches {
        batch.copy(original, laterBy: lived)
        output.removeAll()
        pipeline.ingest(batch, into: &output)
      }
      lived += Int64(batches.count) * 1_000_000_000
    }

    mutating func startOver() { lived = 0 }
  }

  /// One hour of a pipeline that has run for `hours`; 0 is an hour from the start.
  private static func hour(after hours: Int) -> Entry {
    Entry("\(hours) h", items: 360_000, unit: "samples", isAllocationFree: hours > 0) {
      var hour = Hour()
      var pipeline = LocomotionPipeline()
      var output = LocomotionOutput()
      for _ in 0..<hours { hour.live(&pipeline, &output) }
      return {
        if hours == 0 {
          pipeline.reset()
          hour.startOver()
        }
        hour.live(&pipeline, &output)
        blackHole(output.samples.count)
      }
    }
  }

  /// A second of data for each pipeline in turn, until 10,000 seconds are done.
  ///
  /// Each pipeline is created separately, as for a new phone, and warmed up by 8 seconds.
  private static func sideBySide(_ count: Int) -> Entry {
    Entry("\(count) pipelines", items: 1_000_000, unit: "samples") {
      let walk = Array(Scenario(seed: 1).walk(.minutes(10)).recording().batches(everySeconds: 1))
      let length = Int64(walk.count) * 1_000_000_000
      var pipelines = (0..<count).map { _ in LocomotionPipeline() }
      var output = LocomotionOutput()
      var batch = SensorBatch()
      var second = 0
      func liveOneSecond() {
        batch.copy(walk[second % walk.count], laterBy: Int64(second / walk.count) * length)
        for index in pipelines.indices {
          output.removeAll()
          pipelines[index].ingest(batch, into: &output)
        }
        second += 1
      }
      for _ in 0..<8 { liveOneSecond() }
      return {
        for _ in 0..<10_000 / count { liveOneSecond() }
        blackHole(output.samples.count)
      }
    }
  }
}

extension SensorBatch {
  /// Copies `original` with all times later by `nanoseconds`, without allocating once it is warm.
  fileprivate mutating func copy(_ original: SensorBatch, laterBy nanoseconds: Int64) {
    removeAll()
    let series = original.accelerations
    for index in 0..<series.count {
      append(
        Acceleration(x: series.x[index], y: series.y[index], z: series.z[index]),
        at: series.timestamps[index].advanced(byNanoseconds: nanoseconds))
    }
    for fix in original.fixes {
      var fix = fix
      fix.timestamp = fix.timestamp.advanced(byNanoseconds: nanoseconds)
      append(fix)
    }
  }
}
