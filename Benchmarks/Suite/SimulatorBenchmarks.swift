import BenchmarkHarness
import LocomotionSensing
import SensorSimulator

/// The speed of the simulator, which bounds every test that uses it.
enum SimulatorBenchmarks {
  static func items() -> [Suite.Item] {
    [
      .entry(entry("rest", Scenario(seed: 1).rest(.minutes(1)))),
      .entry(entry("walk", Scenario(seed: 1).walk(.minutes(1)))),
      .entry(entry("drive", Scenario(seed: 1).drive(.minutes(1)))),
    ]
  }

  private static func entry(_ name: String, _ scenario: Scenario) -> Entry {
    Entry("Simulator/\(name)", items: 6000, unit: "samples", isAllocationFree: false) {
      let recording = scenario.recording()
      var batch = SensorBatch()
      return {
        var reader = recording.batches(everySeconds: 1)
        var count = 0
        while reader.next(into: &batch) { count += batch.accelerations.count }
        blackHole(count)
      }
    }
  }
}
