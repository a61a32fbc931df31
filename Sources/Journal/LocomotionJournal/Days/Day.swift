internal import Foundation
public import Locomotion
internal import LocomotionActivityRecognition
public import LocomotionSensing

/// A civil day with its items, cut at its ends.
///
/// Its JSON is the storyline of the Moves service: segments at places and on the move, and `off`
/// where nothing is known. It is what people and programs read of a day, and what an archive keeps.
public struct Day: Sendable {
  /// The date, with the calendar and its time zone.
  public let date: CivilDay
  /// The items.
  public let items: [TimelineItem]

  /// A day from its items.
  public init(_ date: CivilDay, _ items: [TimelineItem]) {
    self.date = date
    self.items = items
  }

  /// The totals of the items.
  public var totals: Totals { Totals(of: items, from: date.start, to: date.end) }

  /// Whether later recording cannot change the day.
  ///
  /// The last item ends with the recording, so that a final day is one behind which others lie.
  public var isFinal: Bool { items.last.map { !$0.isPartial && $0.end >= date.end } ?? false }

  /// One line of JSON with sorted keys: an array with the day.
  public var json: String {
    get throws { try Self.text(of: [Document(self, paths: nil)]) }
  }

  /// The same with what people don't read: the day's time zone and ends and whether it is final,
  /// all times in nanoseconds, distances and steps that are not rounded, and the paths of legs.
  ///
  /// In texts, U+FFFD stands for U+0000, which databases do not take.
  ///
  /// - Parameter paths: The path of each leg, by its start.
  /// - Returns: One line of JSON with sorted keys: the day.
  /// - Throws: `EncodingError` for a number that is not finite.
  public func exactJSON(with paths: [Timestamp: [LocationFix]]) throws -> String {
    try Self.text(of: Document(self, paths: paths))
  }

  private static func text(of document: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }
}

extension Day {
  fileprivate typealias Paths = [Timestamp: [LocationFix]]

  /// The JSON of a day; what only the exact form has is optional and begins with `exact`.
  private struct Document: Encodable {
    let date: String
    let segments: [Segment]
    var timeZone: String?
    var final: Bool?
    var exactTimes: [Int64]?

    init(_ day: Day, paths: Paths?) {
      let stamps = DateFormatter(DateFormatter.stamp, day.date.calendar)
      date = day.date.date()
      segments = day.items.map { Segment($0, stamps, paths) }
      guard paths != nil else { return }
      timeZone = day.date.calendar.timeZone.identifier
      final = day.isFinal
      exactTimes = [day.date.start.nanoseconds, day.date.end.nanoseconds]
    }
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
    var activities: [Travel]?
    /// The steps of a stay; those of a trip are its legs'.
    var steps: Int?
    var exactTimes: [Int64]?
    var exactSteps: Double?

    init(_ item: TimelineItem, _ stamps: DateFormatter, _ paths: Paths?) {
      startTime = stamps.text(item.start)
      endTime = stamps.text(item.end)
      start = item.start.seconds
      end = item.end.seconds
      partial = item.isPartial
      if paths != nil { exactTimes = [item.start.nanoseconds, item.end.nanoseconds] }
      switch item {
      case .gap: break
      case .stay(let stay):
        type = "place"
        place = Site(stay, isExact: paths != nil)
        steps = Int(exactly: stay.steps.rounded()) ?? 0
        if paths != nil, stay.steps.isFinite { exactSteps = stay.steps }
        purpose = paths == nil ? stay.purpose : stay.purpose?.storable
      case .trip(let trip):
        type = "move"
        activities = trip.legs.map { Travel($0, stamps, paths) }
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

    init(_ stay: Stay, isExact: Bool) {
      id = stay.place?.id
      name = isExact ? stay.place?.name?.storable : stay.place?.name
      type = name == nil ? "unknown" : "user"
      location = stay.location.map { Location(lat: $0.latitude, lon: $0.longitude) }
      radius = stay.location?.radius68
    }
  }

  private struct Travel: Encodable {
    let activity: String
    let customActivity: String?
    /// As in Moves: `walking`, `running`, `cycling` or `transport`.
    let group: String?
    /// Whether it is the user's correction.
    let manual: Bool
    /// How probable the activity is; nil for the user's, and where the sensors said nothing.
    let probability: Double?
    let startTime: String
    let endTime: String
    let start: Double
    let end: Double
    let duration: Double
    let distance: Double?
    let steps: Int
    var exactTimes: [Int64]?
    var exactDistance: Double?
    var exactSteps: Double?
    var path: [[Double]]?

    init(_ leg: Trip.Leg, _ stamps: DateFormatter, _ paths: Paths?) {
      activity = leg.activity?.name ?? "unknown"
      customActivity = leg.customActivity?.name
      group = leg.activity.map { $0.isMotorized ? "transport" : $0.name }
      manual = leg.isCorrected
      probability = leg.probability.map { ($0 * 1_000).rounded() / 1_000 }
      startTime = stamps.text(leg.start)
      endTime = stamps.text(leg.end)
      start = leg.start.seconds
      end = leg.end.seconds
      duration = leg.end.seconds(since: leg.start).rounded()
      distance = leg.distance.map { ($0 * 10).rounded() / 10 }
      steps = Int(exactly: leg.steps.rounded()) ?? 0
      guard let paths else { return }
      exactTimes = [leg.start.nanoseconds, leg.end.nanoseconds]
      exactDistance = leg.distance
      exactSteps = leg.steps.isFinite ? leg.steps : nil
      path = paths[leg.start]?.map { [$0.longitude, $0.latitude] }
    }
  }
}

extension String {
  fileprivate var storable: String { replacing("\0", with: "\u{FFFD}") }
}
