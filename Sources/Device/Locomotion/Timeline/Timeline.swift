internal import CLocomotionMath

/// One entry of a timeline: a stay at a place, a trip between places, or a gap in the data.
///
/// The items of a timeline are half-open intervals, `start ..< end`, in time order; each begins
/// where the one before it ends.
public enum TimelineItem: Equatable, Sendable, StateElement {
  /// Time at one place.
  case stay(Stay)
  /// Time in motion.
  case trip(Trip)
  /// Time that nothing is known about.
  case gap(Gap)

  /// The first instant of the item.
  public var start: Timestamp {
    switch self {
    case .stay(let stay): stay.start
    case .trip(let trip): trip.start
    case .gap(let gap): gap.start
    }
  }

  /// The first instant after the item.
  public var end: Timestamp {
    switch self {
    case .stay(let stay): stay.end
    case .trip(let trip): trip.end
    case .gap(let gap): gap.end
    }
  }

  /// What was climbed and descended in it; nil without altitudes, and of a gap.
  public var altitudeChange: AltitudeChange? {
    switch self {
    case .stay(let stay): stay.altitudeChange
    case .trip(let trip): trip.altitudeChange
    case .gap: nil
    }
  }

  /// The item's length, seconds.
  public var duration: Double { end.seconds(since: start) }

  /// Whether later recording may still change the item; false where nobody said so.
  public var isPartial: Bool {
    get {
      switch self {
      case .stay(let stay): stay.isPartial
      case .trip(let trip): trip.isPartial
      case .gap(let gap): gap.isPartial
      }
    }
    set {
      switch self {
      case .stay(var stay):
        stay.isPartial = newValue
        self = .stay(stay)
      case .trip(var trip):
        trip.isPartial = newValue
        self = .trip(trip)
      case .gap(var gap):
        gap.isPartial = newValue
        self = .gap(gap)
      }
    }
  }

  package static let blank = TimelineItem.gap(.blank)

  /// What is of the recording; what people and journals add to it is none of a builder's state.
  package mutating func pass(through archive: inout StateArchive) {
    var (stay, legs, gap): (Stay?, [Trip.Leg], Gap?) = (nil, [], nil)
    switch self {
    case .stay(let own): stay = own
    case .trip(let own): legs = own.legs
    case .gap(let own): gap = own
    }
    archive.pass(&stay, &gap, &legs)
    guard archive.isReading else { return }
    if let stay {
      self = .stay(stay)
    } else if let gap {
      self = .gap(gap)
    } else if !legs.isEmpty {
      self = .trip(Trip(legs: legs))
    } else {
      archive.noteDamage()
    }
  }
}

extension TimelineItem {
  /// Whether nothing is known of its time.
  public var isGap: Bool { if case .gap = self { true } else { false } }

  /// The stay; nil of a trip or a gap.
  package var asStay: Stay? { if case .stay(let stay) = self { stay } else { nil } }

  /// The trip; nil of a stay or a gap.
  package var asTrip: Trip? { if case .trip(let trip) = self { trip } else { nil } }

  /// The legs of a trip; none of a stay or a gap.
  package var legs: [Trip.Leg] { asTrip?.legs ?? [] }
}

extension TimelineItem: Identifiable {
  /// The start of the item, which no other item has and which stays while the item grows.
  public var id: Timestamp { start }
}

/// Time at one place.
public struct Stay: Equatable, Sendable, StateElement {
  /// Where a stay was.
  public struct Location: Equatable, Sendable, StateElement {
    /// Geodetic latitude of the centre on WGS 84, degrees.
    public var latitude: Double
    /// Geodetic longitude of the centre on WGS 84, degrees, −180 ..< 180.
    public var longitude: Double
    /// The radius, metres, around the centre that is claimed to hold the person with probability
    /// 0.68: the larger of the spread of the locations and their own mean claim.
    public var radius68: Double

    /// A location from its parts.
    public init(latitude: Double, longitude: Double, radius68: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius68 = radius68
    }

