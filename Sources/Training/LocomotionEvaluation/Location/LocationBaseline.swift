public import LocomotionPositioning
public import LocomotionSensing

/// A method's position estimate at one fix, with its accuracy and moving state.
public struct LocatedPoint: Hashable, Sendable {
  /// The time of the fix.
  public var timestamp: Timestamp
  /// Geodetic latitude on WGS 84, degrees.
  public var latitude: Double
  /// Geodetic longitude on WGS 84, degrees.
  public var longitude: Double
  /// The reported radius, metres, that contains the truth with probability 0.68; nil when the
  /// method reports none.
  public var radius68: Double?
  /// Whether the phone moved; nil when the method doesn't estimate it.
  public var movingState: MovingState?

  /// A point from its parts.
  public init(
    timestamp: Timestamp, latitude: Double, longitude: Double, radius68: Double? = nil,
    movingState: MovingState? = nil
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.radius68 = radius68
    self.movingState = movingState
  }

  /// The geodesic distance to another point, metres.
  package func distance(to other: LocatedPoint) -> Double {
    Geodesic(from: (latitude, longitude), to: (other.latitude, other.longitude)).distance
  }
}

/// A baseline for the location filter: a track from a recording's fixes.
///
/// These are reference implementations for evaluation: they implement published or well-known
/// behaviour, faults included, as plainly as possible. None of them belongs on a device.
public protocol LocationBaseline: Sendable {
  /// The name in tables.
  var name: String { get }
  /// One entry for each fix, in the same order; nil where the method gives no position.
  func points(for fixes: [LocationFix]) -> [LocatedPoint?]
}

/// The raw fixes.
///
/// The radius is the reported accuracy, and the phone moves when its reported speed exceeds 0.5
/// m/s; a missing speed counts as rest, because it is missing mostly at rest.
public struct RawFixes: LocationBaseline {
  /// The name in tables.
  public let name = "raw fixes"

  /// The baseline.
  public init() {}

  /// The fixes themselves.
  public func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    fixes.map { fix in
      guard fix.hasPosition else { return nil }
      return fix.point(
        movingState: fix.speed ?? 0 > 0.5 ? .moving : .stationary)
    }
  }
}

extension LocationFix {
  /// Whether the position is valid; (0, 0) is what programs without a position write.
  package var hasPosition: Bool {
    abs(latitude) <= 90 && abs(longitude) <= 360 && !(latitude == 0 && longitude == 0)
      && timestamp.isPlausible
  }

  /// The accuracy assumed where a recording has none, typical outdoors, metres.
  package static let assumedAccuracy = 10.0

  /// The fix as a point with the reported accuracy as its radius.
  package func point(movingState: MovingState? = nil) -> LocatedPoint {
    LocatedPoint(
      timestamp: timestamp, latitude: latitude, longitude: longitude,
      radius68: horizontalAccuracy, movingState: movingState)
  }
}
