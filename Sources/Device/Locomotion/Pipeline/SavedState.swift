/// Why bytes aren't a saved state that can be restored.
public enum SavedStateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes don't begin as a saved state does, or are fewer than any has.
  case notASavedState
  /// It was saved by another version of the package, with another layout.
  case otherVersion(found: UInt32, expected: UInt32)
  /// It was saved with another model.
  case otherModel(found: UInt32, expected: UInt32)
  /// The bytes don't have the stated length or checksum, or hold an impossible value.
  case damaged

  /// A one-line description.
  public var description: String {
    switch self {
    case .notASavedState: "not a saved state"
    case .otherVersion(let found, let expected):
      "saved by another version: layout \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .otherModel(let found, let expected):
      "saved with another model: \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .damaged: "damaged"
    }
  }

  private func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

  init(_ failure: ArchiveFile.Failure) {
    self =
      switch failure {
      case .otherKind: .notASavedState
      case .otherVersion(let found, let expected): .otherVersion(found: found, expected: expected)
      case .otherContext(let found, let expected): .otherModel(found: found, expected: expected)
      case .damaged: .damaged
      }
  }
}

extension ArchiveFile {
  /// The form in which a state is saved that depends on the model whose file has the checksum
  /// `model`; 0 for one that depends on none.
  package static func savedState(model: UInt32) -> ArchiveFile {
    ArchiveFile(magic: 0x5343_414C, version: 1, context: model)
  }
}

extension LocomotionPipeline {
  /// What the pipeline has seen, as bytes: some 40 kB, without model and settings.
  ///
  /// ``init(savedState:model:settings:)`` goes on with the same answers, in any build of the same
  /// version of the package, on any system.
  public var savedState: [UInt8] {
    var pipeline = self
    return ArchiveFile.savedState(model: modelChecksum).bytes(of: &pipeline)
  }

  /// A pipeline that goes on where another one was saved.
  ///
  /// - Parameters:
  ///   - bytes: The ``savedState`` of a pipeline with the same model and settings.
  ///   - model: The model, whose checksum is compared.
  ///   - settings: The settings of all stages, which aren't compared.
  /// - Throws: ``SavedStateError``. Damaged bytes never trap.
  public init(
    savedState bytes: [UInt8], model: ActivityModel = .default, settings: Settings = Settings()
  ) throws(SavedStateError) {
    self.init(model: model, settings: settings)
    do throws(ArchiveFile.Failure) {
      try ArchiveFile.savedState(model: modelChecksum).restore(&self, from: bytes)
    } catch {
      throw SavedStateError(error)
    }
  }

  /// The checksum with which the file of the model ends.
  package var modelChecksum: UInt32 { windowStages.model.checksum }
}