    package static let blank = Stay.Location(latitude: 0, longitude: 0, radius68: 0)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&latitude, &longitude, &radius68)
    }
  }

  /// The first instant of the stay.
  public var start: Timestamp
  /// The first instant after the stay.
  public var end: Timestamp
  /// The centre of the locations at rest, weighted by 1/radius²; nil without a location.
  public var location: Location?
  /// One standard deviation of ``start``, seconds; nil where the data begin, or a gap ends.
  public var startDeviation: Double?
  /// One standard deviation of ``end``, seconds; nil where the data end, or a gap begins.
  public var endDeviation: Double?
  /// The seconds that were observed; the rest is inferred from what is around them.
  public var observedSeconds = 0.0
  /// The metres that were walked without leaving the place; nil when none were measured.
  public var distance: Double?
  /// Steps counted in the stay.
  public var steps = 0.0
  /// What was climbed and descended without leaving the place, by a barometer; nil where no
  /// altitude was known.
  public var altitudeChange: AltitudeChange?
  /// The remembered place at which the stay was; a journal knows it.
  public var place: Place?
  /// The purpose of the stay, as the user entered it.
  public var purpose: String?
  /// Whether later recording may still change the stay.
  public var isPartial = false

  /// A stay from its parts.
  public init(start: Timestamp, end: Timestamp, location: Location?) {
    self.start = start
    self.end = end
    self.location = location
  }

  package static let blank = Stay(start: .blank, end: .blank, location: nil)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &location, &startDeviation, &endDeviation)
    archive.pass(&observedSeconds, &distance, &steps, &altitudeChange)
  }
}

/// Time in motion, in one or more legs that tile it.
public struct Trip: Equatable, Sendable {
  /// A part of a trip that was travelled by one activity.
  public struct Leg: Equatable, Sendable, StateElement {
    /// The first instant of the leg.
    public var start: Timestamp
    /// The first instant after the leg.
    public var end: Timestamp
    /// How the person travelled, never `.stationary`; nil when nothing said so.
    public var activity: Activity?
    /// Which kind of ``activity`` it was, or which activity outside the six; nil when ordinary.
    ///
    /// A leg whose mean speed no vehicle on the ground has is a "flight";
    /// ``Hindsight/nameCustomActivities(in:samples:)`` sets the others.
    public var customActivity: CustomActivity?
    /// The distance travelled, metres, from filtered locations while moving and straight lines,
    /// made longer for turns, over silences; nil without any.
    public var distance: Double?
    /// One standard deviation of ``distance``, metres.
    public var distanceDeviation: Double?
    /// The seconds in motion: those that were observed so, and over silences as many as the
    /// distance needs; nil when it is not known.
    public var movingSeconds: Double?
    /// Steps counted in the leg.
    public var steps: Double
    /// How probable each mode of travel is: the mean of what the seconds of the leg say of the
    /// five; nil where none says anything.
    public var modes: ActivityProbabilities?
    /// What was climbed and descended in motion; nil without altitudes.
    public var altitudeChange: AltitudeChange?
    /// Whether ``activity`` is the user's correction.
    public var isCorrected = false
    /// What a journal chose ``activity`` by; nil where the user said it, or the sensors nothing.
    public var inference: ModeInference?

    /// A leg from its parts.
    public init(
      start: Timestamp, end: Timestamp, activity: Activity?, distance: Double?, steps: Double,
      altitudeChange: AltitudeChange? = nil
    ) {
      self.start = start
      self.end = end
      self.activity = activity
      self.distance = distance
      self.steps = steps
      self.altitudeChange = altitudeChange
    }

    /// How probable ``activity`` is; nil where nothing says so, or the user does.
    ///
    /// How often legs of the same mean probability are right: what moves a leg's seconds to the
    /// wrong mode moves many of them at once. The logistic recalibration (Cox, "Two further
    /// applications of a model for binary regression", Biometrika 45, 1958) is fitted to 1,093
    /// labelled legs of 33 data sets; with each person left out, each seventh of them is right as
    /// often as it says to within 2 points. That the person did none of the six is not in it.
    public var probability: Double? {
      guard !isCorrected, let activity, let mode = (inference?.posterior ?? modes)?[activity],
        activity != .stationary, mode > 0
      else { return nil }
      return 1 / (1 + 2.46 * pow(Double((1 - mode) / mode), 1.36))
    }

    /// The name of the custom activity or else of the activity; nil when neither is known.
    public var name: String? { customActivity?.name ?? activity?.name }

