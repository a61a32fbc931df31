/// The covariance of position p, velocity v and correlated fix error u along one horizontal axis.
///
/// East and north have the same noise and the same dynamics, so one matrix serves both. Units: p
/// in metres, v in m/s, u without unit (its stationary variance is 1).
package struct AxisCovariance: Sendable, StateElement {
  package var pp, pv, pu, vv, vu, uu: Double

  /// A matrix from the elements on and above its diagonal.
  package init(pp: Double, pv: Double, pu: Double, vv: Double, vu: Double, uu: Double) {
    (self.pp, self.pv, self.pu) = (pp, pv, pu)
    (self.vv, self.vu, self.uu) = (vv, vu, uu)
  }

  /// The rows of the symmetric matrix.
  var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
    (SIMD3(pp, pv, pu), SIMD3(pv, vv, vu), SIMD3(pu, vu, uu))
  }

  /// This matrix times a vector.
  @inline(__always)
  func times(_ x: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      pp * x.x + pv * x.y + pu * x.z, pv * x.x + vv * x.y + vu * x.z,
      pu * x.x + vu * x.y + uu * x.z)
  }

  /// A·P·Aᵀ for the matrix A with the given rows; symmetric by construction.
  @inline(__always)
  func congruent(
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

  /// (r·P + N) · f, N given as its (pp, pv), (pu, vv) and (vu, uu), in which order vector units
  /// take P from memory.
  @inline(__always)
  func weighted(
    _ r: Double, plus first: SIMD2<Double>, _ second: SIMD2<Double>, _ third: SIMD2<Double>,
    times f: Double
  ) -> AxisCovariance {
    let a = (SIMD2(pp, pv) * r + first) * f
    let b = (SIMD2(pu, vv) * r + second) * f
    let c = (SIMD2(vu, uu) * r + third) * f
    return AxisCovariance(pp: a.x, pv: a.y, pu: b.x, vv: b.y, vu: c.x, uu: c.y)
  }

  static func + (lhs: AxisCovariance, rhs: AxisCovariance) -> AxisCovariance {
    AxisCovariance(
      pp: lhs.pp + rhs.pp, pv: lhs.pv + rhs.pv, pu: lhs.pu + rhs.pu, vv: lhs.vv + rhs.vv,
      vu: lhs.vu + rhs.vu, uu: lhs.uu + rhs.uu)
  }

  static func - (lhs: AxisCovariance, rhs: AxisCovariance) -> AxisCovariance {
    AxisCovariance(
      pp: lhs.pp - rhs.pp, pv: lhs.pv - rhs.pv, pu: lhs.pu - rhs.pu, vv: lhs.vv - rhs.vv,
      vu: lhs.vu - rhs.vu, uu: lhs.uu - rhs.uu)
  }

  /// Whether every leading minor is positive.
  var isPositiveDefinite: Bool {
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

  package static let blank = AxisCovariance(pp: 1, pv: 0, pu: 0, vv: 1, vu: 0, uu: 1)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&pp, &pv, &pu, &vv, &vu)
    archive.pass(&uu)
  }
}
