import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator

/// The origin of the short recordings of the change indicator.
///
/// They are committed, so that a change of the simulator does not change the results.
enum ChangeIndicatorRecordings {
  static let names = ["walk-with-pauses", "drive-through-tunnel", "damaged-ride"]

  /// Writes the recording into `folder`.
  static func write(_ name: String, into folder: URL) throws {
    let (recording, faults) = plan(name)
    var injector = FaultInjector(faults, seed: 3, start: recording.span.lowerBound)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var writer = try RecordingWriter(path: folder.appendingPathComponent("\(name).csv.gz").path)
    for batch in recording.batches(everySeconds: 10) { try writer.write(injector.damaged(batch)) }
    try writer.close()
  }

  private static func plan(_ name: String) -> (SimulatedRecording, [SensorFault]) {
    var phone = SimulatedPhone()
    phone.sampleRate = 50
    switch name {
    case "walk-with-pauses":
      // As phones do that flush a file now and then: 0.3 s every 5 s, later 3 s every 30 s.
      let short = stride(from: 5.0, to: 90, by: 5).map { SensorFault.gap(from: $0, to: $0 + 0.3) }
      let long = stride(from: 90.0, to: 180, by: 30).map { SensorFault.gap(from: $0, to: $0 + 3) }
      let walk = Scenario(seed: 11, phone: phone)
        .stand(.seconds(20)).walk(.seconds(120), cadence: 110, speed: 1.4, heading: 40)
        .stand(.seconds(10)).run(.seconds(40), cadence: 164, speed: 2.9, heading: 60)
      return (walk.recording(), short + long)
    case "drive-through-tunnel":
      phone.sampleRate = 25
      let drive = Scenario(seed: 12, phone: phone)
        .stop(.seconds(20)).drive(.seconds(90), speed: 13, heading: 340)
        .tunnel(.seconds(60), speed: 15, heading: 345)
        .drive(.seconds(60), speed: 14, heading: 350).stop(.seconds(30))
        .walk(.seconds(60), cadence: 104, speed: 1.3, heading: 90, sky: .urban)
      return (drive.recording(), [])
    default:
      phone.hasGyroscope = true
      let ride = Scenario(seed: 13, phone: phone)
        .ride(.seconds(90), pedalling: 66, speed: 5, heading: 160)
        .rest(.seconds(40), carrying: .pocket)
      let faults: [SensorFault] = [
        .notANumber(probability: 0.001), .spikes(probability: 0.001, size: 500),
        .duplicates(probability: 0.002), .swaps(probability: 0.002),
        .clockStep(at: 100, by: -30), .stuckClock(from: 60, to: 61),
        .unknownAccuracy(probability: 0.05), .nullIsland(probability: 0.03),
      ]
      return (ride.recording(), faults)
    }
  }
}
