public import LocomotionActivityRecognition
package import LocomotionRecordings

/// Trains, calibrates and evaluates an activity model: labelled windows in, a model and a report
/// out.
///
/// 1. The classifier is fitted to all windows (``HingeRidgeTrainer``).
/// 2. Every person is held out in turn, and every data set in the same way.
/// 3. Where windows have rotation rates, a second term is fitted to the residuals of the held-out
///    scores. It is kept if it increases the accuracy on held-out
///    data sets, itself fitted without them, by more than the gain's standard error.
/// 4. The held-out scores determine the temperature of single windows, the temporal filter and its
///    own temperature, and the confidence threshold.
///
/// The report's figures are cross-fitted: each half of the people is evaluated with the parameters
/// chosen on the other half.
public struct ModelTrainer: Sendable {
  /// The trainer's settings.
  public struct Settings: Sendable, Equatable, Codable {
    /// The settings of the ridge regression.
    public var fit = HingeRidgeTrainer.Settings()
    /// The fraction of held-out people's live windows above the confidence threshold, default
    /// 0.995.
    public var coverage: Double = 0.995
    /// The highest confidence threshold, default 0.6.
    public var largestConfidenceThreshold: Double = 0.6
    /// The seed of the order of the streams, default 1.
    var seed: UInt64 = 1

    /// Settings with the defaults stated at each field.
    public init(seed: UInt64 = 1) { self.seed = seed }
  }

  /// The settings.
  public let settings: Settings

  /// A trainer with the given settings.
  ///
  /// - Precondition: the coverage lies in 0 to 1.
  public init(settings: Settings = .init()) {
    precondition(
      settings.coverage >= 0 && settings.coverage <= 1,
      "expected a coverage of 0 to 1, got \(settings.coverage)")
    self.settings = settings
  }

  /// Trains a model on `set`.
  ///
  /// - Parameter set: Labelled windows of two or more classes and two or more people.
  /// - Returns: The model, whose manifest names its data sets, and the report.
  /// - Throws: ``TrainingError``.
  public func train(
    on set: TrainingSet
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    let equations = try HingeRidgeTrainer(settings: settings.fit).equations(set)
    let fit = try equations.fit(ridge: settings.fit.ridge)

    let hasDatasets = Set(set.origins.map(\.dataset)).count > 1
    let units: [FoldUnit] = hasDatasets ? [.subject, .dataset] : [.subject]
    var heldOutByUnit: [CrossValidation] = []
    for unit in units {
      heldOutByUnit.append(
        try equations.heldOutScores(leavingOut: unit, ridge: settings.fit.ridge))
    }
    let (model, report) = try calibrated(fit, heldOutByUnit, on: set)
    // By them an owner's model learns.
    return (model.with { $0.moments = equations.sums().moments }, report)
  }

  /// The calibrated model but for moments, and its report.
  ///
  /// By the scores of people left out, and with several data sets those of data sets left out. Of
  /// `set` all is used but the features of the accelerations.
  private func calibrated(
    _ fit: HingeRidgeTrainer.Fit, _ heldOutByUnit: [CrossValidation], on set: TrainingSet
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    let term = try rotationTerm(on: set, heldOutByUnit)
    let evaluators = heldOutByUnit.indices.map { unit in
      HeldOutEvaluator(
        set: set, heldOut: heldOutByUnit[unit], corrected: term?.corrected[unit],
        balance: settings.fit.balance, seed: settings.seed)
    }
    var calibration = HeldOutEvaluator.calibration(from: evaluators, coverage: settings.coverage)
    calibration.confidenceThreshold = min(
      calibration.confidenceThreshold, settings.largestConfidenceThreshold)

    var report = TrainingReport(set: set, classes: fit.classes, settings: settings)
    report.calibration = calibration
    report.unseenPeople = evaluators[0].report(
      named: "people not trained on", confidenceThreshold: calibration.confidenceThreshold)
    if evaluators.count > 1 {
      report.unseenDatasets = evaluators[1].report(
        named: "data sets not trained on", confidenceThreshold: calibration.confidenceThreshold)
    }
    var parameters = ActivityModel.Parameters(fit, calibration)
    parameters.rotation = term?.fit.function(
      filteredTemperature: calibration.rotationTemperature ?? 1,
      hindsightTemperature: calibration.rotationHindsightTemperature ?? 1)
    parameters.manifest = ModelManifest(report).json
    return (ActivityModel(parameters), report)
  }

