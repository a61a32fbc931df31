internal import CLocomotionMath

/// A plane that touches the WGS 84 ellipsoid at a point, with coordinates in metres east and north.
///
/// Points of the ellipsoid's surface (altitude 0) are projected along the plane's normal. Both
/// directions go through Earth-centred coordinates and are closed forms, so the antimeridian and
/// the poles need no special case. At distance d from the origin a length along the radius shrinks
/// by about d²/2R² (2·10⁻⁶ at 10 km), far below any fix's error.
///
/// Source: Hofmann-Wellenhof, Lichtenegger and Wasle, *GNSS* (2008), section 8.2 (ellipsoidal to
/// Earth-centred, and the local-level frame). The inverse solves the quadratic for the height of
/// the ellipsoid above the plane instead of iterating.
public struct LocalTangentPlane: Sendable, Hashable {
  /// Geodetic latitude of the origin, degrees, −90 to 90.
  public let latitude: Double
  /// Geodetic longitude of the origin, degrees, −180 ..< 180.
  public let longitude: Double

  private let origin, east, north, up: SIMD3<Double>

  /// The plane that touches the ellipsoid at the given point, in degrees.
  ///
  /// A latitude beyond ±90 is taken as the pole, any longitude is wrapped, and a value that is not
  /// finite counts as 0: a plane is always usable.
  public init(latitude: Double, longitude: Double) {
    let latitude = latitude.isFinite ? min(max(latitude, -90), 90) : 0
    let longitude = longitude.isFinite ? Self.wrapped(longitude) : 0
    self.latitude = latitude
    self.longitude = longitude
    let (φ, λ) = (latitude * Self.radiansPerDegree, longitude * Self.radiansPerDegree)
    let (sinφ, cosφ, sinλ, cosλ) = (sin(φ), cos(φ), sin(λ), cos(λ))
    origin = Self.earthCentred(latitude: latitude, longitude: longitude)
    east = SIMD3(-sinλ, cosλ, 0)
    north = SIMD3(-sinφ * cosλ, -sinφ * sinλ, cosφ)
    up = SIMD3(cosφ * cosλ, cosφ * sinλ, sinφ)
  }

  /// The point's distances east and north of the origin, metres.
  ///
  /// `latitude` and `longitude` are geodetic, in degrees; any multiple of 360° may be added to the
  /// longitude. Rounding stays below 10 nm within 100 km. NaN gives NaN.
  public func position(latitude: Double, longitude: Double) -> SIMD2<Double> {
    let offset = Self.earthCentred(latitude: latitude, longitude: longitude) - origin
    return SIMD2((offset * east).sum(), (offset * north).sum())
  }

  /// The straight distance, metres, from the origin to a point of the ellipsoid, in degrees.
  func distance(latitude: Double, longitude: Double) -> Double {
    let offset = Self.earthCentred(latitude: latitude, longitude: longitude) - origin
    return (offset * offset).sum().squareRoot()
  }

  /// The point of the ellipsoid that lies `position` metres east and north of the origin.
  ///
  /// Latitude −90 to 90 and longitude −180 ..< 180, in degrees; the inverse of
  /// ``position(latitude:longitude:)`` on the near half of the Earth. A position beyond the Earth's
  /// outline gives a point on the outline.
  public func geodetic(_ position: SIMD2<Double>) -> (latitude: Double, longitude: Double) {
    // The point origin + d + u·up lies on the ellipsoid when A·u² + 2B·u + C = 0. The origin lies
    // on it and d is tangent to it, so the large terms of C cancel exactly and are left out.
    let d = east * position.x + north * position.y
    let weight = SIMD3(1, 1, 1 / (1 - Self.eccentricitySquared))
    let a = (up * up * weight).sum()
    let b = ((origin + d) * up * weight).sum()
    let c = (d * d * weight).sum()
    let root = max(0, b * b - a * c).squareRoot()
    let point = origin + d - up * (c / (b + root))
    let radius = (point.x * point.x + point.y * point.y).squareRoot()
    let φ = atan2(point.z, (1 - Self.eccentricitySquared) * radius)
    let λ = atan2(point.y, point.x)
    return (φ / Self.radiansPerDegree, Self.wrapped(λ / Self.radiansPerDegree))
  }

