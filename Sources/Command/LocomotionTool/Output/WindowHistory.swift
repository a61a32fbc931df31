import Locomotion
package import LocomotionSensing

/// The features of a window that the classifier uses.
package struct WindowFeatures {
  /// In the order of `FeatureExtractor.schema`.
  package var accelerations: [Float]
  /// In the order of `RotationFeatureExtractor.schema`; empty when the rates were not measured
  /// throughout.
  package var rotation: [Float]
}

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

/// Describes the windows that are long enough for the classifier.
private struct WindowDescriber: WindowProcessor {
  /// The features by the ends of the seconds.
  var features: [Timestamp: WindowFeatures] = [:]
  private var extractor = FeatureExtractor()
  private var rotationExtractor = RotationFeatureExtractor()

  mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    guard accelerations.count >= FeatureExtractor.shortestWindowLength else { return }
    let described = Self.values(FeatureExtractor.schema.count) {
      extractor.extract(
        from: accelerations.extracting(last: ActivityClassifier.windowLength), into: &$0)
    }
    features[sample.end] = WindowFeatures(
      accelerations: described, rotation: rotationFeatures(rotation, accelerations))
  }

  private mutating func rotationFeatures(
    _ rotation: Span<SIMD4<Float>>, _ accelerations: Span<SIMD4<Float>>
  ) -> [Float] {
    let length = FeatureExtractor.windowLength
    guard rotation.count >= length, accelerations.count >= length,
      RotationFeatureExtractor.isSound(rotation.extracting(last: length))
    else { return [] }
    return Self.values(RotationFeatureExtractor.schema.count) {
      rotationExtractor.extract(
        from: rotation.extracting(last: length),
        accelerations: accelerations.extracting(last: length), into: &$0)
    }
  }

  private static func values(
    _ count: Int, _ write: (inout MutableSpan<Float>) -> Void
  ) -> [Float] {
    var values = ContiguousArray<Float>(repeating: 0, count: count)
    var span = values.mutableSpan
    write(&span)
    return Array(values)
  }
}