    package static let blank = Trip.Leg(
      start: .blank, end: .blank, activity: nil, distance: nil, steps: 0)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&start, &end)
      archive.pass(caseOf: &activity)
      archive.pass(&customActivity, &distance, &distanceDeviation, &movingSeconds, &steps)
      archive.pass(&modes, &altitudeChange)
    }
  }

  /// What the file or another system states of a trip.
  public struct Statement: Equatable, Sendable {
    /// What is stated.
    public var interval: StatedInterval
    /// The activity that covers most of the trip by the sensors alone; nil when they name none.
    public var sensedActivity: Activity?

    /// A statement from its parts.
    public init(_ interval: StatedInterval, sensedActivity: Activity?) {
      self.interval = interval
      self.sensedActivity = sensedActivity
    }
  }

  /// The legs in time order; never empty.
  public package(set) var legs: [Leg]
  /// What is stated of the trip, which no sensor told; nil when nothing is.
  public var stated: Statement?
  /// Whether later recording may still change the trip.
  public var isPartial = false

  /// A trip of `legs`, each of which begins where the one before it ends.
  ///
  /// - Precondition: `legs` is not empty.
  public init(legs: [Leg]) {
    precondition(!legs.isEmpty, "a trip has at least one leg")
    self.legs = legs
  }

  /// The first instant of the trip.
  public var start: Timestamp { legs[0].start }

  /// The first instant after the trip.
  public var end: Timestamp { legs[legs.count - 1].end }

  /// The distance travelled, metres: the sum over the legs that know theirs; nil when none does.
  public var distance: Double? { .sum(legs.map { $0.distance }) }

  /// One standard deviation of ``distance``, metres; nil when no leg knows its own.
  public var distanceDeviation: Double? {
    Double?.sum(legs.map { leg in leg.distanceDeviation.map { $0 * $0 } })?.squareRoot()
  }

  /// The seconds in motion: the sum over the legs that know theirs; nil when none does.
  public var movingSeconds: Double? { .sum(legs.map { $0.movingSeconds }) }

  /// Steps counted in the trip.
  public var steps: Double { legs.reduce(0) { $0 + $1.steps } }

  /// What was climbed and descended: the sum over the legs that know theirs; nil when none does.
  public var altitudeChange: AltitudeChange? { .sum(legs.map { $0.altitudeChange }) }

  /// The activity that covers most of the distance when every leg knows its own, else most of the
  /// time; nil when no leg names one.
  public var dominantActivity: Activity? {
    let byDistance = legs.allSatisfy { $0.distance != nil }
    var best: (activity: Activity, amount: Double)?
    for activity in Activity.allCases {
      let amount = legs.reduce(0.0) { sum, leg in
        guard leg.activity == activity else { return sum }
        return sum + (byDistance ? leg.distance ?? 0 : leg.end.seconds(since: leg.start))
      }
      let isNamed = legs.contains { $0.activity == activity }
      if isNamed, best.map({ amount > $0.amount }) ?? true { best = (activity, amount) }
    }
    return best?.activity
  }
}

/// Time that nothing is known about: no sample, or none that says rest or motion.
///
/// A gap carries no distance: nobody knows how far.
public struct Gap: Equatable, Sendable, StateElement {
  /// The first instant of the gap.
  public var start: Timestamp
  /// The first instant after the gap.
  public var end: Timestamp
  /// Whether later recording may still change the gap.
  public var isPartial = false

  /// A gap from its parts.
  public init(start: Timestamp, end: Timestamp) {
    self.start = start
    self.end = end
  }

  package static let blank = Gap(start: .blank, end: .blank)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end)
  }
}

#if !hasFeature(Embedded)
  extension Stay.Location: Codable {}
  extension Trip.Statement: Codable {}
#endif

/// A place that a person's journal knows.
public struct Place: Hashable, Sendable {
  /// The place's number; never used twice for a user's places.
  public package(set) var id: Int
  /// The user's name for it; nil when nobody named it.
  public package(set) var name: String?
  /// Geodetic latitude of its centre on WGS 84, degrees, −90 to 90.
  public package(set) var latitude: Double
  /// Geodetic longitude of its centre on WGS 84, degrees, −180 to 180.
  public package(set) var longitude: Double
  /// The radius, metres, 0 to 1000.
  public package(set) var radius: Double
  /// Whether it was learned from a stay, and the user has neither named nor added it.
  public package(set) var isLearned: Bool

  /// A place from its parts; the number of one that is added to a journal is given there.
  public init(
    id: Int = 0, name: String?, latitude: Double, longitude: Double, radius: Double = 60,
    isLearned: Bool = false
  ) {
    (self.id, self.name, self.isLearned) = (id, name, isLearned)
    (self.latitude, self.longitude, self.radius) = (latitude, longitude, radius)
  }
}
