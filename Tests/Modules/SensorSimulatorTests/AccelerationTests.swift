import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct AccelerationTests {
  private func span(
    _ scenario: Scenario, from: Double = 0, to: Double = .infinity
  ) -> Span3 {
    let recording = scenario.recording()
    return Span3(recording.wholeBatch(), since: scenario.start, from: from, to: to)
  }

  @Test(arguments: Carrying.allCases)
  func atRestTheMeanIsGravityInAnyOrientation(carrying: Carrying) {
    var directions: [(Double, Double, Double)] = []
    for seed in 1...6 as ClosedRange<UInt64> {
      let still = span(Scenario(seed: seed).stand(.seconds(30), carrying: carrying))
      // Offsets of 0.05 per axis and a gain error of 0.5 %, at 4 deviations.
      #expect(abs(mean(still.norms) - 9.80665) < 4 * (0.05 + 0.005 * 9.8))
      directions.append((mean(still.x), mean(still.y), mean(still.z)))
    }
    if carrying != .table {
      let spread = variance(directions.map(\.0)) + variance(directions.map(\.1))
      #expect(spread > 9)
    }
  }

  @Test(arguments: [78.0, 96, 112, 128])
  func aWalkInABagPeaksAtTheStepRate(cadence: Double) {
    for seed in 1...3 as ClosedRange<UInt64> {
      let scenario = Scenario(seed: seed).walk(
        .seconds(32), cadence: cadence, speed: 0.8 * cadence / 60, carrying: .bag)
      let walk = span(scenario, from: 6, to: 26)
      let rates = scenario.recording().truth()[6..<26].compactMap(\.cadenceStepsPerMinute)
      // The window resolves 0.1 Hz; step times scatter by 2 %.
      let peak = walk.peak(of: walk.vertical, in: 0.6...4)
      #expect(abs(peak - mean(rates) / 60) < 0.06)
    }
  }
}
