import LocomotionActivityRecognition
package import LocomotionSensing
import LocomotionSignals

/// The newest accelerations of a recording on the grid of the pipeline, and what its classifier
/// computes from them.
///
/// The pipeline keeps no window that it has judged. To explain its answers the windows are cut
/// again: the same resampler, the same cells, the same features.
package struct WindowHistory {
  private struct Stretch {
    /// The number of the first cell; cell k covers 10 ms from k · 10 ms on.
    var firstCell: Int64
    var cells: [SIMD4<Float>] = []

    var endCell: Int64 { firstCell + Int64(cells.count) }
  }

  private var resampler = UniformResampler()
  private var ring = SampleRing(capacity: 64)
  private var stretches: [Stretch] = []
  private var extractor = FeatureExtractor()

  package init() {}

  /// Takes in the accelerations of a batch.
  package mutating func append(_ batch: SensorBatch) {
    let series = batch.accelerations
    for index in 0..<series.count {
      let verdict = resampler.resample(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index],
        into: &ring)
      if verdict == .begins {
        stretches.append(Stretch(firstCell: resampler.nextCell - Int64(ring.count)))
      }
      guard ring.count > 0, !stretches.isEmpty else { continue }
      let last = stretches.count - 1
      ring.withLatest(ring.count) { cells in
        for cell in cells.indices { stretches[last].cells.append(cells[cell]) }
      }
      ring.removeAll()
    }
  }

  /// The features of the window with which the second that ends at `end` was judged; nil when there
  /// was no full window.
  package mutating func features(ofSecondEndingAt end: Timestamp) -> [Float]? {
    let endCell = end.nanoseconds / UniformResampler.Settings().period
    // The newest stretch counts: after a clock was set back an older one may hold the same cells.
    guard let stretch = stretches.last(where: { $0.firstCell < endCell }) else { return nil }
    let count = Int(min(endCell, stretch.endCell) - stretch.firstCell)
    let length = FeatureExtractor.windowLength
    guard count >= length else { return nil }
    var features = [Float](repeating: 0, count: FeatureExtractor.schema.count)
    var output = features.mutableSpan
    extractor.extract(
      from: stretch.cells.span.extracting(count - length..<count), into: &output)
    return features
  }

  /// Forgets what no second after `end` needs.
  package mutating func forget(before end: Timestamp) {
    let first =
      end.nanoseconds / UniformResampler.Settings().period - Int64(FeatureExtractor.windowLength)
    let newest = stretches.last?.firstCell
    stretches.removeAll { $0.endCell < first && $0.firstCell != newest }
    for index in stretches.indices {
      let surplus = Int(
        min(max(0, first - stretches[index].firstCell), Int64(stretches[index].cells.count)))
      // Seldom, because what remains is moved.
      guard surplus > 100_000 else { continue }
      stretches[index].cells.removeFirst(surplus)
      stretches[index].firstCell += Int64(surplus)
    }
  }
}
