import Foundation
import LocomotionPositioning
import TestSupport
import Testing

/// The update of the covariance by its minors against the textbook's forms.
struct KinematicStateTests {
  private typealias Matrix = DenseFilter.Matrix

  private func matrix(_ p: AxisCovariance) -> Matrix {
    [[p.pp, p.pv, p.pu], [p.pv, p.vv, p.vu], [p.pu, p.vu, p.uu]]
  }

  /// A state with a covariance that is far from singular: L·Lᵀ of a random L.
  private func state(_ random: inout SplitMix64) -> KinematicState {
    func pair() -> SIMD2<Double> { SIMD2(random.nextNormal(), random.nextNormal()) }
    let (a, b, c) = (1 + random.nextUniform(), random.nextNormal(), random.nextNormal())
    let (d, e, f) = (1 + random.nextUniform(), random.nextNormal(), 1 + random.nextUniform())
    return KinematicState(
      position: pair() * 10, velocity: pair(), fixError: pair(),
      covariance: AxisCovariance(
        pp: a * a, pv: a * b, pu: a * c, vv: b * b + d * d, vu: b * c + d * e,
        uu: c * c + e * e + f * f))
  }

  @Test func updatesAgreeWithJosephsForm() {
    var random = SplitMix64(seed: 43)
    for round in 0..<1_000 {
      let before = state(&random)
      let value = SIMD2(random.nextNormal(), random.nextNormal()) * 10
      let variance = 0.1 + random.nextUniform()
      let measurement: KinematicState.Measurement =
        switch round % 3 {
        case 0: .velocity(value, variance: variance)
        case 1: .position(value, variance: variance)
        default:
          .position(value, correlatedDeviation: 3 * random.nextUniform(), variance: variance)
        }
      var after = before
      after.update(measurement)

      // (I − K·h)·P·(I − K·h)ᵀ + r·K·Kᵀ, K = P·hᵀ / (h·P·hᵀ + r).
      let h = [[measurement.h.x, measurement.h.y, measurement.h.z]]
      let p = matrix(before.covariance)
      let ph = p.times(h.transposed)
      let total = h.times(ph)[0][0] + variance
      let gain = ph.map { [$0[0] / total] }
      let kept = DenseFilter.add(.identity(3), gain.times(h), -1)
      let reduced = DenseFilter.add(
        kept.times(p).times(kept.transposed),
        gain.map { [$0[0] * variance] }.times(gain.transposed))
      // Elements up to 20, in either form sums of products of up to four of them.
      for (own, expected) in zip(matrix(after.covariance), reduced) {
        for (a, b) in zip(own, expected) { #expect(abs(a - b) < 1e-11) }
      }
      for axis in 0..<2 {
        let x = [before.position[axis], before.velocity[axis], before.fixError[axis]]
        let difference = value[axis] - zip(h[0], x).reduce(0) { $0 + $1.0 * $1.1 }
        let moved = [after.position[axis], after.velocity[axis], after.fixError[axis]]
        for index in 0..<3 {
          #expect(abs(moved[index] - x[index] - gain[index][0] * difference) < 1e-11)
        }
      }
    }
  }

  @Test func aFixMuchBetterThanThePredictionLeavesItsOwnVariance() {
    // A million kilometres by a tenth of a millimetre: what is subtracted has no digits left.
    var state = KinematicState(
      position: .zero, velocity: .zero, fixError: .zero,
      covariance: AxisCovariance(pp: 1e18, pv: 1e8, pu: 0, vv: 1, vu: 0, uu: 1))
    state.update(.position(.zero, correlatedDeviation: 1e-4, variance: 1e-8))
    #expect(state.isUsable)
    #expect(abs(state.covariance.pp - 2e-8) < 1e-20)
    #expect(abs(state.covariance.uu - 1) < 1e-15)
  }
}

/// The textbook Kalman filter with four states (east, north and their rates), Joseph's form and
/// dense matrices, and its Rauch–Tung–Striebel smoother: the oracle for the axis-shared filter.
struct DenseFilter {
  typealias Matrix = [[Double]]
  var x: [Double]
  var p: Matrix

