internal import CLocomotionMath

/// A forward filter over the step rates of ``RateGrid`` and "not stepping".
///
/// A hidden Markov model (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77(2), 1989,
/// eq. 19-20): once per second the log rate wanders by a Gaussian step, sometimes jumps anywhere,
/// and stepping begins or ends; then every state is weighed by its evidence.
///
/// - Complexity: O(rates · wander) per update; allocates in `init` only.
package struct RateFilter: Sendable, Codable {
  private var rates: [Float]
  private var predicted: [Float]
  private let kernel: [Float]
  private let settings: CadenceEstimator.Settings

  private enum CodingKeys: CodingKey {
    case settings, rates, notStepping, persistence
  }

  /// The posterior probability of not stepping.
  package private(set) var notStepping: Float

  /// The probability that a person who steps in this second, if at all, did so a second ago.
  ///
  /// From the second before alone; what the newest second shows of the rate isn't in it.
  package private(set) var persistence: Float = 0

  /// A filter at its prior: any rate is as likely as any other.
  package init(settings: CadenceEstimator.Settings) {
    self.settings = settings
    let reach = max(1, min(60, Int((4 * settings.rateWander / RateGrid.step).rounded())))
    let weights = (-reach...reach).map { offset in
      let deviation = Float(offset) * RateGrid.step / max(settings.rateWander, 1e-3)
      return exp(-0.5 * deviation * deviation)
    }
    let total = weights.reduce(0, +)
    kernel = weights.map { $0 / total }
    rates = Array(repeating: 0, count: RateGrid.count)
    predicted = rates
    notStepping = 1
    reset()
  }

  /// Forgets everything.
  package mutating func reset() {
    notStepping = 1 - settings.initialSteppingProbability
    persistence = 0
    for rate in rates.indices {
      rates[rate] = settings.initialSteppingProbability / Float(RateGrid.count)
    }
  }

  /// Moves on by one second and weighs the states by `logOdds` against not stepping.
  package mutating func update(logOdds: [Float]) {
    predict()
    var highest: Float = 0
    for rate in 0..<RateGrid.count { highest = max(highest, tempered(logOdds[rate])) }
    notStepping *= exp(-highest)
    var total = max(notStepping, .leastNormalMagnitude)
    for rate in 0..<RateGrid.count {
      rates[rate] = predicted[rate] * exp(tempered(logOdds[rate]) - highest)
      total += rates[rate]
    }
    for rate in 0..<RateGrid.count { rates[rate] = max(rates[rate] / total, Self.floor) }
    notStepping = max(notStepping / total, Self.floor)
  }

  /// Where the most probability lies within ±5 %: the rate's index and that probability.
  package var mode: (rate: Int, probability: Float) {
    var best = (rate: 0, probability: Float(0))
    for rate in 0..<RateGrid.count {
      let mass = probability(near: rate)
      if mass > best.probability { best = (rate, mass) }
    }
    return best
  }

  /// The posterior probability of the rates within ±5 % of the rate at index `rate`.
  package func probability(near rate: Int) -> Float {
    var sum: Float = 0
    for neighbour in max(0, rate - 5)..<min(RateGrid.count, max(0, rate + 6)) {
      sum += rates[neighbour]
    }
    return sum
  }

  /// Keeps a state that was ruled out reachable.
  private static let floor: Float = 1e-9

  private func tempered(_ logOdds: Float) -> Float {
    min(max(logOdds / settings.evidenceTempering, -15), 15)
  }

  private mutating func predict() {
    let stepping = rates.reduce(0, +)
    let elsewhere =
      ((1 - settings.endProbability) * settings.jumpProbability * stepping
        + settings.onsetProbability * notStepping) / Float(RateGrid.count)
    let wandering = (1 - settings.endProbability) * (1 - settings.jumpProbability)
    let goingOn = (1 - settings.endProbability) * stepping
    let begun = settings.onsetProbability * notStepping
    persistence = goingOn / max(goingOn + begun, .leastNormalMagnitude)
    let reach = kernel.count / 2
    for rate in 0..<RateGrid.count {
      var sum: Float = 0
      for source in max(0, rate - reach)...min(RateGrid.count - 1, rate + reach) {
        sum += kernel[source - rate + reach] * rates[source]
      }
      predicted[rate] = wandering * sum + elsewhere
    }
    notStepping =
      settings.endProbability * stepping + (1 - settings.onsetProbability) * notStepping
  }

  /// Restores a filter; its tables are rebuilt.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(settings: try container.decode(CadenceEstimator.Settings.self, forKey: .settings))
    let rates = try container.decode([Float].self, forKey: .rates)
    let notStepping = try container.decode(Float.self, forKey: .notStepping)
    let persistence = try container.decode(Float.self, forKey: .persistence)
    guard rates.count == RateGrid.count,
      (rates + [notStepping, persistence]).allSatisfy({ 0...1 ~= $0 })
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .rates, in: container,
        debugDescription: "expected \(RateGrid.count) probabilities, got \(rates.count)")
    }
    self.rates = rates
    self.notStepping = notStepping
    self.persistence = persistence
  }

  /// Stores settings and posterior.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(settings, forKey: .settings)
    try container.encode(rates, forKey: .rates)
    try container.encode(notStepping, forKey: .notStepping)
    try container.encode(persistence, forKey: .persistence)
  }
}
