/// What the items of a timeline come to: time, distance, steps and climb, by kind.
///
/// Totals of intervals that follow one another add up to those of the whole: a week is the sum of
/// its days, a folder that of its files.
public struct Totals: Equatable, Sendable {
  /// What a part of the time was spent on.
  public enum Kind: Hashable, Sendable {
    /// Stays.
    case stay
    /// Legs of trips by one activity; nil where it is unknown.
    case travel(Activity?)
    /// Gaps.
    case gap

    /// All kinds in the order of tables: stays, travel by activity and by an unknown one, gaps.
    public static let inOrder =
      [Kind.stay] + Activity.allCases.map { .travel($0) } + [.travel(nil), .gap]
  }

  /// The sums over the items and legs of one kind.
  public struct Part: Equatable, Sendable {
    /// The time, seconds.
    public internal(set) var seconds = 0.0
    /// The distance of the legs that know theirs, metres; nil when none does.
    ///
    /// What is walked about a place leads nowhere, and isn't counted.
    public internal(set) var distance: Double?
    /// The variance of ``distance``, m²: the errors of legs are taken as independent.
    public internal(set) var distanceVariance = 0.0
    /// The seconds in motion of those that know theirs; nil when none does.
    public internal(set) var movingSeconds: Double?
    /// The steps.
    public internal(set) var steps = 0.0
    /// What was climbed and descended; nil without altitudes.
    public internal(set) var altitudeChange: AltitudeChange?

    /// One standard deviation of ``distance``, metres; nil where no distance is known.
    public var distanceDeviation: Double? { distance.map { _ in distanceVariance.squareRoot() } }

    /// Nothing.
    public init() {}

    init(_ stay: Stay) {
      seconds = stay.end.seconds(since: stay.start)
      steps = stay.steps
      altitudeChange = stay.altitudeChange
    }

    init(_ leg: Trip.Leg) {
      seconds = leg.end.seconds(since: leg.start)
      distance = leg.distance
      distanceVariance = (leg.distanceDeviation ?? 0) * (leg.distanceDeviation ?? 0)
      movingSeconds = leg.movingSeconds
      steps = leg.steps
      altitudeChange = leg.altitudeChange
    }

    /// The sum of two parts.
    public static func += (sum: inout Part, next: Part) {
      sum.seconds += next.seconds
      sum.distance = .sum([sum.distance, next.distance])
      sum.distanceVariance += next.distanceVariance
      sum.movingSeconds = .sum([sum.movingSeconds, next.movingSeconds])
      sum.steps += next.steps
      sum.altitudeChange = .sum([sum.altitudeChange, next.altitudeChange])
    }
  }

  /// The first instant of the interval.
  public private(set) var start: Timestamp
  /// The first instant after the interval.
  public private(set) var end: Timestamp
  /// The sums by kind; a kind that doesn't occur is missing.
  public private(set) var parts: [Kind: Part] = [:]
  /// The sums by custom activity, parts of those of what it behaves like or of unknown travel.
  public private(set) var customTravel: [CustomActivity: Part] = [:]
  /// The number of stays; one that the interval cuts counts.
  public private(set) var stays = 0
  /// The number of trips; one that the interval cuts counts.
  public private(set) var trips = 0
  /// The time of the interval, seconds; of a sum without what lies between its terms.
  public private(set) var seconds: Double
  /// The kind of the first and of the last item, by which a sum knows what its terms cut in two.
  private var (first, last): (Kind?, Kind?) = (nil, nil)

  /// The totals of items that lie in an interval.
  ///
  /// - Parameters:
  ///   - items: The items, cut at the ends of the interval.
  ///   - start: The first instant of the interval.
  ///   - end: The first instant after it.
  public init(of items: some Sequence<TimelineItem>, from start: Timestamp, to end: Timestamp) {
    (self.start, self.end, seconds) = (start, end, end.seconds(since: start))
    for item in items {
      let kind: Kind
      switch item {
      case .gap:
        kind = .gap
        parts[kind, default: Part()].seconds += item.duration
      case .stay(let stay):
        kind = .stay
        stays += 1
        parts[kind, default: Part()] += Part(stay)
      case .trip(let trip):
        kind = .travel(nil)
        trips += 1
        for leg in trip.legs {
          parts[.travel(leg.activity), default: Part()] += Part(leg)
          if let custom = leg.customActivity { customTravel[custom, default: Part()] += Part(leg) }
        }
      }
      first = first ?? kind
      last = kind
    }
  }

  /// The totals of an interval and of what comes after it.
  ///
  /// A stay or trip that goes on where the second begins is counted once.
  public static func += (sum: inout Totals, next: Totals) {
    for (kind, part) in next.parts { sum.parts[kind, default: Part()] += part }
    for (custom, part) in next.customTravel { sum.customTravel[custom, default: Part()] += part }
    let isCut = sum.end == next.start && sum.last == next.first
    sum.stays += next.stays - (isCut && sum.last == .stay ? 1 : 0)
    sum.trips += next.trips - (isCut && sum.last == .travel(nil) ? 1 : 0)
    sum.seconds += next.seconds
    sum.first = sum.first ?? next.first
    sum.last = next.last ?? sum.last
    sum.end = next.end
  }

  /// The sum of totals in order of time; nil of none.
  public static func sum(_ totals: some Sequence<Totals>) -> Totals? {
    totals.reduce(nil) { sum, next in
      guard var sum else { return next }
      sum += next
      return sum
    }
  }

  /// The sums by kind, in the order of tables.
  public var partsInOrder: [(kind: Kind, part: Part)] {
    Kind.inOrder.compactMap { kind in parts[kind].map { (kind, $0) } }
  }

  /// The sums of the legs of trips.
  public var travel: Part {
    partsInOrder.reduce(into: Part()) { sum, next in
      if case .travel = next.kind { sum += next.part }
    }
  }

  /// The sums of all that is known: of stays and trips.
  public var known: Part {
    partsInOrder.reduce(into: Part()) { sum, next in
      if next.kind != .gap { sum += next.part }
    }
  }

  /// The time about which nothing is known, seconds: what the items don't cover, and gaps.
  public var unknownSeconds: Double { max(0, seconds - known.seconds) }

  /// The sums of a kind, of nothing where it doesn't occur.
  public subscript(_ kind: Kind) -> Part { parts[kind] ?? Part() }
}
