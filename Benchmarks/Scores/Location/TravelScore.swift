package import Locomotion

/// The fraction of travel time for which a timeline has the right activity.
package struct TravelScore: Hashable, Sendable {
  /// True seconds of travel, by activity.
  package private(set) var seconds: [Activity: Double] = [:]
  /// Those of them that a leg of the same activity covers.
  package private(set) var rightSeconds: [Activity: Double] = [:]

  /// A score without timelines.
  package init() {}

  /// Scores a timeline, moment by moment of the truth.
  ///
  /// Road and rail count as two activities. A halt of a vehicle counts as travel; one on foot or by
  /// bicycle isn't scored.
  package init(_ items: [TimelineItem], truth: LocationTruth) {
    let legs = items.flatMap { item -> [Trip.Leg] in
      guard case .trip(let trip) = item else { return [] }
      return trip.legs
    }
    var leg = 0
    for (moment, next) in zip(truth.moments, truth.moments.dropFirst()) {
      guard let travel = moment.travel else { continue }
      let length = min(next.timestamp.seconds(since: moment.timestamp), LocationTruth.longestGap)
      seconds[travel, default: 0] += length
      while leg < legs.count, legs[leg].end <= moment.timestamp { leg += 1 }
      guard leg < legs.count, legs[leg].start <= moment.timestamp, legs[leg].activity == travel
      else { continue }
      rightSeconds[travel, default: 0] += length
    }
  }

  /// The fraction of the time that is right, 0 to 1; nil without any.
  package var fraction: Double? {
    let all = seconds.values.reduce(0, +)
    return all > 0 ? rightSeconds.values.reduce(0, +) / all : nil
  }

  /// Adds the score of another recording.
  package mutating func merge(_ other: TravelScore) {
    seconds.merge(other.seconds, uniquingKeysWith: +)
    rightSeconds.merge(other.rightSeconds, uniquingKeysWith: +)
  }
}
