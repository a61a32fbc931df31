import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator
import TestSupport

extension SimulatedRecording {
  /// Writes the recording as a tidy file, and returns its path.
  @discardableResult
  func write(
    to path: String, hasGyroscope: Bool = false, every seconds: Double = 10
  ) throws -> String {
    var writer = try RecordingWriter(path: path, hasGyroscope: hasGyroscope)
    for batch in batches(everySeconds: seconds) { try writer.write(batch) }
    try writer.close()
    return path
  }
}

/// A labelled data set of simulated recordings in the tidy format.
struct DatasetScript {
  let path: String
  private var labels = "recording,subject,start,end,label\n"

  /// An empty data set in a folder of a scratch folder, or in the scratch folder itself.
  init(in folder: ScratchFolder, _ name: String = "set") throws {
    path = try folder.makeFolder(name)
  }

  /// Adds a recording of a person, which begins at 0 s, and its labels: start and end, seconds, and
  /// the label itself.
  mutating func add(
    _ name: String, ending: String = ".csv", of person: String, seed: UInt64,
    labels intervals: [String], _ scenario: (Scenario) -> Scenario
  ) throws {
    func quoted(_ text: String) -> String {
      "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
    }
    let start = Scenario(seed: seed, start: Timestamp(nanoseconds: 0))
    try scenario(start).recording().write(to: "\(path)/\(name)\(ending)")
    for interval in intervals { labels += "\(quoted(name)),\(quoted(person)),\(interval)\n" }
    try Data(labels.utf8).write(to: URL(fileURLWithPath: path + "/labels.csv"))
  }
}
