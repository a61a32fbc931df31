internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

extension TimelineBuilder {
  /// The timeline of a recording that is over, one segment of its clock after another, with the
  /// custom activities of its legs.
  ///
  /// - Parameter samples: The samples of the recording, in order.
  /// - Returns: The stays, trips and gaps.
  public static func items(of samples: [LocomotionSample]) -> [TimelineItem] {
    var builder = TimelineBuilder()
    for sample in samples { builder.append(sample) }
    var items = builder.clockSegments.flatMap { $0 } + builder.items()
    Hindsight.nameCustomActivities(in: &items, samples: samples)
    return items
  }

  /// The stays, trips and gaps so far, from the start of the first sample to the end of the last.
  ///
  /// Empty before the first sample. Samples that say neither rest nor motion give a gap when
  /// nothing else was appended.
  public func items() -> [TimelineItem] {
    guard let first, let last else { return [] }
    var runs = closedRuns()
    guard !runs.isEmpty else { return [.gap(Gap(start: first, end: last))] }
    var items: [TimelineItem] = []
    if runs[0].start.seconds(since: first) <= silenceLimit(runs[0]) {
      runs[0].start = first
    } else {
      items.append(.gap(Gap(start: first, end: runs[0].start)))
    }
    let trailing = runs[runs.count - 1]
    if last.seconds(since: trailing.end) <= silenceLimit(trailing) {
      runs[runs.count - 1].end = last
    }
    var begin = 0
    for index in runs.indices {
      let end = runs[index].end
      let next = index + 1 < runs.count ? runs[index + 1].start : last
      guard next > end || index + 1 == runs.count else { continue }
      items += pieces(of: runs[begin...index])
      if next > end { items.append(.gap(Gap(start: end, end: next))) }
      begin = index + 1
    }
    return items
  }

  /// The runs as if the data ended here.
  func closedRuns() -> [TimelineRun] {
    var runs = runs
    if let open { settings.close(open, into: &runs) }
    return runs
  }

  private func silenceLimit(_ run: TimelineRun) -> Double {
    run.label == .rest ? settings.longestSilenceAtRest : settings.longestSilenceMoving
  }

  /// The stays and trips of runs without a gap between them.
  private func pieces(of runs: ArraySlice<TimelineRun>) -> [TimelineItem] {
    var items: [TimelineItem] = []
    var done = runs.startIndex
    for rest in stays(in: runs) {
      if done < rest.runs.lowerBound { items.append(trip(of: runs[done..<rest.runs.lowerBound])) }
      items.append(
        .stay(
          Stay(
            start: runs[rest.runs.lowerBound].start, end: runs[rest.runs.upperBound - 1].end,
            location: rest.region.map { region in
              let centre = region.centre
              return Stay.Location(
                latitude: centre.latitude, longitude: centre.longitude, radius68: region.radius68)
            })))
      done = rest.runs.upperBound
    }
    if done < runs.endIndex { items.append(trip(of: runs[done...])) }
    return items
  }

  private func trip(of runs: ArraySlice<TimelineRun>) -> TimelineItem {
    .trip(Trip(legs: legs(of: runs)))
  }
}

/// Rests that belong together.
struct MergedRest {
  /// The runs from the first rest to the last, those between included.
  var runs: Range<Int>
  var start: Timestamp
  var end: Timestamp
  /// Seconds at rest, and of them in a vehicle.
  var restSeconds: Double
  var vehicleSeconds: Double
  /// Where the rests were, without what is between them.
  var region: TimelineRegion?

  init(_ run: TimelineRun, index: Int) {
    runs = index..<index + 1
    start = run.start
    end = run.end
    restSeconds = run.duration
    vehicleSeconds = Double(run.votes[TimelineRun.vehicleRestLane])
    region = run.region
  }

  var duration: Double { end.seconds(since: start) }

  func united(with later: MergedRest) -> MergedRest {
    var result = self
    result.runs = runs.lowerBound..<later.runs.upperBound
    result.end = later.end
    result.restSeconds += later.restSeconds
    result.vehicleSeconds += later.vehicleSeconds
    if let other = later.region { result.region = region?.united(with: other) ?? other }
    return result
  }
}

// MARK: - Stays

extension TimelineBuilder {
  private func stays(in runs: ArraySlice<TimelineRun>) -> [MergedRest] {
    var stays = merged(runs).filter { isStay($0, in: runs) }
    // Brief motion between a stay and the data's edge is no trip.
    if let rest = stays.first,
      isNear(runs[..<rest.runs.lowerBound], to: rest, below: settings.shortestTrip)
    {
      stays[0].runs = runs.startIndex..<rest.runs.upperBound
    }
    if let rest = stays.last,
      isNear(runs[rest.runs.upperBound...], to: rest, below: settings.shortestTrip)
    {
      stays[stays.count - 1].runs = rest.runs.lowerBound..<runs.endIndex
    }
    return stays
  }

