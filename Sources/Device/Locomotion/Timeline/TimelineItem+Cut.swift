/// The parts of what an item counts that are in a part of its time, 0 to 1.
package struct TimeShare {
  var way, moving, steps: Double
}

extension TimeShare {
  /// As large as the part of the time.
  init(of part: Range<Timestamp>, in whole: Range<Timestamp>) {
    let share =
      part.upperBound.seconds(since: part.lowerBound)
      / whole.upperBound.seconds(since: whole.lowerBound)
    self.init(way: share, moving: share, steps: share)
  }
}

extension TimelineItem {
  /// The part of the item in an interval, with what it counts there.
  ///
  /// - Parameters:
  ///   - start: The first instant of the interval.
  ///   - end: The first instant after it.
  ///   - share: What of an item's or a leg's counts is in a part of its time.
  /// - Returns: The part; nil where they have nothing in common.
  package func cut(
    from start: Timestamp, to end: Timestamp,
    share: (_ part: Range<Timestamp>, _ whole: Range<Timestamp>) -> TimeShare = TimeShare.init
  ) -> TimelineItem? {
    let part = max(start, self.start)..<max(start, self.start, min(end, self.end))
    guard !part.isEmpty else { return nil }
    guard part != self.start..<self.end else { return self }
    switch self {
    case .gap(var gap):
      (gap.start, gap.end) = (part.lowerBound, part.upperBound)
      return .gap(gap)
    case .stay(var stay):
      let share = share(part, stay.start..<stay.end)
      stay.distance = stay.distance.map { $0 * share.way }
      stay.steps *= share.steps
      stay.observedSeconds *= TimeShare(of: part, in: stay.start..<stay.end).way
      stay.altitudeChange = stay.altitudeChange?.scaled(by: share.way)
      if part.lowerBound > stay.start { stay.startDeviation = nil }
      if part.upperBound < stay.end { stay.endDeviation = nil }
      (stay.start, stay.end) = (part.lowerBound, part.upperBound)
      return .stay(stay)
    case .trip(var trip):
      trip.legs = trip.legs.compactMap {
        $0.cut(from: part.lowerBound, to: part.upperBound, share: share)
      }
      return .trip(trip)
    }
  }
}

extension Trip.Leg {
  /// The part of the leg in an interval, as that of an item.
  package func cut(
    from first: Timestamp, to last: Timestamp,
    share: (_ part: Range<Timestamp>, _ whole: Range<Timestamp>) -> TimeShare = TimeShare.init
  ) -> Trip.Leg? {
    let interval = max(start, first)..<max(start, first, min(end, last))
    guard !interval.isEmpty else { return nil }
    guard interval != start..<end else { return self }
    let share = share(interval, start..<end)
    var part = self
    (part.start, part.end) = (interval.lowerBound, interval.upperBound)
    part.distance = distance.map { $0 * share.way }
    // The variances of the parts add up to that of the whole.
    part.distanceDeviation = distanceDeviation.map { $0 * share.way.squareRoot() }
    part.movingSeconds = movingSeconds.map {
      min($0 * share.moving, part.end.seconds(since: part.start))
    }
    part.steps = steps * share.steps
    part.altitudeChange = altitudeChange?.scaled(by: share.way)
    return part
  }

  /// Adds what follows.
  package mutating func extend(by next: Trip.Leg) {
    let variances = [self, next].map { leg in leg.distanceDeviation.map { $0 * $0 } }
    if let own = modes, let other = next.modes {
      let lengths = (end.seconds(since: start), next.end.seconds(since: next.start))
      modes =
        ActivityProbabilities(weights: {
          own[$0] * Float(lengths.0) + other[$0] * Float(lengths.1)
        }).ofModes
    } else {
      modes = modes ?? next.modes
    }
    distance = .sum([distance, next.distance])
    distanceDeviation = Double?.sum(variances)?.squareRoot()
    movingSeconds = .sum([movingSeconds, next.movingSeconds])
    steps += next.steps
    altitudeChange = .sum([altitudeChange, next.altitudeChange])
    end = next.end
  }
}

/// What the parts of a whole add up to, some of which may not know theirs.
protocol Summable {
  static func += (sum: inout Self, next: Self)
}

extension Double: Summable {}

extension AltitudeChange: Summable {}

extension Optional where Wrapped: Summable {
  /// The sum of those that are known; nil when none is.
  static func sum(_ values: some Sequence<Wrapped?>) -> Wrapped? {
    values.reduce(nil) { sum, value in
      guard let value else { return sum }
      guard var sum else { return value }
      sum += value
      return sum
    }
  }
}
