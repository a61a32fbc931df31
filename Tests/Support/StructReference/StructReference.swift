import CLocomotion
import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionC
import LocomotionRecordings

/// Writes what the Swift modules say of a tidy recording as the structs of `locomotion.h`, with
/// which the programs in other languages compare theirs byte for byte.
///
/// `struct-reference RECORDING FOLDER` writes FOLDER/measurements, 88 bytes for each one in the
/// order in which the command takes them in: an Int64, 0 for an acceleration, 1 for a rotation rate
/// (their x, y and z in the place of latitude, longitude and altitude), 2 for a pressure (in the
/// place of latitude), 3 for a fix; then a `locomotion_fix`. And it writes FOLDER/answers:
/// FORM.samples, FORM.fixes and FORM.items for the forms live, lagged and smoothed, and counts.
@main struct StructReference {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 3 else {
      FileHandle.standardError.write(Data("usage: struct-reference RECORDING FOLDER\n".utf8))
      exit(2)
    }
    let folder = URL(fileURLWithPath: words[2], isDirectory: true)
    let answers = folder.appendingPathComponent("answers", isDirectory: true)
    try FileManager.default.createDirectory(at: answers, withIntermediateDirectories: true)
    try write(try measurements(of: words[1]), to: folder.appendingPathComponent("measurements"))
    try writeAnswers(of: words[1], to: answers)
  }

  private struct Measurement: BitwiseCopyable {
    var sensor: Int64
    var values: locomotion_fix
  }

  private static func measurements(of path: String) throws -> [Measurement] {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var all: [Measurement] = []
    // One row at a time: of more the batch does not say which sensor came first.
    while try reader.read(into: &batch, maximumEvents: 1) {
      for (sensor, series) in [batch.accelerations, batch.rotationRates].enumerated() {
        for index in 0..<series.count {
          all.append(
            measurement(
              Int64(sensor), series.timestamps[index],
              [series.x[index], series.y[index], series.z[index]].map(Double.init)))
        }
      }
      for (time, pressure) in zip(batch.pressures.timestamps, batch.pressures.hectopascals) {
        all.append(measurement(2, time, [Double(pressure), 0, 0]))
      }
      all += batch.fixes.map { Measurement(sensor: 3, values: locomotion_fix($0)) }
    }
    return all
  }

  private static func measurement(
    _ sensor: Int64, _ time: Timestamp, _ values: [Double]
  ) -> Measurement {
    var fix = locomotion_fix()
    (fix.time, fix.latitude, fix.longitude) = (time.nanoseconds, values[0], values[1])
    fix.altitude = values[2]
    return Measurement(sensor: sensor, values: fix)
  }

  private static func writeAnswers(of path: String, to folder: URL) throws {
    var live = LocomotionOutput()
    var replay = RecordingReplay()
    try replay.run(path: path) { _, output in
      live.samples += output.samples
      live.fixes += output.fixes
    }
    var timeline = TimelineBuilder()
    for sample in live.samples { timeline.append(sample) }
    try write(live.samples, live.fixes, timeline.items(), to: folder, form: "live")

    var samples = live.samples
    Hindsight.smoothActivities(of: &samples, lag: 10)
    Hindsight.smoothCadences(of: &samples)
    let lagged = Hindsight.locations(live.fixes, lag: 6)
    try write(samples, lagged, TimelineBuilder.items(of: samples), to: folder, form: "lagged")

    var smoothed = live.samples
    Hindsight.smooth(&smoothed, reports: live.fixes)
    let located = Hindsight.locations(live.fixes)
    try write(smoothed, located, TimelineBuilder.items(of: smoothed), to: folder, form: "smoothed")

    let counts = locomotion_counts(replay.pipeline.diagnostics)
    try write([counts], to: folder.appendingPathComponent("counts"))
  }

  private static func write(
    _ samples: [LocomotionSample], _ fixes: [FixReport], _ items: [TimelineItem], to folder: URL,
    form: String
  ) throws {
    func file(_ name: String) -> URL { folder.appendingPathComponent("\(form).\(name)") }
    try write(samples.map { locomotion_sample($0, []) }, to: file("samples"))
    try write(fixes.map { locomotion_fix_report($0) }, to: file("fixes"))
    let list = locomotion_timeline_item.list((items, items.last?.end), [])
    try write(list, to: file("items"))
  }

  private static func write(_ values: [some BitwiseCopyable], to file: URL) throws {
    try unsafe values.withUnsafeBytes { try unsafe Data($0).write(to: file) }
  }
}
