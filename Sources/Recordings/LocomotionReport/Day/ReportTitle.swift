import Locomotion

/// What a report is called: a day, or the one activity that a recording is about.
struct ReportTitle: Sendable {
  /// The heading, as "Tuesday 12 May 2026", "Walk, 9 min, 681 m" or "Recording, 9 min".
  let heading: String
  /// The name of the page where it stands alone, as "Walk, 9 min, 681 m · Home · Sat 14 Mar 2026".
  let title: String
  /// What stands above the heading: the date, where the heading has none, and the names.
  let eyebrow: String
  /// Whether the heading is that of a day or more.
  let isDay: Bool
  /// Whether the heading tells from when to when.
  let hasTimes: Bool
  /// The activity that the recording is about, whose heading it is; nil for a day.
  let activity: ReportActivity?

  init(_ analysis: AnalysisResult) {
    let clock = ReportClock(analysis)
    let date = clock.shortDay(analysis.start)
    let span = analysis.end.seconds(since: analysis.start)
    let isDay = span >= 12 * 3_600 && clock.isCivil
    let heading: String
    activity = ReportActivity(analysis)
    if let activity {
      heading = activity.heading(in: analysis.locale.units)
    } else if isDay, let day = clock.longDay(analysis.start) {
      // The last instant belongs to the day before a midnight.
      let last = clock.shortDay(analysis.end.advanced(byNanoseconds: -1))
      heading =
        last == date ? day : [date, last].compactMap { $0 }.joined(separator: " – ")
    } else if let date, !analysis.items.isEmpty {
      heading = "\(date), \(clock.time(analysis.start))–\(clock.end(analysis.end))"
    } else if !analysis.items.isEmpty {
      heading = "Recording, \(ReportFormatting.duration(span))"
    } else {
      heading = "Recording"
    }
    self.heading = heading
    self.isDay = isDay
    hasTimes = activity == nil && !isDay && date != nil && !analysis.items.isEmpty
    let numbers = heading.split { !("0"..."9").contains($0) }
    let isDated = date.map { numbers.contains($0.suffix(4)) } ?? true
    let dated = isDated ? [] : [date].compactMap { $0 }
    func line(_ parts: [String]) -> String {
      parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }
    eyebrow = line(dated + analysis.trackNames + [analysis.name])
    title = line([heading] + analysis.trackNames + (isDated ? [analysis.name] : dated))
  }
}