  static func add(_ a: Matrix, _ b: Matrix, _ sign: Double = 1) -> Matrix {
    zip(a, b).map { zip($0, $1).map { $0 + sign * $1 } }
  }

  static func transition(_ t: Double) -> Matrix {
    [[1, 0, t, 0], [0, 1, 0, t], [0, 0, 1, 0], [0, 0, 0, 1]]
  }

  static func noise(_ t: Double, _ q: Double) -> Matrix {
    let (a, b, c) = (q * t * t * t / 3, q * t * t / 2, q * t)
    return [[a, 0, b, 0], [0, a, 0, b], [b, 0, c, 0], [0, b, 0, c]]
  }

  mutating func predict(_ t: Double, _ q: Double) {
    let f = Self.transition(t)
    x = f.times(x.map { [$0] }).map { $0[0] }
    p = Self.add(f.times(p).times(f.transposed), Self.noise(t, q))
  }

  /// A measurement of the position (`offset` 0) or the velocity (`offset` 2).
  mutating func update(_ z: [Double], offset: Int, variance: Double) {
    var h: Matrix = [[0, 0, 0, 0], [0, 0, 0, 0]]
    h[0][offset] = 1
    h[1][offset + 1] = 1
    let r: Matrix = [[variance, 0], [0, variance]]
    let ph = p.times(h.transposed)
    let gain = ph.times(Self.add(h.times(ph), r).solution(of: .identity(2)))
    let difference = [[z[0] - x[offset]], [z[1] - x[offset + 1]]]
    x = zip(x, gain.times(difference)).map { $0 + $1[0] }
    let a = Self.add(.identity(4), gain.times(h), -1)
    p = Self.add(a.times(p).times(a.transposed), gain.times(r).times(gain.transposed))
  }

  /// This filtered state given the smoothed next one, `t` seconds later.
  func smoothed(_ next: DenseFilter, _ t: Double, _ q: Double) -> DenseFilter {
    var predicted = self
    predicted.predict(t, q)
    let gain = p.times(Self.transition(t).transposed)
      .times(predicted.p.solution(of: .identity(4)))
    let step = gain.times(zip(next.x, predicted.x).map { [$0 - $1] })
    let change = gain.times(Self.add(next.p, predicted.p, -1)).times(gain.transposed)
    return DenseFilter(x: zip(x, step).map { $0 + $1[0] }, p: Self.add(p, change))
  }
}

/// Whether the filter knows how wrong it is, where the world is as it assumes.
struct ConsistencyTests {
  /// A state of one axis that moves by the filter's own model.
  private struct Truth {
    var position, velocity, fixError: Double

    /// Follows a transition, with noise of its covariance.
    mutating func move(_ transition: KinematicState.Transition, _ random: inout SplitMix64) {
      let noise = transition.noise
      let l = noise.pp.squareRoot()
      let m = l > 0 ? noise.pv / l : 0
      let (a, b, c) = (random.nextNormal(), random.nextNormal(), random.nextNormal())
      position += transition.drift * velocity + l * a
      velocity =
        transition.velocityKept * velocity + m * a + max(noise.vv - m * m, 0).squareRoot() * b
      fixError = transition.fixErrorKept * fixError + noise.uu.squareRoot() * c
    }
  }

  /// Normalised estimation error squared of one axis, after Bar-Shalom (2001), equation 5.4.2-1.
  private func squared(_ error: SIMD3<Double>, _ p: AxisCovariance) -> Double {
    // By the adjugate: the tested code inverts by Cholesky.
    let (a, b, c, d, e, f) = (p.pp, p.pv, p.pu, p.vv, p.vu, p.uu)
    let determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    let x = SIMD3(
      (d * f - e * e) * error.x + (c * e - b * f) * error.y + (b * e - c * d) * error.z,
      (c * e - b * f) * error.x + (a * f - c * c) * error.y + (b * c - a * e) * error.z,
      (b * e - c * d) * error.x + (b * c - a * e) * error.y + (a * d - b * b) * error.z)
    return (x * error).sum() / determinant
  }

