extension ActivityModel {
  /// The model that comes with the package; its model card documents the training data and the
  /// evaluation.
  ///
  /// It is decoded once, at the first use.
  public static let `default`: ActivityModel = {
    do throws(ModelFileError) {
      return try embedded(hexadecimal: DefaultModelFile.hex)
    } catch {
      preconditionFailure("the embedded model is damaged: \(error)")
    }
  }()
}
