public import LocomotionActivityRecognition

/// Fits what tells custom activities from the ordinary kind of the activity that they behave like.
///
/// For each activity of the six that custom ones behave like, a ``HingeRidgeTrainer`` discriminates
/// its ordinary windows and those of each custom kind; for those that behave like none, theirs and
/// all windows of the six. The score of a custom activity is the difference of its score from the
/// ordinary kind's, divided by the temperature that calibrates the windows of people (or
/// recordings) left out. The scores of the six are not touched.
public struct CustomTermTrainer: Sendable {
  /// How well a custom activity and the ordinary kind are told apart, window by window.
  public struct Score: Sendable, Equatable, Codable {
    /// The custom activity's name.
    public var name: String
    /// The name of the activity that it behaves like; nil for none.
    public var behavesLike: String?
    /// Its windows as recorded.
    public var windows: Int
    /// Its people.
    public var people: Int
    /// Who was left out in turn; nil when the figures are those of windows trained on.
    public var leftOut: ModelAdapter.LeftOut?
    /// The fraction of its windows that are recognised, 0 to 1; nil without any.
    public var recall: Double?
    /// Windows of the ordinary kind as recorded.
    public var ordinaryWindows: Int
    /// The fraction of the ordinary windows that are taken for no custom activity, 0 to 1.
    public var ordinaryRecall: Double?
  }

  /// The most custom activities that may behave like one activity.
  static let mostAlike = Activity.allCases.count - 1

  /// The settings of the ridge regression.
  public let settings: HingeRidgeTrainer.Settings
  /// The temperature where nothing can be left out.
  ///
  /// `ActivityModel.Parameters.windowTemperature` of the model that the term is for.
  let temperature: Double

  /// A trainer with the given settings.
  ///
  /// - Precondition: the temperature is positive.
  public init(settings: HingeRidgeTrainer.Settings = .init(), temperature: Double) {
    precondition(temperature > 0, "expected a positive temperature, got \(temperature)")
    self.settings = settings
    self.temperature = temperature
  }

  /// Fits a term.
  ///
  /// - Parameters:
  ///   - activities: The custom activities, 1 to 8 of different names.
  ///   - set: Windows of the six and of custom activities that behave like one of them, which
  ///     ``RecordingOrigin/customActivity`` names.
  ///   - outside: Windows of custom activities that behave like none.
  /// - Returns: The term, and how well each custom activity is recognised when its people are left
  ///   out.
  /// - Throws: ``TrainingError/noWindows(customActivity:)``,
  ///   ``TrainingError/nothingOrdinary(customActivity:behavesLike:)``,
  ///   ``TrainingError/tooManyAlike(found:limit:)`` or
  ///   ``TrainingError/notPositiveDefinite(minorOrder:)``.
  public func train(
    _ activities: [CustomActivity], on set: TrainingSet, outside: TrainingSet
  ) throws(TrainingError) -> (term: ActivityModel.CustomTerm, scores: [Score]) {
    var all = set
    all.append(contentsOf: outside)
    guard all.count > 0 else { throw .empty }
    let trainer = HingeRidgeTrainer(settings: settings)
    let basis = trainer.basis(for: all)
    var rows = [[Float]](repeating: [], count: activities.count)
    var scores: [Score] = []
    for kinds in Self.kinds(activities) {
      let windows = try kinds.windows(of: set, outside: outside)
      let heldOut = try heldOutScores(windows, kinds, basis, trainer)
      let temperature =
        heldOut.map { $0.scores.temperature(on: $0.set, balance: settings.balance) }
        ?? self.temperature
      let fit = try trainer.train(on: windows, basis: basis)
      var prices = [Double](repeating: 0, count: kinds.indices.count + 1)
      for (code, index) in kinds.indices.enumerated() {
        rows[index] = fit.logRatios(ofClass: code + 1, temperature: temperature)
        // What has no name of its own is an answer lost: few may be.
        guard activities[index] == .other, let heldOut else { continue }
        prices[code + 1] = heldOut.scores.falseScore(
          of: code + 1, on: heldOut.set, balance: settings.balance)
        rows[index][0] -= Float(prices[code + 1] / temperature)
      }
      scores += kinds.scores(heldOut?.set ?? windows, leftOut: heldOut?.leftOut) { window in
        if let scores = heldOut?.scores {
          return scores.hasModel[window] ? scores.mostLikely(ofWindow: window, less: prices) : nil
        }
        let values = fit.scores(windows.features(ofRow: window))
        return fit.classes[values.firstIndexOfMaximum]
      }
    }
    let term = ActivityModel.CustomTerm(
      activities: activities, function: basis.function(weights: rows.flatMap { $0 }))
    return (term, activities.compactMap { own in scores.first { $0.name == own.name } })
  }

