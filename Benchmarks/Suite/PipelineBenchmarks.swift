import BenchmarkHarness
import Foundation
import Locomotion
import LocomotionAnalysis
import SensorSimulator
import TestSupport

/// The whole pipeline, in batches of one second.
enum PipelineBenchmarks {
  static func items() -> [Suite.Item] {
    [
      .entry(minutes("moving", Scenario(seed: 1).walk(.hours(1)).drive(.hours(1)))),
      .entry(minutes("with gyroscope", Scenario(seed: 1, phone: rotating).walk(.hours(1)))),
      .entry(minutes("resting", Scenario(seed: 1).rest(.hours(2)))),
      .comparison(Comparison("Sensing/SensorBatch.append", [arrays(), samples()])),
      .entry(savedState()),
      .comparison(Comparison("Locomotion/day", [plainRead(), replay(), batch()])),
    ]
  }

  /// A minute of accelerations, as arrays.
  private static func arrays() -> Entry {
    Entry("arrays", items: 6000, unit: "samples") {
      let minute = self.minute()
      var batch = SensorBatch()
      return {
        batch.removeAll()
        batch.accelerations.append(
          x: minute.x, y: minute.y, z: minute.z, at: minute.timestamps)
        blackHole(batch.accelerations.count)
      }
    }
  }

  private static func minute() -> SensorBatch.Series {
    let batches = Scenario(seed: 1).walk(.minutes(1)).recording().batches(everySeconds: 60)
    return batches.first { $0.accelerations.count > 0 }?.accelerations ?? SensorBatch.Series()
  }

  /// The same, sample by sample.
  private static func samples() -> Entry {
    Entry("samples", items: 6000, unit: "samples") {
      let minute = self.minute()
      var batch = SensorBatch()
      return {
        batch.removeAll()
        for index in 0..<minute.count {
          batch.append(
            Acceleration(x: minute.x[index], y: minute.y[index], z: minute.z[index]),
            at: minute.timestamps[index])
        }
        blackHole(batch.accelerations.count)
      }
    }
  }

  /// A pipeline in the middle of a walk, saved and restored.
  private static func savedState() -> Entry {
    Entry("Locomotion/LocomotionPipeline.savedState", isAllocationFree: false) {
      var pipeline = LocomotionPipeline()
      var output = LocomotionOutput()
      for batch in Scenario(seed: 1).walk(.minutes(5)).recording().batches(everySeconds: 1) {
        pipeline.ingest(batch, into: &output)
      }
      return {
        let bytes = pipeline.savedState
        if let restored = try? LocomotionPipeline(savedState: bytes) { pipeline = restored }
        blackHole(bytes.count)
      }
    }
  }

  private static var rotating: SimulatedPhone {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    return phone
  }

  /// One minute after another; starts again at the end.
  private static func minutes(_ name: String, _ scenario: Scenario) -> Entry {
    Entry("Locomotion/LocomotionPipeline.ingest \(name)", items: 6000, unit: "samples") {
      let batches = Array(scenario.recording().batches(everySeconds: 1))
      var pipeline = LocomotionPipeline()
      var output = LocomotionOutput()
      var next = 0
      return {
        if next + 60 > batches.count {
          next = 0
          pipeline.reset()
        }
        for batch in batches[next..<next + 60] {
          output.removeAll()
          pipeline.ingest(batch, into: &output)
        }
        next += 60
        blackHole(output.samples.count)
      }
    }
  }

  /// The demonstration day at 100 Hz, 8.64 million samples and their fixes.
  ///
  /// The reset before each replay allocates a few times; nothing after it does.
  private static func replay() -> Entry {
    Entry("replay", items: 8_640_000, unit: "samples", isAllocationFree: false) {
      let day = self.day()
      var pipeline = LocomotionPipeline()
      var output = LocomotionOutput()
      return {
        pipeline.reset()
        var seconds = 0
        for batch in day {
          output.removeAll()
          pipeline.ingest(batch, into: &output)
          seconds += output.samples.count
        }
        blackHole(seconds)
      }
    }
  }

  /// The same with as many threads as there are cores; its wall-clock time counts.
  private static func batch() -> Entry {
    Entry("batch", items: 8_640_000, unit: "samples", isAllocationFree: false) {
      let day = self.day()
      let jobs = ProcessInfo.processInfo.activeProcessorCount
      return {
        var replay = RecordingReplay(jobs: jobs)
        var seconds = 0
        try? replay.run(batches: day) { _, output in seconds += output.samples.count }
        blackHole(seconds)
      }
    }
  }

  /// The sum of all components and times: the cost of reading the day's bytes once.
  private static func plainRead() -> Entry {
    Entry("plain read", items: 8_640_000, unit: "samples") {
      let day = self.day()
      return {
        var sum = SIMD8<Float>.zero
        var times: Int64 = 0
        for batch in day {
          let series = batch.accelerations
          sum +=
            total(series.x.slice.span) + total(series.y.slice.span) + total(series.z.slice.span)
          let stamps = series.timestamps.slice.span
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

  private static func day() -> [SensorBatch] {
    Array(Scenario.demoDay(seed: 1).recording().batches(everySeconds: 1))
  }
}
