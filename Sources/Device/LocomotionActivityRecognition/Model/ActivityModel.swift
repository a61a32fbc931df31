/// A trained classifier: an additive piecewise-linear function of the features per class.
///
///     s[c] = b[c] + Σ_f ( w[c,f,0] u_f + Σ_k w[c,f,k] max(0, u_f − knot[f,k]) ),  k = 1 ... 6
///     u_f  = clip((feature_f − mean_f) / scale_f, ±6)
///     p    = softmax(s / temperature)
///
/// Every score is a sum of one term per feature, so that every answer can be explained.
///
/// A model may have a second function of this form, of the features of
/// ``RotationFeatureExtractor``. Its scores are added for windows in which a gyroscope measured
/// throughout and for no others, so that a phone without a gyroscope gets the same answers as
/// without such a term.
public struct ActivityModel: Sendable {
  /// The rotation rates' term of the scores: a function of the model's form of other features.
  public struct RotationTerm: Sendable, Hashable {
    /// Subtracted from each feature, in the feature's unit; one per feature, one or more.
    public var means: [Float]
    /// Divides each centred feature; positive; one per feature.
    public var scales: [Float]
    /// Hinge positions, as in ``Parameters/knots``.
    public var knots: [Float]
    /// Weights, as in ``Parameters/weights`` and for the same classes.
    public var weights: [Float]
    /// Replaces ``Parameters/filteredTemperature`` where the term is used; default 1.
    public var filteredTemperature: Float
    /// Replaces ``Parameters/hindsightTemperature`` where the term is used; default 1.
    public var hindsightTemperature: Float

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(
      means: [Float], scales: [Float], knots: [Float], weights: [Float],
      filteredTemperature: Float = 1, hindsightTemperature: Float = 1
    ) {
      self.means = means
      self.scales = scales
      self.knots = knots
      self.weights = weights
      self.filteredTemperature = filteredTemperature
      self.hindsightTemperature = hindsightTemperature
    }
  }

  /// The parameters of a model, as the trainer produces them.
  public struct Parameters: Sendable, Hashable {
    /// The classes in the order of the scores; two or more, without repetition.
    public var classes: [Activity]
    /// Subtracted from each feature, in the feature's unit; one per feature.
    public var means: [Float]
    /// Divides each centred feature; positive; one per feature.
    public var scales: [Float]
    /// Hinge positions in standardised units, feature by feature, ascending within one:
    /// `means.count` × ``ActivityModel/knotsPerFeature``.
    public var knots: [Float]
    /// For each class b, then for each feature the seven weights w.
    ///
    /// `classes.count` × (1 + `means.count` × (1 + ``ActivityModel/knotsPerFeature``)) values.
    public var weights: [Float]
    /// Divides the scores before the softmax of one window; fitted on held-out people.
    public var windowTemperature: Float
    /// The mean time in one activity, seconds; sets the transition rates of the temporal filter.
    public var dwellSeconds: Float
    /// The exponent of each window's likelihood in the temporal filter, which accounts for the
    /// overlap of neighbouring windows, per second of hop.
    public var evidenceExponent: Float
    /// Below this filtered probability the answer is "unknown" for low confidence.
    public var confidenceThreshold: Float
    /// Flattens (above 1) or sharpens (below 1) the probabilities after the temporal filter.
    ///
    /// They become p^(1/temperature), normalised; fitted on streams of held-out people. Default 1.
    public var filteredTemperature: Float
    /// Multiplies the mean time in one activity when a recording is smoothed; 1 changes nothing.
    public var hindsightDwellFactor: Float
    /// Multiplies the evidence exponent when a recording is smoothed; 1 changes nothing.
    public var hindsightEvidenceFactor: Float
    /// The same as ``filteredTemperature`` for the probabilities of a smoothed recording.
    public var hindsightTemperature: Float
    /// The rotation rates' term of the scores; nil, the default, when they aren't used.
    public var rotation: RotationTerm?
    /// What tells custom activities from ordinary ones; nil, the default, without any.
    public var custom: CustomTerm?
    /// What answers by location fixes where there are no accelerations; nil, the default, when
    /// nothing does.
    public var track: TrackTerm?
    /// The second moments of the windows of training, which an owner's model needs; nil, the
    /// default, when nobody learns from it.
    public var moments: MomentTerm?
    /// The training data and the evaluation results, as JSON.
    public var manifest: String

