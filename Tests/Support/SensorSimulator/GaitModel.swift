import Foundation

/// The acceleration of a phone during each step, over the phase of the stride.
///
/// A Fourier series in the stride, that is two steps: even terms are the step's fundamental and its
/// harmonics 2 to 4, odd terms are the difference of left and right. Walking adds an impact after
/// each contact. Running adds a stance of half a sine between flights in free fall (the ground's
/// impulse balances gravity over a step), and a sharper impact.
struct GaitModel: Sendable {
  /// Per axis (forward, left, up), m/s².
  private var cosines: [SIMD3<Double>] = []
  private var sines: [SIMD3<Double>] = []
  private let isRunning: Bool
  private let gain: Double
  private let knock: SIMD3<Double>
  private let knockFrequency: Double
  private let knockDecay: Double
  /// Amplitude of the thigh's swing, radians.
  let swing: Double

  private static let stance = 0.68

  /// A gait for one leg of a scenario; `person` scales every amplitude.
  init(_ leg: Leg, person: Double, _ random: inout RandomStream) {
    let isRunning = leg.motion == .run
    self.isRunning = isRunning
    let frequency = leg.cadence / 60
    let stepLength = leg.speed / frequency
    // The trunk is an inverted pendulum of 0.9 m on the legs: it rises by about length²/8 ℓ from
    // double support to mid-stance, of which knee and ankle absorb 40 %.
    let rise = min(max(0.6 * stepLength * stepLength / (8 * 0.9), 0.012), 0.075)
    let fundamental = 0.5 * rise * pow(2 * .pi * frequency, 2) * person
    let place: (gain: Double, asymmetry: Double, sideways: Double, shake: Double, swing: Double) =
      switch leg.carrying {
      case .pocket: (1.1, 0.38, 1, 1, 0.14)
      case .hand: (0.8, 0.2, 0.7, 0.45, 0)
      case .bag, .table, .mount: (0.85, 0.1, 0.5, 0.5, 0)
      }
    swing = leg.carrying == .pocket ? place.swing * (isRunning ? 1.8 : 1) : 0
    let walking = place.gain * fundamental
    let running = 8 * place.gain * person * (leg.speed / 2.9).squareRoot()
    let base = isRunning ? running : walking
    gain = isRunning ? 1.3 * place.gain * person : 1

    for term in 1...8 {
      let fraction: SIMD3<Double>
      switch term {
      case 2: fraction = SIMD3(0.6, 0.35, isRunning ? 0 : 1)
      case 4: fraction = SIMD3(0.6, 0.3, isRunning ? 0.6 : 0.7)
      case 6: fraction = SIMD3(0.45, 0.25, 0.5)
      case 8: fraction = SIMD3(0.35, 0.25, 0.4)
      case 1: fraction = place.asymmetry * SIMD3(1.3, 1.6, 0.9)
      case 3: fraction = place.asymmetry * SIMD3(0.9, 1.0, 0.5)
      default: fraction = place.asymmetry * SIMD3(0.5, 0.6, 0.3)
      }
      let sideways = SIMD3(place.sideways, place.sideways, 1)
      let amplitude = base * exp(0.15 * random.normal()) * fraction * sideways
      var phases = 2 * Double.pi * SIMD3(random.uniform(), random.uniform(), random.uniform())
      // The trunk is lowest, and its upward acceleration highest, a tenth of a step after contact.
      if term == 2 { phases.z = 2 * .pi * 0.1 }
      cosines.append(amplitude * SIMD3(cos(phases.x), cos(phases.y), cos(phases.z)))
      sines.append(amplitude * SIMD3(sin(phases.x), sin(phases.y), sin(phases.z)))
    }
    let strength = (isRunning ? 32 : 1.6 * walking) * place.shake * person
    knock = strength * SIMD3(0.6 * random.uniform(0.5...1.2), 0.5 * random.uniform(-1...1), 1)
    knockFrequency = random.uniform(isRunning ? 10...14 : 7...11)
    knockDecay = isRunning ? 0.04 : 0.05
  }

  /// The body's motion at one moment of a step.
  ///
  /// - Parameters:
  ///   - phase: The fraction of the step that has passed, 0 ..< 1.
  ///   - isLeft: Whether the left foot made the step's contact.
  ///   - period: The step's length in seconds.
  ///   - strength: The step's amplitude relative to the usual one.
  /// - Returns: Acceleration (forward, left, up), m/s², the thigh's angle, radians, and its rate.
  func response(
    phase: Double, isLeft: Bool, period: Double, strength: Double
  ) -> (acceleration: SIMD3<Double>, angle: Double, angularRate: Double) {
    let angle: Double = .pi * (phase + (isLeft ? 1 : 0))
    let (cosine, sine) = (cos(angle), sin(angle))
    var (c, s) = (cosine, sine)
    var sum = SIMD3<Double>.zero
    for term in 0..<8 {
      sum += c * cosines[term] + s * sines[term]
      (c, s) = (c * cosine - s * sine, s * cosine + c * sine)
    }
    if isRunning {
      // ∫ over a step of the stance's half sine equals gravity times the step.
      let push: Double = sin(.pi * phase / Self.stance)
      let ground: Double = phase < Self.stance ? .pi / (2 * Self.stance) * push : 0
      sum.z += gain * standardGravity * (ground - 1)
    }
    let since = phase * period
    if since < 5 * knockDecay {
      let turn: Double = sin(2 * .pi * knockFrequency * since)
      sum += knock * (exp(-since / knockDecay) * turn)
    }
    let rate: Double = -swing * sine * .pi / period
    return (strength * sum, swing * cosine, rate)
  }
}

let standardGravity = 9.80665
