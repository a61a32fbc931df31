import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivityProbabilitiesTests {
  private func sum(_ probabilities: ActivityProbabilities) -> Float {
    Activity.allCases.reduce(0) { $0 + probabilities[$1] }
  }

  @Test func weightsOfAnySizeAreNormalised() {
    var random = SplitMix64(seed: 1)
    for exponent in stride(from: -44.0, through: 38, by: 1) {
      let weights = Activity.allCases.map { _ in Float(random.nextUniform() * pow(10, exponent)) }
      let found = ActivityProbabilities { weights[$0.rawValue] }
      #expect(abs(sum(found) - 1) <= 1e-6)
      #expect(Activity.allCases.allSatisfy { found[$0] >= 0 && found[$0] <= 1 })
    }
  }

  @Test func normalisingKeepsRatios() {
    let found = ActivityProbabilities { Float($0.rawValue) * 1e37 }
    for activity in Activity.allCases {
      #expect(abs(found[activity] - Float(activity.rawValue) / 15) <= 1e-7)
    }
    #expect(found.mostProbable == .train)
  }

  @Test func invalidWeightsCountAsZero() {
    let bad: [Float] = [.nan, -.infinity, -1, .infinity, 0, 2]
    let found = ActivityProbabilities { bad[$0.rawValue] }
    #expect(found[.train] == 1)
    #expect(ActivityProbabilities { _ in .nan } == .uniform)
    #expect(ActivityProbabilities { _ in 0 } == .uniform)
    #expect(sum(.uniform) == 1)
  }

  @Test func ofEqualsTheFirstIsTheMostProbable() {
    #expect(ActivityProbabilities.uniform.mostProbable == .stationary)
    #expect(
      ActivityProbabilities { $0 == .running || $0 == .train ? 1 : 0 }.mostProbable == .running)
  }

  @Test func aPredictionSetHasTheFewestClassesOfItsCoverage() {
    let shares: [Activity: Float] = [.cycling: 0.5, .train: 0.25, .walking: 0.1875]
    let found = ActivityProbabilities { shares[$0] ?? 0.0625 / 3 }
    #expect(found.predictionSet(coverage: 0.5) == [.cycling])
    #expect(found.predictionSet(coverage: 0.51) == [.cycling, .train])
    #expect(found.predictionSet() == [.cycling, .train, .walking])
    #expect(found.predictionSet(coverage: 0).isEmpty)
    // Rounding mustn't ask for more than there is, and what is ruled out never helps.
    #expect(ActivityProbabilities.uniform.predictionSet(coverage: 1).count == 6)
    #expect(ActivityProbabilities { $0 == .train ? 1 : 0 }.predictionSet(coverage: 2) == [.train])
  }

  @Test func probabilitiesAreArchivedAndInvalidOnesAreRejected() throws {
    let found = ActivityProbabilities { Float($0.rawValue + 1) }
    #expect(try restored(ActivityProbabilities.uniform, from: found) == found)
    for lanes in [
      SIMD8(1, 1, 0, 0, 0, 0, 0, 0), SIMD8(-0.5, 1.5, 0, 0, 0, 0, 0, 0), .zero,
    ] as [SIMD8<Float>] {
      #expect(throws: DamagedArchive.self) {
        try restored(ActivityProbabilities.uniform, from: archived(lanes))
      }
    }
  }
}
