/// The covariance of position p, velocity v and correlated fix error u along one horizontal axis.
///
/// East and north have the same noise and the same dynamics, so one matrix serves both. Units: p
/// in metres, v in m/s, u without unit (its stationary variance is 1).
package struct AxisCovariance: Hashable, Sendable, Codable {
  package var pp, pv, pu, vv, vu, uu: Double

  /// A matrix from the elements on and above its diagonal.
  package init(pp: Double, pv: Double, pu: Double, vv: Double, vu: Double, uu: Double) {
    (self.pp, self.pv, self.pu) = (pp, pv, pu)
    (self.vv, self.vu, self.uu) = (vv, vu, uu)
  }

  /// The rows of the symmetric matrix.
  package var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
    (SIMD3(pp, pv, pu), SIMD3(pv, vv, vu), SIMD3(pu, vu, uu))
  }

  /// This matrix times a vector.
  @inline(__always)
  package func times(_ x: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      pp * x.x + pv * x.y + pu * x.z, pv * x.x + vv * x.y + vu * x.z,
      pu * x.x + vu * x.y + uu * x.z)
  }

  /// A·P·Aᵀ for the matrix A with the given rows; symmetric by construction.
  @inline(__always)
  package func congruent(
    _ a: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)
  ) -> AxisCovariance {
    let (x, y, z) = (times(a.0), times(a.1), times(a.2))
    func dot(_ l: SIMD3<Double>, _ r: SIMD3<Double>) -> Double {
      l.x * r.x + l.y * r.y + l.z * r.z
    }
    return AxisCovariance(
      pp: dot(a.0, x), pv: dot(a.0, y), pu: dot(a.0, z), vv: dot(a.1, y), vu: dot(a.1, z),
      uu: dot(a.2, z))
  }

  /// Joseph's form (I − k·hᵀ)·P·(I − k·hᵀ)ᵀ + r·k·kᵀ for a measurement h·x + noise of variance r.
  ///
  /// Measurements read either the velocity alone or not at all, which leaves out half of the
  /// products.
  @inline(__always)
  func updated(by h: SIMD3<Double>, gain k: SIMD3<Double>, variance r: Double) -> AxisCovariance {
    let reduced =
      h.y == 0
      ? withoutVelocity(h, k)
      : h.x == 0 && h.z == 0
        ? withVelocityAlone(h.y, k)
        : congruent((SIMD3(1, 0, 0) - h * k.x, SIMD3(0, 1, 0) - h * k.y, SIMD3(0, 0, 1) - h * k.z))
    let n = r * k
    return AxisCovariance(
      pp: reduced.pp + n.x * k.x, pv: reduced.pv + n.x * k.y, pu: reduced.pu + n.x * k.z,
      vv: reduced.vv + n.y * k.y, vu: reduced.vu + n.y * k.z, uu: reduced.uu + n.z * k.z)
  }

  /// (I − k·hᵀ)·P·(I − k·hᵀ)ᵀ where h reads no velocity.
  @inline(__always)
  private func withoutVelocity(_ h: SIMD3<Double>, _ k: SIMD3<Double>) -> AxisCovariance {
    // The rows of I − k·hᵀ are (a, 0, b), (c, 1, d) and (e, 0, f).
    let (a, b) = (1 - k.x * h.x, -k.x * h.z)
    let (c, d) = (-k.y * h.x, -k.y * h.z)
    let (e, f) = (-k.z * h.x, 1 - k.z * h.z)
    let (xp, xu) = (a * pp + b * pu, a * pu + b * uu)
    let (yp, yv, yu) = (
      c * pp + pv + d * pu, c * pv + vv + d * vu, c * pu + vu + d * uu
    )
    let (zp, zv, zu) = (e * pp + f * pu, e * pv + f * vu, e * pu + f * uu)
    return AxisCovariance(
      pp: a * xp + b * xu, pv: a * yp + b * yu, pu: a * zp + b * zu,
      vv: c * yp + yv + d * yu, vu: c * zp + zv + d * zu, uu: e * zp + f * zu)
  }

  /// The same where h = (0, `share`, 0).
  @inline(__always)
  private func withVelocityAlone(_ share: Double, _ k: SIMD3<Double>) -> AxisCovariance {
    // The rows of I − k·hᵀ are (1, a, 0), (0, b, 0) and (0, c, 1).
    let (a, b, c) = (-k.x * share, 1 - k.y * share, -k.z * share)
    let (x, z) = (pv + a * vv, vu + c * vv)
    return AxisCovariance(
      pp: pp + a * pv + a * x, pv: b * x, pu: pu + a * vu + c * x,
      vv: b * b * vv, vu: b * z, uu: uu + c * vu + c * z)
  }

  package static func + (lhs: AxisCovariance, rhs: AxisCovariance) -> AxisCovariance {
    AxisCovariance(
      pp: lhs.pp + rhs.pp, pv: lhs.pv + rhs.pv, pu: lhs.pu + rhs.pu, vv: lhs.vv + rhs.vv,
      vu: lhs.vu + rhs.vu, uu: lhs.uu + rhs.uu)
  }

  package static func - (lhs: AxisCovariance, rhs: AxisCovariance) -> AxisCovariance {
    AxisCovariance(
      pp: lhs.pp - rhs.pp, pv: lhs.pv - rhs.pv, pu: lhs.pu - rhs.pu, vv: lhs.vv - rhs.vv,
      vu: lhs.vu - rhs.vu, uu: lhs.uu - rhs.uu)
  }

  /// Whether every leading minor is positive.
  package var isPositiveDefinite: Bool {
    let minor = pp * vv - pv * pv
    let determinant =
      uu * minor - pp * vu * vu + pu * (2 * pv * vu - pu * vv)
    return pp > 0 && minor > 0 && determinant > 0 && determinant.isFinite
  }

  /// A·x = b solved by L·Lᵀ; nil when the matrix is not positive definite.
  struct Cholesky {
    private let l11, l21, l31, l22, l32, l33: Double

    init?(_ a: AxisCovariance) {
      guard a.pp > 0 else { return nil }
      l11 = a.pp.squareRoot()
      l21 = a.pv / l11
      l31 = a.pu / l11
      let second = a.vv - l21 * l21
      guard second > 0 else { return nil }
      l22 = second.squareRoot()
      l32 = (a.vu - l31 * l21) / l22
      let third = a.uu - l31 * l31 - l32 * l32
      guard third > 0 else { return nil }
      l33 = third.squareRoot()
    }

    func solve(_ b: SIMD3<Double>) -> SIMD3<Double> {
      let y1 = b.x / l11
      let y2 = (b.y - l21 * y1) / l22
      let y3 = (b.z - l31 * y1 - l32 * y2) / l33
      let x3 = y3 / l33
      let x2 = (y2 - l32 * x3) / l22
      return SIMD3((y1 - l21 * x2 - l31 * x3) / l11, x2, x3)
    }
  }
}
