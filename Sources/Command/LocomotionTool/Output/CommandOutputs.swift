import CLocomotionStopRequest
import Foundation
package import LocomotionRecordings

extension OutputFiles {
  /// The output files of a command, whose temporary files are deleted when a signal ends it.
  ///
  /// - Parameter inputs: The files that the command reads, none of which may be replaced.
  /// - Returns: A list without files.
  package static func forCommand(inputs: [String]) -> OutputFiles {
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
  /// The data sets given by `--dataset`, and the files in them.
  package var datasetFiles: [String] {
    (all("dataset") + all("fixes")).flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return [folder] + names.map { "\(folder)/\($0)" }
    }
  }
}
