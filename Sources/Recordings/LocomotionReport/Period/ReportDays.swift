import Foundation
import Locomotion

/// One of the days of a recording.
struct ReportDay {
  /// The first instant of the day and of the next one.
  var start: Timestamp
  var end: Timestamp
  /// The date without separators, or the number of the day where the clock is not the Unix clock.
  var key: String
  /// The samples and the items, cut at both midnights; empty where nothing but a gap is there.
  var analysis: AnalysisResult
}

extension AnalysisResult {
  /// A recording longer than this is told day by day, seconds.
  static let longestWhole = 3 * 86_400.0

  /// Whether the recording is told day by day.
  var isOfDays: Bool { end.seconds(since: start) > Self.longestWhole }

  /// The days of the recording, in its time zone; days of 24 hours since its start where its clock
  /// is not the Unix clock.
  ///
  /// The stays have the numbers of the whole recording's places, as those of a journal have.
  func forEachDay(_ body: (ReportDay) -> Void) {
    let places = ReportPlaces(self)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = locale.timeZone
    let isCivil = ReportClock(self).isCivil
    var start = start
    if isCivil {
      start = Self.midnight(calendar.startOfDay(for: Date(timeIntervalSince1970: start.seconds)))
    }
    let (last, limit) = (end, start.advanced(byNanoseconds: Self.longest))
    var (number, first) = (0, 0)
    while start < min(last, limit) {
      number += 1
      var end = start.advanced(byNanoseconds: 86_400_000_000_000)
      var key = "\(number)"
      if isCivil {
        // The middle of the next day, whether this one has 23 or 25 hours.
        let next = Date(timeIntervalSince1970: start.seconds + 1.5 * 86_400)
        end = Self.midnight(calendar.startOfDay(for: next))
        let date = calendar.dateComponents(
          [.year, .month, .day], from: next.addingTimeInterval(-86_400))
        key = "\((date.year ?? 0) * 10_000 + (date.month ?? 0) * 100 + (date.day ?? 0))"
      }
      while first < items.count, items[first].end <= start { first += 1 }
      body(
        ReportDay(
          start: start, end: end, key: key,
          analysis: day(from: start, to: end, firstItem: first, places)))
      start = end
    }
  }

  /// 200 years, which no recording lasts.
  private static var longest: Int64 { 200 * 366 * 86_400_000_000_000 }

  private static func midnight(_ date: Date) -> Timestamp {
    Timestamp(nanoseconds: Int64(date.timeIntervalSince1970.rounded()) * 1_000_000_000)
  }

  private func day(
    from start: Timestamp, to end: Timestamp, firstItem: Int, _ places: ReportPlaces
  ) -> AnalysisResult {
    let own = items[firstItem...].prefix { $0.start < end }
    let isEmpty = own.allSatisfy { if case .gap = $0 { true } else { false } }
    guard !isEmpty else { return AnalysisResult(name: name, samples: [], items: []) }
    var day = AnalysisResult(
      name: name, seconds: Array(samples(from: start, to: end)),
      items: own.compactMap { item in
        guard case .stay(var stay) = item, stay.place == nil, let place = stay.location,
          let number = places.index(of: stay)
        else { return item.cut(from: start, to: end) }
        stay.place = Place(
          id: number, name: nil, latitude: place.latitude, longitude: place.longitude,
          radius: place.radius68, isLearned: true)
        return TimelineItem.stay(stay).cut(from: start, to: end)
      })
    (day.locale, day.doubt) = (locale, doubt)
    day.measured = measured.map { quantity in
      (quantity.name, quantity.unit, quantity.values.filter { start <= $0.time && $0.time < end })
    }
    day.laps = laps.filter { start <= $0.start && $0.start < end }
    return day
  }
}
