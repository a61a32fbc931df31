package import LocomotionActivityRecognition

/// A cross-validation: the scores of every window by a model trained without its person, or its
/// data set, which are its folds.
package struct CrossValidation: Sendable, Equatable {
  /// The classes in the order of the scores.
  package let classes: [Activity]
  /// The scores, window by window, one per class.
  private(set) var scores: [Double]
  /// The names of the folds, sorted.
  package let folds: [String]
  /// For each window the index of its fold.
  package private(set) var foldOfWindow: [Int]
  /// For each window whether its fold's model was trained on its class.
  package private(set) var hasModel: [Bool]
  /// For each window whether the score has a rotation term.
  private(set) var isCorrected: [Bool]

  init(classes: [Activity], folds: [String], windows: Int) {
    self.classes = classes
    self.folds = folds
    scores = Array(repeating: 0, count: windows * classes.count)
    foldOfWindow = Array(repeating: 0, count: windows)
    hasModel = Array(repeating: false, count: windows)
    isCorrected = Array(repeating: false, count: windows)
  }

  mutating func set(_ scores: [Double], window: Int, fold: Int, hasModel: Bool) {
    for (index, score) in scores.enumerated() {
      self.scores[window * classes.count + index] = score
    }
    foldOfWindow[window] = fold
    self.hasModel[window] = hasModel
  }

  mutating func add(_ term: some Sequence<Double>, toWindow window: Int) {
    for (index, value) in term.enumerated() { scores[window * classes.count + index] += value }
    isCorrected[window] = true
  }

  /// The scores of one window, one per class.
  ///
  /// - Precondition: the window exists.
  package func scores(ofWindow window: Int) -> ArraySlice<Double> {
    scores[window * classes.count..<(window + 1) * classes.count]
  }

  /// The class with the highest score, of which `prices` by raw value are taken, if any; of equals,
  /// the first.
  func mostLikely(ofWindow window: Int, less prices: [Double] = []) -> Activity {
    let values = zip(classes, scores(ofWindow: window)).map { activity, score in
      prices.isEmpty ? score : score - prices[activity.rawValue]
    }
    return classes[values.firstIndexOfMaximum]
  }

  /// The windows for evaluation: as recorded, and of a class that their model was trained on.
  package func evaluatedWindows(of set: TrainingSet) -> [Int] {
    (0..<set.count).filter { hasModel[$0] && set.origin(ofRow: $0).isAsRecorded }
  }

  /// The temperature that calibrates the evaluated windows of the folds that are included, by their
  /// index; 1 when there is none.
  func temperature(
    on set: TrainingSet, balance: WindowBalance, folds isIncluded: (Int) -> Bool = { _ in true }
  ) -> Double {
    let windows = evaluatedWindows(of: set).filter { isIncluded(foldOfWindow[$0]) }
    let evaluated = set.rows(windows)
    return TemperatureCalibration.temperature(
      scores: windows.flatMap { scores(ofWindow: $0) }, classCount: classes.count,
      truths: evaluated.activities.map { classes.firstIndex(of: $0) ?? 0 },
      weights: balance.weights(for: evaluated))
  }

  /// The probabilities of every window at a temperature that was fitted on other folds.
  ///
  /// Folds of even index are calibrated by those of odd index and vice versa, so that the
  /// calibration is not evaluated on the data that it was fitted to.
  ///
  /// The temperatures are `fitted` to other scores of the same folds; to its own when nil.
  package func crossFittedProbabilities(
    on set: TrainingSet, balance: WindowBalance, temperaturesOf fitted: CrossValidation? = nil
  ) -> [ActivityProbabilities] {
    let temperatures = [0, 1].map { parity in
      (fitted ?? self).temperature(on: set, balance: balance) { $0 % 2 != parity }
    }
    return (0..<set.count).map { window in
      probabilities(ofWindow: window, temperature: temperatures[foldOfWindow[window] % 2])
    }
  }

  /// The probabilities of all windows.
  ///
  /// - Precondition: the temperature is positive.
  func probabilities(temperature: Double) -> [ActivityProbabilities] {
    foldOfWindow.indices.map { probabilities(ofWindow: $0, temperature: temperature) }
  }

  /// The probabilities of one window.
  ///
  /// - Precondition: the window exists and the temperature is positive.
  func probabilities(ofWindow window: Int, temperature: Double) -> ActivityProbabilities {
    let values = TemperatureCalibration.probabilities(
      scores: scores(ofWindow: window), temperature: temperature)
    return ActivityProbabilities { activity in
      classes.firstIndex(of: activity).map { Float(values[$0]) } ?? 0
    }
  }
}

