import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import LocomotionTraining

/// A table of comma-separated values on its way out: a header, and the rows of one item after
/// another.
///
/// Call ``finish()`` at the end: what is still held is written then.
struct CSVTable<Item> {
  private var output: TextOutput
  private var line = CSVLine()
  private let rows: (Item, _ row: ((inout CSVLine) throws -> Void) throws -> Void) throws -> Void

  /// Writes the header; `rows` calls `row` for each row of an item.
  init(
    _ output: TextOutput, header: String,
    rows: @escaping (Item, _ row: ((inout CSVLine) throws -> Void) throws -> Void) throws -> Void
  ) throws {
    self.output = output
    self.rows = rows
    try self.output.write(header + "\n")
  }

  mutating func write(_ item: Item) throws {
    try rows(item) { fill in
      line.removeAll()
      try fill(&line)
      try output.write(line)
    }
  }

  mutating func finish() throws { try output.finish() }

  /// Writes the last items and ends the table.
  mutating func finish(with items: some Sequence<Item>) throws {
    for item in items { try write(item) }
    try finish()
  }

  /// Writes the items of a recording and ends the table: as they come when `isLive`, else at its
  /// end, or that of each of its parts, as `revise` makes them.
  mutating func write(
    _ items: KeyPath<LocomotionOutput, [Item]>, of source: RecordingSource,
    by replay: inout RecordingReplay, isLive: Bool, revise: (inout [Item]) throws -> Void
  ) throws {
    var held: [Item] = []
    try replay.run(source) { batch, output in
      held += output[keyPath: items]
      guard isLive || batch.isEmpty else { return }
      if !isLive { try revise(&held) }
      for item in held { try write(item) }
      held.removeAll(keepingCapacity: true)
    }
    try finish()
    source.tell(replay.report)
  }

  /// Writes a table, by default to standard output, a row for each item.
  static func print(
    _ items: some Sequence<Item>, to output: TextOutput = .standard, header: String,
    row: @escaping (Item, inout CSVLine) throws -> Void
  ) throws {
    var table = try Self(output, header: header) { item, add in try add { try row(item, &$0) } }
    try table.finish(with: items)
  }
}

extension CSVTable<FixReport> {
  /// The table of `locate`: one row per fix.
  static func locations(_ output: TextOutput) throws -> Self {
    let header = "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status,alt,alt_sd"
    return try Self(output, header: header) { report, row in
      try row { line in
        line.add(nanoseconds: report.fix.timestamp.nanoseconds)
        line.add(report.location?.latitude, decimals: 8)
        line.add(report.location?.longitude, decimals: 8)
        line.add(report.location?.radius68, decimals: 2)
        line.add(report.location?.speed, decimals: 3)
        line.add(report.location?.speedDeviation, decimals: 3)
        // 359.96 would be rounded to 360.0, which no course is.
        line.add(report.location?.course.map { $0 < 359.95 ? $0 : 0 }, decimals: 1)
        line.add(1 - report.moving.probability, decimals: 4)
        line.add(column(report.moving.state))
        line.add(report.status.name)
        line.add(report.location?.altitude, decimals: 2)
        line.add(report.location?.altitudeDeviation, decimals: 2)
      }
    }
  }

  /// 1 moving, 0 not, nil undecided.
  private static func column(_ state: MovingState) -> String? {
    switch state {
    case .moving: "1"
    case .stationary: "0"
    case .uncertain: nil
    }
  }
}

extension CSVTable<LocomotionSample> {
  /// The table of `cadence`: one row per second with accelerations.
  static func cadences(_ output: TextOutput) throws -> Self {
    try Self(output, header: "t_start,t_end,cadence,confidence,steps") { sample, row in
      guard sample.hasWindow else { return }
      try row { line in
        line.add(nanoseconds: sample.start.nanoseconds)
        line.add(nanoseconds: sample.end.nanoseconds)
        line.add(sample.cadence?.stepsPerMinute, decimals: 2)
        line.add(sample.cadence?.confidence, decimals: 4)
        line.add(sample.steps, decimals: 3)
      }
    }
  }

