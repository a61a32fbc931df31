import Foundation

/// The motion of the carrier's body during one leg, without gravity and without the carrying's.
struct LegMotion: Sendable {
  /// Noise of one band, with its level at a standstill and its increase with speed, m/s².
  private struct Band: Sendable {
    var noise: ResonantNoise
    var atRest: SIMD3<Double>
    var underWay: SIMD3<Double>
  }

  /// The model's input at one instant.
  struct Moment {
    var seconds: Double
    var speed: Double
    /// Along and to the left of the heading, m/s².
    var acceleration: SIMD2<Double>
    /// The current step; nil when not stepping.
    var step: (phase: Double, isLeft: Bool, period: Double, strength: Double)?
  }

  struct Response {
    /// (forward, left, up), m/s², without gravity.
    var acceleration = SIMD3<Double>.zero
    /// Pitch about the axis to the left, radians, and its rate, rad/s.
    var nod = 0.0
    var nodRate = 0.0
    /// Yaw rate about the vertical, rad/s.
    var turnRate = 0.0
  }

  private let leg: Leg
  private let gait: GaitModel?
  private var bands: [Band] = []
  private var loudness: GaussMarkov
  private var level = 1.0
  private var second = -1
  private var bump: (time: Double, strength: Double) = (-.infinity, 0)
  private var isPedalling = true
  private var untilPedalChange: Double
  private var crank = 0.0
  private var lastSeconds: Double?
  private let pedal: [SIMD3<Double>]
  private let pedalSwing: Double

  init(_ leg: Leg, person: Double, _ random: inout RandomStream) {
    self.leg = leg
    gait = leg.motion.isOnFoot ? GaitModel(leg, person: person, &random) : nil
    loudness = GaussMarkov(&random)
    untilPedalChange = random.uniform(8...25)
    let onThigh = leg.carrying == .pocket
    pedalSwing = leg.motion == .bicycle && onThigh ? 0.17 : 0
    let thigh = (onThigh ? 1.3 : 0.35) * person
    pedal = [
      thigh * SIMD3(0.7, 0.35, random.uniform(0.7...1.2)),
      thigh * SIMD3(0.4, 0.3, random.uniform(0.4...0.8)),
      thigh * SIMD3(0.2, 0.15, random.uniform(0.1...0.3)),
    ]
    func band(
      _ frequency: Double, _ bandwidth: Double, atRest: SIMD3<Double>, underWay: SIMD3<Double>
    ) {
      bands.append(
        Band(
          noise: ResonantNoise(
            frequency: frequency, bandwidth: bandwidth, rate: leg.rate, &random),
          atRest: atRest, underWay: underWay))
    }
    switch leg.motion {
    case .still:
      break
    case .walk, .run:
      // Noise that the series doesn't model: cloth, keys, uneven ground.
      let fraction = leg.motion == .run ? 2.2 : 0.7
      band(11, 9, atRest: .zero, underWay: fraction * SIMD3(0.7, 0.7, 1))
    case .bicycle:
      band(0.5, 0.5, atRest: .zero, underWay: SIMD3(0.3, 0.35, 0.2))
      band(3.2, 2.5, atRest: .zero, underWay: SIMD3(0.25, 0.25, 0.7))
      band(6.5, 5, atRest: .zero, underWay: SIMD3(0.5, 0.45, 1.0))
      band(12, 7, atRest: .zero, underWay: SIMD3(0.35, 0.35, 0.6))
    case .road:
      band(1.4, 0.9, atRest: .zero, underWay: SIMD3(0.06, 0.09, 0.17))
      band(4.2, 3, atRest: .zero, underWay: SIMD3(0.09, 0.1, 0.18))
      band(8.5, 5, atRest: SIMD3(repeating: 0.008), underWay: SIMD3(0.1, 0.1, 0.24))
      band(13, 4, atRest: SIMD3(0.03, 0.03, 0.04), underWay: SIMD3(0.09, 0.09, 0.18))
      band(24, 8, atRest: SIMD3(repeating: 0.02), underWay: SIMD3(0.06, 0.06, 0.1))
    case .rail:
      band(0.7, 0.5, atRest: .zero, underWay: SIMD3(0.02, 0.08, 0.03))
      band(1.3, 0.6, atRest: .zero, underWay: SIMD3(0.02, 0.05, 0.11))
      band(8.5, 5, atRest: SIMD3(repeating: 0.006), underWay: SIMD3(0.03, 0.03, 0.06))
      band(22, 8, atRest: SIMD3(repeating: 0.008), underWay: SIMD3(repeating: 0.04))
    }
  }

