import Foundation
import LocomotionGait
import TestSupport
import Testing

struct RateFilterTests {
  /// The forward algorithm in Double, written out.
  static func reference(
    _ observations: [[Double]], settings: CadenceEstimator.Settings
  ) -> [[Double]] {
    let n = RateGrid.count
    let wander = Double(settings.rateWander)
    let reach = Int((4 * wander / 0.01).rounded())
    var kernel = (-reach...reach).map { exp(-0.5 * pow(Double($0) * 0.01 / wander, 2)) }
    let total = kernel.reduce(0, +)
    kernel = kernel.map { $0 / total }
    let initial = Double(settings.initialSteppingProbability)
    var state = [Double](repeating: initial / Double(n), count: n) + [1 - initial]
    let (end, onset) = (Double(settings.endProbability), Double(settings.onsetProbability))
    let jump = Double(settings.jumpProbability)
    return observations.map { logOdds in
      var next = [Double](repeating: 0, count: n + 1)
      for from in 0..<n {
        next[n] += end * state[from]
        for to in 0..<n {
          let offset = to - from
          if abs(offset) <= reach {
            next[to] += (1 - end) * (1 - jump) * kernel[offset + reach] * state[from]
          }
          next[to] += (1 - end) * jump / Double(n) * state[from]
        }
      }
      next[n] += (1 - onset) * state[n]
      for to in 0..<n { next[to] += onset / Double(n) * state[n] }
      for to in 0..<n {
        next[to] *= exp(min(max(logOdds[to] / Double(settings.evidenceTempering), -15), 15))
      }
      let sum = next.reduce(0, +)
      state = next.map { $0 / sum }
      return state
    }
  }

  @Test func matchesTheForwardAlgorithm() {
    let settings = CadenceEstimator.Settings()
    var random = SplitMix64(seed: 5)
    let observations = (0..<40).map { second in
      (0..<RateGrid.count).map { rate in
        -3 + random.nextNormal() + (second > 10 && abs(rate - 110) < 3 ? 9 : 0)
      }
    }
    let expected = Self.reference(observations, settings: settings)
    var filter = RateFilter(settings: settings)
    for (second, logOdds) in observations.enumerated() {
      filter.update(logOdds: logOdds.map { Float($0) })
      let state = expected[second]
      // Sums of up to 187 terms in single precision, and a floor of 1e-9 per state.
      #expect(abs(Double(filter.notStepping) - state[RateGrid.count]) < 2e-5)
      let near = state[105...115].reduce(0, +)
      #expect(abs(Double(filter.probability(near: 110)) - near) < 2e-5)
    }
    #expect(abs(filter.mode.rate - 110) <= 3)
  }

  @Test func withoutEvidenceBeliefRelaxesToItsStationaryShare() {
    let settings = CadenceEstimator.Settings()
    var filter = RateFilter(settings: settings)
    let indifferent = [Float](repeating: 0, count: RateGrid.count)
    for _ in 0..<2000 { filter.update(logOdds: indifferent) }
    // Onset and end balance, but for the little that wanders off the grid's ends.
    let expected =
      settings.endProbability / (settings.endProbability + settings.onsetProbability)
    #expect(abs(filter.notStepping - expected) < 0.06)
  }

  @Test func persistenceIsTheOddsOfHavingSteppedAgainstBeginning() {
    let settings = CadenceEstimator.Settings()
    var filter = RateFilter(settings: settings)
    for _ in 0..<5 {
      let rest = filter.notStepping
      filter.update(logOdds: [Float](repeating: -1, count: RateGrid.count))
      let wentOn = (1 - settings.endProbability) * (1 - rest)
      let began = settings.onsetProbability * rest
      #expect(abs(filter.persistence - wentOn / (wentOn + began)) < 1e-5)
    }
  }

  @Test func probabilitiesSumToOne() {
    var filter = RateFilter(settings: .init())
    var random = SplitMix64(seed: 15)
    for _ in 0..<200 {
      filter.update(logOdds: (0..<RateGrid.count).map { _ in Float(20 * random.nextNormal()) })
      var sum = filter.notStepping
      // Eleven rates at a time, the last piece is shorter.
      for rate in Swift.stride(from: 5, to: RateGrid.count + 5, by: 11) {
        sum += filter.probability(near: rate)
      }
      #expect(abs(sum - 1) < 1e-5)
    }
  }
}

struct StepCounterTests {
  static let even: [Float] = [1, 1, 1, 1, 1, 1]
  static let stepping = StepCounter.Belief(stepsPerSecond: 2, isStepping: true, persistence: 1)

  static func doubt(persistence: Float) -> StepCounter.Belief {
    .init(stepsPerSecond: 2, isStepping: false, persistence: persistence)
  }

  @Test func steadyMotionCountsTheRate() {
    var counter = StepCounter()
    _ = counter.update(belief: Self.stepping, secondEnergies: Self.even)
    for _ in 0..<10 {
      #expect(counter.update(belief: Self.stepping, secondEnergies: Self.even) == 2)
    }
  }

  @Test func theBeginningIsCountedOnceRecognised() {
    var counter = StepCounter()
    for _ in 0..<9 { _ = counter.update(belief: nil, secondEnergies: Self.even) }
    let late = counter.update(belief: Self.stepping, secondEnergies: [1, 1, 1, 0.001, 0.001, 0.001])
    #expect(abs(late - 6) < 1e-5)
    #expect(counter.update(belief: Self.stepping, secondEnergies: Self.even) == 2)
  }

  /// Seconds that left the window before the bout was recognised are counted by the probability
  /// that it had begun.
  @Test func stepsBeforeTheWindowAreExpected() {
    for (persistence, expected) in [(Float(1), Float(4)), (0.5, 1.5), (0, 0)] {
      var counter = StepCounter()
      for _ in 0..<7 {
        let steps = counter.update(
          belief: Self.doubt(persistence: persistence), secondEnergies: Self.even)
        #expect(steps == 0)
      }
      // Of eight seconds two have left: 2p + 2p².
      let counted = counter.update(belief: Self.stepping, secondEnergies: Self.even)
      #expect(abs(counted - 12 - expected) < 1e-5)
    }
  }

  @Test func restBetweenDoubtAndABoutForgetsTheDoubt() {
    var counter = StepCounter()
    for _ in 0..<9 {
      _ = counter.update(belief: Self.doubt(persistence: 1), secondEnergies: Self.even)
    }
    _ = counter.update(
      belief: Self.doubt(persistence: 1), secondEnergies: [1, 1, 1, 1, 1, 0])
    let late = counter.update(belief: Self.stepping, secondEnergies: [1, 1, 1, 1, 1, 0.001])
    #expect(abs(late - 10) < 1e-5)
  }

  @Test func aQuietSecondHasNoSteps() {
    var counter = StepCounter()
    _ = counter.update(belief: Self.stepping, secondEnergies: Self.even)
    let stopped = counter.update(belief: Self.stepping, secondEnergies: [0.01, 1, 1, 1, 1, 1])
    #expect(stopped == 0)
  }

  @Test func anUnevenStrideIsMadeUpFor() {
    var counter = StepCounter()
    _ = counter.update(belief: Self.stepping, secondEnergies: Self.even)
    let dip = counter.update(belief: Self.stepping, secondEnergies: [0.4, 1, 1, 1, 1, 1])
    let after = counter.update(belief: Self.stepping, secondEnergies: [1, 0.4, 1, 1, 1, 1])
    #expect(dip > 0.5 && dip < 2)
    #expect(abs(dip + after - 4) < 1e-5)
  }
}
