internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// What in a recording's values looks as if they were in another unit than that of their form.
struct RecordingDoubts {
  private var summary = AccelerationSummary()
  private var count = 0
  private var intervals: [Double] = []
  private var last: Timestamp?

  /// The number of samples that are looked at, from the start.
  private static let enough = 20_000
  /// Fewer intervals say nothing.
  private static let fewestIntervals = 16

  /// Looks at the accelerations of a batch.
  mutating func add(_ batch: SensorBatch) {
    guard count < Self.enough else { return }
    let samples = batch.accelerations
    for index in 0..<min(samples.count, Self.enough - count) {
      let time = samples.timestamps[index]
      summary.add(samples.x[index], samples.y[index], samples.z[index], at: time)
      if let last, time > last, intervals.count < 1_000 {
        intervals.append(time.seconds(since: last))
      }
      last = time
    }
    count += samples.count
  }

  /// What looks wrong, a line each.
  var lines: [String] { [unitOfTime, gravity].compactMap(\.self) }

  /// Accelerations that are seconds apart are of a file in a smaller unit of time.
  private var unitOfTime: String? {
    guard intervals.count >= Self.fewestIntervals else { return nil }
    let median = intervals.sorted()[intervals.count / 2]
    let units = [(2e6, "nanoseconds"), (2e3, "microseconds"), (2.0, "milliseconds")]
    return units.first { median >= $0.0 }.map {
      "accelerations are \(String(format: "%.4g", median)) s apart: the times look like \($0.1)"
    }
  }

  private var gravity: String? {
    count < Self.fewestIntervals
      ? nil : summary.gravity.flatMap(AccelerationSummary.doubt(ofGravity:))
  }
}
