internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// Consecutive epochs without a gap between them, and what was inferred of them.
struct InferredPart {
  /// The epochs.
  var epochs: Range<Int>
  /// The first instant that was observed, from which the segments count.
  var origin: Timestamp
  var segments: [StaySegment]

  func instant(_ seconds: Double) -> Timestamp {
    origin.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

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
  public func items() -> [TimelineItem] { finalItems + openItems(inferredParts()) }

  /// The parts of the open time between gaps.
  func inferredParts() -> [InferredPart] {
    var parts: [InferredPart] = []
    var begin = 0
    for index in epochs.indices where index + 1 == epochs.count || isGap(after: index) {
      let range = begin..<index + 1
      let segments = StayInference.segments(
        of: epochs[range], usesSpeeds: speedCheck.isBelieved,
        beginsWithStay: beginsWithStay && begin == 0,
        shortestStay: settings.shortestStay, shortestEdgeStay: settings.shortestEdgeStay)
      parts.append(InferredPart(epochs: range, origin: epochs[begin].start, segments: segments))
      begin = index + 1
    }
    return parts
  }

  /// Whether nothing tells of the time between an epoch and the next one.
  private func isGap(after index: Int) -> Bool {
    let (before, after) = (epochs[index], epochs[index + 1])
    let silence = after.start.seconds(since: before.end)
    let isLocated = before.count > 0 && after.count > 0
    return silence > (isLocated ? settings.longestSilence : settings.longestUnlocatedSilence)
  }

  /// The items since the end of the final ones.
  func openItems(_ parts: [InferredPart]) -> [TimelineItem] {
    guard let first, let last else { return [] }
    guard !parts.isEmpty else { return first < last ? [.gap(Gap(start: first, end: last))] : [] }
    let runs = closedRuns()
    var items: [TimelineItem] = []
    var end = first
    for (number, part) in parts.enumerated() {
      var (edges, deviations) = edges(of: part, runs)
      // What begins before the first observation, or ends after the last, by little.
      let limit = settings.longestUnlocatedSilence
      let isFirst = number == 0
      let isLast = number + 1 == parts.count
      if isFirst, beginsWithStay || edges[0].seconds(since: end) <= limit { edges[0] = end }
      if isLast, last.seconds(since: edges[edges.count - 1]) <= limit {
        edges[edges.count - 1] = max(edges[edges.count - 1], last)
      }
      if end < edges[0] { items.append(.gap(Gap(start: end, end: edges[0]))) }
      for (index, segment) in part.segments.enumerated() where edges[index] < edges[index + 1] {
        let (start, end) = (edges[index], edges[index + 1])
        guard segment.isStay else {
          items.append(.trip(trip(of: segment, in: part, from: start, to: end, runs)))
          continue
        }
        var stay = stay(segment, of: part, from: start, to: end)
        (stay.startDeviation, stay.endDeviation) = (deviations[index], deviations[index + 1])
        items.append(.stay(stay))
      }
      end = edges[edges.count - 1]
    }
    if end < last { items.append(.gap(Gap(start: end, end: last))) }
    return items
  }

  /// The runs as if the data ended here.
  func closedRuns() -> [TimelineRun] {
    var runs = runs
    if let open { settings.close(open, into: &runs) }
    return runs
  }

  private func stay(
    _ segment: StaySegment, of part: InferredPart, from start: Timestamp, to end: Timestamp
  ) -> Stay {
    var stay = Stay(start: start, end: end, location: nil)
    let epochs = epochs[part.epochs][
      (part.epochs.lowerBound + segment.epochs.lowerBound)..<(part.epochs.lowerBound
        + segment.epochs.upperBound)]
    stay.observedSeconds = epochs.reduce(0) { $0 + $1.end.seconds(since: $1.start) }
    guard let place = segment.place, let centre = place.centre else { return stay }
    let (weight, scatter) = epochs.reduce((0.0, 0.0)) { sum, epoch in
      (sum.0 + epoch.totalWeight, sum.1 + epoch.scatter(about: centre))
    }
    let count = epochs.reduce(0) { $0 + $1.count }
    let position = WGS84.geodetic(centre)
    // P(r < k·sd) = 1 − exp(−k²/2) = 0.68 with the variance of both axes or their own claim.
    let variance =
      weight > 0
      ? max(scatter / weight / 2, Double(count) / weight) : place.spread * place.spread
    stay.location = Stay.Location(
      latitude: position.latitude, longitude: position.longitude,
      radius68: (variance * 2.279).squareRoot())
    return stay
  }
}

// MARK: - Edges

extension TimelineBuilder {
  /// How far an end may be moved to where a run ends, seconds.
  private static let reach = 150.0

