/// The features of a classifier, in order; a model is usable only with the schema it was trained
/// on.
public struct FeatureSchema: Sendable, Equatable {
  /// One feature of a window.
  public struct Feature: Sendable, Equatable {
    /// The stable name: signal, dot, quantity.
    public let id: String
    /// Grows when the definition changes, so that old models are refused.
    public let version: Int
    /// What the number is, with its unit.
    public let definition: String
  }

  /// The features in the order of their values.
  public let features: [Feature]
  /// CRC-32 of every feature's name and version; goes into the model file.
  public let digest: UInt32

  init(_ features: [Feature]) {
    self.features = features
    var checksum = CyclicRedundancyCheck()
    for feature in features {
      let line = ContiguousArray("\(feature.id)@\(feature.version)\n".utf8)
      checksum.update(with: line.span)
    }
    digest = checksum.value
  }

  /// The number of features.
  public var count: Int { features.count }

  /// The position of the feature named `id`, or nil.
  public func index(of id: String) -> Int? {
    features.firstIndex { $0.id == id }
  }
}

extension FeatureExtractor {
  /// The edges of the eight power bands in Hz; a band holds its lower edge.
  static let bandEdges: [Float] = [0.2, 0.8, 1.6, 2.4, 3.6, 6, 10, 15, 20]

  /// The features that ``FeatureExtractor`` computes.
  ///
  /// Three signals are derived from the band-limited window (see ``FeatureExtractor``):
  /// `norm` m, `vertical` v and `horizontal` h. Each has the same features, then follow those of
  /// the window as a whole. Logarithms are natural and have a floor below any sensor's noise.
  public static let schema = FeatureSchema(
    ["norm", "vertical", "horizontal"].flatMap(signalFeatures) + windowFeatures)

  private static func signalFeatures(of signal: String) -> [FeatureSchema.Feature] {
    let limits = zip(bandEdges, bandEdges.dropFirst()).map { (text($0), text($1)) }
    let bands = limits.map { lower, upper in
      (
        "logPower\(lower)To\(upper)Hz",
        "log power between \(lower) and \(upper) Hz, Hann periodogram; m²/s⁴"
      )
    }
    let fractions = limits.map { lower, upper in
      (
        "logShare\(lower)To\(upper)Hz",
        "logPower\(lower)To\(upper)Hz less twice logDeviation: how the power is spread, however much"
      )
    }
    let quantities: [(String, String)] =
      [
        ("logDeviation", "log standard deviation; m/s²"),
        ("logQuartileRange", "log interquartile range; m/s²"),
        ("logJerk", "log root mean square of the difference quotient; m/s³"),
        ("crossingRate", "crossings of the mean by more than 0.01 m/s²; Hz"),
      ] + bands + [
        ("centroid", "mean frequency of the power between 0.4 and 20 Hz; Hz"),
        ("entropy", "entropy of the power between 0.4 and 20 Hz; 1 is flat"),
        ("logPeak", "log of the highest power density between 0.5 and 5 Hz; m²/s⁴/Hz"),
        ("periodicity", "highest unbiased autocorrelation at lags of 0.26 to 2 s; 1 at lag 0"),
        ("period", "the lag of that autocorrelation; s"),
      ] + fractions
    return quantities.map { .init(id: "\(signal).\($0)", version: 1, definition: $1) }
  }

  private static let windowFeatures: [FeatureSchema.Feature] = [
    ("second", "second eigenvalue of the covariance of x, y, z by the first; 0 to 1"),
    ("third", "third eigenvalue of the covariance of x, y, z by the first; 0 to 1"),
    ("logFirst", "log of the first eigenvalue; m²/s⁴"),
    ("logMeanJerk", "log mean norm of the difference quotient of the vector; m/s³"),
    ("jerkVariation", "deviation of the norm of the difference quotient by its mean"),
    ("jerkTail", "95th percentile of the norm of the difference quotient by its mean"),
    ("logHorizontal", "log mean of h; m/s²"),
    ("logMagnitude", "log mean norm of the vector less its mean (signal magnitude area); m/s²"),
    ("logTurn", "log mean angle between the mean vectors of neighbouring quarters; rad"),
    ("logDrift", "log angle between the mean vectors of the first and last quarter; rad"),
    ("excess", "mean norm less the norm of the mean; m/s²"),
    ("logUnsteadiness", "log ratio of the highest to the lowest deviation of m in a quarter"),
  ].map { .init(id: "window.\($0)", version: 1, definition: $1) }

  /// "0.15", "3.6", "10": the text of a band edge, a multiple of 0.05 Hz.
  static func text(_ hertz: Float) -> String {
    // Text of whole numbers is a small part of that of others.
    let (whole, rest) = Int((100 * hertz).rounded()).quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
