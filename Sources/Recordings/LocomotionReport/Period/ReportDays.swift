import Locomotion

extension AnalysisResult {
  /// A recording longer than this is told day by day, seconds.
  static let longestWhole = 3 * 86_400.0

  /// Whether the recording is told day by day.
  package var isOfDays: Bool { end.seconds(since: start) > Self.longestWhole }

  /// The days of the recording, in its time zone; days of 24 hours since its start where its clock
  /// is not the Unix clock.
  ///
  /// The stays have the numbers of the whole recording's places, as those of a journal have.
  ///
  /// - Parameter body: Takes the samples and the items of a day, cut at both midnights; the date
  ///   without separators, or the number of the day where the clock is not the Unix clock; and the
  ///   first instant of the day and of the next one.
  func forEachDay(_ body: (AnalysisResult, String, Timestamp, Timestamp) -> Void) {
    let places = ReportPlaces(self)
    let clock = ReportClock(self)
    let first = clock.dayNumber(start)
    let last = clock.dayNumber(end.advanced(byNanoseconds: -1))
    var firstItem = 0
    for number in first..<max(first, min(last, first + Self.mostDays) + 1) {
      let (start, end) = (clock.startOfDay(number), clock.startOfDay(number + 1))
      while firstItem < items.count, items[firstItem].end <= start { firstItem += 1 }
      let day = day(from: start, to: end, firstItem: firstItem, places)
      body(day, clock.key(ofDay: number), start, end)
    }
  }

  /// 200 years, which no recording lasts.
  private static let mostDays = 200 * 366

  private func day(
    from start: Timestamp, to end: Timestamp, firstItem: Int, _ places: ReportPlaces
  ) -> AnalysisResult {
    let own = items[firstItem...].prefix { $0.start < end }
    guard own.contains(where: { !$0.isGap }) else {
      return AnalysisResult(name: name, samples: [], items: [])
    }
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
    (day.locale, day.doubt, day.names) = (locale, doubt, names)
    day.measured = measured.map { quantity in
      (quantity.name, quantity.unit, quantity.values.filter { start <= $0.time && $0.time < end })
    }
    day.laps = laps.filter { start <= $0.start && $0.start < end }
    return day
  }
}
