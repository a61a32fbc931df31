import Locomotion
package import LocomotionSensing

/// The features of a window that the classifier uses, in the order of the extractors' schemas;
/// those of the rotation are empty when the rates were not measured throughout.
package typealias WindowFeatures = (accelerations: [Float], rotation: [Float])

/// The features of the windows of a recording, second by second.
///
/// The pipeline does not retain windows. To explain its decisions they are cut again, by the same
/// code.
package struct WindowHistory {
  private var epochs = EpochPipeline(settings: .init())
  private var output = LocomotionOutput()
  private var windows = WindowDescriber()

  package init() {}

  /// Takes in a batch; an empty one is the end of the recording.
  package mutating func append(_ batch: SensorBatch) {
    if batch.isEmpty {
      epochs.finish(windows: &windows, into: &output)
    } else {
      epochs.ingest(batch, windows: &windows, into: &output)
    }
    output.removeAll()
  }

  /// The features of the window that was classified for the second that ends at `end`, once; nil
  /// when there was none.
  package mutating func takeFeatures(ofSecondEndingAt end: Timestamp) -> WindowFeatures? {
    windows.features.removeValue(forKey: end)
  }
}

/// Describes the windows that the classifier takes for evidence.
private struct WindowDescriber: WindowProcessor {
  /// The features by the ends of the seconds.
  var features: [Timestamp: WindowFeatures] = [:]
  private var classifier = ActivityClassifier(model: .default)

  mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    let found = classifier.analyze(window: accelerations, rotation: rotation)
    if case .unusable = found { return }
    features[sample.end] = (classifier.lastFeatures, classifier.lastRotationFeatures)
  }
}
