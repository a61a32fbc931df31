internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// What other systems state of a day, as evidence for a timeline of it.
///
/// A statement is an observation with an accuracy, never the truth: an end, a distance and a mode
/// that the timeline knows well stay as they are, and those that it infers over a silence move to
/// the mean of both, weighted by their variances. The fixes that came with a statement are in the
/// timeline already.
///
/// A session (a statement that was chosen or named) is one trip with pauses. What a device measured
/// of it is shown, and changes nothing.
struct StatedEvidence {
  /// The standard deviation of a stated time, seconds: systems round, and notice with a delay.
  private static let timeDeviation = 60.0
  /// The standard deviations, of both together, beyond which a statement is about something else.
  private static let gate = 3.0
  /// The standard deviation of a stated distance, as a part of it.
  private static let distanceDeviation = 0.05

  private let visits: [StatedInterval]
  private let activities: [StatedInterval]
  private let sessions: [StatedInterval]
  private let pauses: [StatedInterval]
  private let track: SampledTrack

  /// The evidence of `statements` for a timeline of `samples`, which are in the order of time.
  init(_ statements: [StatedInterval], _ samples: [LocomotionSample]) {
    let statements = statements.filter { $0.start < $0.end }
    visits = statements.filter(\.isVisit)
    activities = statements.filter { $0.isActivity && $0.basis == .inferred }
    sessions = statements.filter { $0.isActivity && $0.basis != .inferred }
    pauses = statements.filter { $0.kind == .pause }
    track = SampledTrack(sessions.isEmpty && activities.isEmpty ? [] : samples)
  }

