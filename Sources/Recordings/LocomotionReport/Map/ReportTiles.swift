import Foundation
import LocomotionPositioning

/// Raster tiles under the map, in the scheme of OpenStreetMap: Web Mercator, `z/x/y` from the north
/// west, 256 points wide.
package struct ReportTiles: Hashable, Sendable {
  /// The address of a tile, with `{z}`, `{x}` and `{y}`.
  let template: String
  /// The scheme and host, as a content security policy names them.
  let origin: String
  /// What the server's owner wants to be named as; empty for nothing.
  let attribution: String

}

/// Web Mercator (EPSG:3857) in metres at the latitude of its origin, east and north of it.
///
/// The projection is conformal, so that a map of it has one scale in all directions; lengths are
/// longer by the ratio of the cosines of the latitudes away from the origin.
package struct MercatorProjection: Sendable {
  private static let radius = 6_378_137.0
  /// The latitude at which the square world ends, degrees.
  private static let limit = 85.051_128_779_806_6

  /// Where both coordinates are 0.
  let origin: ReportPoint
  private let longitude: Double
  private let northing: Double
  /// Metres at the origin per radian of the sphere.
  private let metres: Double

  package init(origin: ReportPoint) {
    self.origin = origin
    longitude = origin.longitude
    northing = Self.northing(origin.latitude)
    let latitude = min(max(origin.latitude, -Self.limit), Self.limit)
    metres = Self.radius * cos(latitude * WGS84.radiansPerDegree)
  }

  /// ln tan(π/4 + φ/2), of a latitude within the square world.
  private static func northing(_ latitude: Double) -> Double {
    let latitude = min(max(latitude, -limit), limit) * WGS84.radiansPerDegree
    return log(tan(.pi / 4 + latitude / 2))
  }

  package func position(_ point: ReportPoint) -> SIMD2<Double> {
    SIMD2(
      WGS84.wrapped(point.longitude - longitude) * WGS84.radiansPerDegree * metres,
      (Self.northing(point.latitude) - northing) * metres)
  }

  /// The place of a position on the square world, from 0 in the north west to 1 in the south east.
  package func world(_ position: SIMD2<Double>) -> SIMD2<Double> {
    let angle = position / metres
    return SIMD2(
      0.5 + longitude / 360 + angle.x / (2 * .pi), 0.5 - (northing + angle.y) / (2 * .pi))
  }

  /// The width of the world in metres at the origin.
  var circumference: Double { 2 * .pi * metres }
}
