internal import LocomotionSensing

/// Two earlier fixes, half a minute apart, that tell a slow journey from a jump.
///
/// Without speeds, a pedestrian's steps drown in the errors of fixes a second apart. Over a minute
/// they show as two displacements in one direction, where a jump shows as one.
struct Trail: Hashable, Sendable, Codable {
  private var older, newer: AdmittedFix

  init(_ fix: AdmittedFix) {
    older = fix
    newer = fix
  }

  mutating func append(_ fix: AdmittedFix) {
    guard fix.timestamp.seconds(since: newer.timestamp) >= 30 else { return }
    older = newer
    newer = fix
  }

  /// The evidence for motion, nats, at least 0.
  func ratio(of fix: AdmittedFix, _ settings: LocationFilter.Settings) -> Double {
    guard older != newer else { return 0 }
    let plane = LocalTangentPlane(latitude: newer.latitude, longitude: newer.longitude)
    let before = plane.position(latitude: older.latitude, longitude: older.longitude)
    let after = plane.position(latitude: fix.latitude, longitude: fix.longitude)
    guard (before * after).sum() < 0 else { return 0 }
    return max(
      0, min(settings.ratio(of: newer, after: older), settings.ratio(of: fix, after: newer)))
  }
}
