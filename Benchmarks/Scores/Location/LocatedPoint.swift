package import LocomotionPositioning
package import LocomotionSensing

/// A method's position estimate at one fix, with its accuracy and moving state.
package struct LocatedPoint: Hashable, Sendable, GeodeticPosition {
  /// The time of the fix.
  package var timestamp: Timestamp
  /// Geodetic latitude on WGS 84, degrees.
  package var latitude: Double
  /// Geodetic longitude on WGS 84, degrees.
  package var longitude: Double
  /// The reported radius, metres, that contains the truth with probability 0.68; nil when the
  /// method reports none.
  package var radius68: Double?
  /// Whether the phone moved; nil when the method doesn't estimate it.
  package var movingState: MovingState?

  /// A point from its parts.
  package init(
    timestamp: Timestamp, latitude: Double, longitude: Double, radius68: Double? = nil,
    movingState: MovingState? = nil
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.radius68 = radius68
    self.movingState = movingState
  }
}
