import Locomotion

/// The table of `locate`: one row per fix.
struct LocationTable {
  static let header = "t,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status\n"

  private var output: TextOutput
  private var line = CSVLine()

  init(_ output: TextOutput) throws {
    self.output = output
    try self.output.write(Self.header)
  }

  mutating func write(_ report: FixReport) throws {
    line.removeAll()
    line.add(nanoseconds: report.fix.timestamp.nanoseconds)
    line.add(report.location?.latitude, decimals: 8)
    line.add(report.location?.longitude, decimals: 8)
    line.add(report.location?.radius68, decimals: 2)
    line.add(report.location?.speed, decimals: 3)
    line.add(report.location?.speedDeviation, decimals: 3)
    // 359.96 would be rounded to 360.0, which is not a valid course.
    line.add(report.location?.course.map { $0 < 359.95 ? $0 : 0 }, decimals: 1)
    line.add(1 - report.moving.probability, decimals: 4)
    line.add(Self.column(report.moving.state))
    line.add(report.status.name)
    try output.write(line)
  }

  mutating func finish() throws { try output.finish() }

  /// 1 moving, 0 not, nil undecided.
  private static func column(_ state: MovingState) -> String? {
    switch state {
    case .moving: "1"
    case .stationary: "0"
    case .uncertain: nil
    }
  }
}

/// The table of `cadence`: one row per second with accelerations.
struct CadenceTable {
  static let header = "t_start,t_end,cadence,confidence,steps\n"

  private var output: TextOutput
  private var line = CSVLine()

  init(_ output: TextOutput) throws {
    self.output = output
    try self.output.write(Self.header)
  }

  mutating func write(_ sample: LocomotionSample) throws {
    guard sample.activity != nil else { return }
    line.removeAll()
    line.add(nanoseconds: sample.start.nanoseconds)
    line.add(nanoseconds: sample.end.nanoseconds)
    line.add(sample.cadence?.stepsPerMinute, decimals: 2)
    line.add(sample.cadence?.confidence, decimals: 4)
    line.add(sample.steps, decimals: 3)
    try output.write(line)
  }

  mutating func finish() throws { try output.finish() }
}

/// The table of `classify`: one row per second with accelerations.
struct ActivityTable {
  static var header: String {
    let columns = Activity.allCases.map { "p_\($0.name)" }.joined(separator: ",")
    return "t_start,t_end,activity,\(columns)\n"
  }

  private var output: TextOutput
  private var line = CSVLine()

  init(_ output: TextOutput) throws {
    self.output = output
    try self.output.write(Self.header)
  }

  mutating func write(_ sample: LocomotionSample) throws {
    guard let decision = sample.activity else { return }
    line.removeAll()
    line.add(nanoseconds: sample.start.nanoseconds)
    line.add(nanoseconds: sample.end.nanoseconds)
    line.add(decision.activity?.name ?? "unknown")
    for activity in Activity.allCases {
      line.add(decision.probabilities[activity], decimals: 5)
    }
    try output.write(line)
  }

  mutating func finish() throws { try output.finish() }
}

/// The table of `classify --explain`: five rows per second with a full window.
struct ExplanationTable {
  static let header = "t_end,activity,runner_up,feature,value,contribution\n"
  /// The rows per decision.
  static let length = 5
  /// The names of the features of both sensors, in the order of an explanation.
  private static let names =
    FeatureExtractor.schema.features.map(\.id) + RotationFeatureExtractor.schema.features.map(\.id)

  private var output: TextOutput
  private var line = CSVLine()
  private let model: ActivityModel

  init(_ output: TextOutput, model: ActivityModel) throws {
    self.output = output
    self.model = model
    try self.output.write(Self.header)
  }

  /// Explains the sample's decision by the features of its window, if there was one.
  mutating func write(_ sample: LocomotionSample, _ window: WindowFeatures?) throws {
    guard let decision = sample.activity, let window,
      [nil, .lowConfidence].contains(decision.unknownReason)
    else { return }
    let activity = decision.activity ?? decision.probabilities.answer
    let rival = decision.probabilities.runnerUp(to: activity)
    let explanation = model.explanation(
      of: window.accelerations.span, rotation: window.rotation.span)
    let arguments = explanation.arguments(for: activity, against: rival)
    for argument in arguments.prefix(Self.length) {
      line.removeAll()
      line.add(nanoseconds: sample.end.nanoseconds)
      line.add(activity.name)
      line.add(rival.name)
      line.add(Self.names[argument.feature])
      line.add(argument.value, decimals: 5)
      line.add(argument.contribution, decimals: 5)
      try output.write(line)
    }
  }

  mutating func finish() throws { try output.finish() }
}
