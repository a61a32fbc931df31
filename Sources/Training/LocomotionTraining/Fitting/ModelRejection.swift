package import LocomotionActivityRecognition
package import LocomotionRecordings

/// A model file that was read and refused.
package struct ModelRejection: CommandError, CustomStringConvertible {
  private let path: String
  private let reason: ModelFileError
  package let exitStatus = ExitStatus.rejected

  /// The refusal of a file, or of what `path` calls the model.
  package init(path: String, reason: ModelFileError) {
    self.path = path
    self.reason = reason
  }

  package var description: String { "\(path): \(reason)" }
}
