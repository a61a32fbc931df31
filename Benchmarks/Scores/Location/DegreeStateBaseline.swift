internal import Foundation
internal import LocomotionPositioning
package import LocomotionSensing

/// A Kalman filter of position and velocity in degrees, both measured, as in LocoKit2.
///
/// Restates that library's filter: state [latitude, longitude, their rates] in degrees and degrees
/// per second, the same process noise at every fix whatever the time between (10⁻¹⁰ deg² of
/// position, 0.1 deg² of rate), covariance update (I − KH)P, no gate. Accuracies below 1 m count as
/// 1 m, and so does an unknown one; an invalid speed or course is taken as a standstill with a
/// standard deviation of 0.01 m/s. The reported radius is twice the root of the summed variances.
/// The moving state is that of the last 10 s: weighted mean and deviation of the speed, and the
/// fraction of invalid velocities.
///
/// Deviations: where the recording has no accuracy of the speed, 0.5 m/s is assumed, and a course
/// without accuracy is valid; a degree of latitude is 111,320 m. The later detectors for places
/// underground and for places where fixes drift are omitted. As both axes have the same noise, one
/// covariance serves both, with the original's results.
package struct DegreeStateBaseline: LocationBaseline {
  /// The name in tables.
  package let name = "four-state in degrees (LocoKit2)"

  private static let metresPerDegree = 111_320.0

  /// The baseline.
  package init() {}

  /// The filtered points; nil for a fix that is not later than the newest one.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    var filter: Filter?
    var recent: [Recent] = []
    return fixes.map { fix in
      guard fix.hasPosition else { return nil }
      if let filter, fix.timestamp <= filter.timestamp { return nil }
      let velocity = Velocity(fix)
      if filter == nil {
        filter = Filter(fix, velocity)
      }
      filter?.update(fix, velocity)
      guard let state = filter else { return nil }
      var point = state.point
      recent.append(
        Recent(
          timestamp: fix.timestamp, speed: state.speed, accuracy: point.radius68 ?? 1,
          isInvalid: !velocity.isValid))
      recent.removeAll { fix.timestamp.seconds(since: $0.timestamp) > 10 }
      point.movingState = Recent.movingState(recent)
      return point
    }
  }

  private struct Velocity {
    /// Degrees per second, north and east.
    let rate: SIMD2<Double>
    /// m/s.
    let deviation: Double
    let isValid: Bool

    init(_ fix: LocationFix) {
      guard let speed = fix.speed, let course = fix.course, fix.speedAccuracy ?? 0 < 20 else {
        (rate, deviation, isValid) = (.zero, 0.01, false)
        return
      }
      let angle = course * .pi / 180
      rate = speed * SIMD2(cos(angle), sin(angle)) / Filter.scale(fix.latitude)
      deviation = max(fix.speedAccuracy ?? 0.5, 0.01)
      isValid = true
    }
  }

  private struct Filter {
    var timestamp: Timestamp
    /// Latitude and longitude, degrees, and their rates.
    var position, rate: SIMD2<Double>
    /// The covariance of each axis, not kept symmetric.
    var p = (pp: 1e-4, pv: 0.0, vp: 0.0, vv: 1e-4)

    init(_ fix: LocationFix, _ velocity: Velocity) {
      timestamp = fix.timestamp
      position = SIMD2(fix.latitude, fix.longitude)
      rate = velocity.rate
    }

    /// Metres per degree of latitude and of longitude.
    static func scale(_ latitude: Double) -> SIMD2<Double> {
      SIMD2(metresPerDegree, metresPerDegree * max(cos(latitude * .pi / 180), 1e-6))
    }

    mutating func update(_ fix: LocationFix, _ velocity: Velocity) {
      let elapsed = fix.timestamp.seconds(since: timestamp)
      guard elapsed > 0 else { return }
      timestamp = fix.timestamp
      position += elapsed * rate
      p.pp += elapsed * (p.pv + p.vp) + elapsed * elapsed * p.vv + 1e-10
      p.pv += elapsed * p.vv
      p.vp += elapsed * p.vv
      p.vv += 0.1

      let scale = Self.scale(fix.latitude)
      let mean = (scale.x + scale.y) / 2
      let accuracy = max(fix.horizontalAccuracy ?? 1, 1) / mean
      let deviation = velocity.deviation / mean
      // K = P·(P + R)⁻¹.
      let s = (
        pp: p.pp + accuracy * accuracy, pv: p.pv, vp: p.vp, vv: p.vv + deviation * deviation
      )
      let determinant = s.pp * s.vv - s.pv * s.vp
      let inverse = (
        pp: s.vv / determinant, pv: -s.pv / determinant, vp: -s.vp / determinant,
        vv: s.pp / determinant
      )
      let k = (
        pp: p.pp * inverse.pp + p.pv * inverse.vp, pv: p.pp * inverse.pv + p.pv * inverse.vv,
        vp: p.vp * inverse.pp + p.vv * inverse.vp, vv: p.vp * inverse.pv + p.vv * inverse.vv
      )
      let positionError = SIMD2(fix.latitude, fix.longitude) - position
      let rateError = velocity.rate - rate
      position += k.pp * positionError + k.pv * rateError
      rate += k.vp * positionError + k.vv * rateError
      p = (
        pp: (1 - k.pp) * p.pp - k.pv * p.vp, pv: (1 - k.pp) * p.pv - k.pv * p.vv,
        vp: (1 - k.vv) * p.vp - k.vp * p.pp, vv: (1 - k.vv) * p.vv - k.vp * p.pv
      )
    }

    var point: LocatedPoint {
      let scale = Self.scale(position.x)
      return LocatedPoint(
        timestamp: timestamp, latitude: position.x, longitude: position.y,
        radius68: 2 * (max(0, p.pp) * (scale * scale).sum()).squareRoot())
    }

    /// m/s.
    var speed: Double {
      let velocity = rate * Self.scale(position.x)
      return (velocity * velocity).sum().squareRoot()
    }
  }

  /// A filtered fix of the last 10 s.
  private struct Recent {
    var timestamp: Timestamp
    var speed, accuracy: Double
    var isInvalid: Bool

    static func movingState(_ recent: [Recent]) -> MovingState {
      if 2 * recent.count(where: \.isInvalid) >= recent.count { return .stationary }
      if recent.count == 1 { return recent[0].speed < 0.8 ? .stationary : .moving }
      let count = Double(recent.count)
      guard recent.reduce(0, { $0 + $1.accuracy }) / count <= 50 else { return .uncertain }
      let weights = recent.reduce(0) { $0 + 1 / $1.accuracy }
      let mean = recent.reduce(0) { $0 + $1.speed / $1.accuracy } / weights
      let variance =
        recent.reduce(0) { $0 + ($1.speed - mean) * ($1.speed - mean) / $1.accuracy } / weights
      return mean < 0.5 && variance < 0.3 * 0.3 ? .stationary : .moving
    }
  }
}
