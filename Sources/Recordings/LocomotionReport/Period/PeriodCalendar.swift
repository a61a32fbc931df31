import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing

extension PeriodReport {
  /// A strip for every day, on a common scale of time, with its distance and steps.
  func calendar(_ totals: Totals) -> Markup {
    let shown = stretches(of: days).suffix(Self.mostStrips).flatMap { $0 }
    let longest = shown.reduce(1_440) { max($0, $1.end.seconds(since: $1.start) / 60) }
    let months = Self.months(of: shown)
    let rows = months.map { month -> Markup in
      // The first month may have begun before what is shown.
      let whole = days.filter { $0.month == month.name }
      let heading = months.count > 1 ? heading(month.name, whole) : ""
      return "\(heading)\(stretches(of: month.days).map { row($0, minutes: longest) })"
    }
    let left = days.count - shown.count
    let note: Markup =
      left == 0
      ? ""
      : """
      <p class="note">The last \(Self.mostStrips) of \(ReportFormatting.count(Double(days.count))) \
      days; the totals are those of all.</p>
      """
    let keys = totals.partsInOrder.map { kind, _ -> Markup in
      switch kind {
      case .stay: "<li><i class=\"swatch stay\"></i>stay</li>"
      case .gap: "<li><i class=\"swatch gap\"></i>no data</li>"
      case .travel(let activity):
        """
        <li><i class="swatch b-\(ReportPalette.name(activity))"></i>\
        \(activity?.name ?? "mode unknown")</li>
        """
      }
    }
    let labels =
      locale.hours == .twelve && days.first?.clock.isCivil ?? true
      ? ["12 AM", "6 AM", "12 PM", "6 PM"] : ["00:00", "06:00", "12:00", "18:00"]
    let hours = labels.map { "<span>\($0)</span>" as Markup }
    let silent: Markup =
      shown.allSatisfy { $0.pieces.allSatisfy { $0.silences.isEmpty } }
      ? "" : ReportSections.silentKey
    return """
      \(note)<ol class="calendar" aria-label="Days">
      <li aria-hidden="true"><span></span><span class="hours\(longest > 1_440 ? "" : " even")">\
      \(hours)</span><small class="value">Distance</small>\
      <small class="value steps">Steps</small></li>
      \(rows)</ol>
      <ul class="legend">\(keys)\(silent)</ul>

      """
  }

  /// As many days in a row without data have a line together.
  private static let longestEmpty = 4

  /// The days, with those of a longer time without data together.
  private func stretches(of days: [Day]) -> [ArraySlice<Day>] {
    var rows: [ArraySlice<Day>] = []
    var index = days.startIndex
    while index < days.endIndex {
      let empty = days[index...].prefix { $0.isEmpty }
      let row = empty.count >= Self.longestEmpty ? empty : days[index...index]
      rows.append(row)
      index = row.endIndex
    }
    return rows
  }

  private func row(_ days: ArraySlice<Day>, minutes: Double) -> Markup {
    guard days.count > 1, let first = days.first, let last = days.last else {
      return "\(days.map { row($0, minutes: minutes) })"
    }
    return """
      <li><span class="none">\(first.name)</span><span class="none">nothing is recorded until \
      \(last.name), \(ReportFormatting.plural(days.count, "day"))</span></li>

      """
  }

  /// The days of one month; all where the clock is not the Unix clock.
  private struct Month {
    var name: String
    var days: [Day]
  }

  private static func months(
    of days: some Sequence<Day>, by name: (Day) -> String = { $0.month }
  ) -> [Month] {
    days.reduce(into: []) { months, day in
      if months.last?.name == name(day) {
        months[months.count - 1].days.append(day)
      } else {
        months.append(Month(name: name(day), days: [day]))
      }
    }
  }

  private func heading(_ name: String, _ days: [Day]) -> Markup {
    let known = Totals.sum(days.map { $0.figures.totals })?.known
    let distance = known?.distance.map(locale.units.distance) ?? ""
    return """
      <li class="month"><h3>\(name)</h3><span class="value">\(distance)</span>\
      <span class="value steps">\(known?.countedSteps ?? "")</span></li>

      """
  }

  private func row(_ day: Day, minutes: Double) -> Markup {
    let date = day.name
    let length = day.end.seconds(since: day.start) / 60
    let hours = (length / 60).rounded()
    let note: Markup =
      hours == 24 ? "" : " <small>\(ReportFormatting.fixed(hours, 0)) h</small>"
    let label: Markup =
      day.isEmpty
      ? "<span class=\"none\">\(date)</span>"
      : day.section == nil ? "\(date)" : "<a href=\"#\(day.key)\">\(date)</a>"
    // Without ±, for which the column is too narrow; the day's own section has it.
    let known = day.figures.totals.known
    let distance = known.distance.map(locale.units.distance) ?? "–"
    let steps = known.countedSteps ?? "–"
    return """
      <li\(date.hasPrefix("Mon") ? " class=\"monday\"" : "" as Markup)><span>\(label)\
      \(note)</span>\(strip(day, minutes: minutes, length: length, date: date))\
      <span class="value">\(distance)</span><span class="value steps">\(steps)</span></li>

      """
  }

