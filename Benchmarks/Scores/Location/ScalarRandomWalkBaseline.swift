internal import LocomotionPositioning
package import LocomotionSensing

/// A random walk of latitude and longitude with one variance, as in LocoKit 1.
///
/// Restates the location part of that library: variance grows by (4 m/s)² per second, the reported
/// accuracy is the standard deviation of the measurement, and one gain updates both coordinates, in
/// degrees. Speed and course are not used, and the reported accuracy is the newest fix's own. The
/// moving state comes from the centres of a newer and an older group of fixes.
///
/// Deviations: centres are means in a tangent plane, not on the unit sphere; the state machine that
/// stops and wakes the sensors, trust factors learned by place and the pedometer are omitted; a fix
/// without accuracy counts as one of 10 m. Like the original it doesn't handle the antimeridian.
package struct ScalarRandomWalkBaseline: LocationBaseline {
  /// The name in tables.
  package let name = "scalar random walk (LocoKit)"

  /// The process noise, m/s.
  private static let noise = 4.0

  /// The baseline.
  package init() {}

  /// The filtered points; nil for a fix that is not later than the newest one.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    var groups = FixGroups()
    var state: (point: LocatedPoint, variance: Double)?
    return fixes.map { fix in
      guard fix.hasPosition else { return nil }
      let accuracy = fix.horizontalAccuracy ?? LocationFix.assumedAccuracy
      let elapsed = state.map { fix.timestamp.seconds(since: $0.point.timestamp) }
      if let elapsed, elapsed <= 0 { return nil }
      var variance = accuracy * accuracy
      var point = fix.point()
      point.radius68 = accuracy
      if let last = state, let elapsed {
        let predicted = last.variance + elapsed * Self.noise * Self.noise
        let gain = predicted / (predicted + variance)
        point.latitude = last.point.latitude + gain * (fix.latitude - last.point.latitude)
        point.longitude = last.point.longitude + gain * (fix.longitude - last.point.longitude)
        variance = (1 - gain) * predicted
      }
      groups.add(point, accuracy: accuracy, deviation: variance.squareRoot(), speed: fix.speed)
      point.movingState = groups.movingState
      state = (point, variance)
      return point
    }
  }
}

/// The newer fixes and the ones before them, whose centres indicate whether the phone moved.
private struct FixGroups {
  private typealias Member = (point: LocatedPoint, accuracy: Double)

  private var present: [Member] = []
  private var past: [Member] = []

  mutating func add(
    _ point: LocatedPoint, accuracy: Double, deviation: Double, speed: Double?
  ) {
    present.append((point, accuracy))
    // Ten more fixes at standstill than from 10 km/h on.
    let slowness = 10 * max(0, 1 - (speed ?? 0) * 3.6 / 10)
    let needed = min(max(deviation + slowness, 10), 60)
    while present.count > 1,
      Double(present.count) > needed || present.count > past.count + 4
        || point.timestamp.seconds(since: present[0].point.timestamp) > 60
    {
      past.append(present.removeFirst())
    }
    past.removeFirst(max(0, past.count - max(2, present.count)))
  }

  var movingState: MovingState {
    guard let here = Self.centre(present), here.accuracy <= 300, let there = Self.centre(past)
    else { return .uncertain }
    if here.point.distance(to: there.point) <= min(here.accuracy, 65) { return .stationary }
    return present.count >= 6 ? .moving : .uncertain
  }

  /// The weighted mean of the positions, and the plain mean of the accuracies.
  private static func centre(_ members: [Member]) -> (point: LocatedPoint, accuracy: Double)? {
    guard let first = members.first?.point else { return nil }
    let plane = LocalTangentPlane(latitude: first.latitude, longitude: first.longitude)
    let worst = members.reduce(0) { max($0, $1.accuracy) }
    var (sum, weights, accuracies) = (SIMD2(0.0, 0), 0.0, 0.0)
    for member in members {
      let weight = 1 - member.accuracy / (worst + 1)
      sum +=
        weight
        * plane.position(latitude: member.point.latitude, longitude: member.point.longitude)
      weights += weight
      accuracies += member.accuracy
    }
    let place = plane.geodetic(sum / weights)
    return (
      LocatedPoint(
        timestamp: first.timestamp, latitude: place.latitude, longitude: place.longitude),
      accuracies / Double(members.count)
    )
  }
}
