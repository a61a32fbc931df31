/// Position, velocity and correlated fix error in a plane, with the covariance both axes share.
///
/// A fix reads z = p + c·u + w, where w is white and u is a first-order Gauss–Markov process of
/// unit variance: a receiver's errors last for seconds to minutes, and a filter that takes them for
/// white claims far too small a covariance. c and the variance of w come with each fix, so u keeps
/// its meaning when the accuracy changes.
///
/// Predict and update are the textbook ones (Bar-Shalom, Li and Kirubarajan, *Estimation with
/// Applications to Tracking and Navigation*, 2001, sections 5.2 and 6.2), the covariance's update
/// in a form of its own: P − P·h·hᵀ·P / s loses its positive variances to rounding where a fix good
/// to millimetres follows a day without any. Brought to one fraction, with s = hᵀ·P·h + r, the
/// large terms cancel on paper: (r·P + H·adj(P)·Hᵀ) / s with H the cross product by h, and of the
/// 2×2 minors in adj(P) none on the diagonal is negative. That is as safe as Joseph's form (its
/// equation 5.2.3-18) at a third of the price, with the division beside the minors.
package struct KinematicState: Sendable, StateElement {
  /// East and north, metres.
  package var position: SIMD2<Double>
  /// East and north, m/s.
  package var velocity: SIMD2<Double>
  /// The correlated fix error along east and north, in units of its own deviation.
  package var fixError: SIMD2<Double>
  package var covariance: AxisCovariance

  /// A state from its parts.
  package init(
    position: SIMD2<Double>, velocity: SIMD2<Double>, fixError: SIMD2<Double>,
    covariance: AxisCovariance
  ) {
    self.position = position
    self.velocity = velocity
    self.fixError = fixError
    self.covariance = covariance
  }

  /// How a state becomes the next one: x' = F·x + noise.
  package struct Transition: Sendable {
    /// Seconds during which the position follows the velocity.
    package var drift: Double
    /// The fraction of the velocity that remains: 1, or 0 where it is forgotten.
    package var velocityKept: Double
    /// The fraction of the correlated fix error that remains.
    package var fixErrorKept: Double
    /// The added covariance.
    package var noise: AxisCovariance

    /// A transition from its parts.
    package init(
      drift: Double, velocityKept: Double, fixErrorKept: Double, noise: AxisCovariance
    ) {
      (self.drift, self.velocityKept) = (drift, velocityKept)
      (self.fixErrorKept, self.noise) = (fixErrorKept, noise)
    }

    /// No time passes.
    static let identity = Transition(
      drift: 0, velocityKept: 1, fixErrorKept: 1,
      noise: AxisCovariance(pp: 0, pv: 0, pu: 0, vv: 0, vu: 0, uu: 0))

    var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
      (SIMD3(1, drift, 0), SIMD3(0, velocityKept, 0), SIMD3(0, 0, fixErrorKept))
    }
  }

  /// Applies a transition.
  package mutating func predict(_ transition: Transition) {
    position += velocity * transition.drift
    velocity *= transition.velocityKept
    fixError *= transition.fixErrorKept
    // F·P·Fᵀ, written out: F has three elements that are not 0 or 1.
    let (d, k, e) = (transition.drift, transition.velocityKept, transition.fixErrorKept)
    let (p, noise) = (covariance, transition.noise)
    let moved = p.pv + d * p.vv
    covariance = AxisCovariance(
      pp: p.pp + d * (p.pv + moved) + noise.pp, pv: k * moved + noise.pv,
      pu: e * (p.pu + d * p.vu) + noise.pu, vv: k * k * p.vv + noise.vv,
      vu: k * e * p.vu + noise.vu, uu: e * e * p.uu + noise.uu)
  }

  /// How a measurement reads the state of one axis: z = h·x + noise of the given variance.
  package struct Measurement: Sendable, StateElement {
    var value: SIMD2<Double>
    /// (1, 0, c) for a position, (0, 1, 0) for a velocity.
    package private(set) var h: SIMD3<Double>
    var variance: Double

    /// A position whose correlated error has the deviation c.
    package static func position(
      _ value: SIMD2<Double>, correlatedDeviation c: Double = 0, variance: Double
    ) -> Measurement {
      Measurement(value: value, h: SIMD3(1, 0, c), variance: variance)
    }

    /// A velocity, whose errors are white.
    package static func velocity(_ value: SIMD2<Double>, variance: Double) -> Measurement {
      Measurement(value: value, h: SIMD3(0, 1, 0), variance: variance)
    }

    package static let blank = KinematicState.Measurement.velocity(.zero, variance: 1)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&value, &h, &variance)
    }
  }

  /// What a measurement differs by from its prediction, and the variance of that per axis.
  struct Innovation {
    var value: SIMD2<Double>
    var variance: Double

    /// The square of it in units of its variance; χ² with two degrees of freedom when the model
    /// holds.
    var squared: Double { (value * value).sum() / variance }
  }

  /// What a measurement differs by from its prediction.
  @inline(__always)
  func innovation(_ measurement: Measurement) -> Innovation {
    let h = measurement.h
    let predicted = position * h.x + velocity * h.y + fixError * h.z
    let reach = covariance.times(h)
    let variance = h.x * reach.x + h.y * reach.y + h.z * reach.z + measurement.variance
    return Innovation(value: measurement.value - predicted, variance: variance)
  }

  /// The same for a measurement of the position after a transition that is not made.
  func innovation(
    _ measurement: Measurement, after transition: Transition
  ) -> Innovation {
    let (c, p, noise) = (measurement.h.z, covariance, transition.noise)
    let (d, e) = (transition.drift, transition.fixErrorKept)
    let expected = position + velocity * d + fixError * (e * c)
    let pp = p.pp + d * (2 * p.pv + d * p.vv) + noise.pp
    let pu = e * (p.pu + d * p.vu) + noise.pu
    let uu = e * e * p.uu + noise.uu
    return Innovation(
      value: measurement.value - expected,
      variance: pp + c * (2 * pu + c * uu) + measurement.variance)
  }

  /// Applies a measurement.
  package mutating func update(_ measurement: Measurement) {
    if measurement.h.y == 0 {
      update(
        position: measurement.value, correlatedDeviation: measurement.h.z, measurement.variance)
    } else {
      update(velocity: measurement.value, measurement.variance)
    }
  }

  @inline(__always)
  private mutating func update(
    position: SIMD2<Double>, correlatedDeviation c: Double, _ r: Double
  ) {
    let p = covariance
    let (gp, gv, gu) = (p.pp + c * p.pu, p.pv + c * p.vu, p.pu + c * p.uu)
    let inverse = 1 / ((c * (p.pu + gu) + r) + p.pp)
    let difference = (position - (self.position + fixError * c)) * inverse
    self.position += difference * gp
    velocity += difference * gv
    fixError += difference * gu
    // The numerators of H·adj(P)·Hᵀ; what is left of its first row is −c times the last.
    let uu = p.pp * p.uu - p.pu * p.pu
    let vu = c * (p.pu * p.vu - p.pv * p.uu) + (p.pp * p.vu - p.pv * p.pu)
    let vv =
      c * (c * (p.vv * p.uu - p.vu * p.vu) + 2 * (p.pu * p.vv - p.pv * p.vu))
      + (p.pp * p.vv - p.pv * p.pv)
    covariance = p.weighted(
      r, plus: SIMD2(uu * c, -vu) * c, SIMD2(-c * uu, vv), SIMD2(vu, uu), times: inverse)
  }

  @inline(__always)
  private mutating func update(velocity: SIMD2<Double>, _ r: Double) {
    let p = covariance
    let inverse = 1 / (p.vv + r)
    let difference = (velocity - self.velocity) * inverse
    position += difference * p.pv
    self.velocity += difference * p.vv
    fixError += difference * p.vu
    let minors = SIMD2(p.pp, p.pu) * p.vv - SIMD2(p.pv, p.vu) * p.pv
    covariance = p.weighted(
      r, plus: SIMD2(minors.x, 0), SIMD2(minors.y, 0), SIMD2(0, p.uu * p.vv - p.vu * p.vu),
      times: inverse)
  }

  /// The Rauch–Tung–Striebel step: this filtered state, given what later data say.
  ///
  /// `predicted` is this state carried forward by `transition`, `smoothed` what the later data made
  /// of it (Rauch, Tung and Striebel, AIAA Journal 3, 1965). Where `predicted` has no usable
  /// inverse this state is returned as it is.
  func smoothed(
    through transition: Transition, predicted: KinematicState, smoothed next: KinematicState
  ) -> KinematicState {
    guard let factor = AxisCovariance.Cholesky(predicted.covariance) else { return self }
    // Row i of the gain G = P·Fᵀ·S⁻¹ solves S·gᵢ = F·pᵢ, since S is symmetric.
    let f = transition.rows
    let p = covariance.rows
    func row(_ r: SIMD3<Double>) -> SIMD3<Double> {
      factor.solve(SIMD3((f.0 * r).sum(), (f.1 * r).sum(), (f.2 * r).sum()))
    }
    let gain = (row(p.0), row(p.1), row(p.2))
    let (dp, dv, du) = (
      next.position - predicted.position, next.velocity - predicted.velocity,
      next.fixError - predicted.fixError
    )
    func step(_ g: SIMD3<Double>) -> SIMD2<Double> { dp * g.x + dv * g.y + du * g.z }
    let change = (next.covariance - predicted.covariance).congruent(gain)
    var result = self
    result.position += step(gain.0)
    result.velocity += step(gain.1)
    result.fixError += step(gain.2)
    result.covariance = covariance + change
    return result.isUsable ? result : self
  }

  /// Whether every number is finite and the covariance positive definite.
  package var isUsable: Bool {
    let sum = position + velocity + fixError
    return sum.x.isFinite && sum.y.isFinite && covariance.isPositiveDefinite
  }

  /// The same state in another plane.
  func converted(from plane: LocalTangentPlane, to other: LocalTangentPlane)
    -> KinematicState
  {
    var result = self
    (result.position, result.velocity) = plane.convert(
      position: position, velocity: velocity, to: other)
    result.fixError = plane.rotate(fixError, to: other)
    return result
  }

  package static let blank = KinematicState(
    position: .zero, velocity: .zero, fixError: .zero, covariance: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&position, &velocity, &fixError, &covariance)
  }
}

extension KinematicState {
  /// The zero-velocity update: a phone at rest is measured to have the velocity zero.
  ///
  /// A measurement of the velocity like any other (Foxlin, *Pedestrian Tracking with Shoe-Mounted
  /// Inertial Sensors*, IEEE Computer Graphics and Applications 25(6), 2005), by which the position
  /// stops to drift while the fixes go on to scatter.
  ///
  /// - Parameter deviation: The standard deviation of the speed at rest along each axis, m/s.
  mutating func updateZeroVelocity(deviation: Double) {
    update(.velocity(.zero, variance: deviation * deviation))
  }
}
