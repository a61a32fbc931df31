internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionJournal
internal import LocomotionSensing

/// A day of one device, as the database stores it.
struct DayStory {
  private let day: CivilDay
  private let items: [DayItem]
  /// The storyline, as `locomotion journal day --json` prints it, without the end of the line.
  let json: String

  /// The day with its items, cut at its ends; nil when it cannot be written as JSON.
  init?(_ day: CivilDay, _ items: [DayItem]) {
    guard let json = try? Storyline(day, items).json else { return nil }
    (self.day, self.items, self.json) = (day, items, json)
  }

  /// Whether later recording cannot change the day.
  ///
  /// The last item ends with the recording, so that a final day is one behind which others lie.
  var isFinal: Bool { items.last.map { !$0.isPartial && $0.end >= day.end } ?? false }

  /// Whether a stored day has the same times and is as final.
  func isLike(_ stored: StoredDay) -> Bool {
    stored.isFinal == isFinal && stored.start == day.start && stored.end == day.end
      && stored.timeZone == day.calendar.timeZone.identifier
  }

  /// The row of the day, with these paths of its items.
  func row(with tracks: [DayTrack]) -> DayRow {
    let paths = Dictionary(
      tracks.map { ($0.leg.start, LegPath.points(of: $0.points)) }, uniquingKeysWith: { $1 })
    let totals = DayTotals(of: items, from: day.start, to: day.end)
    return DayRow(
      date: day.date("-"), timeZone: day.calendar.timeZone.identifier, start: day.start,
      end: day.end, json: json, isFinal: isFinal, recordedSeconds: totals.knownDuration,
      staySeconds: totals.stayDuration, distance: totals.distance, steps: totals.steps,
      travel: totals.parts.map { name, travel in
        DayRow.Travel(
          activity: name, seconds: travel.duration, distance: travel.distance, steps: travel.steps)
      },
      items: items.flatMap { Self.rows(of: $0, paths) })
  }

  private static func rows(
    of item: DayItem, _ paths: [Timestamp: [ItemRow.Point]]
  ) -> [ItemRow] {
    switch item.content {
    case .gap:
      return [
        ItemRow(kind: .gap, start: item.start, end: item.end, isPartial: item.isPartial)
      ]
    case .stay(let stay):
      let position = stay.location.map {
        ItemRow.Point(latitude: $0.latitude, longitude: $0.longitude)
      }
      return [
        ItemRow(
          kind: .stay, start: item.start, end: item.end, position: position,
          radius: stay.location?.radius68, placeName: stay.place?.name, purpose: stay.purpose,
          isPartial: item.isPartial)
      ]
    case .trip(let legs):
      let distances = legs.compactMap(\.distance)
      let trip = ItemRow(
        kind: .trip, start: item.start, end: item.end, activity: mainActivity(of: legs),
        distance: distances.isEmpty ? nil : distances.reduce(0, +),
        steps: legs.reduce(0) { $0 + $1.steps }, path: legs.flatMap { paths[$0.start] ?? [] },
        isCorrected: legs.contains(where: \.isCorrected), isPartial: item.isPartial)
      return [trip]
        + legs.map { leg in
          ItemRow(
            kind: .leg, start: leg.start, end: leg.end, activity: leg.activity?.name,
            distance: leg.distance, steps: leg.steps, path: paths[leg.start] ?? [],
            isCorrected: leg.isCorrected, isPartial: item.isPartial)
        }
    }
  }

  /// The activity of most of a trip's time; of two with as much, the first one.
  private static func mainActivity(of legs: [DayLeg]) -> String? {
    var names: [String?] = []
    var times: [Double] = []
    for leg in legs {
      let name = leg.activity?.name
      let length = leg.end.seconds(since: leg.start)
      if let place = names.firstIndex(of: name) {
        times[place] += length
      } else {
        names.append(name)
        times.append(length)
      }
    }
    guard let most = times.max(), let place = times.firstIndex(of: most) else { return nil }
    return names[place]
  }
}
