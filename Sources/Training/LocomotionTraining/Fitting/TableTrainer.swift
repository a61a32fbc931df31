import Foundation
package import LocomotionActivityRecognition
internal import LocomotionSensing

/// Trains a calibrated classifier on a table of features of any width, without times.
///
/// The classifier is that of ``HingeRidgeTrainer``. Where the features are those of
/// `FeatureExtractor.schema`, it can be made a model for the phone.
package struct TableTrainer: Sendable {
  /// A row of a table.
  package struct Label: Sendable, Hashable {
    /// The class.
    package var activity: Activity
    /// Whom the row is of; all rows may be of one person.
    package var person: String
    /// How many rows it counts as, positive.
    package var weight: Double

    /// A label from its parts.
    package init(activity: Activity, person: String = "", weight: Double = 1) {
      self.activity = activity
      self.person = person
      self.weight = weight
    }
  }

  /// The settings of the ridge regression.
  package let settings: HingeRidgeTrainer.Settings

  /// The number of parts of a table without people, each left out in turn.
  static let parts: UInt64 = 5

  /// A trainer with the given settings.
  ///
  /// - Precondition: the ridge isn't negative.
  package init(settings: HingeRidgeTrainer.Settings = .init()) {
    precondition(settings.ridge >= 0, "expected a ridge of 0 or more, got \(settings.ridge)")
    self.settings = settings
  }

  /// Fits a classifier to all rows, and its temperature to held-out scores: each person's by the
  /// classifier without that person, or of a table without people those of each fifth of the rows.
  ///
  /// A row of weight 2 is the same as two such rows: products are in double precision, and a fifth
  /// holds the rows of some content.
  ///
  /// - Parameters:
  ///   - features: The rows one after another, finite.
  ///   - labels: The label of each row.
  /// - Returns: The classifier.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``, or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)`` when the ridge is 0 or nearly so.
  /// - Precondition: as many features for each label, one or more.
  package func train(features: [Float], labels: [Label]) throws(TrainingError) -> TableClassifier {
    guard !labels.isEmpty else { throw .empty }
    let width = features.count / labels.count
    precondition(
      width > 0 && width * labels.count == features.count,
      "expected a table of \(labels.count) rows, got \(features.count) features")
    let hasPeople = Set(labels.map(\.person)).count > 1
    var set = TrainingSet(featureCount: width)
    var folded = set
    for (row, label) in labels.enumerated() {
      let values = features[row * width..<(row + 1) * width]
      func append(to set: inout TrainingSet, person: String) {
        set.append(
          values, activity: label.activity,
          origin: RecordingOrigin(dataset: "", person: person, recording: person),
          end: Timestamp(nanoseconds: 0), weight: label.weight)
      }
      append(to: &set, person: label.person)
      if !hasPeople { append(to: &folded, person: "\(Self.part(of: values))") }
    }
    let trainer = HingeRidgeTrainer(settings: settings, precision: .double)
    let fit = try trainer.train(on: set)
    let temperature = try temperature(of: hasPeople ? set : folded, trainer, basis: fit.basis)
    return TableClassifier(
      fit: fit, temperature: temperature,
      noveltyLimit: fit.basis.noveltyLimit(
        for: set, least: ModelTrainer.Settings().leastNoveltyLimit))
  }

  /// The temperature of the held-out scores; 1 where there are none.
  private func temperature(
    of set: TrainingSet, _ trainer: HingeRidgeTrainer, basis: HingeBasis
  ) throws(TrainingError) -> Double {
    do {
      let heldOut = try CrossValidation(trainer: trainer)
        .heldOutScores(on: set, leavingOut: .subject, basis: basis)
      return heldOut.temperature(on: set, balance: settings.balance)
    } catch {
      // Of the few rows some class is in one part alone.
      switch error {
      case .nothingToLeaveOut, .singleClass: return 1
      default: throw error
      }
    }
  }

  /// The part of a row by its content (FNV-1a), so that equal rows are in one part.
  private static func part(of values: ArraySlice<Float>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for value in values {
      // Adding 0 turns −0 into +0.
      hash = (hash ^ UInt64((value + 0).bitPattern)) &* 0x100_0000_01b3
    }
    return (hash ^ hash >> 32) % parts
  }
}

/// A classifier of the rows of a table, with calibrated probabilities.
package struct TableClassifier: Sendable, Hashable, Codable {
  /// The linear model in double precision.
  package var fit: HingeRidgeTrainer.Fit
  /// Divides the scores before the softmax.
  package var temperature: Double
  /// See `ActivityModel.Parameters.noveltyLimit`.
  package var noveltyLimit: Int

  /// A classifier from its parts.
  ///
  /// - Precondition: the temperature is positive.
  package init(fit: HingeRidgeTrainer.Fit, temperature: Double, noveltyLimit: Int) {
    precondition(temperature > 0, "expected a positive temperature, got \(temperature)")
    self.fit = fit
    self.temperature = temperature
    self.noveltyLimit = noveltyLimit
  }

  /// The probabilities of the classes of ``fit``, in their order.
  ///
  /// - Precondition: there is one feature per feature of the fit's basis.
  package func probabilities(_ features: some Collection<Float>) -> [Double] {
    TemperatureCalibration.probabilities(
      scores: fit.scores(features), temperature: temperature)
  }

  /// The same classifier as a model for the phone, in single precision.
  ///
  /// The temporal filter, its temperatures and the limit of confidence are those of `base`, and so
  /// is nothing else.
  ///
  /// - Parameter base: The model that says how windows are combined over time.
  /// - Returns: The model, whose manifest is empty.
  package func model(asIn base: ActivityModel = .default) -> ActivityModel {
    let settings = base.parameters
    return ActivityModel(
      .init(
        classes: fit.classes, means: fit.basis.means, scales: fit.basis.scales,
        knots: fit.basis.knots, weights: fit.weights.map { Float($0) },
        windowTemperature: Float(temperature), dwellSeconds: settings.dwellSeconds,
        evidenceExponent: settings.evidenceExponent, noveltyLimit: noveltyLimit,
        confidenceThreshold: settings.confidenceThreshold,
        filteredTemperature: settings.filteredTemperature,
        hindsightDwellFactor: settings.hindsightDwellFactor,
        hindsightEvidenceFactor: settings.hindsightEvidenceFactor,
        hindsightTemperature: settings.hindsightTemperature, rotation: nil,
        manifest: "{}"))
  }

  /// The classifier of a model for the phone: its windows on their own, without rotation rates.
  package init(_ model: ActivityModel) {
    let parameters = model.parameters
    self.init(
      fit: .init(
        classes: parameters.classes,
        basis: HingeBasis(
          means: parameters.means, scales: parameters.scales, knots: parameters.knots),
        weights: parameters.weights.map { Double($0) }),
      temperature: Double(parameters.windowTemperature), noveltyLimit: parameters.noveltyLimit)
  }
}
