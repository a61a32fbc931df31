import BenchmarkHarness
import LocomotionGait
import TestSupport

/// Cadence and steps.
enum GaitBenchmarks {
  static func items() -> [Suite.Item] { [.entry(cadence())] }

  /// The update of each second on the six-second window of a walk.
  private static func cadence() -> Entry {
    let windows = PeerInputs.cadenceWindows(of: PeerInputs.walk())
    return Entry("Gait/CadenceEstimator.update", items: windows.count, unit: "hops") {
      var estimator = CadenceEstimator()
      var analysis = GaitAnalysis()
      return {
        // As in a pipeline: each window is a second after the one before it.
        for (index, window) in windows.enumerated() {
          estimator.analyze(
            window: window.slice.span, endingAt: 100 * Int64(index), into: &analysis)
          blackHole(estimator.update(with: analysis).steps)
        }
      }
    }
  }
}
