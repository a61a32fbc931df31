import BenchmarkHarness
import LocomotionGait
import LocomotionSignals

/// Cadence and steps.
enum GaitBenchmarks {
  static func items() -> [Suite.Item] { [.entry(cadence())] }

  /// One second's update on the six-second window of a walk.
  private static func cadence() -> Entry {
    Entry("Gait/CadenceEstimator.update", items: 600, unit: "samples") {
      let ring = filledRing(capacity: 600)
      var estimator = CadenceEstimator()
      return {
        let update = ring.withLatest(600) { estimator.update(window: $0) }
        blackHole(update.steps)
      }
    }
  }
}
