import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct OdometerTests {
  private func estimate(
    _ second: Double, _ position: SIMD2<Double>, speed: Double?, radius: Double = 5
  ) -> LocationEstimate {
    let place = Journey.plane.geodetic(position)
    return LocationEstimate(
      timestamp: .at(second), latitude: place.latitude, longitude: place.longitude,
      radius68: radius, speed: speed, speedDeviation: speed.map { _ in 0.4 }, course: nil)
  }

  @Test func aStraightWayIsAsLongAsItsChords() {
    var odometer = Odometer()
    for second in 0...100 {
      odometer.update(
        with: estimate(Double(second), SIMD2(7 * Double(second), 0), speed: 7), state: .moving)
    }
    #expect(abs(odometer.distance - 700) < 1)
    // .25 % of the way, the errors of the ends (3.3 m each) and what is left in a hundred chords.
    #expect(odometer.deviation > 3 && odometer.deviation < 40)
    odometer.reset()
    #expect(odometer.distance == 0 && odometer.deviation == 0)
  }

  /// A circle of 100 m radius at 5 m/s: by a clock the chords tell of the arcs between them.
  @Test(arguments: [1.0, 5, 10, 20]) func anArcIsLongerThanItsChords(interval: Double) {
    var odometer = Odometer()
    for second in stride(from: 0.0, through: 1_200, by: interval) {
      let angle = 5 * second / 100
      odometer.update(
        with: estimate(second, 100 * SIMD2(cos(angle), sin(angle)), speed: 5, radius: 1),
        state: .moving)
    }
    #expect(abs(odometer.distance / 6_000 - 1) < 0.08)
  }

  /// A square whose corners alone are kept, at irregular times: no way lies beside the chords.
  @Test func aWayThatIsKeptAtItsTurnsIsTheSumOfItsChords() {
    var odometer = Odometer()
    var (time, position, way) = (0.0, SIMD2<Double>.zero, 0.0)
    for side in 0..<60 {
      odometer.update(with: estimate(time, position, speed: 5, radius: 1), state: .moving)
      let length = 50.0 + Double(side * side % 17) * 30
      let directions = [SIMD2(1.0, 0), SIMD2(0, 1), SIMD2(-1, 0), SIMD2(0, -1)]
      position += length * directions[side % 4]
      time += length / 5
      way += length
    }
    odometer.update(with: estimate(time, position, speed: 5, radius: 1), state: .moving)
    #expect(abs(odometer.distance / way - 1) < 0.02)
  }

  @Test func aPauseBetweenTwoPartsOfAWayAddsNothing() {
    var odometer = Odometer()
    for second in 0..<200 {
      // Two minutes without an estimate, and on from there.
      let time = Double(second) + (second < 100 ? 0 : 120)
      odometer.update(
        with: estimate(time, SIMD2(3 * Double(second), 0), speed: 3, radius: 3), state: .moving)
    }
    #expect(abs(odometer.distance - 597) < 3)
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
      let now = Timestamp.at(second)
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
    // Beyond both radii a place without a speed is no guess.
    #expect(abs(odometer.distance - 2_400) < 1)
    #expect(odometer.deviation > 5 && odometer.deviation < 240)
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
}
