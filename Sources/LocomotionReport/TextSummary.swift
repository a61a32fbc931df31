import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
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
    line(Self.plain(analysis.name))
    guard !analysis.items.isEmpty else {
      line("No sample could be read from this recording.")
      writeData()
      return
    }
    let day = clock.day(analysis.start).map { "\($0), " } ?? ""
    line(
      "\(day)\(clock.time(analysis.start)) – \(clock.time(analysis.end)), "
        + ReportFormatting.duration(figures.span))
    var parts = [
      ReportFormatting.plural(figures.stays, "stay"),
      ReportFormatting.plural(figures.trips, "trip"),
      figures.distance.map(ReportFormatting.distance) ?? "no location",
    ]
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
    for item in analysis.items {
      let head = Self.padded(clock.time(item.start), 8)
      let length = Self.padded(ReportFormatting.duration(item.duration), 12)
      switch item {
      case .gap: line("\(head)\(length)no data")
      case .stay(let stay):
        let place = stay.location.map { place in
          "  \(ReportFormatting.fixed(place.latitude, 5)), "
            + "\(ReportFormatting.fixed(place.longitude, 5)) ± "
            + ReportFormatting.distance(place.radius68)
        }
        let letter = places.letter(of: stay).map { " at \($0)" } ?? ""
        line("\(head)\(length)stay\(letter)\(place ?? "")")
      case .trip(let trip):
        let way = trip.distance.map { "  \(ReportFormatting.distance($0))" } ?? ""
        line("\(head)\(length)trip\(way)")
        for leg in trip.legs {
          let details = [
            ReportFormatting.duration(leg.end.seconds(since: leg.start)),
            leg.distance.map(ReportFormatting.distance),
            leg.steps >= 0.5 ? "\(ReportFormatting.count(leg.steps)) steps" : nil,
            leg.altitudeChange.flatMap(Self.climb),
          ].compactMap { $0 }.joined(separator: ", ")
          let name = Self.padded(leg.activity?.name ?? "mode unknown", 14)
          line(String(repeating: " ", count: 20) + painted(name, leg.activity) + details)
        }
      }
    }
  }

  /// What was climbed and descended, with one standard deviation each; nil on the level.
  private static func climb(_ change: AltitudeChange) -> String? {
    let parts = [
      ("up", change.climb, change.climbDeviation),
      ("down", change.descent, change.descentDeviation),
    ].filter { $0.1 >= 0.5 }.map { name, metres, deviation in
      "\(name) \(ReportFormatting.fixed(metres, 0)) ± \(ReportFormatting.fixed(deviation, 0)) m"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private mutating func writeTotals() {
    for total in figures.totals {
      let details = [
        Self.padded(ReportFormatting.duration(total.seconds), 12),
        Self.padded(total.distance.map(ReportFormatting.distance) ?? "", 10),
        total.steps.map { "\(ReportFormatting.count($0)) steps" } ?? "",
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
    row("with a location", ReportFormatting.count(Double(figures.located)))
    row("with accelerations", ReportFormatting.count(Double(figures.accelerated)))
    for diagnostic in analysis.diagnostics {
      row(Self.plain(diagnostic.name), Self.plain(diagnostic.value))
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

  /// `string` without characters that could control a terminal.
  private static func plain(_ string: String) -> String {
    var result = ""
    for scalar in string.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
