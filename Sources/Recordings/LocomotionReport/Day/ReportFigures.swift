import Locomotion

/// The sums and fractions that all reports show.
struct ReportFigures: Sendable {
  /// The number of seconds without a named activity, by reason.
  struct Unknown: Sendable {
    var reason: ActivityDecision.UnknownReason?
    var seconds: Int
  }

  /// The sums by kind of the items, from the first one to the last.
  let totals: Totals
  /// The reasons that occur, in decreasing order of seconds; a nil reason is "no decision at all".
  let unknowns: [Unknown]
  /// Samples with a location, with accelerations, with a rotation rate.
  let located: Int
  let accelerated: Int
  let rotated: Int
  let sampleCount: Int
  /// The mean claimed radius of the locations, metres.
  let meanRadius: Double?
  /// Mean cadence of the seconds that have one, steps per minute.
  let meanCadence: Double?

  /// "8 stays" and "6 trips", without what there is none of.
  var counts: [String] {
    [(totals.stays, "stay"), (totals.trips, "trip")].filter { $0.0 > 0 }
      .map(ReportFormatting.plural)
  }

  /// The counts as a sentence's beginning.
  var countsInWords: String {
    counts.isEmpty ? "No stay and no trip" : counts.joined(separator: " and ")
  }

  /// What the first glance is for: of an activity its motion, of a day what there is of it.
  ///
  /// What a recording cannot have, as steps without accelerations, is missing.
  func key(of activity: ReportActivity?, in units: ReportUnits) -> [PageDocument.Figure] {
    if let activity { return activity.figures(in: units) }
    let known = totals.known
    let recorded = ReportFormatting.duration(totals.seconds)
    let travel = ReportFormatting.duration(totals.travel.seconds)
    var key: [PageDocument.Figure] = [
      totals.trips == 0 ? ("Recorded", recorded, "") : ("On the way", travel, "of \(recorded)")
    ]
    if hasLocation {
      key.append(
        (
          "Distance", known.way(in: units) ?? (totals.trips == 0 ? "no trip" : "unknown"),
          meanRadius.map { "mean radius \(units.distance($0))" } ?? ""
        ))
    }
    if let change = known.altitudeChange, let climb = units.climb(change) {
      let metres = ReportFormatting.fixed(change.climb / units.short, 0)
      key.append(("Climb", "\(metres) \(units.shortName)", climb))
    }
    if hasAcceleration {
      key.append(
        (
          "Steps", ReportFormatting.count(known.steps),
          meanCadence.map { "\(ReportFormatting.fixed($0, 0)) per minute on average" }
            ?? "none counted"
        ))
    }
    return key
  }

  var hasLocation: Bool { located > 0 }
  var hasAcceleration: Bool { accelerated > 0 }

  init(_ analysis: AnalysisResult) {
    totals = Totals(of: analysis.items, from: analysis.start, to: analysis.end)
    let samples = analysis.samples
    sampleCount = samples.count
    accelerated = samples.count { $0.hasAccelerations }
    rotated = samples.count { $0.hasRotation }
    let radii = samples.compactMap { $0.radius68 }
    located = radii.count
    meanRadius = Self.mean(radii)
    meanCadence = Self.mean(samples.compactMap { $0.cadence })
    unknowns = Self.unknowns(of: samples)
  }

  /// The seconds without an activity, by reason, the most frequent first.
  private static func unknowns(of samples: [ReportSample]) -> [Unknown] {
    var seconds: [ActivityDecision.UnknownReason?: Int] = [:]
    for sample in samples where sample.activity == nil {
      seconds[sample.unknownReason, default: 0] += 1
    }
    let reasons = ActivityDecision.UnknownReason.allCases.map(Optional.init) + [nil]
    return reasons.compactMap { reason in
      seconds[reason].map { Unknown(reason: reason, seconds: $0) }
    }.sorted { $0.seconds > $1.seconds }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

extension Totals.Kind {
  var name: String {
    switch self {
    case .stay: "at a place"
    case .travel(let activity?): activity.name
    case .travel(nil): "on the way, mode unknown"
    case .gap: "gap in the data"
    }
  }
}

extension Totals.Part {
  /// The distance with its standard deviation where that is large; nil where it is unknown.
  func way(in units: ReportUnits) -> String? {
    distance.map { units.distance($0, deviation: distanceDeviation) }
  }

  /// The steps as a whole number; nil where there are none, as without accelerations.
  var countedSteps: String? { steps >= 0.5 ? ReportFormatting.count(steps) : nil }
}

extension ReportFigures.Unknown {
  /// A short name of the reason, and what it means.
  var words: (name: String, explanation: String) {
    switch reason {
    case .notEnoughData:
      (
        "not enough data",
        "the window was too short: after a start or a gap, or at too low a rate"
      )
    case .badSignal:
      (
        "bad signal",
        "no carried phone gives such a signal: saturated, in free fall or misscaled"
      )
    case .lowConfidence: ("low confidence", "no class was probable enough")
    case .customActivity:
      ("none of the six", "such as rowing, climbing or chores, which the model knows as no travel")
    case nil: ("no accelerations", "the second has no accelerations")
    }
  }
}
