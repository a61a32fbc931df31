internal import LocomotionPositioning
package import LocomotionSensing

/// Cyface's cleaning: a fix counts when it is accurate and moves.
///
/// Restates the rule of that project's earlier releases: accuracy below 20 m and speed between 1
/// and 100 m/s, all strict. As there, an unknown accuracy (−1) passes and an unknown speed (−1)
/// does not. Removed fixes have no position: the rule is for the length of a track, from which it
/// drops every stop and every slow walk.
package struct CyfaceCleaning: LocationBaseline {
  /// The name in tables.
  package let name = "cleaning rule (Cyface)"

  /// The baseline.
  package init() {}

  /// The accepted fixes, unchanged.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    fixes.map { $0.hasPosition && Self.keeps($0) ? $0.point() : nil }
  }

  /// Whether a fix is accepted.
  package static func keeps(_ fix: LocationFix) -> Bool {
    guard let speed = fix.speed else { return false }
    return speed > 1 && speed < 100 && (fix.horizontalAccuracy ?? -1) < 20
  }
}

/// The Location Tracker's thresholds: a new position every 15 m and 15 s.
///
/// Restates IBM's example app in the foreground: fixes with an accuracy of at most 25 m are
/// accepted, and one is reported when it is the first, or at least 15 m from the last report and
/// more than 15 s after it. Between reports the last one is kept. Deviation: time is that of the
/// fixes, where the app uses the current time.
package struct LocationTrackerThresholds: LocationBaseline {
  /// The name in tables.
  package let name = "15 m and 15 s (Location Tracker)"

  /// The baseline.
  package init() {}

  /// The last report at each fix; nil before the first.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    var report: LocatedPoint?
    return fixes.map { fix in
      if fix.hasPosition, let accuracy = fix.horizontalAccuracy, accuracy <= 25 {
        let point = fix.point()
        if let last = report {
          if point.timestamp.seconds(since: last.timestamp) > 15, point.distance(to: last) >= 15 {
            report = point
          }
        } else {
          report = point
        }
      }
      guard var point = report else { return nil }
      point.timestamp = fix.timestamp
      return point
    }
  }
}
