import Locomotion
import LocomotionActivityRecognition
import TestSupport
import Testing

/// What is stored of the probabilities of modes is what was said of them.
@Suite struct ModeProbabilityTests {
  @Test func storedProbabilitiesAreReadAsTheyWere() throws {
    var random = SplitMix64(seed: 11)
    for round in 0..<2_000 {
      let power = Float(round % 8)
      var weights: [Float] = []
      for _ in Activity.allCases {
        let uniform = Float(random.next() >> 40) / Float(1 << 24)
        weights.append((0..<Int(power)).reduce(1) { product, _ in product * uniform })
      }
      let exact = ActivityProbabilities(weights: { $0 == .stationary ? 0 : weights[$0.rawValue] })
      let stored = try #require(ActivityProbabilities(modeBits: exact.modeBits))
      #expect(stored.modeBits == exact.modeBits)
      for mode in Activity.allCases {
        #expect(abs(stored[mode] - exact[mode]) < 0.017, "\(exact)")
      }
      #expect(stored[.stationary] == 0)
    }
  }

  @Test func twoLegsAsOneHaveTheMeanOfTheirProbabilities() {
    for item in TimelineScript().rest(1_200).walk(900).rest(1_200).items() {
      guard case .trip(let trip) = item, let leg = trip.legs.first else { continue }
      var sum = leg
      sum.extend(by: leg)
      #expect(sum.modes == leg.modes && leg.probability ?? 0 > 0.5)
      var corrected = leg
      corrected.isCorrected = true
      #expect(corrected.probability == nil)
    }
  }
}
