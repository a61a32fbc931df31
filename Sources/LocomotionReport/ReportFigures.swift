package import Locomotion
package import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
import LocomotionSensing

/// The sums and fractions that all reports show.
package struct ReportFigures: Sendable {
  /// The kind of a part of the time.
  package enum Kind: Hashable, Sendable {
    case stay
    case way(Activity?)
    case gap

    package var name: String {
      switch self {
      case .stay: "at a place"
      case .way(let activity?): activity.name
      case .way(nil): "on the way, mode unknown"
      case .gap: "gap in the data"
      }
    }
  }

  /// The time, distance and steps of one kind.
  package struct Total: Sendable {
    package var kind: Kind
    package var seconds: Double
    package var distance: Double?
    package var steps: Double?
  }

  /// The number of seconds without a named activity, by reason.
  package struct Unknown: Sendable {
    package var reason: ActivityDecision.UnknownReason?
    package var seconds: Int
  }

  package let span: Double
  package let stays: Int
  package let trips: Int
  package let distance: Double?
  package let steps: Double
  /// The kinds that occur; their seconds add up to ``span``.
  package let totals: [Total]
  /// The reasons that occur, in decreasing order of seconds; a nil reason is "no decision at all".
  package let unknowns: [Unknown]
  /// Seconds with a named activity.
  package let knownSeconds: Int
  /// Samples with a location, with accelerations, with a rotation rate.
  package let located: Int
  package let accelerated: Int
  package let rotated: Int
  package let sampleCount: Int
  /// The mean claimed radius of the locations, metres.
  package let meanRadius: Double?
  /// Mean cadence of the seconds that have one, steps per minute.
  package let meanCadence: Double?

  package var hasLocation: Bool { located > 0 }
  package var hasAcceleration: Bool { accelerated > 0 }

  package init(_ analysis: AnalysisResult) {
    span = analysis.end.seconds(since: analysis.start)
    var byKind: [Kind: Total] = [:]
    var stays = 0
    var trips = 0
    var stepsUnderWay = 0.0
    func add(_ kind: Kind, seconds: Double, distance: Double? = nil, steps: Double? = nil) {
      var total = byKind[kind] ?? Total(kind: kind, seconds: 0, distance: nil, steps: nil)
      total.seconds += seconds
      if let distance { total.distance = (total.distance ?? 0) + distance }
      if let steps { total.steps = (total.steps ?? 0) + steps }
      byKind[kind] = total
    }
    for item in analysis.items {
      switch item {
      case .stay:
        stays += 1
        add(.stay, seconds: item.duration)
      case .gap: add(.gap, seconds: item.duration)
      case .trip(let trip):
        trips += 1
        for leg in trip.legs {
          stepsUnderWay += leg.steps
          add(
            .way(leg.activity), seconds: leg.end.seconds(since: leg.start),
            distance: leg.distance, steps: leg.steps)
        }
      }
    }
    self.stays = stays
    self.trips = trips
    distance = byKind.values.reduce(nil) { sum, total in
      total.distance.map { $0 + (sum ?? 0) } ?? sum
    }
    let samples = analysis.samples
    sampleCount = samples.count
    steps = samples.reduce(0) { $0 + ($1.steps.isFinite ? Double(max($1.steps, 0)) : 0) }
    accelerated = samples.count { $0.activity != nil || $0.coverage > 0 }
    rotated = samples.count { $0.rotationLevel != nil }
    let radii = samples.compactMap { $0.location?.radius68 }.filter(\.isFinite)
    located = radii.count
    meanRadius = Self.mean(radii)
    let cadences = samples.compactMap { $0.cadence.map { Double($0.stepsPerMinute) } }
    meanCadence = Self.mean(cadences.filter(\.isFinite))

    byKind[.stay]?.steps = max(steps - stepsUnderWay, 0)
    let hasSteps = accelerated > 0
    let order = [Kind.stay] + Activity.allCases.map { .way($0) } + [.way(nil), .gap]
    totals = order.compactMap { kind in
      var total = byKind[kind]
      if !hasSteps || kind == .gap { total?.steps = nil }
      return total
    }

    var seconds: [ActivityDecision.UnknownReason?: Int] = [:]
    var known = 0
    for sample in samples {
      if sample.activity?.activity != nil {
        known += 1
      } else {
        seconds[sample.activity?.unknownReason, default: 0] += 1
      }
    }
    knownSeconds = known
    let reasons: [ActivityDecision.UnknownReason?] = [
      .notEnoughData, .badSignal, .novelty, .lowConfidence, nil,
    ]
    unknowns = reasons.compactMap { reason in
      seconds[reason].map { Unknown(reason: reason, seconds: $0) }
    }.sorted { $0.seconds > $1.seconds }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

extension ReportFigures.Unknown {
  /// A short name of the reason.
  package var name: String {
    switch reason {
    case .notEnoughData: "not enough data"
    case .badSignal: "bad signal"
    case .novelty: "unlike the training data"
    case .lowConfidence: "in doubt"
    case nil: "no accelerations"
    }
  }

  /// An explanation of the reason.
  package var explanation: String {
    switch reason {
    case .notEnoughData: "the window was not full: after a start or a gap, or at too low a rate"
    case .badSignal: "no carried phone gives such a signal: saturated, in free fall or misscaled"
    case .novelty: "the motion is unlike everything that the model was trained on"
    case .lowConfidence: "no class was probable enough"
    case nil: "the second had no accelerations to judge by"
    }
  }
}

/// The places of a timeline: stays at the same stored place have the same letter, and so have other
/// stays within 60 m of one another.
package struct ReportPlaces: Sendable {
  /// One entry per place: the centre of its first stay.
  package private(set) var centres: [Stay.Place] = []
  /// The user's name for each place; nil for none.
  package private(set) var names: [String?] = []
  private var numbers: [Int?] = []
  private var indexByStart: [Timestamp: Int] = [:]

  package init(_ analysis: AnalysisResult) {
    for case .stay(let stay) in analysis.items {
      guard let place = stay.place else { continue }
      let words = analysis.words[stay.start]
      let near = centres.indices.first { index in
        if let number = words?.place, let other = numbers[index] { return number == other }
        let other = centres[index]
        return ReportProjection(latitude: place.latitude, longitude: place.longitude)
          .distance(latitude: other.latitude, longitude: other.longitude) <= 60
      }
      if near == nil {
        centres.append(place)
        names.append(nil)
        numbers.append(words?.place)
      }
      let index = near ?? centres.count - 1
      names[index] = names[index] ?? words?.name
      indexByStart[stay.start] = index
    }
  }

  /// The user's name for the place of `stay`, or "place" with its letter; nil when it is unknown.
  package func name(of stay: Stay) -> String? {
    indexByStart[stay.start].map { names[$0] ?? "place \(Self.letter($0))" }
  }

  /// The letters of the place of `stay`, as in "A" or "AB"; nil when its place is unknown.
  package func letter(of stay: Stay) -> String? {
    indexByStart[stay.start].map(Self.letter)
  }

  package static func letter(_ index: Int) -> String {
    var letters = ""
    var rest = index
    repeat {
      letters = String(UnicodeScalar(UInt8(65 + rest % 26))) + letters
      rest = rest / 26 - 1
    } while rest >= 0
    return letters
  }
}
