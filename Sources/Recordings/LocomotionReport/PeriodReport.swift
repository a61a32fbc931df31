package import Foundation
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
    var figures: ReportFigures
    var section: Markup

    var clock: ReportClock { ReportClock(start: start, end: end, zone: analysis.timeZone) }
    /// Whether nothing is known of the day.
    var isEmpty: Bool { figures.stays == 0 && figures.trips == 0 }
  }

  let name: String
  let zone: TimeZone
  let tiles: ReportTiles?
  private(set) var days: [Day] = []

  /// A page without days yet.
  package init(name: String, zone: TimeZone, tiles: ReportTiles? = nil) {
    self.name = name
    self.zone = zone
    self.tiles = tiles
  }

  /// Adds the next day, `start ..< end`, whose date without separators is `key`.
  package mutating func add(
    _ analysis: AnalysisResult, key: String, from start: Timestamp, to end: Timestamp
  ) {
    var analysis = analysis
    analysis.timeZone = zone
    let sections = ReportSections(analysis, key: "d\(key)", level: 4, tiles: tiles)
    let isEmpty = sections.figures.stays == 0 && sections.figures.trips == 0
    let section = isEmpty ? "" : sections.dayAndCharts()
    days.append(
      Day(
        start: start, end: end, key: "d\(key)", analysis: analysis.withoutSamples,
        figures: sections.figures, section: section))
  }

  /// The page, UTF-8.
  package var html: String {
    let filled = days.filter { !$0.isEmpty }
    let main: Markup = """
      \(header(filled))\
      \(filled.isEmpty ? "<section><p class=\"note\">Nothing is recorded.</p></section>" : "")\
      \(filled.isEmpty ? "" : sections(filled))
      <footer><p>Times are those of \(zone.identifier). Days are drawn as long as they were: 23 or 25 \
      hours where the clocks changed. Distances are measured along filtered locations while \
      moving.</p></footer>
      """
    return ReportPage.markup(
      title: "\(heading) · \(name)", hasScript: true, tiles: tiles, main: main
    ).text
  }

  private var heading: String {
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
    let totals = ReportFigures.sum(filled.map(\.figures.totals))
    return """
      \(section("Day by day", calendar(totals)))\
      \(section("What the time went to", "\(ReportSections.table(of: totals))\(bars())"))\
      \(section("Places", PeriodPlaces(days).table()))\
      \(section("The days", "\(filled.map(fold))"))
      """
  }

  private func header(_ filled: [Day]) -> Markup {
    func figure(_ name: String, _ value: String, _ note: String) -> Markup {
      "<div><dt>\(name)</dt><dd>\(value)<small>\(note)</small></dd></div>"
    }
    let count = Double(max(filled.count, 1))
    let distances = filled.compactMap(\.figures.distance)
    let distance = distances.reduce(0, +)
    let stepped = filled.filter(\.figures.hasAcceleration)
    let steps = stepped.reduce(0) { $0 + $1.figures.steps }
    let moving = filled.reduce(0) { $0 + $1.figures.secondsOnTheWay }
    let trips = filled.reduce(0) { $0 + $1.figures.trips }
    let figures: Markup = """
      <dl class="figures">
      \(figure("Days with data", ReportFormatting.count(Double(filled.count)),
        "of \(ReportFormatting.plural(days.count, "day"))"))
      \(figure("Distance", distances.isEmpty ? "unknown" : ReportFormatting.distance(distance),
        distances.isEmpty ? "no location"
          : "\(ReportFormatting.distance(distance / Double(distances.count))) a day"))
      \(figure("Steps", stepped.isEmpty ? "unknown" : ReportFormatting.count(steps),
        stepped.isEmpty ? "no accelerations"
          : "\(ReportFormatting.count(steps / Double(stepped.count))) a day"))
      \(figure("On the way", ReportFormatting.duration(moving),
        "\(ReportFormatting.plural(trips, "trip")), \(ReportFormatting.duration(moving / count)) a day"))
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

  /// A day, folded.
  private func fold(_ day: Day) -> Markup {
    let parts = [
      ReportFormatting.plural(day.figures.trips, "trip"),
      day.figures.distance.map(ReportFormatting.distance),
      day.figures.steps >= 0.5 ? "\(ReportFormatting.count(day.figures.steps)) steps" : nil,
    ].compactMap { $0 }.joined(separator: " · ")
    return """
      <details class="day"><summary><h3>\(day.clock.shortDay(day.start) ?? day.key)</h3> \
      <span>\(parts)</span></summary><div id="\(day.key)">
      \(day.section)</div></details>

      """
  }
}

extension AnalysisResult {
  /// The items and what the user added to them.
  fileprivate var withoutSamples: AnalysisResult {
    var result = AnalysisResult(name: name, samples: [], items: items)
    result.annotations = annotations
    result.timeZone = timeZone
    return result
  }
}

extension ReportFigures {
  /// Seconds in trips.
  var secondsOnTheWay: Double {
    totals.reduce(0) { sum, total in
      if case .travel = total.kind { sum + total.seconds } else { sum }
    }
  }
}
