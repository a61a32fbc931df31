/// What other systems state of a day, as evidence for a timeline of it.
///
/// A statement is an observation with an accuracy, never the truth: an end, a distance and a mode
/// that the timeline knows well stay as they are, and those that it infers over a silence move to
/// the mean of both, weighted by their variances. The fixes that came with a statement are in the
/// timeline already.
///
/// A session (a statement that was chosen or named) is one trip with pauses. What a device measured
/// of it is shown, and changes nothing.
package struct StatedEvidence: Sendable {
  /// The standard deviation of a stated time, seconds: systems round, and notice with a delay.
  private static let timeDeviation = 60.0
  /// The standard deviations, of both together, beyond which a statement is about something else.
  private static let gate = 3.0
  /// The standard deviation of a stated distance, as a part of it.
  private static let distanceDeviation = 0.05
  /// What is as long is no session, even by a clock that was wrong for weeks, seconds.
  private static let longestSession = 100.0 * 86_400

  /// When stays end and begin by statements, in order of time.
  private let ends: [Timestamp], starts: [Timestamp]
  /// What systems concluded, and in order of time what was chosen or named: no two of one time.
  private let activities: [StatedInterval], sessions: [StatedInterval]
  private let pauses: [StatedInterval]

  /// The evidence of statements; nil where they say nothing.
  package init?(_ statements: [StatedInterval]) {
    let statements = statements.filter { $0.start < $0.end && $0.kind != .unrecorded }
      .sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    guard !statements.isEmpty else { return nil }
    let visits = statements.filter { $0.isVisit }
    activities = statements.filter { $0.isActivity && $0.basis == .inferred }
    pauses = statements.filter { $0.kind == .pause }
    ends = (visits.map { $0.end } + activities.map { $0.start }).sorted()
    starts = (visits.map { $0.start } + activities.map { $0.end }).sorted()
    var sessions: [StatedInterval] = []
    for statement in statements where statement.isSession {
      // Of two statements about one time the first one holds.
      guard statement.start >= sessions.last?.end ?? statement.start,
        statement.end.seconds(since: statement.start) < Self.longestSession
      else { continue }
      sessions.append(statement)
    }
    self.sessions = sessions
  }

  /// The items with what the statements add to them.
  ///
  /// - Parameters:
  ///   - items: All items, or those up to an end that ``settledCount(of:_:)`` allows.
  ///   - track: The seconds of the items.
  ///   - first: The index of the first item whose start may still be moved.
  /// - Returns: The items, which tile the same time.
  package func weigh(
    _ items: [TimelineItem], _ track: SampledTrack, movingFrom first: Int = 0
  ) -> [TimelineItem] {
    guard let start = items.first?.start, let end = items.last?.end else { return items }
    var items = movingEdges(of: items, from: first)
    for session in sessions[sessions.partitioningIndex { $0.end > start }...]
      .prefix(while: { $0.start < end })
    {
      items = SessionItems(session, pauses, track).joining(items)
    }
    guard !activities.isEmpty else { return items }
    return items.map { item in
      guard case .trip(let trip) = item, trip.stated == nil else { return item }
      var weighed = trip.replacingLegs { legs in legs = legs.map { completed($0, track) } }
      weighed.stated = statement(of: trip.start, trip.end).map {
        Trip.Statement($0, sensedActivity: trip.dominantActivity)
      }
      return .trip(weighed)
    }
  }

  /// How many of the first items of a timeline, whose edges were moved, later ones can't change.
  func settledCount(of items: [TimelineItem], _ track: SampledTrack) -> Int {
    items.indices.dropFirst().last { index in
      let edge = items[index].start
      let session = sessions.partitioningIndex { $0.end > edge }
      return (session == sessions.count || sessions[session].start >= edge)
        && track.isComplete(before: edge)
    } ?? 0
  }

  // MARK: Ends

  /// The items with edges between the instants that others and the statements tell, from the start
  /// of an item on: each edge is looked at once.
  func movingEdges(of items: [TimelineItem], from first: Int) -> [TimelineItem] {
    guard !ends.isEmpty || !starts.isEmpty else { return items }
    var items = items
    for index in items.indices.dropFirst(max(first, 1)) {
      let edge = items[index].start
      switch (items[index - 1], items[index]) {
      case (.stay(var stay), .trip(var trip)):
        guard let moved = moved(edge, stay.endDeviation, to: ends),
          stay.start < moved.time, moved.time < trip.legs[0].end
        else { continue }
        (stay.end, stay.endDeviation) = (moved.time, moved.deviation)
        trip = trip.replacingLegs { $0[0].start = moved.time }
        (items[index - 1], items[index]) = (.stay(stay), .trip(trip))
      case (.trip(var trip), .stay(var stay)):
        guard let moved = moved(edge, stay.startDeviation, to: starts),
          moved.time < stay.end, trip.legs[trip.legs.count - 1].start < moved.time
        else { continue }
        (stay.start, stay.startDeviation) = (moved.time, moved.deviation)
        trip = trip.replacingLegs { $0[$0.count - 1].end = moved.time }
        (items[index - 1], items[index]) = (.trip(trip), .stay(stay))
      default: continue
      }
    }
    return items
  }

  /// The weighted mean of an end and the nearest statement about it; nil when there is none, or the
  /// end is known as well without it.
  private func moved(
    _ edge: Timestamp, _ deviation: Double?, to statements: [Timestamp]
  ) -> (time: Timestamp, deviation: Double)? {
    guard let deviation, deviation > Self.timeDeviation else { return nil }
    let next = statements.partitioningIndex { $0 >= edge }
    let nearest = statements[max(0, next - 1)..<min(next + 1, statements.count)]
    guard let stated = nearest.min(by: { distance($0, edge) < distance($1, edge) }) else {
      return nil
    }
    let variance = deviation * deviation + Self.timeDeviation * Self.timeDeviation
    let offset = stated.seconds(since: edge)
    guard offset * offset <= Self.gate * Self.gate * variance else { return nil }
    let weight = deviation * deviation / variance
    return (
      edge.advanced(byNanoseconds: Int64((weight * offset * 1e9).rounded())),
      (weight * Self.timeDeviation * Self.timeDeviation).squareRoot()
    )
  }

  private func distance(_ a: Timestamp, _ b: Timestamp) -> Double { abs(a.seconds(since: b)) }

  // MARK: Legs

  /// The activity that a system concluded of most of an interval, and that is little longer.
  private func statement(of start: Timestamp, _ end: Timestamp) -> StatedInterval? {
    func overlap(_ statement: StatedInterval) -> Double {
      let common = min(end, statement.end).seconds(since: max(start, statement.start))
      return common / max(end, statement.end).seconds(since: min(start, statement.start))
    }
    // One that begins earlier by more than twice the length has less than half in common.
    let length = end.seconds(since: start)
    let first = activities.partitioningIndex { $0.start.seconds(since: start) >= -2 * length }
    return activities[first...].prefix { $0.start < end }
      .max { overlap($0) < overlap($1) }.flatMap { overlap($0) >= 0.5 ? $0 : nil }
  }

  /// A leg with the mode and the distance of the activity that covers most of both.
  private func completed(_ leg: Trip.Leg, _ track: SampledTrack) -> Trip.Leg {
    guard let best = statement(of: leg.start, leg.end) else { return leg }
    var leg = leg
    StatementPosterior(best, of: leg, track)?.name(&leg)
    if case .activity(_, let stated?) = best.kind, stated > 0 {
      let own = leg.distanceDeviation.map { $0 * $0 } ?? .infinity
      let other = Self.distanceDeviation * Self.distanceDeviation * stated * stated
      let distance = leg.distance ?? stated
      guard own > other else { return leg }
      let weight = own.isFinite ? own / (own + other) : 1
      leg.distance = distance + weight * (stated - distance)
      leg.distanceDeviation = (weight * other).squareRoot()
    }
    return leg
  }
}

extension Trip {
  /// Whether a leg has the activity that is stated of the trip.
  package func isStated(_ leg: Leg) -> Bool {
    guard let interval = stated?.interval, case .activity(let name?, _) = interval.kind else {
      return false
    }
    return interval.activity.map { leg.activity == $0 } ?? (leg.customActivity?.name == name)
  }

  /// The trip with other legs, which still tile their time.
  func replacingLegs(_ change: (inout [Leg]) -> Void) -> Trip {
    var legs = legs
    change(&legs)
    var trip = Trip(legs: legs)
    trip.stated = stated
    return trip
  }
}
