import LocomotionActivityRecognition

/// Fits linear discriminants: the baseline for the default classifier.
///
/// Each class is modelled as a normal distribution of the standardised and clipped features; all
/// share one covariance, and the prior is uniform (Fisher 1936). The scores are log probabilities
/// up to a constant, and linear, hence a model of the usual form whose hinges have zero weights.
package struct LinearDiscriminantTrainer: Sendable {
  /// The trainer's settings.
  package struct Settings: Sendable, Hashable, Codable {
    /// The fraction of the covariance that is replaced by a multiple of the identity with the same
    /// trace (Friedman 1989, "Regularized discriminant analysis"), 0 to 1, default 0.02.
    var shrinkage: Double
    /// The weights of the windows.
    var balance: WindowBalance

    /// Settings with the defaults stated at each field.
    package init(shrinkage: Double = 0.02, balance: WindowBalance = .init()) {
      self.shrinkage = shrinkage
      self.balance = balance
    }
  }

  /// The settings.
  let settings: Settings

  /// A trainer with the given settings.
  ///
  /// - Precondition: the shrinkage lies in 0 to 1.
  package init(settings: Settings = .init()) {
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
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)`` when features are linearly dependent and
  ///   the shrinkage is 0.
  package func train(
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
