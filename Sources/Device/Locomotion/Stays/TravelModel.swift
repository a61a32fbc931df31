internal import CLocomotionMath

/// How far people come in a time, and how long they stay and travel.
///
/// The displacement over a time of travel has a density per m² that mixes halts, and speeds from
/// strolling to flying; each is a ring whose radius is log-normal, since travel covers a distance
/// in some direction. All times are seconds, lengths metres, variances those along one axis, m².
enum TravelModel {
  /// The median straight speeds of the kinds of travel, m/s, their shares and the standard
  /// deviations of the logarithms.
  static let speeds = [0.4, 1.3, 4, 9, 25, 70, 220]
  static let shares = [0.06, 0.36, 0.17, 0.25, 0.12, 0.02, 0.02]
  static let deviations = [0.7, 0.45, 0.5, 0.6, 0.5, 0.5, 0.4]
  static let logSpeeds = speeds.map { log($0) }

  /// The exponent of the survival of stays, ((age + t₀) / t₀)^−α (Lomax).
  static let stayExponent = 0.7
  /// t₀ of the survival of stays.
  static let stayScale = 1500.0
  static let tripLength = 1200.0
  /// The shortest rest that is assumed within a silence.
  static let shortestHiddenRest = 300.0

  /// Student's density with four degrees of freedom in two dimensions, per m².
  static func student(_ squaredDistance: Double, _ variance: Double) -> Double {
    let base = 1 + squaredDistance / (4 * variance)
    return 1 / (2 * .pi * variance * base * base * base)
  }

  /// The density of a displacement after a time of travel, per m².
  static func density(_ distance: Double, variance: Double, after time: Double) -> Double {
    let halt = 0.12 * exp(-time / 90) + 1e-5
    let square = distance * distance
    let total = square + variance
    let logarithm = 0.5 * log(total)
    let logTime = log(max(time, 1e-3))
    var moving = 0.0
    for kind in speeds.indices {
      let logRadius = logSpeeds[kind] + logTime
      let radius = speeds[kind] * time
      let share = radius * radius / (radius * radius + 2 * variance)
      var part = 0.0
      if share > 1e-4 {
        let deviation = deviations[kind]
        let z = (logarithm - logRadius) / deviation
        if z * z < 80 {
          part =
            share * exp(-0.5 * z * z) / (deviation * 2.506_628_274_6) / (2 * .pi * total)
        }
      }
      if share < 0.9999 {
        part += (1 - share) * student(square, variance + radius * radius / 2)
      }
      moving += shares[kind] * part
    }
    return halt * student(square, variance) + (1 - halt) * moving
  }

  /// An upper bound of ``density(_:variance:after:)`` at any time: of the ring it is that at its
  /// radius, of Student's density that over all greater variances.
  static func greatestDensity(_ distance: Double, variance: Double) -> Double {
    1 / (2 * .pi * max(variance, distance * distance))
  }

  /// The usual straight speed from door to door over a distance.
  static func usualSpeed(_ distance: Double) -> Double {
    max(1.1, 0.035 * pow(max(distance, 1), 0.57))
  }

  /// ln of the probability that a stay of some age goes on for a time.
  static func logSurvival(age: Double, for time: Double) -> Double {
    -stayExponent * log((age + time + stayScale) / (age + stayScale))
  }

  /// The steps of time at which integrals over a silence are evaluated, as fractions of it, with
  /// the weights of the trapezoidal rule.
  static let nodes: [(fraction: Double, weight: Double)] = {
    let count = 10
    let points = (0...count).map { pow(2e-3, 1 - Double($0) / Double(count)) }
    return points.indices.map { index in
      let before = index > 0 ? points[index - 1] : 0
      let after = index < count ? points[index + 1] : points[count]
      return (points[index], (after - before) / 2)
    }
  }()
}
