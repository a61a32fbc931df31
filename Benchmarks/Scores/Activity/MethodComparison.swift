import Foundation
import LocomotionActivityRecognition
package import LocomotionTraining

/// The accuracy of one method on single windows of held-out people.
package struct MethodScore: Sendable, Hashable {
  /// The results on one selection of windows; a window without an answer counts as wrong.
  package struct Figures: Sendable, Hashable {
    /// The number of windows.
    package var windows: Int
    /// The fraction of them with an answer.
    package var coverage: Double?
    /// The mean recall of the classes, all weighted alike.
    package var accuracy: Double?
    /// The mean F1 as if every class had the same number of windows.
    package var macroF1: Double?
    /// The same with trains counted as automotive.
    package var accuracyMergingRail: Double?
    /// The same with trains counted as automotive.
    package var macroF1MergingRail: Double?

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
  package var name: String
  /// All evaluated windows.
  package var all: Figures
  /// The windows with a speed from fixes; nil when there is none.
  package var withSpeed: Figures?
}

/// Evaluates models and simple rules on the same windows of the same held-out people.
package struct MethodComparison {
  /// The models of each method, then the rules.
  package private(set) var scores: [MethodScore] = []
  private let set: TrainingSet
  private let evaluated: [Int]

  /// Leaves out each person in turn, and trains the classifier and `baselines` on the others.
  ///
  /// - Throws: ``TrainingError``.
  package init(
    of set: TrainingSet, baselines: [any ActivityBaseline], seed: UInt64 = 1
  ) throws(TrainingError) {
    let fit = ModelTrainer.Settings(seed: seed).fit
    let heldOut = try HingeRidgeTrainer(settings: fit).heldOutScores(
      on: set, leavingOut: .subject)
    self.set = set
    evaluated = heldOut.evaluatedWindows(of: set)
    let probabilities = heldOut.crossFittedProbabilities(on: set, balance: fit.balance)
    scores.append(score("additive hinges") { probabilities[$0].answer })
    scores += baselineScores(baselines, folds: heldOut, balance: fit.balance)
  }

  /// The results of simple rules, each refitted without each person, on the recordings as they
  /// are; empty when the features aren't those of this package.
  private func baselineScores(
    _ baselines: [any ActivityBaseline], folds: CrossValidation, balance: WindowBalance
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

/// Reads the inputs of simple rules from the features of a window.
private struct MotionReader {
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

extension MethodComparison {
  /// The comparison with other methods, as lines of text.
  package var text: String {
    let hasSpeeds = scores.contains { $0.withSpeed != nil }
    let title =
      ["single windows", "windows", "answered", "accuracy", "macro-F1"]
      + ["train as automotive", "macro-F1"]
      + (hasSpeeds ? ["with a speed", "accuracy", "macro-F1"] : [])
    let rows = scores.map { score -> [String] in
      let all = score.all
      let speed = score.withSpeed
      return [
        score.name, "\(all.windows)", percent(all.coverage), percent(all.accuracy),
        percent(all.macroF1), percent(all.accuracyMergingRail), percent(all.macroF1MergingRail),
      ]
        + (hasSpeeds
          ? [
            speed.map { "\($0.windows)" } ?? "-", percent(speed?.accuracy), percent(speed?.macroF1),
          ]
          : [])
    }
    return """
      == Methods compared (people left out in turn, before the time model) ==
      \(aligned([title] + rows))
      The rules learn from the recordings as they are; "bands of speed" has no answer without one.
      """
  }
}
