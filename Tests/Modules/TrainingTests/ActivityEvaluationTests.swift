import Foundation
import LocomotionActivityRecognition
import LocomotionTraining
import Testing

struct ActivityEvaluationTests {
  /// Probability `p` for `activity`, the rest divided among the others.
  fileprivate func sure(_ activity: Activity, _ p: Float) -> ActivityProbabilities {
    ActivityProbabilities { $0 == activity ? p : (1 - p) / 5 }
  }

  /// Adds `count` equal windows.
  fileprivate func add(
    _ count: Int, _ truth: Activity, as answer: Activity?, to evaluation: inout ActivityEvaluation
  ) {
    for _ in 0..<count {
      evaluation.add(
        truth: truth, answer: answer, probabilities: sure(answer ?? truth, 0.8))
    }
  }

  @Test func scoresOfAKnownConfusion() throws {
    // walking: 6 right, 2 called running. running: 3 right, 1 called train.
    var evaluation = ActivityEvaluation()
    add(6, .walking, as: .walking, to: &evaluation)
    add(2, .walking, as: .running, to: &evaluation)
    add(3, .running, as: .running, to: &evaluation)
    add(1, .running, as: .train, to: &evaluation)
    #expect(evaluation.accuracy == 0.75)
    let (first, second) = (12.0 / 14, 6.0 / 9)
    let walking = try #require(evaluation.classScores.first)
    #expect(walking.recall == 0.75 && walking.precision == 1)
    #expect(walking.f1 == first)
    let running = evaluation.classScores[1]
    #expect(running.recall == 0.75 && running.precision == 0.6)
    #expect(running.f1 == second)
    // A window of running has the weight of two of walking.
    let balanced = (2 * 0.75 / (1 + 0.75) + 2 * 0.75 / (1 + 0.25 + 0.75)) / 2
    #expect(abs(try #require(evaluation.balancedMacroF1) - balanced) <= 1e-15)
    #expect(ActivityEvaluation().balancedMacroF1 == nil)
    // Only labelled classes are scored: train, which occurs only as an answer, has no F1.
    #expect(evaluation.classScores.count == 2)
    #expect(evaluation.macroF1 == (first + second) / 2)
    #expect(evaluation.balancedAccuracy == 0.75)
  }

  @Test func unknownIsNeverRightAndKeepsThePrecision() {
    var evaluation = ActivityEvaluation()
    add(3, .walking, as: .walking, to: &evaluation)
    add(1, .walking, as: nil, to: &evaluation)
    #expect(evaluation.accuracy == 0.75)
    #expect(evaluation.coverage == 0.75)
    #expect(evaluation.classScores.first?.precision == 1)
    #expect(evaluation.classScores.first?.recall == 0.75)
  }

  @Test func anEmptyEvaluationHasNoScores() {
    let evaluation = ActivityEvaluation()
    #expect(evaluation.accuracy == nil)
    #expect(evaluation.macroF1 == nil)
    #expect(evaluation.expectedCalibrationError == nil)
    #expect(evaluation.classScores.isEmpty)
  }

  @Test func calibrationErrorOfAKnownTable() throws {
    // 10 answers at 0.9 of which 7 are right, 10 at 0.5 of which 5 are: (2 + 0) / 20.
    var table = ReliabilityTable()
    for index in 0..<10 {
      table.add(probability: 0.9, isCorrect: index < 7)
      table.add(probability: 0.5, isCorrect: index < 5)
    }
    #expect(abs(try #require(table.expectedCalibrationError) - 0.1) <= 1e-15)
    #expect(table.bins[13].count == 10)
    #expect(table.bins[13].accuracy == 0.7)
    #expect(table.bins[7].count == 10)
  }

  /// 0.8 for the answer: sets of 90 % hold it and the first three others, of 0.04 each.
  @Test func setsOfNinetyPercentAreCounted() throws {
    var evaluation = ActivityEvaluation()
    add(3, .walking, as: .walking, to: &evaluation)
    add(1, .walking, as: .running, to: &evaluation)
    add(2, .train, as: .running, to: &evaluation)
    #expect(evaluation.predictionSets.windows == 6)
    let share = 4.0 / 6
    #expect(evaluation.predictionSets.coverage == share)
    #expect(evaluation.predictionSets.meanSize == 4)
    let text = try JSONEncoder().encode(evaluation)
    #expect(try JSONDecoder().decode(ActivityEvaluation.self, from: text) == evaluation)
  }

  @Test func extremeProbabilitiesHaveABin() {
    var table = ReliabilityTable()
    for probability in [0, 1, -1, 2, .nan, 1.0 / 15] {
      table.add(probability: probability, isCorrect: true)
    }
    // 0, −1, NaN and 1/15 are in the first, which is closed above; 1 and 2 in the last.
    #expect(table.bins[0].count == 4)
    #expect(table.bins[14].count == 2)
  }

  @Test func peopleAndSetsAreKeptApart() throws {
    var evaluation = GroupedEvaluation()
    for _ in 0..<3 {
      evaluation.add(
        truth: .walking, answer: .walking, probabilities: sure(.walking, 0.9),
        origin: RecordingOrigin(dataset: "one", person: "anna", recording: ""))
    }
    evaluation.add(
      truth: .walking, answer: .running, probabilities: sure(.running, 0.9),
      origin: RecordingOrigin(dataset: "one", person: "ben", recording: ""))
    #expect(evaluation.overall.accuracy == 0.75)
    #expect(evaluation.meanSubjectAccuracy == 0.5)
    let worst = try #require(evaluation.worstSubject)
    #expect(worst == ("one/ben", 0))
    #expect(evaluation.byDataset["one"]?.windows == 4)
  }
}

extension ActivityEvaluationTests {
  @Test func railAndRoadAreOneClassWhenMerged() {
    var grouped = GroupedEvaluation()
    let origin = RecordingOrigin(dataset: "d", person: "p", recording: "")
    for (truth, answer) in [(Activity.train, Activity.automotive), (.automotive, .train)] {
      grouped.add(
        truth: truth, answer: answer, probabilities: sure(answer, 0.8), origin: origin)
    }
    grouped.add(
      truth: .train, answer: nil, probabilities: sure(.train, 0.3), origin: origin)
    #expect(grouped.overall.correct == 0)
    #expect(grouped.mergingRail.correct == 2)
    #expect(grouped.mergingRail.unknown == 1)
  }
}
