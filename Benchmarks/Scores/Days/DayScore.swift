package import Locomotion

/// How right timelines of whole days are: stays and their ends, seconds, distance and activities.
///
/// - A stay is right as ``StayScore`` defines it.
/// - A second is right when the timeline says "stay" in a true stay, or "trip" outside of one while
///   the truth moves or travels; a halt of a vehicle belongs to the trip. Other seconds (a wait
///   that is too short for a stay, a few steps of which the truth says nothing) aren't scored. A
///   gap is wrong.
/// - Edges are the starts and ends of the stays that were found, but for those at the ends of the
///   truth, which nobody can miss.
package struct DayScore: Hashable, Sendable {
  /// What a stay claims about its ends: deviations in seconds, probability 0.68; nil for none.
  package typealias EdgeClaims = (Stay) -> (start: Double?, end: Double?)
  /// What a trip claims about its distance: a deviation in metres, probability 0.68; nil for none.
  package typealias DistanceClaim = (Trip) -> Double?

  /// What was scored.
  package let name: String
  /// Days scored.
  package private(set) var days = 0
  /// Fixes of the recordings.
  package private(set) var fixes = 0
  /// The stays of five minutes and more.
  package private(set) var stays: StayScore
  /// Seconds that are scored, and those of them that are right.
  package private(set) var seconds = 0.0, rightSeconds = 0.0
  /// The sum of the trips' distances and the path length of the truth, day by day.
  package private(set) var lengths: [TrackScore.Length] = []
  /// How often a trip's claimed interval holds the length of the true path in the same time.
  package private(set) var distanceCoverage = TrackScore.Coverage()
  /// The errors of the edges without their signs, seconds.
  package private(set) var edgeErrors: [Double] = []
  /// How often an edge's claimed interval holds the true one.
  package private(set) var edgeCoverage = TrackScore.Coverage()
  /// The activities while travelling.
  package private(set) var travel: TravelScore

  /// Scores the timeline of a day.
  ///
  /// - Parameters:
  ///   - name: What was scored.
  ///   - items: Stays, trips and gaps; they need not tile the day.
  ///   - fixes: The number of fixes that the timeline was made of.
  ///   - truth: The reference.
  ///   - edgeClaims: What a stay claims about its ends.
  ///   - distanceClaim: What a trip claims about its distance.
  package init(
    name: String, items: [TimelineItem], fixes: Int, truth: LocationTruth,
    edgeClaims: EdgeClaims = { ($0.startDeviation, $0.endDeviation) },
    distanceClaim: DistanceClaim = { $0.distanceDeviation }
  ) {
    self.name = name
    self.fixes = fixes
    days = 1
    let items = items.sorted { $0.start < $1.start }
    let found = items.compactMap { item -> Stay? in
      guard case .stay(let stay) = item else { return nil }
      return stay
    }
    let intervals = found.map(StayInterval.init)
    let trueStays = truth.stays ?? []
    stays = StayScore(name: name, detected: intervals, truth: trueStays)
    travel = TravelScore(items, truth: truth)
    countSeconds(items, truth)
    for pair in StayScore.pairs(detected: intervals, truth: trueStays) {
      addEdges(of: found[pair.detected], trueStays[pair.truth], truth, edgeClaims)
    }
    addDistances(items, truth, distanceClaim)
  }

  private mutating func countSeconds(_ items: [TimelineItem], _ truth: LocationTruth) {
    let trueStays = (truth.stays ?? []).filter { $0.duration >= StayScore.shortestStay }
      .sorted { $0.start < $1.start }
    var (stay, item) = (0, 0)
    for (moment, next) in zip(truth.moments, truth.moments.dropFirst()) {
      let time = moment.timestamp
      while stay < trueStays.count, trueStays[stay].end <= time { stay += 1 }
      while item < items.count, items[item].end <= time { item += 1 }
      let isStay = stay < trueStays.count && trueStays[stay].start <= time
      guard isStay || moment.isMoving == true || moment.travel != nil else { continue }
      let length = min(next.timestamp.seconds(since: time), LocationTruth.longestGap)
      seconds += length
      guard item < items.count, items[item].start <= time else { continue }
      switch items[item] {
      case .stay: rightSeconds += isStay ? length : 0
      case .trip: rightSeconds += isStay ? 0 : length
      case .gap: break
      }
    }
  }

  private mutating func addEdges(
    of stay: Stay, _ trueStay: StayInterval, _ truth: LocationTruth, _ claims: EdgeClaims
  ) {
    guard let first = truth.moments.first?.timestamp, let last = truth.moments.last?.timestamp
    else { return }
    let claim = claims(stay)
    if trueStay.start.seconds(since: first) > LocationTruth.longestGap {
      addEdge(stay.start.seconds(since: trueStay.start), claim.start)
    }
    if last.seconds(since: trueStay.end) > LocationTruth.longestGap {
      addEdge(stay.end.seconds(since: trueStay.end), claim.end)
    }
  }

  private mutating func addEdge(_ error: Double, _ claim: Double?) {
    edgeErrors.append(abs(error))
    guard let claim else { return }
    edgeCoverage.add(abs(error) <= claim)
  }

  private mutating func addDistances(
    _ items: [TimelineItem], _ truth: LocationTruth, _ claim: DistanceClaim
  ) {
    guard let first = truth.moments.first, let last = truth.moments.last else { return }
    var length = TrackScore.Length(
      measured: 0, truth: truth.distance(from: first.timestamp, to: last.timestamp))
    for case .trip(let trip) in items {
      guard let distance = trip.distance else { continue }
      length.measured += distance
      guard let deviation = claim(trip) else { continue }
      let path = truth.distance(from: trip.start, to: trip.end)
      distanceCoverage.add(abs(distance - path) <= deviation)
    }
    lengths.append(length)
  }

  /// The mean number of fixes of a day.
  package var fixesPerDay: Double { Double(fixes) / Double(max(days, 1)) }

  /// The fraction of the scored seconds that are right; nil without any.
  package var rightFraction: Double? { seconds > 0 ? rightSeconds / seconds : nil }

  /// The mean over the days of the distance's error without its sign, as a fraction of the truth;
  /// nil without a day that has a path.
  package var distanceError: Double? {
    let errors = lengths.compactMap { $0.error.map(abs) }
    return errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
  }

  /// Adds the score of other days.
  package mutating func merge(_ other: DayScore) {
    days += other.days
    fixes += other.fixes
    stays.merge(other.stays)
    seconds += other.seconds
    rightSeconds += other.rightSeconds
    lengths += other.lengths
    distanceCoverage.merge(other.distanceCoverage)
    edgeErrors += other.edgeErrors
    edgeCoverage.merge(other.edgeCoverage)
    travel.merge(other.travel)
  }
}
