public import LocomotionActivityRecognition

/// An evaluation of all windows together, per person and per data set.
public struct GroupedEvaluation: Sendable, Hashable, Codable {
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
