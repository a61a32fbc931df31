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
  /// The rates between zeros, so that the kernel has no ends.
  private var padded: [Float]
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
    padded = Array(repeating: 0, count: RateGrid.count + 2 * reach)
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

  /// Moves on by one second and weighs the states by `logOdds`, four by four, against not stepping.
  package mutating func update(logOdds: [SIMD4<Float>]) {
    predict()
    var highest = SIMD4<Float>.zero
    for odds in logOdds { highest = larger(tempered(odds), highest) }
    let most = highest.max()
    notStepping *= exp(-most)
    var total = max(notStepping, .leastNormalMagnitude)
    for group in logOdds.indices {
      let likelihoods = exp(tempered(logOdds[group]) - most)
      for lane in 0..<4 {
        let rate = 4 * group + lane
        rates[rate] = predicted[rate] * likelihoods[lane]
        total += rates[rate]
      }
    }
    for rate in 0..<RateGrid.count { rates[rate] = max(rates[rate] / total, Self.floor) }
    notStepping = max(notStepping / total, Self.floor)
  }

  /// Where the most probability lies within ±5 %: the rate's index and that probability.
  package var mode: (rate: Int, probability: Float) {
    // Sums that run over a window carry on rounding errors; those of neighbours' own are as quick.
    var best = (rate: 0, probability: Float(0))
    let rates = rates.span
    for rate in 0..<5 { keep(rate, probability(near: rate), in: &best) }
    for rate in 5..<RateGrid.count - 5 {
      let lower = (rates[rate - 5] + rates[rate - 4]) + (rates[rate - 3] + rates[rate - 2])
      let upper = (rates[rate + 5] + rates[rate + 4]) + (rates[rate + 3] + rates[rate + 2])
      let middle = (rates[rate - 1] + rates[rate + 1]) + rates[rate]
      keep(rate, (lower + upper) + middle, in: &best)
    }
    for rate in RateGrid.count - 5..<RateGrid.count {
      keep(rate, probability(near: rate), in: &best)
    }
    return best
  }

  private func keep(
    _ rate: Int, _ probability: Float, in best: inout (rate: Int, probability: Float)
  ) {
    if probability > best.probability { best = (rate, probability) }
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

  private func tempered(_ logOdds: SIMD4<Float>) -> SIMD4<Float> {
    let limit = SIMD4<Float>(repeating: 15)
    return larger(smaller(logOdds / settings.evidenceTempering, limit), -limit)
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
    for rate in 0..<RateGrid.count { padded[kernel.count / 2 + rate] = rates[rate] }
    Self.spread(padded, by: kernel, into: &predicted)
    for rate in 0..<RateGrid.count { predicted[rate] = wandering * predicted[rate] + elsewhere }
    notStepping =
      settings.endProbability * stepping + (1 - settings.onsetProbability) * notStepping
  }

  /// The convolution of `padded` with `kernel`, weight by weight: the inner loop is one of vectors.
  private static func spread(_ padded: [Float], by kernel: [Float], into result: inout [Float]) {
    var result = result.mutableSpan
    for rate in result.indices { result[rate] = 0 }
    for index in kernel.indices {
      let weight = kernel[index]
      let source = padded.span.extracting(index..<index + result.count)
      for rate in source.indices { result[rate] += weight * source[rate] }
    }
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
