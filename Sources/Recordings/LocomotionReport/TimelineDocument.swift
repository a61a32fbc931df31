internal import Foundation
package import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// A timeline in the schema of `timeline --json`: seconds, degrees and metres; null is unknown.
package struct TimelineDocument: Encodable {
  private let items: [Item]

  package init(_ items: [TimelineItem]) {
    self.items = items.map(Item.init)
  }

  /// One line of JSON with sorted keys.
  package var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  private struct Item: Encodable {
    let item: TimelineItem

    init(_ item: TimelineItem) {
      self.item = item
    }

    enum CodingKeys: String, CodingKey {
      case type, start, end, lat, lon, radius, activity, distance, steps, legs
      case startDeviation = "start_sd"
      case endDeviation = "end_sd"
      case distanceDeviation = "distance_sd"
      case observed, moving, stated, doubt
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(item.start.rounded, forKey: .start)
      try container.encode(item.end.rounded, forKey: .end)
      switch item {
      case .stay(let stay):
        try container.encode("stay", forKey: .type)
        try container.encode(stay.location.map { $0.latitude.rounded(8) }, forKey: .lat)
        try container.encode(stay.location.map { $0.longitude.rounded(8) }, forKey: .lon)
        try container.encode(stay.location.map { $0.radius68.rounded(1) }, forKey: .radius)
        try container.encode(stay.startDeviation?.rounded(0), forKey: .startDeviation)
        try container.encode(stay.endDeviation?.rounded(0), forKey: .endDeviation)
        try container.encode(stay.observedSeconds.rounded(0), forKey: .observed)
        try container.encode(stay.distance?.rounded(1), forKey: .distance)
        try ClimbFields(stay.altitudeChange).encode(to: encoder)
      case .trip(let trip):
        try container.encode("trip", forKey: .type)
        try container.encode(trip.dominantActivity?.name ?? "unknown", forKey: .activity)
        try container.encode(trip.distance?.rounded(1), forKey: .distance)
        try container.encode(trip.distanceDeviation?.rounded(1), forKey: .distanceDeviation)
        try container.encode(trip.movingSeconds?.rounded(0), forKey: .moving)
        try container.encode(trip.steps.rounded(0), forKey: .steps)
        try ClimbFields(trip.altitudeChange).encode(to: encoder)
        try container.encode(trip.legs.map(Leg.init), forKey: .legs)
        try container.encodeIfPresent(
          trip.stated.map { Stated($0.interval) }, forKey: .stated)
        try container.encodeIfPresent(trip.doubt(in: .metric), forKey: .doubt)
      case .gap:
        try container.encode("gap", forKey: .type)
      }
    }
  }

  /// What is stated of a trip, each only when it is told.
  private struct Stated: Encodable {
    let activity: String?
    let distance, moving, elapsed, climb, descent: Double?
    let source: String

    init(_ interval: StatedInterval) {
      let totals = interval.totals
      activity = interval.activityName
      distance = (totals?.distance ?? interval.activityDistance)?.rounded(1)
      moving = totals?.movingSeconds?.rounded(0)
      elapsed = totals?.elapsedSeconds?.rounded(0)
      climb = totals?.climb?.rounded(1)
      descent = totals?.descent?.rounded(1)
      source = interval.source
    }
  }

  private struct Leg: Encodable {
    let start: Double
    let end: Double
    let activity: String
    let customActivity: String?
    let distance: Double?
    let moving: Double?
    let steps: Double
    let climb: ClimbFields

    init(_ leg: Trip.Leg) {
      start = leg.start.rounded
      end = leg.end.rounded
      activity = leg.activity?.name ?? "unknown"
      customActivity = leg.customActivity?.name
      distance = leg.distance?.rounded(1)
      moving = leg.movingSeconds?.rounded(0)
      steps = leg.steps.rounded(0)
      climb = ClimbFields(leg.altitudeChange)
    }

    enum CodingKeys: String, CodingKey {
      case start, end, activity, distance, moving, steps
      case customActivity = "custom_activity"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(start, forKey: .start)
      try container.encode(end, forKey: .end)
      try container.encode(activity, forKey: .activity)
      try container.encodeIfPresent(customActivity, forKey: .customActivity)
      try container.encode(distance, forKey: .distance)
      try container.encode(moving, forKey: .moving)
      try container.encode(steps, forKey: .steps)
      try climb.encode(to: encoder)
    }
  }

  /// Metres up and down, the highest and the lowest altitude, each with one standard deviation.
  private struct ClimbFields: Encodable {
    let change: AltitudeChange?

    init(_ change: AltitudeChange?) {
      self.change = change
    }

    enum CodingKeys: String, CodingKey {
      case climb, descent, highest, lowest
      case climbDeviation = "climb_sd"
      case descentDeviation = "descent_sd"
      case highestDeviation = "highest_sd"
      case lowestDeviation = "lowest_sd"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(change?.climb.rounded(1), forKey: .climb)
      try container.encode(change?.climbDeviation.rounded(1), forKey: .climbDeviation)
      try container.encode(change?.descent.rounded(1), forKey: .descent)
      try container.encode(change?.descentDeviation.rounded(1), forKey: .descentDeviation)
      try container.encode(change?.highest?.altitude.rounded(1), forKey: .highest)
      try container.encode(change?.highest?.deviation.rounded(1), forKey: .highestDeviation)
      try container.encode(change?.lowest?.altitude.rounded(1), forKey: .lowest)
      try container.encode(change?.lowest?.deviation.rounded(1), forKey: .lowestDeviation)
    }
  }
}

extension Timestamp {
  /// Seconds to the millisecond.
  fileprivate var rounded: Double { seconds.rounded(3) }
}

extension Double {
  fileprivate func rounded(_ decimals: Int) -> Double {
    let factor = pow(10, Double(decimals))
    return (self * factor).rounded() / factor
  }
}