  /// How well the custom activities of `model` are recognised in labelled windows.
  ///
  /// - Parameters:
  ///   - model: A model with custom activities.
  ///   - set: Windows as in ``train(_:on:outside:)``.
  ///   - outside: Windows as in ``train(_:on:outside:)``.
  /// - Returns: One score per custom activity that has windows.
  public static func scores(
    of model: ActivityModel, on set: TrainingSet, outside: TrainingSet
  ) -> [Score] {
    var scores: [Score] = []
    for kinds in kinds(model.customActivities) {
      let windows = kinds.presentWindows(of: set, outside: outside)
      scores += kinds.scores(windows, leftOut: nil) { window in
        guard let found = model.customScores(of: windows.features(ofRow: window).span) else {
          return nil
        }
        let best = kinds.indices.enumerated().max { found[$0.element] < found[$1.element] }
        return best.flatMap { found[$0.element] > 0 ? $0.offset + 1 : 0 }
          .flatMap(Activity.init(rawValue:))
      }.filter { $0.windows > 0 }
    }
    return scores
  }

  /// The custom activities by what they behave like.
  private static func kinds(_ activities: [CustomActivity]) -> [CustomKinds] {
    Dictionary(grouping: activities.indices) { activities[$0].behavesLike }
      .sorted { $0.value[0] < $1.value[0] }
      .map { activity, indices in
        CustomKinds(
          activity: activity, indices: indices, names: indices.map { activities[$0].name })
      }
  }

  private typealias HeldOut = (
    set: TrainingSet, scores: CrossValidation, leftOut: ModelAdapter.LeftOut
  )

  /// The scores with people left out, or recordings where a kind has one person; nil where neither
  /// leaves windows of every kind to train on.
  private func heldOutScores(
    _ windows: TrainingSet, _ kinds: CustomKinds, _ basis: HingeBasis, _ trainer: HingeRidgeTrainer
  ) throws(TrainingError) -> HeldOut? {
    func fewest(_ name: (RecordingOrigin) -> String) -> Int {
      windows.classes.map { activity in
        Set(
          (0..<windows.count).filter { windows.activities[$0] == activity }
            .map { name(windows.origin(ofRow: $0)) }
        ).count
      }.min() ?? 0
    }
    let hasPeople = fewest(\.subject) > 1
    guard hasPeople || fewest({ "\($0.dataset)/\($0.recording)" }) > 1 else { return nil }
    let folded = hasPeople ? windows : windows.recordingsAsPeople
    let scores = try trainer.heldOutScores(on: folded, leavingOut: .subject, basis: basis)
    return (folded, scores, hasPeople ? .people : .recordings)
  }
}

/// The custom activities that behave like the same activity, or like none.
///
/// Trainers know no classes but the six. The kinds are coded as the first of them: the ordinary
/// kind is the activity of raw value 0, the custom ones follow.
private struct CustomKinds {
  /// What they behave like; nil for none.
  var activity: Activity?
  /// Their positions in the model.
  var indices: [Int]
  var names: [String]

