public import LocomotionActivityRecognition

/// An evaluation of all windows together, per person and per data set.
public struct GroupedEvaluation: Sendable, Equatable, Encodable {
  /// All windows.
  public private(set) var overall = ActivityEvaluation()
  /// By person; two data sets' people are different people.
  public private(set) var bySubject: [String: ActivityEvaluation] = [:]
  /// By data set.
  public private(set) var byDataset: [String: ActivityEvaluation] = [:]
  /// All windows with rail vehicles counted among the vehicles, on both sides: five classes.
  public private(set) var mergingRail = ActivityEvaluation()
  /// Windows that were not evaluated: the model of their fold was trained without their class.
  public var skippedWindows = 0

  /// An evaluation without windows.
  public init() {}

  /// Adds one window of a recording; see ``ActivityEvaluation/add(truth:answer:probabilities:)``.
  public mutating func add(
    truth: Activity, answer: Activity?, probabilities: ActivityProbabilities,
    origin: RecordingOrigin
  ) {
    overall.add(truth: truth, answer: answer, probabilities: probabilities)
    let merged = probabilities.mergingRail
    mergingRail.add(
      truth: truth == .train ? .automotive : truth,
      answer: answer.map { $0 == .train ? .automotive : $0 }, probabilities: merged)
    bySubject[origin.subject, default: ActivityEvaluation()]
      .add(truth: truth, answer: answer, probabilities: probabilities)
    byDataset[origin.dataset, default: ActivityEvaluation()]
      .add(truth: truth, answer: answer, probabilities: probabilities)
  }

  /// The mean of the people's balanced accuracies, all people weighted alike; nil without windows.
  public var meanSubjectAccuracy: Double? {
    mean(bySubject.sorted { $0.key < $1.key }.compactMap(\.value.balancedAccuracy))
  }

  /// The person with the lowest balanced accuracy, and the accuracy; nil without windows.
  public var worstSubject: (name: String, accuracy: Double)? {
    bySubject.compactMap { entry in entry.value.balancedAccuracy.map { (entry.key, $0) } }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }
  }
}

/// How well the people of one group are recognised, beside everybody.
///
/// A group is of people whose data sets have something in common: the sampling rate, whether
/// there is a gyroscope, or the data set itself.
public struct GroupScore: Sendable, Equatable, Codable {
  /// What the people have in common, such as "sampling rate".
  public var trait: String
  /// Which group of those, such as "below 30 Hz".
  public var name: String
  /// The number of people.
  public var people: Int
  /// The number of their windows.
  public var windows: Int
  /// The mean over people of the mean recall of their classes.
  public var accuracy: Double
  /// The mean over people of the mean difference of the recall of each of their classes and the
  /// mean recall of that class over everybody: negative where the group is worse recognised, other
  /// classes or not.
  public var difference: Double
  /// The lower end of the 95 % interval of ``difference``, by people; nil for a single one.
  public var lowestDifference: Double?
  /// The upper end of it.
  public var highestDifference: Double?

  /// The difference beyond which a group counts as worse recognised.
  public static let tolerance = 0.03

  /// Whether the group is worse recognised by more than ``tolerance``.
  public var isWorse: Bool { difference < -Self.tolerance }
}

extension GroupedEvaluation {
  /// The scores of all groups, the one that is furthest below everybody first.
  ///
  /// - Parameter traits: What the people of each data set have in common, by the name of the set:
  ///   the name of their group by the name of the trait.
  /// - Returns: The groups of the traits; a trait that all people share has none.
  public func groupScores(of traits: [String: [String: String]]) -> [GroupScore] {
    struct Group: Hashable {
      let trait: String
      let name: String
    }
    let means = meanRecalls
    var people: [Group: [(difference: Double, accuracy: Double, windows: Int)]] = [:]
    for (subject, evaluation) in bySubject.sorted(by: { $0.key < $1.key }) {
      let dataset = String(subject.prefix { $0 != "/" })
      let changes = evaluation.classScores.compactMap { score in
        score.recall.flatMap { recall in means[score.activity].map { recall - $0 } }
      }
      guard let change = mean(changes), let accuracy = evaluation.balancedAccuracy else {
        continue
      }
      for (trait, name) in traits[dataset] ?? [:] {
        people[Group(trait: trait, name: name), default: []].append(
          (change, accuracy, evaluation.windows))
      }
    }
    let names = Dictionary(grouping: people.keys, by: \.trait)
    return people.compactMap { group, people -> GroupScore? in
      guard names[group.trait]?.count ?? 0 > 1 else { return nil }
      let values = people.map(\.difference)
      let interval = values.count > 1 ? BootstrapInterval.ofMean(values) : nil
      return GroupScore(
        trait: group.trait, name: group.name, people: values.count,
        windows: people.reduce(0) { $0 + $1.windows },
        accuracy: mean(people.map(\.accuracy)) ?? 0, difference: mean(values) ?? 0,
        lowestDifference: interval?.lowerBound, highestDifference: interval?.upperBound)
    }.sorted { ($0.difference, $0.trait, $0.name) < ($1.difference, $1.trait, $1.name) }
  }

  /// The mean recall of each class over the people who have windows of it.
  private var meanRecalls: [Activity: Double] {
    var recalls: [Activity: [Double]] = [:]
    for (_, evaluation) in bySubject.sorted(by: { $0.key < $1.key }) {
      for score in evaluation.classScores {
        if let recall = score.recall { recalls[score.activity, default: []].append(recall) }
      }
    }
    return recalls.compactMapValues(mean)
  }
}

/// The percentile interval of the bootstrap (Efron and Tibshirani 1993, chapter 13).
package enum BootstrapInterval {
  /// The 95 % interval of the mean of `values`, at least one, by a thousand draws of one seed.
  package static func ofMean(_ values: [Double]) -> ClosedRange<Double> {
    var random = SeededGenerator(seed: 1)
    let means = (0..<1_000).map { _ in
      values.indices.reduce(0) { sum, _ in sum + random.element(of: values) }
        / Double(values.count)
    }.sorted()
    return means[25]...means[974]
  }
}
