import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivityExplanationTests {
  private let model = ActivityModel(.random(seed: 21))

  /// Both sums are of 63 terms and 63 centres in Float32: 130 roundings of 6·10⁻⁸ of the sum of the
  /// sizes, less than 10⁻⁵ of it.
  @Test func contributionsSumToTheScore() throws {
    var random = SplitMix64(seed: 22)
    for _ in 0..<50 {
      let features = randomFeatures(&random, count: model.featureCount)
      let scores = model.scores(of: features.slice.span)
      let explanation = model.explanation(of: features.slice.span)
      #expect(explanation.features == features)
      for activity in Activity.allCases {
        let (_, magnitude) = try #require(expandedScore(model.parameters, features, activity))
        let (_, centre) = try #require(
          expandedScore(model.parameters, model.parameters.means, activity))
        let sum = try #require(explanation.score(of: activity))
        #expect(abs(sum - scores[activity.rawValue]) <= 1e-5 * Float(magnitude + centre))
      }
    }
  }

  @Test func anAverageWindowHasZeroContributions() {
    let explanation = model.explanation(of: model.parameters.means.slice.span)
    for activity in Activity.allCases {
      for feature in 0..<model.featureCount {
        #expect(explanation.contribution(ofFeature: feature, to: activity) == 0)
      }
      #expect(explanation.score(of: activity) == explanation.baseline(of: activity))
    }
  }

  @Test func argumentsAgainstTheRivalHaveOppositeSigns() throws {
    var random = SplitMix64(seed: 23)
    let features = randomFeatures(&random, count: model.featureCount)
    let explanation = model.explanation(of: features.slice.span)
    let arguments = explanation.arguments(for: .walking, against: .cycling)
    #expect(Set(arguments.map(\.feature)) == Set(features.indices))
    for (one, next) in zip(arguments, arguments.dropFirst()) {
      #expect(one.contribution >= next.contribution)
    }
    for argument in arguments {
      #expect(argument.value == features[argument.feature])
      let own = explanation.contribution(ofFeature: argument.feature, to: .walking)
      let rival = explanation.contribution(ofFeature: argument.feature, to: .cycling)
      #expect(argument.contribution == own - rival)
    }
    let reversed = explanation.arguments(for: .cycling, against: .walking)
    #expect(reversed.map { -$0.contribution } == arguments.map(\.contribution).reversed())
  }

  @Test func aClassThatTheModelLacksIsNotExplained() {
    let model = ActivityModel(.random(seed: 24, classes: [.running, .stationary]))
    let explanation = model.explanation(of: model.parameters.means.slice.span)
    #expect(explanation.classes == [.running, .stationary])
    #expect(explanation.score(of: .walking) == nil && explanation.baseline(of: .walking) == nil)
    #expect(explanation.arguments(for: .walking, against: .running).isEmpty)
    #expect(explanation.arguments(for: .running, against: .walking).isEmpty)
    #expect(!explanation.arguments(for: .running, against: .stationary).isEmpty)
  }

  @Test func theRunnerUpIsTheMostProbableOfTheOthers() {
    let probabilities = ActivityProbabilities { Float([1, 5, 0, 3, 3, 0][$0.rawValue]) }
    #expect(probabilities.runnerUp(to: .walking) == .cycling)
    #expect(probabilities.runnerUp(to: .cycling) == .walking)
  }
}
