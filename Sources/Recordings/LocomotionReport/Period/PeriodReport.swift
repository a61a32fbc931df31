import Foundation
import Locomotion
package import LocomotionSensing

/// Several days as one self-contained HTML page: totals, a calendar of day strips, the places most
/// visited, and each day with its map, folded.
///
/// Days are added one by one, so that only one day's
/// samples are held at a time.
package struct PeriodReport: Sendable {
  struct Day: Sendable {
    /// The first instant of the day and of the next one; 23 to 25 hours.
    let start: Timestamp
    let end: Timestamp
    /// The date without separators, from which its identifiers are made.
    let key: String
    let clock: ReportClock
    let items: [TimelineItem]
    /// The strip of the day.
    let pieces: [PageValue]
    let figures: ReportFigures
    /// What is drawn of the day when it is unfolded, as JSON; nil where the page has no room.
    var details: String?
    /// What lies between the gaps of the day: activities, or nil.
    let activities: [PeriodActivity?]

    /// The day as "Fri 20 Nov", or "Day 3" where the clock is not the Unix clock.
    var name: String {
      clock.shortDay(start).map { String($0.dropLast(5)) } ?? "Day \(key.dropFirst())"
    }
    /// The month as "November 2026"; empty where the clock is not the Unix clock.
    var month: String {
      clock.date(start).map { "\($0.month) \($0.year)" } ?? ""
    }
    /// Whether nothing is known of the day.
    var isEmpty: Bool { figures.counts.isEmpty }
  }

  let name: String
  let locale: ReportLocale
  let tiles: ReportTiles?
  private(set) var days: [Day] = []
  /// Whose journal it is from; nil for a recording.
  private var user: String?
  /// The whole recording, where the page is about one.
  private var recording: DayDocument?
  /// The length of the details so far, bytes of UTF-8, and the first day that may have any.
  private var detailBytes = 0
  private var firstDetails = 0

  /// The details of as many days as fit in this length are on the page, the last ones, bytes of
  /// UTF-8.
  static let mostDetails = 800_000
  /// The strips of as many days are on the page, the last ones.
  static let mostStrips = 366
  /// The bars of more days than these are those of months.
  static let mostBars = 62

  /// A page without days yet.
  package init(name: String, locale: ReportLocale, tiles: ReportTiles? = nil) {
    self.name = name
    self.locale = locale
    self.tiles = tiles
  }

  /// A page about the days of a recording.
  init(_ analysis: AnalysisResult, tiles: ReportTiles? = nil) {
    self.init(name: analysis.name, locale: analysis.locale, tiles: tiles)
    recording = DayDocument(analysis, tiles: nil)
    analysis.forEachDay { add($0, key: $1, from: $2, to: $3) }
  }

  /// Adds the next day, `start ..< end`, whose date without separators is `key`.
  package mutating func add(
    _ analysis: AnalysisResult, key: String, from start: Timestamp, to end: Timestamp
  ) {
    var analysis = analysis
    analysis.locale = locale
    user = user ?? analysis.user
    let document = DayDocument(analysis, key: "d\(key)", tiles: tiles)
    let isEmpty = document.figures.counts.isEmpty
    let details = isEmpty ? nil : document.day.json
    detailBytes += details?.utf8.count ?? 0
    // The last day is there however long it is.
    while detailBytes > Self.mostDetails, firstDetails < days.count {
      detailBytes -= days[firstDetails].details?.utf8.count ?? 0
      days[firstDetails].details = nil
      firstDetails += 1
    }
    days.append(
      Day(
        start: start, end: end, key: "d\(key)",
        clock: ReportClock(start: start, end: end, locale: locale), items: analysis.items,
        pieces: isEmpty ? [] : document.pieces(since: start), figures: document.figures,
        details: details,
        activities: isEmpty ? [] : PeriodActivity.all(of: analysis)))
  }

  /// The document of the page.
  package var document: PageDocument {
    let filled = days.filter { !$0.isEmpty }
    var page = PageDocument(
      title: "\(heading) · \(name)", eyebrow: name, heading: heading,
      footer: "\(timesNote) Distances are measured along filtered locations while moving.",
      tiles: tiles)
    guard let totals = Totals.sum(filled.map { $0.figures.totals }) else {
      page.blocks = [PageDocument.note("Nothing is recorded.")]
      return page
    }
    let isOfActivities = isOfActivities
    page.figures = figures(filled, totals)
    page.blocks =
      [
        isOfActivities
          ? PageDocument.section("Activities", [activities])
          : PageDocument.section("Day by day", calendar()),
        PageDocument.section(
          "What the time went to",
          // Between outings lie days of which nothing was to be recorded.
          [DayDocument.table(of: totals, in: locale.units, hasGaps: !isOfActivities)] + bars()),
        isOfActivities ? nil : PageDocument.section("Places", places()),
        PageDocument.section("The days", detailsNote(filled) + [folds(filled)]),
      ].compactMap { $0 }
    page.user = user
    if let recording {
      page.recording = recording.analysis.identity
      page.corrections = recording.analysis.corrections
      if recording.figures.hasAcceleration {
        page.blocks.append(PageDocument.fold("What is not known", [recording.unknown]))
      }
      page.blocks.append(PageDocument.fold("The data", [recording.data]))
    }
    return page
  }

  private var timesNote: String {
    guard days.first?.clock.isCivil ?? true else {
      return
        "Days are of 24 hours since the start of the recording, and times count from their starts."
    }
    guard !locale.timeZone.isUTC else { return "Times are UTC." }
    return """
      Times are those of \(locale.timeZone.identifier). Days are drawn as long as they were: 23 or 25 hours \
      where the clocks changed.
      """
  }

  private var heading: String {
    guard days.first?.clock.isCivil ?? true else {
      return "Recording, \(ReportFormatting.plural(days.count, "day"))"
    }
    guard let first = days.first, let last = days.last else { return "No days" }
    let to = last.clock.shortDay(last.start) ?? ""
    guard days.count > 1, let from = first.clock.shortDay(first.start) else { return to }
    // The year is said once where it is the same.
    let isOneYear = from.suffix(4) == to.suffix(4)
    let span = "\(isOneYear ? String(from.dropLast(5)) : from) – \(to)"
    guard isOfActivities else { return span }
    let count = days.flatMap { $0.activities }.count { $0 != nil }
    return "\(count) \(count == 1 ? "activity" : "activities"), "
      + (isOneYear ? span : "\(from.suffix(4)) to \(to.suffix(4))")
  }

  private func detailsNote(_ filled: [Day]) -> [PageValue] {
    let shown = filled.count { $0.details != nil }
    guard shown < filled.count else { return [] }
    return [
      PageDocument.note(
        "The last \(ReportFormatting.plural(shown, "day")) of "
          + "\(ReportFormatting.count(Double(filled.count))) with data: the details of more would "
          + "make the page too long.")
    ]
  }

  private func figures(_ filled: [Day], _ totals: Totals) -> [PageDocument.Figure] {
    let known = totals.known
    let located = filled.count { $0.figures.totals.known.distance != nil }
    let stepped = filled.count { $0.figures.hasAcceleration }
    let moving = totals.travel.seconds
    let each = ReportFormatting.duration(moving / Double(filled.count))
    let figures: [PageDocument.Figure?] = [
      isOfActivities
        ? nil
        : (
          "Days with data", ReportFormatting.count(Double(filled.count)),
          "of \(ReportFormatting.plural(days.count, "day"))"
        ),
      known.distance.map {
        (
          "Distance", known.way(in: locale.units) ?? "",
          "\(locale.units.distance($0 / Double(located))) a day"
        )
      },
      stepped == 0
        ? nil
        : (
          "Steps", ReportFormatting.count(known.steps),
          "\(ReportFormatting.count(known.steps / Double(stepped))) a day"
        ),
      (
        "On the way", ReportFormatting.duration(moving),
        "\(ReportFormatting.plural(totals.trips, "trip")), \(each) a day"
      ),
    ]
    return figures.compactMap { $0 }
  }

  private func folds(_ filled: [Day]) -> PageValue {
    let folds = filled.compactMap { day -> PageValue? in
      guard let details = day.details else { return nil }
      let known = day.figures.totals.known
      let parts = [
        ReportFormatting.plural(day.figures.totals.trips, "trip"), known.way(in: locale.units),
        known.countedSteps.map { "\($0) steps" },
      ].compactMap { $0 }
      return [
        "key": .text(day.key), "name": .text(day.clock.shortDay(day.start) ?? day.name),
        "short": .text(day.name), "text": .text(parts.joined(separator: " · ")),
        "day": .json(details),
      ]
    }
    return ["days": .list(folds)]
  }
}
