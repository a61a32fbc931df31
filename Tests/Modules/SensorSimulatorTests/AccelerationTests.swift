import Foundation
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

  @Test func aPhoneOnATableHasTheSensorsNoiseOnly() {
    for seed in 1...3 as ClosedRange<UInt64> {
      let still = span(Scenario(seed: seed).rest(.minutes(2)))
      // White noise of 0.012 and the rounding's step² / 12; n = 12,000: 0.65 % per axis.
      let step = SimulatedPhone().accelerationStep
      let expected = (0.012 * 0.012 + step * step / 12).squareRoot()
      for axis in [still.x, still.y, still.z] {
        #expect(abs(variance(axis).squareRoot() / expected - 1) < 0.03)
      }
    }
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

  @Test func aPocketHasTheStrideFrequency() {
    let scenario = Scenario(seed: 3).walk(.seconds(32), cadence: 110, carrying: .pocket)
    let walk = span(scenario, from: 6, to: 26)
    for axis in [walk.x, walk.y, walk.z] {
      let peak = walk.peak(of: axis, in: 0.6...1.3)
      #expect(abs(peak - 55.0 / 60) < 0.06)
    }
  }

  @Test func aRunnerHasFlightPhasesAndHighImpacts() {
    let run = span(
      Scenario(seed: 2).run(.seconds(40), cadence: 164, speed: 2.9, carrying: .bag), from: 5,
      to: 35)
    let norms = run.norms
    let light = norms.filter { $0 < 5 }.count
    #expect(Double(light) / Double(norms.count) > 0.08)
    #expect((norms.max() ?? 0) > 2.5 * 9.8)
    #expect(abs(run.peak(of: run.vertical, in: 1.8...4) - 164.0 / 60) < 0.08)
  }

  @Test func theMeanAccelerationOverStepsIsGravity() {
    for leg in [
      Scenario(seed: 4).walk(.seconds(60), carrying: .bag),
      Scenario(seed: 4).run(.seconds(60), carrying: .bag),
    ] {
      let moving = span(leg, from: 5, to: 55)
      let mean3 = (mean(moving.x), mean(moving.y), mean(moving.z))
      let norm = (mean3.0 * mean3.0 + mean3.1 * mean3.1 + mean3.2 * mean3.2).squareRoot()
      // Offset and gain error at 3 deviations, and the impact, which is not balanced.
      #expect(abs(norm - 9.81) < 1)
    }
  }

  @Test func levelsAreInTheRangeOfRecordings() {
    // RMS about the mean, summed over the axes, m/s²: the range covers the quartiles of labelled
    // recordings of a dozen people, widened by half.
    let cases: [(String, Scenario, ClosedRange<Double>)] = [
      ("table", Scenario(seed: 5).rest(.seconds(60)), 0.01...0.04),
      ("hand", Scenario(seed: 5).stand(.seconds(60)), 0.05...0.5),
      ("train", Scenario(seed: 5).train(.seconds(120), speed: 20), 0.1...0.6),
      ("drive", Scenario(seed: 5).drive(.seconds(120), speed: 12), 0.35...2),
      ("ride", Scenario(seed: 5).ride(.seconds(120)), 1.2...6),
      ("walk", Scenario(seed: 5).walk(.seconds(60), carrying: .pocket), 2.2...11),
      ("run", Scenario(seed: 5).run(.seconds(60)), 9...30),
    ]
    var last = 0.0
    for (name, scenario, range) in cases {
      let level = span(scenario, from: 5, to: Double(scenario.recording().seconds - 5)).level
      #expect(range.contains(level), "\(name): \(level)")
      #expect(level > last, "\(name) is more lively than the case before")
      last = level
    }
  }

  @Test func aHaltIsQuieterThanTheDrive() {
    let scenario = Scenario(seed: 6).drive(.seconds(60), speed: 12).stop(.seconds(30))
    #expect(
      span(scenario, from: 65, to: 85).level < 0.3 * span(scenario, from: 10, to: 50).level)
  }

  @Test func brakingIsMeasuredAlongTheHeading() {
    let scenario = Scenario(seed: 7).drive(.seconds(60), speed: 18, turning: nil)
    let recording = scenario.recording()
    let truth = recording.truth()
    // The mean over the braking's middle 4 s against cruising, where there is vibration only.
    let braking = span(scenario, from: 53, to: 57)
    let cruise = span(scenario, from: 25, to: 45)
    let difference = [
      mean(braking.x) - mean(cruise.x), mean(braking.y) - mean(cruise.y),
      mean(braking.z) - mean(cruise.z),
    ]
    let felt = difference.map { $0 * $0 }.reduce(0, +).squareRoot()
    let expected = (truth[53].speed - truth[57].speed) / 4
    #expect(expected > 1.5)
    #expect(abs(felt - expected) < 0.25)
  }

  @Test func aNarrowSensorSaturates() {
    let scenario = Scenario(seed: 8, phone: .narrowRange).run(.seconds(20))
    let run = span(scenario)
    let limit = 2 * 9.80665
    let all = run.x + run.y + run.z
    #expect(all.allSatisfy { abs($0) <= limit + 1e-6 })
    #expect(all.contains { abs($0) > limit - 1e-6 })
  }

  @Test func aGyroscopeGivesARateWithEachAcceleration() {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    let batch = Scenario(seed: 9, phone: phone).rest(.seconds(30)).walk(.seconds(30)).recording()
      .wholeBatch()
    #expect(batch.rotationRates.timestamps == batch.accelerations.timestamps)
    let still = batch.rotationRates.x[..<2900].map(Double.init)
    #expect(abs(variance(still).squareRoot() - 0.003) < 0.0003)
    // A thigh swings through ±8° at 0.9 Hz: 0.56 rad/s RMS on the axis to the left.
    let rates = batch.rotationRates
    let squares = (3500..<5500).map { index -> Double in
      let (x, y, z) = (rates.x[index], rates.y[index], rates.z[index])
      return Double(x * x + y * y + z * z)
    }
    #expect(abs(mean(squares).squareRoot() - 0.56) < 0.1)
    #expect(
      Scenario(seed: 9).rest(.seconds(5)).recording().wholeBatch().rotationRates.count == 0)
  }

  @Test func handlingRaisesTheLevel() {
    let scenario = Scenario(seed: 10).rest(.minutes(20), handlingsPerHour: 30)
    let quiet = Scenario(seed: 10).rest(.minutes(20))
    #expect(span(scenario).level > 3)
    #expect(span(quiet).level < 0.05)
  }
}