  /// The term for the windows with rotation rates and the scores with it; nil when it is no gain.
  ///
  /// A second ridge regression of the same form as the first: its columns are hinges of the
  /// rotation features, and its targets are the residuals of the first one, ±1 less the held-out
  /// score by a model trained without the window's person. Residuals on training data would be too
  /// small. Weights are balanced as usual, over the windows that have rotation features; augmented
  /// copies have none.
  private func rotationTerm(
    on set: TrainingSet, _ heldOut: [CrossValidation]
  ) throws(TrainingError) -> (fit: HingeRidgeTrainer.Fit, corrected: [CrossValidation])? {
    let (people, balance) = (heldOut[0], settings.fit.balance)
    let rows = people.evaluatedWindows(of: set).filter { set.rotation(ofRow: $0) != nil }
    let own = set.rotationRows(rows)
    guard own.classes.count > 1 else { return nil }
    let equations = try NormalEquations(
      own, classes: people.classes, balance: balance, precision: .double
    ) { index in
      zip(people.classes, people.scores(ofWindow: rows[index])).map { activity, score in
        (activity == own.activities[index] ? 1 : -1) - score
      }
    }
    let fit = try equations.fit(ridge: settings.fit.ridge)
    var corrected = heldOut
    for (place, unit) in zip(heldOut.indices, [FoldUnit.subject, .dataset])
    where equations.folds(leavingOut: unit).count > 1 {
      let terms = try equations.heldOutScores(leavingOut: unit, ridge: settings.fit.ridge)
      for (index, row) in rows.enumerated() where terms.hasModel[index] {
        corrected[place].add(terms.scores(ofWindow: index), toWindow: row)
      }
    }
    let last = heldOut.count - 1
    let isCorrected = corrected[last].isCorrected
    guard isCorrected.contains(true) else { return nil }
    let errors = PersonErrors(of: [heldOut[last], corrected[last]], on: set, balance: balance) {
      isCorrected[$0]
    }
    // Plainer is no term.
    return errors.isBeaten(0) ? (fit, corrected) : nil
  }
}

/// Why a model could not be trained or evaluated.
public enum TrainingError: Error, Hashable, Sendable {
  /// There are no windows.
  case empty
  /// Every window has the same activity, so that there is nothing to discriminate.
  case singleClass(Activity)
  /// No window is labelled as this custom activity.
  case noWindows(customActivity: String)
  /// No window is of the ordinary kind that this custom activity could be told from.
  case nothingOrdinary(customActivity: String, behavesLike: Activity?)
  /// More custom activities behave like one activity than can be told apart.
  case tooManyAlike(found: Int, limit: Int)
  /// Cross-validation needs at least two folds.
  case nothingToLeaveOut
  /// The ridge is too small for features that depend on each other linearly.
  case notPositiveDefinite(minorOrder: Int)
}

extension TrainingError: CommandError {
  package var message: String {
    switch self {
    case .empty: "the data sets hold no labelled window"
    case .singleClass(let activity):
      "every window of the data sets is labelled \(activity.name): nothing to tell apart"
    case .noWindows(let name):
      "no window is labelled '\(name)', which '--class' names"
    case .nothingOrdinary(let name, let activity):
      "no window is labelled \(activity?.name ?? "one of the six activities"), from which "
        + "'\(name)' could be told: add such recordings"
    case .tooManyAlike(let found, let limit):
      "\(found) classes behave like one activity, expected \(limit) at most"
    case .nothingToLeaveOut: "expected recordings of at least two people, found one"
    case .notPositiveDefinite(let order):
      "the features depend on one another (minor \(order)): train on more recordings"
    }
  }

  package var exitStatus: ExitStatus {
    // The arithmetic has failed, where in the other cases the data sets are the cause.
    if case .notPositiveDefinite = self { .failed } else { .rejected }
  }
}
