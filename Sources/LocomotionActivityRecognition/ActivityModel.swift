/// A trained classifier: an additive piecewise-linear function of the features per class.
///
///     s[c] = b[c] + Σ_f ( w[c,f,0] u_f + Σ_k w[c,f,k] max(0, u_f − knot[f,k]) ),  k = 1 ... 6
///     u_f  = clip((feature_f − mean_f) / scale_f, ±6)
///     p    = softmax(s / temperature)
///
/// Every score is a sum of one term per feature, so that every answer can be explained.
public struct ActivityModel: Sendable, Hashable, Codable {
  /// The numbers that a model is made of, as the trainer produces them.
  public struct Parameters: Sendable, Hashable, Codable {
    /// The classes in the order of the scores; two or more, without repetition.
    public var classes: [Activity]
    /// Subtracted from each feature, in the feature's unit; one per feature.
    public var means: [Float]
    /// Divides each centred feature; positive; one per feature.
    public var scales: [Float]
    /// Hinge positions in standardised units, feature by feature, ascending within one:
    /// `means.count` × ``ActivityModel/knotsPerFeature``.
    public var knots: [Float]
    /// For each class: b, then for each feature w[0] ... w[6].
    ///
    /// `classes.count` × (1 + `means.count` × (1 + ``ActivityModel/knotsPerFeature``)) values.
    public var weights: [Float]
    /// Divides the scores before the softmax of one window; fitted on people left out.
    public var windowTemperature: Float
    /// The mean time in one activity, seconds; sets the transition rates of the temporal filter.
    public var dwellSeconds: Float
    /// The exponent of each window's likelihood in the temporal filter, which accounts for the
    /// overlap of neighbouring windows, per second of hop.
    public var evidenceExponent: Float
    /// A window with more standardised features beyond ±5 than this is a novelty.
    public var noveltyLimit: Int
    /// Below this filtered probability the answer is "unknown" for doubt.
    public var doubtThreshold: Float
    /// What the model was trained on and how well it does, as JSON.
    public var manifest: String

    /// Parameters from their parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(
      classes: [Activity], means: [Float], scales: [Float], knots: [Float], weights: [Float],
      windowTemperature: Float, dwellSeconds: Float, evidenceExponent: Float, noveltyLimit: Int,
      doubtThreshold: Float, manifest: String
    ) {
      self.classes = classes
      self.means = means
      self.scales = scales
      self.knots = knots
      self.weights = weights
      self.windowTemperature = windowTemperature
      self.dwellSeconds = dwellSeconds
      self.evidenceExponent = evidenceExponent
      self.noveltyLimit = noveltyLimit
      self.doubtThreshold = doubtThreshold
      self.manifest = manifest
    }
  }

  /// The number of hinges of each feature.
  public static let knotsPerFeature = 6
  /// Standardised features are limited to ± this value.
  public static let clip: Float = 6

  /// The model's numbers.
  public let parameters: Parameters

  /// A model from its numbers.
  ///
  /// - Precondition: the arrays have the stated shapes.
  public init(_ parameters: Parameters) {
    let features = parameters.means.count
    let width = 1 + features * (1 + Self.knotsPerFeature)
    precondition(
      parameters.scales.count == features,
      "expected \(features) scales, got \(parameters.scales.count)")
    precondition(
      parameters.knots.count == features * Self.knotsPerFeature,
      "expected \(features * Self.knotsPerFeature) knots, got \(parameters.knots.count)")
    precondition(
      parameters.weights.count == parameters.classes.count * width,
      "expected \(parameters.classes.count * width) weights, got \(parameters.weights.count)")
    self.parameters = parameters
  }
}
