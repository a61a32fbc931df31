public import Locomotion
internal import LocomotionPositioning
public import LocomotionSensing

/// Where a person travelled in one leg of a trip.
public struct DayTrack: Hashable, Sendable {
  /// The leg: its times, activity, distance and steps.
  public let leg: Trip.Leg
  /// The positions at the fixes of the leg, smoothed, in the order of time.
  ///
  /// The horizontal accuracy is the radius that is claimed to hold the person with probability
  /// 0.68.
  public let points: [LocationFix]
}

extension UserJournal {
  /// The paths of items in the order of time, one after the other: one track per leg of a trip that
  /// has positions, none of a stay or gap.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(number of the user's fixes).
  public func tracks(of items: [TimelineItem]) throws(JournalError) -> [DayTrack] {
    guard let first = items.first, let last = items.last else { return [] }
    // Smoothing a leg needs what comes before and after it.
    let margin = DayComputation.lead
    var track = Self.smoothed(
      try fixes(
        from: first.start.advanced(byNanoseconds: -margin),
        to: last.end.advanced(byNanoseconds: margin)))[...]
    return items.flatMap { item -> [DayTrack] in
      guard case .trip(let trip) = item else { return [] }
      return trip.legs.compactMap { leg in
        track = track.drop { $0.timestamp < leg.start }
        let points = Array(track.prefix { $0.timestamp < leg.end })
        return points.isEmpty ? nil : DayTrack(leg: leg, points: points)
      }
    }
  }

  private static func smoothed(_ fixes: [LocationFix]) -> [LocationFix] {
    LocationSmoother().estimates(for: fixes, mode: .smoothed).compactMap { row in
      guard let estimate = row.estimate, row.status.isUsed else { return nil }
      return LocationFix(
        timestamp: row.timestamp, latitude: estimate.latitude, longitude: estimate.longitude,
        altitude: estimate.altitude, horizontalAccuracy: estimate.radius68,
        verticalAccuracy: estimate.altitudeDeviation, speed: estimate.speed,
        speedAccuracy: estimate.speedDeviation, course: estimate.course)
    }
  }
}
