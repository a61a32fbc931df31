/// A session and what lies in it: one trip with pauses.
struct SessionItems {
  /// A rest of this length at the edge of a session belongs to it, seconds.
  private static let briefRest = 300.0
  /// What is beyond the ends of a session by less belongs to it, seconds.
  private static let slack = 60.0
  /// Who covers ground at this mean speed does not stay, m/s.
  private static let slowestTravel = 0.5
  /// The metres, beside the locations' radii, within which the ends of a pause lie together.
  private static let together = 50.0

  private let session: StatedInterval
  /// The pauses in it whose ends lie apart.
  private let crossings: [StatedInterval]
  private let track: SampledTrack

  init(_ session: StatedInterval, _ pauses: [StatedInterval], _ track: SampledTrack) {
    (self.session, self.track) = (session, track)
    let first = pauses.partitioningIndex { $0.start >= session.start }
    crossings = pauses[first...].prefix { $0.start < session.end }.filter { pause in
      guard pause.end <= session.end, let (from, to) = track.ends(of: pause.start, pause.end) else {
        return false
      }
      return from.distance(to: to) > max(Self.together, from.radius68 + to.radius68)
    }
  }

  /// A part of a session: travel, or what was walked in a rest.
  private struct Segment {
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
  func joining(_ items: [TimelineItem]) -> [TimelineItem] {
    let items = items.flatMap { travelling($0) }
    let inside = items.indices.filter {
      items[$0].start < session.end && items[$0].end > session.start
    }
    let motion = inside.reduce(0) { sum, index in
      guard case .trip = items[index] else { return sum }
      return sum + overlap(items[index])
    }
    guard motion > 0, let first = inside.first, let last = inside.last else { return items }
    func parts(_ index: Int) -> Bool {
      switch items[index] {
      case .trip: return false
      case .gap: return true
      case .stay(let stay):
        let isCrossed = crossings.contains {
          min($0.end, stay.end).seconds(since: max($0.start, stay.start)) > 0.5
            * items[index].duration
        }
        return isCrossed || overlap(items[index]) > motion
      }
    }
    var result = Array(items[..<first])
    var open: [TimelineItem] = []
    func close() {
      result += joined(open)
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
    return statingOnce(result + items[(last + 1)...])
  }

  /// A stay in a session in which more was walked than anyone does at a place, as a trip: laps lie
  /// within a stay's radius.
  private func travelling(_ item: TimelineItem) -> [TimelineItem] {
    let (start, end) = bounds(in: item.start, item.end)
    guard case .stay = item, overlap(item) > 0,
      let part = item.cut(from: start, to: end, share: track.share), case .stay(let stay) = part,
      let distance = stay.distance, distance >= Self.slowestTravel * part.duration
    else { return [item] }
    let segments: [TimelineItem?] = [
      item.cut(from: item.start, to: part.start, share: track.share),
      .trip(Trip(legs: [leg(of: stay)])),
      item.cut(from: part.end, to: item.end, share: track.share),
    ]
    return segments.compactMap { $0 }
  }

  /// What was walked in a stay, as a leg.
  private func leg(of stay: Stay) -> Trip.Leg {
    var leg = Trip.Leg(
      start: stay.start, end: stay.end, activity: nil, distance: stay.distance,
      steps: stay.steps, altitudeChange: stay.altitudeChange)
    leg.movingSeconds = track.amount(of: { $0.moving }, stay.start, stay.end)
    return leg
  }

  /// The items with the device's totals on the longest trip of a session alone.
  private func statingOnce(_ items: [TimelineItem]) -> [TimelineItem] {
    var items = items
    let own = items.indices.filter { items[$0].asTrip?.stated?.interval == session }
    let longest = own.max { items[$0].duration < items[$1].duration }
    for index in own where index != longest {
      guard case .trip(var trip) = items[index] else { continue }
      trip.stated?.interval.totals = nil
      items[index] = .trip(trip)
    }
    return items
  }

  private func overlap(_ item: TimelineItem) -> Double {
    max(0, min(item.end, session.end).seconds(since: max(item.start, session.start)))
  }

  /// One trip of items that follow each other, from the first motion or brief rest of a session to
  /// its last; what is before and after stays as it is.
  private func joined(_ items: [TimelineItem]) -> [TimelineItem] {
    var (head, middle, tail) = (items[...].prefix(0), items[...], items[...].suffix(0))
    func isLongRest(_ item: TimelineItem) -> Bool {
      if case .stay = item { overlap(item) >= Self.briefRest } else { false }
    }
    if let item = middle.first, isLongRest(item) { head = [middle.removeFirst()] }
    if let item = middle.last, isLongRest(item) { tail = [middle.removeLast()] }
    guard middle.contains(where: { if case .trip = $0 { true } else { false } }),
      let from = middle.first?.start, let to = middle.last?.end
    else { return items }
    let (start, end) = bounds(in: from, to)
    let before = middle.first.flatMap { $0.cut(from: from, to: start, share: track.share) }
    let after = middle.last.flatMap { $0.cut(from: end, to: to, share: track.share) }
    let own = middle.compactMap { $0.cut(from: start, to: end, share: track.share) }
    let sensed = own.flatMap { $0.legs }
    guard !sensed.isEmpty else { return items }
    var trip = Trip(legs: legs(of: own))
    trip.stated = Trip.Statement(session, sensedActivity: Trip(legs: sensed).dominantActivity)
    let parts: [TimelineItem?] = [before, .trip(trip), after]
    return head + parts.compactMap { $0 } + tail
  }

  /// The ends of a session in an interval; what began a moment before the device says so began
  /// then.
  private func bounds(
    in start: Timestamp, _ end: Timestamp
  ) -> (start: Timestamp, end: Timestamp) {
    (
      session.start.seconds(since: start) > Self.slack ? session.start : start,
      end.seconds(since: session.end) > Self.slack ? session.end : end
    )
  }

  /// The legs of one trip: what the session says of them where it is believed, and crossings.
  private func legs(of items: [TimelineItem]) -> [Trip.Leg] {
    var segments = items.flatMap { item -> [Segment] in
      switch item {
      case .trip(let trip): return trip.legs.map { Segment(leg: $0) }
      case .gap: return []
      case .stay(let stay): return [Segment(leg: leg(of: stay), isRest: true)]
      }
    }
    for crossing in crossings {
      segments = segments.flatMap { segment -> [Segment] in
        let (start, end) = (segment.leg.start, segment.leg.end)
        let parts = [
          (start, crossing.start), (crossing.start, crossing.end), (crossing.end, end),
        ].map { (max($0, start), min($1, end)) }
        return parts.enumerated().compactMap { number, part in
          guard part.0 < part.1,
            let leg = segment.leg.cut(from: part.0, to: part.1, share: track.share)
          else {
            return nil
          }
          var part = segment
          part.leg = leg
          if number == 1 { part.isCrossing = true }
          return part
        }
      }
    }
    return merged(
      segments.map { segment in
        var segment = segment
        if segment.isCrossing {
          // Nothing that was measured around a silence says how it was crossed.
          if !track.isObserved(segment.leg.start, segment.leg.end) { segment.leg.activity = nil }
        } else {
          StatementPosterior(session, of: segment.leg, track, isRest: segment.isRest)?.name(
            &segment.leg)
        }
        return segment
      })
  }

  /// Consecutive segments of one activity as one leg; rests belong to the leg before, or else to
  /// that after.
  private func merged(_ segments: [Segment]) -> [Trip.Leg] {
    var result: [Segment] = []
    for segment in segments {
      guard let last = result.last, last.isCrossing == segment.isCrossing,
        last.isRest || segment.isRest || last.leg.name == segment.leg.name
      else {
        result.append(segment)
        continue
      }
      let named = last.isRest ? segment : last
      var leg = last.leg
      (leg.activity, leg.customActivity) = (named.leg.activity, named.leg.customActivity)
      leg.extend(by: segment.leg)
      result[result.count - 1] = Segment(
        leg: leg, isRest: last.isRest && segment.isRest, isCrossing: segment.isCrossing)
    }
    return result.map { $0.leg }
  }
}
