extension ActivityModel {
  /// What tells the custom activities of a model from the ordinary ones.
  ///
  /// One score per custom activity, of the form of ``ActivityModel`` and of the same features: the
  /// logarithm of its likelihood relative to the ordinary kind of the activity that it behaves
  /// like, or to all six when it behaves like none. The scores of the six don't depend on it.
  public struct CustomTerm: Sendable, Equatable {
    /// The custom activities in the order of the scores: 1 to 8 of different names.
    public var activities: [CustomActivity]
    /// The scores, with the custom activities for the classes; its temperatures have no effect.
    public var function: Function

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(activities: [CustomActivity], function: Function) {
      self.activities = activities
      self.function = function
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
