import LocomotionActivityRecognition
import LocomotionTraining
import Testing

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

  @Test func aSinglePersonCannotBeHeldOut() {
    let set = syntheticSet(windows: 100, datasets: 1, peoplePerSet: 1)
    #expect(throws: TrainingError.nothingToLeaveOut) {
      _ = try trainer.heldOutScores(on: set, leavingOut: .subject)
    }
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
