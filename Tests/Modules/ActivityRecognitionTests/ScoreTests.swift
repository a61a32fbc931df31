import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivityModelTests {
  private let model = ActivityModel(.random(seed: 1))

  /// Tables and sums in Float32: at most (87 + 7) roundings of 6·10⁻⁸ of the sum of the terms'
  /// sizes, which is 4·10⁻⁶ of it.
  @Test func scoresMatchTheExpandedFormula() throws {
    var random = SplitMix64(seed: 2)
    for seed in 1...20 as ClosedRange<UInt64> {
      let model = ActivityModel(.random(seed: seed))
      let features = randomFeatures(&random, count: model.featureCount)
      let scores = model.scores(of: features.slice.span)
      for activity in Activity.allCases {
        let (expected, magnitude) = try #require(
          expandedScore(model.parameters, features, activity))
        #expect(abs(Double(scores[activity.rawValue]) - expected) <= 4e-6 * magnitude)
      }
    }
  }

  @Test func scoresAreContinuousAtTheKnots() {
    let parameters = ActivityModel.Parameters.random(seed: 3, features: 1, weight: 1)
    let model = ActivityModel(parameters)
    for knot in parameters.knots {
      let value = parameters.means[0] + parameters.scales[0] * knot
      let below = [value - 1e-5]
      let above = [value + 1e-5]
      let jump = model.scores(of: below.slice.span) - model.scores(of: above.slice.span)
      for activity in Activity.allCases { #expect(abs(jump[activity.rawValue]) < 2e-4) }
    }
  }

  @Test func equalKnotsAndKnotsBeyondTheClipAreEvaluated() throws {
    var parameters = ActivityModel.Parameters.random(seed: 4, features: 2, weight: 1)
    parameters.knots = [-7, -7, 0, 0, 0, 9, 1, 1, 1, 1, 1, 1]
    let model = ActivityModel(parameters)
    for value in stride(from: Float(-30), through: 30, by: 0.37) {
      let features = [value, -value]
      for activity in Activity.allCases {
        let (expected, magnitude) = try #require(expandedScore(parameters, features, activity))
        let score = Double(model.scores(of: features.slice.span)[activity.rawValue])
        #expect(abs(score - expected) <= 4e-6 * magnitude)
      }
    }
  }

  @Test func aClassThatTheModelLacksIsRuledOut() {
    let model = ActivityModel(.random(seed: 7, classes: [.running, .stationary]))
    let features = [Float](repeating: 1, count: model.featureCount)
    let scores = model.scores(of: features.slice.span)
    let probabilities = model.probabilities(of: features.slice.span)
    for activity in Activity.allCases where ![.running, .stationary].contains(activity) {
      #expect(scores[activity.rawValue] == -.infinity)
      #expect(probabilities[activity] == 0)
      #expect(model.bias(of: activity) == nil)
    }
    #expect(abs(probabilities[.running] + probabilities[.stationary] - 1) <= 1e-6)
  }

  @Test func theOrderOfTheClassesKeepsTheScores() {
    let ordered = ActivityModel.Parameters.random(
      seed: 8, classes: [.walking, .train], features: 3)
    var exchanged = ordered
    exchanged.classes = [.train, .walking]
    exchanged.weights = Array(ordered.weights[22...] + ordered.weights[..<22])
    let features: [Float] = [0.3, -2, 5]
    #expect(
      ActivityModel(ordered).scores(of: features.slice.span)
        == ActivityModel(exchanged).scores(of: features.slice.span))
  }

  @Test func probabilitiesAreTheTemperedSoftmaxOfTheScores() {
    var random = SplitMix64(seed: 9)
    for _ in 0..<20 {
      let features = randomFeatures(&random, count: model.featureCount)
      let scores = model.scores(of: features.slice.span)
      let weights = Activity.allCases.map { exp(Double(scores[$0.rawValue]) / 0.7) }
      let found = model.probabilities(of: features.slice.span)
      for (activity, weight) in zip(Activity.allCases, weights) {
        #expect(abs(Double(found[activity]) - weight / weights.reduce(0, +)) <= 2e-6)
      }
    }
  }

  @Test func extremeScoresGiveFiniteProbabilities() {
    var parameters = ActivityModel.Parameters.random(seed: 10)
    parameters.weights = parameters.weights.map { $0 > 0 ? 1e9 : -1e9 }
    parameters.knots = parameters.knots.map { $0 > 0 ? 1e9 : -1e9 }
    parameters.windowTemperature = 1e-6
    let model = ActivityModel(parameters)
    var random = SplitMix64(seed: 11)
    let features = randomFeatures(&random, count: model.featureCount)
    let scores = model.scores(of: features.slice.span)
    let probabilities = model.probabilities(of: features.slice.span)
    for activity in Activity.allCases {
      #expect(scores[activity.rawValue].isFinite)
      #expect(probabilities[activity].isFinite)
    }
  }

  @Test func aMissingFeatureCountsAsItsMean() {
    var features = model.parameters.means
    let expected = model.scores(of: features.slice.span)
    features = features.map { _ in .nan }
    #expect(model.scores(of: features.slice.span) == expected)
    let isNovel = model.isNovel(features.slice.span)
    #expect(!isNovel)
  }

  @Test func moreOutliersThanTheLimitAreNovel() {
    let parameters = model.parameters
    func far(_ count: Int) -> [Float] {
      parameters.means.indices.map {
        let sign: Float = $0 % 2 == 0 ? 1 : -1
        return parameters.means[$0] + ($0 < count ? 5.1 : 4.9) * sign * parameters.scales[$0]
      }
    }
    let (eight, nine) = (far(8), far(9))
    #expect(model.outlierCount(of: eight.slice.span) == 8)
    let isNovel = (model.isNovel(eight.slice.span), model.isNovel(nine.slice.span))
    #expect(isNovel == (false, true))
  }

  @Test func invalidNumbersAreReportedWithTheirField() {
    func defect(_ change: (inout ActivityModel.Parameters) -> Void) -> ActivityModel.Defect? {
      var parameters = ActivityModel.Parameters.random(seed: 12)
      change(&parameters)
      return parameters.defect
    }
    #expect(defect { _ in } == nil)
    #expect(defect { $0.weights.removeLast() }?.field == "weights")
    #expect(defect { $0.scales.append(1) }?.field == "scales")
    #expect(defect { $0.knots[7] = .nan }?.field == "knots")
    #expect(defect { $0.knots.swapAt(6, 11) }?.field == "knots")
    #expect(defect { $0.scales[3] = 0 }?.index == 3)
    #expect(defect { $0.means[62] = -.infinity }?.index == 62)
    #expect(defect { $0.classes[0] = .walking }?.field == "classes")
    #expect(defect { $0.noveltyLimit = -1 }?.field == "noveltyLimit")
    #expect(defect { $0.manifest = String(repeating: "x", count: 1 << 21) }?.field == "manifest")
  }
}

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
