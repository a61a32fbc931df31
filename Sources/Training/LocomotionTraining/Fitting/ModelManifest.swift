import Foundation
public import LocomotionActivityRecognition
import LocomotionRecordings

/// The summary of a training that is stored in the model file, as JSON.
///
/// It contains no person's name.
public struct ModelManifest: Sendable, Hashable, Codable {
  /// The results of the model under one evaluation protocol.
  public struct Score: Sendable, Hashable, Codable {
    /// The evaluation protocol.
    public var protocolName: String
    /// The accuracy of single windows.
    public var windowAccuracy: Double?
    /// The mean F1 of the classes for single windows.
    public var windowMacroF1: Double?
    /// The expected calibration error of single windows.
    public var windowCalibrationError: Double?
    /// The accuracy of the live filter; "unknown" counts as wrong.
    public var liveAccuracy: Double?
    /// The mean F1 of the classes of the live filter.
    public var liveMacroF1: Double?
    /// The expected calibration error of the live filter.
    public var liveCalibrationError: Double?
    /// The accuracy of the smoother; "unknown" counts as wrong.
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

  /// The contribution of each data set.
  public var sources: [TrainingReport.Source]
  /// The sources of the base model; nil without one.
  public var baseSources: [TrainingReport.Source]?
  /// The names of the classes.
  public var classes: [String]
  /// The digest of the features' definitions, `FeatureSchema.digest`.
  public var featureDigest: UInt32
  /// The penalty of the regression; nil for a model that learned on top of a base.
  public var ridge: Double?
  /// The weighting of the windows; nil likewise.
  public var balance: WindowBalance?
  /// The results of the model on held-out people, and on held-out data sets.
  public var scores: [Score]

  /// The summary of `report`.
  public init(_ report: TrainingReport) {
    sources = report.sources
    baseSources = report.adaptation?.baseManifest.map { ($0.baseSources ?? []) + $0.sources }
    classes = report.classes.map(\.name)
    featureDigest = FeatureExtractor.schema.digest
    if report.adaptation == nil {
      (ridge, balance) = (report.settings.fit.ridge, report.settings.fit.balance)
    }
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
