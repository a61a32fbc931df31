/// Where the phone is, with honest uncertainty.
public struct LocationEstimate: Equatable, Sendable, StateElement {
  /// When the estimate holds.
  public var timestamp: Timestamp
  /// Geodetic latitude on WGS 84, degrees.
  public var latitude: Double
  /// Geodetic longitude on WGS 84, degrees, −180 ..< 180.
  public var longitude: Double
  /// The radius, metres, that is claimed to hold the true position with probability 0.68.
  public var radius68: Double
  /// The part of ``radius68``, metres, that is an offset which lasts for minutes: the radius alone,
  /// without the error that changes from fix to fix; nil where it is not known.
  ///
  /// Squares add: what is left, √(radius68² − offsetRadius68²), is what a distance between two
  /// estimates of one journey is uncertain by at either end.
  public var offsetRadius68: Double?
  /// Ground speed, m/s; nil until it is known.
  public var speed: Double?
  /// One standard deviation of ``speed``, m/s.
  public var speedDeviation: Double?
  /// Direction of travel, degrees clockwise from true north; nil when it means nothing, as at rest.
  public var course: Double?
  /// Altitude, metres, above the datum of the location service; nil when it is unknown.
  public var altitude: Double?
  /// One standard deviation of ``altitude``, metres.
  public var altitudeDeviation: Double?

  /// An estimate from its parts.
  public init(
    timestamp: Timestamp, latitude: Double, longitude: Double, radius68: Double, speed: Double?,
    speedDeviation: Double?, course: Double?, altitude: Double? = nil,
    altitudeDeviation: Double? = nil, offsetRadius68: Double? = nil
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.radius68 = radius68
    self.offsetRadius68 = offsetRadius68
    self.speed = speed
    self.speedDeviation = speedDeviation
    self.course = course
    self.altitude = altitude
    self.altitudeDeviation = altitudeDeviation
  }

  package static let blank = LocationEstimate(
    timestamp: .blank, latitude: 0, longitude: 0, radius68: 0, speed: nil, speedDeviation: nil,
    course: nil)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&timestamp, &latitude, &longitude, &radius68, &offsetRadius68)
    archive.pass(&speed, &speedDeviation, &course, &altitude, &altitudeDeviation)
  }
}

extension LocationFix {
  /// A filtered location as a fix: the radius of probability 0.68 is its accuracy.
  package init(_ estimate: LocationEstimate, at time: Timestamp) {
    self.init(
      timestamp: time, latitude: estimate.latitude, longitude: estimate.longitude,
      altitude: estimate.altitude, horizontalAccuracy: estimate.radius68,
      verticalAccuracy: estimate.altitudeDeviation, speed: estimate.speed,
      speedAccuracy: estimate.speedDeviation, course: estimate.course)
  }
}
