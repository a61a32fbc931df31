extension TimelineBuilder {
  /// A trip of the runs in one of the spans, with its part of the ways over silences.
  func trip(_ index: Int, of spans: [TimelineSpan], _ timeline: OpenTimeline) -> Trip {
    let span = spans[index]
    var own = timeline.runs.cut(from: span.start, to: span.end)
    let spacing = Self.spacing(
      of: epochs[
        max(0, span.epochs.lowerBound - 3)..<min(epochs.count, span.epochs.upperBound + 3)])
    for silence in timeline.silences where silence.overlap(with: span) > 0 {
      // Nobody comes farther in a stay: what is not this trip's way is another one's.
      let others = spans.reduce(0) { $0 + ($1.isStay ? 0 : silence.overlap(with: $1)) }
      add(
        silence, share: silence.overlap(with: span) / others, within: span, to: &own,
        spacing: spacing)
    }
    var trip = Trip(legs: legs(of: own, from: span.start, to: span.end))
    if index > 0, index + 1 < spans.count, let from = spans[index - 1].place?.centre,
      let to = spans[index + 1].place?.centre
    {
      trip.reach(
        EarthCentredPoint(position: from, variance: nil).distance(
          to: EarthCentredPoint(position: to, variance: nil)))
    }
    return trip
  }

  // MARK: Silences

  /// The shortest silence of the receiver that may have been a ride underground, seconds.
  private static let shortestTunnel = 60.0

  /// The median time between fixes, seconds.
  private static func spacing(of epochs: ArraySlice<LocationEpoch>) -> Double {
    var spacings: [(seconds: Double, weight: Int)] = []
    var last: Timestamp?
    for epoch in epochs where epoch.count > 0 {
      if let last { spacings.append((epoch.start.seconds(since: last), 1)) }
      if epoch.count > 1 {
        let length = epoch.end.seconds(since: epoch.start)
        spacings.append((length / Double(epoch.count - 1), epoch.count - 1))
      }
      last = epoch.end
    }
    spacings.sort { $0.seconds < $1.seconds }
    var rest = spacings.reduce(0) { $0 + $1.weight } / 2
    for (seconds, weight) in spacings {
      rest -= weight
      if rest < 0 { return seconds }
    }
    return spacings.last?.seconds ?? 600
  }

  /// Adds a share of the way over a silence: to the runs in it by their usual speeds, or as a run
  /// of its own.
  private func add(
    _ silence: Odometer.Step, share: Double, within span: TimelineSpan,
    to runs: inout [TimelineRun], spacing: Double
  ) {
    let (start, end) = (max(silence.start, span.start), min(silence.end, span.end))
    let inside = runs.indices.filter { runs[$0].start < end && runs[$0].end > start }
    func part(_ run: TimelineRun) -> Double {
      min(run.end, end).seconds(since: max(run.start, start)) / run.duration
    }
    let covered = inside.reduce(0) { $0 + runs[$1].duration * part(runs[$1]) }
    guard covered >= end.seconds(since: start) / 2 else {
      var run = TimelineRun(start: start, label: .moving(nil))
      run.end = end
      run.add(silence, share: share)
      runs.insert(run, at: runs.firstIndex { $0.start >= start } ?? runs.count)
      return
    }
    let usual = inside.reduce(0) { $0 + runs[$1].usualDistance * part(runs[$1]) }
    // As smooth as rest, and among many fixes none: underground.
    let isTrain =
      !inside.contains { runs[$0].mode != nil }
      && silence.seconds >= max(Self.shortestTunnel, 10 * spacing)
      && silence.length >= settings.slowestTrain * silence.seconds
    for index in inside {
      let part = part(runs[index])
      let fraction =
        usual > 0 ? runs[index].usualDistance * part / usual : runs[index].duration * part / covered
      runs[index].add(silence, share: share * fraction)
      if isTrain { runs[index].vote(for: .moving(.train), seconds: runs[index].duration * part) }
    }
  }

  // MARK: Modes

  /// Rule 6 of the type's description: the cheapest sequence of modes, by dynamic programming.
  private func legs(
    of runs: [TimelineRun], from start: Timestamp, to end: Timestamp
  ) -> [Trip.Leg] {
    guard !runs.isEmpty else {
      return [Trip.Leg(start: start, end: end, activity: nil, distance: nil, steps: 0)]
    }
    let modes = Activity.allCases.count
    var cost = SIMD8<Double>(repeating: 0)
    // For each run and mode, the mode of the run before it on the cheapest path.
    var origins: [SIMD8<UInt8>] = []
    origins.reserveCapacity(runs.count)
    for run in runs {
      let sum = (1..<modes).reduce(Float(0)) { $0 + run.votes[$1] }
      var cheapest = 1
      for mode in 2..<modes where cost[mode] < cost[cheapest] { cheapest = mode }
      let change = cost[cheapest] + settings.modeChangeCost
      var origin = SIMD8<UInt8>.zero
      for mode in 1..<modes {
        // In doubt change as late as possible: waiting belongs to the leg before it.
        let changes = mode != cheapest && change <= cost[mode]
        origin[mode] = UInt8(changes ? cheapest : mode)
        cost[mode] = (changes ? change : cost[mode]) + Double(sum - run.votes[mode])
      }
      origins.append(origin)
    }
    var mode = 1
    for other in 2..<modes where cost[other] < cost[mode] { mode = other }
    var path = [Int](repeating: 0, count: runs.count)
    for index in path.indices.reversed() {
      path[index] = mode
      mode = Int(origins[index][mode])
    }
    nameTrafficJams(of: runs, in: &path)
    var legs = Self.legs(of: runs, by: path)
    // Silence belongs to the leg before it.
    legs[0].start = start
    for index in legs.indices.dropLast() { legs[index].end = legs[index + 1].start }
    legs[legs.count - 1].end = end
    return legs
  }

  /// Gives the vehicle's mode to slow ways between rides that nobody was seen to walk: whoever goes
  /// on at a crawl, without steps and without turning back, sits in a jam.
  private func nameTrafficJams(of runs: [TimelineRun], in path: inout [Int]) {
    func isRide(_ index: Int) -> Bool {
      path.indices.contains(index) && Activity(rawValue: path[index])?.isMotorized ?? false
    }
    for first in path.indices where isRide(first - 1) && !isRide(first) {
      guard let next = (first..<path.count).first(where: isRide) else { return }
      let part = runs[first..<next]
      let (start, end) = (part[first].start, part[next - 1].end)
      let distance = part.reduce(0) { $0 + $1.distance }
      guard part.allSatisfy({ $0.steps == 0 }),
        distance < Self.fastestJam * end.seconds(since: start),
        let from = epochs.first(where: { $0.end > start })?.mean,
        let to = epochs.last(where: { $0.start < end })?.mean, from.distance(to: to) > distance / 2
      else { continue }
      for index in first..<next { path[index] = path[first - 1] }
    }
  }

  /// The mean speed of a jam, m/s, at most.
  private static let fastestJam = 0.9

  /// The mean speed, m/s, and the distance, metres, above which a leg is a flight: no train is as
  /// fast from end to end.
  private static let slowestFlight = 95.0
  private static let shortestFlight = 100_000.0

  private static func legs(of runs: [TimelineRun], by path: [Int]) -> [Trip.Leg] {
    var legs: [Trip.Leg] = []
    var begin = 0
    for index in runs.indices {
      let mode = path[index]
      guard index + 1 == runs.count || path[index + 1] != mode else { continue }
      let part = runs[begin...index]
      let isNamed = part.contains { $0.votes[mode] > 0 }
      let isLocated = part.contains { $0.isLocated || $0.distance > 0 }
      var leg = Trip.Leg(
        start: runs[begin].start, end: runs[index].end,
        activity: isNamed ? Activity(rawValue: mode) : nil,
        distance: isLocated ? part.reduce(0) { $0 + $1.distance } : nil,
        steps: part.reduce(0) { $0 + Double($1.steps) },
        altitudeChange: .sum(part.lazy.map { $0.altitudeChange }))
      leg.movingSeconds = part.movingSeconds
      var probabilities = part.reduce(SIMD8<Float>.zero) { $0 + $1.probabilities }
      probabilities[Activity.stationary.rawValue] = 0
      if probabilities.max() > 0 {
        leg.modes = ActivityProbabilities(normalising: probabilities).ofModes
      }
      if leg.distance != nil {
        let bias = part.reduce(0) { $0 + $1.distanceBias }
        leg.distanceDeviation =
          part.reduce(bias * bias) { $0 + $1.distanceVariance }.squareRoot()
      }
      if let distance = leg.distance,
        distance > slowestFlight * leg.end.seconds(since: leg.start), distance > shortestFlight
      {
        leg.activity = nil
        leg.customActivity = CustomActivity(name: "flight", behavesLike: nil)
      }
      legs.append(leg)
      begin = index + 1
    }
    return legs
  }
}

extension Trip {
  /// Makes a trip as long as the line between its ends where fixes too coarse for it showed less
  /// than half of that.
  fileprivate mutating func reach(_ line: Double) {
    guard let distance, distance < line / 2, end > start else { return }
    for index in legs.indices where legs[index].distance != nil {
      let own =
        line * legs[index].end.seconds(since: legs[index].start)
        / end.seconds(since: start)
      legs[index].distance = own
      legs[index].distanceDeviation = max(legs[index].distanceDeviation ?? 0, own / 2)
    }
  }
}

extension Odometer.Step {
  /// The time from fix to fix, seconds.
  var seconds: Double { end.seconds(since: start) }

  /// How long it goes on in a span, seconds.
  fileprivate func overlap(with span: TimelineSpan) -> Double {
    max(0, min(end, span.end).seconds(since: max(start, span.start)))
  }
}
