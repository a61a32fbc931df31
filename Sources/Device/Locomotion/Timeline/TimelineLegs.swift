internal import CLocomotionMath
internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

extension TimelineBuilder {
  /// A trip of the runs in a span, with the distances over silences, between two places.
  func trip(
    _ span: TimelineSpan, from before: CandidatePlace?, to after: CandidatePlace?,
    _ runs: [TimelineRun]
  ) -> Trip {
    var own = runs.cut(from: span.start, to: span.end)
    let steps = steps(in: span, from: before, to: after)
    for silence in silences(steps, in: span) { add(silence, to: &own) }
    return Trip(legs: legs(of: own, from: span.start, to: span.end))
  }

  // MARK: Silences

  /// A time in a trip without a location.
  private struct Silence {
    var start: Timestamp
    var end: Timestamp
    /// The distance over it, metres, without what the locations' errors add.
    var distance: Double
    /// The variance of ``distance``, m².
    var variance: Double
    /// Whether the mean speed between the fixes around it stands for a train.
    var isFast: Bool
  }

  /// A fix before or after a silence.
  private struct SilenceEnd {
    /// The end of the minute that it is from, or the beginning.
    var time: Timestamp
    /// The instant of the fix.
    var fixed: Timestamp
    var point: LocationEpoch.Point
  }

  /// From the fix before a silence to the one after it.
  private typealias SilentStep = (from: SilenceEnd, to: SilenceEnd)

  /// The steps of a trip over which no odometer went, those beside the stays around it included.
  private func steps(
    in span: TimelineSpan, from before: CandidatePlace?, to after: CandidatePlace?
  ) -> [SilentStep] {
    let seen = observedEpochs(of: span)
    let inside = epochs[seen]
    let largest = settings.largestRadius * settings.largestRadius / LocationEpoch.squaredRadius68
    func isGood(_ point: LocationEpoch.Point) -> Bool { point.errorVariance <= largest }
    let isCoarse = !inside.contains { $0.mean.map(isGood) ?? false }
    var steps: [SilentStep] = []
    var last: SilenceEnd?
    /// Goes to the next fix; false when it is nearer than the errors and says nothing yet.
    func go(to point: LocationEpoch.Point, at time: Timestamp, fixed: Timestamp) -> Bool {
      let next = SilenceEnd(time: time, fixed: fixed, point: point)
      guard let last else { return true }
      // Coarse fixes are too rare and too far apart for the odometer.
      let isMeasured =
        !isCoarse && time.seconds(since: last.time) < settings.longestPause
        && fixed.seconds(since: last.fixed) <= Self.longestStep
      guard !isMeasured else { return true }
      let distance = last.point.distance(to: point)
      guard
        distance * distance > 4 * (last.point.errorVariance + point.errorVariance)
          || point.errorVariance <= 1
      else { return false }
      steps.append((last, next))
      return true
    }
    func point(_ place: CandidatePlace?) -> LocationEpoch.Point? {
      place?.centre.map { LocationEpoch.Point(position: $0, variance: 1) }
    }
    last = point(before).map { SilenceEnd(time: span.start, fixed: span.start, point: $0) }
    for (index, epoch) in zip(seen, inside) {
      guard let first = epoch.first, let newest = epoch.last, isCoarse || isGood(first),
        !isJump(index)
      else { continue }
      let (begin, end) = (epoch.firstTime ?? epoch.start, epoch.lastTime ?? epoch.end)
      guard go(to: first, at: max(span.start, epoch.start), fixed: max(span.start, begin)) else {
        continue
      }
      if epoch.count > 1, !isDense(epoch) {
        last = SilenceEnd(
          time: max(span.start, epoch.start), fixed: max(span.start, begin), point: first)
        guard go(to: newest, at: epoch.end, fixed: end) else { continue }
      }
      last = SilenceEnd(time: epoch.end, fixed: end, point: newest)
    }
    if let goal = point(after) { _ = go(to: goal, at: span.end, fixed: span.end) }
    return steps
  }

  /// Whether the fixes of an epoch follow each other, so that the odometer went from each to the
  /// next.
  private func isDense(_ epoch: LocationEpoch) -> Bool {
    epoch.count > 1
      && epoch.end.seconds(since: epoch.start) <= settings.longestPause * Double(epoch.count - 1)
  }

  /// The epochs of a trip, and those beside it of which a part of the seconds is the trip's.
  private func observedEpochs(of span: TimelineSpan) -> Range<Int> {
    var (first, end) = (span.epochs.lowerBound, span.epochs.upperBound)
    if first > 0, epochs[first - 1].end > span.start, isDense(epochs[first - 1]) { first -= 1 }
    if end < epochs.count, epochs[end].start < span.end, isDense(epochs[end]) { end += 1 }
    return first..<end
  }