  /// The day in minutes since its start, as long as it was.
  private func strip(_ day: Day, minutes: Double, length: Double, date: String) -> Markup {
    let summary =
      day.isEmpty
      ? "nothing is recorded"
      : day.figures.countsInWords
    var drawing = Drawing(
      width: minutes, height: 20, title: "\(date): \(summary)",
      description: "A strip of \(ReportFormatting.fixed((length / 60).rounded(), 0)) hours.")
    drawing.add("<rect class=\"empty\" width=\"\(length)\" height=\"20\"/>")
    for piece in day.pieces {
      let x = piece.start.seconds(since: day.start) / 60
      let end = piece.end.seconds(since: day.start) / 60
      // The shortest trip is still visible.
      drawing.box(
        x: x, y: 0, width: max(end - x, piece.style == "stay" ? 0.1 : 3), height: 20,
        "\(piece.style)", tip: "\(date): \(piece.tip)")
      for silence in piece.silences {
        drawing.veil(
          from: silence.lowerBound.seconds(since: day.start) / 60,
          to: silence.upperBound.seconds(since: day.start) / 60, y: 0, height: 20)
      }
    }
    for hour in [6, 12, 18] {
      let x = Self.minute(of: hour, day)
      drawing.line(x, 0, x, 20, "tick")
    }
    return drawing.markup(class: "strip", "preserveAspectRatio=\"none\"")
  }

  /// The minute since the start of a day at which its clocks show a full hour.
  static func minute(of hour: Int, _ day: Day) -> Double {
    let plain = Double(hour) * 3_600
    let then = day.start.advanced(byNanoseconds: Int64(plain * 1e9))
    let change = day.clock.offset(then) - day.clock.offset(day.start)
    return (plain - Double(change)) / 60
  }

  // MARK: - Bars

  /// The bars of more months than these are those of years.
  private static let mostMonths = 36

  /// The totals of a day, a month or a year.
  private struct Bar {
    var name: String
    /// The name below the bar.
    var label: String
    var totals: Totals
  }

  /// Time on the way, distance and steps of every day or month by activity, also as a table.
  func bars() -> Markup {
    let isOfMonths = days.count > Self.mostBars && days.first?.clock.isCivil ?? true
    let isOfYears = isOfMonths && days.count > Self.mostMonths * 31
    let bars =
      isOfMonths
      ? Self.months(of: days, by: { isOfYears ? String($0.month.suffix(4)) : $0.month })
        .compactMap { month in
          Totals.sum(month.days.map { $0.figures.totals }).map {
            Bar(
              name: month.name, label: isOfYears ? month.name : String(month.name.prefix(3)),
              totals: $0)
          }
        }
      : days.suffix(Self.mostStrips).map { day in
        let label = day.clock.isCivil ? String(day.name.dropFirst(4)) : day.name
        return Bar(name: day.name, label: label, totals: day.figures.totals)
      }
    let each = isOfYears ? "year" : isOfMonths ? "month" : "day"
    let long = locale.units.long
    let panels: [(title: String, unit: String, value: (Totals.Part) -> Double?)] = [
      ("Time on the way", "h", { $0.seconds / 3_600 }),
      ("Distance", locale.units.longName, { $0.distance.map { $0 / long } }),
      ("Steps", "steps", { $0.steps }),
    ]
    let drawings = panels.compactMap { panel -> Markup? in
      let shown = bars.map { bar in
        bar.totals.partsInOrder.compactMap { kind, part -> (activity: Activity?, value: Double)? in
          guard case .travel(let activity) = kind, let value = panel.value(part), value > 0
          else { return nil }
          return (activity, value)
        }
      }
      guard shown.contains(where: { !$0.isEmpty }) else { return nil }
      let both = DrawingWidth.allCases.map {
        drawing(
          bars, shown, title: "\(panel.title) of every \(each)", unit: panel.unit, width: $0)
      }
      return "<h3>\(panel.title) a \(each)</h3><figure class=\"bars\">\(both)</figure>"
    }
    return """
      \(drawings)<details class="fold"\(isOfMonths ? " open" : "" as Markup)><summary>The same as a \
      table</summary>
      <div class="table">\(table(bars, of: each))</div></details>

      """
  }

