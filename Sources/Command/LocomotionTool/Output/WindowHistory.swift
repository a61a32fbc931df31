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

/// The newest accelerations and rotation rates of a recording on the grid of the pipeline, and the
/// features that its classifier computes from them.
///
/// The pipeline does not retain windows. To explain its decisions the windows are cut again with
/// the same resampler, the same cells and the same features.
package struct WindowHistory {
  private var accelerations = GriddedSeries()
  private var rates = GriddedSeries(settings: .rotationRates)
  private var extractor = FeatureExtractor()
  private var rotationExtractor = RotationFeatureExtractor()

  package init() {}

  /// Adds the accelerations and rotation rates of a batch.
  package mutating func append(_ batch: SensorBatch) {
    accelerations.append(batch.accelerations)
    rates.append(batch.rotationRates)
  }

  /// The features of the window that was classified for the second that ends at `end`; nil when
  /// there was none.
  package mutating func features(ofSecondEndingAt end: Timestamp) -> WindowFeatures? {
    let endCell = end.interval(of: UniformResampler.Settings().period)
    guard
      let (window, last) = accelerations.window(
        before: endCell, atMost: FeatureExtractor.windowLength),
      window.count >= FeatureExtractor.shortestWindowLength
    else { return nil }
    var features = ContiguousArray<Float>(repeating: 0, count: FeatureExtractor.schema.count)
    var output = features.mutableSpan
    extractor.extract(
      from: window.span.extracting(last: ActivityClassifier.windowLength), into: &output)
    return WindowFeatures(
      accelerations: Array(features), rotation: rotation(during: window, before: last))
  }

  private mutating func rotation(
    during window: ArraySlice<SIMD4<Float>>, before end: Int64
  ) -> [Float] {
    let end = end - RotationIntake.lag
    let length = FeatureExtractor.windowLength
    guard window.count == length, let (rotation, last) = rates.window(before: end, atMost: length),
      last == end,
      rotation.count == length,
      RotationFeatureExtractor.isSound(rotation.span)
    else { return [] }
    var features = ContiguousArray<Float>(
      repeating: 0, count: RotationFeatureExtractor.schema.count)
    var output = features.mutableSpan
    rotationExtractor.extract(from: rotation.span, accelerations: window.span, into: &output)
    return Array(features)
  }

  /// Drops what no second after `end` needs.
  package mutating func forget(before end: Timestamp) {
    let first =
      end.interval(of: UniformResampler.Settings().period) - Int64(FeatureExtractor.windowLength)
    accelerations.forget(before: first)
    rates.forget(before: first - RotationIntake.lag)
  }
}
