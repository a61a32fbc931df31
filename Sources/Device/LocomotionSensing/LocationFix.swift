/// One position report of the phone's location service.
///
/// Absent quantities are nil. The initialiser takes raw values (a speed of −1, an accuracy of NaN)
/// and replaces every invalid optional value by nil; the location filter rejects a fix whose
/// position itself is impossible.
public struct LocationFix: Hashable, Sendable {
  /// When the position was measured, on the clock of the accelerations.
  public var timestamp: Timestamp
  /// Geodetic latitude on WGS 84, degrees, north positive.
  public var latitude: Double
  /// Geodetic longitude on WGS 84, degrees, east positive.
  public var longitude: Double
  /// Altitude, metres; the datum is the location service's choice.
  public var altitude: Double?
  /// Radius in metres that holds the true position with probability 0.68 (Android's definition).
  public var horizontalAccuracy: Double?
  /// One standard deviation of the altitude, metres.
  public var verticalAccuracy: Double?
  /// Ground speed, m/s.
  public var speed: Double?
  /// One standard deviation of the speed, m/s.
  public var speedAccuracy: Double?
  /// Direction of travel, degrees clockwise from true north, 0 ..< 360.
  public var course: Double?
  /// One standard deviation of the course, degrees.
  public var courseAccuracy: Double?

  /// A fix in which every invalid optional value (negative, NaN or infinite) becomes nil.
  ///
  /// An accuracy of zero is invalid too: location services report it for "unknown". A course is
  /// reduced to 0 ..< 360. An altitude may be negative, but not beyond ±20 km.
  public init(
    timestamp: Timestamp, latitude: Double, longitude: Double, altitude: Double? = nil,
    horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
    speedAccuracy: Double? = nil, course: Double? = nil, courseAccuracy: Double? = nil
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude.flatMap { abs($0) <= 20_000 ? $0 : nil }
    self.horizontalAccuracy = Self.positive(horizontalAccuracy)
    self.verticalAccuracy = Self.positive(verticalAccuracy)
    self.speed = Self.nonNegative(speed)
    self.speedAccuracy = Self.positive(speedAccuracy)
    self.course = Self.nonNegative(course).map {
      $0 < 360 ? $0 : $0.truncatingRemainder(dividingBy: 360)
    }
    self.courseAccuracy = Self.positive(courseAccuracy)
  }

  /// All but the time, in the order of the initializer.
  package var quantities: [Double?] {
    [
      latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, speed, speedAccuracy,
      course, courseAccuracy,
    ]
  }

  private static func nonNegative(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  private static func positive(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }
}

#if !hasFeature(Embedded)
  extension LocationFix: Codable {}
#endif
