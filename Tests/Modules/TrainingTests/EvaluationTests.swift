import Foundation
import Locomotion
import LocomotionRecordings
import LocomotionTraining
import TestSupport
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

/// Groups of people beside everybody.
@Suite struct GroupScoreTests {
  /// A person with `windows` of a class, of which `right` are recognised.
  private func add(
    _ person: String, of dataset: String, _ truth: Activity, right: Int, of windows: Int,
    to evaluation: inout GroupedEvaluation
  ) {
    for index in 0..<windows {
      let answer: Activity = index < right ? truth : .stationary
      evaluation.add(
        truth: truth, answer: answer, probabilities: ActivityProbabilities { $0 == answer ? 1 : 0 },
        origin: RecordingOrigin(dataset: dataset, person: person, recording: ""))
    }
  }

  private let traits = [
    "slow": ["sampling rate": "below 30 Hz", "gyroscope": "yes"],
    "fast": ["sampling rate": "from 70 Hz on", "gyroscope": "yes"],
  ]

  @Test func aGroupIsComparedByTheClassesThatItHas() {
    var evaluation = GroupedEvaluation()
    for person in ["a", "b"] {
      // Cycling is as hard for both; only one group walks too, which is easy.
      add(person, of: "slow", .cycling, right: 80, of: 100, to: &evaluation)
      add(person, of: "fast", .cycling, right: 80, of: 100, to: &evaluation)
      add(person, of: "fast", .walking, right: 100, of: 100, to: &evaluation)
    }
    let groups = evaluation.groupScores(of: traits)
    // The gyroscope, which all have, tells nobody from anybody.
    #expect(groups.map(\.trait) == ["sampling rate", "sampling rate"])
    #expect(groups.allSatisfy { abs($0.difference) < 1e-12 && !$0.isWorse })
    #expect(groups.map(\.accuracy).sorted() == [0.8, 0.9])
    #expect(groups.map(\.people) == [2, 2])
  }

  @Test func aGroupThatIsWorseIsFirstAndMarked() throws {
    var evaluation = GroupedEvaluation()
    for (index, right) in [70, 80, 90].enumerated() {
      add("\(index)", of: "slow", .cycling, right: right, of: 100, to: &evaluation)
      add("\(index)", of: "fast", .cycling, right: 90, of: 100, to: &evaluation)
    }
    let groups = evaluation.groupScores(of: traits)
    let worst = try #require(groups.first)
    #expect(worst.name == "below 30 Hz" && worst.isWorse && worst.windows == 300)
    #expect(abs(worst.difference + 0.05) < 1e-12)
    let (low, high) = (try #require(worst.lowestDifference), try #require(worst.highestDifference))
    #expect(low < worst.difference && worst.difference < high && low >= -0.151 && high <= 0.051)
    #expect(!groups[1].isWorse && groups[1].lowestDifference == groups[1].highestDifference)
  }

  @Test func aSinglePersonHasNoInterval() {
    var evaluation = GroupedEvaluation()
    add("a", of: "slow", .cycling, right: 5, of: 10, to: &evaluation)
    add("a", of: "fast", .cycling, right: 9, of: 10, to: &evaluation)
    #expect(evaluation.groupScores(of: traits).allSatisfy { $0.lowestDifference == nil })
    #expect(evaluation.groupScores(of: [:]).isEmpty)
  }
}

struct StreamTimingTests {
  /// One letter per window: the truth above, the answer below; a dash is no answer.
  private func timing(_ truth: String, _ answers: String) -> StreamTiming {
    let classes: [Character: Activity] = [
      "s": .stationary, "w": .walking, "a": .automotive, "t": .train,
    ]
    var timing = StreamTiming()
    for (truth, answer) in zip(truth, answers) {
      timing.add(truth: classes[truth] ?? .running, answer: classes[answer], after: 2)
    }
    timing.end()
    return timing
  }

  /// What is true and what is answered, the flips and the delays, each change by itself.
  @Test(
    arguments: [
      ("sswwaa", "sswwaa", 0, [0, 0]), ("ssssswwwww", "ssssssswww", 0, [4]),
      // A brief false answer is two flips.
      ("wwwwww", "wwswww", 2, []),
      // An activity that is not detected delays by its length.
      ("ssswwww", "sssssss", 0, [6]), ("ssswwwwss", "sssssssss", 0, [0, 6]),
      // No answer is neither a flip nor a change.
      ("wwwwww", "ww--ww", 0, []), ("wwwwww", "ww-sww", 2, []), ("wwwwww", "--wwww", 0, []),
      ("sswwww", "ss--ww", 0, [4]), ("sswwww", "ss----", 0, [6]),
      // Road and rail are one activity.
      ("wwaatt", "wwtaat", 0, [0]),
    ] as [(String, String, Int, [Double])])
  func flipsAndDelaysAreThoseOfTheAnswers(
    truth: String, answers: String, flips: Int, delays: [Double]
  ) {
    let found = timing(truth, answers)
    #expect(found.flips == flips && found.delays.sorted() == delays)
    #expect(found.seconds == 2 * Double(truth.count) && found.switches == delays.count)
    #expect(found.delay(fraction: 0.5) == delays.dropFirst((delays.count - 1) / 2).first)
    #expect(found.flipsPerHour == 1_800 * Double(flips) / Double(truth.count))
  }

  @Test func anEmptyTimingHasNoValues() {
    let nothing = StreamTiming()
    #expect(nothing.flipsPerHour == 0)
    #expect(nothing.delay(fraction: 0.5) == nil)
  }
}

/// The parts of a report about single windows and features.
struct FailureReportTests {
  /// One feature: stationary below 0, walking above; the other classes are unknown.
  private static let model: ActivityModel = {
    let flat = [Float](repeating: 0, count: 13)
    let function = ActivityModel.Function(
      means: [0, 0], scales: [1, 1], knots: [-3, -2, -1, 1, 2, 3, -3, -2, -1, 1, 2, 3],
      weights: [0, -1] + flat + [0, 1] + flat)
    return ActivityModel(.init(classes: [.stationary, .walking], function: function))
  }()

  /// Windows of one recording every 2.56 s, labelled walking; `signs` are those of the feature.
  private static func append(
    _ signs: [Float], recording: String, to set: inout TrainingSet, from first: Int = 2
  ) {
    for (index, sign) in signs.enumerated() {
      set.add([sign, Float(index % 3)], .walking, recording: recording, step: index + first)
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
    #expect(longest.truth == "walking" && longest.answer == "stationary")
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
}
