internal import CLocomotionMath

/// The integrals along one geodesic, from the arc σ on the auxiliary sphere.
///
/// Source: Karney, "Algorithms for geodesics", *Journal of Geodesy* 87 (2013), eqs. 15 to 25 and
/// 41 to 43: expansions in ε, and for the longitude in n as well, to order 6. On the Earth the
/// first omitted terms are below a nanometre.
struct GeodesicSeries {
  private let ε: Double
  private let a1, a2: Double
  private let c1, c2: SIMD8<Double>

  /// The series for k² = e′²·cos²α₀, where α₀ is the azimuth at the equator.
  init(_ k2: Double) {
    ε = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    let e2 = ε * ε
    let (e3, e4) = (e2 * ε, e2 * e2)
    let (e5, e6) = (e4 * ε, e4 * e2)
    a1 = (1 + e2 / 4 + e4 / 64 + e6 / 256) / (1 - ε)
    a2 = (1 - 3 * e2 / 4 - 7 * e4 / 64 - 11 * e6 / 256) / (1 + ε)
    c1 = SIMD8(
      0, -ε / 2 + 3 * e3 / 16 - e5 / 32, -e2 / 16 + e4 / 32 - 9 * e6 / 2_048,
      -e3 / 48 + 3 * e5 / 256, -5 * e4 / 512 + 3 * e6 / 512, -7 * e5 / 1_280, -7 * e6 / 2_048, 0)
    c2 = SIMD8(
      0, ε / 2 + e3 / 16 + e5 / 32, 3 * e2 / 16 + e4 / 32 + 35 * e6 / 2_048,
      5 * e3 / 48 + 5 * e5 / 256, 35 * e4 / 512 + 7 * e6 / 512, 63 * e5 / 1_280,
      77 * e6 / 2_048, 0)
  }

  /// The distance over the semi-minor axis: I₁ between two points whose σ is given.
  func distance(_ arc: Double, _ from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
    a1 * (arc + Self.sum(c1, from, to))
  }

  /// What the reduced length lacks to that on a sphere: J between two points.
  ///
  /// Karney's equation 40.
  func spread(_ arc: Double, _ from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
    distance(arc, from, to) - a2 * (arc + Self.sum(c2, from, to))
  }

  /// The longitude's I₃ between two points; times f·sin α₀ it is what λ lacks to ω.
  func longitude(_ arc: Double, _ from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
    let n = WGS84.thirdFlattening
    let n2 = n * n
    let e2 = ε * ε
    let (e3, e4) = (e2 * ε, e2 * e2)
    let e5 = e4 * ε
    let first = 1 - (1 - n) / 2 * ε - (2 + n - 3 * n2) / 8 * e2 - (1 + 3 * n + n2) / 16 * e3
    let a3 = first - (3 + 2 * n) / 64 * e4 - 3 * e5 / 128
    let c31a = (1 - n) / 4 * ε + (1 - n2) / 8 * e2 + (3 + 3 * n - n2) / 64 * e3
    let c31 = c31a + (5 + 2 * n) / 128 * e4 + 3 * e5 / 128
    let c32a = (2 - 3 * n + n2) / 32 * e2 + (3 - 2 * n - 3 * n2) / 64 * e3
    let c32 = c32a + (3 + n) / 128 * e4 + 5 * e5 / 256
    let c33 = (5 - 9 * n + 5 * n2) / 192 * e3 + (9 - 10 * n) / 384 * e4 + 7 * e5 / 512
    let c34 = (7 - 14 * n) / 512 * e4 + 7 * e5 / 512
    let c3 = SIMD8(0, c31, c32, c33, c34, 21 * e5 / 2_560, 0, 0)
    return a3 * (arc + Self.sum(c3, from, to))
  }

  /// Σ cₗ·(sin 2lσ₂ − sin 2lσ₁), by Clenshaw's recurrence.
  private static func sum(
    _ c: SIMD8<Double>, _ from: SIMD2<Double>, _ to: SIMD2<Double>
  ) -> Double {
    value(c, to) - value(c, from)
  }

  private static func value(_ c: SIMD8<Double>, _ σ: SIMD2<Double>) -> Double {
    let factor = 2 * (σ.y - σ.x) * (σ.y + σ.x)
    var (newer, older) = (0.0, 0.0)
    for l in stride(from: 6, through: 1, by: -1) {
      (newer, older) = (factor * newer - older + c[l], newer)
    }
    return 2 * σ.x * σ.y * newer
  }
}
