import Foundation
import Locomotion
import LocomotionActivityRecognition
package import LocomotionSensing

/// Several days as one self-contained HTML page: totals, a calendar of day strips, the places most
/// visited, and each day with its map, folded.
///
/// It follows the same rules as ``HTMLReport``. Days are added one by one, so that only one day's
/// samples are held at a time.
package struct PeriodReport: Sendable {
  /// What is kept of a day.
  struct Day: Sendable {
    /// The first instant of the day and of the next one; 23 to 25 hours.
    var start: Timestamp
    var end: Timestamp
    /// The date without separators, from which its identifiers are made.
    var key: String
    /// The items without the samples.
    var analysis: AnalysisResult
    /// The strip of the day.
    var pieces: [ReportDayStrip.Piece]
    var figures: ReportFigures
    /// The day's details; nil where the page has no room for them.
    var section: Markup?
    /// What lies between the gaps of the day: activities, or nil.
    var activities: [PeriodActivity?]

    var clock: ReportClock { ReportClock(start: start, end: end, locale: analysis.locale) }
    /// The day as "Fri 20 Nov", or "Day 3" where the clock is not the Unix clock.
    var name: String {
      clock.shortDay(start).map { String($0.dropLast(5)) } ?? "Day \(key.dropFirst())"
    }
    /// The month as "November 2026"; empty where the clock is not the Unix clock.
    var month: String {
      clock.day(start).map { String($0.drop { $0 != " " }.dropFirst()) } ?? ""
    }
    /// Whether nothing is known of the day.
    var isEmpty: Bool { figures.counts.isEmpty }
  }

  let name: String
  let locale: ReportLocale
  let tiles: ReportTiles?
  private(set) var days: [Day] = []
  /// The sections on the whole recording, where the page is about one.
  private var recording: ReportSections?
  /// The length of the details so far, bytes of UTF-8.
  private var detailBytes = 0

  /// The details of as many days as fit in this length are on the page, bytes of UTF-8.
  package static let mostDetails = 800_000
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
    recording = ReportSections(analysis, key: "", tiles: nil)
    analysis.forEachDay { day in add(day.analysis, key: day.key, from: day.start, to: day.end) }
  }

  /// Adds the next day, `start ..< end`, whose date without separators is `key`.
  package mutating func add(
    _ analysis: AnalysisResult, key: String, from start: Timestamp, to end: Timestamp
  ) {
    var analysis = analysis
    analysis.locale = locale
    let sections = ReportSections(analysis, key: "d\(key)", level: 4, tiles: tiles)
    let isEmpty = sections.figures.counts.isEmpty
    var section: Markup?
    if !isEmpty, detailBytes < Self.mostDetails {
      let details = sections.dayAndCharts()
      detailBytes += details.text.utf8.count
      // The first day is there however long it is.
      if detailBytes < Self.mostDetails || days.allSatisfy({ $0.section == nil }) {
        section = details
      }
    }
    days.append(
      Day(
        start: start, end: end, key: "d\(key)", analysis: analysis.withoutSamples,
        pieces: isEmpty ? [] : ReportDayStrip.pieces(analysis), figures: sections.figures,
        section: section, activities: isEmpty ? [] : PeriodActivity.all(of: analysis)))
  }

  /// The page, UTF-8.
  package var html: String {
    let filled = days.filter { !$0.isEmpty }
    let main: Markup = """
      \(header(filled))\
      \(filled.isEmpty ? "<section><p class=\"note\">Nothing is recorded.</p></section>" : "")\
      \(filled.isEmpty ? "" : sections(filled))
      <footer><p>\(timesNote) Distances are measured along filtered locations while \
      moving.</p></footer>
      """
    return ReportPage.markup(
      title: "\(heading) · \(name)", hasScript: true, tiles: tiles, main: main
    ).text
  }

  private var timesNote: String {
    guard days.first?.clock.isCivil ?? true else {
      return
        "Days are of 24 hours since the start of the recording, and times count from their starts."
    }
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
    return "\(isOneYear ? String(from.dropLast(5)) : from) – \(to)"
  }

  private func sections(_ filled: [Day]) -> Markup {
    func section(_ title: String, _ content: Markup) -> Markup {
      "<section><h2>\(title)</h2>\n\(content)</section>\n"
    }
    guard let totals = Totals.sum(filled.map { $0.figures.totals }) else { return "" }
    let own = recording.map { recording -> Markup in
      """
      \(recording.figures.hasAcceleration
        ? ReportSections.folded("What is not known", recording.unknown()) : "")\
      \(ReportSections.folded("The data", recording.data()))
      """
    }
    return """
      \(isOfActivities ? section("Activities", activities()) : section("Day by day", calendar(totals)))\
      \(section("What the time went to", "\(ReportSections.table(of: totals, in: locale.units))\(bars())"))\
      \(isOfActivities ? "" : section("Places", PeriodPlaces(days).table()))\
      \(section("The days", "\(detailsNote(filled))\(folds(filled))"))\(own ?? "")
      """
  }

  private func detailsNote(_ filled: [Day]) -> Markup {
    let shown = filled.count { $0.section != nil }
    guard shown < filled.count else { return "" }
    return """
      <p class="note">The first \(ReportFormatting.plural(shown, "day")) of \
      \(ReportFormatting.count(Double(filled.count))) with data: the details of more would make \
      the page too long.</p>
      """
  }

  private func header(_ filled: [Day]) -> Markup {
    func figure(_ name: String, _ value: String, _ note: String) -> Markup {
      "<div><dt>\(name)</dt><dd>\(value)<small>\(note)</small></dd></div>"
    }
    let count = Double(max(filled.count, 1))
    let totals = Totals.sum(filled.map { $0.figures.totals })
    let known = totals?.known ?? Totals.Part()
    let located = filled.count { $0.figures.totals.known.distance != nil }
    let stepped = filled.count { $0.figures.hasAcceleration }
    let moving = totals?.travel.seconds ?? 0
    let trips = ReportFormatting.plural(totals?.trips ?? 0, "trip")
    let distance = known.distance.map {
      figure(
        "Distance", known.way(in: locale.units) ?? "",
        "\(locale.units.distance($0 / Double(located))) a day")
    }
    let steps: Markup =
      stepped == 0
      ? ""
      : figure(
        "Steps", ReportFormatting.count(known.steps),
        "\(ReportFormatting.count(known.steps / Double(stepped))) a day")
    let figures: Markup = """
      <dl class="figures">
      \(isOfActivities
        ? figure("Activities", "\(days.flatMap { $0.activities }.count { $0 != nil })", "")
        : figure("Days with data", ReportFormatting.count(Double(filled.count)),
        "of \(ReportFormatting.plural(days.count, "day"))"))
      \(distance ?? "")
      \(steps)
      \(figure("On the way", ReportFormatting.duration(moving),
        "\(trips), \(ReportFormatting.duration(moving / count)) a day"))
      </dl>
      """
    return """
      <header>
      <p class="eyebrow"><bdi>\(name)</bdi></p>
      <h1>\(heading)</h1>
      \(filled.isEmpty ? "" : figures)
      </header>

      """
  }

  /// The days with details, folded, with links to one another.
  private func folds(_ filled: [Day]) -> [Markup] {
    let shown = filled.filter { $0.section != nil }
    return shown.indices.compactMap { index in
      fold(
        shown[index], after: index > 0 ? shown[index - 1] : nil,
        before: index + 1 < shown.count ? shown[index + 1] : nil)
    }
  }

  /// A day, folded, with links to those before and after it.
  private func fold(_ day: Day, after last: Day?, before next: Day?) -> Markup? {
    guard let section = day.section else { return nil }
    let links = [
      last.map { "<a rel=\"prev\" href=\"#\($0.key)\">‹ \($0.name)</a>" as Markup },
      next.map { "<a rel=\"next\" href=\"#\($0.key)\">\($0.name) ›</a>" as Markup },
    ].compactMap { $0 }
    let neighbours: Markup =
      links.isEmpty ? "" : "<nav class=\"neighbours\" aria-label=\"Days\">\(links)</nav>\n"
    let known = day.figures.totals.known
    let parts = [
      ReportFormatting.plural(day.figures.totals.trips, "trip"), known.way(in: locale.units),
      known.countedSteps.map { "\($0) steps" },
    ].compactMap { $0 }.joined(separator: " · ")
    return """
      <details class="day"><summary><h3>\(day.clock.shortDay(day.start) ?? day.name)</h3> \
      <span>\(parts)</span></summary><div id="\(day.key)">
      \(neighbours)\(section)</div></details>

      """
  }
}

extension AnalysisResult {
  /// The items and what the user added to them.
  fileprivate var withoutSamples: AnalysisResult {
    var result = AnalysisResult(name: name, samples: [], items: items)
    result.locale = locale
    return result
  }
}
