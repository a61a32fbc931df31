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
  /// - Throws: `SavedStateError`. Damaged bytes never trap.
  public init(
    savedState bytes: [UInt8], model: ActivityModel = .default, settings: Settings = Settings()
  ) throws(SavedStateError) {
    self.init(model: model, settings: settings)
    try ArchiveFile.savedState(model: modelChecksum).restore(&self, from: bytes)
  }

  /// The checksum with which the file of the model ends.
  package var modelChecksum: UInt32 { windowStages.model.checksum }
}
