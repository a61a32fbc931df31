import Locomotion
import LocomotionActivityRecognition
import LocomotionPositioning
import LocomotionSensing

/// The analysis as one self-contained HTML page: no network, and a script of its own that draws the
/// strip, the map and the curves; without it the list, the figures and the totals are there.
///
/// The page adapts to light and dark mode, phones and print. Its content security policy forbids
/// everything but its own style sheet and that script, and tiles from one server when they are
/// asked for; all external strings are escaped.
package struct HTMLReport: Sendable {
  /// The page, UTF-8.
  package let html: String

  /// The content security policy of a page without tiles.
  package static var policy: String { ReportPage.policy(hasScript: true) }

  /// The page; with `tiles` the map lies on those of a server, which learns of it when the page is
  /// opened.
  ///
  /// That of more than three days is a ``PeriodReport``.
  package init(_ analysis: AnalysisResult, tiles: ReportTiles? = nil) {
    guard !analysis.isOfDays else {
      html = PeriodReport(analysis, tiles: tiles).html
      return
    }
    let sections = ReportSections(analysis, key: "", tiles: tiles)
    html =
      ReportPage.markup(
        title: sections.title.title, hasScript: true, tiles: tiles,
        main: """
          \(sections.header())\(analysis.items.isEmpty ? sections.nothing() : sections.body())
          <footer><p>\(analysis.items.isEmpty ? "" : sections.clock.note) A radius holds the \
          person with probability 0.68. Distances are measured along filtered locations while \
          moving.</p></footer>
          """
      ).text
  }
}

