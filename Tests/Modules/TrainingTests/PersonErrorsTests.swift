import LocomotionTraining
import TestSupport
import Testing

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

  private static func best(_ errors: PersonErrors) -> Int {
    errors.wrong.indices.min { errors.error(of: $0) < errors.error(of: $1) } ?? 0
  }

  @Test func theStandardErrorIsThatOfTheJackknife() {
    let errors = Self.errors(people: 40, gain: 0.01, seed: 1)
    let people = Array(0..<40)
    func difference(_ errors: PersonErrors) -> Double {
      errors.error(of: 0) - errors.error(of: 5)
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
    #expect(errors.error(of: 0) > errors.error(of: 1))
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
