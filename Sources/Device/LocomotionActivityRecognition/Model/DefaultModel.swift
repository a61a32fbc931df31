internal import CLocomotionModel

extension ActivityModel {
  /// The model that comes with the package; its model card documents the training data and the
  /// evaluation.
  ///
  /// It is decoded once, at the first use.
  public static let `default`: ActivityModel = {
    var count = 0
    let bytes = unsafe UnsafeBufferPointer(start: locomotion_default_model(&count), count: count)
    do throws(ModelFileError) {
      return try ActivityModel(file: unsafe Array(bytes))
    } catch {
      preconditionFailure("the embedded model is damaged: \(error)")
    }
  }()
}
