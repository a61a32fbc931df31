public import LocomotionActivityRecognition

/// The confusion matrix of answers and labels, with the usual scores and the calibration.
///
/// "Unknown" is never right: it counts against the recall and the accuracy of all windows, but not
/// against the precision of any class.
public struct ActivityEvaluation: Sendable, Equatable {
  /// The scores of one class.
  public struct ClassScore: Sendable, Equatable, Codable {
    /// The class.
    public var activity: Activity
    /// The number of windows of the class.
    public var windows: Int
    /// The fraction of the class's windows with this answer; nil without windows.
    public var recall: Double?
    /// The fraction of the windows with this answer that are of the class; nil without any.
    public var precision: Double?
    /// The harmonic mean of the two, 2 · correct / (windows + answers); nil when both are 0.
    public var f1: Double?
  }

  private static let classCount = Activity.allCases.count

  /// Windows by true class (row) and answer (column, the last one for "unknown"), by raw values.
  public private(set) var confusion = [[Int]](
    repeating: [Int](repeating: 0, count: classCount + 1), count: classCount)
  /// The reliability of the most probable class; "unknown" is included.
  public private(set) var reliability = ReliabilityTable()
  /// How often sets of 90 % hold the label; "unknown" is included.
  public private(set) var predictionSets = PredictionSets()

  /// What the sets of 90 % say (`ActivityProbabilities.predictionSet(coverage:)`).
  public struct PredictionSets: Sendable, Equatable, Codable {
    /// The number of windows.
    public private(set) var windows = 0
    /// The windows whose label is in the set.
    public private(set) var covered = 0
    /// The sum of the sets' sizes.
    public private(set) var sizes = 0

    /// The fraction of windows whose label is in the set; nil without windows.
    public var coverage: Double? { ratio(covered, windows) }
    /// The mean number of activities in a set; nil without windows.
    public var meanSize: Double? { ratio(sizes, windows) }

    fileprivate mutating func add(_ set: [Activity], truth: Activity) {
      windows += 1
      covered += set.contains(truth) ? 1 : 0
      sizes += set.count
    }
  }

  /// An evaluation without windows.
  public init() {}

  /// Adds one window.
  ///
  /// - Parameters:
  ///   - truth: The labelled activity.
  ///   - answer: The answer; nil for "unknown".
  ///   - probabilities: The probabilities behind the answer.
  public mutating func add(
    truth: Activity, answer: Activity?, probabilities: ActivityProbabilities
  ) {
    confusion[truth.rawValue][answer?.rawValue ?? Self.classCount] += 1
    let likely = probabilities.mostProbable
    reliability.add(probability: Double(probabilities[likely]), isCorrect: likely == truth)
    predictionSets.add(probabilities.predictionSet(), truth: truth)
  }

  /// The number of windows.
  public var windows: Int { confusion.reduce(0) { $0 + $1.reduce(0, +) } }

  /// The number of windows that were answered "unknown".
  public var unknown: Int { confusion.reduce(0) { $0 + $1[Self.classCount] } }

  /// The number of windows with the right answer.
  public var correct: Int { confusion.indices.reduce(0) { $0 + confusion[$1][$1] } }

  /// The fraction of all windows with the right answer; nil without windows.
  public var accuracy: Double? { ratio(correct, windows) }

  /// The fraction of windows with an answer; nil without windows.
  public var coverage: Double? { ratio(windows - unknown, windows) }

  /// The scores of the classes that occur in the labels, in the order of their raw values.
  public var classScores: [ClassScore] {
    Activity.allCases.compactMap { activity in
      let index = activity.rawValue
      let own = confusion[index].reduce(0, +)
      guard own > 0 else { return nil }
      let right = confusion[index][index]
      let called = confusion.reduce(0) { $0 + $1[index] }
      return ClassScore(
        activity: activity, windows: own, recall: ratio(right, own),
        precision: ratio(right, called),
        f1: 2 * Double(right) / Double(own + called))
    }
  }

  /// The mean F1 of the classes that occur in the labels; nil without windows.
  public var macroF1: Double? {
    mean(classScores.compactMap(\.f1))
  }

  /// The mean recall of the classes that occur in the labels; nil without windows.
  public var balancedAccuracy: Double? {
    mean(classScores.compactMap(\.recall))
  }

