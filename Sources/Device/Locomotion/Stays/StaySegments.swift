internal import CLocomotionMath
import LocomotionPositioning
import LocomotionSensing

/// A stay, or the travel between two, with the uncertainty of its ends.
struct StaySegment: Sendable {
  /// Where a stay was; nil in travel.
  var place: CandidatePlace?
  var isStay: Bool
  /// Seconds since the origin of the path.
  var start, end: Double
  /// The standard deviation of the end, seconds.
  var endDeviation: Double
  /// The epochs that observed it; empty when it lies in a silence.
  var epochs: Range<Int>
}

extension StayInference {
  /// The stays and the travel of a path, in the order of time, each beginning where the one before
  /// ends.
  func segments(of path: StayPath) -> [StaySegment] {
    var result: [StaySegment] = []
    guard let begin = steps.first?.start, let finish = steps.last?.end else { return [] }
    var start = begin
    for (number, segment) in path.segments.enumerated() {
      let isLast = number + 1 == path.segments.count
      let next = isLast ? nil : path.segments[number + 1]
      var end = (time: finish, deviation: 0.0)
      var following = end
      var between: StaySegment?
      if let next {
        let index = segment.epochs.upperBound
        switch (segment.location, next.location) {
        case (let place?, nil):
          end = self.end(
            at: place, isDeparture: true, of: segment.epochs, next.epochs)
          following = end
        case (nil, let place?):
          end = self.end(
            at: place, isDeparture: false, of: segment.epochs, next.epochs)
          following = end
        case (let place?, let other?):
          (end, following) = passage(from: place, to: other, before: index)
          between = StaySegment(
            place: nil, isStay: false, start: end.time, end: following.time,
            endDeviation: following.deviation, epochs: index..<index)
        case (nil, nil):
          let (rest, place) = hiddenRest(before: index)
          end = (rest.lowerBound, (rest.upperBound - rest.lowerBound) / 3)
          following = (rest.upperBound, end.deviation)
          between = StaySegment(
            place: place, isStay: true, start: end.time, end: following.time,
            endDeviation: following.deviation, epochs: index..<index)
        }
      }
      end.time = max(end.time, start)
      following.time = max(following.time, end.time)
      result.append(
        StaySegment(
          place: segment.location, isStay: segment.place != nil, start: start, end: end.time,
          endDeviation: end.deviation, epochs: segment.epochs))
      if let between { result.append(between) }
      start = following.time
    }
    return result
  }

  // MARK: Ends

  /// The straight speed of the step after an epoch or before it, where that step is short.
  private func speed(besides index: Int, isAfter: Bool, over distance: Double) -> Double {
    let (a, b) = isAfter ? (index, index + 1) : (index - 1, index)
    let usual = TravelModel.usualSpeed(distance)
    guard a >= 0, b < steps.count else { return usual }
    let move = move(to: b)
    guard move.time <= 600, let from = move.from, let to = move.to else { return usual }
    // A short step may hold a halt.
    return min(max(arcLength(ofChord: to - from) / move.time, 0.5 * usual, 0.8), 70)
  }

  /// The interval between two epochs in which an end lies.
  private func window(before index: Int) -> ClosedRange<Double> {
    let (before, after) = (steps[index - 1], steps[index])
    return after.start - before.end < Self.shortestSilence
      ? before.middle...max(before.middle, after.middle)
      : before.end...after.start
  }

  /// How many epochs before and after the most probable one an end is looked for.
  private static let alternatives = 8
  /// The standard deviation of fixes, metres, at which those of neighbouring epochs are so alike
  /// that two count as one.
  private static let alikeDeviation = 60.0

  /// When a stay at a place ended, or began: the mean and standard deviation over the epochs that
  /// may be the first of what follows, the path elsewhere being as it is.
  private func end(
    at place: CandidatePlace, isDeparture: Bool, of before: Range<Int>, _ after: Range<Int>
  ) -> (time: Double, deviation: Double) {
    let index = after.lowerBound
    let low = max(before.lowerBound + 1, index - Self.alternatives)
    let high = min(after.upperBound - 1, index + Self.alternatives)
    var candidates: [(score: Double, time: Double, deviation: Double)] = []
    // ln of the likelihood of the epochs so far if they belong to what is before.
    var early = 0.0
    for first in low...max(low, high) {
      if first > low { early += score(first - 1, at: isDeparture ? place : nil) }
      var late = 0.0
      for later in stride(from: first + 1, through: high, by: 1) {
        late += score(later, at: isDeparture ? nil : place)
      }
      let (change, time, deviation) = change(at: place, isDeparture: isDeparture, before: first)
      candidates.append((early + change + late, time, deviation))
    }
    let best = candidates.reduce(-Double.infinity) { max($0, $1.score) }
    let independence = 1 / (1 + steps[index].meanVariance.squareRoot() / Self.alikeDeviation)
    var (sum, mean, square) = (0.0, 0.0, 0.0)
    for candidate in candidates {
      let weight = exp(independence * (candidate.score - best))
      sum += weight
      mean += weight * candidate.time
      square +=
        weight * (candidate.time * candidate.time + candidate.deviation * candidate.deviation)
    }
    mean /= sum
    return (mean, max(1, square / sum - mean * mean).squareRoot())
  }

