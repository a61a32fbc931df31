import Locomotion

/// The one activity that a recording is about, as a hike with its rests: its trips and what lies
/// between them.
struct ReportActivity {
  /// The activity of most of the way.
  let activity: Activity?
  /// "Walk", or as the recording names it.
  let name: String
  let legs: [Trip.Leg]
  /// The sums from the first to the last trip.
  private let totals: Totals
  /// What the device measured, and who says so.
  private let stated: (totals: StatedTotals, source: String)?

  /// The longest rest in an activity, seconds.
  private static let longestRest = 3_600.0

  /// Nil for a recording that is about more than one activity, or most of which is no travel.
  init?(_ analysis: AnalysisResult) {
    let items = analysis.items
    let trips = items.compactMap { $0.asTrip }
    let recorded = items.reduce(0) { $1.isGap ? $0 : $0 + $1.duration }
    guard let first = items.firstIndex(where: { $0.asTrip != nil }),
      let last = items.lastIndex(where: { $0.asTrip != nil }),
      trips.reduce(0, { $0 + $1.end.seconds(since: $1.start) }) >= recorded / 2
    else { return nil }
    legs = trips.flatMap { $0.legs }
    activity = Trip(legs: legs).dominantActivity
    totals = Totals(of: items[first...last], from: items[first].start, to: items[last].end)
    if trips.count > 1 {
      // A drive with a stop is two trips of a day.
      guard let activity, [.walking, .running, .cycling].contains(activity),
        items[first...last].allSatisfy({ $0.asTrip != nil || $0.duration <= Self.longestRest }),
        totals[.travel(activity)].seconds >= 0.8 * totals.travel.seconds
      else { return nil }
    }
    // The totals of a part say nothing of the whole.
    let statements = trips.compactMap { $0.stated?.interval }
    let isOne = statements.count == trips.count && Set(statements.map { $0.start }).count == 1
    let measured = isOne ? statements.first { $0.totals != nil } : nil
    stated = measured.flatMap { interval in interval.totals.map { ($0, interval.source) } }
    let named = trips.filter { trip in trip.legs.contains { trip.isStated($0) } }
      .compactMap { $0.stated?.interval.activityName }.first
    name = Self.title(of: activity, named: named)
  }

  private static func title(of activity: Activity?, named name: String?) -> String {
    let words = [
      "walking": "Walk", "hiking": "Hike", "running": "Run", "cycling": "Ride",
      "mountaineering": "Hike",
    ]
    if let name, activity == nil || words[name] != nil {
      return words[name] ?? name.prefix(1).uppercased() + name.dropFirst()
    }
    return switch activity {
    case .automotive?: "Drive"
    case .train?: "Train ride"
    case .stationary?, nil: "Trip"
    case let activity?: words[activity.name] ?? "Trip"
    }
  }

  /// The heading, as "Walk, 9 min, 681 m".
  func heading(in units: ReportUnits) -> String {
    [name, ReportFormatting.duration(totals.seconds), totals.travel.way(in: units)]
      .compactMap { $0 }.joined(separator: ", ")
  }

  /// Time in motion, distance, climb, speed and the highest point, as far as they are known.
  func figures(in units: ReportUnits) -> [PageDocument.Figure] {
    let travel = totals.travel
    var figures: [PageDocument.Figure] = []
    /// Adds a figure, and below it what the device says where that is another one, or else `note`.
    func add(
      _ name: String, _ own: Double?, within deviation: Double, _ measured: Double?,
      _ text: (Double) -> String, _ note: String
    ) {
      guard let own else { return }
      let other = measured.flatMap { abs($0 - own) > deviation ? $0 : nil }
      let source = stated?.source ?? ""
      figures.append((name, text(own), other.map { "\(source) says \(text($0))" } ?? note))
    }
    add(
      "In motion", travel.movingSeconds, within: 60, stated?.totals.movingSeconds,
      ReportFormatting.duration, "of \(ReportFormatting.duration(totals.seconds)) in all")
    let deviation = travel.distanceDeviation ?? 0
    add(
      "Distance", travel.distance, within: max(deviation, 0.01 * (travel.distance ?? 0)),
      stated?.totals.distance, units.distance, "± \(units.distance(deviation))")
    if let moving = travel.movingSeconds, let distance = travel.distance, moving >= 30 {
      let speed = distance / moving
      figures.append(
        activity == .running
          ? ("Pace", units.pace(speed), "in motion") : ("Speed", units.speed(speed), "in motion"))
    }
    func height(_ metres: Double) -> String {
      "\(ReportFormatting.count(metres / units.short)) \(units.shortName)"
    }
    if let change = totals.known.altitudeChange, units.climb(change) != nil {
      for (name, own, deviation, measured) in [
        ("Up", change.climb, change.climbDeviation, stated?.totals.climb),
        ("Down", change.descent, change.descentDeviation, stated?.totals.descent),
      ] {
        add(name, own, within: deviation, measured, height, "± \(height(deviation))")
      }
      if let highest = change.highest, let lowest = change.lowest {
        figures.append(
          ("Highest point", height(highest.altitude), "lowest \(height(lowest.altitude))"))
      }
    }
    if let steps = travel.countedSteps { figures.append(("Steps", steps, "")) }
    return figures
  }
}
