import Locomotion
import LocomotionActivityRecognition
package import LocomotionSensing
import LocomotionSignals

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
  private var accelerations = GridHistory(settings: UniformResampler.Settings())
  private var rates = GridHistory(settings: .rotationRates)
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
    let endCell = end.nanoseconds / UniformResampler.Settings().period
    guard let (window, last) = accelerations.window(before: endCell) else { return nil }
    var features = ContiguousArray<Float>(repeating: 0, count: FeatureExtractor.schema.count)
    var output = features.mutableSpan
    extractor.extract(from: window.span, into: &output)
    return WindowFeatures(
      accelerations: Array(features), rotation: rotation(during: window, before: last))
  }

  private mutating func rotation(
    during window: ArraySlice<SIMD4<Float>>, before end: Int64
  ) -> [Float] {
    let end = end - RotationIntake.lag
    let length = FeatureExtractor.windowLength
    guard window.count == length, let (rotation, last) = rates.window(before: end), last == end,
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
      end.nanoseconds / UniformResampler.Settings().period - Int64(FeatureExtractor.windowLength)
    accelerations.forget(before: first)
    rates.forget(before: first - RotationIntake.lag)
  }
}

/// The newest samples of one sensor on the grid.
private struct GridHistory {
  private struct Stretch {
    /// The number of the first cell; cell k covers 10 ms from k · 10 ms on.
    var firstCell: Int64
    var cells: [SIMD4<Float>] = []

    var endCell: Int64 { firstCell + Int64(cells.count) }
  }

  private var resampler: UniformResampler
  private var ring = SampleRing(capacity: 1024)
  private var stretches: [Stretch] = []

  init(settings: UniformResampler.Settings) {
    resampler = UniformResampler(settings: settings)
  }

  mutating func append(_ series: SensorBatch.Series) {
    for index in 0..<series.count {
      let end = resampler.nextCell
      let verdict = resampler.resample(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index],
        into: &ring)
      if verdict == .begins {
        stretches.append(Stretch(firstCell: resampler.nextCell - Int64(ring.count)))
      }
      let new = verdict == .begins ? ring.count : Int(resampler.nextCell - end)
      guard new > 0, !stretches.isEmpty else { continue }
      let last = stretches.count - 1
      ring.withLatest(new) { cells in
        for cell in cells.indices { stretches[last].cells.append(cells[cell]) }
      }
    }
  }

  /// The newest window before the cell `end`, and the cell after it; nil when there are too few
  /// cells.
  func window(before end: Int64) -> (cells: ArraySlice<SIMD4<Float>>, end: Int64)? {
    // The newest section counts: after a clock was set back an older one may have the same cells.
    guard let stretch = stretches.last(where: { $0.firstCell < end }) else { return nil }
    let last = min(end, stretch.endCell)
    let count = Int(last - stretch.firstCell)
    let length = FeatureExtractor.windowLength
    guard count >= FeatureExtractor.shortestWindowLength else { return nil }
    return (stretch.cells[max(0, count - length)..<count], last)
  }

  /// Drops the cells before `first`.
  mutating func forget(before first: Int64) {
    let newest = stretches.last?.firstCell
    stretches.removeAll { $0.endCell < first && $0.firstCell != newest }
    for index in stretches.indices {
      let surplus = Int(
        min(max(0, first - stretches[index].firstCell), Int64(stretches[index].cells.count)))
      // Rarely, because what remains is moved.
      guard surplus > 100_000 else { continue }
      stretches[index].cells.removeFirst(surplus)
      stretches[index].firstCell += Int64(surplus)
    }
  }
}
