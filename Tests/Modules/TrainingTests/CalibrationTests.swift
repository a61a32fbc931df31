import LocomotionActivityRecognition
import LocomotionTraining
import TestSupport
import Testing

struct TemperatureCalibrationTests {
  /// Scores whose classes are drawn from softmax(scores / temperature).
  private func drawn(_ count: Int, temperature: Double) -> (scores: [Double], truths: [Int]) {
    var generator = SplitMix64(seed: 21)
    var scores: [Double] = []
    var truths: [Int] = []
    for _ in 0..<count {
      let own = (0..<3).map { _ in generator.nextNormal() }
      let probabilities = TemperatureCalibration.probabilities(
        scores: own, temperature: temperature)
      let draw = generator.nextUniform()
      let upToSecond = probabilities[0] + probabilities[1]
      truths.append(draw < probabilities[0] ? 0 : draw < upToSecond ? 1 : 2)
      scores += own
    }
    return (scores, truths)
  }

  private func fitted(_ scores: [Double], _ truths: [Int], weights: [Double]? = nil) -> Double {
    TemperatureCalibration.temperature(
      scores: scores, classCount: scores.count / truths.count, truths: truths,
      weights: weights ?? [Double](repeating: 1, count: truths.count))
  }

  @Test(arguments: [0.1, 0.5, 1, 2])
  func aKnownTemperatureIsRecovered(temperature: Double) {
    let (scores, truths) = drawn(20_000, temperature: temperature)
    let found = fitted(scores, truths)
    // The inverse temperature's standard error is 1 / √(n · mean variance of the scores under
    // p), which is below 4 % here; three of them.
    #expect(abs(found / temperature - 1) <= 0.12)
  }

  @Test func twoClassesHaveAClosedForm() {
    // Three of four windows are right, all with a margin of 1: p = 3/4 = 1 / (1 + e^(−1/T)).
    let scores: [Double] = [1, 0, 1, 0, 1, 0, 1, 0]
    let found = fitted(scores, [0, 0, 0, 1])
    #expect(abs(found - 1 / 1.0986122886681098) <= 1e-10)
  }

  @Test func weightsCountLikeRepetitions() {
    let scores: [Double] = [1, 0, 0.5, 0.2]
    let weighted = fitted(scores, [0, 1], weights: [3, 1])
    let repeated = fitted([1, 0, 1, 0, 1, 0, 0.5, 0.2], [0, 0, 0, 1])
    #expect(abs(weighted - repeated) <= 1e-10 * repeated)
  }

  @Test func scalingTheScoresScalesTheTemperature() {
    let (scores, truths) = drawn(500, temperature: 1)
    let found = fitted(scores, truths)
    let scaled = fitted(scores.map { 7 * $0 }, truths)
    #expect(abs(scaled / (7 * found) - 1) <= 1e-9)
  }

  @Test func scoresWithoutErrorsGetTheLowestTemperature() {
    #expect(fitted([1, 0, 0, 1], [0, 1]) == 1e-3)
  }

  @Test func scoresWorseThanChanceGetTheHighestTemperature() {
    #expect(fitted([0, 1, 1, 0], [0, 1]) == 1e3)
  }

  @Test func withoutWeightTheTemperatureIsOne() {
    #expect(fitted([0, 1], [0], weights: [0]) == 1)
  }

  @Test func hugeScoresGiveFiniteProbabilities() {
    let p = TemperatureCalibration.probabilities(scores: [1e300, -1e300, 1e300], temperature: 1e-3)
    #expect(p == [0.5, 0, 0.5])
  }
}

/// What may be chosen by the errors of some people, and what is chance.
struct PersonErrorsTests {
  /// Six settings that err alike but for chance, on `people` whom all of them suit more or less.
  ///
  /// `gain` is how much less the last one errs on everybody.
  private static func errors(people: Int, gain: Double, seed: UInt64) -> PersonErrors {
    var generator = SplitMix64(seed: seed)
    let total = (0..<people).map { _ in 0.5 + generator.nextUniform() }
    let ease = (0..<people).map { _ in 0.1 + 0.05 * generator.nextNormal() }
    let wrong = (0..<6).map { setting in
      (0..<people).map { person in
        let own = ease[person] + 0.02 * generator.nextNormal() - (setting == 5 ? gain : 0)
        return own * total[person]
      }
    }
    return PersonErrors(wrong: wrong, total: total)
  }

