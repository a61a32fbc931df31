/// The explanation of a window's scores: each feature's contribution to the score of each class.
///
/// A score is the score of an average window plus one contribution per feature:
///
///     s[c] = baseline[c] + Σ_f contribution[c, f]
///     contribution[c, f] = term(feature_f) − term(mean_f)
///
/// A contribution is 0 where the feature is at the centre of the training data, so that its
/// magnitude is the effect of the feature's deviation, and its sign is for or against the class.
public struct ActivityExplanation: Sendable, Equatable {
  /// One feature's evidence for one class against another.
  public struct Argument: Sendable, Equatable {
    /// The position of the feature in ``FeatureExtractor/schema``, or, from its end on, in
    /// ``RotationFeatureExtractor/schema``.
    public var feature: Int
    /// The feature's value, in its own unit.
    public var value: Float
    /// The difference of the two classes' contributions; positive favours the first.
    public var contribution: Float
  }

  /// The classes of the model, in its order.
  public let classes: [Activity]
  /// The features that are explained; those of the rotation last, if they are used.
  public let features: [Float]

  /// The scores of an average window; −∞ for a class that the model lacks.
  private let baselines: SIMD8<Float>
  /// One vector per feature with a lane per class by `Activity.rawValue`.
  private let terms: [SIMD8<Float>]

  init(_ model: ActivityModel, features: Span<Float>, rotation: Span<Float>) {
    classes = model.parameters.classes
    var values: [Float] = []
    var terms: [SIMD8<Float>] = []
    var baselines = model.tables.bias
    func add(_ tables: ScoreTables, _ features: Span<Float>) {
      for (feature, mean) in tables.centres.enumerated() {
        let centre = tables.term(mean, feature)
        values.append(features[feature])
        terms.append(tables.term(features[feature], feature) - centre)
        baselines += centre
      }
    }
    add(model.tables, features)
    if let tables = model.rotationTables, !rotation.isEmpty {
      // A class that the model lacks is −∞ already.
      baselines += tables.bias.replacing(with: 0, where: tables.bias .== -.infinity)
      add(tables, rotation)
    }
    self.features = values
    self.terms = terms
    self.baselines = baselines
  }

  /// The score that an average window would have; nil when the model lacks the class.
  public func baseline(of activity: Activity) -> Float? {
    let value = baselines[activity.rawValue]
    return value.isFinite ? value : nil
  }

  /// All features by their evidence for `activity` against `rival`, the strongest first.
  ///
  /// Of equals the first comes first. The contributions and the difference of the baselines add up
  /// to the difference of the scores, within 10⁻⁵ Σ|term| of that of
  /// `ActivityModel.scores(of:rotation:)` (`ActivityExplanationTests.argumentsSumToTheScores`).
  /// Empty when the model lacks one of the classes.
  public func arguments(for activity: Activity, against rival: Activity) -> [Argument] {
    guard baseline(of: activity) != nil, baseline(of: rival) != nil else { return [] }
    return terms.indices.map { feature in
      Argument(
        feature: feature, value: features[feature],
        contribution: terms[feature][activity.rawValue] - terms[feature][rival.rawValue])
    }.sorted { ($1.contribution, $0.feature) < ($0.contribution, $1.feature) }
  }
}

extension ActivityModel {
  /// The explanation of a window's scores from both sensors; without `rotation` features, from
  /// accelerations.
  ///
  /// For reports: it allocates.
  ///
  /// - Precondition: that of ``scores(of:rotation:)``.
  public func explanation(
    of features: Span<Float>, rotation: Span<Float>
  ) -> ActivityExplanation {
    precondition(
      features.count == featureCount,
      "expected \(featureCount) features, got \(features.count)")
    precondition(
      rotation.isEmpty || rotationTables == nil || rotation.count == rotationFeatureCount,
      "expected \(rotationFeatureCount) rotation features, got \(rotation.count)")
    return ActivityExplanation(self, features: features, rotation: rotation)
  }
}

extension ActivityProbabilities {
  /// The most probable class beside `activity`; of equals, the first.
  public func runnerUp(to activity: Activity) -> Activity {
    let others = Activity.allCases.filter { $0 != activity }
    return others.reduce(others[0]) { self[$1] > self[$0] ? $1 : $0 }
  }
}
