import CLocomotionStopRequest
import Foundation
import LocomotionRecordings

extension OutputFiles {
  /// The files that a command writes, of which nothing is left when a signal ends it.
  ///
  /// - Parameter inputs: What the command reads, which none of them may replace.
  /// - Returns: No file yet.
  static func forCommand(inputs: [String]) -> OutputFiles {
    TemporaryPaths.deleteWhenStopped()
    return OutputFiles(inputs: inputs)
  }
}

extension TemporaryPaths {
  /// From here on SIGINT, SIGTERM and SIGHUP end the process after its temporary files are deleted.
  static func deleteWhenStopped() {
    locomotion_before_stop { TemporaryPaths.shared.deleteAllForExit() }
  }
}

extension Arguments {
  /// The data sets that `--dataset` names, and the files in them.
  var datasetFiles: [String] {
    all("dataset").flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return [folder] + names.map { "\(folder)/\($0)" }
    }
  }
}
