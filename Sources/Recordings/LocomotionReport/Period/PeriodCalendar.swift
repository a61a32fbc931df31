import Locomotion

extension PeriodReport {
  /// As many days in a row without data have a line together.
  private static let longestEmpty = 4

  /// A strip for every day, on a common scale of time, with its distance and steps.
  func calendar() -> [PageValue] {
    let shown = stretches(of: days).suffix(Self.mostStrips).flatMap { $0 }
    let months = Self.months(of: shown) { $0.month }
    let rows = months.flatMap { month -> [PageValue] in
      // The first month may have begun before what is shown.
      let whole = days.filter { $0.month == month.name }
      let heading = months.count > 1 ? [heading(month.name, whole)] : []
      return heading + stretches(of: month.days).map(row)
    }
    let left = days.count - shown.count
    let note = PageDocument.note(
      "The last \(Self.mostStrips) of \(ReportFormatting.count(Double(days.count))) days; the "
        + "totals are those of all.")
    let isOfTwelve = locale.hours == .twelve && days.first?.clock.isCivil ?? true
    let hours =
      isOfTwelve ? ["12 AM", "6 AM", "12 PM", "6 PM"] : ["00:00", "06:00", "12:00", "18:00"]
    let longest = shown.reduce(1_440) { max($0, $1.end.seconds(since: $1.start) / 60) }
    let calendar: PageValue = [
      "hours": .texts(hours), "minutes": .number(longest, 0), "rows": .list(rows),
    ]
    return (left > 0 ? [note] : []) + [["calendar": calendar]]
  }

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

  private static func months(
    of days: [Day], by name: (Day) -> String
  ) -> [(name: String, days: [Day])] {
    days.reduce(into: []) { months, day in
      if months.last?.name == name(day) {
        months[months.count - 1].days.append(day)
      } else {
        months.append((name(day), [day]))
      }
    }
  }

  private func heading(_ name: String, _ days: [Day]) -> PageValue {
    let known = Totals.sum(days.map { $0.figures.totals })?.known
    return [
      "month": .text(name), "distance": .text(known?.distance.map(locale.units.distance) ?? ""),
      "steps": .text(known?.countedSteps ?? ""),
    ]
  }

