/// What the open seconds came to.
struct OpenTimeline {
  /// The runs as if the data ended here.
  var runs: [TimelineRun]
  /// The ways over silences, likewise.
  var silences: [Odometer.Step]
  /// Stays and trips in turn, in the parts between gaps.
  var parts: [[TimelineSpan]]
  var lastPart: Timestamp?
}

/// A stay or a trip between two instants.
struct TimelineSpan {
  var isStay: Bool
  /// Where a stay is.
  var place: CandidatePlace?
  var start: Timestamp
  var end: Timestamp
  /// The standard deviations of both ends, seconds; nil at the ends of a part.
  var startDeviation: Double?
  var endDeviation: Double?
  /// The epochs that observed it.
  var epochs: Range<Int>

  var duration: Double { end.seconds(since: start) }

  mutating func take(_ next: TimelineSpan) {
    end = next.end
    endDeviation = next.endDeviation
    epochs =
      min(
        epochs.lowerBound, next.epochs.lowerBound)..<max(
        epochs.upperBound, next.epochs.upperBound)
  }
}

extension TimelineBuilder {
  /// The timeline of a recording that is over, with the custom activities of its legs.
  ///
  /// - Parameter samples: The samples of the recording, in order.
  /// - Returns: The stays, trips and gaps.
  public static func items(of samples: [LocomotionSample]) -> [TimelineItem] {
    var builder = TimelineBuilder()
    for sample in samples { builder.append(sample) }
    var items = builder.items()
    Hindsight.nameCustomActivities(in: &items, samples: samples)
    return items
  }

  /// The stays, trips and gaps so far, from the start of the first sample to the end of the last.
  ///
  /// Empty before the first sample. Samples that say neither rest nor motion give a gap when
  /// nothing else was appended.
  public func items() -> [TimelineItem] { finalItems + items(of: inferred()) }

  /// The stays and trips of the open time.
  func inferred() -> OpenTimeline {
    var runs = runs
    if let open { settings.close(open, into: &runs) }
    var silences = silences
    if let step = odometer.step { settings.add(step, to: &runs, &silences) }
    var timeline = OpenTimeline(runs: runs, silences: silences, parts: [])
    var begin = 0
    for index in epochs.indices where index + 1 == epochs.count || isGap(after: index) {
      let range = begin..<index + 1
      let spans = StayInference.spans(
        of: epochs[range], usesSpeeds: speedCheck.isConsistent,
        beginsWithStay: beginsWithStay && begin == 0,
        shortestStay: settings.shortestStay, shortestEdgeStay: settings.shortestEdgeStay)
      timeline.parts.append(refined(spans, of: range, runs))
      timeline.lastPart = epochs[begin].start
      begin = index + 1
    }
    return timeline
  }

  /// Whether nothing tells of the time between an epoch and the next one.
  private func isGap(after index: Int) -> Bool {
    let (before, after) = (epochs[index], epochs[index + 1])
    let silence = after.start.seconds(since: before.end)
    let isLocated = before.count > 0 && after.count > 0
    return silence > (isLocated ? settings.longestSilence : settings.longestUnlocatedSilence)
  }

  /// The items since the end of the final ones.
  func items(of timeline: OpenTimeline) -> [TimelineItem] {
    guard let first, let last else { return [] }
    let parts = timeline.parts
    guard !parts.isEmpty else { return first < last ? [.gap(Gap(start: first, end: last))] : [] }
    var items: [TimelineItem] = []
    var end = first
    for (number, spans) in parts.enumerated() {
      var spans = spans
      guard !spans.isEmpty else { continue }
      // What begins before the first observation, or ends after the last, by little.
      let limit = settings.longestUnlocatedSilence
      if number == 0, beginsWithStay || spans[0].start.seconds(since: end) <= limit {
        spans[0].start = end
      }
      let newest = spans.count - 1
      if number + 1 == parts.count, last.seconds(since: spans[newest].end) <= limit {
        spans[newest].end = max(spans[newest].end, last)
      }
      if end < spans[0].start { items.append(.gap(Gap(start: end, end: spans[0].start))) }
      for (index, span) in spans.enumerated() {
        if span.isStay {
          items.append(.stay(stay(span, timeline.runs)))
        } else {
          items.append(.trip(trip(index, of: spans, timeline)))
        }
      }
      end = spans[newest].end
    }
    if end < last { items.append(.gap(Gap(start: end, end: last))) }
    return items
  }

