public import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// Adapts a model to the people of some recordings.
///
/// The base's classes, standardisation and knots are kept. Its weights w₀ change to
///
///     argmin_w Σ weight · |target − φ(window) · w|² + strength · |w − w₀|²
///
/// with the weights of the windows summing to 1, hence the scale of the strength doesn't depend on
/// the number of windows. No recording that the base was trained on is needed. A class without new
/// windows keeps its weights; those of the other classes keep their sum, when there are several, so
/// that the scores of absent classes stay comparable.
///
/// Adaptation to some people is overfitting for others: the fit doesn't use the windows that the
/// base was trained on. So the strength is chosen by cross-validation over people, or over
/// recordings when there is one person: it is the greatest that keeps half of the best gain in
/// accuracy, all classes weighted alike; when none gains anything, the base is kept. With two
/// people or more the calibration is refitted as well, its time model only where the gain over the
/// base's exceeds its standard error; otherwise it is the base's.
public struct ModelAdapter: Sendable {
  /// The folds by which the strength is chosen.
  public enum LeftOut: String, Sendable, Hashable, Codable {
    /// One person.
    case people
    /// One recording of the only person.
    case recordings
  }

  /// The adapter's settings.
  public struct Settings: Sendable, Hashable, Codable {
    /// How strongly the weights are pulled towards the base's; nil, the default, chooses by
    /// cross-validation.
    ///
    /// The choice is among `strengths`. Infinity gives the base.
    public var strength: Double?
    /// The weights of the windows; the recordings of a single person are treated as people.
    public var balance = WindowBalance()
    /// See ``ModelTrainer/Settings/coverage``.
    var coverage = ModelTrainer.Settings().coverage
    /// See ``ModelTrainer/Settings/largestConfidenceThreshold``.
    var largestConfidenceThreshold = ModelTrainer.Settings().largestConfidenceThreshold
    /// The seed of the order of the streams, default 1.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}
  }

  /// The strengths that are tried, beside the unchanged base.
  static let strengths: [Double] = [1, 3, 10, 30, 100]
  /// The strength when cross-validation isn't possible.
  public static let defaultStrength = 3.0

  /// The settings.
  public let settings: Settings

  /// An adapter with the given settings.
  ///
  /// - Precondition: the strength is positive.
  public init(settings: Settings = .init()) {
    precondition(
      settings.strength.map { $0 > 0 } ?? true,
      "expected a positive strength, got \(settings.strength ?? 0)")
    self.settings = settings
  }

  /// Adapts `base` to `set`.
  ///
  /// Windows of classes that the base lacks are skipped.
  ///
  /// - Returns: The model, and a report whose `unseenPeople` evaluates held-out people, or
  ///   recordings; when nothing can be held out it evaluates the model on its training data, and
  ///   its name states that.
  /// - Throws: ``TrainingError/empty`` when no window is of a class that the base has.
  /// - Precondition: the base and the set have the same number of features.
  public func train(
    from base: ActivityModel, on set: TrainingSet
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    precondition(
      base.featureCount == set.featureCount,
      "expected \(base.featureCount) features, got \(set.featureCount)")
    let parameters = base.parameters
    let known = set.filter { activity, _ in parameters.classes.contains(activity) }
    guard known.count > 0 else { throw .empty }
    let basis = HingeBasis(of: parameters)
    let weights = HingeBasis.weights(of: parameters)
    // The rotation term is kept.
    let term = parameters.rotation.map {
      RotationTermTrainer.Fit(of: $0, classes: parameters.classes.count)
    }
    let evaluatedTerm = set.rotationFeatureCount == base.rotationFeatureCount ? term : nil

    let leftOut = Self.leftOut(of: known)
    let folded = leftOut == .recordings ? known.recordingsAsPeople : known
    let groups = WindowGroups(folded)
    let equations = NormalEquations(
      folded, groups: groups, basis: basis, balance: settings.balance)
    let choice =
      leftOut == nil
      ? StrengthChoice(strength: settings.strength ?? Self.defaultStrength)
      : try chooseStrength(
        parameters, folded, groups, equations, base: weights, term: evaluatedTerm)
    let (chosen, heldOut) = (choice.strength, choice.heldOut)

    let solution = try equations.solve(
      classes: parameters.classes, method: .adaptation(base: weights, strength: chosen))
    let fit = HingeRidgeTrainer.Fit(
      classes: parameters.classes, basis: basis, weights: Array(solution.transposed.elements))

    var report = baseReport(base, known)
    report.adaptation = TrainingReport.Adaptation(
      strength: chosen.isFinite ? chosen : nil, leftOut: leftOut, accuracies: choice.accuracies,
      adaptedClasses: known.classes, isRecalibrated: leftOut == .people && chosen.isFinite,
      base: EvaluationReport(of: base, on: known, seed: settings.seed),
      baseManifest: ModelManifest(of: base))
    calibrateAndEvaluate(&report, base, folded, heldOut)
    if chosen.isFinite {
      report.noveltyLimit = basis.noveltyLimit(for: known, least: parameters.noveltyLimit)
    }
    let model = ActivityModel(fit, rotation: term, calibratedAsIn: report)
      .with(parameters.custom)
      .with(track: parameters.track)
      .with(moments: parameters.moments)
    if heldOut == nil {
      report.unseenPeople = EvaluationReport(of: model, on: known, seed: settings.seed)
      report.unseenPeople.protocolName = "windows trained on"
    }
    return (model, report)
  }

  /// How strongly the base holds the weights, and how well each strength did on who was left out.
  private struct StrengthChoice {
    var strength: Double
    var accuracies: [Double] = []
    var heldOut: (plain: HeldOutScores, corrected: HeldOutScores?)?
  }

