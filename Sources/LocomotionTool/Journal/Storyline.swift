import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionReport
import LocomotionSensing

/// A day in the format of Moves: segments at places and on the move, and `off` where nothing is
/// known.
struct Storyline {
  private let day: CivilDay
  private let items: [DayItem]

  init(_ day: CivilDay, _ items: [DayItem]) {
    self.day = day
    self.items = items
  }

  /// One line of JSON with sorted keys: an array with the day.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let document = [Day(date: day.date(), segments: items.map { Segment($0, day) })]
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
  }

  /// A line for each item and leg, in the words of the report.
  var text: String {
    guard !items.isEmpty else { return "\(day.date("-")): nothing is recorded\n" }
    var text = day.date("-") + "\n"
    let places = ReportPlaces(AnalysisResult(name: "", samples: [], dayItems: items))
    for item in items {
      let times = "\(day.clock(item.start))–\(day.clock(item.end))  "
      let length = ReportFormatting.duration(item.end.seconds(since: item.start))
      let mark = item.isPartial ? "  (may still change)" : ""
      switch (item.timelineItem, item.content) {
      case (.stay(let stay), .stay(let own)):
        let number = places.number(of: stay).map { " (\($0))" } ?? ""
        let purpose = own.purpose.map { "  for \($0.plain)" } ?? ""
        text += "\(times)\(places.title(of: stay).plain)\(number)\(purpose)  \(length)\(mark)\n"
      case (.trip(let trip), .trip(let legs)):
        let words = legs.map { leg in
          let way = leg.distance.map { " " + ReportFormatting.distance($0) } ?? ""
          return (leg.activity?.name ?? "mode unknown") + way + (leg.isCorrected ? " (yours)" : "")
        }
        text +=
          "\(times)\(places.title(of: trip).plain): \(words.joined(separator: ", "))  "
          + "\(length)\(mark)\n"
      default: text += "\(times)No data  \(length)\(mark)\n"
      }
    }
    return text
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
