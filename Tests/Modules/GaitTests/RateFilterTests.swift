import Foundation
import LocomotionGait
import TestSupport
import Testing

struct RateFilterTests {
  static func grouped(_ values: [Float]) -> ContiguousArray<SIMD4<Float>> {
    ContiguousArray(
      Swift.stride(from: 0, to: values.count, by: 4).map {
        SIMD4(values[$0], values[$0 + 1], values[$0 + 2], values[$0 + 3])
      })
  }

  /// The forward algorithm in Double, written out.
  static func reference(_ observations: [[Double]]) -> [[Double]] {
    let n = RateGrid.count
    let walkDeviation = 0.025
    let reach = Int((4 * walkDeviation / 0.01).rounded())
    var kernel = (-reach...reach).map { exp(-0.5 * pow(Double($0) * 0.01 / walkDeviation, 2)) }
    let total = kernel.reduce(0, +)
    kernel = kernel.map { $0 / total }
    let initial = 0.2
    var state = [Double](repeating: initial / Double(n), count: n) + [1 - initial]
    let (end, onset) = (0.02, 0.02)
    let jump = 0.01
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
        next[to] *= exp(min(max(logOdds[to], -15), 15))
      }
      let sum = next.reduce(0, +)
      state = next.map { $0 / sum }
      return state
    }
  }

  @Test func matchesTheForwardAlgorithm() {
    var random = SplitMix64(seed: 5)
    let observations = (0..<40).map { second in
      (0..<RateGrid.count).map { rate in
        -3 + random.nextNormal() + (second > 10 && abs(rate - 110) < 3 ? 9 : 0)
      }
    }
    let expected = Self.reference(observations)
    var filter = RateFilter()
    for (second, logOdds) in observations.enumerated() {
      filter.update(logOdds: Self.grouped(logOdds.map { Float($0) }))
      let state = expected[second]
      // Sums of up to 187 terms in single precision, and a floor of 1e-9 per state.
      #expect(abs(Double(filter.notStepping) - state[RateGrid.count]) < 2e-5)
      // Eleven rates at a time, the last group is smaller.
      for rate in Swift.stride(from: 5, to: RateGrid.count + 5, by: 11) {
        let near = state[rate - 5...min(rate + 5, RateGrid.count - 1)].reduce(0, +)
        #expect(abs(Double(filter.probability(near: rate)) - near) < 2e-5)
      }
    }
    #expect(abs(filter.mode.rate - 110) <= 3)
  }

  @Test func persistenceIsTheProbabilityOfContinuedStepping() {
    var filter = RateFilter()
    for _ in 0..<5 {
      let rest = filter.notStepping
      filter.update(
        logOdds: ContiguousArray<SIMD4<Float>>(
          repeating: SIMD4(repeating: -1), count: RateGrid.count / 4))
      let wentOn = (1 - 0.02) * (1 - rest)
      let began = 0.02 * rest
      // The posterior is a sum of 186 single-precision rates.
      #expect(abs(filter.persistence - wentOn / (wentOn + began)) < 1e-4)
    }
  }
}
