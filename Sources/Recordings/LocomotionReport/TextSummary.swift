import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionSensing

/// The analysis as text for a terminal or a log.
package struct TextSummary: Sendable {
  /// The summary; every line ends with a line feed.
  package let text: String

  /// A summary that fits `width` columns as far as names allow.
  ///
  /// With `colour` the activities have ANSI colours; leave it off when the output is not a
  /// terminal. Control characters in external strings are replaced in both cases.
  package init(_ analysis: AnalysisResult, width: Int = 80, colour: Bool = false) {
    var writer = TextSummaryWriter(analysis: analysis, width: max(width, 40), colour: colour)
    writer.write()
    text = writer.text
  }
}

private struct TextSummaryWriter {
  let analysis: AnalysisResult
  let width: Int
  let colour: Bool
  let figures: ReportFigures
  let clock: ReportClock
  let places: ReportPlaces
  private(set) var text = ""

  init(analysis: AnalysisResult, width: Int, colour: Bool) {
    self.analysis = analysis
    self.width = width
    self.colour = colour
    figures = ReportFigures(analysis)
    clock = ReportClock(analysis)
    places = ReportPlaces(analysis)
  }

  private mutating func line(_ line: String = "") { text += line + "\n" }

  mutating func write() {
    line(ReportTitle(analysis).title.plain)
    guard !analysis.items.isEmpty else {
      line("No sample could be read from this recording.")
      writeData()
      return
    }
    let day = clock.shortDay(analysis.start).map { "\($0), " } ?? ""
    line(
      "\(day)\(clock.time(analysis.start)) – \(clock.end(analysis.end)), "
        + ReportFormatting.duration(figures.span))
    var parts = figures.counts
    parts.append(figures.distance.map(ReportFormatting.distance) ?? "no location")
    parts.append(
      figures.hasAcceleration
        ? "\(ReportFormatting.count(figures.steps)) steps" : "no accelerations")
    line(parts.joined(separator: " · "))
    line()
    writeStrips()
    line()
    writeStoryline()
    line()
    writeTotals()
    line()
    writeData()
    line()
    line(clock.note)
  }

  // MARK: - Strips

  private mutating func writeStrips() {
    let count = width - 10
    let axis = ReportTimeAxis(analysis, width: Double(count))
    var letters = [String](repeating: " ", count: count)
    for item in analysis.items {
      for (start, end, letter) in pieces(of: item) {
        let first = min(Int(axis.x(start)), count - 1)
        let last = min(max(Int(axis.x(end).rounded()), first + 1), count)
        for column in first..<last { letters[column] = letter }
      }
    }
    line("day       " + letters.joined())
    strip("cadence", axis, "steps/min") { $0.cadence.map { Double($0.stepsPerMinute) } }
    strip("speed", axis, "km/h") { $0.location?.speed.map { $0 * 3.6 } }
    let used = figures.totals.map { total in
      switch total.kind {
      case .stay: "\(ReportPalette.letter(.stationary)) stay"
      case .travel(let activity):
        "\(ReportPalette.letter(activity)) \(activity?.name ?? "mode unknown")"
      case .gap: "- no data"
      }
    }
    line("          " + used.joined(separator: "  "))
  }

  private func pieces(of item: TimelineItem) -> [(Timestamp, Timestamp, String)] {
    switch item {
    case .stay(let stay): [(stay.start, stay.end, ReportPalette.letter(.stationary))]
    case .gap(let gap): [(gap.start, gap.end, "-")]
    case .trip(let trip):
      trip.legs.map { leg in
        (leg.start, leg.end, painted(ReportPalette.letter(leg.activity), leg.activity))
      }
    }
  }

  private mutating func strip(
    _ name: String, _ axis: ReportTimeAxis, _ unit: String,
    _ value: (LocomotionSample) -> Double?
  ) {
    let columns = axis.columns(analysis, count: Int(axis.width), value)
    let largest = columns.reduce(0) { max($0, $1 ?? 0) }
    guard largest > 0 else { return }
    line(Self.padded(name, 10) + Self.sparkline(columns, top: largest))
    line("          up to \(ReportFormatting.fixed(largest, 0)) \(unit)")
  }

  /// One block character per value, in steps of an eighth of `top`; a space without a value.
  static func sparkline(_ values: [Double?], top: Double) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    return String(
      values.map { value in
        value.map { blocks[min(max(Int($0 / top * 8), 0), 7)] } ?? " "
      })
  }

  // MARK: - Storyline and tables

  private mutating func writeStoryline() {
    let indent = String(repeating: " ", count: 32)
    for (item, number) in analysis.numberedItems {
      let times = "\(clock.time(item.start))–\(clock.end(item.end))"
      let head = Self.padded(times, 13) + Self.padded(ReportFormatting.duration(item.duration), 13)
      switch item {
      case .gap: line("\(head)–     no data")
      case .stay(let stay):
        let letter = Self.padded(places.letter(of: stay) ?? "·", 6)
        line("\(head)\(letter)\(places.title(of: stay).plain)")
      case .trip(let trip):
        let way = trip.distance.map { "  \(ReportFormatting.distance($0))" } ?? ""
        line("\(head)\(Self.padded("\(number ?? 0)", 6))\(places.title(of: trip).plain)\(way)")
        for leg in trip.legs {
          let name = Self.padded(leg.name ?? "mode unknown", 13)
          let details = (analysis.extent(of: leg) + analysis.details(of: leg))
            .joined(separator: ", ")
          line(indent + painted(name, leg.activity) + details)
        }
      }
    }
  }

  private mutating func writeTotals() {
    for total in figures.totals {
      let details = [
        Self.padded(ReportFormatting.duration(total.seconds), 12),
        Self.padded(total.distance.map(ReportFormatting.distance) ?? "", 10),
        total.steps.flatMap { $0 >= 0.5 ? "\(ReportFormatting.count($0)) steps" : nil } ?? "",
      ].joined()
      line(Self.trimmed(Self.padded(total.kind.name, 42) + details))
    }
    guard figures.hasAcceleration else { return }
    for unknown in figures.unknowns {
      let name = Self.padded("activity unknown: \(unknown.name)", 42)
      line(name + ReportFormatting.duration(Double(unknown.seconds)))
    }
  }

  private mutating func writeData() {
    func row(_ name: String, _ value: String) { line(Self.padded(name, 42) + value) }
    row("seconds with data", ReportFormatting.count(Double(figures.sampleCount)))
    for (name, count) in [
      ("with a location", figures.located), ("with accelerations", figures.accelerated),
    ] where count > 0 { row(name, ReportFormatting.count(Double(count))) }
    for diagnostic in analysis.diagnostics {
      row(diagnostic.name.plain, diagnostic.value.plain)
    }
  }

  // MARK: - Characters

  private func painted(_ string: String, _ activity: Activity?) -> String {
    guard colour else { return string }
    return "\u{1B}[\(ReportPalette.terminalColour(activity))m\(string)\u{1B}[0m"
  }

  private static func padded(_ string: String, _ width: Int) -> String {
    string + String(repeating: " ", count: max(width - string.count, 1))
  }

  private static func trimmed(_ string: String) -> String {
    var string = string
    while string.last == " " { string.removeLast() }
    return string
  }
}

extension String {
  /// The text without characters that could control a terminal.
  package var plain: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
