import Foundation
import LocomotionSensing

/// Generates the accelerometer's samples, one after the other.
struct AccelerationSource: Sendable {
  struct Sample {
    var timestamp: Timestamp
    var acceleration: Acceleration
    var rotationRate: RotationRate?
  }

  private let scenario: Scenario
  private let plan: MotionPlan
  private var random: RandomStream
  private let person: Double
  private let offset: SIMD3<Double>
  private let gain: SIMD3<Double>

  private var grid = 0.0
  private var leg = -1
  private var motion: LegMotion?
  private var change = -1
  private var sway: ResonantNoise?
  private var tremor: ResonantNoise?
  private var handling: ResonantNoise?
  private var lastSway = SIMD3<Double>.zero
  private var contact = 0
  private var strengths: (from: Double, to: Double) = (1, 1)
  private var second = -1
  private var speeds: (from: Double, to: Double) = (0, 0)
  private var forces: (from: SIMD2<Double>, to: SIMD2<Double>) = (.zero, .zero)
  private var lastNanoseconds = Int64.min

  init(_ scenario: Scenario, _ plan: MotionPlan) {
    self.scenario = scenario
    self.plan = plan
    random = RandomStream(seed: scenario.seed, stream: 4)
    person = exp(0.12 * random.normal())
    offset = scenario.phone.accelerationOffset * random.normal3()
    gain = 1 + scenario.phone.accelerationGainError * random.normal3()
  }

  /// The next sample, nil at the end.
  mutating func next() -> Sample? {
    let end = plan.trajectory.duration
    guard grid < end else { return nil }
    enterLeg()
    let interval = 1 / scenario.legs[leg].rate
    let jitter = min(max(scenario.phone.samplingJitter * random.normal(), -0.4), 0.4)
    let seconds = min(max(grid + jitter * interval, 0), end)
    grid += interval
    enterSecond(seconds)

    let fraction = min(max(seconds - Double(second), 0), 1)
    let moment = LegMotion.Moment(
      seconds: seconds, speed: speeds.from + fraction * (speeds.to - speeds.from),
      acceleration: forces.from + fraction * (forces.to - forces.from), step: step(at: seconds))
    var response = motion?.response(to: moment, &random) ?? LegMotion.Response()
    var turn = SIMD3<Double>(0, response.nod, 0)
    var rate = SIMD3<Double>(0, response.nodRate, response.turnRate)
    let rotation = carry(at: seconds, interval: interval, &response, turn: &turn, rate: &rate)

    let force = response.acceleration + SIMD3(0, 0, standardGravity)
    let felt = rotation(Rotation(vector: turn)(force))
    return sample(felt, rate: rotation(rate), at: seconds)
  }

  private mutating func enterLeg() {
    let starts = plan.trajectory.legStarts
    var current = max(leg, 0)
    while current + 1 < starts.count - 1, grid >= Double(starts[current + 1]) { current += 1 }
    guard current != leg else { return }
    leg = current
    motion = LegMotion(scenario.legs[leg], person: person, &random)
  }

  private mutating func enterSecond(_ seconds: Double) {
    guard Int(seconds) != second else { return }
    second = Int(seconds)
    speeds = (plan.trajectory.speed(atKnot: second), plan.trajectory.speed(atKnot: second + 1))
    forces = (
      plan.trajectory.acceleration(at: second), plan.trajectory.acceleration(at: second + 1)
    )
  }

  /// The phase of the present step, with an amplitude that differs a little from step to step.
  private mutating func step(
    at seconds: Double
  ) -> (phase: Double, isLeft: Bool, period: Double, strength: Double)? {
    let contacts = plan.steps.contacts
    while contact < contacts.count, contacts[contact] <= seconds {
      contact += 1
      strengths = (strengths.to, exp(0.06 * random.normal()))
    }
    guard contact > 0, contact < contacts.count else { return nil }
    let (from, to) = (contacts[contact - 1], contacts[contact])
    guard to - from < 2 else { return nil }
    let phase = (seconds - from) / (to - from)
    let blend = strengths.from + phase * (strengths.to - strengths.from)
    let speed = speeds.from + (seconds - Double(second)) * (speeds.to - speeds.from)
    let effort = min(1.2, speed / max(scenario.legs[leg].speed, 0.1))
    return (phase, contact % 2 == 0, to - from, blend * effort)
  }

  /// The phone's rotation, with the motion of its carrying: sway, tremor, handling.
  private mutating func carry(
    at seconds: Double, interval: Double, _ response: inout LegMotion.Response,
    turn: inout SIMD3<Double>, rate: inout SIMD3<Double>
  ) -> Rotation {
    let changes = plan.carrying.changes
    while change + 1 < changes.count, changes[change + 1].time <= seconds {
      change += 1
      let hertz = 1 / interval
      let isStill = changes[change].carrying == .table
      sway =
        isStill ? nil : ResonantNoise(frequency: 0.25, bandwidth: 0.3, rate: hertz, &random)
      tremor = isStill ? nil : ResonantNoise(frequency: 8.5, bandwidth: 4, rate: hertz, &random)
      handling =
        change > 0 ? ResonantNoise(frequency: 1.6, bandwidth: 1.5, rate: hertz, &random) : nil
      lastSway = .zero
    }
    let now = changes[change]
    let (swayAngle, tremorLevel): (Double, Double) =
      switch now.carrying {
      case .table: (0, 0)
      case .hand: (0.018, 0.05)
      case .pocket: (0.006, 0.015)
      case .bag: (0.006, 0.012)
      case .mount: (0.001, 0.006)
      }
    if let swaying = sway?.next(&random) {
      let angle = swayAngle * swaying
      turn += angle
      if lastSway != .zero { rate += (angle - lastSway) / interval }
      lastSway = angle
    }
    if let tremorNoise = tremor?.next(&random) {
      response.acceleration += tremorLevel * tremorNoise
    }
    let fraction = (seconds - now.time) / CarryingPlan.transition
    guard change > 0, fraction < 1 else { return now.rotation }
    if let moved = handling?.next(&random) {
      response.acceleration += (1.3 * sin(.pi * fraction)) * moved
      rate += sin(.pi * fraction) * moved
    }
    return changes[change - 1].rotation.blended(
      with: now.rotation, fraction * fraction * (3 - 2 * fraction))
  }

  /// The sensor model: gain, offset, noise, quantisation and saturation.
  private mutating func sample(
    _ force: SIMD3<Double>, rate: SIMD3<Double>, at seconds: Double
  ) -> Sample {
    let phone = scenario.phone
    let felt = gain * force + offset + phone.accelerationNoise * random.normal3()
    let range = SIMD3(repeating: phone.accelerationRange)
    let shown =
      ((felt / phone.accelerationStep).rounded(.toNearestOrEven) * phone.accelerationStep)
      .clamped(lowerBound: -range, upperBound: range)
    let nanoseconds = max(
      lastNanoseconds &+ 1,
      scenario.start.nanoseconds + Int64((seconds * 1e9).rounded()))
    lastNanoseconds = nanoseconds
    var turning: RotationRate?
    if phone.hasGyroscope {
      let measured = rate + phone.rotationNoise * random.normal3()
      turning = RotationRate(x: Float(measured.x), y: Float(measured.y), z: Float(measured.z))
    }
    return Sample(
      timestamp: Timestamp(nanoseconds: nanoseconds),
      acceleration: Acceleration(x: Float(shown.x), y: Float(shown.y), z: Float(shown.z)),
      rotationRate: turning)
  }
}
