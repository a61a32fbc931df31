import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

struct OdometerTests {
  private func estimate(
    _ second: Double, _ position: SIMD2<Double>, speed: Double?, radius: Double = 5
  ) -> LocationEstimate {
    let place = Journey.plane.geodetic(position)
    return LocationEstimate(
      timestamp: Journey.time(second), latitude: place.latitude, longitude: place.longitude,
      radius68: radius, speed: speed, speedDeviation: speed.map { _ in 0.4 }, course: nil)
  }

  @Test func constantSpeedIsIntegratedExactly() {
    var odometer = Odometer()
    for second in 0...100 {
      odometer.update(
        with: estimate(Double(second), SIMD2(7 * Double(second), 0), speed: 7), state: .moving)
    }
    #expect(abs(odometer.distance - 700) < 1e-9)
    // 2·σ²·τ·T with σ = 0.4 m/s, τ = 5 s, T = 100 s.
    #expect(abs(odometer.deviation - (2 * 0.16 * 5 * 100.0).squareRoot()) < 1e-9)
  }

  @Test func aPhoneOnATableGoesNowhere() {
    var odometer = Odometer()
    var filter = LocationFilter()
    var detector = MovingStateDetector()
    var random = SplitMix64(seed: 16)
    let table = AccelerationEvidence(level: 0.02)
    for second in 0..<20_000 {
      // Errors of 20 m, and every half hour a minute somewhere else.
      let jump = second % 1_800 > 1_740 ? SIMD2(80.0, 0) : .zero
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 20
      let isFresh = second % 7 == 0
      if isFresh {
        _ = filter.update(
          with: Journey.fix(at: Double(second), error + jump, accuracy: 25), acceleration: table)
      }
      let now = Journey.time(Double(second))
      let location = filter.estimate(at: now)
      let decision = detector.update(
        at: now, location: location, isFresh: isFresh, acceleration: table)
      if let location { odometer.update(with: location, state: decision.state) }
    }
    #expect(odometer.distance == 0 && odometer.deviation == 0)
  }

  @Test func aGapIsBridgedByItsChord() {
    var odometer = Odometer()
    odometer.update(with: estimate(0, .zero, speed: 20), state: .moving)
    odometer.update(with: estimate(60, SIMD2(900, 0), speed: nil), state: .moving)
    odometer.update(with: estimate(120, SIMD2(2_400, 0), speed: 20), state: .moving)
    #expect(abs(odometer.distance - 2_400) < 1e-3)
    // Beyond both radii a place without a speed is no guess. The ends know 5 m each, the detour is
    // a fifth of each chord.
    #expect(abs(odometer.deviation - (50 + 180.0 * 180 + 300 * 300).squareRoot()) < 1e-3)
  }

  @Test func atRestNothingIsAddedEvenIfThePositionWanders() {
    var odometer = Odometer()
    for second in 0..<100 {
      let position = SIMD2(Double(second % 10) * 10, 0)
      odometer.update(
        with: estimate(Double(second), position, speed: 0.4), state: .stationary)
    }
    #expect(odometer.distance == 0)
  }

  @Test func clockJumpsAndStrangeEstimatesAddNothing() {
    var odometer = Odometer()
    odometer.update(with: estimate(100, .zero, speed: 10), state: .moving)
    odometer.update(with: estimate(50, SIMD2(5_000, 0), speed: 10), state: .moving)
    odometer.update(with: estimate(50, SIMD2(9_000, 0), speed: 10), state: .moving)
    odometer.update(with: estimate(51, .zero, speed: .nan), state: .moving)
    odometer.update(with: estimate(52, .zero, speed: 1e308), state: .moving)
    odometer.update(with: estimate(1e6, SIMD2(9e5, 0), speed: 10), state: .moving)
    #expect(odometer.distance == 0)
  }

  @Test func resettingForgetsTheDistance() {
    var odometer = Odometer()
    for second in 0..<50 {
      odometer.update(
        with: estimate(Double(second), SIMD2(Double(second), 0), speed: 1), state: .moving)
    }
    #expect(odometer.distance > 0)
    odometer.reset()
    #expect(odometer.distance == 0)
  }
}
