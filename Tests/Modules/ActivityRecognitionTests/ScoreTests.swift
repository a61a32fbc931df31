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
      // In any order.
      let classes = seed > 10 ? Activity.allCases.shuffled(using: &random) : Activity.allCases
      let model = ActivityModel(.random(seed: seed, classes: classes))
      let features = randomFeatures(&random, count: model.featureCount)
      let scores = model.scores(of: features.slice.span)
      for activity in Activity.allCases {
        let (expected, magnitude) = try #require(
          expandedScore(model.parameters, features, activity))
        #expect(abs(Double(scores[activity.rawValue]) - expected) <= 4e-6 * magnitude)
      }
    }
  }

  @Test func equalKnotsAndKnotsBeyondTheClipAreEvaluated() throws {
    var parameters = ActivityModel.Parameters.random(seed: 4, features: 2, weight: 1)
    parameters.function.knots = [-7, -7, 0, 0, 0, 9, 1, 1, 1, 1, 1, 1]
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
    parameters.function.weights = parameters.function.weights.map { $0 > 0 ? 1e9 : -1e9 }
    parameters.function.knots = parameters.function.knots.map { $0 > 0 ? 1e9 : -1e9 }
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
    var features = model.parameters.function.means
    let expected = model.scores(of: features.slice.span)
    features = features.map { _ in .nan }
    #expect(model.scores(of: features.slice.span) == expected)
  }

  @Test func invalidNumbersAreReportedWithTheirField() {
    func defect(_ change: (inout ActivityModel.Parameters) -> Void) -> ActivityModel.Defect? {
      var parameters = ActivityModel.Parameters.random(seed: 12)
      parameters.rotation = .random(seed: 32)
      parameters.custom = .random(
        seed: 3, activities: customActivities(("scooter", .cycling), ("skiing", nil)))
      change(&parameters)
      return parameters.defect
    }
    #expect(defect { _ in } == nil)
    #expect(defect { $0.function.weights.removeLast() }?.field == "weights")
    #expect(defect { $0.function.scales.append(1) }?.field == "scales")
    #expect(defect { $0.function.knots[7] = .nan }?.field == "knots")
    #expect(defect { $0.function.knots.swapAt(6, 11) }?.field == "knots")
    #expect(defect { $0.function.scales[3] = 0 }?.index == 3)
    #expect(defect { $0.function.means[62] = -.infinity }?.index == 62)
    #expect(defect { $0.classes[0] = .walking }?.field == "classes")
    #expect(defect { $0.manifest = String(repeating: "x", count: 1 << 21) }?.field == "manifest")
    // Of the terms.
    #expect(defect { $0.rotation?.weights.removeLast() }?.field == "rotation.weights")
    #expect(defect { $0.rotation?.scales.append(1) }?.field == "rotation.scales")
    #expect(defect { $0.rotation?.knots.swapAt(6, 11) }?.field == "rotation.knots")
    let empty = ActivityModel.Function(
      means: [], scales: [], knots: [], weights: Array(repeating: 0, count: 6))
    #expect(defect { $0.rotation = empty }?.field == "rotation.means")
    #expect(defect { $0.custom?.activities = [] }?.field == "custom.activities")
    #expect(defect { $0.custom?.activities[1] = customActivities(("scooter", nil))[0] } != nil)
    #expect(defect { $0.custom?.activities.removeLast() }?.field == "custom.weights")
    #expect(defect { $0.custom?.function.means.removeLast() }?.field == "custom.means")
    #expect(defect { $0.custom?.function.scales[3] = 0 }?.field == "custom.scales")
    #expect(defect { $0.custom?.function.weights[5] = .nan }?.field == "custom.weights")
    let row = [Int8](repeating: 1, count: 1 + 7 * FeatureExtractor.schema.count)
    for moments in [
      ActivityModel.MomentTerm(scales: [], rows: []), .init(scales: [1], rows: [1, 2, 3]),
      .init(scales: [0], rows: row), .init(scales: [.nan], rows: row),
    ] {
      #expect(defect { $0.moments = moments }?.field.hasPrefix("moments") == true)
    }
  }
}

@Suite struct ActivityExplanationTests {
  private let model = ActivityModel(.random(seed: 21))

  private func explanation(_ model: ActivityModel, _ features: [Float]) -> ActivityExplanation {
    let features = features.slice.span
    return model.explanation(of: features, rotation: features.extracting(0..<0))
  }

  @Test func anAverageWindowHasZeroContributions() {
    let explanation = explanation(model, model.parameters.function.means)
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
    let explanation = explanation(model, model.parameters.function.means)
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
