import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
import LocomotionSensing

/// The sums and fractions that all reports show.
package struct ReportFigures: Sendable {
  /// The kind of a part of the time.
  enum Kind: Hashable, Sendable {
    case stay
    case travel(Activity?)
    case gap

    /// All kinds in the order of the tables.
    static let inOrder =
      [Kind.stay] + Activity.allCases.map { .travel($0) } + [.travel(nil), .gap]

    var name: String {
      switch self {
      case .stay: "at a place"
      case .travel(let activity?): activity.name
      case .travel(nil): "on the way, mode unknown"
      case .gap: "gap in the data"
      }
    }
  }

  /// The time, distance and steps of one kind.
  package struct Total: Sendable {
    var kind: Kind
    package var seconds: Double
    var distance: Double?
    package var steps: Double?
    /// The variance of ``distance``, m².
    var variance = 0.0

    /// The distance with its standard deviation where that is large; nil where it is unknown.
    func way(in units: ReportUnits) -> String? {
      distance.map { units.distance($0, deviation: variance.squareRoot()) }
    }
  }

  /// The number of seconds without a named activity, by reason.
  package struct Unknown: Sendable {
    var reason: ActivityDecision.UnknownReason?
    package var seconds: Int
  }

  package let span: Double
  package let stays: Int
  package let trips: Int
  /// The distance of all legs, metres; nil when none knows its own.
  package let distance: Double?
  package let steps: Double
  /// What all items climbed and descended, and between which altitudes; nil without altitudes.
  let altitudeChange: AltitudeChange?
  /// The kinds that occur; their seconds add up to ``span``.
  package let totals: [Total]
  /// The reasons that occur, in decreasing order of seconds; a nil reason is "no decision at all".
  package let unknowns: [Unknown]
  /// Seconds with a named activity.
  package let knownSeconds: Int
  /// Samples with a location, with accelerations, with a rotation rate.
  let located: Int
  let accelerated: Int
  let rotated: Int
  package let sampleCount: Int
  /// The mean claimed radius of the locations, metres.
  let meanRadius: Double?
  /// Mean cadence of the seconds that have one, steps per minute.
  let meanCadence: Double?

  /// "8 stays" and "6 trips", without what there is none of.
  var counts: [String] {
    [(stays, "stay"), (trips, "trip")].filter { $0.0 > 0 }.map(ReportFormatting.plural)
  }

  /// The counts as a sentence's beginning.
  var countsInWords: String {
    counts.isEmpty ? "No stay and no trip" : counts.joined(separator: " and ")
  }

  /// ``distance`` in words; nil where it is unknown.
  func way(in units: ReportUnits) -> String? {
    distance.map { units.distance($0, deviation: variance.squareRoot()) }
  }

  /// The variance of ``distance``, m².
  var variance: Double { totals.reduce(0) { $0 + $1.variance } }

  var hasLocation: Bool { located > 0 }
  var hasAcceleration: Bool { accelerated > 0 }

  package init(_ analysis: AnalysisResult) {
    span = analysis.end.seconds(since: analysis.start)
    let samples = analysis.samples
    sampleCount = samples.count
    steps = samples.reduce(0) { $0 + ($1.steps.isFinite ? Double(max($1.steps, 0)) : 0) }
    accelerated = samples.count { $0.hasWindow || $0.coverage > 0 }
    rotated = samples.count { $0.rotationLevel != nil }
    let radii = samples.compactMap { $0.location?.radius68 }.filter { $0.isFinite }
    located = radii.count
    meanRadius = Self.mean(radii)
    let cadences = samples.compactMap { $0.cadence.map { Double($0.stepsPerMinute) } }
    meanCadence = Self.mean(cadences.filter { $0.isFinite })

    stays = analysis.items.count { if case .stay = $0 { true } else { false } }
    trips = analysis.items.count { if case .trip = $0 { true } else { false } }
    altitudeChange = AltitudeChange.sum(analysis.items.map { $0.altitudeChange })
    totals = Self.totals(of: analysis.items, steps: accelerated > 0 ? steps : nil)
    distance = totals.reduce(nil) { sum, total in
      total.distance.map { $0 + (sum ?? 0) } ?? sum
    }
    knownSeconds = samples.count { $0.activity?.activity != nil }
    unknowns = Self.unknowns(of: samples)
  }

  /// Time, distance and steps by kind; of all `steps`, nil without accelerations, those that no leg
  /// has are the stays'.
  private static func totals(of items: [TimelineItem], steps: Double?) -> [Total] {
    let parts = items.flatMap { item -> [Total] in
      switch item {
      case .stay: [Total(kind: .stay, seconds: item.duration)]
      case .gap: [Total(kind: .gap, seconds: item.duration)]
      case .trip(let trip):
        trip.legs.map { leg in
          Total(
            kind: .travel(leg.activity), seconds: leg.end.seconds(since: leg.start),
            distance: leg.distance, steps: leg.steps,
            variance: (leg.distanceDeviation ?? 0) * (leg.distanceDeviation ?? 0))
        }
      }
    }
    let stepsOfLegs = parts.reduce(0) { $0 + ($1.steps ?? 0) }
    return sum([parts]).map { total in
      var total = total
      if total.kind == .stay { total.steps = max((steps ?? 0) - stepsOfLegs, 0) }
      if steps == nil || total.kind == .gap { total.steps = nil }
      return total
    }
  }

  /// The totals of parts, or of several days, as one.
  static func sum(_ days: some Sequence<[Total]>) -> [Total] {
    var byKind: [Kind: Total] = [:]
    for total in days.joined() {
      guard var sum = byKind[total.kind] else {
        byKind[total.kind] = total
        continue
      }
      sum.seconds += total.seconds
      sum.distance = total.distance.map { $0 + (sum.distance ?? 0) } ?? sum.distance
      sum.variance += total.variance
      sum.steps = total.steps.map { $0 + (sum.steps ?? 0) } ?? sum.steps
      byKind[total.kind] = sum
    }
    return Kind.inOrder.compactMap { byKind[$0] }
  }

  /// The seconds without an activity, by reason, the most frequent first.
  private static func unknowns(of samples: [LocomotionSample]) -> [Unknown] {
    var seconds: [ActivityDecision.UnknownReason?: Int] = [:]
    for sample in samples where sample.activity?.activity == nil {
      seconds[sample.activity?.unknownReason, default: 0] += 1
    }
    let reasons: [ActivityDecision.UnknownReason?] = [
      .notEnoughData, .badSignal, .novelty, .lowConfidence, .customActivity, nil,
    ]
    return reasons.compactMap { reason in
      seconds[reason].map { Unknown(reason: reason, seconds: $0) }
    }.sorted { $0.seconds > $1.seconds }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

extension ReportFigures.Unknown {
  /// A short name of the reason.
  var name: String {
    switch reason {
    case .notEnoughData: "not enough data"
    case .badSignal: "bad signal"
    case .novelty: "unlike the training data"
    case .lowConfidence: "low confidence"
    case .customActivity: "a custom activity"
    case nil: "no accelerations"
    }
  }

  /// An explanation of the reason.
  var explanation: String {
    switch reason {
    case .notEnoughData: "the window was too short: after a start or a gap, or at too low a rate"
    case .badSignal: "no carried phone gives such a signal: saturated, in free fall or misscaled"
    case .novelty: "the motion is unlike everything that the model was trained on"
    case .lowConfidence: "no class was probable enough"
    case .customActivity: "an activity of the model that is none of the six"
    case nil: "the second has no accelerations"
    }
  }
}
