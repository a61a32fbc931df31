extension ActivityModel {
  /// Versions up to 6 had a form of their own; `Datasets/convert-model.py` brings them to this one.
  private static let form = ArchiveFile(
    magic: 0x4D43_414C, version: 7,
    context: FeatureSchema(
      FeatureExtractor.schema.features + RotationFeatureExtractor.schema.features
        + TrackFeatureExtractor.schema.features
    ).digest)

  /// Reads a model file.
  ///
  /// Nothing in `bytes` is used before its checksum is verified, and no memory is allocated for a
  /// count before the file is known to have that many bytes.
  ///
  /// - Throws: ``ModelFileError`` with what was found and what was expected.
  public init(file bytes: [UInt8]) throws(ModelFileError) {
    try self.init(
      file: bytes, features: FeatureExtractor.schema.count,
      rotationFeatures: RotationFeatureExtractor.schema.count)
  }

  /// The same of a model of so many features.
  package init(
    file bytes: [UInt8], features: Int, rotationFeatures: Int
  ) throws(ModelFileError) {
    var parameters = Parameters(classes: [], function: .blank)
    do throws(SavedStateError) {
      try Self.form.restore(&parameters, from: bytes)
    } catch {
      throw ModelFileError(error)
    }
    if let defect = parameters.defect { throw .invalidNumber(defect) }
    guard parameters.function.means.count == features,
      parameters.rotation?.means.count ?? rotationFeatures == rotationFeatures
    else { throw .damaged }
    self.init(parameters, checksum: bytes.littleEndian(at: bytes.count - 4))
  }

  /// The model as a file.
  public var file: [UInt8] { Self.file(of: parameters) }

  static func file(of parameters: Parameters) -> [UInt8] {
    var parameters = parameters
    return form.bytes(of: &parameters)
  }
}

extension ActivityModel.Parameters: StateArchivable {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&classes, &function, &windowTemperature, &dwellSeconds, &evidenceExponent)
    archive.pass(&confidenceThreshold, &hindsightDwellFactor, &hindsightEvidenceFactor)
    archive.pass(&rotation, &custom, &track, &moments)
    archive.pass(text: &manifest)
  }
}

extension ActivityModel.Function: StateElement {
  package static let blank = Self(means: [], scales: [], knots: [], weights: [])

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&means, &scales, &knots, &weights, &filteredTemperature)
    archive.pass(&hindsightTemperature)
  }
}

extension ActivityModel.CustomTerm: StateElement {
  package static let blank = Self(activities: [], function: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&activities, &function)
  }
}

extension ActivityModel.TrackTerm: StateElement {
  package static let blank = Self(function: .blank, temperature: 0, evidenceExponent: 0)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&function, &temperature, &evidenceExponent)
  }
}

extension ActivityModel.MomentTerm: StateElement {
  package static let blank = Self(scales: [], rows: [])

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&scales)
    var bytes = rows.map { UInt8(bitPattern: $0) }
    archive.pass(bytes: &bytes)
    if archive.isReading { rows = bytes.map { Int8(bitPattern: $0) } }
  }
}

extension Activity: StateElement {
  package static let blank = Activity.stationary

  package mutating func pass(through archive: inout StateArchive) { archive.pass(caseOf: &self) }
}
