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
public struct LocalTangentPlane: Sendable, Equatable, StateElement {
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
    let longitude = longitude.isFinite ? WGS84.wrapped(longitude) : 0
    self.latitude = latitude
    self.longitude = longitude
    let (φ, λ) = (latitude * WGS84.radiansPerDegree, longitude * WGS84.radiansPerDegree)
    let (sinφ, cosφ, sinλ, cosλ) = (sin(φ), cos(φ), sin(λ), cos(λ))
    origin = WGS84.earthCentred(latitude: latitude, longitude: longitude)
    east = SIMD3(-sinλ, cosλ, 0)
    north = SIMD3(-sinφ * cosλ, -sinφ * sinλ, cosφ)
    up = SIMD3(cosφ * cosλ, cosφ * sinλ, sinφ)
  }

  /// The point's distances east and north of the origin, metres.
  ///
  /// `latitude` and `longitude` are geodetic, in degrees; any multiple of 360° may be added to the
  /// longitude. Rounding stays below 10 nm within 100 km. NaN gives NaN.
  public func position(latitude: Double, longitude: Double) -> SIMD2<Double> {
    let offset = earthCentred(latitude: latitude, longitude: longitude) - origin
    return SIMD2((offset * east).sum(), (offset * north).sum())
  }

  /// The position of an Earth-centred point, or nil when it is `reach` metres away or more.
  @inline(__always)
  func position(of point: SIMD3<Double>, within reach: Double) -> SIMD2<Double>? {
    let offset = point - origin
    guard (offset * offset).sum() < reach * reach else { return nil }
    return SIMD2((offset * east).sum(), (offset * north).sum())
  }

  /// The straight distance, metres, from the origin to a point of the ellipsoid, in degrees.
  func distance(latitude: Double, longitude: Double) -> Double {
    let offset = earthCentred(latitude: latitude, longitude: longitude) - origin
    return (offset * offset).sum().squareRoot()
  }

  /// A point of the ellipsoid, in degrees, in metres along the Earth's axes; as `WGS84` has it, in
  /// a fourth of the time where it is near the origin.
  @inline(__always)
  func earthCentred(latitude: Double, longitude: Double) -> SIMD3<Double> {
    let north = (latitude - self.latitude) * WGS84.radiansPerDegree
    let east = WGS84.wrapped(longitude - self.longitude) * WGS84.radiansPerDegree
    guard abs(north) < Self.nearby, abs(east) < Self.nearby else {
      return WGS84.earthCentred(latitude: latitude, longitude: longitude)
    }
    // Near the origin the functions of the sums of angles need no library.
    let (sinδφ, cosδφ) = Self.sineAndCosine(north)
    let (sinδλ, cosδλ) = Self.sineAndCosine(east)
    let (sinφ, cosφ) = (up.z * cosδφ + self.north.z * sinδφ, self.north.z * cosδφ - up.z * sinδφ)
    let (sinλ, cosλ) = (
      self.east.y * sinδλ - self.east.x * cosδλ, self.east.y * cosδλ + self.east.x * sinδλ
    )
    return WGS84.earthCentred(sinφ: sinφ, cosφ: cosφ, sinλ: sinλ, cosλ: cosλ)
  }

  /// The point of the ellipsoid that lies `position` metres east and north of the origin.
  ///
  /// Latitude −90 to 90 and longitude −180 ..< 180, in degrees; the inverse of
  /// ``position(latitude:longitude:)`` on the near half of the Earth. A position beyond the Earth's
  /// outline gives a point on the outline.
  @inline(__always)
  public func geodetic(_ position: SIMD2<Double>) -> (latitude: Double, longitude: Double) {
    // The point origin + d + u·up lies on the ellipsoid when A·u² + 2B·u + C = 0. The origin lies
    // on it and d is tangent to it, so the large terms of C cancel exactly and are left out.
    let d = east * position.x + north * position.y
    let weight = SIMD3(1, 1, 1 / (1 - WGS84.eccentricitySquared))
    let a = (up * up * weight).sum()
    let b = ((origin + d) * up * weight).sum()
    let c = (d * d * weight).sum()
    let root = max(0, b * b - a * c).squareRoot()
    let point = origin + d - up * (c / (b + root))
    let radius = (point.x * point.x + point.y * point.y).squareRoot()
    let meridian = SIMD2((1 - WGS84.eccentricitySquared) * radius, point.z)
    let δφ = Self.angle(from: SIMD2(north.z, up.z), to: meridian)
    let δλ = Self.angle(from: SIMD2(east.y, -east.x), to: SIMD2(point.x, point.y))
    guard abs(δφ) < Self.nearby, abs(δλ) < Self.nearby else {
      return (
        atan2(meridian.y, meridian.x) / WGS84.radiansPerDegree,
        WGS84.wrapped(atan2(point.y, point.x) / WGS84.radiansPerDegree)
      )
    }
    return (
      min(max(latitude + δφ * WGS84.degreesPerRadian, -90), 90),
      WGS84.wrapped(longitude + δλ * WGS84.degreesPerRadian)
    )
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
  @inline(__always)
  func vector(
    _ local: SIMD2<Double>, atLatitude latitude: Double, longitude: Double
  ) -> SIMD2<Double> {
    turn(local, by: -convergence(latitude: latitude, longitude: longitude))
  }

  /// Turns a vector of the plane into the directions at a point, in degrees.
  @inline(__always)
  func localVector(
    _ vector: SIMD2<Double>, atLatitude latitude: Double, longitude: Double
  ) -> SIMD2<Double> {
    turn(vector, by: convergence(latitude: latitude, longitude: longitude))
  }

  @inline(__always)
  private func convergence(latitude: Double, longitude: Double) -> Double {
    let middle = (latitude - self.latitude) / 2 * WGS84.radiansPerDegree
    let (sine, cosine) =
      abs(middle) < Self.nearby ? Self.sineAndCosine(middle) : (sin(middle), cos(middle))
    return WGS84.wrapped(longitude - self.longitude) * WGS84.radiansPerDegree
      * (up.z * cosine + north.z * sine)
  }

  /// The vector turned clockwise by an angle in radians.
  @inline(__always)
  private func turn(_ vector: SIMD2<Double>, by angle: Double) -> SIMD2<Double> {
    let (s, c) = abs(angle) < Self.nearby ? Self.sineAndCosine(angle) : (sin(angle), cos(angle))
    return SIMD2(c * vector.x + s * vector.y, c * vector.y - s * vector.x)
  }

  /// Angles below it, radians, are treated by series that are exact to rounding; 127 km.
  private static let nearby = 0.02

  private static func sineAndCosine(_ x: Double) -> (sine: Double, cosine: Double) {
    let square = x * x
    return (
      x - x * square * (1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040))),
      1 - square * (0.5 - square * (1.0 / 24 - square * (1.0 / 720)))
    )
  }

  /// The angle between two vectors, radians; infinite when it is not small.
  private static func angle(from a: SIMD2<Double>, to b: SIMD2<Double>) -> Double {
    let along = (a * b).sum()
    let t = (a.x * b.y - a.y * b.x) / along
    guard along > 0, abs(t) < nearby else { return .infinity }
    let square = t * t
    return t * (1 - square * (1.0 / 3 - square * (0.2 - square * (1.0 / 7 - square * (1.0 / 9)))))
  }

  package static let blank = LocalTangentPlane(latitude: 0, longitude: 0)

  /// The origin, from which all the rest follows.
  package mutating func pass(through archive: inout StateArchive) {
    var (latitude, longitude) = (latitude, longitude)
    archive.pass(&latitude, &longitude)
    guard archive.isReading else { return }
    self = LocalTangentPlane(latitude: latitude, longitude: longitude)
  }
}