  /// The rests in `runs` after merging, by a stack: each merge looks again at the one before.
  func merged(_ runs: ArraySlice<TimelineRun>) -> [MergedRest] {
    var stack: [MergedRest] = []
    for index in runs.indices where runs[index].label == .rest {
      var rest = MergedRest(runs[index], index: index)
      // A rest between that is off the place, as after a false jump, may be passed over; the small
      // depth keeps the work linear.
      var depth = 0
      while depth < min(8, stack.count) {
        let earlier = stack[stack.count - 1 - depth]
        if isOnePlace(earlier, rest, in: runs) {
          rest = earlier.united(with: rest)
          stack.removeLast(depth + 1)
          depth = 0
        } else {
          depth += 1
        }
      }
      stack.append(rest)
    }
    return stack
  }

  /// Rule 4 of the type's description.
  private func isOnePlace(
    _ a: MergedRest, _ b: MergedRest, in runs: ArraySlice<TimelineRun>
  ) -> Bool {
    let absence = b.start.seconds(since: a.end)
    let together = a.restSeconds + b.restSeconds
    let between = runs[a.runs.upperBound..<b.runs.lowerBound]
    // A short halt soon after leaving must not reach back over the trip to it.
    guard absence <= min(a.restSeconds, b.restSeconds, settings.longestAbsence) else {
      return false
    }
    guard let before = a.region, let after = b.region else {
      return absence < settings.shortestAbsence && !between.contains(where: { $0.isRide })
    }
    guard absence < max(settings.shortestAbsence, settings.absenceFraction * together),
      before.centre.distance(to: after.centre) <= settings.nearDistance
    else { return false }
    let centre = before.united(with: after).centre
    return !between.contains { run in
      run.region.map { $0.farthestDistance(from: centre) > settings.farDistance } ?? run.isRide
    }
  }

  /// Rules 5 and 6 of the type's description.
  func isStay(_ rest: MergedRest, in runs: ArraySlice<TimelineRun>) -> Bool {
    let before = runs[..<rest.runs.lowerBound]
    let after = runs[rest.runs.upperBound...]
    let hasWayBefore = before.contains { $0.label != .rest }
    let hasWayAfter = after.contains { $0.label != .rest }
    guard hasWayBefore || hasWayAfter else { return true }
    let isAtEdge = before.isEmpty || after.isEmpty
    guard rest.duration >= (isAtEdge ? settings.shortestEdgeStay : settings.shortestStay) else {
      return false
    }
    let isInVehicle = rest.vehicleSeconds > rest.restSeconds / 2
    guard isInVehicle, rest.duration <= settings.longestTrafficStop else { return true }
    let arrival = before.last { $0.label != .rest && $0.mode != nil }
    let departure = after.first { $0.label != .rest && $0.mode != nil }
    let arrives = before.isEmpty || arrival?.mode?.isMotorized ?? false
    let departs = after.isEmpty || departure?.mode?.isMotorized ?? false
    return !(arrives && departs)
  }

  private func isNear(
    _ runs: ArraySlice<TimelineRun>, to rest: MergedRest, below limit: Double
  ) -> Bool {
    guard let first = runs.first, let last = runs.last,
      last.end.seconds(since: first.start) < limit
    else { return false }
    return !runs.contains { run in
      guard let centre = rest.region?.centre, let region = run.region else { return run.isRide }
      return region.farthestDistance(from: centre) > settings.farDistance
    }
  }
}

extension TimelineRun {
  /// Whether the run is motion by bicycle or vehicle.
  var isRide: Bool {
    guard label != .rest, let mode else { return false }
    return mode.isRide
  }
}

// MARK: - Legs

extension TimelineBuilder {
  /// Rule 8 of the type's description: the cheapest sequence of modes, by dynamic programming.
  private func legs(of runs: ArraySlice<TimelineRun>) -> [Trip.Leg] {
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
    return Self.legs(of: runs, by: path)
  }

  private static func legs(of runs: ArraySlice<TimelineRun>, by path: [Int]) -> [Trip.Leg] {
    var legs: [Trip.Leg] = []
    var begin = runs.startIndex
    for index in runs.indices {
      let mode = path[index - runs.startIndex]
      let isLast = index + 1 == runs.endIndex
      guard isLast || path[index + 1 - runs.startIndex] != mode else { continue }
      let part = runs[begin...index]
      let isNamed = part.contains { $0.votes[mode] > 0 }
      let isLocated = part.contains { $0.region != nil || $0.distance > 0 }
      legs.append(
        Trip.Leg(
          start: runs[begin].start, end: runs[index].end,
          activity: isNamed ? Activity(rawValue: mode) : nil,
          distance: isLocated ? part.reduce(0) { $0 + $1.distance } : nil,
          steps: part.reduce(0) { $0 + Double($1.steps) },
          altitudeChange: AltitudeChange.sum(part.lazy.map { $0.altitudeChange })))
      begin = index + 1
    }
    return legs
  }
}
