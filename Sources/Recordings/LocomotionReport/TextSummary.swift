import Locomotion

/// The analysis as text for a terminal or a log.
package struct TextSummary {
  private let analysis: AnalysisResult
  private let figures: ReportFigures
  private let clock: ReportClock
  private let places: ReportPlaces
  private var units: ReportUnits { analysis.locale.units }
  /// The summary; every line ends with a line feed.
  package private(set) var text = ""

  private static let width = 80

  /// A summary that fits 80 columns as far as names allow.
  ///
  /// Control characters in external strings are replaced.
  package init(_ analysis: AnalysisResult) {
    self.analysis = analysis
    figures = ReportFigures(analysis)
    clock = ReportClock(analysis)
    places = ReportPlaces(analysis)
    write()
  }

  private mutating func line(_ line: String = "") { text += line + "\n" }

  private mutating func write() {
    line(ReportTitle(analysis).title.plain)
    guard !analysis.items.isEmpty else {
      line("No sample could be read from this recording.")
      writeData()
      return
    }
    let day = clock.shortDay(analysis.start).map { "\($0), " } ?? ""
    line(
      "\(day)\(clock.time(analysis.start)) – \(clock.end(analysis.end)), "
        + ReportFormatting.duration(figures.totals.seconds))
    let known = figures.totals.known
    if let activity = ReportActivity(analysis) {
      for figure in activity.figures(in: units) {
        line(Self.padded(figure.name, 15) + Self.padded(figure.value, 14) + figure.note.plain)
      }
    } else {
      var parts = figures.counts
      parts.append(known.way(in: units) ?? "no location")
      if figures.hasAcceleration { parts.append("\(ReportFormatting.count(known.steps)) steps") }
      line(parts.joined(separator: " · "))
      if let change = known.altitudeChange {
        line(
          [units.climb(change), units.levels(change)].compactMap { $0 }.joined(separator: " · "))
      }
    }
    line()
    if analysis.isOfDays {
      writeDays()
    } else {
      writeStrips()
      line()
      writeStoryline()
    }
    line()
    writeTotals(figures.totals)
    writeUnknowns()
    line()
    writeData()
    line()
    line(clock.note)
  }

  // MARK: - Strips

  private mutating func writeStrips() {
    let count = Self.width - 10
    let axis = ReportTimeAxis(analysis, width: Double(count))
    line("day       " + strip(analysis.items, axis, count: count))
    strip("cadence", axis, "steps/min") { $0.cadence }
    strip("speed", axis, units.speedName) { [units] in $0.location?.speed.map(units.perHour) }
    line("          " + legend)
  }

  /// What the letters of the strips mean.
  private var legend: String {
    figures.totals.partsInOrder.map { kind, _ in
      switch kind {
      case .stay: "\(ReportPalette.letter(.stationary)) stay"
      case .travel(let activity):
        "\(ReportPalette.letter(activity)) \(activity?.name ?? "mode unknown")"
      case .gap: "- no data"
      }
    }.joined(separator: "  ")
  }

  /// A letter for each of `count` columns.
  private func strip(
    _ items: [TimelineItem], _ axis: ReportTimeAxis, count: Int
  ) -> String {
    var letters = [String](repeating: " ", count: count)
    for item in items {
      for (start, end, letter) in pieces(of: item) {
        let first = min(Int(axis.x(start)), count - 1)
        let last = min(max(Int(axis.x(end).rounded()), first + 1), count)
        for column in first..<last { letters[column] = letter }
      }
    }
    return letters.joined()
  }

  private func pieces(of item: TimelineItem) -> [(Timestamp, Timestamp, String)] {
    switch item {
    case .stay(let stay): [(stay.start, stay.end, ReportPalette.letter(.stationary))]
    case .gap(let gap): [(gap.start, gap.end, "-")]
    case .trip(let trip):
      trip.legs.map { leg in
        (leg.start, leg.end, ReportPalette.letter(leg.activity))
      }
    }
  }

  private mutating func strip(
    _ name: String, _ axis: ReportTimeAxis, _ unit: String,
    _ value: (ReportSample) -> Double?
  ) {
    let columns = axis.columns(analysis, count: Int(axis.width), value)
    let largest = columns.reduce(0) { max($0, $1 ?? 0) }
    guard largest > 0 else { return }
    line(Self.padded(name, 10) + Self.sparkline(columns, top: largest))
    line("          up to \(ReportFormatting.fixed(largest, 0)) \(unit)")
  }

  /// One block character per value, in steps of an eighth of `top`; a space without a value.
  private static func sparkline(_ values: [Double?], top: Double) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    return String(
      values.map { value in
        value.map { blocks[min(max(Int($0 / top * 8), 0), 7)] } ?? " "
      })
  }

  // MARK: - Days

  /// The items of as many days are listed.
  private static let mostListed = 31
  /// As many days have a line each; of more only the months are told.
  private static let mostLines = 366

  /// A line for each day, and the totals of each month.
  private mutating func writeDays() {
    var days: [(name: String, month: String, line: String, totals: Totals)] = []
    let count = 48
    analysis.forEachDay { day in
      let clock = ReportClock(start: day.start, end: day.end, locale: analysis.locale)
      let own = ReportFigures(day.analysis)
      let name = clock.shortDay(day.start).map { String($0.dropLast(5)) } ?? "Day \(day.key)"
      let month = clock.day(day.start).map { String($0.drop { $0 != " " }.dropFirst()) } ?? ""
      let axis = ReportTimeAxis(
        clock: clock, start: day.start, end: day.end, width: Double(count))
      let parts = [
        own.totals.trips > 0 ? ReportFormatting.plural(own.totals.trips, "trip") : "",
        own.totals.known.distance.map(units.distance) ?? "",
      ]
      // A trip is seen also where a column is longer than it.
      let items = day.analysis.items
      let trips = items.filter { if case .trip = $0 { true } else { false } }
      let line =
        Self.padded(name, 12) + strip(items + trips, axis, count: count) + "  "
        + Self.padded(parts[0], 9) + parts[1]
      days.append((name, month, Self.trimmed(line), own.totals))
    }
    let isLong = days.count > Self.mostLines
    var begin = 0
    for index in days.indices {
      if !isLong { line(days[index].line) }
      guard index + 1 == days.count || days[index + 1].month != days[index].month else { continue }
      if begin > 0 || index + 1 < days.count {
        if !isLong { line() }
        line("\(days[index].month), \(ReportFormatting.plural(index + 1 - begin, "day"))")
        Totals.sum(days[begin...index].map(\.totals)).map { writeTotals($0) }
        line()
      }
      begin = index + 1
    }
    if !isLong { line("            " + legend) }
    line()
    guard days.count <= Self.mostListed else {
      line(
        "The list of stays and trips is left out: it is that of more than \(Self.mostListed) days.")
      return
    }
    writeStoryline()
  }

  // MARK: - Storyline and tables

  private mutating func writeStoryline() {
    var day: String?
    for (item, number) in analysis.numberedItems {
      if analysis.isOfDays, let date = clock.shortDay(item.start), date != day {
        line(date)
        day = date
      }
      let times = "\(clock.time(item.start))–\(clock.end(item.end))"
      let head =
        Self.padded(times, clock.isOfTwelve ? 19 : 13)
        + Self.padded(ReportFormatting.duration(item.duration), 13)
      switch item {
      case .gap: line("\(head)–     no data")
      case .stay(let stay):
        let letter = Self.padded(places.letter(of: stay) ?? "·", 6)
        let climb = units.climb(stay.altitudeChange).map { "  \($0)" } ?? ""
        line("\(head)\(letter)\(places.title(of: stay).plain)\(climb)")
        remark(analysis.remarks(on: stay))
      case .trip(let trip):
        let way =
          trip.distance.map {
            "  \(units.distance($0, deviation: trip.distanceDeviation))"
          } ?? ""
        line("\(head)\(Self.padded("\(number ?? 0)", 6))\(places.title(of: trip).plain)\(way)")
        remark(analysis.remarks(on: trip))
        for leg in trip.legs {
          let name = Self.padded(leg.name ?? "mode unknown", 13)
          let details = (analysis.extent(of: leg) + analysis.details(of: leg))
            .joined(separator: ", ")
          line(indent + name + details)
        }
      }
    }
  }

  /// What is known of an item only roughly, below it.
  private mutating func remark(_ remarks: [String]) {
    if !remarks.isEmpty { line(indent + remarks.joined(separator: ", ").plain) }
  }

  /// As wide as what stands before the name of an item.
  private var indent: String { String(repeating: " ", count: clock.isOfTwelve ? 38 : 32) }

  private mutating func writeTotals(_ totals: Totals) {
    for (kind, part) in totals.partsInOrder {
      let details = [
        Self.padded(ReportFormatting.duration(part.seconds), 12),
        Self.padded(part.way(in: units) ?? "", 10),
        part.countedSteps.map { "\($0) steps" } ?? "",
      ].joined()
      line(Self.trimmed(Self.padded(kind.name, 42) + details))
    }
  }

  private mutating func writeUnknowns() {
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
