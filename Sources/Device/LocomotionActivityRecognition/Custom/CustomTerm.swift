extension ActivityModel {
  /// What tells the custom activities of a model from the ordinary ones.
  ///
  /// One score per custom activity, of the form of ``ActivityModel`` and of the same features: the
  /// logarithm of its likelihood relative to the ordinary kind of the activity that it behaves
  /// like, or to all six when it behaves like none. The scores of the six don't depend on it.
  public struct CustomTerm: Sendable, Hashable {
    /// The custom activities in the order of the scores: 1 to 8 of different names.
    public var activities: [CustomActivity]
    /// Subtracted from each feature, in the feature's unit; one per feature of the model.
    public var means: [Float]
    /// Divides each centred feature; positive; one per feature.
    public var scales: [Float]
    /// Hinge positions, as in ``Parameters/knots``.
    public var knots: [Float]
    /// Weights, as in ``Parameters/weights``, with the custom activities for the classes.
    public var weights: [Float]

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(
      activities: [CustomActivity], means: [Float], scales: [Float], knots: [Float],
      weights: [Float]
    ) {
      self.activities = activities
      self.means = means
      self.scales = scales
      self.knots = knots
      self.weights = weights
    }

    /// The largest number of custom activities.
    public static let largestCount = SIMD8<Float>.scalarCount
  }

  /// The custom activities of the model; empty without any.
  public var customActivities: [CustomActivity] { parameters.custom?.activities ?? [] }

  /// The custom activities that tables have columns for: none if there is but
  /// ``CustomActivity/other``, which is an "unknown" there.
  public var namedActivities: [CustomActivity] {
    customActivities == [.other] ? [] : customActivities
  }

  /// The score of each custom activity, by its position in ``CustomTerm/activities``.
  ///
  /// It is the logarithm of its likelihood relative to the ordinary kind. The other lanes are −∞;
  /// nil without any.
  ///
  /// - Precondition: `features.count` = ``featureCount``.
  /// - Complexity: O(features); allocates nothing.
  public func customScores(of features: Span<Float>) -> SIMD8<Float>? {
    guard let customTables else { return nil }
    precondition(
      features.count == featureCount,
      "expected \(featureCount) features, got \(features.count)")
    return customTables.bias + customTables.sum(of: features)
  }
}