  /// The silences of a trip by its steps.
  private func silences(_ steps: [SilentStep], in span: TimelineSpan) -> [Silence] {
    let detour = Self.detour(of: steps)
    let spacing = Self.spacing(
      of: epochs[
        max(0, span.epochs.lowerBound - 3)..<min(epochs.count, span.epochs.upperBound + 3)])
    // The fixes before and after the trip, which its ends are inferred from.
    let earlier = epochs[..<span.epochs.lowerBound].last { $0.count > 0 }?.end ?? span.start
    let later = epochs[span.epochs.upperBound...].first { $0.count > 0 }?.start ?? span.end
    return steps.compactMap { step in
      let (start, end) = (step.from.fixed, step.to.fixed)
      let distance = step.from.point.distance(to: step.to.point)
      let errors = (step.from.point.errorVariance + step.to.point.errorVariance) / 2
      let straight = max(0, distance * distance - errors).squareRoot()
      let from = start == span.start ? min(start, earlier) : start
      let until = end == span.end ? max(end, later) : end
      let unobserved = until.seconds(since: from)
      // A silence among many fixes is one of the receiver.
      let isReceiver = unobserved >= max(Self.shortestTunnel, 10 * spacing)
      guard start < end, straight > 0 else { return nil }
      return Silence(
        start: start, end: end, distance: straight * (isReceiver ? 1 : detour),
        variance: errors + Self.spread * Self.spread * straight * straight,
        isFast: isReceiver && straight >= settings.slowestTrain * unobserved)
    }
  }

  /// The standard deviation of the way over a silence, as a part of the straight line.
  private static let spread = 0.2
  /// The same of a distance that was observed, in which receivers' errors add up.
  private static let observedSpread = 0.01
  /// The shortest silence of the receiver that may have been a ride underground, seconds.
  private static let shortestTunnel = 60.0

  /// Whether the fixes of an epoch lie away from those before and after it, farther than any
  /// vehicle on the ground comes.
  private func isJump(_ index: Int) -> Bool {
    guard let here = epochs[index].mean,
      let before = epochs[..<index].last(where: { $0.count > 0 }), let from = before.last,
      let after = epochs[(index + 1)...].first(where: { $0.count > 0 }), let to = after.first
    else { return false }
    let (out, back) = (from.distance(to: here), here.distance(to: to))
    let direct = from.distance(to: to)
    guard direct < 0.35 * min(out, back) else { return false }
    return out > Self.fastest * epochs[index].start.seconds(since: before.end)
      && back > Self.fastest * after.start.seconds(since: epochs[index].end)
  }

  /// The speed of a vehicle on the ground that none exceeds for long, m/s.
  private static let fastest = 40.0

  /// How much longer the way was than the straight lines between its fixes.
  ///
  /// Leaving out every other fix shortens it by some factor; what the fixes leave out of the way
  /// itself goes with a power of that (Mandelbrot, "How long is the coast of Britain?", Science
  /// 156, 1967). The exponent was found on cycled, driven and simulated ways at 60 to 300 s; it is
  /// smaller where the fixes are so near that their errors make turns.
  private static func detour(of steps: [SilentStep]) -> Double {
    var (sum, straight, seconds) = (0.0, 0.0, 0.0)
    for (step, next) in zip(steps, steps.dropFirst()) {
      sum +=
        step.from.point.distance(to: step.to.point) + next.from.point.distance(to: next.to.point)
      straight += step.from.point.distance(to: next.to.point)
      seconds += next.to.fixed.seconds(since: step.from.fixed) / 2
    }
    guard straight > 0 else { return 1 }
    let spacing = seconds / Double(steps.count - 1)
    return min(max(pow(sum / straight, 1.7 * spacing / (spacing + 45)), 1), 1.6)
  }

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

  /// Adds the distance of a silence: to the runs in it by their usual speeds, or as a run of its
  /// own.
  private func add(_ silence: Silence, to runs: inout [TimelineRun]) {
    let inside = runs.indices.filter {
      runs[$0].start < silence.end && runs[$0].end > silence.start
    }
    func share(_ run: TimelineRun) -> Double {
      let (start, end) = (max(run.start, silence.start), min(run.end, silence.end))
      return end.seconds(since: start) / run.duration
    }
    let covered = inside.reduce(0) { $0 + runs[$1].duration * share(runs[$1]) }
    let length = silence.end.seconds(since: silence.start)
    guard covered >= length / 2 else {
      var run = TimelineRun(start: silence.start, label: .moving(nil))
      run.end = silence.end
      run.distance = silence.distance
      run.distanceVariance = silence.variance
      run.isLocated = true
      runs.insert(run, at: runs.firstIndex { $0.start >= silence.start } ?? runs.count)
      return
    }
    let usual = inside.reduce(0) { $0 + runs[$1].usualDistance * share(runs[$1]) }
    let isNamed = inside.contains { runs[$0].mode != nil }
    for index in inside {
      let part = share(runs[index])
      let fraction =
        usual > 0 ? runs[index].usualDistance * part / usual : runs[index].duration * part / covered
      runs[index].distance += silence.distance * fraction
      runs[index].distanceVariance += silence.variance * fraction
      runs[index].isLocated = true
      // As smooth as rest and without reception.
      if !isNamed, silence.isFast {
        runs[index].vote(for: .moving(.train), seconds: runs[index].duration * part)
      }
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
    var legs = Self.legs(of: runs, by: path)
    // Silence belongs to the leg before it.
    legs[0].start = start
    for index in legs.indices.dropLast() { legs[index].end = legs[index + 1].start }
    legs[legs.count - 1].end = end
    return legs
  }

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
        altitudeChange: AltitudeChange.sum(part.lazy.map { $0.altitudeChange }))
      leg.movingSeconds = part.movingSeconds
      leg.distanceDeviation = leg.distance.map { distance in
        let observed = observedSpread * distance
        return part.reduce(observed * observed) { $0 + $1.distanceVariance }.squareRoot()
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
