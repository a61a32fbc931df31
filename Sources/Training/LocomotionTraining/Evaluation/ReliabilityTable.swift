/// A reliability table: the accuracy of answers by predicted probability.
public struct ReliabilityTable: Sendable, Hashable, Codable {
  /// The answers whose probability is in one interval.
  public struct Bin: Sendable, Hashable, Codable {
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
  public static let binCount = 15

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