  /// The table of `classify`: one row per second with accelerations.
  ///
  /// A model's custom activities add a column `custom` and one per custom activity: the probability
  /// of this kind of the activity that it behaves like.
  static func activities(
    _ output: TextOutput, custom: [CustomActivity] = []
  ) throws -> Self {
    var columns = Activity.allCases.map { "p_\($0.name)" }
    if !custom.isEmpty { columns += ["custom"] + custom.map { "p_\($0.name)" } }
    let header = "t_start,t_end,activity," + columns.joined(separator: ",")
    return try Self(output, header: header) { sample, row in
      guard let decision = sample.activity else { return }
      try row { line in
        line.add(nanoseconds: sample.start.nanoseconds)
        line.add(nanoseconds: sample.end.nanoseconds)
        line.add(decision.activity?.name ?? "unknown")
        for activity in Activity.allCases {
          line.add(decision.probabilities[activity], decimals: 5)
        }
        guard !custom.isEmpty else { return }
        line.add(decision.customActivity?.name)
        for (index, activity) in custom.enumerated() {
          let share = activity.behavesLike.map { decision.probabilities[$0] } ?? 1
          line.add(decision.customProbabilities.map { share * $0[index] }, decimals: 5)
        }
      }
    }
  }
}

/// A sample and the features of its window, if there was one.
struct ExplainedSample {
  var sample: LocomotionSample
  var window: WindowHistory.Features?
}

extension CSVTable<ExplainedSample> {
  /// The table of `classify --explain`: the answer of each second with a full window, by the five
  /// features that contribute most.
  static func explanations(_ output: TextOutput, model: ActivityModel) throws -> Self {
    let names = (FeatureExtractor.schema.features + RotationFeatureExtractor.schema.features)
      .map(\.id)
    let header = "t_end,activity,runner_up,feature,value,contribution"
    return try Self(output, header: header) { item, row in
      guard let decision = item.sample.activity, let window = item.window,
        [nil, .lowConfidence].contains(decision.unknownReason)
      else { return }
      let activity = decision.activity ?? decision.probabilities.answer
      let rival = decision.probabilities.runnerUp(to: activity)
      let (accelerations, rotation) = (window.accelerations[...], window.rotation[...])
      let explanation = model.explanation(of: accelerations.span, rotation: rotation.span)
      for argument in explanation.arguments(for: activity, against: rival).prefix(5) {
        try row { line in
          line.add(nanoseconds: item.sample.end.nanoseconds)
          line.add(activity.name)
          line.add(rival.name)
          line.add(names[argument.feature])
          line.add(argument.value, decimals: 5)
          line.add(argument.contribution, decimals: 5)
        }
      }
    }
  }
}

extension CSVTable<Int> {
  /// Writes labelled windows for models of other tools on the same windows and folds.
  ///
  /// One row per window: data set, person, recording, variant (empty for windows as recorded), the
  /// end in seconds, the activity, whether it is altered, the speed; the features by name; and the
  /// scores by additive hinges trained without the window's data set, empty where there are none.
  /// With several data sets one model per data set is trained.
  static func writeWindows(_ set: TrainingSet, to file: OutputFile) throws {
    let heldOut =
      set.countsByDataset.count > 1
      ? try HingeRidgeTrainer().heldOutScores(on: set, leavingOut: .dataset) : nil
    let columns =
      ["dataset", "person", "recording", "variant", "altered", "end", "activity", "speed"]
      + FeatureExtractor.schema.features.map { CSVLine.quoted($0.id) }
      + (heldOut?.classes ?? []).map { "score_\($0.name)" }
    try print(0..<set.count, to: TextOutput(file), header: columns.joined(separator: ",")) {
      row, line in
      let origin = set.origin(ofRow: row)
      for text in [origin.dataset, origin.person, origin.recording, origin.variant] {
        line.add(CSVLine.quoted(text))
      }
      line.add(origin.isAltered ? "1" : "0")
      line.add(nanoseconds: set.ends[row].nanoseconds)
      line.add(set.activities[row].name)
      line.add(set.speeds[row], decimals: 3)
      for value in set.features(ofRow: row) { line.add(value, decimals: 6) }
      if let heldOut {
        for value in heldOut.scores(ofWindow: row) {
          line.add(heldOut.hasModel[row] ? value : nil, decimals: 6)
        }
      }
    }
  }
}
