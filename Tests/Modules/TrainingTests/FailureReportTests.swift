import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

/// The parts of a report about single windows and features.
struct FailureReportTests {
  /// One feature: stationary below 0, walking above; the other classes are unknown.
  private static let model: ActivityModel = {
    let flat = [Float](repeating: 0, count: 13)
    return ActivityModel(
      .init(
        classes: [.stationary, .walking], means: [0, 0], scales: [1, 1],
        knots: [-3, -2, -1, 1, 2, 3, -3, -2, -1, 1, 2, 3],
        weights: [0, -1] + flat + [0, 1] + flat, windowTemperature: 1, dwellSeconds: 60,
        evidenceExponent: 0.2, noveltyLimit: 2, confidenceThreshold: 0, manifest: ""))
  }()

  /// Windows of one recording every 2.56 s, labelled walking; `signs` are those of the feature.
  private static func append(
    _ signs: [Float], recording: String, to set: inout TrainingSet, from first: Int = 2
  ) {
    for (index, sign) in signs.enumerated() {
      set.append(
        [sign, Float(index % 3)], activity: .walking,
        origin: RecordingOrigin(dataset: "d", person: "p", recording: recording),
        end: Timestamp(nanoseconds: Int64(index + first) * 2_560_000_000))
    }
  }

  @Test func consecutiveFailuresFormOneStretchTheLongestFirst() throws {
    var set = TrainingSet(featureCount: 2)
    Self.append([1, -1, 1, -2, -2, -2, 1, -1], recording: "a", to: &set)
    Self.append([-1], recording: "b", to: &set)
    let failures = EvaluationReport(of: Self.model, on: set).failures
    #expect(failures.map(\.windows) == [3, 1, 1, 1])
    let longest = try #require(failures.first)
    #expect(longest.recording == "a" && longest.dataset == "d" && longest.person == "p")
    #expect(longest.truth == .walking && longest.answer == .stationary)
    // The windows that end 5, 6 and 7 hops in; a window is a hop and a half long.
    #expect(abs(longest.start - 3.5 * 2.56) <= 1e-6 && abs(longest.end - 7 * 2.56) <= 1e-6)
    // softmax(±2): 1 / (1 + e⁴).
    #expect(abs(longest.truthProbability - 0.017986) <= 1e-5)
    #expect(abs(longest.answerProbability - 0.982014) <= 1e-5)
    #expect(failures.dropFirst().map(\.recording) == ["a", "a", "b"])
  }

  @Test func aPauseOrAnotherRecordingEndsAStretch() {
    var set = TrainingSet(featureCount: 2)
    Self.append([-1, -1], recording: "a", to: &set)
    Self.append([-1, -1], recording: "a", to: &set, from: 100)
    Self.append([-1], recording: "b", to: &set, from: 4)
    let failures = EvaluationReport(of: Self.model, on: set).failures
    #expect(failures.map(\.windows) == [2, 2, 1])
    #expect(failures.reduce(0) { $0 + $1.windows } == set.count)
  }

  @Test func aStretchIsCodableWithActivityNames() throws {
    var set = TrainingSet(featureCount: 2)
    Self.append([-1, -1], recording: "a", to: &set)
    let failure = try #require(EvaluationReport(of: Self.model, on: set).failures.first)
    let data = try JSONEncoder().encode(failure)
    #expect(try JSONDecoder().decode(FailedStretch.self, from: data) == failure)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("\"truth\":\"walking\"") && text.contains("\"stationary\""))
    let unknown = Data(text.replacingOccurrences(of: "walking", with: "flying").utf8)
    #expect(throws: DecodingError.self) {
      _ = try JSONDecoder().decode(FailedStretch.self, from: unknown)
    }
  }

  @Test func rightAnswersAreNoFailures() {
    var set = TrainingSet(featureCount: 2)
    Self.append([1, 2, 3], recording: "a", to: &set)
    #expect(EvaluationReport(of: Self.model, on: set).failures.isEmpty)
  }

  @Test func theDecidingFeatureHasTheGreatestImportance() throws {
    var set = TrainingSet(featureCount: 2)
    var generator = SplitMix64(seed: 4)
    for window in 0..<400 {
      let isWalking = window % 2 == 0
      set.append(
        [isWalking ? 2 : -2, Float(generator.nextNormal())],
        activity: isWalking ? .walking : .stationary,
        origin: RecordingOrigin(dataset: "d", person: "p\(window % 4)", recording: "r"),
        end: Timestamp(nanoseconds: Int64(window) * 2_560_000_000))
    }
    let importances = EvaluationReport(of: Self.model, on: set).importances
    #expect(importances.map(\.feature) == ["feature 0", "feature 1"])
    // Permuted at random, half of the windows get the other class: within five standard deviations
    // of 400 Bernoulli trials, 0.125.
    #expect(abs(importances[0].accuracyDrop - 0.5) <= 0.125)
    #expect(importances[1].accuracyDrop == 0)
    #expect(EvaluationReport(of: Self.model, on: set).importances == importances)
  }
}
