import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionTraining

extension Arguments {
  /// The number of threads given by `--jobs`; nil without the option.
  var jobs: Int? {
    get throws {
      guard let text = value("jobs") else { return nil }
      guard let jobs = Int(text), 1...256 ~= jobs else {
        throw UsageError("'--jobs \(text)': expected a whole number from 1 to 256")
      }
      return jobs
    }
  }

  /// The model given by an option, or the built-in one.
  func model(_ option: String = "model") throws -> ActivityModel {
    guard let path = value(option), let data = try content(option) else { return .default }
    do {
      return try ActivityModel(file: Array(data))
    } catch {
      throw CommandFailure("\(path): \(error)", .rejected)
    }
  }

  /// What is in the file that an option names; nil without the option.
  func content(_ option: String) throws -> Data? {
    guard let path = value(option) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileManager.default.fileExists(atPath: path)
        ? RecordingError.unreadable(path: path, reason: "not a readable file")
        : RecordingError.notFound(path: path)
    }
    return data
  }
}