  /// Expresses a position and a velocity of this plane in another plane.
  ///
  /// The velocity, m/s, is turned by the angle between the two planes' north directions (the
  /// convergence of the meridians), so its length is kept exactly.
  public func convert(
    position: SIMD2<Double>, velocity: SIMD2<Double>, to other: LocalTangentPlane
  ) -> (position: SIMD2<Double>, velocity: SIMD2<Double>) {
    let point = geodetic(position)
    return (
      other.position(latitude: point.latitude, longitude: point.longitude),
      rotate(velocity, to: other)
    )
  }

  /// Turns a vector of this plane into another plane's directions, keeping its length.
  public func rotate(_ vector: SIMD2<Double>, to other: LocalTangentPlane) -> SIMD2<Double> {
    // Of the matrix between the two bases, the closest rotation about the normal.
    let cosine = (east * other.east).sum() + (north * other.north).sum()
    let sine = (east * other.north).sum() - (north * other.east).sum()
    let length = (cosine * cosine + sine * sine).squareRoot()
    guard length > 0 else { return vector }
    let (c, s) = (cosine / length, sine / length)
    return SIMD2(c * vector.x - s * vector.y, s * vector.x + c * vector.y)
  }

  /// Turns a vector given by the directions at a point, in degrees, into the plane's directions.
  ///
  /// True north at the point is turned from the plane's north by the convergence of the meridians,
  /// Δλ·sin φ; 10 km east of the origin that is 0.16° at 60° of latitude, and the next term is
  /// 10⁻⁶ of it.
  func vector(
    _ local: SIMD2<Double>, atLatitude latitude: Double, longitude: Double
  ) -> SIMD2<Double> {
    turn(local, by: -convergence(latitude: latitude, longitude: longitude))
  }

  /// Turns a vector of the plane into the directions at a point, in degrees.
  func localVector(
    _ vector: SIMD2<Double>, atLatitude latitude: Double, longitude: Double
  ) -> SIMD2<Double> {
    turn(vector, by: convergence(latitude: latitude, longitude: longitude))
  }

  private func convergence(latitude: Double, longitude: Double) -> Double {
    let middle = (latitude + self.latitude) / 2 * Self.radiansPerDegree
    return Self.wrapped(longitude - self.longitude) * Self.radiansPerDegree * sin(middle)
  }

  /// The vector turned clockwise by an angle in radians.
  private func turn(_ vector: SIMD2<Double>, by angle: Double) -> SIMD2<Double> {
    let (c, s) = (cos(angle), sin(angle))
    return SIMD2(c * vector.x + s * vector.y, c * vector.y - s * vector.x)
  }

  /// Any finite longitude in degrees, brought to −180 ..< 180.
  static func wrapped(_ longitude: Double) -> Double {
    if longitude >= -180 && longitude < 180 { return longitude }
    let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
    let result = (turned < 0 ? turned + 360 : turned) - 180
    return result < 180 ? result : -180
  }

  private static func earthCentred(latitude: Double, longitude: Double) -> SIMD3<Double> {
    let (φ, λ) = (latitude * radiansPerDegree, longitude * radiansPerDegree)
    let (sinφ, cosφ) = (sin(φ), cos(φ))
    let normalRadius = semiMajorAxis / (1 - eccentricitySquared * sinφ * sinφ).squareRoot()
    return SIMD3(
      normalRadius * cosφ * cos(λ), normalRadius * cosφ * sin(λ),
      normalRadius * (1 - eccentricitySquared) * sinφ)
  }

  static let radiansPerDegree = Double.pi / 180
  /// WGS 84: a = 6,378,137 m and f = 1/298.257223563 (NIMA TR8350.2, table 3.1).
  private static let semiMajorAxis = 6_378_137.0
  private static let eccentricitySquared = (2 - 1 / 298.257223563) / 298.257223563
}

extension LocalTangentPlane: Codable {
  private enum CodingKeys: CodingKey { case latitude, longitude }

  /// Restores a plane from its origin.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      latitude: try container.decode(Double.self, forKey: .latitude),
      longitude: try container.decode(Double.self, forKey: .longitude))
  }

  /// Saves the origin, from which all the rest follows.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(latitude, forKey: .latitude)
    try container.encode(longitude, forKey: .longitude)
  }
}
