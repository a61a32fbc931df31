import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivityClassifierTests {
  /// Classifies two windows by their amplitude: quiet is stationary, strong is running.
  private let sizeModel: ActivityModel = {
    var parameters = ActivityModel.Parameters.random(seed: 1, weight: 0)
    let jerk = FeatureExtractor.schema.index(of: "window.logMeanJerk") ?? 0
    parameters.function.means = parameters.function.means.map { _ in 0 }
    parameters.function.scales = parameters.function.scales.map { _ in 1000 }
    parameters.function.scales[jerk] = 1
    parameters.function.means[jerk] = 3
    let width = 1 + FeatureExtractor.schema.count * 7
    parameters.function.weights[Activity.stationary.rawValue * width + 1 + jerk * 7] = -1
    parameters.function.weights[Activity.running.rawValue * width + 1 + jerk * 7] = 1
    return ActivityModel(parameters)
  }()
  private let quiet = SyntheticWindow.golden[0].samples(seed: 1)
  private let strong = SyntheticWindow.golden[2].samples(seed: 3)

  private func update(
    _ classifier: inout ActivityClassifier, _ window: [SIMD4<Float>], _ hop: Float = 2.56
  ) -> ActivityDecision {
    classifier.update(window: window.slice.span, hopSeconds: hop)
  }

  /// 3·10⁻⁵: forty steps in Float32, each of some ten roundings of 6·10⁻⁸.
  @Test func theForwardFilterMatchesANaiveOneInDouble() throws {
    for classes in [Activity.allCases, [.walking, .cycling, .train]] {
      let model = ActivityModel(.random(seed: 3, classes: classes, weight: 0.03))
      let oracle = ForwardOracle(classes: classes, dwellSeconds: 120)
      var classifier = ActivityClassifier(model: model)
      var expected = oracle.start
      var random = SplitMix64(seed: 4)
      for step in 0..<40 as Range<UInt64> {
        let hop = Float(0.3 + 4 * random.nextUniform())
        let kind = SyntheticWindow.golden[Int(random.next() % 6)]
        _ = update(&classifier, kind.samples(seed: step), hop)
        let evidence = try #require(classifier.lastEvidence)
        #expect(abs(evidence.elapsedSeconds - hop) <= 1e-6)
        expected = oracle.advanced(expected, Double(hop) * Double(evidence.hazardRatio))
        expected = oracle.normalised(zip(expected, oracle.likelihood(evidence)).map(*))
        for (activity, value) in zip(classes, oracle.folded(expected)) {
          #expect(abs(Double(classifier.state.posterior[activity]) - value) <= 3e-5)
        }
      }
    }
  }

  @Test func evidenceEqualsTheModelsWindowProbabilities() {
    let model = ActivityModel(.random(seed: 5, weight: 0.02))
    var classifier = ActivityClassifier(model: model)
    let window = SyntheticWindow.golden[1].samples(seed: 2)
    _ = update(&classifier, window, 1)
    // All of the first window is new: 0.35 per second for 3.84 s, which is more than 1.
    #expect(classifier.lastEvidence?.exponent == 1)
    _ = update(&classifier, window, 1)
    let features = features(of: window.suffix(ActivityClassifier.windowLength))
    #expect(classifier.lastFeatures == features)
    #expect(classifier.lastEvidence?.window == model.probabilities(of: features.slice.span))
    #expect(classifier.lastEvidence?.exponent == 0.35)
  }

  /// With negligible transitions only the sum of the exponents matters.
  @Test func withoutTransitionsTheHopHasNoEffect() {
    var parameters = sizeModel.parameters
    parameters.dwellSeconds = 1e9
    parameters.windowTemperature = 8
    let model = ActivityModel(parameters)
    var (coarse, fine) = (ActivityClassifier(model: model), ActivityClassifier(model: model))
    // The first window counts alike.
    for hop in [0, 2, 2, 2, 2] as [Float] { _ = update(&coarse, strong, hop) }
    for index in 0...32 { _ = update(&fine, strong, index == 0 ? 0 : 0.25) }
    let (one, other) = (coarse.probabilities, fine.probabilities)
    for activity in Activity.allCases where !activity.isMotorized {
      #expect(abs(one[activity] / one[.running] - other[activity] / other[.running]) <= 1e-5)
    }
    // Vehicles stop and go all the same, between two hops as well.
    for activity in Activity.allCases { #expect(abs(one[activity] - other[activity]) <= 2e-4) }
  }

  @Test func aShortWindowIsNotEnoughData() {
    var classifier = ActivityClassifier(model: sizeModel)
    for count in [0, 1, 249] {
      let decision = update(&classifier, Array(strong.prefix(count)))
      #expect(decision.unknownReason == .notEnoughData)
      #expect(decision.activity == nil)
    }
    var expected = ActivityClassifier(model: sizeModel)
    expected.coast(seconds: 3 * 2.56)
    for activity in Activity.allCases {
      let (found, value) = (classifier.state.posterior, expected.state.posterior)
      #expect(abs(found[activity] - value[activity]) <= 1e-6)
    }
  }

  /// With 0.35 per second a window of 2.5 s has an exponent of 0.875.
  @Test func halfAWindowIsClassified() throws {
    var classifier = ActivityClassifier(model: sizeModel)
    #expect(update(&classifier, Array(strong.prefix(250)), 1).activity == .running)
    let exponent = try #require(classifier.lastEvidence?.exponent)
    #expect(abs(exponent - 0.875) < 1e-6)
    _ = update(&classifier, Array(strong.prefix(350)), 1)
    #expect(classifier.lastEvidence?.exponent == 0.35)
  }

  /// Without data the posterior relaxes, and the answer stands for as long as it is confident.
  @Test func theAnswerStandsInAPauseUntilThePredictionIsUnsure() throws {
    var parameters = sizeModel.parameters
    parameters.confidenceThreshold = 0.5
    var classifier = ActivityClassifier(model: ActivityModel(parameters))
    for _ in 0..<10 { _ = update(&classifier, strong) }
    var seconds = 0
    while true {
      let decision = update(&classifier, [], 1)
      guard decision.activity != nil else {
        #expect(decision.unknownReason == .notEnoughData)
        break
      }
      #expect(decision.activity == .running && decision.probabilities.confidence >= 0.5)
      seconds += 1
      try #require(seconds < 10_000)
    }
    #expect(seconds > 5)
    #expect(classifier.probabilities.confidence < 0.5)
    // And what was filled rather than observed is no evidence.
    let filled = classifier.update(
      with: .likelihood(.uniform, hasRotation: false, seconds: 5.12), hopSeconds: 1,
      observedFraction: 0.2)
    #expect(filled.unknownReason == .notEnoughData)
    #expect(classifier.lastEvidence?.exponent == 0)
  }

  @Test func aLongWindowIsCutToItsNewestSamples() {
    var (long, plain) = (
      ActivityClassifier(model: sizeModel), ActivityClassifier(model: sizeModel)
    )
    #expect(update(&long, quiet + strong) == update(&plain, strong))
  }

  @Test func invalidSignalsAreBad() {
    let inG = quiet.map { $0 / 9.80665 }
    let doubled = quiet.map { $0 * 2 }
    let stuck = Array(repeating: sample([0.1, 0.2, 9.8]), count: 512)
    var broken = strong
    broken[200].y = .nan
    var infinite = strong
    infinite[511].z = -.infinity
    let falling = SyntheticWindow(gravity: [0, 0, 0], noise: 0.1).samples(seed: 1)
    let clipped = strong.map { sample(SIMD3($0.x, min(19.6, $0.y * 4), $0.z)) }
    for (index, window) in [inG, doubled, stuck, broken, infinite, falling, clipped].enumerated() {
      var classifier = ActivityClassifier(model: sizeModel)
      let decision = update(&classifier, window)
      #expect(decision.unknownReason == .badSignal, "window \(index)")
      #expect(classifier.lastEvidence?.exponent == 0)
    }
  }

  /// Runners' pockets measure a mean norm of 12 to 30 m/s²; that alone isn't a fault.
  @Test func strongShakingIsAValidSignal() {
    let run = SyntheticWindow(gravity: [0, 9, 4], amplitude: 16, frequency: 2.8, noise: 8)
      .samples(seed: 8)
    #expect(run.reduce(0) { $0 + $1.w } / 512 > 9.81 + 4)
    var classifier = ActivityClassifier(model: sizeModel)
    #expect(update(&classifier, run).unknownReason != .badSignal)
    for window in SyntheticWindow.golden[0...6] + [SyntheticWindow.golden[9]] {
      #expect(update(&classifier, window.samples(seed: 5)).unknownReason != .badSignal)
    }
  }

  @Test func lowConfidenceGivesUnknownWithProbabilities() {
    var parameters = sizeModel.parameters
    parameters.confidenceThreshold = 0.99
    var classifier = ActivityClassifier(model: ActivityModel(parameters))
    let decision = update(&classifier, strong, 0.2)
    #expect(decision.unknownReason == .lowConfidence)
    #expect(decision.probabilities.mostProbable == .running)
    #expect(decision.probabilities[.running] > 1 / 6)
  }

  @Test func aBadSignalEndsTheHoldAtOnce() {
    var classifier = ActivityClassifier(model: sizeModel)
    for _ in 0..<10 { _ = update(&classifier, strong, 1) }
    let stuck = Array(repeating: strong[0], count: 512)
    #expect(update(&classifier, stuck, 1).unknownReason == .badSignal)
  }

  @Test func withoutEvidenceThePosteriorStillRelaxes() {
    var (gap, bad) = (ActivityClassifier(model: sizeModel), ActivityClassifier(model: sizeModel))
    for _ in 0..<5 {
      _ = update(&gap, strong)
      _ = update(&bad, strong)
    }
    gap.coast(seconds: 30)
    for _ in 0..<10 { _ = update(&bad, [], 3) }
    for activity in Activity.allCases {
      #expect(abs(gap.probabilities[activity] - bad.probabilities[activity]) <= 1e-5)
    }
    gap.coast(seconds: .infinity)
    for activity in Activity.allCases {
      #expect(abs(gap.probabilities[activity] - 1 / 6) <= 1e-5)
    }
  }

  @Test func calibrationChangesTheConfidenceAndKeepsTheOrder() {
    var parameters = sizeModel.parameters
    parameters.function.filteredTemperature = 2
    var flat = ActivityClassifier(model: ActivityModel(parameters))
    var plain = ActivityClassifier(model: sizeModel)
    for _ in 0..<3 {
      _ = update(&flat, strong)
      _ = update(&plain, strong)
    }
    #expect(flat.state.posterior == plain.state.posterior)
    let ratio = plain.probabilities[.running] / plain.probabilities[.walking]
    let flatRatio = flat.probabilities[.running] / flat.probabilities[.walking]
    #expect(abs(flatRatio * flatRatio / ratio - 1) <= 1e-5)
  }

  @Test func invalidHopsGiveNormalisedProbabilities() {
    var classifier = ActivityClassifier(model: sizeModel)
    for hop in [0, -1, .nan, .infinity, -.infinity, 3e38] as [Float] {
      let decision = update(&classifier, strong, hop)
      let sum = Activity.allCases.reduce(0) { $0 + decision.probabilities[$1] }
      #expect(abs(sum - 1) <= 1e-6)
    }
  }

  @Test func aClassifierIsAStage() {
    var random = SplitMix64(seed: 7)
    let windows = (0..<30 as Range<UInt64>).map {
      ($0, SyntheticWindow.golden[Int(random.next() % 10)].samples(seed: $0))
    }
    var settings = ActivityClassifier.Settings()
    settings.gravityTolerance = 1.4
    var parameters = ActivityModel.Parameters.random(seed: 6, weight: 0.02)
    parameters.rotation = .random(seed: 32)
    parameters.custom = .random(seed: 8, activities: customActivities(("scooter", .cycling)))
    let original = ActivityClassifier(model: ActivityModel(parameters), settings: settings)
    let broken = checkStage(
      original, windows, into: [ActivityDecision](), reset: { $0.reset() }
    ) {
      for (step, window) in $1 {
        let rates = step % 3 == 2 ? [] : SyntheticRotation.golden[Int(step % 5)].samples(seed: 7)
        $2.append(
          $0.update(window: window.slice.span, rotation: rates.slice.span, hopSeconds: 2.56))
        if step % 5 == 0 { $0.coast(seconds: 7) }
      }
    }
    #expect(broken == [])
  }
}
