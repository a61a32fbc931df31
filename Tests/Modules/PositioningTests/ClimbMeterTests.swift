import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct ClimbMeterTests {
  private func estimate(
    _ altitude: Double, deviation: Double = 3, barometric: Bool = false
  ) -> AltitudeFilter.Estimate {
    AltitudeFilter.Estimate(
      altitude: altitude, deviation: deviation, climbRate: 0,
      barometricAltitude: barometric ? altitude + 40 : nil)
  }

  /// What a meter makes of altitudes, one per second.
  private func meter(
    _ altitudes: [Double], deviation: Double = 3, barometric: Bool = false,
    isMoving: (Int) -> Bool = { _ in true }
  ) -> ClimbMeter {
    var meter = ClimbMeter()
    for (second, altitude) in altitudes.enumerated() {
      meter.update(
        with: estimate(altitude, deviation: deviation, barometric: barometric),
        at: .at(second), isMoving: isMoving(second))
    }
    return meter
  }

  /// An exponentially correlated error.
  private func noise(_ count: Int, _ deviation: Double, memory: Double, seed: UInt64) -> [Double] {
    var random = SplitMix64(seed: seed)
    let kept = exp(-1 / memory)
    var value = random.nextNormal()
    return (0..<count).map { _ in
      defer { value = kept * value + (1 - kept * kept).squareRoot() * random.nextNormal() }
      return deviation * value
    }
  }

  /// What a filter and a meter make of the altitudes of fixes, one in `step` seconds.
  private func track(
    _ altitudes: [Double], step: Int = 1, accuracy: Double? = nil
  ) -> (total: AltitudeChange, deviation: Double) {
    var (filter, meter, deviation) = (AltitudeFilter(), ClimbMeter(), 0.0)
    for second in stride(from: 0, to: altitudes.count, by: step) {
      let time = Timestamp.at(second)
      filter.update(
        with: LocationFix(
          timestamp: time, latitude: 48, longitude: 11, altitude: altitudes[second],
          horizontalAccuracy: accuracy))
      guard let estimate = filter.estimate(at: time) else { continue }
      meter.update(with: estimate, at: time, isMoving: true)
      deviation = estimate.shortTermDeviation
    }
    return (meter.total, deviation)
  }

  /// A hike of two hours: hills of 60 m on the way up to a pass 400 m higher, and down again.
  private func hike(_ second: Int) -> Double {
    let phase = Double(second) / 7_200 * 2 * Double.pi
    return 500 + 200 * (1 - cos(phase)) + 30 * (1 - cos(8 * phase))
  }

  /// What the hike climbs, metres: the sum of the rises of its profile.
  private var hikeClimb: Double {
    (1..<7_200).reduce(0) { $0 + max(hike($1) - hike($1 - 1), 0) }
  }

  @Test func aWatchWithABarometerIsBelieved() {
    // GIVEN altitudes of a barometer without any accuracy, rounded to 0.2 m as FIT has them, under
    // a passing low
    var random = SplitMix64(seed: 4)
    let altitudes = (0..<7_200).map { second in
      let weather = 8 * sin(Double(second) / 9_000)
      return ((hike(second) + weather + 0.2 * random.nextNormal()) * 5).rounded() / 5
    }
    for (step, tolerance) in [(1, 0.03), (5, 0.03), (30, 0.05), (60, 0.1)] {
      // WHEN they are recorded each second or more rarely
      let (total, deviation) = track(altitudes, step: step)
      // THEN the climb is that of the profile, and of the way back
      #expect(abs(total.climb - hikeClimb) < tolerance * hikeClimb, "each \(step) s")
      #expect(abs(total.climb - hikeClimb) < total.climbDeviation, "each \(step) s")
      #expect(abs(total.climb - total.descent) < total.climbDeviation, "each \(step) s")
      #expect(deviation < 0.5, "each \(step) s: \(deviation) m")
      // The datum of a barometer is no better known for that.
      #expect(abs((total.highest?.altitude ?? 0) - 900) < 60 && total.lowest?.altitude ?? 0 > 490)
      #expect(total.highest?.deviation ?? 0 > 5)
    }
  }

  @Test func aFlatRunOfTenKilometresClimbsLessThanTenMetres() {
    for accuracy in [nil, 5.0] {
      var climbs: [Double] = []
      for seed in 0..<10 {
        // GIVEN a receiver that errs by 3 m for a minute, and by 0.5 m from second to second
        var random = SplitMix64(seed: UInt64(seed) + 900)
        let errors = noise(3_300, 3, memory: 60, seed: UInt64(seed)).map {
          100 + $0 + 0.5 * random.nextNormal()
        }
        // WHEN it runs 10 km on the flat
        let (total, deviation) = track(errors, accuracy: accuracy)
        // THEN the track shows how much it errs
        #expect(1.5...6 ~= deviation)
        climbs.append(total.climb)
      }
      let mean: Double = climbs.reduce(0, +) / 10
      #expect(mean < 10, "\(climbs)")
      #expect(climbs.sorted()[7] < 10, "\(climbs)")
    }
  }

  @Test func aHikeByAReceiverIsWithinItsDeviation() {
    for step in [1, 5, 30] {
      var (within, returns) = (0, 0)
      for seed in 0..<20 {
        let errors = noise(7_200, 3, memory: 60, seed: UInt64(seed) + 300)
        let total = track(
          errors.enumerated().map { hike($0) + $1 }, step: step, accuracy: 5
        ).total
        within += abs(total.climb - hikeClimb) <= total.climbDeviation ? 1 : 0
        returns += abs(total.climb - total.descent) <= total.climbDeviation ? 1 : 0
      }
      #expect(within >= 12, "each \(step) s: \(within) of 20")
      #expect(returns >= 14, "each \(step) s: \(returns) of 20")
    }
  }

  @Test func aJumpOfAReceiverIsNoClimb() {
    let jump = (0..<1_200).map { $0 < 600 ? 48.0 : 84.0 }
    #expect(meter(jump, deviation: 0.5).total.climb == 0)
    let lift = (0..<1_200).map { min(max(Double($0) - 600, 0) * 9, 36) }
    #expect(meter(lift, deviation: 0.5).total.climb == 36)
  }

  @Test func threeFloorsAreClimbedWithABarometer() {
    let stairs = (0..<60).map { min(Double($0) * 0.3, 9) } + [Double](repeating: 9, count: 30)
    let total = meter(stairs, barometric: true).total
    #expect(abs(total.climb - 9) < 1e-9 && total.descent == 0)
    #expect(total.resolution == 2 && total.climbDeviation > 2 && total.climbDeviation < 3)
  }

  @Test func tremorsBelowTheThresholdAreNoClimb() {
    let tremor = (0..<1_000).map { $0 % 2 == 0 ? 0.0 : 1.9 }
    let total = meter(tremor, barometric: true).total
    #expect(total.climb == 0 && total.descent == 0)
  }

  @Test func aRestAddsNothingWhateverTheWeatherDoes() {
    let weather = (0..<7_200).map { 30 * sin(Double($0) / 1_000) }
    let total = meter(weather, barometric: true) { _ in false }.total
    #expect(total.climb == 0 && total.descent == 0)
  }

  /// A lift of ten floors, and stairs down at a slow pace, in a place that nobody left.
  @Test func aClimbAtOnePlaceCounts() {
    let weather = (0..<3_600).map { 4 * sin(Double($0) / 1_000) }
    let lift = weather.enumerated().map { second, drift in
      drift + min(max(Double(second) - 600, 0) * 1.5, 30)
        - min(max(Double(second) - 2_000, 0) * 0.2, 12)
    }
    let total = meter(lift, barometric: true) { _ in false }.total
    #expect(abs(total.climb - 30) < 1.5 && abs(total.descent - 12) < 1.5)
  }

  /// The first value of a barometer may be an old one.
  @Test func aJumpOfTheSensorIsNoClimb() {
    for isMoving in [false, true] {
      let total = meter([-40] + [Double](repeating: 0, count: 60), barometric: true) { _ in
        isMoving
      }.total
      #expect(total.climb == 0 && total.descent == 0)
    }
  }

  @Test func aDriftAtRestIsLeftOutOfTheClimbAroundIt() {
    let up = (0..<100).map(Double.init)
    let altitudes = up + (0..<600).map { 99 + Double($0) / 20 } + up.map { $0 + 129 }
    let total = meter(altitudes, barometric: true) { !(100..<700 ~= $0) }.total
    #expect(abs(total.climb - 198.05) < 0.1 && total.descent == 0)
  }

  @Test func theDeviationHoldsForHikesWithCorrelatedErrors() {
    var (within, all) = (0, 0)
    for amplitude in [15.0, 40, 200] {
      for (deviation, memory) in [(5.0, 60.0), (3, 60), (5, 15), (2, 120)] {
        for seed in 0..<4 {
          let errors = noise(7_200, deviation, memory: memory, seed: UInt64(seed) + 50)
          let altitudes = errors.enumerated().map { second, error in
            500 + amplitude * sin(Double(second) / 600) + error
          }
          let total = meter(altitudes, deviation: deviation).total
          // 12 rad: from 0 to the first crest, from trough to crest, and up from the last trough.
          let climb = amplitude * (1 + 2 + 1 + sin(12))
          all += 1
          if abs(total.climb - climb) <= total.climbDeviation { within += 1 }
        }
      }
    }
    #expect(within * 100 >= 60 * all, "\(within) of \(all)")
  }

  @Test func whatTheSmoothingHasNotSeenIsCountedWhenTheMotionEnds() {
    let pass = (0..<600).map { 900 - Double($0) } + [Double](repeating: 301, count: 60)
    let total = meter(pass) { $0 < 600 }.total
    #expect(abs(total.descent - 599) < 1 && total.climb == 0)
  }

  @Test func aBarometerThatPausesLosesNoClimb() {
    var meter = ClimbMeter()
    for second in 0..<3_600 {
      // Up 360 m, at 40 s without a barometer in every two minutes.
      meter.update(
        with: estimate(Double(second) / 10, barometric: second % 120 < 80),
        at: .at(second), isMoving: true)
    }
    #expect(abs(meter.total.climb - 360) < 5 && meter.total.descent == 0)
  }

  @Test func aChangeOfTheSourceAndALongGapAreNoClimb() {
    var meter = ClimbMeter()
    meter.update(with: estimate(100), at: .at(0), isMoving: true)
    meter.update(with: estimate(100, barometric: true), at: .at(1), isMoving: true)
    meter.update(with: estimate(100, barometric: true), at: .at(2), isMoving: true)
    meter.update(with: estimate(500, barometric: true), at: .at(700), isMoving: true)
    meter.update(with: estimate(.nan, barometric: true), at: .at(701), isMoving: true)
    #expect(meter.total.climb == 0)
    meter.update(with: estimate(510, barometric: true), at: .at(702), isMoving: true)
    #expect(meter.total.climb == 10)
  }
}
