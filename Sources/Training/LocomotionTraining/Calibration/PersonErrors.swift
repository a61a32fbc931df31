import LocomotionActivityRecognition

/// How much of each person's time some settings answer wrongly, and between which of them that
/// can't tell.
///
/// Settings that do about equally well change places with every person who joins or leaves. So one
/// counts as beaten only if another is better by more than the standard error of their difference
/// over people (the one-standard-error rule: Breiman, Friedman, Olshen, Stone 1984,
/// "Classification and regression trees", section 3.4.3; Hastie, Tibshirani, Friedman, "The
/// elements of statistical learning", section 7.10). The differences are paired, and each setting
/// is compared with every other, not with the best alone: one that answers wholly otherwise differs
/// from the best by a great standard error, but not from its own neighbours.
package struct PersonErrors {
  /// The weight of what is wrong, setting by setting, person by person.
  package let wrong: [[Double]]
  /// The weight of all answers, person by person.
  package let total: [Double]

  /// The errors of some settings.
  ///
  /// - Precondition: there is a setting, and one entry for each person in each list.
  package init(wrong: [[Double]], total: [Double]) {
    precondition(!wrong.isEmpty, "expected a setting")
    for errors in wrong {
      precondition(
        errors.count == total.count, "expected \(total.count) people, got \(errors.count)")
    }
    self.wrong = wrong
    self.total = total
  }

  /// The weighted fraction of a setting's answers that are wrong.
  package func error(of setting: Int) -> Double {
    wrong[setting].reduce(0, +) / max(weight, .leastNormalMagnitude)
  }

  /// The standard error, over people, of the difference of two settings' errors.
  ///
  /// That of a ratio of sums, n / (n − 1) · Σ (dᵢ − r wᵢ)² / (Σ wᵢ)² under the root, with dᵢ the
  /// difference of what is wrong, wᵢ the weight, and r = Σ dᵢ / Σ wᵢ (Cochran 1977, "Sampling
  /// techniques", section 2.11). It is infinite with fewer than two people, of whom nothing follows
  /// for others.
  package func standardError(of setting: Int, against other: Int) -> Double {
    let people = total.count { $0 > 0 }
    guard people > 1 else { return .infinity }
    let ratio = error(of: setting) - error(of: other)
    var squares = 0.0
    for (person, own) in total.enumerated() {
      let residual = wrong[setting][person] - wrong[other][person] - ratio * own
      squares += residual * residual
    }
    return (squares * Double(people) / Double(people - 1)).squareRoot() / weight
  }

  /// Whether another setting is better by more than the standard error of the difference.
  package func isBeaten(_ setting: Int) -> Bool {
    wrong.indices.contains { other in
      let gain = error(of: setting) - error(of: other)
      return gain > 0 && gain > standardError(of: setting, against: other)
    }
  }

  private var weight: Double { total.reduce(0, +) }
}

extension PersonErrors {
  /// The errors that several scores of the same windows make, each window by itself.
  ///
  /// - Precondition: there is a score, and the folds of all had examples of the same classes.
  init(
    of scores: [HeldOutScores], on set: TrainingSet, balance: WindowBalance,
    among isIncluded: (Int) -> Bool
  ) {
    let evaluated = scores[0].evaluatedWindows(of: set).filter(isIncluded)
    let weights = balance.weights(for: set.rows(evaluated))
    let people = Set(evaluated.map { set.origin(ofRow: $0).subject }).sorted()
    let place = Dictionary(uniqueKeysWithValues: zip(people, people.indices))
    var total = people.map { _ in 0.0 }
    var wrong = scores.map { _ in total }
    for (row, weight) in zip(evaluated, weights) {
      let person = place[set.origin(ofRow: row).subject] ?? 0
      total[person] += weight
      for (index, own) in scores.enumerated()
      where own.mostLikely(ofWindow: row) != set.activities[row] {
        wrong[index][person] += weight
      }
    }
    self.init(wrong: wrong, total: total)
  }
}