  private func row(_ days: ArraySlice<Day>) -> PageValue {
    guard let day = days.first, let last = days.last else { return [] }
    guard days.count == 1 else {
      let count = ReportFormatting.plural(days.count, "day")
      return [
        "name": .text(day.name), "empty": "nothing is recorded until \(last.name), \(count)",
      ]
    }
    let length = day.end.seconds(since: day.start) / 60
    let hours = ReportFormatting.fixed((length / 60).rounded(), 0)
    // Without ±, for which the column is too narrow; the day's own section has it.
    let known = day.figures.totals.known
    return [
      "name": .text(day.name), "key": day.details == nil ? nil : .text(day.key),
      "note": hours == "24" ? nil : "\(hours) h", "length": .number(length, 0),
      "counts": .text(day.isEmpty ? "nothing is recorded" : day.figures.countsInWords),
      "pieces": .list(day.pieces),
      "ticks": .list([6, 12, 18].map { .number(Self.minute(of: $0, day), 0) }),
      "distance": .text(known.distance.map(locale.units.distance) ?? "–"),
      "steps": .text(known.countedSteps ?? "–"),
    ]
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

  /// The totals of a day, a month or a year, with the name that stands below its bar.
  private typealias Bar = (name: String, label: String, totals: Totals)

  /// Time on the way, distance and steps of every day or month by activity, also as a table.
  func bars() -> [PageValue] {
    let isOfMonths = days.count > Self.mostBars && days.first?.clock.isCivil ?? true
    let isOfYears = isOfMonths && days.count > Self.mostMonths * 31
    var year: Substring = ""
    let bars: [Bar] =
      isOfMonths
      ? Self.months(of: days) { isOfYears ? String($0.month.suffix(4)) : $0.month }
        .compactMap { month in
          let totals = Totals.sum(month.days.map { $0.figures.totals })
          guard let totals, !isOfYears || totals.known.seconds > 0 else { return nil }
          // The year stands below the first month of it.
          defer { year = month.name.suffix(4) }
          let below = isOfYears || year == month.name.suffix(4) ? "" : "\n\(month.name.suffix(4))"
          return (month.name, month.name.prefix(isOfYears ? 4 : 3) + below, totals)
        }
      : days.suffix(Self.mostStrips).map { day in
        (
          day.name, day.clock.isCivil ? String(day.name.dropFirst(4)) : day.name,
          day.figures.totals
        )
      }
    let each = isOfYears ? "year" : isOfMonths ? "month" : "day"
    let long = locale.units.long
    let panels: [(title: String, unit: String, value: (Totals.Part) -> Double?)] = [
      ("Time on the way", "h", { $0.seconds / 3_600 }),
      ("Distance", locale.units.longName, { $0.distance.map { $0 / long } }),
      ("Steps", "steps", { $0.steps }),
    ]
    let drawings = panels.compactMap { panel -> PageValue? in
      let shown = bars.map { bar in
        bar.totals.partsInOrder.compactMap { kind, part -> PageValue? in
          guard case .travel = kind, let value = panel.value(part), value > 0 else { return nil }
          return [.text(kind.style), .text(kind.name), .number(value, value < 10 ? 1 : 0)]
        }
      }
      guard shown.contains(where: { !$0.isEmpty }) else { return nil }
      return [
        "bars": "\(panel.title) a \(each)", "unit": .text(panel.unit),
        "of": .list(
          zip(bars, shown).map { [.text($0.name), .text($0.label), .list($1)] }),
      ]
    }
    let rows = bars.flatMap { bar in
      bar.totals.partsInOrder.compactMap { kind, part -> [PageValue]? in
        guard case .travel = kind else { return nil }
        return [
          .text("\(bar.name), \(kind.name)"), .text(ReportFormatting.duration(part.seconds)),
          .text(part.way(in: locale.units) ?? "–"), .text(part.countedSteps ?? "–"),
        ]
      }
    }
    let name = each.prefix(1).uppercased() + each.dropFirst()
    let table = PageDocument.table(["\(name) and activity", "Time", "Distance", "Steps"], rows)
    return drawings + [PageDocument.fold("The same as a table", [table], isOpen: isOfMonths)]
  }

  // MARK: - Places

  /// The largest number of places in the table.
  private static let mostPlaces = 20

  /// The places of all days by the time spent there.
  func places() -> [PageValue] {
    var all = AnalysisResult(name: "", samples: [], items: days.flatMap { $0.items })
    all.locale = locale
    let known = ReportPlaces(all)
    var places = known.sites.map { (name: $0.description, seconds: 0.0, visits: 0, days: 0) }
    // A stay over midnight is one visit.
    var last: (index: Int, end: Timestamp)?
    for day in days {
      var seen: Set<Int> = []
      for case .stay(let stay) in day.items {
        guard let index = known.index(of: stay) else { continue }
        places[index].seconds += stay.end.seconds(since: stay.start)
        if last?.index != index || last?.end != stay.start { places[index].visits += 1 }
        if seen.insert(index).inserted { places[index].days += 1 }
        last = (index, stay.end)
      }
    }
    guard !places.isEmpty else { return [PageDocument.note("No stay has a location.")] }
    let sorted = places.enumerated().sorted {
      ($1.element.seconds, $0.offset) < ($0.element.seconds, $1.offset)
    }.map { $0.element }
    let longest = max(sorted[0].seconds, 1)
    let rows = sorted.prefix(Self.mostPlaces).map { place -> [PageValue] in
      [
        .text(place.name), PageDocument.bar("stay", place.seconds / longest),
        .text(ReportFormatting.duration(place.seconds)),
        .text(ReportFormatting.count(Double(place.visits))),
        .text(ReportFormatting.count(Double(place.days))),
      ]
    }
    let left = sorted.count - Self.mostPlaces
    return [PageDocument.table(["Place", "", "Time there", "Visits", "Days"], rows)]
      + (left > 0
        ? [PageDocument.note("And \(ReportFormatting.plural(left, "more place")).")] : [])
  }
}