    /// Parameters from their parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(
      classes: [Activity], means: [Float], scales: [Float], knots: [Float], weights: [Float],
      windowTemperature: Float, dwellSeconds: Float, evidenceExponent: Float,
      confidenceThreshold: Float, filteredTemperature: Float = 1, hindsightDwellFactor: Float = 1,
      hindsightEvidenceFactor: Float = 1, hindsightTemperature: Float = 1,
      rotation: RotationTerm? = nil, custom: CustomTerm? = nil, track: TrackTerm? = nil,
      moments: MomentTerm? = nil, manifest: String
    ) {
      self.classes = classes
      self.means = means
      self.scales = scales
      self.knots = knots
      self.weights = weights
      self.windowTemperature = windowTemperature
      self.dwellSeconds = dwellSeconds
      self.evidenceExponent = evidenceExponent
      self.confidenceThreshold = confidenceThreshold
      self.filteredTemperature = filteredTemperature
      self.hindsightDwellFactor = hindsightDwellFactor
      self.hindsightEvidenceFactor = hindsightEvidenceFactor
      self.hindsightTemperature = hindsightTemperature
      self.rotation = rotation
      self.custom = custom
      self.track = track
      self.moments = moments
      self.manifest = manifest
    }
  }

  /// The number of hinges of each feature.
  public static let knotsPerFeature = 6
  /// Standardised features are clipped to ± this value.
  public static let clip: Float = 6

  /// What never changes, so that all copies of a model share it: who copies a pipeline doesn't copy
  /// some thirty references.
  private final class Storage: Sendable {
    let parameters: Parameters
    let tables: ScoreTables
    let rotationTables, customTables, trackTables: ScoreTables?
    /// The checksum with which the model's file ends.
    let checksum: UInt32

    init(_ parameters: Parameters, checksum: UInt32?) {
      self.parameters = parameters
      let file = checksum == nil ? ActivityModel.file(of: parameters) : []
      self.checksum = checksum ?? file.littleEndian(at: file.count - 4)
      let lanes = parameters.classes.map { $0.rawValue }
      tables = ScoreTables(
        RotationTerm(
          means: parameters.means, scales: parameters.scales, knots: parameters.knots,
          weights: parameters.weights),
        lanes: lanes)
      trackTables = parameters.track.map { ScoreTables($0.function, lanes: lanes) }
      rotationTables = parameters.rotation.map { ScoreTables($0, lanes: lanes) }
      customTables = parameters.custom.map {
        ScoreTables(
          RotationTerm(means: $0.means, scales: $0.scales, knots: $0.knots, weights: $0.weights),
          lanes: Array($0.activities.indices))
      }
    }
  }

  private let storage: Storage

  /// The model's numbers.
  public var parameters: Parameters { storage.parameters }

  /// The same function, tabulated for evaluation.
  var tables: ScoreTables { storage.tables }
  /// The same of the rotation term, if there is one.
  var rotationTables: ScoreTables? { storage.rotationTables }
  /// The same of the custom activities' term, if there is one.
  var customTables: ScoreTables? { storage.customTables }
  /// The same of the term for fixes, if there is one.
  var trackTables: ScoreTables? { storage.trackTables }

  /// A model from its numbers.
  ///
  /// - Precondition: the numbers have no ``Defect``: the stated shapes, finite, in their ranges.
  public init(_ parameters: Parameters) {
    if let defect = parameters.defect { preconditionFailure("\(defect)") }
    self.init(parameters, checksum: nil)
  }

  /// A model from numbers without a defect, with the checksum of its file where that is known.
  init(_ parameters: Parameters, checksum: UInt32?) {
    storage = Storage(parameters, checksum: checksum)
  }

  /// The checksum with which the ``file`` ends, CRC-32: a saved state knows its model by it.
  public var checksum: UInt32 { storage.checksum }

  /// The same model with other parameters, such as a term more or less.
  ///
  /// - Precondition: they have no ``Defect``.
  public func with(_ change: (inout Parameters) -> Void) -> ActivityModel {
    var parameters = parameters
    change(&parameters)
    return ActivityModel(parameters)
  }

  /// The number of features of the model.
  public var featureCount: Int { parameters.means.count }

  /// The number of rotation features of the model's term; 0 without one.
  public var rotationFeatureCount: Int { parameters.rotation?.means.count ?? 0 }
}

extension ActivityModel: Hashable {
  /// Whether both models have the same numbers.
  public static func == (lhs: ActivityModel, rhs: ActivityModel) -> Bool {
    lhs.storage === rhs.storage || lhs.parameters == rhs.parameters
  }

  /// Feeds the numbers to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(parameters)
  }
}
