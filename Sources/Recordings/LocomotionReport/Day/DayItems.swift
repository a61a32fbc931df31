import Locomotion

extension AnalysisResult {
  /// The items, and the number of each trip, from 1.
  fileprivate var numberedItems: [(item: TimelineItem, trip: Int?)] {
    var trips = 0
    return items.map { item in
      guard item.asTrip != nil else { return (item, nil) }
      trips += 1
      return (item, trips)
    }
  }
}

extension DayDocument {
  /// The pieces of the strip of all items, which tile their time, in minutes since `origin`.
  func pieces(since origin: Timestamp) -> [PageValue] {
    analysis.numberedItems.flatMap { pieces(of: $0.item, trip: $0.trip, since: origin, unit: 60) }
  }

  /// The pieces of an item: one, or one for each leg.
  ///
  /// Each has its start, its end, the name of its colour, words and, where they are to be told from
  /// the others, the parts that were not observed; times are in `unit` seconds since `origin`.
  private func pieces(
    of item: TimelineItem, trip number: Int?, since origin: Timestamp, unit: Double = 1
  ) -> [PageValue] {
    func time(_ instant: Timestamp) -> PageValue {
      .number(instant.seconds(since: origin) / unit, unit == 1 ? 0 : 1)
    }
    func piece(
      _ style: String, _ what: String, _ start: Timestamp, _ end: Timestamp,
      _ more: [String?] = [], _ silences: [Range<Timestamp>]? = nil
    ) -> PageValue {
      let times = "\(clock.time(start))–\(clock.end(end))"
      let words =
        [what, times, ReportFormatting.duration(end.seconds(since: start))]
        + more.compactMap { $0 }
      let silent = (silences ?? []).map { [time($0.lowerBound), time($0.upperBound)] as PageValue }
      return .list(
        [time(start), time(end), .text(style), .text(words.joined(separator: ", "))]
          + (silent.isEmpty ? [] : [.list(silent)]))
    }
    switch item {
    case .gap(let gap): return [piece("gap", "No data", gap.start, gap.end)]
    case .stay(let stay):
      let partial = analysis.partialObservation(of: stay)
      return [
        piece(
          "stay", places.title(of: stay), stay.start, stay.end,
          [partial?.words(of: item.duration)], partial?.silences)
      ]
    case .trip(let trip):
      return trip.legs.map { leg in
        let way = leg.distance.map { units.distance($0, deviation: leg.distanceDeviation) }
        return piece(
          ReportPalette.name(leg.activity), "Trip \(number ?? 0), \(leg.name ?? "mode unknown")",
          leg.start, leg.end, [way, leg.isCorrected ? "corrected by the person" : nil],
          analysis.partialObservation(ofTravelFrom: leg.start, to: leg.end)?.silences)
      }
    }
  }

  /// The items of the list, with their pieces of the strip and their lines on the map.
  package var items: [PageValue] {
    analysis.numberedItems.map { item, number in
      switch item {
      case .gap:
        entry(item, nil, "gap", "–", "No data")
      case .stay(let stay):
        entry(
          item, nil, "stay", places.letter(of: stay) ?? "·", places.title(of: stay),
          [
            // A radius that is like that of most phones says nothing.
            stay.location.flatMap {
              $0.radius68 > 30 ? "place known to \(units.distance($0.radius68))" : nil
            }, units.climb(stay.altitudeChange),
          ], analysis.remarks(on: stay)
        ).with([
          "purpose": stay.purpose.map { .text($0) }, "place": (stay.place?.name).map { .text($0) },
        ])
      case .trip(let trip):
        entry(
          item, number, "trip", "\(number ?? 0)", places.title(of: trip),
          [trip.distance.map { units.distance($0, deviation: trip.distanceDeviation) }],
          analysis.remarks(on: trip)
        ).with(["legs": .list(legs(of: trip))])
      }
    }
  }

  private func entry(
    _ item: TimelineItem, _ number: Int?, _ kind: String, _ badge: String, _ title: String,
    _ details: [String?] = [], _ remarks: [String] = []
  ) -> PageValue {
    let all = [ReportFormatting.duration(item.duration)] + details.compactMap { $0 }
    let starts = item.legs.isEmpty ? [item.start] : item.legs.map { $0.start }
    return [
      "kind": .text(kind), "when": .texts([clock.time(item.start), clock.end(item.end)]),
      "badge": .text(badge), "title": .text(title),
      "detail": .text(
        (all.map { $0.unbroken } + (item.isPartial ? ["may still change"] : []))
          .joined(separator: " · ")),
      "remarks": Self.line(remarks),
      "pieces": .list(pieces(of: item, trip: number, since: analysis.start)),
      "ends": .list((starts + [item.end]).map(PageValue.time)),
    ]
  }