  private func stay(_ span: TimelineSpan, _ runs: [TimelineRun]) -> Stay {
    var stay = Stay(start: span.start, end: span.end, location: nil)
    let parts = runs.cut(from: span.start, to: span.end)
    stay.altitudeChange = .sum(parts.map { $0.altitudeChange })
    let walked = parts.reduce(0) { $0 + $1.ground }
    stay.distance = walked > 0 ? walked : nil
    stay.steps = parts.reduce(0) { $0 + Double($1.steps) }
    stay.startDeviation = span.startDeviation
    stay.endDeviation = span.endDeviation
    let own = epochs[span.epochs]
    stay.observedSeconds = own.reduce(0) { $0 + $1.end.seconds(since: $1.start) }
    guard let place = span.place, var centre = place.centre else { return stay }
    // A stay has the centre of its own fixes; where it has none, that of its place.
    var weight = 0.0
    var offset: SIMD3<Double> = .zero
    for epoch in own {
      guard let mean = epoch.mean else { continue }
      weight += epoch.totalWeight
      offset += epoch.totalWeight * (mean.position - centre)
    }
    if weight > 0 { centre += offset / weight }
    let scatter = own.reduce(0) { $0 + $1.scatter(about: centre) }
    let count = own.reduce(0) { $0 + $1.count }
    // The scatter of both axes, or the fixes' own claim when that is larger.
    let variance =
      weight > 0
      ? max(scatter / weight / 2, Double(count) / weight) : place.spread * place.spread
    let position = WGS84.geodetic(centre)
    stay.location = Stay.Location(
      latitude: position.latitude, longitude: position.longitude,
      radius68: (variance * EarthCentredPoint.squaredRadius68).squareRoot())
    return stay
  }
}

// MARK: - Spans

extension TimelineBuilder {
  /// How far an end may be moved to where a run ends, seconds.
  private static let reach = 150.0

  /// The standard deviation of an end that seconds around it tell, seconds.
  private static let observedDeviation = 1.0

  /// What the inferred spans of consecutive epochs come to, stays and trips in turn.
  private func refined(
    _ inferred: [TimelineSpan], of part: Range<Int>, _ runs: [TimelineRun]
  ) -> [TimelineSpan] {
    let (times, deviations) = edges(of: inferred, in: part, runs)
    var spans: [TimelineSpan] = []
    for (index, var span) in inferred.enumerated() where times[index] < times[index + 1] {
      (span.start, span.end) = (times[index], times[index + 1])
      (span.startDeviation, span.endDeviation) = (deviations[index], deviations[index + 1])
      spans.append(span)
    }
    for index in spans.indices where spans[index].isStay && !isStay(index, of: spans, runs) {
      spans[index].isStay = false
      spans[index].place = nil
    }
    spans = spans.reduce(into: []) { kept, span in
      if let last = kept.last, !last.isStay, !span.isStay {
        kept[kept.count - 1].take(span)
      } else {
        kept.append(span)
      }
    }
    // Brief motion between a stay and the data's edge is no trip.
    if spans.count > 1, !spans[0].isStay, isBrief(spans[0], beside: spans[1]) {
      spans[1].start = spans[0].start
      spans[1].startDeviation = spans[0].startDeviation
      spans.removeFirst()
    }
    // The stay that is known to begin there begins so.
    if beginsWithStay, part.lowerBound == 0, spans.count > 1, !spans[0].isStay,
      spans[0].duration < settings.shortestStay
    {
      spans[1].start = spans[0].start
      spans.removeFirst()
    }
    let newest = spans.count - 1
    if newest > 0, !spans[newest].isStay, isBrief(spans[newest], beside: spans[newest - 1]) {
      spans[newest - 1].end = spans[newest].end
      spans[newest - 1].endDeviation = spans[newest].endDeviation
      spans.removeLast()
    }
    return spans
  }

  /// Rules 3 and 4 of the type's description.
  private func isStay(_ index: Int, of spans: [TimelineSpan], _ runs: [TimelineRun]) -> Bool {
    let span = spans[index]
    guard spans.count > 1, index > 0 || !beginsWithStay else { return true }
    let isAtEdge = index == 0 || index + 1 == spans.count
    let shortest = isAtEdge ? settings.shortestEdgeStay : settings.shortestStay
    guard span.duration >= min(shortest, settings.shortestStay) else { return false }
    guard span.duration <= settings.longestTrafficStop else { return true }
    guard !movesOn(span) else { return false }
    var (rest, inVehicle): (Float, Float) = (0, 0)
    for run in runs.overlapping(from: span.start, to: span.end) {
      guard let part = run.cut(from: span.start, to: span.end) else { continue }
      rest += part.restSeconds
      inVehicle += part.votes[TimelineRun.vehicleRestLane]
    }
    guard inVehicle > rest / 2 else { return true }
    let arrival = runs.last { $0.end <= span.start && $0.label != .rest && $0.mode != nil }
    let departure = runs.first { $0.start >= span.end && $0.label != .rest && $0.mode != nil }
    let arrives = index == 0 || arrival?.mode?.isMotorized ?? false
    let departs = index + 1 == spans.count || departure?.mode?.isMotorized ?? false
    return !(arrives && departs)
  }

