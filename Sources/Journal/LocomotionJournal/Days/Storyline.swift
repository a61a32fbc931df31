internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// A day in the format of Moves: segments at places and on the move, and `off` where nothing is
/// known.
package struct Storyline: Sendable {
  /// The day.
  package let day: CivilDay
  /// The day's items, cut at its ends.
  package let items: [DayItem]

  /// The story of a day.
  package init(_ day: CivilDay, _ items: [DayItem]) {
    self.day = day
    self.items = items
  }

  /// One line of JSON with sorted keys: an array with the day.
  package var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let document = [Day(date: day.date(), segments: items.map { Segment($0, day) })]
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
  }

  private struct Day: Encodable {
    let date: String
    let segments: [Segment]
  }

  private struct Segment: Encodable {
    var type = "off"
    let startTime: String
    let endTime: String
    /// Seconds on the clock of the samples.
    let start: Double
    let end: Double
    /// Whether later recording may still change the segment.
    let partial: Bool
    var place: Site?
    var purpose: String?
    var activities: [Activity]?

    init(_ item: DayItem, _ day: CivilDay) {
      startTime = day.stamp(item.start)
      endTime = day.stamp(item.end)
      start = item.start.seconds
      end = item.end.seconds
      partial = item.isPartial
      switch item.content {
      case .gap: break
      case .stay(let stay):
        type = "place"
        place = Site(stay)
        purpose = stay.purpose
      case .trip(let legs):
        type = "move"
        activities = legs.map { Activity($0, day) }
      }
    }
  }

  private struct Site: Encodable {
    struct Location: Encodable {
      let lat: Double
      let lon: Double
    }

    let id: Int?
    let name: String?
    /// As in Moves: `user` for a place that the user named, else `unknown`.
    let type: String
    let location: Location?
    let radius: Double?

    init(_ stay: DayStay) {
      id = stay.place?.id
      name = stay.place?.name
      type = name == nil ? "unknown" : "user"
      location = stay.location.map { Location(lat: $0.latitude, lon: $0.longitude) }
      radius = stay.location?.radius68
    }
  }

  private struct Activity: Encodable {
    let activity: String
    /// As in Moves: `walking`, `running`, `cycling` or `transport`.
    let group: String?
    /// Whether it is the user's correction.
    let manual: Bool
    let startTime: String
    let endTime: String
    let start: Double
    let end: Double
    let duration: Double
    let distance: Double?
    let steps: Int

    init(_ leg: DayLeg, _ day: CivilDay) {
      activity = leg.activity?.name ?? "unknown"
      group = leg.activity.map { $0.isMotorized ? "transport" : $0.name }
      manual = leg.isCorrected
      startTime = day.stamp(leg.start)
      endTime = day.stamp(leg.end)
      start = leg.start.seconds
      end = leg.end.seconds
      duration = leg.end.seconds(since: leg.start).rounded()
      distance = leg.distance.map { ($0 * 10).rounded() / 10 }
      steps = Int(exactly: leg.steps.rounded()) ?? 0
    }
  }
}
