import Locomotion
import LocomotionMap

/// The parts of a page that are about one recording, or about one day of it.
package struct DayDocument {
  let analysis: AnalysisResult
  let figures: ReportFigures
  package let clock: ReportClock
  let places: ReportPlaces
  let title: ReportTitle
  /// The activity that the recording is about; nil for a day.
  var activity: ReportActivity? { title.activity }
  /// What names the day on a page of several.
  let key: String
  let tiles: ReportTiles?
  /// The time of the curves, seconds.
  let seconds: Double
  /// Their columns: two for each point of a wide screen at most, and of a day among others a
  /// quarter, so that a page of a year stays small.
  let columnCount: Int
  /// The units of distances, speeds and altitudes.
  var units: ReportUnits { analysis.locale.units }

  package init(_ analysis: AnalysisResult, key: String = "", tiles: ReportTiles?) {
    self.analysis = analysis
    self.key = key
    self.tiles = tiles
    figures = ReportFigures(analysis)
    clock = ReportClock(analysis)
    places = ReportPlaces(analysis)
    title = ReportTitle(analysis)
    seconds = max(analysis.end.seconds(since: analysis.start), 1e-3)
    columnCount = Int(min(seconds.rounded(.up), key.isEmpty ? 1_760 : 440))
  }

  /// The page about it alone.
  fileprivate var page: PageDocument {
    let isEmpty = analysis.items.isEmpty
    let note = isEmpty ? "" : clock.note + " "
    var page = PageDocument(
      title: title.title, eyebrow: title.eyebrow,
      heading: activity == nil ? title.heading : title.heading.unbroken, lede: lede,
      footer: note
        + "A radius holds the person with probability 0.68. Distances are measured along filtered "
        + "locations while moving.", tiles: tiles)
    (page.recording, page.user) = (analysis.identity, analysis.user)
    page.corrections = analysis.corrections
    guard !isEmpty else {
      page.blocks = [PageDocument.note("There is nothing to show."), data]
      return page
    }
    page.figures = figures.key(of: activity, in: units) + measuredFigures
    page.blocks =
      [
        ["day": day],
        PageDocument.section("What the time went to", [Self.table(of: figures.totals, in: units)]),
        figures.hasAcceleration ? PageDocument.fold("What is not known", [unknown]) : nil,
        PageDocument.fold("The data", [data]),
      ].compactMap { $0 }
    return page
  }

  private var lede: String {
    guard !analysis.items.isEmpty else { return "No sample could be read from this recording." }
    let span = "From \(clock.time(analysis.start)) to \(clock.end(analysis.end))"
    guard activity == nil else { return span + "." }
    let counts = figures.counts.joined(separator: " and ")
    // What the heading says is not said again.
    let parts = [title.hasTimes ? "" : span, counts].filter { !$0.isEmpty }
    let missing = [
      figures.hasLocation ? nil : "location", figures.hasAcceleration ? nil : "accelerations",
    ].compactMap { $0 }
    return (parts.isEmpty ? span : parts.joined(separator: ": ")) + "."
      + (missing.isEmpty ? "" : " The recording has no \(missing.joined(separator: " and no ")).")
  }

  /// What the script draws of the time: strip, list, map and curves, which light up together.
  ///
  /// Times are whole seconds since the start, `from`.
  var day: PageValue {
    let attribution = [
      figures.hasLocation ? tiles?.attribution : nil, analysis.locale.towns?.attribution,
      analysis.locale.map?.notice,
    ].compactMap { $0 }.filter { !$0.isEmpty }
    return [
      "key": .text(key),
      "name": title.isDay ? "The day" : activity == nil ? "Stays and trips" : "Course",
      "from": .number(analysis.start.seconds, 0), "span": .number(max(seconds, 1), 0),
      "zones": zones, "twelve": clock.isOfTwelve ? .number(1) : nil,
      "counts": .text(figures.countsInWords), "items": .list(items), "sites": .list(sites),
      "splits": activity.map { .list([splits(of: $0.legs), laps].compactMap { $0 }) },
      "curves": .list(curves), "streets": analysis.streets,
      "notes": .texts(notes), "units": units.value,
      "attribution": attribution.isEmpty ? nil : .text(attribution.joined(separator: " ")),
    ]
  }

  /// The offset from UTC, seconds, and since when it holds; nil where times count from the start.
  private var zones: PageValue? {
    guard clock.isCivil else { return nil }
    let (start, span) = (analysis.start, analysis.end.seconds(since: analysis.start))
    var zones: [PageValue] = []
    var last: Int?
    // Clocks change at full quarters of an hour.
    for quarter in stride(from: 0, through: span + 900, by: 900).prefix(400) {
      let second = max(quarter - start.seconds.truncatingRemainder(dividingBy: 900), 0)
      let offset = clock.offset(start.advanced(byNanoseconds: Int64(second * 1e9)))
      if offset != last { zones.append([.number(second, 0), .number(offset)]) }
      last = offset
    }
    return .list(zones)
  }

  /// What cannot be drawn, and why.
  private var notes: [String] {
    let samples = analysis.samples
    return [
      figures.hasLocation || !places.sites.isEmpty
        ? nil
        : "This recording has no location: there is no map, and no distance or speed is known.",
      samples.contains { $0.isAnswered }
        ? nil : "No accelerations were used: activities, cadence and steps are unknown.",
      samples.contains { $0.speed != nil }
        ? nil : "No speed: no location came often enough to know it.",
      figures.hasAcceleration && !samples.contains { $0.cadence != nil }
        ? "No cadence: the person never stepped steadily." : nil,
    ].compactMap { $0 }
  }

  // MARK: - Tables

  /// Time, distance and steps of `totals`.
  static func table(of totals: Totals, in units: ReportUnits, hasGaps: Bool = true) -> PageValue {
    let parts = totals.partsInOrder.filter { hasGaps || $0.kind != .gap }
    // A gap of days would leave nothing of the other bars.
    let longest = parts.reduce(1) { $1.kind == .gap ? $0 : max($0, $1.part.seconds) }
    let rows = parts.map { kind, part -> [PageValue] in
      [
        .text(kind.name), PageDocument.bar(kind.style, part.seconds / longest),
        .text(ReportFormatting.duration(part.seconds)), .text(part.way(in: units) ?? "–"),
        .text(part.countedSteps ?? "–"),
      ]
    }
    return PageDocument.table(["Kind", "", "Time", "Distance", "Steps"], rows)
  }

  /// The seconds without an activity, by reason.
  var unknown: PageValue {
    guard figures.sampleCount > 0 else {
      return PageDocument.note("There are no samples to judge.")
    }
    guard !figures.unknowns.isEmpty else {
      return PageDocument.note("Every second got an activity.")
    }
    let rows = figures.unknowns.map { unknown -> [PageValue] in
      let fraction = Double(unknown.seconds) / Double(figures.sampleCount)
      return [
        ["text": .text(unknown.words.name), "note": .text(unknown.words.explanation)],
        .text(ReportFormatting.duration(Double(unknown.seconds))),
        .text(ReportFormatting.percent(fraction)),
      ]
    }
    return PageDocument.table(["Seconds without an activity, by reason", "Time", "Share"], rows)
  }

  /// The data that were recorded, and the diagnostics of the pipeline.
  var data: PageValue {
    func fraction(_ part: Int) -> String {
      let percent = ReportFormatting.percent(Double(part) / Double(max(figures.sampleCount, 1)))
      return "\(ReportFormatting.count(Double(part))) (\(percent))"
    }
    let parts = [
      ("of them with a location", figures.located),
      ("of them with accelerations", figures.accelerated),
      ("of them with a rotation rate", figures.rotated),
    ].filter { $0.1 > 0 }
    let own: [(name: String, value: String)] =
      [("seconds with data", ReportFormatting.count(Double(figures.sampleCount)))]
      + parts.map { ($0.0, fraction($0.1)) }
    let rows = (own + analysis.diagnostics).map { [PageValue.text($0.0), .text($0.1)] }
    return PageDocument.table(["Figure", "Value"], rows)
  }
}

extension PageDocument {
  /// The page of an analysis; with `tiles` the map lies on those of a server, which learns of it
  /// when the page is opened.
  ///
  /// That of more than three days is a ``PeriodReport``.
  package init(_ analysis: AnalysisResult, tiles: ReportTiles? = nil) {
    self =
      analysis.isOfDays
      ? PeriodReport(analysis, tiles: tiles).document
      : DayDocument(analysis, tiles: tiles).page
  }
}

extension ReportUnits {
  /// The names and the metres of the short and the long unit.
  var value: PageValue {
    [.text(shortName), .number(short, 4), .text(longName), .number(long, 3)]
  }
}

extension Totals.Kind {
  /// The name of its colour in the style sheet.
  var style: String {
    switch self {
    case .stay: "stay"
    case .gap: "gap"
    case .travel(let activity): ReportPalette.name(activity)
    }
  }
}

extension String {
  /// The text with no-break spaces but after commas, so that a number stays with its unit.
  var unbroken: String {
    var last: Character = " "
    return String(
      map { character in
        defer { last = character }
        return character == " " && last != "," ? "\u{A0}" : character
      })
  }
}