  mutating func response(to moment: Moment, _ random: inout RandomStream) -> Response {
    var result = Response()
    guard leg.motion != .still else { return result }
    let interval = min(max(moment.seconds - (lastSeconds ?? moment.seconds), 0), 1)
    lastSeconds = moment.seconds
    if Int(moment.seconds) > second {
      second = Int(moment.seconds)
      let spread = leg.motion.isOnFoot ? 0.08 : 0.3
      level = exp(spread * loudness.advance(1, timeConstant: 12, &random))
      if leg.motion == .road, moment.speed > 2, random.happens(0.08) {
        bump = (moment.seconds + random.uniform(), random.uniform(0.5...1.6))
      }
    }
    if let gait, let step = moment.step {
      let (acceleration, angle, rate) = gait.response(
        phase: step.phase, isLeft: step.isLeft, period: step.period, strength: step.strength)
      result.acceleration += acceleration
      result.nod = step.strength * angle
      result.nodRate = step.strength * rate
    }
    if leg.motion == .bicycle { addPedalling(to: &result, moment, interval, &random) }

    let reference = leg.motion.isVehicle ? 14.0 : max(leg.speed, 0.1)
    let speedFraction = min(moment.speed / reference, 2.5).squareRoot()
    for index in bands.indices {
      let gain = bands[index].atRest + (level * speedFraction) * bands[index].underWay
      result.acceleration += gain * bands[index].noise.next(&random)
    }
    if leg.motion.isVehicle || leg.motion == .bicycle {
      // A bicycle leans into its turns: the rider feels no sideways force.
      let sideways = leg.motion == .bicycle ? 0 : moment.acceleration.y
      result.acceleration += SIMD3(moment.acceleration.x, sideways, 0)
      result.turnRate = moment.speed > 1 ? moment.acceleration.y / moment.speed : 0
    }
    let sinceBump = moment.seconds - bump.time
    if sinceBump >= 0, sinceBump < 1.5 {
      result.acceleration.z +=
        bump.strength
        * (exp(-sinceBump / 0.3) * sin(2 * .pi * 1.6 * sinceBump)
          + exp(-sinceBump / 0.06) * sin(2 * .pi * 11 * sinceBump))
    }
    return result
  }

  /// Pedalling for 8 to 25 s, coasting for 2 to 7 s: the crank's turn and two harmonics.
  private mutating func addPedalling(
    to result: inout Response, _ moment: Moment, _ interval: Double, _ random: inout RandomStream
  ) {
    untilPedalChange -= interval
    if untilPedalChange <= 0 {
      isPedalling.toggle()
      untilPedalChange = isPedalling ? random.uniform(8...25) : random.uniform(2...7)
    }
    guard isPedalling, moment.speed > 0.5 else { return }
    let turnsPerSecond: Double = leg.cadence / 60 * min(1, moment.speed / leg.speed)
    crank += turnsPerSecond * interval
    crank -= crank.rounded(.down)
    let angle: Double = 2 * .pi * crank
    for (index, amplitude) in pedal.enumerated() {
      let phase: Double = Double(index + 1) * angle + 0.7 * Double(index)
      result.acceleration += cos(phase) * amplitude
    }
    result.nod = pedalSwing * sin(angle)
    result.nodRate = pedalSwing * cos(angle) * 2 * Double.pi * turnsPerSecond
  }
}
