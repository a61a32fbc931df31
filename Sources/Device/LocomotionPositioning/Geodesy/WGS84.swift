internal import CLocomotionMath

/// The World Geodetic System's ellipsoid (NIMA TR8350.2, table 3.1), and what every use of it
/// needs.
package enum WGS84 {
  /// Metres.
  static let semiMajorAxis = 6_378_137.0
  /// e² = f(2 − f).
  static let eccentricitySquared = (2 - 1 / 298.257223563) / 298.257223563

  static let radiansPerDegree = Double.pi / 180
  static let degreesPerRadian = 180 / Double.pi

  /// Any finite longitude, or difference of two, in degrees, brought to −180 ..< 180.
  package static func wrapped(_ longitude: Double) -> Double {
    if longitude >= -180 && longitude < 180 { return longitude }
    let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
    let result = (turned < 0 ? turned + 360 : turned) - 180
    return result < 180 ? result : -180
  }

  /// Metres per degree of longitude and of latitude around one latitude, degrees.
  ///
  /// By the radii of curvature in the prime vertical and in the meridian. At the poles, where a
  /// degree of longitude has no length, one metre keeps the inverse finite.
  package static func metresPerDegree(latitude: Double) -> SIMD2<Double> {
    let sine = sin(latitude * radiansPerDegree)
    let w = 1 - eccentricitySquared * sine * sine
    let north = semiMajorAxis * (1 - eccentricitySquared) / (w * w.squareRoot())
    let east = semiMajorAxis / w.squareRoot() * cos(latitude * radiansPerDegree)
    return SIMD2(max(east * radiansPerDegree, 1), north * radiansPerDegree)
  }

  /// A point of the surface in metres along the Earth's axes: to the Greenwich meridian, to 90°
  /// east and to the north pole; from degrees.
  package static func earthCentred(latitude: Double, longitude: Double) -> SIMD3<Double> {
    let (φ, λ) = (latitude * radiansPerDegree, longitude * radiansPerDegree)
    return earthCentred(sinφ: sin(φ), cosφ: cos(φ), sinλ: sin(λ), cosλ: cos(λ))
  }

  /// The latitude and longitude, degrees, of a point of the surface in metres along the Earth's
  /// axes.
  package static func geodetic(_ point: SIMD3<Double>) -> (latitude: Double, longitude: Double) {
    let radius = (point.x * point.x + point.y * point.y).squareRoot()
    return (
      atan2(point.z, (1 - eccentricitySquared) * radius) / radiansPerDegree,
      wrapped(atan2(point.y, point.x) / radiansPerDegree)
    )
  }

  static func earthCentred(
    sinφ: Double, cosφ: Double, sinλ: Double, cosλ: Double
  ) -> SIMD3<Double> {
    let normalRadius = semiMajorAxis / (1 - eccentricitySquared * sinφ * sinφ).squareRoot()
    return SIMD3(
      normalRadius * cosφ * cosλ, normalRadius * cosφ * sinλ,
      normalRadius * (1 - eccentricitySquared) * sinφ)
  }
}
