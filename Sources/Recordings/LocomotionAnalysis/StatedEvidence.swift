internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// What other systems state of a day, as evidence for a timeline of it.
///
/// A statement is an observation with an accuracy, never the truth: an end, a distance and a mode
/// that the timeline knows well stay as they are, and those that it infers over a silence move to
/// the mean of both, weighted by their variances. The fixes that came with a statement are in the
/// timeline already.
struct StatedEvidence {
  /// The standard deviation of a stated time, seconds: systems round, and notice with a delay.
  private static let timeDeviation = 60.0
  /// The standard deviations, of both together, beyond which a statement is about something else.
  private static let gate = 3.0
  /// The standard deviation of a stated distance, as a part of it.
  private static let distanceDeviation = 0.05

  /// The part of a distance above which its standard deviation tells of few fixes.
  private static let sparse = 0.05

  private let visits: [StatedInterval]
  private let activities: [StatedInterval]

  init(_ statements: [StatedInterval]) {
    visits = statements.filter { $0.isVisit && $0.start < $0.end }
    activities = statements.filter { !$0.isVisit && $0.start < $0.end }
  }

  /// The items with what the statements add to them.
  func weigh(_ items: [TimelineItem]) -> [TimelineItem] {
    guard !visits.isEmpty || !activities.isEmpty else { return items }
    return movingEdges(of: items).map { item in
      guard case .trip(let trip) = item else { return item }
      return .trip(Trip(legs: trip.legs.map(completed)))
    }
  }

  // MARK: Ends

  private func movingEdges(of items: [TimelineItem]) -> [TimelineItem] {
    var items = items
    let ends = visits.map(\.end) + activities.map(\.start)
    let starts = visits.map(\.start) + activities.map(\.end)
    for index in items.indices.dropFirst() {
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
    guard let deviation, deviation > Self.timeDeviation,
      let stated = statements.min(by: { distance($0, edge) < distance($1, edge) })
    else { return nil }
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

  /// A leg with the mode and the distance of the activity that covers most of both.
  private func completed(_ leg: Trip.Leg) -> Trip.Leg {
    func overlap(_ statement: StatedInterval) -> Double {
      let (start, end) = (max(leg.start, statement.start), min(leg.end, statement.end))
      let either = max(leg.end, statement.end).seconds(since: min(leg.start, statement.start))
      return end.seconds(since: start) / either
    }
    guard let best = activities.max(by: { overlap($0) < overlap($1) }), overlap(best) >= 0.5 else {
      return leg
    }
    var leg = leg
    // A mode by few fixes is a guess; who states another one saw more.
    let isSparse = (leg.distanceDeviation ?? .infinity) > Self.sparse * (leg.distance ?? 0)
    if leg.activity == nil || isSparse, let activity = best.activity, activity != .stationary {
      leg.activity = activity
    }
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
  /// The trip with other legs, which still tile their time.
  fileprivate func replacingLegs(_ change: (inout [Leg]) -> Void) -> Trip {
    var legs = legs
    change(&legs)
    return Trip(legs: legs)
  }
}
