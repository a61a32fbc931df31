internal import CLocomotionMath

/// The shortest line between two points of the Earth's surface.
///
/// ```swift
/// Geodesic(from: (48.137, 11.575), to: (60.170, 24.941)).distance  // metres
/// ```
///
/// The chord between the points of the WGS 84 ellipsoid, bent to a sphere; over more than 1,000 km
/// the angle between them at the Earth's centre, by their mean distance from it. Within some
/// nanometres of the geodesic on the ellipsoid over metres, 10⁻⁵ of it over 1,000 km, and 0.2 %
/// anywhere, also across the antimeridian and the poles.
///
/// - Complexity: O(1), without allocation.
public struct Geodesic: Equatable, Sendable {
  /// The length, metres; NaN when a coordinate is not finite.
  public let distance: Double

  /// The geodesic between two points given in degrees.
  ///
  /// A latitude beyond ±90 is taken as the pole; any multiple of 360° may be added to a longitude.
  public init(
    from start: (latitude: Double, longitude: Double),
    to end: (latitude: Double, longitude: Double)
  ) {
    guard start.longitude.isFinite, end.longitude.isFinite else {
      distance = .nan
      return
    }
    func point(_ place: (latitude: Double, longitude: Double)) -> SIMD3<Double> {
      let latitude = place.latitude > 90 ? 90 : place.latitude < -90 ? -90 : place.latitude
      return WGS84.earthCentred(
        latitude: latitude, longitude: place.longitude.remainder(dividingBy: 360))
    }
    let (first, second) = (point(start), point(end))
    let chord = second - first
    guard (chord * chord).sum() > 1e12 else {
      distance = arcLength(ofChord: chord)
      return
    }
    func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
    let (sum, difference) = (
      first / length(first) + second / length(second),
      first / length(first) - second / length(second)
    )
    distance = atan2(length(difference), length(sum)) * (length(first) + length(second))
  }
}

/// The length of the arc over a chord on a sphere of the Earth's mean radius, metres.
package func arcLength(ofChord chord: SIMD3<Double>) -> Double {
  let length = (chord * chord).sum().squareRoot()
  // asin x = x + x³/6 + 3x⁵/40 + …; the last term is below 2 cm at 1,000 km.
  let x = length / (2 * 6_371_009)
  guard x < 0.1 else { return 2 * 6_371_009 * asin(min(x, 1)) }
  let square = x * x
  return length * (1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336))))
}

/// What has a place on WGS 84.
package protocol GeodeticPosition {
  /// Geodetic latitude, degrees.
  var latitude: Double { get }
  /// Geodetic longitude, degrees.
  var longitude: Double { get }
}

extension GeodeticPosition {
  /// The length of the geodesic to another place, metres.
  package func distance(to other: some GeodeticPosition) -> Double {
    Geodesic(from: (latitude, longitude), to: (other.latitude, other.longitude)).distance
  }
}

extension LocationFix: GeodeticPosition {}
extension LocationEstimate: GeodeticPosition {}
