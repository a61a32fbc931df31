package import LocomotionActivityRecognition

/// Fits the additive piecewise-linear classifier by one weighted ridge regression.
///
/// The classes' indicators, ±1, are regressed on the columns of a `HingeBasis` by penalised least
/// squares (Hoerl and Kennedy 1970, "Ridge regression", eq. 2.1): one Gram matrix, one Cholesky
/// factor, no iteration, and reproducible weights.
public struct HingeRidgeTrainer: Sendable {
  /// The trainer's settings.
  public struct Settings: Sendable, Equatable, Codable {
    /// The penalty relative to the total weight of the windows, default 0.01.
    public var ridge: Double
    /// The weights of the windows.
    public var balance: WindowBalance

    /// Settings with the defaults stated at each field.
    public init(ridge: Double = 0.01, balance: WindowBalance = .init()) {
      self.ridge = ridge
      self.balance = balance
    }
  }

  /// The precision in which a block of windows is multiplied with itself.
  package enum Precision: Sendable, Hashable, Codable {
    /// Half the time and memory; within 10⁻⁶ of the sums.
    case single
    /// Rows in another order, or a row twice in place of one that weighs twice as much, give the
    /// same classifier but for rounding.
    case double
  }

  /// A fitted classifier before calibration.
  package struct Fit: Sendable, Equatable, Codable {
    /// The classes in the order of the scores.
    package var classes: [Activity]
    /// The basis expansion of the features.
    package var basis: HingeBasis
    /// The weights class by class, in the order of `ActivityModel.Parameters.weights`.
    package var weights: [Double]

    /// The scores of one window, one per class.
    ///
    /// - Precondition: there is one feature per feature of the basis.
    package func scores(_ features: some Collection<Float>) -> [Double] {
      basis.scores(features, weights: weights)
    }
  }

  let settings: Settings
  let precision: Precision

  /// A trainer with the given settings.
  ///
  /// - Precondition: the ridge isn't negative.
  package init(settings: Settings = .init(), precision: Precision = .single) {
    precondition(settings.ridge >= 0, "expected a ridge of 0 or more, got \(settings.ridge)")
    self.settings = settings
    self.precision = precision
  }

  /// Fits the classifier to all windows of `set`.
  ///
  /// - Parameters:
  ///   - set: Labelled windows of two or more classes.
  ///   - basis: The basis expansion; ``basis(for:)`` of the set when nil.
  /// - Returns: The classifier.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``, or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)`` when the ridge is 0 or nearly so.
  /// - Complexity: O(n · m²) for n windows and m columns, plus O(m³).
  package func train(on set: TrainingSet, basis: HingeBasis? = nil) throws(TrainingError) -> Fit {
    try equations(set, basis: basis).fit(ridge: settings.ridge)
  }

  /// The normal equations of ``train(on:basis:)``.
  func equations(
    _ set: TrainingSet, basis: HingeBasis? = nil
  ) throws(TrainingError) -> NormalEquations {
    try NormalEquations(set, basis: basis, balance: settings.balance, precision: precision)
  }

  /// The basis fitted to `set`, without its labels.
  ///
  /// The quantiles weight people and data sets by the balance's exponents and ignore the
  /// activities, so that one basis may serve every fold of a cross-validation.
  ///
  /// - Precondition: the set has windows.
  package func basis(for set: TrainingSet) -> HingeBasis {
    HingeBasis(fitting: set, weights: settings.balance.unlabelledWeights(for: set))
  }
}

extension HingeRidgeTrainer.Fit {
  /// A fit whose weights have one row per column of the basis and one column per class.
  init(classes: [Activity], basis: HingeBasis, matrix: Matrix) {
    self.init(classes: classes, basis: basis, weights: Array(matrix.transposed.elements))
  }

  /// The function of a trained model.
  init(of parameters: ActivityModel.Parameters) {
    let function = parameters.function
    self.init(
      classes: parameters.classes, basis: HingeBasis(function),
      weights: function.weights.map { Double($0) })
  }

  /// The function for a model, in single precision.
  func function(
    filteredTemperature: Double = 1, hindsightTemperature: Double = 1
  ) -> ActivityModel.Function {
    basis.function(
      weights: weights.map { Float($0) }, filteredTemperature: Float(filteredTemperature),
      hindsightTemperature: Float(hindsightTemperature))
  }
}

extension HingeBasis {
  /// The basis of a model's function.
  init(_ function: ActivityModel.Function) {
    self.init(means: function.means, scales: function.scales, knots: function.knots)
  }

  /// A function for a model.
  func function(
    weights: [Float], filteredTemperature: Float = 1, hindsightTemperature: Float = 1
  ) -> ActivityModel.Function {
    ActivityModel.Function(
      means: means, scales: scales, knots: knots, weights: weights,
      filteredTemperature: filteredTemperature, hindsightTemperature: hindsightTemperature)
  }
}