  /// Whether the fixes of a rest go on in it, as those of a jam or of a slow walk do.
  private func movesOn(_ span: TimelineSpan) -> Bool {
    // By its time: an end may lie minutes from where the inference had it.
    let near = max(0, span.epochs.lowerBound - 4)..<min(epochs.count, span.epochs.upperBound + 4)
    let inner = epochs[near].compactMap { epoch in
      epoch.start.seconds(since: span.start) > Self.edge
        && span.end.seconds(since: epoch.end) > Self.edge ? epoch.mean : nil
    }
    let third = inner.count / 3
    guard third > 0 else { return false }
    // Errors last for minutes: a centre is no better known than one of its points.
    func centre(_ points: ArraySlice<EarthCentredPoint>) -> EarthCentredPoint {
      let count = Double(points.count)
      return EarthCentredPoint(
        position: points.reduce(SIMD3<Double>.zero) { $0 + $1.position } / count,
        variance: points.reduce(0) { $0 + $1.errorVariance } / count)
    }
    let (first, middle, last) = (
      centre(inner[..<third]), centre(inner[third..<inner.count - third]),
      centre(inner[(inner.count - third)...])
    )
    // On and on, which neither a jump nor a person about a place does.
    let lengths = (first.distance(to: middle), middle.distance(to: last))
    let deviation = (first.errorVariance + last.errorVariance).squareRoot()
    let progress = first.distance(to: last)
    return min(lengths.0, lengths.1) > Self.leastProgress
      && progress > max(2 * Self.leastProgress, 3 * deviation)
      && progress > 0.8 * (lengths.0 + lengths.1)
  }

  /// The time at the ends of a rest in which it may not be one, seconds.
  private static let edge = 30.0

  /// The distance between the centres of the thirds of a rest from which it is none, metres.
  private static let leastProgress = 20.0

  private func isBrief(_ trip: TimelineSpan, beside stay: TimelineSpan) -> Bool {
    guard trip.duration < settings.shortestTrip else { return false }
    guard let centre = stay.place?.centre else { return true }
    let here = EarthCentredPoint(position: centre, variance: nil)
    return epochs[trip.epochs].allSatisfy { epoch in
      [epoch.first, epoch.last].allSatisfy { $0.map { here.distance(to: $0) <= 150 } ?? true }
    }
  }

  /// The instants at which the segments of a part begin, and the end of the last, with their
  /// standard deviations; nil for the ends of the part.
  ///
  /// Where seconds follow each other they are where a run begins: at the change of kind that the
  /// fewest seconds around it contradict.
  private func edges(
    of spans: [TimelineSpan], in part: Range<Int>, _ runs: [TimelineRun]
  ) -> (times: [Timestamp], deviations: [Double?]) {
    let origin = epochs[part.lowerBound].start
    var times = [origin]
    var deviations: [Double?] = [nil]
    for (span, next) in zip(spans, spans.dropFirst()) {
      let edge = span.end
      var found = edge
      var deviation = span.endDeviation
      if span.isStay != next.isStay,
        let change = change(
          near: edge, from: times[times.count - 1], to: next.end, intoRest: next.isStay, runs)
      {
        found = change
        // Positions alone tell it no better than the inference did.
        if observesMotion(next.epochs.lowerBound, in: part) {
          deviation = Self.observedDeviation + 0.04 * abs(change.seconds(since: edge))
        }
      }
      times.append(min(max(found, times[times.count - 1]), max(next.end, edge)))
      deviations.append(deviation)
    }
    times.append(spans.last?.end ?? origin)
    deviations.append(nil)
    return (times, deviations)
  }

  /// Whether speeds or accelerations tell of the epochs around one.
  private func observesMotion(_ near: Int, in part: Range<Int>) -> Bool {
    epochs[max(part.lowerBound, near - 2)..<min(part.upperBound, near + 2)]
      .contains { $0.observedMotion }
  }

  private func change(
    near edge: Timestamp, from start: Timestamp, to end: Timestamp, intoRest: Bool,
    _ runs: [TimelineRun]
  ) -> Timestamp? {
    let low = edge.advanced(byNanoseconds: -Int64(Self.reach * 1e9))
    let high = edge.advanced(byNanoseconds: Int64(Self.reach * 1e9))
    let near = runs.overlapping(from: low, to: high)
    var best: (time: Timestamp, cost: Double)?
    for (index, run) in zip(near.indices, near) where run.label != .rest {
      let boundary = intoRest ? run.end : run.start
      let neighbour = intoRest ? index + 1 : index - 1
      guard runs.indices.contains(neighbour) else { continue }
      if (intoRest ? runs[neighbour].start : runs[neighbour].end) == boundary {
        guard runs[neighbour].label == .rest, boundary > low else { continue }
      } else {
        // A silence tells nothing but that an end does not lie within the motion beside it.
        guard run.start < edge, edge < run.end, run.duration >= settings.shortestRun,
          abs(boundary.seconds(since: edge)) < 2 * Self.reach, start < boundary, boundary < end
        else { continue }
      }
      var cost = 0.2 * abs(boundary.seconds(since: edge))
      for run in near where (run.label == .rest) != (intoRest != (run.end <= boundary)) {
        cost += run.contradiction(from: low, to: high)
      }
      if best.map({ cost < $0.cost }) ?? true { best = (boundary, cost) }
    }
    return best?.time
  }
}
