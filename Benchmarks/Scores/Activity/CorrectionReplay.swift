package import LocomotionActivityRecognition
import LocomotionSensing
package import LocomotionTraining

/// What people gain by labelling stretches of their own time, one after the other.
///
/// For each person of each data set, a base is trained without the set, and the person's stretches
/// (runs of one label within a recording, two minutes at most) are divided: half of the recordings
/// to learn from in a random order, the other half to be judged by; with fewer than four recordings
/// half of the stretches. After some corrections `ActivityModel.learning(from:)` gives the person's
/// model.
package struct CorrectionReplay: Sendable {
  /// What a number of corrections does.
  package struct Row: Sendable, Hashable {
    /// The corrections.
    package var corrections: Int
    /// The people with as many stretches to learn from, but at least three fifths of them.
    package var people: Int
    /// The mean error of the base on the stretches that are judged, 0 to 1: of single windows,
    /// stretches and activities alike.
    package var baseError: Double
    /// The same after the corrections.
    package var error: Double
    /// The 95 % interval of the mean of what is gone, ``baseError`` less ``error``.
    ///
    /// By drawing people anew (Efron and Tibshirani, "An introduction to the bootstrap", 1993,
    /// chapter 13).
    package var gain: ClosedRange<Double>
    /// The mean errors of the base and after the corrections, by activity, of people who have it.
    package var activities: [ActivityErrors]
    /// The median part of the error that is gone, of people with an error of 2 % or more.
    package var medianReduction: Double
    /// The fraction of people whose error falls by more than a point.
    package var better: Double
    /// The fraction of people whose error rises by more than a point.
    package var worse: Double
    /// The mean loss of the windows of other sets, by activity and person, in which the person's
    /// model is worse than the base.
    package var lossOfOthers: Double
  }

  /// The errors of the stretches of one activity.
  package struct ActivityErrors: Sendable, Hashable {
    /// The activity.
    package var activity: Activity
    /// The people who have stretches of it to be judged by.
    package var people: Int
    /// The mean error of the base, 0 to 1.
    package var baseError: Double
    /// The same after the corrections.
    package var error: Double
  }

  /// The numbers of corrections.
  package static let counts = [1, 3, 10, 30]

  private let set: TrainingSet
  private let stretches: [TrainingSet.LabelStretch]
  /// By the name of the data set that was left out.
  private let bases: [String: ActivityModel]
  private let seed: UInt64

  /// A replay of the people of `set`.
  ///
  /// - Throws: ``TrainingError``.
  package init(of set: TrainingSet, seed: UInt64 = 1) throws(TrainingError) {
    self.set = set
    stretches = set.labelStretches { $0.isAsRecorded }
    self.seed = seed
    bases = try HingeRidgeTrainer().modelsLeavingOutDatasets(of: set)
  }

  /// One row per number of corrections.
  ///
  /// - Parameters:
  ///   - wrong: The fraction of corrections that name a random activity, 0 to 1.
  ///   - progress: Called before each data set with its name.
  /// - Returns: The rows of which there are people.
  package func rows(wrong: Double = 0, progress: (String) -> Void = { _ in }) -> [Row] {
    var results = [[Result]](repeating: [], count: Self.counts.count)
    let (classes, others) = (set.classes, otherWindows())
    for (dataset, base) in bases.sorted(by: { $0.key < $1.key }) {
      progress(dataset)
      let unknown = others.filter { set.origin(ofRow: $0).dataset != dataset }
      let known = unknown.map { isRight(base, $0) }
      for (person, stretches) in people(of: dataset).sorted(by: { $0.key < $1.key }) {
        var random = SeededGenerator(
          seed: person.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
        let (labelled, judged) = divided(stretches, &random)
        guard !labelled.isEmpty, !judged.isEmpty else { continue }
        let baseErrors = errors(of: base, on: judged)
        let stated = labelled.map { stretch in
          set.stated(stretch, as: random.uniform() < wrong ? random.element(of: classes) : nil)
        }
        for (index, count) in Self.counts.enumerated() {
          guard 5 * labelled.count >= 3 * count || count <= 3 else { continue }
          let learned = base.learning(from: Array(stated.prefix(count)))
          results[index].append(
            Result(
              baseErrors: baseErrors, errors: errors(of: learned.model, on: judged),
              loss: learned.outcome == .learned ? loss(of: learned.model, unknown, known) : 0))
        }
      }
    }
    return zip(Self.counts, results).compactMap { $1.isEmpty ? nil : Row($0, $1) }
  }

  fileprivate struct Result {
    var baseErrors: [Activity: Double]
    var errors: [Activity: Double]
    var loss: Double

    var baseError: Double { Self.mean(baseErrors) }
    var error: Double { Self.mean(errors) }

    /// All activities alike.
    private static func mean(_ errors: [Activity: Double]) -> Double {
      errors.values.sorted().reduce(0, +) / Double(max(errors.count, 1))
    }
  }

  /// The stretches of each person of a data set, in the order of their windows.
  private func people(of dataset: String) -> [String: [TrainingSet.LabelStretch]] {
    let stretches = stretches.filter { set.origin(ofRow: $0.rows[0]).dataset == dataset }
    return Dictionary(grouping: stretches, by: \.subject).filter { $0.value.count >= 4 }
  }

  /// The stretches to learn from, in a random order, and those to be judged by.
  private func divided(
    _ stretches: [TrainingSet.LabelStretch], _ random: inout SeededGenerator
  ) -> (labelled: [TrainingSet.LabelStretch], judged: [TrainingSet.LabelStretch]) {
    let recordings = Set(stretches.map(\.recording)).sorted()
    guard recordings.count >= 4 else {
      let shuffled = stretches.shuffled(using: &random)
      let half = (shuffled.count + 1) / 2
      return (Array(shuffled[..<half]), Array(shuffled[half...]))
    }
    let known = Set(recordings.shuffled(using: &random).prefix((recordings.count + 1) / 2))
    let labelled = stretches.filter { known.contains($0.recording) }.shuffled(using: &random)
    return (labelled, stretches.filter { !known.contains($0.recording) })
  }

  /// Windows of all sets, 60 at most of an activity of each.
  private func otherWindows() -> [Int] {
    var random = SeededGenerator(seed: seed)
    var rows: [String: [Int]] = [:]
    for row in 0..<set.count where set.origin(ofRow: row).isAsRecorded {
      rows["\(set.activities[row].rawValue) \(set.origin(ofRow: row).dataset)", default: []]
        .append(row)
    }
    return rows.sorted { $0.key < $1.key }.flatMap { $0.value.shuffled(using: &random).prefix(60) }
  }

  private func isRight(_ model: ActivityModel, _ row: Int) -> Bool {
    model.probabilities(of: set.features(ofRow: row).span).mostProbable == set.activities[row]
  }

  /// The mean error of the stretches of each activity.
  private func errors(
    of model: ActivityModel, on stretches: [TrainingSet.LabelStretch]
  ) -> [Activity: Double] {
    var errors: [Activity: [Double]] = [:]
    for stretch in stretches {
      let wrong = stretch.rows.count { !isRight(model, $0) }
      errors[stretch.activity, default: []].append(Double(wrong) / Double(stretch.rows.count))
    }
    return errors.mapValues { $0.reduce(0, +) / Double($0.count) }
  }

  /// The mean over activities of what is right by the base, in `known`, less what is right by
  /// `model`.
  private func loss(of model: ActivityModel, _ rows: [Int], _ known: [Bool]) -> Double {
    var changes: [Activity: (sum: Int, count: Int)] = [:]
    for (row, isKnown) in zip(rows, known) {
      let change = (isKnown ? 1 : 0) - (isRight(model, row) ? 1 : 0)
      let last = changes[set.activities[row]] ?? (0, 0)
      changes[set.activities[row]] = (last.sum + change, last.count + 1)
    }
    let means = changes.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      Double($0.value.sum) / Double($0.value.count)
    }
    return means.reduce(0, +) / Double(max(means.count, 1))
  }
}