  /// ln of the likelihood of an epoch given the one before it: at a place, or in travel.
  private func score(_ index: Int, at place: CandidatePlace?) -> Double {
    let half = steps[index].motion / 2
    if let place { return emission(index, at: place) - half }
    let move = move(to: index)
    guard let from = move.from, let to = move.to else { return half }
    return half - move.time / TravelModel.tripLength
      + log(
        TravelModel.density(
          arcLength(ofChord: to - from), variance: move.fromVariance + move.toVariance,
          after: move.time))
  }

  /// ln of the likelihood that a stay ends, or begins, before an epoch; when, and how well that is
  /// known.
  private func change(
    at place: CandidatePlace, isDeparture: Bool, before index: Int
  ) -> (score: Double, time: Double, deviation: Double) {
    let move = move(to: index)
    let half = steps[index].motion / 2
    let window = window(before: index)
    let middle = (window.lowerBound + window.upperBound) / 2
    let flat = (window.upperBound - window.lowerBound) / 12.squareRoot()
    guard let centre = place.centre, let from = move.from, let to = move.to else {
      return (isDeparture ? half : emission(index, at: place) - half, middle, flat)
    }
    // The end of the travel that is nearer to the place, as it was seen.
    let seen = isDeparture ? steps[index].first ?? to : steps[index - 1].last ?? from
    let distance = arcLength(ofChord: seen - centre)
    let speed =
      isDeparture
      ? speed(besides: index, isAfter: true, over: distance)
      : speed(besides: index - 1, isAfter: false, over: distance)
    let travel = distance / speed
    let time = isDeparture ? steps[index].start - travel : steps[index - 1].end + travel
    let score =
      isDeparture
      ? log(departure(from: place, centre, age: 0, to, move).integral) + half
      : log(
        arrival(at: place, centre, from, variance: move.fromVariance, after: 0, move).integral)
        + emission(index, at: place) - half
    return (
      score, min(max(time, window.lowerBound), window.upperBound),
      deviation(travel, in: window, isUsual: speed == TravelModel.usualSpeed(distance))
    )
  }

  /// How well an end is known that lies some travel away from a fix.
  ///
  /// The fractions hold 68 % of the ends of thinned days: of a travel time whose speed was
  /// observed, and of the rest of a silence if it was not.
  private func deviation(
    _ travel: Double, in window: ClosedRange<Double>, isUsual: Bool
  ) -> Double {
    let length = window.upperBound - window.lowerBound
    return 0.3 * min(travel, length) + (isUsual ? 0.3 : 0.02) * max(0, length - travel)
  }

  private func passage(
    from place: CandidatePlace, to other: CandidatePlace, before index: Int
  ) -> (end: (time: Double, deviation: Double), following: (time: Double, deviation: Double)) {
    let window = window(before: index)
    let length = window.upperBound - window.lowerBound
    guard let distance = place.distance(to: other) else {
      return ((window.lowerBound, length / 2), (window.upperBound, length / 2))
    }
    let travel = min(length, distance / TravelModel.usualSpeed(distance))
    let slack = length - travel
    let start = window.lowerBound + slack / 2
    return ((start, slack / 1.7), (start + travel, slack / 1.7))
  }

  private func hiddenRest(before index: Int) -> (Range<Double>, CandidatePlace?) {
    let (before, after) = (steps[index - 1], steps[index])
    guard let from = before.last, let to = after.first else {
      return (before.end..<after.start, nil)
    }
    let distance = arcLength(ofChord: to - from)
    let travel = min(after.start - before.end, distance / TravelModel.usualSpeed(distance))
    let place = CandidatePlace(
      centre: (from + to) / 2, centreVariance: distance * distance / 8 + before.lastVariance,
      spread: CandidatePlace.leastSpread)
    return (before.end + travel / 2..<after.start - travel / 2, place)
  }

  // MARK: What belongs together

