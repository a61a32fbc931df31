import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivityExplanationTests {
  private let model = ActivityModel(.random(seed: 21))

  private func explanation(_ model: ActivityModel, _ features: [Float]) -> ActivityExplanation {
    let features = features.slice.span
    return model.explanation(of: features, rotation: features.extracting(0..<0))
  }

  /// Both sums are of 63 terms and 63 centres in Float32: 130 roundings of 6·10⁻⁸ of the sum of the
  /// sizes, less than 10⁻⁵ of it.
  @Test func argumentsSumToTheScores() throws {
    var random = SplitMix64(seed: 22)
    for _ in 0..<50 {
      let features = randomFeatures(&random, count: model.featureCount)
      let scores = model.scores(of: features.slice.span)
      let explanation = explanation(model, features)
      #expect(explanation.features == features)
      for activity in Activity.allCases.dropLast() {
        let sizes = try [features, model.parameters.means].flatMap { values in
          try [activity, .train].map { try #require(expandedScore(model.parameters, values, $0)) }
        }.map(\.magnitude)
        let sum = try explainedDifference(explanation, activity, .train)
        let expected = scores[activity.rawValue] - scores[Activity.train.rawValue]
        #expect(abs(sum - expected) <= 1e-5 * Float(sizes.reduce(0, +)))
      }
    }
  }

  @Test func anAverageWindowHasZeroContributions() {
    let explanation = explanation(model, model.parameters.means)
    for activity in Activity.allCases.dropFirst() {
      let arguments = explanation.arguments(for: activity, against: .stationary)
      #expect(arguments.count == model.featureCount)
      #expect(arguments.allSatisfy { $0.contribution == 0 })
    }
  }

  @Test func argumentsAgainstTheRivalHaveOppositeSigns() throws {
    var random = SplitMix64(seed: 23)
    let features = randomFeatures(&random, count: model.featureCount)
    let explanation = explanation(model, features)
    let arguments = explanation.arguments(for: .walking, against: .cycling)
    #expect(Set(arguments.map(\.feature)) == Set(features.indices))
    for (one, next) in zip(arguments, arguments.dropFirst()) {
      #expect(one.contribution >= next.contribution)
    }
    for argument in arguments {
      #expect(argument.value == features[argument.feature])
    }
    let reversed = explanation.arguments(for: .cycling, against: .walking)
    #expect(reversed.map { -$0.contribution } == arguments.map(\.contribution).reversed())
  }

  @Test func aClassThatTheModelLacksIsNotExplained() {
    let model = ActivityModel(.random(seed: 24, classes: [.running, .stationary]))
    let explanation = explanation(model, model.parameters.means)
    #expect(explanation.classes == [.running, .stationary])
    #expect(explanation.baseline(of: .walking) == nil)
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
