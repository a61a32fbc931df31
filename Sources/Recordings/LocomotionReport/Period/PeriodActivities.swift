import Locomotion

/// An activity of a period as an entry of a list: its course, small, its name and figures.
struct PeriodActivity {
  /// The size of the drawing of the course, points.
  private static let size = SIMD2(96.0, 72.0)

  private let name: String
  private let start: Timestamp
  private let figures: [PageDocument.Figure]
  private let course: [SIMD2<Double>]
  private let style: String

  /// The activities between the gaps of a day; nil for what is about more than one, or none.
  static func all(of day: AnalysisResult) -> [PeriodActivity?] {
    day.items.split(whereSeparator: { $0.isGap }).map { items in
      var part = AnalysisResult(
        name: "",
        seconds: Array(
          day.samples(from: items[items.startIndex].start, to: items.last?.end ?? day.end)),
        items: Array(items))
      (part.locale, part.names) = (day.locale, day.names)
      return PeriodActivity(part)
    }
  }

  private init?(_ analysis: AnalysisResult) {
    guard let activity = ReportActivity(analysis) else { return nil }
    name = ([activity.name] + analysis.trackNames).joined(separator: " · ")
    start = analysis.start
    style = ReportPalette.name(activity.activity)
    let known = activity.figures(in: analysis.locale.units)
    figures = ["Distance", "In motion", "Up"].compactMap { name in
      known.first { $0.name == name }
    }
    course = Self.course(of: analysis)
  }

  private static func course(of analysis: AnalysisResult) -> [SIMD2<Double>] {
    let places = analysis.samples.compactMap { $0.hasFix ? $0.location : nil }
    guard let first = places.first else { return [] }
    let projection = ReportProjection(centre: first)
    let points = places.map { projection.position($0) }
    let low = points.reduce(points[0]) { pointwiseMin($0, $1) }
    let high = points.reduce(points[0]) { pointwiseMax($0, $1) }
    let scale = ((size - 12) / pointwiseMax(high - low, SIMD2(repeating: 50))).min()
    return points.map { point in
      let offset = (point - (low + high) / 2) * scale
      return size / 2 + SIMD2(offset.x, -offset.y)
    }.simplified(tolerance: 0.7)
  }

  /// The entry; with `key` it leads to the day's details.
  func entry(on date: String, _ clock: ReportClock, at key: String?) -> PageValue {
    let numbers = figures.map { figure in
      figure.name == "Up" ? "↑ \(figure.value)" : figure.value
    }
    let points = course.flatMap { [PageValue.number($0.x, 1), .number($0.y, 1)] }
    return [
      "name": .text(name), "when": "\(date), \(clock.time(start))",
      "key": key.map { .text($0) }, "style": .text(style),
      "figures": .text(numbers.joined(separator: " · ").unbroken), "course": .list(points),
    ]
  }
}

extension PeriodReport {
  /// Whether the page is about activities rather than about days: most of what lies between gaps is
  /// one, as in a folder of outings.
  var isOfActivities: Bool {
    let all = days.flatMap { $0.activities }
    return 2 * all.count { $0 != nil } > all.count
  }

  /// The activities, the newest first.
  var activities: PageValue {
    let entries = days.reversed().flatMap { day in
      day.activities.reversed().compactMap { activity in
        activity?.entry(
          on: day.clock.shortDay(day.start) ?? day.name, day.clock,
          at: day.details == nil ? nil : day.key)
      }
    }
    return ["activities": .list(entries)]
  }
}
