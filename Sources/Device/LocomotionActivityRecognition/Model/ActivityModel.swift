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
  /// A function of the model's form, and the temperatures of what is made of its scores.
  public struct Function: Sendable, Equatable {
    /// Subtracted from each feature, in the feature's unit; one per feature, one or more.
    public var means: [Float]
    /// Divides each centred feature; positive; one per feature.
    public var scales: [Float]
    /// Hinge positions in standardised units, feature by feature, ascending within one:
    /// `means.count` × ``ActivityModel/knotsPerFeature``.
    public var knots: [Float]
    /// For each class b, then for each feature the seven weights w.
    ///
    /// Classes × (1 + `means.count` × (1 + ``ActivityModel/knotsPerFeature``)) values.
    public var weights: [Float]
    /// Flattens (above 1) or sharpens (below 1) the probabilities after the temporal filter.
    ///
    /// They become p^(1/temperature), normalised; fitted on streams of held-out people. Default 1.
    public var filteredTemperature: Float
    /// The same as ``filteredTemperature`` for the probabilities of a smoothed recording.
    public var hindsightTemperature: Float

    /// A function from its parts; ``ActivityModel/init(_:)`` checks their shapes.
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
  public struct Parameters: Sendable, Equatable {
    /// The classes in the order of the scores; two or more, without repetition.
    public var classes: [Activity]
    /// The scores by the features of the accelerations.
    public var function: Function
    /// Divides the scores before the softmax of one window; fitted on held-out people; default 1.
    public var windowTemperature: Float = 1
    /// The mean time in one activity, seconds, which sets the transition rates of the temporal
    /// filter; default 120.
    public var dwellSeconds: Float = 120
    /// The exponent of each window's likelihood in the temporal filter, which accounts for the
    /// overlap of neighbouring windows, per second of hop; default 0.2.
    public var evidenceExponent: Float = 0.2
    /// Below this filtered probability the answer is "unknown" for low confidence; default 0.
    public var confidenceThreshold: Float = 0
    /// Multiplies the mean time in one activity when a recording is smoothed; 1, the default,
    /// changes nothing.
    public var hindsightDwellFactor: Float = 1
    /// Multiplies the evidence exponent when a recording is smoothed; 1, the default, changes
    /// nothing.
    public var hindsightEvidenceFactor: Float = 1
    /// The rotation rates' term of the scores; nil, the default, when they aren't used.
    ///
    /// Its temperatures replace those of ``function`` where it is used.
    public var rotation: Function?
    /// What tells custom activities from ordinary ones; nil, the default, without any.
    public var custom: CustomTerm?
    /// What answers by location fixes where there are no accelerations; nil, the default, when
    /// nothing does.
    public var track: TrackTerm?
    /// The second moments of the windows of training, which an owner's model needs; nil, the
    /// default, when nobody learns from it.
    public var moments: MomentTerm?
    /// The training data, as JSON; default empty.
    public var manifest = "{}"

    /// Parameters with the defaults stated at each field; ``ActivityModel/init(_:)`` checks the
    /// shapes.
    public init(classes: [Activity], function: Function) {
      self.classes = classes
      self.function = function
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
      tables = ScoreTables(parameters.function, lanes: lanes)
      trackTables = parameters.track.map { ScoreTables($0.function, lanes: lanes) }
      rotationTables = parameters.rotation.map { ScoreTables($0, lanes: lanes) }
      customTables = parameters.custom.map {
        ScoreTables($0.function, lanes: Array($0.activities.indices))
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
  public var featureCount: Int { parameters.function.means.count }

  /// The number of rotation features of the model's term; 0 without one.
  public var rotationFeatureCount: Int { parameters.rotation?.means.count ?? 0 }
}

extension ActivityModel: Equatable {
  /// Whether both models have the same numbers.
  public static func == (lhs: ActivityModel, rhs: ActivityModel) -> Bool {
    lhs.storage === rhs.storage || lhs.parameters == rhs.parameters
  }
}
