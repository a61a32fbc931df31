package import LocomotionPositioning
package import LocomotionSensing

/// A baseline for the location filter: a track from a recording's fixes.
///
/// These are reference implementations for evaluation: they implement published or well-known
/// behaviour, faults included, as plainly as possible. None of them belongs on a device.
package protocol LocationBaseline: Sendable {
  /// The name in tables.
  var name: String { get }
  /// One entry for each fix, in the same order; nil where the method gives no position.
  func points(for fixes: [LocationFix]) -> [LocatedPoint?]
}

/// The raw fixes.
///
/// The radius is the reported accuracy, and the phone moves when its reported speed exceeds 0.5
/// m/s; a missing speed counts as rest, because it is missing mostly at rest.
package struct RawFixes: LocationBaseline {
  /// The name in tables.
  package let name = "raw fixes"

  /// The baseline.
  package init() {}

  /// The fixes themselves.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
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
