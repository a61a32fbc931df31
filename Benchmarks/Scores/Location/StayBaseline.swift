package import Locomotion

/// A time in one place, true or detected.
package struct StayInterval: Hashable, Sendable, Codable {
  /// The first instant.
  package var start: Timestamp
  /// The first instant after the stay.
  package var end: Timestamp
  /// The centre's geodetic latitude, degrees; nil when the position is not known.
  package var latitude: Double?
  /// The centre's geodetic longitude, degrees; nil when the position is not known.
  package var longitude: Double?

  /// A stay from its parts.
  package init(start: Timestamp, end: Timestamp, latitude: Double?, longitude: Double?) {
    self.start = start
    self.end = end
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The time and place of a timeline's stay.
  package init(_ stay: Stay) {
    self.init(
      start: stay.start, end: stay.end, latitude: stay.location?.latitude,
      longitude: stay.location?.longitude)
  }

  /// The length, seconds.
  package var duration: Double { end.seconds(since: start) }

  /// The distance between the centres, metres; nil when one is not known.
  package func distance(to other: StayInterval) -> Double? {
    guard let latitude, let longitude, let there = other.latitude, let across = other.longitude
    else { return nil }
    return Geodesic(from: (latitude, longitude), to: (there, across)).distance
  }
}

/// A baseline for stay detection in a track.
package protocol StayBaseline: Sendable {
  /// The name in tables.
  var name: String { get }
  /// The stays in points that are in time order.
  func stays(in points: [LocatedPoint]) -> [StayInterval]
}
