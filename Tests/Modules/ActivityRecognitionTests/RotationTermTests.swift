import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

/// A model with a rotation term: its scores with rotation features, and without.
@Suite struct RotationTermTests {
  private let with: ActivityModel
  private let without: ActivityModel
  private let window = SyntheticWindow.golden[1].samples(seed: 2)
  private let rates = SyntheticRotation.golden[1].samples(seed: 102)

  init() {
    var parameters = ActivityModel.Parameters.random(seed: 31, weight: 0.02)
    without = ActivityModel(parameters)
    parameters.rotation = .random(seed: 32)
    with = ActivityModel(parameters)
  }

  /// The term alone as a model of its own, which has the same form.
  private func termAlone(_ model: ActivityModel) throws -> ActivityModel.Parameters {
    let term = try #require(model.parameters.rotation)
    return ActivityModel.Parameters(classes: model.parameters.classes, function: term)
  }

  @Test func scoresEqualTheSumOfBothTerms() throws {
    let alone = try termAlone(with)
    var random = SplitMix64(seed: 33)
    for _ in 0..<50 {
      let features = randomFeatures(&random, count: with.featureCount)
      let rotation = randomFeatures(&random, count: with.rotationFeatureCount)
      let scores = with.scores(of: features.slice.span, rotation: rotation.slice.span)
      for activity in Activity.allCases {
        let own = try #require(expandedScore(with.parameters, features, activity))
        let added = try #require(expandedScore(alone, rotation, activity))
        let magnitude = own.magnitude + added.magnitude
        // 4·10⁻⁶ as for the accelerations' score alone.
        let error = abs(Double(scores[activity.rawValue]) - own.score - added.score)
        #expect(error <= 4e-6 * magnitude)
      }
      #expect(scores[6] == -.infinity)
    }
  }

  @Test func withoutRatesTheTermIsNotAdded() {
    var random = SplitMix64(seed: 34)
    let none: [Float] = []
    for _ in 0..<20 {
      let features = randomFeatures(&random, count: with.featureCount)
      let rotation = randomFeatures(&random, count: with.rotationFeatureCount)
      let plain = without.probabilities(of: features.slice.span)
      #expect(with.probabilities(of: features.slice.span) == plain)
      #expect(with.probabilities(of: features.slice.span, rotation: none.slice.span) == plain)
      #expect(
        without.probabilities(of: features.slice.span, rotation: rotation.slice.span) == plain)
      #expect(with.probabilities(of: features.slice.span, rotation: rotation.slice.span) != plain)
    }
  }

  @Test func theExplanationSumsBothTerms() throws {
    var random = SplitMix64(seed: 37)
    let alone = try termAlone(with)
    for _ in 0..<20 {
      let features = randomFeatures(&random, count: with.featureCount)
      let rotation = randomFeatures(&random, count: with.rotationFeatureCount)
      let scores = with.scores(of: features.slice.span, rotation: rotation.slice.span)
      let explanation = with.explanation(of: features.slice.span, rotation: rotation.slice.span)
      #expect(explanation.features == features + rotation)
      let arguments = explanation.arguments(for: .train, against: .walking)
      #expect(Set(arguments.map(\.feature)) == Set(0..<109))
      for activity in Activity.allCases.dropLast() {
        let sizes = try [activity, .train].flatMap { activity in
          [
            expandedScore(with.parameters, features, activity),
            expandedScore(with.parameters, with.parameters.function.means, activity),
            expandedScore(alone, rotation, activity),
            expandedScore(alone, alone.function.means, activity),
          ]
        }.map { try #require($0).magnitude }
        let sum = try explainedDifference(explanation, activity, .train)
        let expected = scores[activity.rawValue] - scores[Activity.train.rawValue]
        // As in `ActivityExplanationTests.argumentsSumToTheScores`.
        #expect(abs(sum - expected) <= 1e-5 * Float(sizes.reduce(0, +)))
      }
      let plain = without.explanation(of: features.slice.span, rotation: rotation.slice.span)
      let none = rotation[..<0]
      let expected = without.explanation(of: features.slice.span, rotation: none.span)
      #expect(plain == expected)
    }
  }

  @Test func theClassifierUsesBothSensors() {
    var classifier = ActivityClassifier(model: with)
    _ = classifier.update(window: window.slice.span, rotation: rates.slice.span, hopSeconds: 1)
    let features = features(of: window.suffix(ActivityClassifier.windowLength))
    let rotation = rotationFeatures(of: rates, window)
    #expect(classifier.lastFeatures == features)
    let expected = with.probabilities(of: features.slice.span, rotation: rotation.slice.span)
    #expect(classifier.lastEvidence?.window == expected)
    #expect(classifier.lastEvidence?.hasRotation == true)
    // More rates than a window: the newest are used.
    let longer = [SIMD4<Float>](repeating: SIMD4(9, 9, 9, 0), count: 100) + rates
    _ = classifier.update(window: window.slice.span, rotation: longer.slice.span, hopSeconds: 1)
    #expect(classifier.lastEvidence?.window == expected)
  }

  @Test func shortOrInvalidRatesAreIgnored() {
    var plain = ActivityClassifier(model: without)
    var broken = rates
    broken[3].x = .infinity
    let stuck = [SIMD4<Float>](repeating: SIMD4(0.1, 0, 0, 0), count: 512)
    let poor = [[], Array(rates.dropLast()), broken, stuck]
    var others = poor.map { _ in ActivityClassifier(model: with) }
    for step in 0..<8 {
      let window = SyntheticWindow.golden[step % 4].samples(seed: UInt64(step))
      let expected = plain.update(window: window.slice.span, hopSeconds: 1)
      for index in others.indices {
        let rates = poor[index]
        let decision = others[index].update(
          window: window.slice.span, rotation: rates.slice.span, hopSeconds: 1)
        #expect(decision == expected)
        #expect(archived(others[index].state) == archived(plain.state))
        #expect(others[index].lastEvidence?.hasRotation != true)
      }
    }
  }

  @Test func theTermHasItsOwnCalibrationAfterTheFilter() throws {
    var parameters = with.parameters
    parameters.rotation?.filteredTemperature = 2
    parameters.rotation?.hindsightTemperature = 3
    let model = ActivityModel(parameters)
    var (flat, plain) = (ActivityClassifier(model: model), ActivityClassifier(model: with))
    _ = flat.update(window: window.slice.span, rotation: rates.slice.span, hopSeconds: 1)
    _ = plain.update(window: window.slice.span, rotation: rates.slice.span, hopSeconds: 1)
    #expect(flat.state.posterior == plain.state.posterior)
    func ratio(_ p: ActivityProbabilities) -> Float { log(p[.cycling] / p[.walking]) }
    // The plain model's are 1.25 and 0.8.
    #expect(abs(1.6 * ratio(flat.probabilities) / ratio(plain.probabilities) - 1) <= 1e-4)
    let evidence = try [#require(flat.lastEvidence)]
    let (long, short) = (
      ActivitySmoother(model: model).probabilities(of: evidence)[0],
      ActivitySmoother(model: with).probabilities(of: evidence)[0]
    )
    #expect(abs(3.75 * ratio(long) / ratio(short) - 1) <= 1e-4)
    // Without rates the calibration is the model's again.
    _ = flat.update(window: window.slice.span, hopSeconds: 1)
    _ = plain.update(window: window.slice.span, hopSeconds: 1)
    #expect(flat.probabilities == plain.probabilities)
  }
}
