public import LocomotionActivityRecognition

/// Trains, calibrates and judges an activity model: labelled windows in, a model and a report out.
///
/// 1. The classifier is fitted to all windows (``HingeRidgeTrainer``).
/// 2. Every person is left out in turn, and every data set (``CrossValidation``).
/// 3. The scores of what was left out give the temperature of single windows, the temporal filter
///    and its own temperature, and the threshold of doubt.
///
/// The report's figures are cross-fitted: what half of the people are judged with was chosen on the
/// other half.
public struct ModelTrainer: Sendable {
  /// What can be chosen.
  public struct Settings: Sendable, Hashable, Codable {
    /// How the classifier is fitted.
    public var fit = HingeRidgeTrainer.Settings()
    /// The share of live answers of people not trained on that are not withheld for doubt, default
    /// 0.99.
    public var coverage: Double = 0.99
    /// The highest threshold of doubt, default 0.6.
    public var highestDoubtThreshold: Double = 0.6
    /// The least number of outlying features that makes a novelty, default 12.
    public var leastNoveltyLimit: Int = 12
    /// Decides the order of the streams, default 1.
    public var seed: UInt64 = 1

    /// The defaults.
    public init() {}
  }

  /// What was chosen.
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
  /// - Returns: The model, whose manifest is a summary of the report, and the report.
  /// - Throws: ``TrainingError``.
  public func train(
    on set: TrainingSet
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    let trainer = HingeRidgeTrainer(settings: settings.fit)
    let validation = CrossValidation(trainer: trainer)
    let classes = try HingeRidgeTrainer.classes(of: set)
    let groups = WindowGroups(set)
    let basis = trainer.basis(for: set)
    let equations = NormalEquations(
      set, groups: groups, basis: basis, balance: settings.fit.balance)
    let fit = try trainer.fit(equations, classes: classes)

    let units: [CrossValidation.Unit] =
      Set(set.origins.map(\.dataset)).count > 1 ? [.subject, .dataset] : [.subject]
    var judges: [HeldOutJudge] = []
    for unit in units {
      let scores = try validation.heldOutScores(
        on: set, leavingOut: unit, classes: classes, groups: groups, equations: equations)
      var judge = HeldOutJudge(set: set, heldOut: scores, balance: settings.fit.balance)
      judge.seed = settings.seed
      judges.append(judge)
    }
    let calibration = HeldOutJudge.calibration(from: judges, coverage: settings.coverage)

    var report = TrainingReport(set: set, classes: classes, settings: settings)
    report.windowTemperature = calibration.windowTemperature
    report.dwellSeconds = Double(calibration.temporal.setting.dwellSeconds)
    report.evidenceExponent = Double(calibration.temporal.setting.evidenceExponent)
    report.smoother = calibration.temporal.setting.smoother
    report.filteredTemperature = calibration.temporal.temperature
    report.hindsightTemperature = calibration.temporal.hindsightTemperature
    report.doubtThreshold = min(calibration.doubtThreshold, settings.highestDoubtThreshold)
    report.noveltyLimit = noveltyLimit(basis, set)
    report.unseenPeople = judges[0].report(
      named: "people not trained on", doubtThreshold: report.doubtThreshold)
    if judges.count > 1 {
      report.unseenDatasets = judges[1].report(
        named: "data sets not trained on", doubtThreshold: report.doubtThreshold)
    }
    return (model(fit, report), report)
  }

  private func model(
    _ fit: HingeRidgeTrainer.Fit, _ report: TrainingReport
  ) -> ActivityModel {
    ActivityModel(
      ActivityModel.Parameters(
        classes: fit.classes, means: fit.basis.means, scales: fit.basis.scales,
        knots: fit.basis.knots, weights: fit.weights.map { Float($0) },
        windowTemperature: Float(report.windowTemperature),
        dwellSeconds: Float(report.dwellSeconds),
        evidenceExponent: Float(report.evidenceExponent), noveltyLimit: report.noveltyLimit,
        doubtThreshold: Float(report.doubtThreshold),
        filteredTemperature: Float(report.filteredTemperature),
        hindsightDwellFactor: report.smoother.dwellFactor,
        hindsightEvidenceFactor: report.smoother.evidenceFactor,
        hindsightTemperature: Float(report.hindsightTemperature),
        manifest: ModelManifest(report).json))
  }

  /// Twice the number of outlying features that 99.9 % of the windows don't exceed.
  private func noveltyLimit(_ basis: HingeBasis, _ set: TrainingSet) -> Int {
    let counts = (0..<set.count).map { row in
      zip(set.features(ofRow: row), basis.means.indices).count { value, feature in
        abs(basis.standardized(value, feature: feature)) > 5
      }
    }
    let rank = Int(0.999 * Double(counts.count - 1))
    return max(settings.leastNoveltyLimit, 2 * counts.sorted()[rank])
  }
}
