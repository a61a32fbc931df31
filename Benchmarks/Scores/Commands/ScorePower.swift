import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
@_spi(Server) import LocomotionTool

extension Command {
  static let scorePower = Command(
    name: "score power",
    synopsis: "[RECORDING…] [--dataset DIRECTORY…]",
    summary: "Tells how long rules for the receiver run it, and what movement they miss.",
    operandCount: 0...Int.max,
    options: [.dataset],
    run: runScorePower)

  private static func runScorePower(_ arguments: Arguments) throws {
    let recordings = try referencedRecordings(arguments)
    var evaluation = PowerEvaluation()
    var progress = ProgressBar(total: recordings.count)
    for recording in recordings {
      progress.advance(to: recording.path)
      defer { progress.clear() }
      guard let reference = recording.reference else {
        throw UsageError("'score power' needs X.truth.csv beside '\(recording.path)'")
      }
      evaluation.add(
        recording.path, try seconds(of: recording.path),
        truth: LocationTruth(try ReferenceTrack(path: reference)))
    }
    try TextOutput.print(evaluation.text)
  }

  /// The accelerations and fixes of a recording, cut into seconds.
  private static func seconds(of path: String) throws -> [SensorBatch] {
    var reader = try RecordingSource(path: path).reader()
    var batch = SensorBatch()
    var seconds: [Int64: SensorBatch] = [:]
    let second = { (time: Timestamp) in Int64(time.seconds.rounded(.down)) }
    while try reader.read(into: &batch) {
      let accelerations = batch.accelerations
      for index in 0..<accelerations.count {
        let time = accelerations.timestamps[index]
        guard time.isPlausible else { continue }
        seconds[second(time), default: SensorBatch()].accelerations.append(
          x: accelerations.x[index], y: accelerations.y[index], z: accelerations.z[index],
          at: time)
      }
      for fix in batch.fixes where fix.timestamp.isPlausible {
        seconds[second(fix.timestamp), default: SensorBatch()].append(fix)
      }
    }
    return seconds.sorted { $0.key < $1.key }.map(\.value)
  }
}