  private static func among(_ people: [Int], _ errors: PersonErrors) -> PersonErrors {
    PersonErrors(
      wrong: errors.wrong.map { wrong in people.map { wrong[$0] } },
      total: people.map { errors.total[$0] })
  }

  private static func error(_ errors: PersonErrors, of setting: Int) -> Double {
    errors.wrong[setting].reduce(0, +) / errors.total.reduce(0, +)
  }

  private static func best(_ errors: PersonErrors) -> Int {
    errors.wrong.indices.min { error(errors, of: $0) < error(errors, of: $1) } ?? 0
  }

  @Test func theStandardErrorIsThatOfTheJackknife() {
    let errors = Self.errors(people: 40, gain: 0.01, seed: 1)
    let people = Array(0..<40)
    func difference(_ errors: PersonErrors) -> Double {
      Self.error(errors, of: 0) - Self.error(errors, of: 5)
    }
    let without = people.map { left in
      difference(Self.among(people.filter { $0 != left }, errors))
    }
    let mean = without.reduce(0, +) / 40
    let squares = without.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let jackknife = (squares * 39 / 40).squareRoot()
    // They differ in the second order: by the weights' relative spread over the people.
    #expect(abs(errors.standardError(of: 0, against: 5) / jackknife - 1) < 0.05)
    #expect(errors.standardError(of: 0, against: 5) == errors.standardError(of: 5, against: 0))
  }

  @Test func whatSuitsEverybodyBetterBeats() {
    let errors = Self.errors(people: 20, gain: 0.03, seed: 2)
    #expect((0..<5).allSatisfy(errors.isBeaten))
    #expect(!errors.isBeaten(5))
  }

  @Test func onePersonAloneBeatsNothing() {
    let errors = PersonErrors(wrong: [[0.5, 0], [0.1, 0]], total: [1, 0])
    #expect(errors.standardError(of: 0, against: 1) == .infinity)
    #expect(!errors.isBeaten(0) && !errors.isBeaten(1))
  }

  @Test func aGainOnOnePersonOfManyBeatsNothing() {
    // The mean gain is a fifth of that person's, and so is its standard error.
    let errors = PersonErrors(
      wrong: [[0.5, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 0.1]],
      total: Array(repeating: 1, count: 5))
    #expect(Self.error(errors, of: 0) > Self.error(errors, of: 1))
    #expect(!errors.isBeaten(0))
  }

  @Test func equalsDoNotBeatEachOther() {
    let errors = PersonErrors(wrong: [[0.1, 0.2], [0.1, 0.2]], total: [1, 1])
    #expect(!errors.isBeaten(0) && !errors.isBeaten(1))
  }

  /// The reference is decided on by everybody; then people are drawn anew, as another set of people
  /// would be.
  @Test func whatIsBeatenHardlyDependsOnWhoIsThere() {
    var generator = SplitMix64(seed: 3)
    let everybody = Self.errors(people: 24, gain: 0.03, seed: 4)
    let equals = Self.errors(people: 24, gain: 0, seed: 5)
    var (kept, flipped, bestFlipped) = (0, 0, 0)
    for _ in 0..<200 {
      let people = (0..<24).map { _ in Int(24 * generator.nextUniform()) }
      // A clear gain is seen by all.
      kept += Self.among(people, everybody).isBeaten(0) ? 0 : 1
      let drawn = Self.among(people, equals)
      // Among equals the best is chance, and so would be a choice by it.
      bestFlipped += Self.best(drawn) != Self.best(equals) ? 1 : 0
      flipped += drawn.isBeaten(Self.best(equals)) ? 1 : 0
    }
    #expect(kept == 0)
    #expect(bestFlipped > 60)
    #expect(flipped < bestFlipped)
  }

  @Test func leavingOnePersonOutChangesNothing() {
    for seed in 10..<20 as Range<UInt64> {
      let errors = Self.errors(people: 24, gain: 0.03, seed: seed)
      for left in 0..<24 {
        let rest = Self.among((0..<24).filter { $0 != left }, errors)
        #expect((0..<6).allSatisfy { rest.isBeaten($0) == errors.isBeaten($0) })
      }
    }
  }
}

struct CrossValidationTests {
  private let trainer = HingeRidgeTrainer()

