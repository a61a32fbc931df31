internal import CLocomotionMath

/// How strongly one observation speaks for motion: log p(observation | moving) − log p(… | at
/// rest).
///
/// In nats, positive for motion. The densities are coarse on purpose and every ratio
/// is bounded: observations a second apart repeat each other's errors, so none may decide alone.
enum MotionLikelihood {
  /// The part of the moving phones that a body moves, on foot or on a bicycle, and no vehicle.
  static let bodyWeight = 0.55

  /// That part after a level, m/s², `seconds` after it was `weight`.
  static func bodyWeight(_ weight: Double, level: Double, seconds: Double, memory: Double)
    -> Double
  {
    let x = log(max(Float(level), 1e-3))
    let (vehicle, body) = ((x + 0.7) / 0.65, (x - 1.3) / 0.9)
    let odds =
      (0.45 / 0.65 * exp(-0.5 * vehicle * vehicle)) / (0.55 / 0.9 * exp(-0.5 * body * body))
    let now = Double(1 / (1 + odds))
    guard now.isFinite else { return weight }
    let kept = exp(-max(seconds, 0) / memory)
    return min(max(now + (weight - now) * kept, 0.02), 0.98)
  }

  /// What an acceleration level, m/s², says.
  ///
  /// Log-normal mixtures. At rest: a table, a hand or an idling engine, being handled. Moving: a
  /// vehicle, a body on foot or on a bicycle.
  ///
  /// `bodyWeight` is the part of the moving phones that a body moves.
  static func logLikelihoodRatio(level: Double, bodyWeight: Double = bodyWeight) -> Double {
    // Single precision, and four curves by one exponential function: a millionth of a nat is none.
    let x = log(max(Float(level), 1e-3))
    let body = Float(bodyWeight)
    let four = bells(
      at: x, SIMD4(-3.7, -2.2, 0.3, -0.7), deviations: SIMD4(0.6, 0.7, 1.0, 0.65),
      weights: SIMD4(0.60, 0.30, 0.10, 1 - body))
    let z = (x - 1.3) / 0.9
    let rest = four.x + four.y + four.z
    let moving = four.w + body / 0.9 * exp(-0.5 * z * z) + 1e-4
    return bounded(Double(log(moving / (rest + 1e-4))), 5)
  }

  /// What a speed, m/s, with one standard deviation says.
  ///
  /// At rest: half-normal about 0, with a `tail` of wild speeds of 2 m/s on average. Moving: a
  /// pedestrian's of 1.2 ± 0.4 m/s with a weight of 0.4 s/m, or 0.04 s/m, about uniform to 25 m/s.
  static func logLikelihoodRatio(speed: Double, deviation: Double, tail: Double = 0) -> Double {
    let (z, stroll) = (Float(speed / deviation), Float(speed - 1.2))
    let curves = exp(
      SIMD4<Float>(-0.5 * z * z, -0.5 * Float(speed), -3.125 * stroll * stroll, 0))
    let rest =
      (1 - tail) * 0.797_884_560_802_865 / deviation * Double(curves.x)
      + tail * 0.5 * Double(curves.y)
    let moving = 0.04 + 0.4 * Double(curves.z)
    return bounded(log(moving / max(rest, 1e-9)), 5)
  }

  /// What the angle between a velocity and the mean of those before it says.
  ///
  /// Of two vectors with one mean and equal normal noise the angle, given their lengths, is von
  /// Mises distributed with concentration a·b/σ² (Mardia and Jupp, *Directional Statistics*, 2000);
  /// at rest it is uniform. At most `limit` of it
  /// counts: people turn.
  static func logLikelihoodRatio(
    velocity: SIMD2<Double>, mean: SIMD2<Double>, deviation: Double, limit: Double
  ) -> Double {
    let lengths = ((velocity * velocity).sum() * (mean * mean).sum()).squareRoot()
    guard lengths > 0, lengths.isFinite else { return 0 }
    let concentration = min(lengths / (deviation * deviation), limit)
    // The modified Bessel function of order 0, by its series; 0.1 % at concentration 2.
    let k = concentration * concentration
    let bessel = 1 + k / 4 + k * k / 64 + k * k * k / 2304
    return concentration * (velocity * mean).sum() / lengths - log(bessel)
  }

  /// What the absence of a speed says: receivers omit it mostly where they see little sky.
  static let missingSpeed = -0.3

  /// What two predictions of the same fix say, by their normalised squared innovations and their
  /// variances per axis.
  ///
  /// Bivariate Student's t with four degrees of freedom, so that a wild fix says little, and at
  /// most `limit`.
  static func logLikelihoodRatio(
    moving: (squared: Double, variance: Double), rest: (squared: Double, variance: Double),
    limit: Double
  ) -> Double {
    // Of each −log(variance) − 3 log(1 + squared / 4).
    let spread = (1 + rest.squared / 4) / (1 + moving.squared / 4)
    return bounded(log(rest.variance / moving.variance * (spread * spread * spread)), limit)
  }

  private static func bells(
    at x: Float, _ means: SIMD4<Float>, deviations: SIMD4<Float>, weights: SIMD4<Float>
  ) -> SIMD4<Float> {
    let z = (x - means) / deviations
    return weights / deviations * exp(-0.5 * z * z)
  }

  private static func bounded(_ x: Double, _ limit: Double) -> Double {
    x.isNaN ? 0 : min(max(x, -limit), limit)
  }
}