  /// Details in one line; nil without any.
  private static func line(_ details: [String]) -> PageValue? {
    details.isEmpty ? nil : .text(details.map { $0.unbroken }.joined(separator: " · "))
  }

  /// The legs of a trip: words, and the course of each on the map.
  private func legs(of trip: Trip) -> [PageValue] {
    let courses = trip.legs.map { ReportCourse(analysis, of: $0) }
    let links = analysis.links(of: trip, courses)
    return trip.legs.indices.map { index in
      let leg = trip.legs[index]
      let doubt = leg.start == analysis.doubt?.start ? analysis.doubt?.text : nil
      let details = analysis.details(of: leg) + [doubt ?? trip.basis(of: leg)].compactMap { $0 }
      return [
        "activity": .text(ReportPalette.name(leg.activity)),
        "name": .text(leg.name ?? "mode unknown"),
        "extent": Self.line(analysis.extent(of: leg)), "more": Self.line(details),
        "corrected": leg.isCorrected ? .number(1) : nil,
        "splits": activity == nil && leg.activity != .walking ? splits(of: [leg]) : nil,
        // Others than those on foot or by bicycle have no kilometre marks.
        "metres": leg.activity?.isMotorized == false ? leg.distance.map { .number($0, 0) } : nil,
        "course": courses[index].value(since: analysis.start), "route": analysis.route(of: leg),
        "links": links[index].isEmpty ? nil : .list(links[index].map(ReportCourse.value)),
      ]
    }
  }

  /// The most kilometres, miles or laps of an activity that are shown without being asked for.
  private static let mostOpenSplits = 25

  /// The times of each kilometre or mile; nil where there is none.
  func splits(of legs: [Trip.Leg]) -> PageValue? {
    let splits = analysis.splits(of: legs)
    guard let activity = activity?.activity ?? legs.first?.activity, !splits.isEmpty
    else { return nil }
    let names = splits.enumerated().map { index, split in
      split.distance > units.long - 0.5 ? "\(index + 1)" : units.distance(split.distance)
    }
    return table(
      of: splits, activity, "Every \(units.longWord)", units.longName, names.map { [$0] })
  }

  /// The laps of the device; nil where it has none, or one for all.
  var laps: PageValue? {
    guard let activity = activity?.activity, analysis.laps.count > 1 else { return nil }
    let laps = analysis.laps.map { ReportSplit(distance: $0.distance, seconds: $0.seconds) }
    return table(
      of: laps, activity, "Laps of the device", "Lap",
      laps.enumerated().map { index, lap in ["\(index + 1)", units.distance(lap.distance)] })
  }

  /// Time and pace or speed of splits; `names` are the cells before them, below `title`.
  private func table(
    of splits: [ReportSplit], _ activity: Activity, _ summary: String, _ title: String,
    _ names: [[String]]
  ) -> PageValue {
    let fastest = splits.reduce(1e-6) { max($0, $1.speed) }
    let isRun = activity == .running
    let rows = zip(splits, names).map { split, names -> [PageValue] in
      names.map { .text($0) } + [
        .text(ReportFormatting.stopwatch(split.seconds)),
        .text(isRun ? units.pace(split.speed) : units.speed(split.speed)),
        PageDocument.bar(ReportPalette.name(activity), split.speed / fastest),
      ]
    }
    let head = names[0].count > 1 ? [title, "Distance"] : [title]
    return PageDocument.fold(
      summary, [PageDocument.table(head + ["Time", isRun ? "Pace" : "Speed", ""], rows)],
      isOpen: self.activity != nil && rows.count <= Self.mostOpenSplits)
  }

  /// The places on the map.
  var sites: [PageValue] {
    places.sites.map { site in
      let (place, name) = (site.centre, site.name.map { " (\($0))" } ?? "")
      return [
        "letter": .text(site.letters), "name": site.name.map { .text($0) },
        "tip": "\(site.letters)\(name), known to \(units.distance(place.radius68))",
        "lat": .number(place.latitude, 6), "lon": .number(place.longitude, 6),
        "radius": .number(min(place.radius68, 1e6), 0),
      ]
    }
  }
}