  /// Chooses the strength by the people, or recordings, left out.
  private func chooseStrength(
    _ parameters: ActivityModel.Parameters, _ folded: TrainingSet, _ groups: WindowGroups,
    _ equations: NormalEquations, base weights: Matrix, term: RotationTermTrainer.Fit?
  ) throws(TrainingError) -> StrengthChoice {
    let strengths = settings.strength.map { [$0] } ?? Self.strengths + [.infinity]
    let trainer = HingeRidgeTrainer(settings: .init(balance: settings.balance))
    let scores = try CrossValidation(trainer: trainer).heldOutScores(
      on: folded, leavingOut: .subject, classes: parameters.classes, groups: groups,
      equations: equations, methods: strengths.map { .adaptation(base: weights, strength: $0) })
    let corrected = scores.map { scores in
      term.map { scores.corrected(by: $0, on: folded) } ?? scores
    }
    let accuracies = corrected.map { $0.accuracy(on: folded, balance: settings.balance) }
    let choice = Self.choice(accuracies)
    return StrengthChoice(
      strength: strengths[choice], accuracies: accuracies,
      heldOut: (scores[choice], term == nil ? nil : corrected[choice]))
  }

  /// The index of the strength to take, given ascending strengths' accuracies, the base's last.
  static func choice(_ accuracies: [Double]) -> Int {
    guard let base = accuracies.last, let best = accuracies.max() else { return 0 }
    let enough = base + (best - base) / 2
    return accuracies.lastIndex { $0 >= enough } ?? accuracies.count - 1
  }

  private static func leftOut(of set: TrainingSet) -> LeftOut? {
    if set.countsBySubject.count > 1 { return .people }
    let recordings = Set(set.origins.map(\.recording))
    return recordings.count > 1 ? .recordings : nil
  }

  /// A report with the base's calibration.
  private func baseReport(_ base: ActivityModel, _ set: TrainingSet) -> TrainingReport {
    let parameters = base.parameters
    var settings = ModelTrainer.Settings()
    settings.fit.balance = self.settings.balance
    settings.seed = self.settings.seed
    var report = TrainingReport(set: set, classes: parameters.classes, settings: settings)
    report.windowTemperature = Double(parameters.windowTemperature)
    report.dwellSeconds = Double(parameters.dwellSeconds)
    report.evidenceExponent = Double(parameters.evidenceExponent)
    report.smoother = ActivitySmoother(model: base).settings
    report.filteredTemperature = Double(parameters.filteredTemperature)
    report.hindsightTemperature = Double(parameters.hindsightTemperature)
    report.confidenceThreshold = Double(parameters.confidenceThreshold)
    report.noveltyLimit = parameters.noveltyLimit
    report.rotation = parameters.rotation.map { rotation in
      TrainingReport.Rotation(
        windows: set.recordedWindowsWithRotation, isKept: true,
        filteredTemperature: Double(rotation.filteredTemperature),
        hindsightTemperature: Double(rotation.hindsightTemperature))
    }
    return report
  }

  /// Refits the calibration where possible, and evaluates the held-out windows.
  private func calibrateAndEvaluate(
    _ report: inout TrainingReport, _ base: ActivityModel, _ set: TrainingSet,
    _ scores: (plain: HeldOutScores, corrected: HeldOutScores?)?
  ) {
    guard let (heldOut, corrected) = scores, let adaptation = report.adaptation else { return }
    if adaptation.isRecalibrated {
      // Recordings without rotation rates can't calibrate the base's term.
      let corrected = (report.rotation?.windows ?? 0) > 0 ? corrected : nil
      let evaluator = HeldOutEvaluator(
        set: set, heldOut: heldOut, corrected: corrected, balance: settings.balance,
        seed: settings.seed,
        base: TemporalFilter.Setting(
          dwellSeconds: base.parameters.dwellSeconds,
          evidenceExponent: base.parameters.evidenceExponent, smoother: report.smoother))
      let calibration = HeldOutEvaluator.calibration(from: [evaluator], coverage: settings.coverage)
      report.calibrate(
        as: calibration, largestConfidenceThreshold: settings.largestConfidenceThreshold)
      report.unseenPeople = evaluator.report(
        named: "people not trained on", confidenceThreshold: report.confidenceThreshold)
    } else {
      let name = adaptation.leftOut == .people ? "people" : "recordings"
      report.unseenPeople = EvaluationReport(
        named: "\(name) not trained on", on: set, evaluated: heldOut.evaluatedWindows(of: set),
        probabilities: (0..<set.count).map {
          (corrected ?? heldOut).probabilities(
            ofWindow: $0, temperature: report.windowTemperature)
        }, hasRotation: (corrected ?? heldOut).isCorrected,
        by: base.parameters, smoother: report.smoother, seed: settings.seed)
    }
    report.unseenPeople.importances = heldOut.importances(
      on: set, basis: HingeBasis(of: base.parameters), seed: settings.seed)
  }
}

extension HeldOutScores {
  /// The weighted fraction of the evaluated windows whose highest score is the label's.
  func accuracy(
    on set: TrainingSet, balance: WindowBalance, among isIncluded: (Int) -> Bool = { _ in true }
  ) -> Double {
    let evaluated = evaluatedWindows(of: set).filter(isIncluded)
    let weights = balance.weights(for: set.rows(evaluated))
    return zip(evaluated, weights).reduce(0) { sum, entry in
      sum + (mostLikely(ofWindow: entry.0) == set.activities[entry.0] ? entry.1 : 0)
    }
  }
}
