import BenchmarkScores
import Foundation
import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

struct FilterBaselineTests {
  private let script = TrackScript()

  // MARK: Scalar random walk

  @Test func secondFixIsWeightedByTheGrownVariance() {
    let fixes = [script.fix(0, accuracy: 8), script.fix(3, north: 100, accuracy: 6)]
    let points = ScalarRandomWalkBaseline().points(for: fixes)
    let predicted = 64.0 + 3 * 16
    let gain = predicted / (predicted + 36)
    let expected = fixes[0].latitude + gain * (fixes[1].latitude - fixes[0].latitude)
    #expect(points[1].map { abs($0.latitude - expected) < 1e-13 } ?? false)
    #expect(points[1]?.radius68 == 6)
  }

  @Test func randomWalkLagsBehindADriveByItsSteadyStateGain() {
    // Steady state at 1 Hz: M = (Q + √(Q² + 4QR))/2, K = M/(M + R), lag v·(1 − K)/K.
    let (q, r, v) = (16.0, 100.0, 15.0)
    let m = (q + (q * q + 4 * q * r).squareRoot()) / 2
    let lag = v * r / m
    let fixes = (0..<200).map { script.fix(Double($0), north: v * Double($0), accuracy: 10) }
    let last = ScalarRandomWalkBaseline().points(for: fixes)[199]
    #expect(last.map { abs(v * 199 - script.position($0).y - lag) < 1e-3 } ?? false)
  }

  @Test func randomWalkIgnoresFixesNotLaterThanTheNewest() {
    let fixes = [script.fix(5), script.fix(5, east: 9), script.fix(4, east: 9), script.fix(6)]
    let points = ScalarRandomWalkBaseline().points(for: fixes)
    #expect(points.map { $0 != nil } == [true, false, false, true])
  }

