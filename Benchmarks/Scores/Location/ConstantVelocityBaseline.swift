internal import Foundation
internal import LocomotionPositioning
package import LocomotionSensing

/// The textbook Kalman filter: constant velocity with white acceleration, position measurements
/// only, and optional RTS smoothing.
///
/// Bar-Shalom, Li and Kirubarajan, *Estimation with Applications to Tracking and Navigation*
/// (2001), section 6.2.2, in metres of a tangent plane that moves with the phone; Rauch, Tung and
/// Striebel (1965) for the smoother. One covariance serves both axes. Reported speeds and courses
/// are not used, and there is no gate. The phone moves when the estimated speed exceeds 0.5 m/s.
package struct ConstantVelocityBaseline: LocationBaseline {
  /// The parameters of the model.
  package struct Settings: Hashable, Sendable {
    /// Spectral density of the acceleration, m²/s³; default 1.
    package var accelerationDensity = 1.0
    /// The ratio of the reported accuracy to the standard deviation along one axis; default 1.515.
    ///
    /// That is right for a radius that holds 68 %. With 1 the accuracy is read as the standard
    /// deviation itself, as many do.
    package var radiusPerDeviation = 1.515
    /// Whether later fixes are used too; default false.
    package var isSmoothed = false
    /// The fraction of a fix's error variance that is an offset; default 0.
    ///
    /// It is carried as a consider parameter, but not by a smoother: it is never estimated, but its
    /// covariance with the state is kept, so that the radius contains it (Schmidt, "Application of
    /// state-space methods to navigation problems", Advances in Control Systems 3, 1966).
    package var offsetFraction = 0.0
    /// Seconds after which an offset has decayed to 1/e; default 600.
    package var offsetMemory = 600.0

    /// The defaults.
    package init() {}
  }

  /// The parameters of the model.
  package let settings: Settings

  /// The name in tables.
  package var name: String {
    settings.isSmoothed
      ? "constant velocity, RTS"
      : settings.offsetFraction > 0 ? "constant velocity, consider offset" : "constant velocity"
  }

  /// A filter, or a smoother over it.
  package init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// The estimates; a fix not later than the newest one is ignored and repeats the last estimate.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    var steps: [Step] = []
    var stepOfFix: [Int?] = []
    for fix in fixes {
      if fix.hasPosition, steps.last.map({ fix.timestamp > $0.timestamp }) ?? true {
        steps.append(step(fix, after: steps.last))
        stepOfFix.append(steps.count - 1)
      } else {
        stepOfFix.append(fix.hasPosition && !steps.isEmpty ? steps.count - 1 : nil)
      }
    }
    var states = steps.map(\.filtered)
    if settings.isSmoothed { smooth(steps, &states) }
    return zip(fixes, stepOfFix).map { fix, index in
      guard let index else { return nil }
      let (state, place) = (states[index], steps[index].plane.geodetic(states[index].position))
      let speed = (state.velocity * state.velocity).sum().squareRoot()
      return LocatedPoint(
        timestamp: fix.timestamp, latitude: place.latitude, longitude: place.longitude,
        radius68: settings.radiusPerDeviation * max(0, state.pp).squareRoot(),
        movingState: speed > 0.5 ? .moving : .stationary)
    }
  }

  private struct State {
    var position, velocity: SIMD2<Double>
    /// The covariance of either axis: m², m²/s, m²/s².
    var pp, pv, vv: Double
    /// The covariance with the offset in units of its deviation: m, m/s.
    var po = 0.0, vo = 0.0

    func converted(from plane: LocalTangentPlane, to other: LocalTangentPlane) -> State {
      guard plane != other else { return self }
      var result = self
      (result.position, result.velocity) = plane.convert(
        position: position, velocity: velocity, to: other)
      return result
    }
  }

  private struct Step {
    var timestamp: Timestamp
    var plane: LocalTangentPlane
    /// Seconds since the step before.
    var elapsed: Double
    var predicted, filtered: State
  }

  private func step(_ fix: LocationFix, after last: Step?) -> Step {
    let accuracy = fix.horizontalAccuracy ?? LocationFix.assumedAccuracy
    let deviation = accuracy / settings.radiusPerDeviation
    let fraction = settings.isSmoothed ? 0 : settings.offsetFraction
    let offset = fraction.squareRoot() * deviation
    let variance = deviation * deviation * (1 - fraction)
    guard let last else {
      let plane = LocalTangentPlane(latitude: fix.latitude, longitude: fix.longitude)
      // A diffuse prior of the velocity: 30 m/s.
      let state = State(
        position: .zero, velocity: .zero, pp: deviation * deviation, pv: 0, vv: 900, po: -offset)
      return Step(
        timestamp: fix.timestamp, plane: plane, elapsed: 0, predicted: state, filtered: state)
    }
    var plane = last.plane
    if (last.filtered.position * last.filtered.position).sum() > 2e4 * 2e4 {
      let place = plane.geodetic(last.filtered.position)
      plane = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
    }
    let dt = fix.timestamp.seconds(since: last.timestamp)
    let q = settings.accelerationDensity
    var state = last.filtered.converted(from: last.plane, to: plane)
    state.position += dt * state.velocity
    state.pp += 2 * dt * state.pv + dt * dt * state.vv + q * dt * dt * dt / 3
    state.pv += dt * state.vv + q * dt * dt / 2
    state.vv += q * dt
    if offset > 0 {
      let kept = exp(-dt / settings.offsetMemory)
      (state.po, state.vo) = (kept * (state.po + dt * state.vo), kept * state.vo)
    }
    let predicted = state

    // Schmidt's gain: the covariances of the state with what the fix reads, offset and all.
    let (reach, rateReach) = (state.pp + offset * state.po, state.pv + offset * state.vo)
    let innovation = reach + offset * (state.po + offset) + variance
    let (gain, rateGain) = (reach / innovation, rateReach / innovation)
    let error = plane.position(latitude: fix.latitude, longitude: fix.longitude) - state.position
    state.position += gain * error
    state.velocity += rateGain * error
    state.vv -= rateGain * rateReach
    state.pv -= gain * rateReach
    state.pp -= gain * reach
    (state.po, state.vo) = (
      state.po - gain * (state.po + offset), state.vo - rateGain * (state.po + offset)
    )
    return Step(
      timestamp: fix.timestamp, plane: plane, elapsed: dt, predicted: predicted, filtered: state)
  }

  private func smooth(_ steps: [Step], _ states: inout [State]) {
    guard steps.count > 1 else { return }
    for k in stride(from: steps.count - 2, through: 0, by: -1) {
      let next = steps[k + 1]
      let (p, ahead) = (steps[k].filtered, next.predicted)
      let later = states[k + 1].converted(from: next.plane, to: steps[k].plane)
      let expected = ahead.converted(from: next.plane, to: steps[k].plane)
      // C = P·Fᵀ·P⁻¹ of the prediction.
      let dt = next.elapsed
      let (a, b, c, d) = (p.pp + dt * p.pv, p.pv, p.pv + dt * p.vv, p.vv)
      let determinant = ahead.pp * ahead.vv - ahead.pv * ahead.pv
      let c00 = (a * ahead.vv - b * ahead.pv) / determinant
      let c01 = (b * ahead.pp - a * ahead.pv) / determinant
      let c10 = (c * ahead.vv - d * ahead.pv) / determinant
      let c11 = (d * ahead.pp - c * ahead.pv) / determinant
      let position = later.position - expected.position
      let velocity = later.velocity - expected.velocity
      states[k].position += c00 * position + c01 * velocity
      states[k].velocity += c10 * position + c11 * velocity
      let (e, f, g) = (later.pp - ahead.pp, later.pv - ahead.pv, later.vv - ahead.vv)
      states[k].pp += c00 * c00 * e + 2 * c00 * c01 * f + c01 * c01 * g
      states[k].pv += c00 * c10 * e + (c00 * c11 + c01 * c10) * f + c01 * c11 * g
      states[k].vv += c10 * c10 * e + 2 * c10 * c11 * f + c11 * c11 * g
    }
  }
}
