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
      let ph = DenseFilter.multiply(p, DenseFilter.transpose(h))
      let total = DenseFilter.multiply(h, ph)[0][0] + variance
      let gain = ph.map { [$0[0] / total] }
      let kept = DenseFilter.add(DenseFilter.identity(3), DenseFilter.multiply(gain, h), -1)
      let reduced = DenseFilter.add(
        DenseFilter.multiply(DenseFilter.multiply(kept, p), DenseFilter.transpose(kept)),
        DenseFilter.multiply(gain.map { [$0[0] * variance] }, DenseFilter.transpose(gain)))
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