  @Test func errorsAreAsLargeAsTheCovarianceSays() {
    let settings = LocationFilter.Settings()
    var random = SplitMix64(seed: 41)
    let runs = 2_000
    var sum = 0.0
    for _ in 0..<runs {
      let start = AxisCovariance(pp: 100, pv: 0, pu: -6, vv: 4, vu: 0, uu: 1)
      var truths: [Truth] = []
      for _ in 0..<2 {
        let u = random.nextNormal()
        // Given u, the position's mean is −6·u and its variance 100 − 36.
        truths.append(
          Truth(
            position: -6 * u + 8 * random.nextNormal(), velocity: 2 * random.nextNormal(),
            fixError: u))
      }
      var state = KinematicState(
        position: .zero, velocity: .zero, fixError: .zero, covariance: start)
      for _ in 0..<50 {
        let seconds = exp(-3 + 6 * random.nextUniform())
        let transition =
          random.nextUniform() < 0.2
          ? settings.restTransition(seconds: seconds)
          : settings.movingTransition(of: state, seconds: seconds, hasSpeeds: true)
        for axis in 0..<2 { truths[axis].move(transition, &random) }
        state.predict(transition)
        let (correlated, white) = (2 + 8 * random.nextUniform(), 1 + 5 * random.nextUniform())
        func reading(_ deviation: Double, _ value: (Truth) -> Double) -> SIMD2<Double> {
          let values = truths.map { value($0) + deviation * random.nextNormal() }
          return SIMD2(values[0], values[1])
        }
        state.update(
          .position(
            reading(white) { $0.position + correlated * $0.fixError },
            correlatedDeviation: correlated, variance: white * white))
        if random.nextUniform() < 0.7 {
          state.update(.velocity(reading(0.3) { $0.velocity }, variance: 0.3 * 0.3))
        }
      }
      for axis in 0..<2 {
        let error = SIMD3(
          truths[axis].position - state.position[axis],
          truths[axis].velocity - state.velocity[axis],
          truths[axis].fixError - state.fixError[axis])
        sum += squared(error, state.covariance)
      }
    }
    // χ² with three degrees of freedom: mean 3, variance 6; four deviations of the mean.
    let count = Double(2 * runs)
    #expect(abs(sum / count - 3) < 4 * (6 / count).squareRoot(), "\(sum / count)")
  }

  @Test func covarianceStaysPositiveOverAMillionSteps() {
    let settings = LocationFilter.Settings()
    var random = SplitMix64(seed: 42)
    var state = KinematicState(
      position: .zero, velocity: .zero, fixError: .zero,
      covariance: AxisCovariance(pp: 1e6, pv: 0, pu: 0, vv: 1e4, vu: 0, uu: 1))
    var broken = 0
    for _ in 0..<1_000_000 {
      // From a millisecond to a day, from millimetres to hundreds of kilometres.
      let seconds = exp(-7 + 18 * random.nextUniform())
      state.predict(
        random.nextUniform() < 0.3
          ? settings.restTransition(seconds: seconds)
          : settings.movingTransition(of: state, seconds: seconds, hasSpeeds: true))
      let deviation = exp(-6 + 18 * random.nextUniform())
      let fraction = random.nextUniform()
      state.update(
        .position(
          SIMD2(random.nextNormal(), random.nextNormal()) * deviation,
          correlatedDeviation: deviation * fraction.squareRoot(),
          variance: deviation * deviation * (1 - fraction)))
      if random.nextUniform() < 0.5 {
        state.update(
          .velocity(
            SIMD2(random.nextNormal(), random.nextNormal()),
            variance: exp(-8 + 8 * random.nextUniform())))
      }
      if !state.isUsable { broken += 1 }
    }
    #expect(broken == 0)
  }
}
