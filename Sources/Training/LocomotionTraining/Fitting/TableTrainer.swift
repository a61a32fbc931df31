import Foundation
package import LocomotionActivityRecognition
internal import LocomotionSensing

/// Trains a calibrated classifier on a table of features of any width, without times.
///
/// The classifier is that of ``HingeRidgeTrainer``. Where the features are those of
/// `FeatureExtractor.schema`, it can be made a model for the phone.
package enum TableTrainer {
  /// The number of parts of a table without people, each left out in turn.
  static let parts: UInt64 = 5

  /// Fits a classifier to all rows, and its temperature to held-out scores: each person's by the
  /// classifier without that person, or of a table without people those of each fifth of the rows.
  ///
  /// A row of weight 2 is the same as two such rows: products are in double precision, and a fifth
  /// holds the rows of some content.
  ///
  /// - Parameters:
  ///   - rows: The rows: classes, persons, weights, and the names of custom classes. The activity
  ///     of a custom class that behaves like none has no meaning.
  ///   - custom: The custom classes, which ``CustomTermTrainer`` tells from the ordinary ones.
  ///   - settings: The settings of the ridge regression.
  /// - Returns: The classifier.
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)``,
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)`` when the ridge is 0 or nearly so, or an
  ///   error of ``CustomTermTrainer/train(_:on:outside:)``.
  package static func train(
    on rows: TrainingSet, custom: [CustomActivity] = [],
    settings: HingeRidgeTrainer.Settings = .init()
  ) throws(TrainingError) -> TableClassifier {
    let hasPeople = Set(rows.origins.map(\.person)).count > 1
    // With people and without such classes the rows are once in memory.
    let likeNone = Set(custom.filter { $0.behavesLike == nil }.map(\.name))
    func isInside(_ origin: RecordingOrigin) -> Bool { !likeNone.contains(origin.customActivity) }
    let set = likeNone.isEmpty ? rows : rows.filter { isInside($1) }
    let folded = hasPeople ? set : set.inParts
    let trainer = HingeRidgeTrainer(settings: settings, precision: .double)
    let fit = try trainer.train(on: set)
    let temperature = try temperature(of: folded, trainer, basis: fit.basis)
    var classifier = TableClassifier(fit: fit, temperature: temperature)
    if !custom.isEmpty {
      let trainer = CustomTermTrainer(settings: settings, temperature: temperature)
      let outside = (hasPeople ? rows : rows.inParts).filter { !isInside($1) }
      classifier.custom = .init(try trainer.train(custom, on: folded, outside: outside).term)
    }
    return classifier
  }

  /// The temperature of the held-out scores; 1 where there are none.
  private static func temperature(
    of set: TrainingSet, _ trainer: HingeRidgeTrainer, basis: HingeBasis
  ) throws(TrainingError) -> Double {
    do {
      let heldOut = try trainer.heldOutScores(on: set, leavingOut: .subject, basis: basis)
      return heldOut.temperature(on: set, balance: trainer.settings.balance)
    } catch {
      // Of the few rows some class is in one part alone.
      switch error {
      case .nothingToLeaveOut, .singleClass: return 1
      default: throw error
      }
    }
  }
}

extension TrainingSet {
  /// The same rows, each of a person named for its part: by its content, so that equal
  /// rows are in one part.
  fileprivate var inParts: TrainingSet {
    relabelled { row in
      var hash = StableHash()
      // Adding 0 turns −0 into +0.
      for value in features(ofRow: row) { hash.add(UInt64((value + 0).bitPattern)) }
      var origin = origin(ofRow: row)
      origin.person = "\((hash.value ^ hash.value >> 32) % TableTrainer.parts)"
      return (activities[row], origin)
    }
  }
}

/// A classifier of the rows of a table, with calibrated probabilities.
package struct TableClassifier: Sendable, Equatable, Codable {
  /// The linear model in double precision.
  package var fit: HingeRidgeTrainer.Fit
  /// Divides the scores before the softmax.
  package var temperature: Double
  /// What tells custom classes from ordinary ones; nil without any.
  package var custom: Custom?

  /// `ActivityModel.CustomTerm` in double precision.
  package struct Custom: Sendable, Equatable, Codable {
    /// The names of the classes in the order of the scores.
    package var names: [String]
    /// What each behaves like; nil for none of the activities.
    var activities: [Activity?]
    var basis: HingeBasis
    var weights: [Double]

    init(_ term: ActivityModel.CustomTerm) {
      names = term.activities.map(\.name)
      activities = term.activities.map(\.behavesLike)
      basis = HingeBasis(term.function)
      weights = term.function.weights.map { Double($0) }
    }

    var term: ActivityModel.CustomTerm {
      .init(
        activities: zip(names, activities).compactMap {
          CustomActivity(name: $0, behavesLike: $1)
        }, function: basis.function(weights: weights.map { Float($0) }))
    }

    /// The probabilities of `classes`, of which the custom ones take their parts, and then theirs:
    /// as the device's filter combines a first window with its prior.
    func divide(
      _ probabilities: [Double], of classes: [Activity], _ features: some Collection<Float>
    ) -> [Double] {
      let ratios = basis.scores(features, weights: weights).map { exp(max(-13.8, min(13.8, $0))) }
      func sum(of activity: Activity?) -> Double {
        zip(activities, ratios).reduce(0) { $1.0 == activity ? $0 + $1.1 : $0 }
      }
      let ordinary = Double(classes.count)
      let whole = ordinary + sum(of: nil)
      let inside = ordinary / whole
      let shares = zip(classes, probabilities).map { $1 * inside / (1 + sum(of: $0)) }
      let own = zip(activities, ratios).map { activity, ratio in
        guard let activity else { return ratio / whole }
        return classes.firstIndex(of: activity).map { shares[$0] * ratio } ?? 0
      }
      return shares + own
    }
  }

  /// A classifier from its parts.
  ///
  /// - Precondition: the temperature is positive.
  init(fit: HingeRidgeTrainer.Fit, temperature: Double) {
    precondition(temperature > 0, "expected a positive temperature, got \(temperature)")
    self.fit = fit
    self.temperature = temperature
  }

  /// The probabilities of the classes of ``fit``, in their order, then of the custom ones.
  ///
  /// - Precondition: there is one feature per feature of the fit's basis.
  package func probabilities(_ features: some Collection<Float>) -> [Double] {
    let probabilities = TemperatureCalibration.probabilities(
      scores: fit.scores(features), temperature: temperature)
    return custom?.divide(probabilities, of: fit.classes, features) ?? probabilities
  }

  /// The same classifier as a model for the phone, in single precision.
  ///
  /// The temporal filter, its temperatures and the limit of confidence are those of `base`, and so
  /// is nothing else.
  ///
  /// - Parameter base: The model that says how windows are combined over time.
  /// - Returns: The model, whose manifest is empty.
  package func model(asIn base: ActivityModel = .default) -> ActivityModel {
    var calibration = ModelCalibration(of: base)
    calibration.windowTemperature = temperature
    var parameters = ActivityModel.Parameters(fit, calibration)
    parameters.custom = custom?.term
    return ActivityModel(parameters)
  }

  /// The classifier of a model for the phone: its windows on their own, without rotation rates.
  package init(_ model: ActivityModel) {
    let parameters = model.parameters
    self.init(fit: .init(of: parameters), temperature: Double(parameters.windowTemperature))
    custom = parameters.custom.map { Custom($0) }
  }
}
