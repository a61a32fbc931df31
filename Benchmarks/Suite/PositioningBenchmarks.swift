import BenchmarkHarness
import CBenchmarkReference
import LocomotionPositioning
import LocomotionSensing
import SensorSimulator

/// The location filter, its smoother, the moving state and the odometer.
enum PositioningBenchmarks {
  static func items() -> [Suite.Item] {
    [
      .comparison(Comparison("Positioning/fix", [denseFilter(), filter()])),
      .entry(step()), .entry(detector()),
      .entry(odometer()),
      .entry(smoother()),
    ]
  }

  /// Twenty minutes of walking, driving and stops, one fix per second.
  private static func fixes() -> [LocationFix] {
    var phone = SimulatedPhone()
    phone.sampleRate = 1
    return Scenario(seed: 1, phone: phone).walk(.minutes(5), sky: .urban).stop(.minutes(2))
      .drive(.minutes(6)).stop(.minutes(1)).drive(.minutes(6)).recording()
      .batches(everySeconds: 60).flatMap(\.fixes)
  }

  /// A plain filter in C on positions in metres: the cost of a fix without the safeguards of the
  /// location filter.
  private static func denseFilter() -> Entry {
    let numbers = planeFixes()
    let count = numbers.count / 6
    return Entry("Positioning/dense four-state step in C", items: count, unit: "fixes") {
      { blackHole(unsafe dense_kalman_track(numbers, count)) }
    }
  }

  /// The fixes for filters in the plane, six numbers each; see `dense_kalman.h`.
  static func planeFixes() -> [Double] {
    let fixes = fixes()
    let plane = LocalTangentPlane(latitude: fixes[0].latitude, longitude: fixes[0].longitude)
    return fixes.flatMap { fix -> [Double] in
      let position = plane.position(latitude: fix.latitude, longitude: fix.longitude)
      return [position.x, position.y, 30, fix.speed ?? 0, 0, 0.2]
    }
  }

  /// The result of the plain filter in C on ``planeFixes()``: the sum of its last state.
  static func denseSum() -> Double {
    let numbers = planeFixes()
    return unsafe dense_kalman_track(numbers, numbers.count / 6)
  }

  /// The filter's own predict and update steps on the input of the plain filters, with a fix error
  /// of 0.
  private static func step() -> Entry {
    let numbers = planeFixes()
    let count = numbers.count / 6
    precondition(abs(stepSum(numbers) - denseSum()) < 1e-6 * abs(denseSum()))
    return Entry("Positioning/four-state step", items: count, unit: "fixes") {
      { blackHole(stepSum(numbers)) }
    }
  }

  private static func stepSum(_ numbers: [Double]) -> Double {
    var state = KinematicState(
      position: SIMD2(numbers[0], numbers[1]), velocity: SIMD2(numbers[3], numbers[4]),
      fixError: .zero,
      covariance: AxisCovariance(pp: 100, pv: 0, pu: 0, vv: 10, vu: 0, uu: 1))
    let second = KinematicState.Transition(
      drift: 1, velocityKept: 1, fixErrorKept: 1,
      noise: AxisCovariance(pp: 2.0 / 3, pv: 1, pu: 0, vv: 2, vu: 0, uu: 0))
    for first in stride(from: 6, to: numbers.count, by: 6) {
      state.predict(second)
      state.update(
        .position(
          SIMD2(numbers[first], numbers[first + 1]), variance: numbers[first + 2]))
      state.update(
        .velocity(
          SIMD2(numbers[first + 3], numbers[first + 4]), variance: numbers[first + 5]))
    }
    return state.position.sum() + state.velocity.sum()
  }

  private static func filter() -> Entry {
    let fixes = fixes()
    return Entry("Positioning/LocationFilter.update", items: fixes.count, unit: "fixes") {
      var filter = LocationFilter()
      let evidence = AccelerationEvidence(level: 0.4)
      return {
        filter.reset()
        for fix in fixes {
          _ = filter.update(with: fix, acceleration: evidence)
          blackHole(filter.estimate(at: fix.timestamp)?.latitude ?? 0)
        }
      }
    }
  }

  private static func detector() -> Entry {
    let estimates = estimates()
    return Entry(
      "Positioning/MovingStateDetector.update", items: estimates.count, unit: "estimates"
    ) {
      var detector = MovingStateDetector()
      let evidence = AccelerationEvidence(level: 0.4)
      return {
        detector.reset()
        for estimate in estimates {
          let decision = detector.update(
            at: estimate.timestamp, location: estimate, isFresh: true, acceleration: evidence)
          blackHole(decision.probability)
        }
      }
    }
  }

  private static func odometer() -> Entry {
    let estimates = estimates()
    return Entry("Positioning/Odometer.update", items: estimates.count, unit: "estimates") {
      var odometer = Odometer()
      return {
        odometer.reset()
        for estimate in estimates { odometer.update(with: estimate, state: .moving) }
        blackHole(odometer.distance)
      }
    }
  }

  private static func estimates() -> [LocationEstimate] {
    var filter = LocationFilter()
    return fixes().compactMap { fix in
      _ = filter.update(with: fix, acceleration: nil)
      return filter.estimate(at: fix.timestamp)
    }
  }

  /// A whole track at once; it returns an array and therefore allocates.
  private static func smoother() -> Entry {
    let fixes = fixes()
    return Entry(
      "Positioning/LocationSmoother.smoothed", items: fixes.count, unit: "fixes",
      isAllocationFree: false
    ) {
      let smoother = LocationSmoother()
      return {
        blackHole(smoother.estimates(for: fixes, mode: .smoothed).count)
      }
    }
  }
}
