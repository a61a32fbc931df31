internal import CLocomotionMath

/// The speed from a location source, as evidence beside the accelerations.
///
/// Speed enters the temporal filter as a separate likelihood and not as a feature of the window: a
/// classifier with speed among its features learns which recordings had a receiver. Without a speed
/// the likelihood is 1.
///
/// The likelihood of a class is the fraction of its speeds that lie in a range (`edges`). The
/// fractions were counted in labelled recordings with fixes, rounded, and smoothed for vehicles,
/// people and receivers that those lack: no range is ruled out for any class.
///
/// Below 0.3 m/s the likelihood is 1: every class is at rest at times, a car at a light as well as
/// a metro without reception, and the accelerations are better evidence. Above it the fractions
/// have the exponent 1.5, so that a wrong fix costs a class a factor of 500 at most before the
/// filter's exponent. Both were chosen on people and data sets held out from the classifier's
/// training: with the fractions as counted, a car was classified as stationary after 56 s at a red
/// light.
public struct SpeedEvidence: Equatable, Sendable {
  /// Speed over ground, m/s.
  public var metresPerSecond: Float
  /// Its standard deviation, m/s; nil when unknown, which counts as 1.
  public var deviation: Float?

  /// A speed with its standard deviation, both m/s.
  public init(metresPerSecond: Float, deviation: Float? = nil) {
    self.metresPerSecond = metresPerSecond
    self.deviation = deviation
  }

  /// The limits of the ranges of speed, m/s; a range holds its lower limit.
  static let edges: [Float] = [0.3, 0.7, 1.2, 1.8, 2.5, 3.5, 4.5, 6, 8, 11, 15, 20, 30]

  private static let exponent: Float = 1.5

  /// The fractions of the ranges in 1/1000, one row per class by `Activity.rawValue`.
  private static let fractions: [[Float]] = [
    [870, 30, 15, 10, 8, 8, 8, 8, 8, 7, 7, 7, 7, 7],
    [100, 60, 290, 370, 80, 25, 15, 10, 10, 8, 8, 8, 8, 8],
    [80, 15, 15, 40, 160, 370, 190, 70, 15, 9, 9, 9, 9, 9],
    [100, 20, 35, 70, 100, 155, 180, 200, 80, 30, 8, 8, 7, 7],
    [140, 20, 20, 25, 30, 40, 45, 65, 90, 120, 140, 135, 90, 40],
    [250, 20, 20, 20, 20, 30, 30, 50, 70, 90, 100, 120, 100, 80],
  ]

  /// The logarithms of the fractions, one vector per range with a lane per class.
  private static let logFractions: [SIMD8<Float>] = (0...edges.count).map { range in
    var lanes = SIMD8<Float>.zero
    for (lane, row) in fractions.enumerated() { lanes[lane] = log(row[range] / 1000) }
    return lanes
  }

  /// The likelihood of each class up to a factor; 1 for all below 0.3 m/s, and when the speed isn't
  /// finite.
  ///
  /// The log-likelihood is multiplied by 1 / (1 + (σ / 2 m/s)²): the spread of an uncertain speed
  /// over neighbouring ranges, to first order.
  var likelihoods: SIMD8<Float> {
    guard metresPerSecond.isFinite, metresPerSecond >= Self.edges[0] else {
      return SIMD8(repeating: 1)
    }
    let sigma = deviation.map { $0 >= 0 ? $0 : 1 } ?? 1
    let ratio = min(1e6, sigma) / 2
    let weight = Self.exponent / (1 + ratio * ratio)
    var range = 0
    while range < Self.edges.count, metresPerSecond >= Self.edges[range] { range += 1 }
    let logs = Self.logFractions[range]
    var result = SIMD8<Float>.zero
    for lane in 0..<Activity.allCases.count { result[lane] = exp(weight * logs[lane]) }
    return result
  }
}

extension ActivityProbabilities {
  /// The probabilities updated with a speed, which is taken as independent evidence.
  public func weighed(by speed: SpeedEvidence) -> ActivityProbabilities {
    ActivityProbabilities(normalising: lanes * speed.likelihoods)
  }

  /// The same with rail vehicles counted among the vehicles: ``Activity/train`` has 0.
  public var mergingRail: ActivityProbabilities {
    var merged = lanes
    merged[Activity.automotive.rawValue] += merged[Activity.train.rawValue]
    merged[Activity.train.rawValue] = 0
    return ActivityProbabilities(normalising: merged)
  }
}
