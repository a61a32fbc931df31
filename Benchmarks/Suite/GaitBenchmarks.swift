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
      var finding = GaitFinding()
      return {
        // As in a pipeline: each window lies a second after the one before it.
        for (index, window) in windows.enumerated() {
          estimator.examine(
            window: window.span, advancedBy: index == 0 ? nil : 100, into: &finding)
          blackHole(estimator.update(with: finding).steps)
        }
      }
    }
  }
}