  /// The mean F1 as if every class had the same number of windows; nil without windows.
  public var balancedMacroF1: Double? {
    let present = confusion.indices.filter { confusion[$0].contains { $0 > 0 } }
    let fractions = confusion.map { row in
      let own = Double(max(1, row.reduce(0, +)))
      return row.map { Double($0) / own }
    }
    return mean(
      present.map { index in
        2 * fractions[index][index] / (1 + fractions.reduce(0) { $0 + $1[index] })
      })
  }

  /// The expected calibration error of the most probable classes; nil without windows.
  public var expectedCalibrationError: Double? { reliability.expectedCalibrationError }

  /// How the scores of tables are weighted, in a sentence for readers.
  package static let weighting =
    "Every class counts the same: accuracy is the mean recall of the classes, macro-F1 their mean "
    + "F1 as if each had as many windows. Calibration counts every window the same."
}

/// A part of a number of windows; nil without any.
func ratio(_ part: Int, _ whole: Int) -> Double? {
  whole > 0 ? Double(part) / Double(whole) : nil
}

/// The mean; nil of nothing.
func mean(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

/// The confusion matrix is stored by the names of the classes, for people and other programs.
extension ActivityEvaluation: Encodable {
  private enum CodingKeys: String, CodingKey { case confusion, reliability, predictionSets }

  /// Stores an evaluation, without the classes that occur in no label.
  public func encode(to encoder: any Encoder) throws {
    let answers = Activity.allCases.map(\.name) + ["unknown"]
    let rows = zip(Activity.allCases, confusion).filter { $1.contains { $0 > 0 } }.map {
      ($0.name, Dictionary(uniqueKeysWithValues: zip(answers, $1)))
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Dictionary(uniqueKeysWithValues: rows), forKey: .confusion)
    try container.encode(reliability, forKey: .reliability)
    try container.encode(predictionSets, forKey: .predictionSets)
  }
}

/// A reliability table: the accuracy of answers by predicted probability.
public struct ReliabilityTable: Sendable, Equatable, Codable {
  /// The answers whose probability is in one interval.
  public struct Bin: Sendable, Equatable, Codable {
    /// The number of answers.
    public var count = 0
    /// The number of right answers.
    var correct = 0
    /// The sum of their predicted probabilities.
    var probabilitySum = 0.0

    /// The mean predicted probability, or nil without answers.
    public var meanProbability: Double? { count > 0 ? probabilitySum / Double(count) : nil }
    /// The fraction that was right, or nil without answers.
    public var accuracy: Double? { ratio(correct, count) }
  }

  /// The number of intervals, of equal width over 0 to 1.
  static let binCount = 15

  /// The intervals; bin i holds probabilities in (i/15, (i+1)/15], the first one 0 too.
  public private(set) var bins = [Bin](repeating: Bin(), count: binCount)

  /// A table without answers.
  public init() {}

  /// Adds one answer with its predicted probability, which is clamped to 0 to 1; NaN counts as 0.
  public mutating func add(probability: Double, isCorrect: Bool) {
    let probability = probability > 0 ? min(probability, 1) : 0
    let bin = max(0, Int((probability * Double(Self.binCount)).rounded(.up)) - 1)
    bins[bin].count += 1
    bins[bin].correct += isCorrect ? 1 : 0
    bins[bin].probabilitySum += probability
  }

  /// What the table says, in a sentence for readers; nil without answers.
  package var sentence: String? {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0, let error = expectedCalibrationError else { return nil }
    let claimed = bins.reduce(0) { $0 + $1.probabilitySum } / Double(total)
    let right = Double(bins.reduce(0) { $0 + $1.correct }) / Double(total)
    let excess = claimed - right
    let tendency =
      abs(excess) < 0.005
      ? "It is neither too sure nor too cautious."
      : excess > 0
        ? "It is too sure, by \(percent(excess)) in the mean."
        : "It is too cautious, by \(percent(-excess)) in the mean."
    return "Of the answers given a probability of \(percent(claimed)) in the mean, "
      + "\(percent(right)) were right; the calibration error, the mean distance between the two "
      + "over the rows, is \(percent(error)). \(tendency)"
  }

  /// The expected calibration error, or nil without answers.
  ///
  /// ECE = Σ (n_i / n) |accuracy_i − mean probability_i| (Naeini, Cooper, Hauskrecht 2015,
  /// "Obtaining well calibrated probabilities using Bayesian binning"), with 15 intervals.
  public var expectedCalibrationError: Double? {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    return bins.reduce(0) { $0 + abs(Double($1.correct) - $1.probabilitySum) } / Double(total)
  }
}
