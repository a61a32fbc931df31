import BenchmarkHarness
import LocomotionGait

/// Cadence and steps.
enum GaitBenchmarks {
  static func items() -> [Suite.Item] { [.entry(cadence())] }

  /// Each second's update on the six-second window of a walk.
  private static func cadence() -> Entry {
    let windows = PeerInputs.cadenceWindows(of: PeerInputs.walk())
    return Entry("Gait/CadenceEstimator.update", items: windows.count, unit: "hops") {
      var estimator = CadenceEstimator()
      return {
        for window in windows { blackHole(estimator.update(window: window.span).steps) }
      }
    }
  }
}
