public import Foundation
public import Locomotion

/// A day of a calendar, 23 to 25 hours.
public struct CivilDay: Sendable {
  /// The calendar with the person's time zone.
  public let calendar: Calendar
  /// The first instant of the day.
  public let start: Timestamp
  /// The first instant after the day.
  public let end: Timestamp

  /// The day that holds an instant; nil beyond the range of timestamps.
  public init?(holding instant: Timestamp, _ calendar: Calendar) {
    guard let day = calendar.dateInterval(of: .day, for: Date(instant)),
      let start = Timestamp(day.start), let end = Timestamp(day.end)
    else { return nil }
    (self.calendar, self.start, self.end) = (calendar, start, end)
  }

  /// The day written as `YYYY-MM-DD`; nil for another text or a date that does not exist.
  public init?(_ text: String, _ calendar: Calendar) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 3 else { return nil }
    var components = DateComponents()
    (components.year, components.month, components.day) = (parts[0], parts[1], parts[2])
    guard components.isValidDate(in: calendar),
      let instant = calendar.date(from: components).flatMap({ Timestamp($0) })
    else { return nil }
    self.init(holding: instant, calendar)
  }

  /// The day after this one; nil beyond the range of timestamps.
  public var next: CivilDay? { CivilDay(holding: end, calendar) }

  /// The date as `20261121`, or with a separator between its parts.
  public func date(_ separator: String = "") -> String {
    let format = ["yyyy", "MM", "dd"].joined(separator: separator.isEmpty ? "" : "'\(separator)'")
    return DateFormatter(format, calendar).text(start)
  }
}

extension DateFormatter {
  /// Writes and reads times as `20261121T080500+0100`, with `Z` in UTC.
  package static let stamp = "yyyyMMdd'T'HHmmssXX"

  /// Writes and reads times in a format of Unicode's, in a calendar and its time zone.
  package convenience init(_ format: String, _ calendar: Calendar) {
    self.init()
    self.calendar = calendar
    timeZone = calendar.timeZone
    locale = Locale(identifier: "en_US_POSIX")
    dateFormat = format
  }

  /// An instant, to the nearest second.
  func text(_ instant: Timestamp) -> String {
    string(from: Date(timeIntervalSince1970: instant.seconds.rounded()))
  }
}

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
    get throws { try Self.text(of: [document(nil)]) }
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
    try Self.text(of: document(paths))
  }

  private static func text(of document: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }
}

/// The paths of legs, by their starts; nil for the form that people read.
private typealias Paths = [Timestamp: [LocationFix]]

extension Day {
  /// The day; what only the exact form has, with `paths`, begins with `exact`.
  private func document(_ paths: Paths?) -> Members {
    let stamps = DateFormatter(DateFormatter.stamp, date.calendar)
    var members: Members = [
      "date": date.date(), "segments": items.map { $0.members(stamps, paths) },
    ]
    guard paths != nil else { return members }
    members["timeZone"] = date.calendar.timeZone.identifier
    members["final"] = isFinal
    members["exactTimes"] = [date.start.nanoseconds, date.end.nanoseconds]
    return members
  }
}

extension TimelineItem {
  /// A segment: seconds are those on the clock of the samples, and `partial` is one that later
  /// recording may still change.
  fileprivate func members(_ stamps: DateFormatter, _ paths: Paths?) -> Members {
    var members: Members = [
      "type": "off", "startTime": stamps.text(start), "endTime": stamps.text(end),
      "start": start.seconds, "end": end.seconds, "partial": isPartial,
    ]
    if paths != nil { members["exactTimes"] = [start.nanoseconds, end.nanoseconds] }
    switch self {
    case .gap: break
    case .stay(let stay):
      members["type"] = "place"
      members["place"] = stay.site(isExact: paths != nil)
      // Those of a trip are its legs'.
      members["steps"] = Int(exactly: stay.steps.rounded()) ?? 0
      if paths != nil, stay.steps.isFinite { members["exactSteps"] = stay.steps }
      members["purpose"] = paths == nil ? stay.purpose : stay.purpose?.storable
    case .trip(let trip):
      members["type"] = "move"
      members["activities"] = trip.legs.map { $0.members(stamps, paths) }
    }
    return members
  }
}

extension Stay {
  /// The place; its type is as in Moves `user` for one that the user named, else `unknown`.
  fileprivate func site(isExact: Bool) -> Members {
    let name = isExact ? place?.name?.storable : place?.name
    return [
      "id": place?.id, "name": name, "type": name == nil ? "unknown" : "user",
      "location": location.map { ["lat": $0.latitude, "lon": $0.longitude] },
      "radius": location?.radius68,
    ]
  }
}

extension Trip.Leg {
  /// The leg: its group is as in Moves `walking`, `running`, `cycling` or `transport`, `manual` one
  /// that the user corrected, and without a probability are the user's, and those of which the
  /// sensors said nothing.
  fileprivate func members(_ stamps: DateFormatter, _ paths: Paths?) -> Members {
    var members: Members = [
      "activity": activity?.name ?? "unknown", "customActivity": customActivity?.name,
      "group": activity.map { $0.isMotorized ? "transport" : $0.name }, "manual": isCorrected,
      "probability": probability.map { ($0 * 1_000).rounded() / 1_000 },
      "startTime": stamps.text(start), "endTime": stamps.text(end),
      "start": start.seconds, "end": end.seconds,
      "duration": end.seconds(since: start).rounded(),
      "distance": distance.map { ($0 * 10).rounded() / 10 },
      "steps": Int(exactly: steps.rounded()) ?? 0,
    ]
    guard let paths else { return members }
    members["exactTimes"] = [start.nanoseconds, end.nanoseconds]
    members["exactDistance"] = distance
    members["exactSteps"] = steps.isFinite ? steps : nil
    members["path"] = paths[start]?.map { [$0.longitude, $0.latitude] }
    return members
  }
}

/// The members of a JSON object; those without a value are left out.
private struct Members: Encodable, ExpressibleByDictionaryLiteral {
  private var values: [String: Member] = [:]

  private struct Member: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    for (name, value) in elements { self[name] = value }
  }

  subscript(name: String) -> (any Encodable)? {
    get { values[name]?.value }
    set { values[name] = newValue.map(Member.init) }
  }

  func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension String {
  fileprivate var storable: String { replacing("\0", with: "\u{FFFD}") }
}
