internal import LocomotionSensing

/// The agreement of detected stays with the true ones.
package struct StayScore: Hashable, Sendable {
  /// The shortest stay that counts, true or detected, seconds.
  package static let shortestStay = 300.0
  /// The least intersection over union of matching stays.
  package static let leastOverlap = 0.5

  /// The method.
  package let name: String
  /// True stays.
  package private(set) var truths = 0
  /// Detected stays.
  package private(set) var detections = 0
  /// The start error of each matched stay, seconds; positive when too late.
  package private(set) var startErrors: [Double] = []
  /// The end error of each matched stay, seconds; positive when too late.
  package private(set) var endErrors: [Double] = []
  /// The distances of the centres of the matched stays, metres.
  package private(set) var centreErrors: [Double] = []

  /// Scores detected stays; shorter ones than ``shortestStay`` are ignored on both sides.
  ///
  /// A detected stay is right when its intersection over union with a true one is at least half;
  /// each true stay is matched at most once.
  package init(name: String, detected: [StayInterval], truth: [StayInterval]) {
    self.name = name
    truths = truth.count { $0.duration >= Self.shortestStay }
    detections = detected.count { $0.duration >= Self.shortestStay }
    for pair in Self.pairs(detected: detected, truth: truth) {
      let (stay, match) = (truth[pair.truth], detected[pair.detected])
      startErrors.append(match.start.seconds(since: stay.start))
      endErrors.append(match.end.seconds(since: stay.end))
      if let distance = stay.distance(to: match) { centreErrors.append(distance) }
    }
  }

  /// The indices of the true stays that were matched, in order, each with that of its match.
  static func pairs(
    detected: [StayInterval], truth: [StayInterval]
  ) -> [(truth: Int, detected: Int)] {
    var free = detected.indices.filter { detected[$0].duration >= shortestStay }
    return truth.indices.compactMap { index in
      let stay = truth[index]
      let best = free.max { overlap(stay, detected[$0]) < overlap(stay, detected[$1]) }
      guard stay.duration >= shortestStay, let best, overlap(stay, detected[best]) >= leastOverlap
      else { return nil }
      free.removeAll { $0 == best }
      return (index, best)
    }
  }

  /// True stays that were matched.
  package var matches: Int { startErrors.count }
  /// The fraction of the detected stays that are right; nil without any.
  package var precision: Double? {
    detections > 0 ? Double(matches) / Double(detections) : nil
  }
  /// The fraction of the true stays that were matched; nil without any.
  package var recall: Double? { truths > 0 ? Double(matches) / Double(truths) : nil }
  /// The harmonic mean of precision and recall; nil when there is neither.
  package var f1: Double? {
    truths + detections > 0 ? 2 * Double(matches) / Double(truths + detections) : nil
  }

  /// Adds the score of the same method on another recording.
  package mutating func merge(_ other: StayScore) {
    truths += other.truths
    detections += other.detections
    startErrors += other.startErrors
    endErrors += other.endErrors
    centreErrors += other.centreErrors
  }
}

/// Intersection over union of two intervals.
private func overlap(_ a: StayInterval, _ b: StayInterval) -> Double {
  let both = min(a.end, b.end).seconds(since: max(a.start, b.start))
  let either = max(a.end, b.end).seconds(since: min(a.start, b.start))
  return both > 0 && either > 0 ? both / either : 0
}
