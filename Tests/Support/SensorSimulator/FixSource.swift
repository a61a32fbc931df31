import Foundation
import LocomotionSensing

/// Generates the location service's fixes, one after the other.
///
/// The error of each axis is a Gauss-Markov process whose deviation and time constant depend on the
/// view of the sky; the deviation itself varies by 25 %, and the reported radius follows it up to a
/// random factor, so that it is right on average and wrong in single fixes.
struct FixSource: Sendable {
  private let scenario: Scenario
  private let plan: MotionPlan
  private var random: RandomStream
  private var due = 0.0
  private var last = 0.0
  private var leg = 0
  private var east: GaussMarkov, north: GaussMarkov, up: GaussMarkov
  private var velocityEast: GaussMarkov, velocityNorth: GaussMarkov
  private var breath: GaussMarkov
  private var deviation: Double

  init(_ scenario: Scenario, _ plan: MotionPlan) {
    self.scenario = scenario
    self.plan = plan
    random = RandomStream(seed: scenario.seed, stream: 5)
    east = GaussMarkov(&random)
    north = GaussMarkov(&random)
    up = GaussMarkov(&random)
    velocityEast = GaussMarkov(&random)
    velocityNorth = GaussMarkov(&random)
    breath = GaussMarkov(&random)
    deviation = scenario.legs.first?.sky.errors.position ?? 2
    due = random.uniform(0...0.9)
  }

  /// The next fix, nil at the end.
  mutating func next() -> LocationFix? {
    let starts = plan.trajectory.legStarts
    while due < plan.trajectory.duration {
      while leg + 2 < starts.count, due >= Double(starts[leg + 1]) { leg += 1 }
      let seconds = due
      let isResting = scenario.legs[leg].motion == .still
      due += isResting ? scenario.phone.restFixInterval : scenario.phone.fixInterval
      if isResting, leg + 2 < starts.count {
        // Movement triggers the location service.
        due = min(due, max(Double(starts[leg + 1]) + 0.5, seconds + scenario.phone.fixInterval))
      }
      let sky = scenario.legs[leg].sky
      advance(to: seconds, sky)
      if random.happens(sky.errors.missingFix) { continue }
      return fix(at: seconds + 0.002 * random.uniform(), sky)
    }
    return nil
  }

  private mutating func advance(to seconds: Double, _ sky: SkyView) {
    let interval = max(seconds - last, 1e-3)
    last = seconds
    let constant = sky.errors.timeConstant
    _ = east.advance(interval, timeConstant: constant, &random)
    _ = north.advance(interval, timeConstant: constant, &random)
    _ = up.advance(interval, timeConstant: constant, &random)
    _ = velocityEast.advance(interval, timeConstant: 5, &random)
    _ = velocityNorth.advance(interval, timeConstant: 5, &random)
    _ = breath.advance(interval, timeConstant: 90, &random)
    let fraction = exp(-interval / (sky.errors.position < deviation ? 10 : 4))
    deviation = fraction * deviation + (1 - fraction) * sky.errors.position
  }

  private mutating func fix(at seconds: Double, _ sky: SkyView) -> LocationFix {
    let phone = scenario.phone
    let truth = plan.trajectory.state(at: seconds)
    let scale = deviation * exp(0.25 * breath.value)
    // A tenth of the variance is new in every fix.
    var error =
      scale
      * (SIMD2(east.value, north.value) * 0.9.squareRoot()
        + SIMD2(random.normal(), random.normal()) * 0.1.squareRoot())
    let radius = Self.radiusPerDeviation * scale * exp(phone.accuracySpread * random.normal())
    let inLeg = seconds - Double(plan.trajectory.legStarts[leg])
    for jump in scenario.legs[leg].displacements where inLeg >= jump.from && inLeg < jump.to {
      let bearing = jump.bearing * .pi / 180
      error += jump.metres * SIMD2(sin(bearing), cos(bearing))
    }
    let offset = Trajectory.degrees(error, at: truth.latitude)
    var result = LocationFix(
      timestamp: plan.timestamp(seconds), latitude: truth.latitude + offset.y,
      longitude: truth.longitude + offset.x, altitude: 500 + 1.7 * scale * up.value,
      horizontalAccuracy: max(1, radius),
      verticalAccuracy: 1.7 * scale)
    addVelocity(to: &result, at: seconds, sky)
    return result
  }

  /// Adds the Doppler velocity of `velocityLatency` ago, or none when the service has none.
  private mutating func addVelocity(to fix: inout LocationFix, at seconds: Double, _ sky: SkyView) {
    let truth = plan.trajectory.state(at: seconds - scenario.phone.velocityLatency)
    let deviation = sky.errors.velocity
    let isMissing = random.happens(sky.errors.missingSpeed)
    let noise =
      deviation
      * (0.6.squareRoot() * SIMD2(velocityEast.value, velocityNorth.value)
        + 0.4.squareRoot() * SIMD2(random.normal(), random.normal()))
    guard truth.speed > 0.3 || !isMissing else { return }
    let velocity = truth.velocity + (truth.speed > 0.3 ? noise : 0.5 * noise)
    let speed = (velocity * velocity).sum().squareRoot()
    fix.speed = speed
    fix.speedAccuracy = deviation
    guard speed > 0.4 else { return }
    let course = atan2(velocity.x, velocity.y) * 180 / .pi
    fix.course = course < 0 ? course + 360 : course
    fix.courseAccuracy = min(180, deviation / speed * 180 / .pi)
  }

  /// The radius that holds 68 % of a circular normal distribution, in deviations of one axis.
  static let radiusPerDeviation = 1.5096
}
