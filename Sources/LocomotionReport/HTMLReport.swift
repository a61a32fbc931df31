import Locomotion
import LocomotionActivityRecognition
import LocomotionPositioning
import LocomotionSensing

/// The analysis as one self-contained HTML page: no script, no network, inline drawings.
///
/// The page adapts to light and dark mode, phones and print. Its content security policy forbids
/// everything but its own style sheet, and all external strings are escaped.
package struct HTMLReport: Sendable {
  /// The page, UTF-8.
  package let html: String

  private let analysis: AnalysisResult
  private let figures: ReportFigures
  private let clock: ReportClock
  private let places: ReportPlaces

  package init(_ analysis: AnalysisResult) {
    self.analysis = analysis
    figures = ReportFigures(analysis)
    clock = ReportClock(analysis)
    places = ReportPlaces(analysis)
    html = Self.page(analysis, figures, clock, places).text
  }

  private static func page(
    _ analysis: AnalysisResult, _ figures: ReportFigures, _ clock: ReportClock,
    _ places: ReportPlaces
  ) -> Markup {
    let sections = ReportSections(
      analysis: analysis, figures: figures, clock: clock, places: places)
    return ReportPage.markup(
      title: analysis.name,
      main: """
        \(sections.header())\(analysis.items.isEmpty ? sections.nothing() : sections.body())
        <footer><p>\(analysis.items.isEmpty ? "" : clock.note) A radius holds the person with \
        probability 0.68. Distances are measured along filtered locations while moving.</p></footer>
        """)
  }
}