extension [Double] {
  /// The place of the largest number; of equals, the first.
  var firstIndexOfMaximum: Int { indices.reduce(0) { self[$1] > self[$0] ? $1 : $0 } }
}

// Cross-validation over people, or over data sets.
//
// All folds share one basis, which is fitted to all windows without their labels; the weights of
// each fold are fitted to the other folds alone. The Gram matrices of all windows are formed once,
// and each person's once more for that person's fold, so that leave-one-person-out costs about two
// trainings plus one Cholesky factor per person, in memory that doesn't grow with the number of
// people.

/// The unit of a fold of a cross-validation.
package enum FoldUnit: String, Sendable, Hashable, Codable {
  /// One person.
  case subject
  /// One data set with all its people.
  case dataset

  func name(of cell: WindowGroups.Cell) -> String {
    self == .subject ? cell.subject : cell.dataset
  }
}

extension HingeRidgeTrainer {
  /// The held-out scores: those of every window by the model trained without its person or data
  /// set.
  ///
  /// - Parameters:
  ///   - set: Labelled windows of two or more classes.
  ///   - unit: The unit of a fold.
  ///   - basis: The basis expansion; ``basis(for:)`` of the set when nil.
  /// - Returns: The scores, in the order of the set's rows.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``,
  ///   ``TrainingError/nothingToLeaveOut`` or ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package func heldOutScores(
    on set: TrainingSet, leavingOut unit: FoldUnit, basis: HingeBasis? = nil
  ) throws(TrainingError) -> CrossValidation {
    try equations(set, basis: basis)
      .heldOutScores(leavingOut: unit, ridge: settings.ridge)
  }

  /// The model of all windows but those of a data set, for each data set by its name.
  ///
  /// The models aren't calibrated: only the order of their scores means anything.
  ///
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)`` or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)``.
  package func modelsLeavingOutDatasets(
    of set: TrainingSet
  ) throws(TrainingError) -> [String: ActivityModel] {
    let equations = try equations(set)
    var models: [String: ActivityModel] = [:]
    for (dataset, windows) in set.countsByDataset where windows > 0 {
      let sums = equations.sums(without: equations.cells.filter { $0.cell.dataset == dataset })
      let fit = Fit(
        classes: equations.classes, basis: equations.basis,
        matrix: try sums.weights(of: equations.classes, ridge: settings.ridge))
      let calibration = ModelCalibration(
        windowTemperature: 0.3, filter: .init(dwellSeconds: 60, evidenceExponent: 0.4),
        confidenceThreshold: 0.5)
      var parameters = ActivityModel.Parameters(fit, calibration)
      parameters.moments = sums.moments
      models[dataset] = ActivityModel(parameters)
    }
    return models
  }
}

extension NormalEquations {
  func folds(leavingOut unit: FoldUnit) -> [String] {
    Set(cells.map { unit.name(of: $0.cell) }).sorted()
  }

  /// The held-out scores with a penalty.
  ///
  /// - Throws: ``TrainingError/nothingToLeaveOut`` or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)``.
  func heldOutScores(
    leavingOut unit: FoldUnit, ridge: Double
  ) throws(TrainingError) -> CrossValidation {
    let folds = folds(leavingOut: unit)
    guard folds.count > 1 else { throw .nothingToLeaveOut }
    var result = CrossValidation(classes: classes, folds: folds, windows: set.count)
    for (fold, name) in folds.enumerated() {
      let out = cells.filter { unit.name(of: $0.cell) == name }
      let trained = Set(
        cells.lazy.filter { unit.name(of: $0.cell) != name }.map(\.cell.activity))
      let weights = try sums(without: out).weights(of: classes, ridge: ridge)
      for (cell, rows) in out {
        basis.forEachScore(of: rows, in: set, weights: weights) { row, scores in
          result.set(scores, window: row, fold: fold, hasModel: trained.contains(cell.activity))
        }
      }
    }
    return result
  }
}