  /// The windows of all kinds, coded.
  func windows(
    of set: TrainingSet, outside: TrainingSet
  ) throws(TrainingError) -> TrainingSet {
    guard names.count <= CustomTermTrainer.mostAlike else {
      throw .tooManyAlike(found: names.count, limit: CustomTermTrainer.mostAlike)
    }
    let coded = presentWindows(of: set, outside: outside)
    let present = Set(coded.activities)
    for (code, name) in names.enumerated() {
      let isPresent = present.contains { $0.rawValue == code + 1 }
      guard isPresent else { throw .noWindows(customActivity: name) }
    }
    guard present.contains(where: { $0.rawValue == 0 }) else {
      throw .nothingOrdinary(customActivity: names[0], behavesLike: activity)
    }
    return coded
  }

  /// The same, whatever is missing.
  func presentWindows(of set: TrainingSet, outside: TrainingSet) -> TrainingSet {
    guard let activity else {
      var windows = set.relabelled { row in
        Activity(rawValue: 0).map { ($0, set.origin(ofRow: row)) }
      }
      windows.append(contentsOf: outside.relabelled { coded($0, of: outside) })
      return windows
    }
    return set.relabelled { set.activities[$0] == activity ? coded($0, of: set) : nil }
  }

  /// The code and the origin of a row; nil for other custom activities.
  private func coded(_ row: Int, of set: TrainingSet) -> (Activity, RecordingOrigin)? {
    let origin = set.origin(ofRow: row)
    let code =
      origin.customActivity.isEmpty
      ? 0 : names.firstIndex(of: origin.customActivity).map { $0 + 1 }
    return code.flatMap(Activity.init(rawValue:)).map { ($0, origin) }
  }

  /// The score of each kind on coded windows, given the code that each was recognised as; nil
  /// leaves the window out.
  func scores(
    _ windows: TrainingSet, leftOut: ModelAdapter.LeftOut?, recognised: (Int) -> Activity?
  ) -> [CustomTermTrainer.Score] {
    var right = [Int](repeating: 0, count: names.count + 1)
    var total = right
    var people = [Set<String>](repeating: [], count: names.count + 1)
    for row in 0..<windows.count where windows.origin(ofRow: row).isAsRecorded {
      guard let answer = recognised(row) else { continue }
      let truth = windows.activities[row].rawValue
      total[truth] += 1
      if answer.rawValue == truth { right[truth] += 1 }
      people[truth].insert(windows.origin(ofRow: row).subject)
    }
    return names.enumerated().map { index, name in
      CustomTermTrainer.Score(
        name: name, behavesLike: activity?.name, windows: total[index + 1],
        people: people[index + 1].count, leftOut: leftOut,
        recall: ratio(right[index + 1], total[index + 1]),
        ordinaryWindows: total[0], ordinaryRecall: ratio(right[0], total[0]))
    }
  }
}

extension HingeRidgeTrainer.Fit {
  /// The weights of a class less those of the first, divided by `temperature`.
  fileprivate func logRatios(ofClass code: Int, temperature: Double) -> [Float] {
    guard let row = classes.firstIndex(where: { $0.rawValue == code }) else { return [] }
    let width = basis.columnCount
    return (0..<width).map {
      Float((weights[row * width + $0] - weights[$0]) / temperature)
    }
  }
}

extension CrossValidation {
  /// What the score of a class exceeds that of the first one by in 5 % of the first one's windows;
  /// 0 where that is negative.
  ///
  /// On sets left out .4 points of the right answers are lost to 4 %; what is none of the six is
  /// then told as travel in .01 to .17 of its time more.
  fileprivate func falseScore(
    of code: Int, on set: TrainingSet, balance: WindowBalance
  ) -> Double {
    guard let own = classes.firstIndex(where: { $0.rawValue == code }) else { return 0 }
    let windows = evaluatedWindows(of: set).filter { set.activities[$0] == classes[0] }
    let differences = windows.map { window in
      let scores = scores(ofWindow: window)
      return Float(scores[scores.startIndex + own] - scores[scores.startIndex])
    }
    let weights = balance.weights(for: set.rows(windows))
    let quantiles = WeightedQuantiles(weights: weights).quantiles(of: differences, at: [0.95])
    return max(0, Double(quantiles[0]))
  }
}