/// The template of every page: its policy, its style sheet and its title.
enum ReportPage {
  /// A page around `main`; `style` adds to the style sheet.
  static func markup(title: String, style: Markup = "", main: Markup) -> Markup {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>\(title)</title>
    <style>\(ReportStyle.sheet)\(style)</style>
    </head>
    <body>
    <main>
    \(main)
    </main>
    </body>
    </html>

    """
  }
}

/// The sections of the page.
struct ReportSections {
  let analysis: AnalysisResult
  let figures: ReportFigures
  let clock: ReportClock
  let places: ReportPlaces

  func header() -> Markup {
    let day = clock.day(analysis.start)
    let lastDay = clock.day(analysis.end.advanced(byNanoseconds: -1))
    let days = [day, lastDay == day ? nil : lastDay].compactMap { $0 }.joined(separator: " – ")
    let eyebrow = days.isEmpty ? "Recording" : days
    return """
      <header>
      <p class="eyebrow">\(eyebrow)</p>
      <h1><bdi>\(analysis.name)</bdi></h1>
      <p class="lede">\(lede)</p>
      \(analysis.items.isEmpty ? "" : keyFigures())
      </header>

      """
  }

  private var lede: String {
    guard !analysis.items.isEmpty else { return "No sample could be read from this recording." }
    let parts = [
      ReportFormatting.plural(figures.stays, "stay"),
      ReportFormatting.plural(figures.trips, "trip"),
    ]
    let missing = [
      figures.hasLocation ? nil : "location", figures.hasAcceleration ? nil : "accelerations",
    ].compactMap { $0 }
    return "From \(clock.time(analysis.start)) to \(clock.end(analysis.end)): "
      + parts.joined(separator: " and ") + "."
      + (missing.isEmpty ? "" : " The recording has no \(missing.joined(separator: " and no ")).")
  }

  private func keyFigures() -> Markup {
    func figure(_ name: String, _ value: String, _ note: String) -> Markup {
      "<div><dt>\(name)</dt><dd>\(value)<small>\(note)</small></dd></div>"
    }
    let fraction = Double(figures.knownSeconds) / Double(max(figures.sampleCount, 1))
    let noAcceleration = "no accelerations"
    return """
      <dl class="figures">
      \(figure("Recorded", ReportFormatting.duration(figures.span),
        "\(ReportFormatting.count(Double(figures.sampleCount))) seconds with data"))
      \(figure("Distance", figures.distance.map(ReportFormatting.distance) ?? "unknown",
        figures.meanRadius.map { "mean radius \(ReportFormatting.distance($0))" } ?? "no location"))
      \(figure("Steps", figures.hasAcceleration ? ReportFormatting.count(figures.steps) : "unknown",
        figures.hasAcceleration
          ? figures.meanCadence.map { "\(ReportFormatting.fixed($0, 0)) per minute on average" }
            ?? "none counted" : noAcceleration))
      \(figure("Activity named",
        figures.hasAcceleration ? "\(ReportFormatting.fixed(fraction * 100, 0)) %" : "unknown",
        figures.hasAcceleration ? "of the seconds with data" : noAcceleration))
      </dl>
      """
  }

  func nothing() -> Markup {
    "<section><p class=\"note\">There is nothing to show.</p>\(data())</section>"
  }

  func body() -> Markup {
    """
    \(section("The day", "\(figure(ReportDayStrip.draw))\(legend())\(storyline())"))
    \(section("The way", map()))
    \(section("Minute by minute", charts()))
    \(section("What the time went to", totals()))
    \(section("What is not known", unknown()))
    \(section("The data", data()))
    """
  }

  private func section(_ title: String, _ content: Markup) -> Markup {
    "<section><h2>\(title)</h2>\n\(content)</section>\n"
  }

  private func figure(_ draw: (AnalysisResult, DrawingWidth) -> Markup) -> Markup {
    "<figure>\(DrawingWidth.allCases.map { draw(analysis, $0) })</figure>\n"
  }

  private func legend(waysOnly: Bool = false) -> Markup {
    let ways = figures.totals.compactMap { total -> Markup? in
      guard case .travel(let activity) = total.kind else { return nil }
      let name = ReportPalette.name(activity)
      return """
        <li><svg class="key" viewBox="0 0 40 10" aria-hidden="true"><path class="track s-\(name)" \
        d="M4 5H36"/></svg>\(activity?.name ?? "mode unknown")</li>
        """
    }
    let others = figures.totals.compactMap { total -> Markup? in
      switch total.kind {
      case .stay: "<li><i class=\"swatch stay\"></i>stay</li>"
      case .gap: "<li><i class=\"swatch gap\"></i>no data</li>"
      case .travel: nil
      }
    }
    return "<ul class=\"legend\">\(waysOnly ? [] : others)\(ways)</ul>\n"
  }

  private func map() -> Markup {
    guard let map = ReportMap(analysis) else {
      return """
        <p class="note">This recording has no location: there is no map, and no distance or speed \
        is known.</p>
        """
    }
    let drawings = DrawingWidth.allCases.map { map.draw(width: $0) }
    return "<figure>\(drawings)</figure>\(legend(waysOnly: true))\(placeNames())"
  }

  /// The letters of the user's named places.
  private func placeNames() -> Markup {
    let rows = places.names.enumerated().compactMap { index, name -> Markup? in
      name.map { "<li><b class=\"badge\">\(ReportPlaces.letter(index))</b><bdi>\($0)</bdi></li>" }
    }
    return rows.isEmpty ? "" : "<ul class=\"legend places\">\(rows)</ul>\n"
  }

  private func charts() -> Markup {
    func chart(_ title: String, _ draw: (ReportCharts) -> Markup) -> Markup {
      "<h3>\(title)</h3>\(figure { draw(ReportCharts($0, width: $1)) })"
    }
    var content: Markup = ""
    if analysis.samples.contains(where: { $0.activity != nil }) {
      content += chart("Activity, by probability") { $0.probabilities() }
      content += activityLegend()
    } else {
      content += """
        <p class="note">No accelerations were used: activities, cadence and steps are unknown.</p>
        """
    }
    if analysis.samples.contains(where: { $0.location?.speed != nil }) {
      content += chart("Speed") { $0.speed() }
    } else {
      content += "<p class=\"note\">No speed: no location came often enough to know it.</p>"
    }
    if analysis.samples.contains(where: { $0.cadence != nil }) {
      content += chart("Cadence") { $0.cadence() }
    } else if figures.hasAcceleration {
      content += "<p class=\"note\">No cadence: the person never stepped steadily.</p>"
    }
    return content
  }

  private func activityLegend() -> Markup {
    let keys = Activity.allCases.map { activity -> Markup in
      "<li><i class=\"swatch b-\(activity.name)\"></i>\(activity.name)</li>"
    }
    return """
      <ul class="legend">\(keys)<li><i class="swatch mark-unnamed"></i>not named</li></ul>

      """
  }
}