  private func drawing(
    _ bars: [Bar], _ shown: [[(activity: Activity?, value: Double)]], title: String, unit: String,
    width: DrawingWidth
  ) -> Markup {
    let height = 92.0
    let reach = height - 18
    let sums = shown.map { $0.reduce(0) { $0 + $1.value } }
    let top = ReportFormatting.roundTop(max(sums.max() ?? 0, 1))
    var drawing = Drawing(
      width: width.points, height: height + 22, title: title,
      description:
        "Bars by activity, from \(bars.first?.name ?? "") to \(bars.last?.name ?? ""); the largest "
        + "is \(ReportFormatting.fixed(sums.max() ?? 0, top < 10 ? 1 : 0)) \(unit). The table below "
        + "has all values.")
    for fraction in [0.0, 0.5, 1.0] {
      let y = height - fraction * reach
      drawing.line(0, y, width.points, y, fraction == 0 ? "base" : "hair")
    }
    // The numbers of the axis stand beside the bars.
    let left = 56.0
    let step = (width.points - left) / Double(max(bars.count, 7))
    let every = max(Int((46 / step).rounded(.up)), 1)
    for (index, parts) in shown.enumerated() {
      var y = height
      for part in parts {
        let length = part.value / top * reach
        y -= length
        let name = ReportPalette.name(part.activity)
        drawing.box(
          x: left + Double(index) * step + step * 0.12, y: y, width: step * 0.76, height: length,
          "f-\(name)",
          tip: "\(bars[index].name): \(part.activity?.name ?? "mode unknown"), "
            + "\(ReportFormatting.fixed(part.value, part.value < 10 ? 1 : 0)) \(unit)")
      }
      guard index.isMultiple(of: every) else { continue }
      drawing.text(
        bars[index].label, x: left + (Double(index) + 0.5) * step, y: height + 16,
        anchor: "middle")
    }
    for fraction in [0.5, 1.0] {
      let value = top * fraction
      let text = value < 10 ? Markup.number(value) : ReportFormatting.count(value)
      drawing.text(
        fraction == 1 ? "\(text) \(unit)" : text, x: 0, y: height - fraction * reach - 4, "halo")
    }
    return drawing.markup(class: width.name)
  }

  /// Time, distance and steps of each bar by activity.
  private func table(_ bars: [Bar], of each: String) -> Markup {
    let rows = bars.flatMap { bar in
      bar.totals.partsInOrder.compactMap { kind, part -> Markup? in
        guard case .travel = kind else { return nil }
        return """
          <tr><th scope="row">\(bar.name), \(kind.name)</th>\
          <td>\(ReportFormatting.duration(part.seconds))</td>\
          <td>\(part.way(in: locale.units) ?? "–")</td>\
          <td>\(part.countedSteps ?? "–")</td></tr>

          """
      }
    }
    return """
      <table class="totals"><thead><tr><th scope="col">\(each.prefix(1).uppercased() + each.dropFirst()) and \
      activity</th><th scope="col">Time</th><th scope="col">Distance</th>\
      <th scope="col">Steps</th></tr></thead>
      <tbody>\(rows)</tbody></table>
      """
  }
}

/// The places of several days, and the time spent there.
struct PeriodPlaces {
  private struct Visited {
    var name: String
    var seconds = 0.0
    var visits = 0
    var days = 0
  }

  private var places: [Visited] = []
  /// The largest number of places in the table.
  private static let most = 20

  init(_ days: [PeriodReport.Day]) {
    var all = AnalysisResult(name: "", samples: [], items: days.flatMap { $0.analysis.items })
    if let day = days.first { all.locale = day.analysis.locale }
    let known = ReportPlaces(all)
    places = known.centres.indices.map { Visited(name: known.description($0)) }
    // A stay over midnight is one visit.
    var last: (index: Int, end: Timestamp)?
    for day in days {
      var seen: Set<Int> = []
      for case .stay(let stay) in day.analysis.items {
        guard let index = known.index(of: stay) else { continue }
        places[index].seconds += stay.end.seconds(since: stay.start)
        if last?.index != index || last?.end != stay.start { places[index].visits += 1 }
        if seen.insert(index).inserted { places[index].days += 1 }
        last = (index, stay.end)
      }
    }
  }

  /// The places by the time spent there.
  func table() -> Markup {
    guard !places.isEmpty else {
      return "<p class=\"note\">No stay has a location.</p>"
    }
    let sorted = places.enumerated().sorted {
      ($1.element.seconds, $0.offset) < ($0.element.seconds, $1.offset)
    }.map { $0.element }
    let longest = max(sorted.first?.seconds ?? 1, 1)
    let rows = sorted.prefix(Self.most).map { place -> Markup in
      """
      <tr><th scope="row"><bdi>\(place.name)</bdi></th><td class="bar"><svg viewBox="0 0 100 8" \
      preserveAspectRatio="none" aria-hidden="true"><rect class="stay" \
      width="\(max(place.seconds / longest * 100, 0.5))" height="8"/></svg></td>\
      <td>\(ReportFormatting.duration(place.seconds))</td>\
      <td>\(ReportFormatting.count(Double(place.visits)))</td>\
      <td>\(ReportFormatting.count(Double(place.days)))</td></tr>

      """
    }
    let left = sorted.count - Self.most
    let note: Markup =
      left > 0 ? "<p class=\"note\">And \(ReportFormatting.plural(left, "more place")).</p>" : ""
    return """
      <table class="totals"><thead><tr><th scope="col">Place</th><td class="bar"></td>\
      <th scope="col">Time there</th><th scope="col">Visits</th><th scope="col">Days</th></tr>\
      </thead>
      <tbody>\(rows)</tbody></table>
      \(note)
      """
  }
}
