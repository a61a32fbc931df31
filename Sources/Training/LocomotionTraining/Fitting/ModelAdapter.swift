public import LocomotionActivityRecognition

/// Adapts a model to the people of some recordings.
///
/// The labels are cut into stretches, from which the base learns as from its owner's corrections
/// (`ActivityModel.learning(from:)`): it is held where other people's windows are, by the second
/// moments of the windows that it was trained on, none of which is needed. Its temporal model, its
/// calibration and its further terms stay. Of more than `ActivityModel.mostStretches` stretches
/// those count that an even draw from each person's activities gives.
///
/// ## Accuracy
/// Error of single windows, activities alike, by bases trained without the data set; the peer is a
/// ridge towards the base's weights, whose strength is chosen by leaving people out:
///
/// | learned from | judged by | base | this | peer | others lose, points | by the peer |
/// |---|---|---|---|---|---|---|
/// | half of their recordings, 71 people | the other half | 14.9 % | 7.9 % | 11.2 % | 0.3 | 2.0 |
/// | all other people of the set, 48 | the person | 8.4 % | 6.0 % | 5.7 % | 0.6 | 0.8 |
public struct ModelAdapter: Sendable {
  /// What is left out in turn to evaluate what was learned.
  public enum LeftOut: String, Sendable, Hashable, Codable {
    /// One person.
    case people
    /// One recording of the only person.
    case recordings
  }

  /// The seed of the choice among many stretches, and of the order of the streams.
  public let seed: UInt64

  /// An adapter that draws by `seed`.
  public init(seed: UInt64 = 1) { self.seed = seed }

  /// Adapts `base` to `set`.
  ///
  /// Windows of classes that the base lacks are skipped.
  ///
  /// - Returns: The model, and a report whose `unseenPeople` evaluates people, or recordings, by
  ///   what the others taught; when nothing can be left out it evaluates the model on its training
  ///   data, and its name states that.
  /// - Throws: ``TrainingError/empty`` when no window is of a class that the base has.
  /// - Precondition: the base and the set have the same number of features.
  public func train(
    from base: ActivityModel, on set: TrainingSet
  ) throws(TrainingError) -> (model: ActivityModel, report: TrainingReport) {
    precondition(
      base.featureCount == set.featureCount,
      "expected \(base.featureCount) features, got \(set.featureCount)")
    let known = set.filter { activity, _ in base.parameters.classes.contains(activity) }
    guard known.count > 0 else { throw .empty }
    let leftOut = Self.leftOut(of: known)
    let folded = leftOut == .recordings ? known.recordingsAsPeople : known
    let stretches = folded.labelStretches { !$0.isAltered }
    let learned = base.learning(from: stated(stretches, in: folded))

    var report = TrainingReport(set: known, calibratedAs: base, seed: seed)
    report.adaptation = TrainingReport.Adaptation(
      outcome: learned.outcome, stretches: learned.stretches, contradicted: learned.contradicted,
      leftOut: leftOut, base: EvaluationReport(of: base, on: known, seed: seed),
      baseManifest: ModelManifest(of: base))
    report.unseenPeople = evaluation(of: learned.model, leftOut, base, folded, stretches)
    var parameters = learned.model.parameters
    parameters.manifest = ModelManifest(report).json
    return (ActivityModel(parameters), report)
  }

  /// Evaluates people, or recordings, each by what the others taught.
  private func evaluation(
    of model: ActivityModel, _ leftOut: LeftOut?, _ base: ActivityModel, _ set: TrainingSet,
    _ stretches: [TrainingSet.LabelStretch]
  ) -> EvaluationReport {
    guard let leftOut else {
      return EvaluationReport(named: "windows trained on", on: set, seed: seed, by: [model])
    }
    let people = Set(set.origins.map(\.subject)).sorted()
    let models = people.map { person in
      base.learning(from: stated(stretches.filter { $0.subject != person }, in: set)).model
    }
    let places = Dictionary(uniqueKeysWithValues: zip(people, people.indices))
    return EvaluationReport(
      named: "\(leftOut.rawValue) not trained on", on: set, seed: seed, by: models
    ) { places[set.origin(ofRow: $0).subject] ?? 0 }
  }

  private static func leftOut(of set: TrainingSet) -> LeftOut? {
    if set.countsBySubject.count > 1 { return .people }
    return Set(set.origins.map(\.recording)).count > 1 ? .recordings : nil
  }

  /// The stretches that count, as their owner would state them.
  private func stated(
    _ stretches: [TrainingSet.LabelStretch], in set: TrainingSet
  ) -> [LabelledStretch] {
    var random = SeededGenerator(seed: seed)
    var drawn: [String: Int] = [:]
    let ranked = stretches.shuffled(using: &random).map { stretch in
      let kind = "\(stretch.activity.rawValue) \(stretch.subject)"
      drawn[kind, default: 0] += 1
      return (rank: drawn[kind] ?? 0, stretch: stretch)
    }
    let order = ranked.indices.sorted { (ranked[$0].rank, $0) < (ranked[$1].rank, $1) }
    return order.prefix(ActivityModel.mostStretches).map { set.stated(ranked[$0].stretch) }
  }
}