  /// The items with what the statements add to them.
  func weigh(_ items: [TimelineItem]) -> [TimelineItem] {
    var items = items
    if !visits.isEmpty || !activities.isEmpty { items = movingEdges(of: items) }
    // Of two statements about one time the first one holds.
    var end = Timestamp(nanoseconds: .min)
    for session in sessions where session.start >= end {
      items = joining(session, items)
      end = session.end
    }
    guard !activities.isEmpty else { return items }
    return items.map { item in
      guard case .trip(let trip) = item, trip.stated == nil else { return item }
      var weighed = trip.replacingLegs { legs in legs = legs.map(completed) }
      weighed.stated = statement(of: trip.start, trip.end).map {
        Trip.Statement($0, sensedActivity: trip.dominantActivity)
      }
      return .trip(weighed)
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

  /// The activity that a system concluded of most of an interval, and that is little longer.
  private func statement(of start: Timestamp, _ end: Timestamp) -> StatedInterval? {
    func overlap(_ statement: StatedInterval) -> Double {
      let common = min(end, statement.end).seconds(since: max(start, statement.start))
      return common / max(end, statement.end).seconds(since: min(start, statement.start))
    }
    return activities.max { overlap($0) < overlap($1) }.flatMap { overlap($0) >= 0.5 ? $0 : nil }
  }

  /// A leg with the mode and the distance of the activity that covers most of both.
  private func completed(_ leg: Trip.Leg) -> Trip.Leg {
    guard let best = statement(of: leg.start, leg.end) else { return leg }
    var leg = leg
    SportBelief(best, of: leg, track)?.name(&leg)
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

// MARK: - Sessions

extension StatedEvidence {
  /// A rest of this length at the edge of a session belongs to it, seconds.
  private static let briefRest = 300.0
  /// What is beyond the ends of a session by less belongs to it, seconds.
  private static let slack = 60.0
  /// Who covers ground at this mean speed does not stay, m/s.
  private static let slowestTravel = 0.5
  /// The metres, beside the locations' radii, within which the ends of a pause lie together.
  private static let together = 50.0

  /// A part of a session: travel, or what was walked in a rest.
  private struct Piece {
    var leg: Trip.Leg
    var isRest = false
    var isCrossing = false
  }

  /// The items with one trip in place of those in a session.
  ///
  /// Rests inside it are pauses, whose walked metres count, unless they are longer than all of its
  /// motion: then the person forgot to end it. It ends where the recording does, if there was
  /// motion or a brief rest. A stated pause whose ends lie apart is travel of its own, of which the
  /// session doesn't speak; a stay of the timeline in such a pause remains one, and parts the trip.
  private func joining(_ session: StatedInterval, _ items: [TimelineItem]) -> [TimelineItem] {
    let items = items.flatMap { travelling($0, in: session) }
    let inside = items.indices.filter {
      items[$0].start < session.end && items[$0].end > session.start
    }
    let motion = inside.reduce(0) { sum, index in
      guard case .trip = items[index] else { return sum }
      return sum + overlap(items[index], session)
    }
    guard motion > 0, let first = inside.first, let last = inside.last else { return items }
    let crossings = crossings(in: session)
    func parts(_ index: Int) -> Bool {
      switch items[index] {
      case .trip: return false
      case .gap: return true
      case .stay(let stay):
        let isCrossed = crossings.contains {
          min($0.end, stay.end).seconds(since: max($0.start, stay.start)) > 0.5
            * items[index].duration
        }
        return isCrossed || overlap(items[index], session) > motion
      }
    }
    var result = Array(items[..<first])
    var open: [TimelineItem] = []
    func close() {
      result += joined(open, session, crossings)
      open = []
    }
    for index in first...last {
      if parts(index) {
        close()
        result.append(items[index])
      } else {
        open.append(items[index])
      }
    }
    close()
    return statingOnce(session, result + items[(last + 1)...])
  }

  /// A stay in a session in which more was walked than anyone does at a place, as a trip: laps lie
  /// within a stay's radius.
  private func travelling(_ item: TimelineItem, in session: StatedInterval) -> [TimelineItem] {
    let (start, end) = bounds(of: session, in: item.start, item.end)
    guard case .stay = item, overlap(item, session) > 0,
      let part = item.cut(from: start, to: end, share: track.share), case .stay(let stay) = part,
      let distance = stay.distance, distance >= Self.slowestTravel * part.duration
    else { return [item] }
    let pieces: [TimelineItem?] = [
      item.cut(from: item.start, to: part.start, share: track.share),
      .trip(Trip(legs: [leg(of: stay)])),
      item.cut(from: part.end, to: item.end, share: track.share),
    ]
    return pieces.compactMap(\.self)
  }

  /// What was walked in a stay, as a leg.
  private func leg(of stay: Stay) -> Trip.Leg {
    var leg = Trip.Leg(
      start: stay.start, end: stay.end, activity: nil, distance: stay.distance,
      steps: track.amount(of: \.steps, stay.start, stay.end),
      altitudeChange: stay.altitudeChange)
    leg.movingSeconds = track.amount(of: \.moving, stay.start, stay.end)
    return leg
  }

  /// The items with the device's totals on the longest trip of a session alone.
  private func statingOnce(
    _ session: StatedInterval, _ items: [TimelineItem]
  ) -> [TimelineItem] {
    var items = items
    let own = items.indices.filter {
      if case .trip(let trip) = items[$0] { trip.stated?.interval == session } else { false }
    }
    let longest = own.max { items[$0].duration < items[$1].duration }
    for index in own where index != longest {
      guard case .trip(var trip) = items[index] else { continue }
      trip.stated?.interval.totals = nil
      items[index] = .trip(trip)
    }
    return items
  }

  private func overlap(_ item: TimelineItem, _ session: StatedInterval) -> Double {
    max(0, min(item.end, session.end).seconds(since: max(item.start, session.start)))
  }

  /// The pauses in a session whose ends lie apart.
  private func crossings(in session: StatedInterval) -> [StatedInterval] {
    pauses.filter { pause in
      guard session.start <= pause.start, pause.end <= session.end,
        let (from, to) = track.ends(of: pause.start, pause.end)
      else { return false }
      return from.distance(to: to) > max(Self.together, from.radius68 + to.radius68)
    }
  }

  /// One trip of items that follow each other, from the first motion or brief rest of a session to
  /// its last; what is before and after stays as it is.
  private func joined(
    _ items: [TimelineItem], _ session: StatedInterval, _ crossings: [StatedInterval]
  ) -> [TimelineItem] {
    var (head, middle, tail) = (items[...].prefix(0), items[...], items[...].suffix(0))
    func isLongRest(_ item: TimelineItem) -> Bool {
      if case .stay = item { overlap(item, session) >= Self.briefRest } else { false }
    }
    if let item = middle.first, isLongRest(item) { head = [middle.removeFirst()] }
    if let item = middle.last, isLongRest(item) { tail = [middle.removeLast()] }
    guard middle.contains(where: { if case .trip = $0 { true } else { false } }),
      let from = middle.first?.start, let to = middle.last?.end
    else { return items }
    let (start, end) = bounds(of: session, in: from, to)
    let before = middle.first.flatMap { $0.cut(from: from, to: start, share: track.share) }
    let after = middle.last.flatMap { $0.cut(from: end, to: to, share: track.share) }
    let own = middle.compactMap { $0.cut(from: start, to: end, share: track.share) }
    let sensed = own.flatMap { item -> [Trip.Leg] in
      if case .trip(let trip) = item { trip.legs } else { [] }
    }
    guard !sensed.isEmpty else { return items }
    var trip = Trip(legs: legs(of: own, session, crossings))
    trip.stated = Trip.Statement(session, sensedActivity: Trip(legs: sensed).dominantActivity)
    let parts: [TimelineItem?] = [before, .trip(trip), after]
    return head + parts.compactMap(\.self) + tail
  }

  /// The ends of a session in an interval; what began a moment before the device says so began
  /// then.
  private func bounds(
    of session: StatedInterval, in start: Timestamp, _ end: Timestamp
  ) -> (start: Timestamp, end: Timestamp) {
    (
      session.start.seconds(since: start) > Self.slack ? session.start : start,
      end.seconds(since: session.end) > Self.slack ? session.end : end
    )
  }

  /// The legs of one trip: what the session says of them where it is believed, and crossings.
  private func legs(
    of items: [TimelineItem], _ session: StatedInterval, _ crossings: [StatedInterval]
  ) -> [Trip.Leg] {
    var pieces = items.flatMap { item -> [Piece] in
      switch item {
      case .trip(let trip): return trip.legs.map { Piece(leg: $0) }
      case .gap: return []
      case .stay(let stay): return [Piece(leg: leg(of: stay), isRest: true)]
      }
    }
    for crossing in crossings {
      pieces = pieces.flatMap { piece -> [Piece] in
        let (start, end) = (piece.leg.start, piece.leg.end)
        let parts = [
          (start, crossing.start), (crossing.start, crossing.end), (crossing.end, end),
        ].map { (max($0, start), min($1, end)) }
        return parts.enumerated().compactMap { number, part in
          guard part.0 < part.1,
            let leg = piece.leg.cut(from: part.0, to: part.1, share: track.share)
          else {
            return nil
          }
          var part = piece
          part.leg = leg
          if number == 1 { part.isCrossing = true }
          return part
        }
      }
    }
    return merged(
      pieces.map { piece in
        var piece = piece
        if piece.isCrossing {
          // Nothing that was measured around a silence says how it was crossed.
          if !track.isObserved(piece.leg.start, piece.leg.end) { piece.leg.activity = nil }
        } else {
          SportBelief(session, of: piece.leg, track, isRest: piece.isRest)?.name(&piece.leg)
        }
        return piece
      })
  }

  /// Consecutive pieces of one activity as one leg; rests belong to the leg before, or else after.
  private func merged(_ pieces: [Piece]) -> [Trip.Leg] {
    var result: [Piece] = []
    for piece in pieces {
      guard let last = result.last, last.isCrossing == piece.isCrossing,
        last.isRest || piece.isRest || last.leg.name == piece.leg.name
      else {
        result.append(piece)
        continue
      }
      let named = last.isRest ? piece : last
      var leg = last.leg
      (leg.activity, leg.customActivity) = (named.leg.activity, named.leg.customActivity)
      leg.extend(by: piece.leg)
      result[result.count - 1] = Piece(
        leg: leg, isRest: last.isRest && piece.isRest, isCrossing: piece.isCrossing)
    }
    return result.map(\.leg)
  }
}

extension Trip {
  /// The trip with other legs, which still tile their time.
  fileprivate func replacingLegs(_ change: (inout [Leg]) -> Void) -> Trip {
    var legs = legs
    change(&legs)
    var trip = Trip(legs: legs)
    trip.stated = stated
    return trip
  }
}