extension CorrectionReplay.Row {
  fileprivate init(_ corrections: Int, _ results: [CorrectionReplay.Result]) {
    func mean(_ value: (CorrectionReplay.Result) -> Double) -> Double {
      results.reduce(0) { $0 + value($1) } / Double(results.count)
    }
    let reductions = results.filter { $0.baseError >= 0.02 }.map { 1 - $0.error / $0.baseError }
      .sorted()
    self.corrections = corrections
    people = results.count
    baseError = mean(\.baseError)
    error = mean(\.error)
    gain = BootstrapInterval.ofMean(results.map { $0.baseError - $0.error })
    activities = Activity.allCases.compactMap { activity in
      let own = results.filter { $0.baseErrors[activity] != nil }
      guard !own.isEmpty else { return nil }
      func mean(_ errors: (CorrectionReplay.Result) -> [Activity: Double]) -> Double {
        own.reduce(0) { $0 + (errors($1)[activity] ?? 0) } / Double(own.count)
      }
      return CorrectionReplay.ActivityErrors(
        activity: activity, people: own.count, baseError: mean(\.baseErrors),
        error: mean(\.errors))
    }
    medianReduction = reductions.isEmpty ? 0 : reductions[reductions.count / 2]
    better = mean { $0.error < $0.baseError - 0.01 ? 1 : 0 }
    worse = mean { $0.error > $0.baseError + 0.01 ? 1 : 0 }
    lossOfOthers = mean(\.loss)
  }
}
