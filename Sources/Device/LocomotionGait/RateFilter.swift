internal import CLocomotionMath

/// A forward filter over the step rates of ``RateGrid`` and "not stepping".
///
/// A hidden Markov model (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77(2), 1989,
/// eq. 19-20): once per second the log rate makes a Gaussian random-walk step, or rarely jumps to
/// any rate, and stepping begins or ends; then every state is multiplied by its likelihood.
///
/// - Complexity: O(rates · kernel width) per update; allocates in `init` only.
package struct RateFilter: Sendable {
  /// The probabilities that stepping begins, and that it ends, in a given second.
  static let onsetProbability: Float = 0.02, endProbability: Float = 0.02
  /// The probability of a jump to any rate, rather than a random-walk step, in a given second.
  static let jumpProbability: Float = 0.01
  /// Standard deviation of the change of log rate per second.
  static let rateWalkDeviation: Float = 0.025
  /// The prior probability of stepping before the first window.
  static let initialSteppingProbability: Float = 0.2

  /// The posterior of every rate, zero-padded at both ends for the convolution.
  private var padded: ContiguousArray<Float>
  /// The prediction of every rate, and then its unnormalised posterior, four by four.
  private var predicted: ContiguousArray<SIMD4<Float>>
  /// The random-walk kernel from offset 0 outwards, in grid rates.
  private let kernel: [Float]

  /// The posterior probability of not stepping.
  package private(set) var notStepping: Float

  /// The probability of stepping a second ago, given stepping in this second.
  ///
  /// From the prediction alone, without the evidence of the newest second.
  package private(set) var persistence: Float = 0

  /// A filter at its prior, which is uniform over the rates.
  package init() {
    let reach = Int((4 * Self.rateWalkDeviation / RateGrid.step).rounded())
    let weights = (0...reach).map { offset in
      let deviation = Float(offset) * RateGrid.step / Self.rateWalkDeviation
      return exp(-0.5 * deviation * deviation)
    }
    let total = 2 * weights.reduce(0, +) - weights[0]
    kernel = weights.map { $0 / total }
    predicted = ContiguousArray(repeating: .zero, count: RateGrid.count / 4)
    padded = ContiguousArray(repeating: 0, count: RateGrid.count + 2 * Self.padding(reach))
    notStepping = 1
    reset()
  }

  /// The number of zeros on either side, even.
  private static func padding(_ reach: Int) -> Int { (max(reach, near) + 1) / 2 * 2 }

  /// The index of the first rate in ``padded``.
  private var first: Int { (padded.count - RateGrid.count) / 2 }

  /// Resets to the prior.
  mutating func reset() {
    notStepping = 1 - Self.initialSteppingProbability
    persistence = 0
    for rate in 0..<RateGrid.count {
      padded[first + rate] = Self.initialSteppingProbability / Float(RateGrid.count)
    }
  }

  /// Predicts one second ahead and updates with `logOdds` against not stepping, four by four.
  package mutating func update(logOdds: ContiguousArray<SIMD4<Float>>) {
    let prior = predict()
    var highest = SIMD4<Float>.zero
    for odds in logOdds { highest = larger(odds, highest) }
    let highestLogOdds = Self.limited(highest).max()
    Self.convolve(padded, from: first, by: kernel, into: &predicted)
    let stepping = Self.weigh(&predicted, from: prior) { group in
      exp(Self.limited(logOdds[group]) - highestLogOdds)
    }
    normalize(stepping: stepping, notStepping: prior.notStepping * exp(-highestLogOdds))
  }

  /// Predicts one second ahead and updates all rates with the same `logOdds` against not stepping.
  ///
  /// - Precondition: `logOdds` is at most 0.
  mutating func update(logOddsOfAll logOdds: Float) {
    precondition(logOdds <= 0, "expected odds against stepping, got \(logOdds)")
    let prior = predict()
    let likelihood = exp(Self.limited(SIMD4(repeating: logOdds)))
    let most = prior.diffusing * Self.largest(of: padded) + prior.elsewhere
    if most * likelihood.x < Self.floor * prior.notStepping {
      // After seconds of rest every rate would be clamped to the floor.
      for rate in 0..<RateGrid.count { padded[first + rate] = Self.floor }
      notStepping = 1
      return
    }
    Self.convolve(padded, from: first, by: kernel, into: &predicted)
    let stepping = Self.weigh(&predicted, from: prior) { _ in likelihood }
    normalize(stepping: stepping, notStepping: prior.notStepping)
  }

  /// The rate index with the highest probability within ±5 %, and that probability.
  package var mode: (rate: Int, probability: Float) {
    // A running sum would accumulate rounding errors; separate sums are as fast.
    let padded = padded.span
    var best = (rate: 0, probability: Float(0))
    for first in stride(from: 0, to: RateGrid.count, by: 4) {
      let near = padded.extracting(self.first + first - 5..<self.first + first + 9)
      var sum = Self.four(near, 5)
      sum += (Self.four(near, 4) + Self.four(near, 6)) + (Self.four(near, 3) + Self.four(near, 7))
      sum += (Self.four(near, 2) + Self.four(near, 8)) + (Self.four(near, 1) + Self.four(near, 9))
      sum += Self.four(near, 0) + Self.four(near, 10)
      guard above(sum, SIMD4(repeating: best.probability)) != .zero else { continue }
      for lane in 0..<4 where sum[lane] > best.probability {
        best = (first + lane, sum[lane])
      }
    }
    return best
  }

  /// The posterior probability of the rates within ±5 % of the rate at index `rate`.
  package func probability(near rate: Int) -> Float {
    var sum: Float = 0
    for neighbour in first + rate - Self.near...first + rate + Self.near {
      sum += padded[neighbour]
    }
    return sum
  }

  /// The number of grid rates in 5 %.
  private static let near = 5

  /// The least probability of a state, so that none becomes unreachable.
  private static let floor: Float = 1e-9

  /// Log odds within ±15; those of windows that overlap count as they are.
  ///
  /// Windows overlap by five sixths: they would count sixfold if the evidence of overlapping ones
  /// were as correlated as their samples, which it is not.
  @inline(__always)
  private static func limited(_ logOdds: SIMD4<Float>) -> SIMD4<Float> {
    let limit = SIMD4<Float>(repeating: 15)
    return larger(smaller(logOdds, limit), -limit)
  }

  /// The coefficients of the prediction.
  private struct Prior {
    /// The fraction of each rate's probability that follows the random walk.
    var diffusing: Float
    /// The probability that each rate receives from jumps and onsets.
    var elsewhere: Float
    var notStepping: Float
  }

  private mutating func predict() -> Prior {
    let stepping = Self.sum(of: padded)
    let continuing = (1 - Self.endProbability) * stepping
    let begun = Self.onsetProbability * notStepping
    persistence = continuing / max(continuing + begun, .leastNormalMagnitude)
    return Prior(
      diffusing: (1 - Self.endProbability) * (1 - Self.jumpProbability),
      elsewhere: (Self.jumpProbability * continuing + begun) / Float(RateGrid.count),
      notStepping: Self.endProbability * stepping
        + (1 - Self.onsetProbability) * notStepping)
  }

  /// The convolution of `padded` with the symmetric kernel, weight by weight.
  private static func convolve(
    _ padded: ContiguousArray<Float>, from first: Int, by kernel: [Float],
    into result: inout ContiguousArray<SIMD4<Float>>
  ) {
    let padded = padded.span
    var result = result.mutableSpan
    precondition(result.count == RateGrid.count / 4, "expected groups of all rates")
    let middle = padded.extracting(first..<first + RateGrid.count)
    for group in result.indices { result[group] = kernel[0] * four(middle, 4 * group) }
    for distance in 1..<kernel.count {
      let weight = SIMD4(repeating: kernel[distance])
      let start = first - distance
      let before = padded.extracting(start..<start + RateGrid.count)
      let after = padded.extracting(first + distance..<first + distance + RateGrid.count)
      for group in result.indices {
        let pair = four(before, 4 * group) + four(after, 4 * group)
        result[group] = product(weight, pair, plus: result[group])
      }
    }
  }

  /// Completes the prediction and multiplies it by the likelihoods, four rates at a time; returns
  /// the sum.
  @inline(__always)
  private static func weigh(
    _ groups: inout ContiguousArray<SIMD4<Float>>, from prior: Prior,
    by likelihoods: (_ group: Int) -> SIMD4<Float>
  ) -> Float {
    var groups = groups.mutableSpan
    let diffusing = SIMD4(repeating: prior.diffusing)
    let elsewhere = SIMD4(repeating: prior.elsewhere)
    var sum = SIMD4<Float>.zero
    for group in groups.indices {
      let rates = product(diffusing, groups[group], plus: elsewhere) * likelihoods(group)
      groups[group] = rates
      sum += rates
    }
    return sum.sum()
  }

  /// Normalises the posterior.
  private mutating func normalize(stepping: Float, notStepping rest: Float) {
    let scale = 1 / max(stepping + rest, .leastNormalMagnitude)
    notStepping = max(rest * scale, Self.floor)
    Self.write(predicted, times: scale, to: &padded, from: first)
  }

  private static func write(
    _ groups: ContiguousArray<SIMD4<Float>>, times scale: Float,
    to padded: inout ContiguousArray<Float>, from first: Int
  ) {
    let groups = groups.span
    var padded = padded.mutableSpan
    for group in groups.indices {
      let rates = larger(scale * groups[group], SIMD4(repeating: floor))
      for lane in 0..<4 { padded[first + 4 * group + lane] = rates[lane] }
    }
  }

  @inline(__always)
  private static func four(_ values: Span<Float>, _ start: Int) -> SIMD4<Float> {
    let four = values.extracting(start..<start + 4)
    return SIMD4(four[0], four[1], four[2], four[3])
  }

  private static func sum(of values: ContiguousArray<Float>) -> Float {
    var sum = SIMD4<Float>.zero
    let values = values.span
    for start in stride(from: 0, to: values.count / 4 * 4, by: 4) { sum += four(values, start) }
    return sum.sum()
  }

  private static func largest(of values: ContiguousArray<Float>) -> Float {
    var most = SIMD4<Float>.zero
    let values = values.span
    for start in stride(from: 0, to: values.count / 4 * 4, by: 4) {
      most = larger(four(values, start), most)
    }
    return most.max()
  }
}

extension RateFilter: StateArchivable {
  /// The posterior.
  package mutating func pass(through archive: inout StateArchive) {
    var rates = Array(padded[first..<first + RateGrid.count])
    archive.pass(&rates, &notStepping, &persistence)
    archive.require(
      rates.count == RateGrid.count
        && (rates + [notStepping, persistence]).allSatisfy({ 0...1 ~= $0 }))
    guard archive.isReading, !archive.isDamaged else { return }
    padded.replaceSubrange(first..<first + rates.count, with: rates)
  }
}