  @Test(arguments: [FoldUnit.subject, .dataset])
  func holdingOutEqualsTrainingOnTheRest(unit: FoldUnit) throws {
    let set = syntheticSet(windows: 500, datasets: 3)
    let basis = trainer.basis(for: set)
    let heldOut = try trainer.heldOutScores(on: set, leavingOut: unit, basis: basis)
    #expect(heldOut.folds.count == (unit == .subject ? 9 : 3))
    for (index, fold) in heldOut.folds.enumerated() {
      func name(_ origin: RecordingOrigin) -> String {
        unit == .subject ? origin.subject : origin.dataset
      }
      let rest = set.filter { _, origin in name(origin) != fold }
      let fit = try trainer.train(on: rest, basis: basis)
      for row in 0..<set.count where heldOut.foldOfWindow[row] == index {
        #expect(name(set.origin(ofRow: row)) == fold)
        let direct = fit.scores(set.features(ofRow: row))
        #expect(largestDifference(direct, Array(heldOut.scores(ofWindow: row))) <= 1e-8)
      }
    }
  }

  @Test func aCommonBasisHardlyChangesTheScores() throws {
    // The folds' own bases, fitted without the person, must give nearly the same answers.
    let set = syntheticSet(windows: 3000)
    let common = try trainer.heldOutScores(on: set, leavingOut: .subject)
    var changed = 0
    var worst = 0.0
    for (index, fold) in common.folds.enumerated() {
      let fit = try trainer.train(on: set.filter { _, origin in origin.subject != fold })
      for row in 0..<set.count where common.foldOfWindow[row] == index {
        let own = fit.scores(set.features(ofRow: row))
        let commonScores = Array(common.scores(ofWindow: row))
        worst = max(worst, largestDifference(own, commonScores))
        changed += own.indexOfMaximum == commonScores.indexOfMaximum ? 0 : 1
      }
    }
    // Fewer than 2 % of the answers differ, and no score by more than a quarter of the distance
    // of the targets.
    #expect(changed < 60)
    #expect(worst < 0.5)
    #expect(worst > 0)
  }

  @Test func aClassInOnlyOneSetIsNotEvaluated() throws {
    let set = syntheticSet(windows: 400).filter { activity, origin in
      activity != .running || origin.dataset == "set1"
    }
    let heldOut = try trainer.heldOutScores(on: set, leavingOut: .dataset)
    for row in 0..<set.count {
      #expect(heldOut.hasModel[row] == (set.activities[row] != .running))
    }
    #expect(
      heldOut.evaluatedWindows(of: set) == set.activities.indices.filter { heldOut.hasModel[$0] })
  }

  @Test func augmentedWindowsAreTrainedOnButNotEvaluated() throws {
    let set = syntheticSet(windows: 300)
    var augmented = set
    for row in 0..<100 {
      var origin = set.origin(ofRow: row)
      origin.variant = "noisy"
      augmented.append(
        set.features(ofRow: row).map { $0 + 0.5 }, activity: set.activities[row],
        origin: origin, end: set.ends[row])
    }
    let heldOut = try trainer.heldOutScores(on: augmented, leavingOut: .subject)
    #expect(heldOut.evaluatedWindows(of: augmented) == Array(0..<300))
    let plain = try trainer.heldOutScores(on: set, leavingOut: .subject)
    #expect(plain.scores(ofWindow: 0) != heldOut.scores(ofWindow: 0))
  }

  @Test func unseenPeopleHaveLowerAccuracyThanSeenOnes() throws {
    // People differ in this set: a model trained on them must have a higher accuracy.
    let set = syntheticSet(windows: 600, features: 3)
    let fit = try trainer.train(on: set)
    let seen = (0..<set.count).count {
      fit.classes[fit.scores(set.features(ofRow: $0)).indexOfMaximum] == set.activities[$0]
    }
    let heldOut = try trainer.heldOutScores(on: set, leavingOut: .subject)
    let answers = heldOut.crossFittedProbabilities(on: set, balance: WindowBalance())
    let unseen = (0..<set.count).count { answers[$0].answer == set.activities[$0] }
    #expect(seen > unseen)
    #expect(unseen > 300)
  }
}

extension [Double] {
  var indexOfMaximum: Int { indices.max { self[$0] < self[$1] } ?? 0 }
}
