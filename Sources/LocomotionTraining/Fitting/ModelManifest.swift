import Foundation
public import LocomotionActivityRecognition
import LocomotionEvaluation

/// The summary of a training that travels inside the model file, as JSON.
///
/// It names no person.
public struct ModelManifest: Sendable, Hashable, Codable {
  /// How well the model does under one protocol.
  public struct Score: Sendable, Hashable, Codable {
    /// Who was evaluated.
    public var protocolName: String
    /// The fraction of single windows that were classified rightly.
    public var windowAccuracy: Double?
    /// The mean F1 of the classes for single windows.
    public var windowMacroF1: Double?
    /// The expected calibration error of single windows.
    public var windowCalibrationError: Double?
    /// The fraction of the live filter's answers that were right; "unknown" is not.
    public var liveAccuracy: Double?
    /// The mean F1 of the classes of the live filter.
    public var liveMacroF1: Double?
    /// The expected calibration error of the live filter.
    public var liveCalibrationError: Double?
    /// The fraction of the smoother's answers that were right; "unknown" is not.
    public var smoothedAccuracy: Double?
    /// The mean F1 of the classes of the smoother.
    public var smoothedMacroF1: Double?

    /// The summary of `report`.
    public init(_ report: EvaluationReport) {
      protocolName = report.protocolName
      windowAccuracy = Self.rounded(report.windows.overall.accuracy)
      windowMacroF1 = Self.rounded(report.windows.overall.macroF1)
      windowCalibrationError = Self.rounded(report.windows.overall.expectedCalibrationError)
      liveAccuracy = Self.rounded(report.live.overall.accuracy)
      liveMacroF1 = Self.rounded(report.live.overall.macroF1)
      liveCalibrationError = Self.rounded(report.live.overall.expectedCalibrationError)
      smoothedAccuracy = Self.rounded(report.smoothed.overall.accuracy)
      smoothedMacroF1 = Self.rounded(report.smoothed.overall.macroF1)
    }

    private static func rounded(_ value: Double?) -> Double? {
      value.map { ($0 * 1e4).rounded() / 1e4 }
    }
  }

  /// What each data set contributed.
  public var sources: [TrainingReport.Source]
  /// What the model was trained on top of: the sources of its base; nil without one.
  public var baseSources: [TrainingReport.Source]?
  /// The names of the classes.
  public var classes: [String]
  /// The digest of the features' definitions, `FeatureSchema.digest`.
  public var featureDigest: UInt32
  /// The penalty of the regression.
  public var ridge: Double
  /// How windows were weighed.
  public var balance: WindowBalance
  /// How well the model does on people, and on data sets, that it was not trained on.
  public var scores: [Score]

  /// The summary of `report`.
  public init(_ report: TrainingReport) {
    sources = report.sources
    baseSources = report.adaptation?.baseManifest.map { ($0.baseSources ?? []) + $0.sources }
    classes = report.classes.map(\.name)
    featureDigest = FeatureExtractor.schema.digest
    ridge = report.settings.fit.ridge
    balance = report.settings.fit.balance
    scores = [Score(report.unseenPeople)] + (report.unseenDatasets.map { [Score($0)] } ?? [])
  }

  /// The manifest of `model`, or nil when it isn't one of these.
  public init?(of model: ActivityModel) {
    let data = Data(model.parameters.manifest.utf8)
    guard let manifest = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
    self = manifest
  }

  /// The summary as JSON with sorted keys.
  public var json: String { JSONText.compact(self) }
}