  @Test func randomWalkDetectsADriveAndARestAndIsUncertainOnBadFixes() {
    func last(_ fixes: [LocationFix]) -> MovingState? {
      ScalarRandomWalkBaseline().points(for: fixes).last??.movingState
    }
    #expect(
      last((0..<60).map { script.fix(Double($0), east: 10 * Double($0), speed: 10) }) == .moving)
    #expect(last((0..<60).map { script.fix(Double($0), speed: 0) }) == .stationary)
    #expect(last((0..<60).map { script.fix(Double($0), accuracy: 400) }) == .uncertain)
    // Without an older group there is no comparison.
    #expect(last([script.fix(0)]) == .uncertain)
  }

  // MARK: Four states in degrees

  @Test func degreeStateMatchesTheDenseFilter() {
    var random = SplitMix64(seed: 7)
    var fixes: [LocationFix] = []
    var seconds = 0.0
    for k in 0..<60 {
      seconds += 0.5 + random.nextUniform()
      let hasVelocity = k % 11 != 5
      fixes.append(
        script.fix(
          seconds, east: 12 * seconds + 5 * random.nextNormal(), north: 5 * random.nextNormal(),
          accuracy: k % 13 == 3 ? nil : 0.5 + 20 * random.nextUniform(),
          speed: hasVelocity ? 12 + random.nextNormal() : nil, course: hasVelocity ? 88 : nil))
    }
    let points = DegreeStateBaseline().points(for: fixes)
    for (point, expected) in zip(points, denseDegreeFilter(fixes)) {
      guard let point else {
        Issue.record("no point at \(expected)")
        continue
      }
      // Another order of operations on a matrix whose condition is 10⁵.
      #expect(abs(point.latitude - expected.x) < 1e-10)
      #expect(abs(point.longitude - expected.y) < 1e-10)
    }
  }

  /// The filter in textbook form: four states, matrices, (I − KH)P with H = I.
  private func denseDegreeFilter(_ fixes: [LocationFix]) -> [SIMD2<Double>] {
    typealias Matrix = [[Double]]
    func product(_ a: Matrix, _ b: Matrix) -> Matrix {
      a.map { row in
        (0..<b[0].count).map { j in row.indices.reduce(0) { $0 + row[$1] * b[$1][j] } }
      }
    }
    func transposed(_ a: Matrix) -> Matrix {
      (0..<a[0].count).map { j in a.map { $0[j] } }
    }
    func diagonal(_ d: [Double]) -> Matrix {
      d.indices.map { i in d.indices.map { $0 == i ? d[i] : 0 } }
    }
    func sum(_ a: Matrix, _ b: Matrix, _ sign: Double = 1) -> Matrix {
      zip(a, b).map { zip($0, $1).map { $0 + sign * $1 } }
    }
    var x: [Double] = []
    var p = diagonal([1e-4, 1e-4, 1e-4, 1e-4])
    return fixes.indices.map { index in
      let fix = fixes[index]
      let north = 111_320.0
      let east = north * cos(fix.latitude * .pi / 180)
      let isValid = fix.speed != nil && fix.course != nil
      let course = (fix.course ?? 0) * .pi / 180
      let speed = isValid ? fix.speed ?? 0 : 0
      let z = [
        fix.latitude, fix.longitude, speed * cos(course) / north, speed * sin(course) / east,
      ]
      guard index > 0 else {
        x = z
        return SIMD2(x[0], x[1])
      }
      let dt = fix.timestamp.seconds(since: fixes[index - 1].timestamp)
      let f: Matrix = [[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]]
      x = product(f, x.map { [$0] }).map { $0[0] }
      p = sum(product(product(f, p), transposed(f)), diagonal([1e-10, 1e-10, 0.1, 0.1]))
      let mean = (north + east) / 2
      let a = pow(max(fix.horizontalAccuracy ?? 1, 1) / mean, 2)
      let b = pow((isValid ? 0.5 : 0.01) / mean, 2)
      let s = transposed(sum(p, diagonal([a, a, b, b])))
      // K·S = P, row by row.
      let k = p.map { solution(s, $0) }
      let innovation = zip(z, x).map { [$0 - $1] }
      x = zip(x, product(k, innovation)).map { $0 + $1[0] }
      p = product(sum(diagonal([1, 1, 1, 1]), k, -1), p)
      return SIMD2(x[0], x[1])
    }
  }

  @Test func degreeStateFollowsSpeedsAtOnce() {
    let fixes = (0..<30).map {
      script.fix(Double($0), north: 20 * Double($0), accuracy: 50, speed: 20, course: 0)
    }
    let points = DegreeStateBaseline().points(for: fixes)
    // Without noise, the only error is 111,320 m for a degree of latitude: 0.12 % of the
    // prediction.
    for (index, point) in points.enumerated() {
      #expect(point.map { abs(script.position($0).y - 20 * Double(index)) < 1 } ?? false)
    }
    #expect(points.last??.movingState == .moving)
  }

  @Test func invalidVelocitiesHoldThePositionAgainstTheMeasurements() {
    // 20 m/s north without a course: taken as a standstill with a standard deviation of 1 cm/s.
    let fixes = (0..<60).map {
      script.fix(Double($0), north: 20 * Double($0), accuracy: 20, speed: 20)
    }
    let last = DegreeStateBaseline().points(for: fixes)[59]
    #expect(last.map { 20 * 59 - script.position($0).y > 100 } ?? false)
    #expect(last?.movingState == .stationary)
  }

  @Test func anUnknownAccuracyHasTheLargestGain() {
    var fixes = (0..<30).map { script.fix(Double($0), accuracy: 10, speed: 0, course: 0) }
    fixes.append(script.fix(30, east: 1_000, accuracy: nil, speed: 0, course: 0))
    let jumped = DegreeStateBaseline().points(for: fixes)[30]
    fixes[30] = script.fix(30, east: 1_000, accuracy: 30, speed: 0, course: 0)
    let known = DegreeStateBaseline().points(for: fixes)[30]
    // The predicted variance is at least the process noise of (1.1 m)², against measurement
    // variances of 1 and 900 m².
    #expect(jumped.map { script.position($0).x > 500 } ?? false)
    #expect(known.map { script.position($0).x < 50 } ?? false)
  }

  @Test func degreeStateMovingStateUsesMeanAndDeviationOfTenSeconds() {
    func last(_ speed: (Int) -> Double) -> MovingState? {
      let fixes = (0..<40).map {
        script.fix(Double($0), accuracy: 5, speed: speed($0), course: 0)
      }
      return DegreeStateBaseline().points(for: fixes).last??.movingState
    }
    #expect(last { _ in 0.3 } == .stationary)
    #expect(last { _ in 0.7 } == .moving)
    // The mean is 0.4, but the deviation is too large.
    #expect(last { $0.isMultiple(of: 2) ? 0 : 0.8 } == .moving)
  }

  // MARK: Constant velocity

  private func smoothing(density: Double = 1) -> ConstantVelocityBaseline {
    var settings = ConstantVelocityBaseline.Settings()
    settings.accelerationDensity = density
    settings.isSmoothed = true
    return ConstantVelocityBaseline(settings: settings)
  }

  @Test func smootherSolvesTheNormalEquationsOfTheTrack() {
    // Against the normal equations of the whole track, in one axis.
    var random = SplitMix64(seed: 3)
    let times = [0.0, 1, 2.5, 3, 6, 7, 7.5, 9]
    let fixes = times.map {
      script.fix($0, north: 40 * random.nextNormal(), accuracy: 5 + 20 * random.nextUniform())
    }
    let measured = fixes.map {
      script.plane.position(latitude: $0.latitude, longitude: $0.longitude).y
    }
    let plane = LocalTangentPlane(latitude: fixes[0].latitude, longitude: fixes[0].longitude)
    let n = times.count
    var (a, b) = (
      [[Double]](repeating: Array(repeating: 0, count: 2 * n), count: 2 * n),
      [Double](repeating: 0, count: 2 * n)
    )
    func add(_ terms: [(Int, Double)], _ weight: Double, _ value: Double) {
      for (i, x) in terms {
        b[i] += weight * x * value
        for (j, y) in terms { a[i][j] += weight * x * y }
      }
    }
    for (k, fix) in fixes.enumerated() {
      let deviation = (fix.horizontalAccuracy ?? 0) / 1.515
      add([(2 * k, 1)], 1 / (deviation * deviation), measured[k])
    }
    add([(1, 1)], 1 / 900.0, 0)
    for k in 1..<n {
      let dt = times[k] - times[k - 1]
      // Q⁻¹ of white acceleration by its factors: velocity, and position given velocity.
      let rate = [(2 * k + 1, 1.0), (2 * k - 1, -1.0)]
      let place = [
        (2 * k, 1.0), (2 * k - 2, -1.0), (2 * k - 1, -dt / 2), (2 * k + 1, -dt / 2),
      ]
      add(rate, 1 / dt, 0)
      add(place, 12 / (dt * dt * dt), 0)
    }
    let expected = solution(a, b)
    let points = smoothing().points(for: fixes)
    for k in 0..<n {
      // The filter's plane is at the first fix; both planes agree to a nanometre here.
      let found = points[k].map {
        plane.position(latitude: $0.latitude, longitude: $0.longitude).y + measured[0]
      }
      #expect(found.map { abs($0 - expected[2 * k]) < 1e-6 } ?? false)
    }
  }

  @Test func filterAndSmootherAgreeAtTheEnd() {
    let fixes = (0..<50).map { (k: Int) -> LocationFix in
      script.fix(Double(k), east: 3 * Double(k * k % 17), north: 8 * Double(k))
    }
    let live = ConstantVelocityBaseline().points(for: fixes)
    let later = smoothing().points(for: fixes)
    #expect(live[49] == later[49])
    #expect(live[20] != later[20])
  }

  @Test func withoutAccelerationTheSmootherFitsAStraightLine() {
    let north = [0.0, 3, -2, 5, 1, 4]
    let fixes = north.enumerated().map { script.fix(Double($0), north: $1, accuracy: 1) }
    let points = smoothing(density: 1e-9).points(for: fixes)
    // Least squares: mean 11/6 at 2.5 s, slope Σ(t − 2.5)·y/17.5.
    let slope = 10.5 / 17.5
    for (second, point) in points.enumerated() {
      let expected = 11.0 / 6 + slope * (Double(second) - 2.5)
      // The prior of the velocity, 30 m/s, leaves 3·10⁻⁵ of the slope.
      #expect(point.map { abs(script.position($0).y - expected) < 1e-4 } ?? false)
    }
  }

  @Test func aDriveOverManyPlanesStaysOnItsLine() {
    // 240 km north along a meridian at 40 m/s: the plane is moved a dozen times.
    let radius = 6_400_000.0
    let fixes = (0..<6_000).map {
      LocationFix(
        timestamp: TrackScript.time(Double($0)),
        latitude: 40 + 40 * Double($0) / radius * 180 / .pi, longitude: 179.999_9,
        horizontalAccuracy: 5)
    }
    for baseline in [ConstantVelocityBaseline(), smoothing()] {
      let points = baseline.points(for: fixes)
      for (fix, point) in zip(fixes, points).dropFirst(100) {
        let error = point.map {
          Geodesic(from: (fix.latitude, fix.longitude), to: ($0.latitude, $0.longitude)).distance
        }
        // The curvature over the 20 km of a plane: a centripetal 10⁻³ m/s² at most.
        #expect(error.map { $0 < 0.05 } ?? false)
      }
    }
  }

  @Test func claimedRadiusIsThatOfTheSteadyCovariance() {
    // A second fix at nearly the same instant: var = P·R/(P + R).
    let fixes = [script.fix(0, accuracy: 15.15), script.fix(0.001, accuracy: 15.15)]
    let radius = ConstantVelocityBaseline().points(for: fixes)[1]?.radius68
    let variance = 1 / (1 / (100 + 900e-6) + 1 / 100.0)
    #expect(radius.map { abs($0 - 1.515 * variance.squareRoot()) < 1e-6 } ?? false)
  }

  /// Over many drives whose fixes share an offset, the mean squared error is what the filter that
  /// considers the offset claims, and far above what the plain one does.
  @Test func consideringAnOffsetMakesTheClaimedRadiusTrue() throws {
    var considering = ConstantVelocityBaseline.Settings()
    considering.offsetFraction = 0.5
    considering.offsetMemory = 1e9
    var random = SplitMix64(seed: 4)
    func claimAndError(_ settings: ConstantVelocityBaseline.Settings) throws -> Double {
      var (claimed, found) = (0.0, 0.0)
      for _ in 0..<400 {
        // An accuracy of 15.15 m is a deviation of 10 m: 7.07 m of offset and as much of noise.
        let offset = SIMD2(random.nextNormal(), random.nextNormal()) * 50.0.squareRoot()
        let fixes = (0..<60).map { second in
          let noise = SIMD2(random.nextNormal(), random.nextNormal()) * 50.0.squareRoot()
          let error = offset + noise
          return script.fix(
            Double(second), east: 10 * Double(second) + error.x, north: error.y, accuracy: 15.15)
        }
        let baseline = ConstantVelocityBaseline(settings: settings)
        let last = try #require(baseline.points(for: fixes)[59])
        let error = script.position(last) - SIMD2(590, 0)
        claimed += 2 * pow(try #require(last.radius68) / 1.515, 2)
        found += (error * error).sum()
      }
      return found / claimed
    }
    #expect(abs(try claimAndError(considering) - 1) < 0.15)
    #expect(try claimAndError(.init()) > 1.5)
  }
}
