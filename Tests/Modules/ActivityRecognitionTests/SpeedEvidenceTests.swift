import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct SpeedEvidenceTests {
  private let window = SyntheticWindow.golden[1].samples(seed: 1)

  private func weighed(_ speed: Float, _ deviation: Float? = 0) -> ActivityProbabilities {
    ActivityProbabilities.uniform.weighed(
      by: SpeedEvidence(metresPerSecond: speed, deviation: deviation))
  }

  @Test func eachClassHasASpeedOfHighestLikelihood() {
    #expect(weighed(1.3).mostProbable == .walking)
    #expect(weighed(3).mostProbable == .running)
    #expect(weighed(5).mostProbable == .cycling)
    #expect(weighed(16).mergingRail.mostProbable == .automotive)
    #expect(weighed(40).mostProbable == .train)
  }

  /// The column of the table that covers 0.7 to 1.2 m/s.
  @Test func likelihoodsEqualTheFractionsOfTheRange() {
    let fractions: [Float] = [15, 290, 15, 35, 20, 20]
    let likelihoods = fractions.map { $0 * $0.squareRoot() }
    let total = likelihoods.reduce(0, +)
    for (activity, likelihood) in zip(Activity.allCases, likelihoods) {
      #expect(abs(weighed(0.7)[activity] - likelihood / total) <= 2e-6)
      #expect(abs(weighed(1.19)[activity] - likelihood / total) <= 2e-6)
    }
  }

  @Test func zeroSpeedHasAUniformLikelihood() {
    #expect(weighed(0) == .uniform)
    #expect(weighed(0.29) == .uniform)
    #expect(weighed(0.31) != .uniform)
  }

  @Test func anUncertainSpeedHasAWeakerLikelihood() {
    let sure = weighed(1.5)[.walking]
    let uncertain = weighed(1.5, 3)[.walking]
    #expect(sure > uncertain && uncertain > 1 / 6)
    #expect(abs(weighed(1.5, .infinity)[.walking] - 1 / 6) <= 1e-6)
    #expect(weighed(1.5, nil) == weighed(1.5, 1))
    #expect(weighed(1.5, -.infinity) == weighed(1.5, 1))
  }

  @Test(arguments: [Float.nan, .infinity, -1, -.infinity])
  func anInvalidSpeedHasAUniformLikelihood(speed: Float) {
    #expect(weighed(speed) == .uniform)
    #expect(weighed(1.5, .nan)[.walking].isFinite)
  }

  @Test func noClassIsRuledOut() {
    for speed in stride(from: Float(0), to: 60, by: 0.1) {
      let probabilities = weighed(speed)
      for activity in Activity.allCases {
        #expect(probabilities[activity] > probabilities[probabilities.mostProbable] / 500)
      }
    }
  }

  @Test func theClassifierCombinesSpeedAndWindow() throws {
    let model = ActivityModel(.random(seed: 3, weight: 0.01))
    var with = ActivityClassifier(model: model)
    var without = with
    let speed = SpeedEvidence(metresPerSecond: 17, deviation: 0.5)
    for _ in 0..<5 {
      _ = with.update(window: window.slice.span, hopSeconds: 1, speed: speed)
      _ = without.update(window: window.slice.span, hopSeconds: 1)
    }
    let combined = with.probabilities.mergingRail[.automotive]
    #expect(combined > without.probabilities.mergingRail[.automotive] + 0.1)
    let alone = try #require(without.lastEvidence)
    #expect(with.lastEvidence?.window == alone.window.weighed(by: speed))
  }

  @Test func mergingRailAddsTrainToAutomotive() {
    let probabilities = ActivityProbabilities { activity in
      activity == .train ? 3 : activity == .automotive ? 2 : activity == .walking ? 4 : 0
    }
    let merged = probabilities.mergingRail
    #expect(probabilities.mostProbable == .walking && merged.mostProbable == .automotive)
    #expect(abs(merged[.automotive] - 5.0 / 9) <= 1e-6)
    #expect(merged[.train] == 0)
  }

  @Test func theVehicleIsDecidedBeforeItsKind() {
    func posterior(_ stationary: Float, _ road: Float, _ rail: Float) -> ActivityProbabilities {
      ActivityProbabilities { activity in
        switch activity {
        case .stationary: stationary
        case .automotive: road
        case .train: rail
        default: 0
        }
      }
    }
    #expect(posterior(0.4, 0.25, 0.35).answer == .train)
    #expect(posterior(0.4, 0.35, 0.25).answer == .automotive)
    #expect(posterior(0.6, 0.1, 0.3).answer == .stationary)
    #expect(abs(posterior(0.4, 0.25, 0.35).confidence - 0.6) <= 1e-6)
    // Each level has its own hysteresis.
    #expect(posterior(0, 0.3, 0.7).answer(after: .automotive, changeRatio: 4) == .automotive)
    #expect(posterior(0, 0.1, 0.9).answer(after: .automotive, changeRatio: 4) == .train)
    #expect(posterior(0.7, 0.1, 0.2).answer(after: .automotive, changeRatio: 4) == .automotive)
    #expect(posterior(0.4, 0.1, 0.5).answer(after: .stationary, changeRatio: 4) == .stationary)
  }

  @Test func theAnswerIsHeldUntilAnotherExceedsTheChangeRatio() {
    func posterior(_ walking: Float, _ running: Float) -> ActivityProbabilities {
      ActivityProbabilities { $0 == .walking ? walking : $0 == .running ? running : 0 }
    }
    #expect(posterior(0.4, 0.6).answer(after: nil, changeRatio: 4) == .running)
    #expect(posterior(0.25, 0.75).answer(after: .walking, changeRatio: 4) == .walking)
    #expect(posterior(0.15, 0.85).answer(after: .walking, changeRatio: 4) == .running)
    #expect(posterior(0.4, 0.6).answer(after: .walking, changeRatio: 1) == .running)
  }
}