  /// Joins two stays at one place when what lies between is brief and near, then drops those that
  /// are too short.
  func joined(
    _ segments: [StaySegment], shortest: Double, shortestAtEdge: Double
  ) -> [StaySegment] {
    var result: [StaySegment] = []
    for segment in segments {
      result.append(segment)
      while join(&result) {}
    }
    var kept: [StaySegment] = []
    for (index, segment) in result.enumerated() {
      let isAtEdge = index == 0 || index + 1 == result.count
      var segment = segment
      let isBrief = segment.end - segment.start < 0.8 * (isAtEdge ? shortestAtEdge : shortest)
      if segment.isStay, isBrief, result.count > 1, index > 0 || !beginsWithStay {
        segment.isStay = false
        segment.place = nil
      }
      if let last = kept.last, !last.isStay, !segment.isStay {
        kept[kept.count - 1].end = segment.end
        kept[kept.count - 1].endDeviation = segment.endDeviation
        kept[kept.count - 1].epochs =
          last.epochs.lowerBound..<max(last.epochs.upperBound, segment.epochs.upperBound)
      } else {
        kept.append(segment)
      }
    }
    return kept
  }

  /// Joins the last stay with the one before it, if they are one.
  private func join(_ segments: inout [StaySegment]) -> Bool {
    let count = segments.count
    guard count >= 3, segments[count - 1].isStay, !segments[count - 2].isStay,
      segments[count - 3].isStay
    else { return joinNeighbours(&segments) }
    let (a, b) = (segments[count - 3], segments[count - 1])
    let absence = b.start - a.end
    let (first, second) = (a.end - a.start, b.end - b.start)
    guard absence < max(150, 0.15 * (first + second)), absence < 1800,
      absence < min(first, second)
    else { return false }
    guard let here = a.place?.centre, let apart = a.place?.distance(to: b.place), apart <= 45 else {
      return false
    }
    var (near, all, farthest, motion) = (0.0, 0.0, 0.0, 0.0)
    for index in a.epochs.upperBound..<max(a.epochs.upperBound, b.epochs.lowerBound) {
      motion += steps[index].motion
      guard let mean = steps[index].mean, let first = steps[index].first else { continue }
      all += 1
      let deviation = steps[index].meanVariance.squareRoot()
      if arcLength(ofChord: mean - here) <= 170 + deviation { near += 1 }
      farthest = max(farthest, arcLength(ofChord: first - here) - deviation)
    }
    // Whoever was seen to walk was where the fixes are.
    guard near >= 0.9 * all, farthest <= 150 || motion <= 0 else { return false }
    segments[count - 3].end = b.end
    segments[count - 3].endDeviation = b.endDeviation
    segments[count - 3].epochs = a.epochs.lowerBound..<b.epochs.upperBound
    segments.removeLast(2)
    return true
  }

  /// Two stays one after the other at one place are one.
  private func joinNeighbours(_ segments: inout [StaySegment]) -> Bool {
    let count = segments.count
    guard count >= 2, segments[count - 1].isStay, segments[count - 2].isStay,
      let a = segments[count - 2].place, let b = segments[count - 1].place,
      let apart = a.distance(to: b), apart <= max(45, a.spread + b.spread)
    else { return false }
    segments[count - 2].end = segments[count - 1].end
    segments[count - 2].endDeviation = segments[count - 1].endDeviation
    segments[count - 2].epochs =
      segments[count - 2].epochs.lowerBound..<segments[count - 1].epochs.upperBound
    segments.removeLast()
    return true
  }
}

extension StayInference {
  /// The stays and travel of consecutive epochs.
  ///
  /// Each begins where the one before ends. The shortest stay, seconds, is another one where the
  /// epochs begin or end; at the first one a stay may be known to go on.
  static func spans(
    of epochs: ArraySlice<LocationEpoch>, usesSpeeds: Bool, beginsWithStay: Bool,
    shortestStay: Double, shortestEdgeStay: Double
  ) -> [TimelineSpan] {
    guard
      let (inference, path) = best(
        epochs, usesSpeeds: usesSpeeds, beginsWithStay: beginsWithStay)
    else { return [] }
    let first = epochs.startIndex
    func instant(_ seconds: Double) -> Timestamp {
      epochs[first].start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
    }
    return inference.joined(
      inference.segments(of: path), shortest: shortestStay, shortestAtEdge: shortestEdgeStay
    ).map { segment in
      TimelineSpan(
        isStay: segment.isStay, place: segment.place, start: instant(segment.start),
        end: instant(segment.end), endDeviation: segment.endDeviation,
        epochs: first + segment.epochs.lowerBound..<first + segment.epochs.upperBound)
    }
  }
}