/// The template of every page: its policy, its style sheet and its title.
enum ReportPage {
  /// The policy of a page: nothing but its own style sheet and, if it has one, its script.
  ///
  /// `hasOwnStyle` says that the page has styles beside the sheet that all pages have.
  static func policy(
    hasScript: Bool, hasOwnStyle: Bool = false, tiles: ReportTiles? = nil
  ) -> String {
    let styles = hasOwnStyle ? "style-src 'unsafe-inline'" : "style-src '\(ReportStyle.hash)'"
    let parts = [
      "default-src 'none'", styles,
      hasScript ? "script-src '\(PageScript.hash)'" : nil,
      tiles.map { "img-src \($0.origin)" }, "base-uri 'none'", "form-action 'none'",
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  /// A page around `main`; `style` adds to the style sheet.
  static func markup(
    title: String, style: Markup = "", hasScript: Bool = false, tiles: ReportTiles? = nil,
    main: Markup
  ) -> Markup {
    let policy = policy(hasScript: hasScript, hasOwnStyle: !style.text.isEmpty, tiles: tiles)
    let script: Markup = "<script>\(Markup(stringLiteral: PageScript.text))</script>\n"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\
      \(Markup(stringLiteral: policy))">
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
      \(hasScript ? script : "")</body>
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
  let title: ReportTitle
  /// What the identifiers begin with.
  let key: String
  /// The level of the headings of sections; 2 where the page is about these alone.
  let level: Int
  let tiles: ReportTiles?
  /// The units of distances, speeds and altitudes.
  var units: ReportUnits { analysis.locale.units }

  init(_ analysis: AnalysisResult, key: String, level: Int = 2, tiles: ReportTiles?) {
    self.analysis = analysis
    self.key = key
    self.level = level
    self.tiles = tiles
    figures = ReportFigures(analysis)
    clock = ReportClock(analysis)
    places = ReportPlaces(analysis)
    title = ReportTitle(analysis)
  }

  func header() -> Markup {
    """
    <header>
    <p class="eyebrow"><bdi>\(title.eyebrow)</bdi></p>
    <h1>\(title.isActivity ? Self.unbroken(title.heading) : title.heading)</h1>
    <p class="lede">\(lede)</p>
    \(analysis.items.isEmpty ? "" : keyFigures())
    </header>

    """
  }

  private var lede: String {
    guard !analysis.items.isEmpty else { return "No sample could be read from this recording." }
    guard ReportActivity(analysis) == nil else {
      return "From \(clock.time(analysis.start)) to \(clock.end(analysis.end))."
    }
    let parts = figures.counts
    let missing = [
      figures.hasLocation ? nil : "location", figures.hasAcceleration ? nil : "accelerations",
    ].compactMap { $0 }
    return "From \(clock.time(analysis.start)) to \(clock.end(analysis.end))"
      + (parts.isEmpty ? "" : ": ") + parts.joined(separator: " and ") + "."
      + (missing.isEmpty ? "" : " The recording has no \(missing.joined(separator: " and no ")).")
  }

  private func keyFigures() -> Markup {
    let rows = figures.key(of: analysis).map { figure -> Markup in
      "<div><dt>\(figure.name)</dt><dd>\(Self.unbroken(figure.value))<small>\(figure.note)</small></dd></div>\n"
    }
    return "<dl class=\"figures\">\n\(rows)</dl>"
  }

  func nothing() -> Markup {
    "<section><p class=\"note\">There is nothing to show.</p>\(data())</section>"
  }

  func body() -> Markup {
    """
    \(dayAndCharts())
    \(section("What the time went to", totals()))
    \(figures.hasAcceleration ? Self.folded("What is not known", unknown()) : "")\
    \(Self.folded("The data", data()))
    """
  }

  static func folded(_ title: String, _ content: Markup) -> Markup {
    "<details class=\"fold\"><summary>\(title)</summary>\n\(content)</details>\n"
  }

  /// The strip, the list, the map and the charts, which light up together.
  func dayAndCharts() -> Markup {
    """
    <div data-day="\(key)"\(cursorData)>
    \(section(title.isDay ? "The day" : "Stays and trips",
      "\(Self.withoutScript)\(series.strip())\(legend())\(listAndMap())"))
    \(section("Minute by minute", charts()))
    </div>
    """
  }

  /// What the script's cursor needs: the first instant and the length, seconds, the hours of a day,
  /// and the offset from UTC with its changes.
  private var cursorData: Markup {
    let (start, end) = (analysis.start, analysis.end)
    let span = ReportTimeAxis(analysis, width: 1).seconds
    var offsets: [String] = []
    if clock.isCivil {
      // Clocks change at full quarters of an hour.
      let quarters = stride(from: 0, through: span + 900, by: 900).prefix(400)
      var last: Int?
      for second in quarters {
        let since = second - start.seconds.truncatingRemainder(dividingBy: 900)
        let offset = clock.offset(start.advanced(byNanoseconds: Int64(max(since, 0) * 1e9)))
        if offset != last { offsets.append("\(Int(max(since, 0))):\(offset)") }
        last = offset
      }
    }
    let hours: Markup = clock.isOfTwelve ? " data-hours=\"12\"" : ""
    let zone: Markup = offsets.isEmpty ? "" : " data-z=\"\(offsets.joined(separator: " "))\""
    return """
       data-from="\(ReportFormatting.fixed(start.seconds, 0))" \
      data-span="\(ReportFormatting.fixed(end > start ? span : 1, 0))"\(hours)\(zone)
      """
  }

  private func section(_ title: String, _ content: Markup) -> Markup {
    "<section>\(heading(2, title))\n\(content)</section>\n"
  }

  /// A heading that looks like one of `rank`, at the level that it has on this page.
  private func heading(_ rank: Int, _ title: String) -> Markup {
    let element = level + rank - 2
    let style: Markup = element == rank ? "" : " class=\"t\(rank)\""
    return "<h\(element)\(style)>\(title)</h\(element)>"
  }

  /// Of a day among others a quarter, so that a page of a year stays small.
  private var series: ReportSeries { ReportSeries(analysis, most: level == 2 ? 1_760 : 440) }

  /// What stands in the place of drawings where no script runs, as in a mail.
  private static let withoutScript: Markup = """
    <noscript><p class="note">The strip, the map and the curves are drawn by the page's script, \
    which doesn't run here. The list says in words what they show.</p></noscript>

    """

  private func legend() -> Markup {
    let ways = figures.totals.partsInOrder.compactMap { kind, _ -> Markup? in
      guard case .travel(let activity) = kind else { return nil }
      let name = ReportPalette.name(activity)
      return """
        <li><svg class="key" viewBox="0 0 40 10" aria-hidden="true"><path class="track s-\(name)" \
        d="M4 5H36"/></svg>\(activity?.name ?? "mode unknown")</li>
        """
    }
    let others = figures.totals.partsInOrder.compactMap { kind, _ -> Markup? in
      switch kind {
      case .stay: "<li><i class=\"swatch stay\"></i>stay</li>"
      case .gap: "<li><i class=\"swatch gap\"></i>no data</li>"
      case .travel: nil
      }
    }
    let silent: Markup =
      ReportDayStrip.pieces(analysis).allSatisfy { $0.silences.isEmpty } ? "" : Self.silentKey
    return "<ul class=\"legend\">\(others)\(ways)\(silent)\(corrected)</ul>\n"
  }

  /// The legend of what the person corrected; nothing where that is nothing.
  private var corrected: Markup {
    analysis.correctedLegs.isEmpty
      ? ""
      : """
      <li><svg class="swatch" viewBox="0 0 14 14" aria-hidden="true"><path class="corrected" \
      d="M0 7H14"/></svg>corrected by the person</li>
      """
  }

  /// The legend of what is drawn lighter.
  static let silentKey: Markup =
    "<li><i class=\"swatch silent\"></i>lighter: not observed, inferred</li>"

  /// The items as text, and beside them, where there is room, the map.
  private func listAndMap() -> Markup {
    guard let map = ReportMap(analysis, key: key) else {
      return """
        \(storyline())<p class="note">This recording has no location: there is no map, and no \
        distance or speed is known.</p>
        """
    }
    let sources = [tiles?.attribution, analysis.locale.towns?.attribution].compactMap { $0 }
      .filter { !$0.isEmpty }
    let attribution: Markup? =
      sources.isEmpty
      ? nil : "<figcaption><bdi>\(sources.joined(separator: " "))</bdi></figcaption>"
    return """
      <div class="pair">
      \(storyline())<div class="beside">\(heading(3, "The map"))\(map.definitions())\
      <figure>\(map.figure(tiles: tiles))\(attribution ?? "")</figure>\
      <p class="status" role="status"></p>\(placeNames())</div>
      </div>

      """
  }

  /// The letters of the user's named places.
  private func placeNames() -> Markup {
    let rows = places.names.enumerated().compactMap { index, name -> Markup? in
      name.map { "<li><b class=\"badge\">\(places.letters[index])</b><bdi>\($0)</bdi></li>" }
    }
    return rows.isEmpty ? "" : "<ul class=\"legend places\">\(rows)</ul>\n"
  }

  private func charts() -> Markup {
    let series = series
    let hasAltitude = analysis.samples.contains { $0.altitude != nil }
    let (profile, isOverDistance) = hasAltitude ? series.altitude() : ("", false)
    let altitude: Markup =
      hasAltitude
      ? chart(
        isOverDistance ? "Profile" : "Altitude (line) and its standard deviation (band)", profile)
      : ""
    func chart(_ title: String, _ figure: Markup) -> Markup { "\(heading(3, title))\(figure)" }
    var content: Markup = isOverDistance ? altitude : ""
    let hasAnswers = analysis.samples.contains { $0.activity != nil }
    if hasAnswers, !isOfOneActivity {
      content += chart("Activity (colour) and its probability (height)", series.answers())
      content += activityLegend()
    } else if !hasAnswers {
      content += """
        <p class="note">No accelerations were used: activities, cadence and steps are unknown.</p>
        """
    }
    if analysis.samples.contains(where: { $0.location?.speed != nil }) {
      content += chart("Speed", series.speed())
    } else {
      content += "<p class=\"note\">No speed: no location came often enough to know it.</p>"
    }
    if analysis.samples.contains(where: { $0.cadence != nil }) {
      content += chart("Cadence", series.cadence())
    } else if figures.hasAcceleration {
      content += "<p class=\"note\">No cadence: the person never stepped steadily.</p>"
    }
    if !isOverDistance { content += altitude }
    if hasAnswers, isOfOneActivity {
      content += Self.folded(
        "Activity and its probability", "\(series.answers())\(activityLegend())")
    }
    return content
  }

  /// Whether nearly all seconds have one answer, so that a curve of the answers is a block.
  private var isOfOneActivity: Bool {
    var counts: [Activity?: Int] = [:]
    for sample in analysis.samples { counts[sample.activity?.activity, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    return Double(most) > 0.95 * Double(figures.sampleCount)
  }

  private func activityLegend() -> Markup {
    let answers = Set(analysis.samples.compactMap { $0.activity?.activity })
    let keys = Activity.allCases.filter(answers.contains).map { activity -> Markup in
      "<li><i class=\"swatch b-\(activity.name)\"></i>\(activity.name)</li>"
    }
    let isWhole = figures.unknowns.allSatisfy { $0.reason == nil }
    let unnamed: Markup =
      isWhole
      ? ""
      : """
      <li><svg class="swatch" viewBox="0 0 14 14" aria-hidden="true"><path class="hatch" \
      d="M0 14L14 0M0 7L7 0M7 14L14 7"/></svg>not named</li>
      """
    return "<ul class=\"legend\">\(keys)\(unnamed)\(corrected)</ul>\n"
  }
}