  /// The standard deviation of an end that seconds around it tell, seconds.
  private static let observedDeviation = 1.0

  /// The instants at which the segments of a part begin, and the end of the last, with their
  /// standard deviations; nil for the ends of the part.
  ///
  /// Where seconds follow each other they are where a run begins: at the change of kind that the
  /// fewest seconds around it contradict.
  func edges(
    of part: InferredPart, _ runs: [TimelineRun]
  ) -> (times: [Timestamp], deviations: [Double?]) {
    var times = [part.origin]
    var deviations: [Double?] = [nil]
    for (segment, next) in zip(part.segments, part.segments.dropFirst()) {
      let edge = part.instant(segment.end)
      let limit = part.instant(next.end)
      var found = edge
      var deviation = segment.endDeviation
      if segment.isStay != next.isStay,
        let change = change(near: edge, intoRest: next.isStay, runs)
      {
        found = change
        // Positions alone tell it no better than the inference did.
        if observesMotion(next.epochs.lowerBound, in: part) {
          deviation = Self.observedDeviation + 0.04 * abs(change.seconds(since: edge))
        }
      }
      times.append(min(max(found, times[times.count - 1]), max(limit, edge)))
      deviations.append(deviation)
    }
    times.append(part.segments.last.map { part.instant($0.end) } ?? part.origin)
    deviations.append(nil)
    return (times, deviations)
  }

  /// Whether speeds or accelerations tell of the epochs around one.
  private func observesMotion(_ index: Int, in part: InferredPart) -> Bool {
    let near = part.epochs.lowerBound + index
    let range = max(part.epochs.lowerBound, near - 2)..<min(part.epochs.upperBound, near + 2)
    return epochs[range].contains { $0.observedMotion }
  }

  private func change(
    near edge: Timestamp, intoRest: Bool, _ runs: [TimelineRun]
  ) -> Timestamp? {
    func offset(_ time: Timestamp) -> Double { time.seconds(since: edge) }
    let low = edge.advanced(byNanoseconds: -Int64(Self.reach * 1e9))
    let high = edge.advanced(byNanoseconds: Int64(Self.reach * 1e9))
    // The first run that may matter, by bisection: there are many runs.
    var (begin, end) = (0, runs.count)
    while begin < end {
      let middle = (begin + end) / 2
      if runs[middle].end <= low { begin = middle + 1 } else { end = middle }
    }
    let near = runs[begin...].prefix { $0.start < high }
    // The seconds before the end of each run that contradict it.
    var best: (time: Timestamp, cost: Double)?
    func contradiction(_ run: TimelineRun, isBefore: Bool) -> Double {
      let isRest = run.label == .rest
      return isRest == (isBefore != intoRest) ? 0 : 1
    }
    for index in near.indices.dropFirst() {
      let boundary = near[index].start
      guard near[index - 1].end == boundary, boundary > low,
        (near[index].label == .rest) == intoRest,
        (near[index - 1].label == .rest) != intoRest
      else { continue }
      var cost = 0.2 * abs(offset(boundary))
      for run in near {
        let (start, end) = (max(run.start, low), min(run.end, high))
        cost += contradiction(run, isBefore: run.end <= boundary) * end.seconds(since: start)
      }
      if best.map({ cost < $0.cost }) ?? true { best = (boundary, cost) }
    }
    return best?.time
  }
}
