import LocomotionActivityRecognition

/// Fits linear discriminants: the small classifier that the default one has to beat.
///
/// Each class is taken for a normal distribution of the standardised and limited features; all
/// fraction one covariance, and every class is as probable as any other before (Fisher 1936). The
/// scores are logarithms of probabilities up to a constant, and linear, hence a model like any
/// other whose hinges weigh nothing.
public struct LinearDiscriminantTrainer: Sendable {
  /// What can be chosen.
  public struct Settings: Sendable, Hashable, Codable {
    /// The fraction of the covariance that is replaced by a multiple of the identity with the same
    /// trace (Friedman 1989, "Regularized discriminant analysis"), 0 to 1, default 0.02.
    public var shrinkage: Double
    /// How much each window weighs.
    public var balance: WindowBalance

    /// Settings, with the defaults where nothing is said.
    public init(shrinkage: Double = 0.02, balance: WindowBalance = .init()) {
      self.shrinkage = shrinkage
      self.balance = balance
    }
  }

  /// What was chosen.
  public let settings: Settings

  /// A trainer with the given settings.
  ///
  /// - Precondition: the shrinkage lies in 0 to 1.
  public init(settings: Settings = .init()) {
    precondition(
      settings.shrinkage >= 0 && settings.shrinkage <= 1,
      "expected a shrinkage of 0 to 1, got \(settings.shrinkage)")
    self.settings = settings
  }

  /// Fits the classifier to all windows of `set`.
  ///
  /// - Parameters:
  ///   - set: Labelled windows of two or more classes.
  ///   - basis: How features are standardised; `HingeRidgeTrainer.basis(for:)` of the set when nil.
  /// - Returns: The classifier.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``, or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)`` when features depend on one another and
  ///   the shrinkage is 0.
  public func train(
    on set: TrainingSet, basis: HingeBasis? = nil
  ) throws(TrainingError) -> HingeRidgeTrainer.Fit {
    let hinges = HingeRidgeTrainer(settings: .init(balance: settings.balance))
    let classes = try HingeRidgeTrainer.classes(of: set)
    let equations = NormalEquations(
      set, groups: WindowGroups(set), basis: basis ?? hinges.basis(for: set),
      balance: settings.balance)
    return try hinges.fit(
      equations, classes: classes, method: .discriminant(shrinkage: settings.shrinkage))
  }
}
