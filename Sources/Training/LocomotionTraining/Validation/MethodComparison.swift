import Foundation
import LocomotionActivityRecognition
internal import LocomotionEvaluation

/// The accuracy of one method on single windows of held-out people.
public struct MethodScore: Sendable, Hashable, Codable {
  /// The results on one selection of windows; a window without an answer counts as wrong.
  public struct Figures: Sendable, Hashable, Codable {
    /// The number of windows.
    public var windows: Int
    /// The fraction of them with an answer.
    public var coverage: Double?
    /// The mean recall of the classes, all weighted alike.
    public var accuracy: Double?
    /// The mean F1 as if every class had the same number of windows.
    public var macroF1: Double?
    /// The same with trains counted as automotive.
    public var accuracyMergingRail: Double?
    /// The same with trains counted as automotive.
    public var macroF1MergingRail: Double?

    init(_ evaluation: GroupedEvaluation) {
      windows = evaluation.overall.windows
      coverage = evaluation.overall.coverage
      accuracy = evaluation.overall.balancedAccuracy
      macroF1 = evaluation.overall.balancedMacroF1
      accuracyMergingRail = evaluation.mergingRail.balancedAccuracy
      macroF1MergingRail = evaluation.mergingRail.balancedMacroF1
    }
  }

  /// The method's name.
  public var name: String
  /// All evaluated windows.
  public var all: Figures
  /// The windows with a speed from fixes; nil when there is none.
  public var withSpeed: Figures?
}

/// Evaluates models and simple rules on the same windows of the same held-out people.
struct MethodComparison {
  private let set: TrainingSet
  private let evaluated: [Int]
  private let folds: HeldOutScores

  /// A comparison on the evaluated windows of `scores`.
  init(set: TrainingSet, scores: HeldOutScores) {
    self.set = set
    evaluated = scores.evaluatedWindows(of: set)
    folds = scores
  }

  /// The results of a model with given held-out scores.
  func score(
    _ name: String, _ scores: HeldOutScores, balance: WindowBalance
  ) -> MethodScore {
    let probabilities = scores.crossFittedProbabilities(on: set, balance: balance)
    return score(name) { probabilities[$0].answer }
  }

  /// The results of simple rules, each refitted without each person, on the recordings as they
  /// are; empty when the features aren't those of this package.
  func baselineScores(
    _ baselines: [any ActivityBaseline], balance: WindowBalance
  ) -> [MethodScore] {
    guard let reader = MotionReader(featureCount: set.featureCount) else { return [] }
    let weights = balance.weights(for: set.rows(evaluated))
    let windows = zip(evaluated, weights).map { row, weight in
      LabelledMotion(
        reader.motion(of: set.features(ofRow: row), speed: set.speeds[row]),
        activity: set.activities[row], weight: weight)
    }
    return baselines.map { untrained in
      var rule = untrained
      var answers: [Int: Activity] = [:]
      for fold in folds.folds.indices {
        let isOut = evaluated.map { folds.foldOfWindow[$0] == fold }
        rule.train(on: zip(windows, isOut).compactMap { $1 ? nil : $0 })
        for (index, row) in evaluated.enumerated() where isOut[index] {
          answers[row] = rule.answer(to: windows[index].motion)
        }
      }
      return score(rule.name) { answers[$0] }
    }
  }

  private func score(_ name: String, answer: (Int) -> Activity?) -> MethodScore {
    var all = GroupedEvaluation()
    var withSpeed = GroupedEvaluation()
    for row in evaluated {
      let answer = answer(row)
      func add(to evaluation: inout GroupedEvaluation) {
        evaluation.add(
          truth: set.activities[row], answer: answer, probabilities: .uniform,
          origin: set.origin(ofRow: row))
      }
      add(to: &all)
      if set.speeds[row] != nil { add(to: &withSpeed) }
    }
    return MethodScore(
      name: name, all: .init(all),
      withSpeed: withSpeed.overall.windows > 0 ? .init(withSpeed) : nil)
  }
}

extension HeldOutScores {
  /// The class with the highest score; of equals, the first.
  func mostLikely(ofWindow window: Int) -> Activity {
    let own = Array(scores(ofWindow: window))
    let best = own.indices.reduce(0) { own[$1] > own[$0] ? $1 : $0 }
    return classes[best]
  }
}

/// Reads the inputs of simple rules from the features of a window.
struct MotionReader {
  private let logDeviation: Int
  private let logVertical: Int
  private let logHorizontal: Int
  private let periodicity: Int
  private let period: Int

  /// A reader; nil when the features are not those of the extractor, or some are missing.
  init?(featureCount: Int) {
    let schema = FeatureExtractor.schema
    guard featureCount == schema.count,
      let logDeviation = schema.index(of: "norm.logDeviation"),
      let logVertical = schema.index(of: "vertical.logDeviation"),
      let logHorizontal = schema.index(of: "window.logHorizontal"),
      let periodicity = schema.index(of: "norm.periodicity"),
      let period = schema.index(of: "norm.period")
    else { return nil }
    self.logDeviation = logDeviation
    self.logVertical = logVertical
    self.logHorizontal = logHorizontal
    self.periodicity = periodicity
    self.period = period
  }

  func motion(of features: ArraySlice<Float>, speed: Float?) -> MotionSummary {
    func value(_ index: Int) -> Float { features[features.startIndex + index] }
    return MotionSummary(
      deviation: Float(exp(Double(value(logDeviation)))),
      verticalLevel: Float(exp(Double(value(logVertical)))),
      horizontalLevel: Float(exp(Double(value(logHorizontal)))),
      periodicity: value(periodicity), period: value(period), metresPerSecond: speed)
  }
}
