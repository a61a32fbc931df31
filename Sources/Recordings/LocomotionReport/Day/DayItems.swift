import Locomotion
package import LocomotionSensing

/// A coloured piece of the strip of a day: a stay, a gap, or a leg of a trip.
package struct DayPiece: Hashable, Sendable {
  package var start: Timestamp
  package var end: Timestamp
  /// The name of the colour.
  var style: String
  package var tip: String
  /// The parts that were not observed, where they are to be told from the others.
  package var silences: [Range<Timestamp>] = []

  /// The piece as start, end, style, tip and silences, in `unit` seconds since `origin`.
  func value(since origin: Timestamp, unit: Double = 1) -> PageValue {
    func time(_ instant: Timestamp) -> PageValue {
      .number(instant.seconds(since: origin) / unit, unit == 1 ? 0 : 1)
    }
    let silent = silences.map { PageValue.list([time($0.lowerBound), time($0.upperBound)]) }
    return .list(
      [time(start), time(end), .text(style), .text(tip)] + (silent.isEmpty ? [] : [.list(silent)]))
  }
}

extension AnalysisResult {
  /// The pieces of the strip, which tile the time of the items.
  package var pieces: [DayPiece] { DayDocument(self, tiles: nil).pieces }

  /// The items, and the number of each trip, from 1.
  var numberedItems: [(item: TimelineItem, trip: Int?)] {
    var trips = 0
    return items.map { item in
      guard case .trip = item else { return (item, nil) }
      trips += 1
      return (item, trips)
    }
  }
}

extension DayDocument {
  /// The pieces of all items.
  var pieces: [DayPiece] {
    analysis.numberedItems.flatMap { pieces(of: $0.item, trip: $0.trip) }
  }

  /// The pieces of an item: one, or one for each leg.
  func pieces(of item: TimelineItem, trip number: Int?) -> [DayPiece] {
    func piece(
      _ style: String, _ what: String, _ start: Timestamp, _ end: Timestamp, _ more: [String?] = []
    ) -> DayPiece {
      let times = "\(clock.time(start))–\(clock.end(end))"
      let parts = [what, times, ReportFormatting.duration(end.seconds(since: start))]
      return DayPiece(
        start: start, end: end, style: style,
        tip: (parts + more.compactMap { $0 }).joined(separator: ", "))
    }
    switch item {
    case .gap(let gap): return [piece("gap", "No data", gap.start, gap.end)]
    case .stay(let stay):
      let partial = analysis.partialObservation(of: stay)
      var own = piece(
        "stay", places.title(of: stay), stay.start, stay.end, [partial?.words(of: item.duration)])
      own.silences = partial?.silences ?? []
      return [own]
    case .trip(let trip):
      return trip.legs.map { leg in
        let way = leg.distance.map { units.distance($0, deviation: leg.distanceDeviation) }
        var own = piece(
          ReportPalette.name(leg.activity), "Trip \(number ?? 0), \(leg.name ?? "mode unknown")",
          leg.start, leg.end, [way, leg.isCorrected ? "corrected by the person" : nil])
        own.silences =
          analysis.partialObservation(ofTravelFrom: leg.start, to: leg.end)?.silences ?? []
        return own
      }
    }
  }

  /// The items of the list, with their pieces of the strip and their lines on the map.
  var items: [PageValue] {
    analysis.numberedItems.map { item, number in
      switch item {
      case .gap:
        entry(item, nil, "–", "No data", [ReportFormatting.duration(item.duration)], [], [])
      case .stay(let stay):
        entry(
          item, nil, places.letter(of: stay) ?? "·", places.title(of: stay),
          [
            ReportFormatting.duration(item.duration),
            // A radius that is like that of most phones says nothing.
            stay.location.flatMap {
              $0.radius68 > 30 ? "known to \(units.distance($0.radius68))" : nil
            }, units.climb(stay.altitudeChange),
          ], analysis.remarks(on: stay),
          [
            ("purpose", stay.purpose.map { .text($0) }),
            ("place", (stay.place?.name).map { .text($0) }),
          ])
      case .trip(let trip):
        entry(
          item, number, "\(number ?? 0)", places.title(of: trip),
          [
            ReportFormatting.duration(item.duration),
            trip.distance.map { units.distance($0, deviation: trip.distanceDeviation) },
          ], analysis.remarks(on: trip), [("legs", .list(legs(of: trip)))])
      }
    }
  }

  private func entry(
    _ item: TimelineItem, _ number: Int?, _ badge: String, _ title: String, _ details: [String?],
    _ remarks: [String], _ more: [(String, PageValue?)]
  ) -> PageValue {
    let detail = details.compactMap { $0?.unbroken } + (item.isPartial ? ["may still change"] : [])
    let pieces = pieces(of: item, trip: number)
    let ends = pieces.map { $0.start } + [item.end]
    return .object(
      [
        ("kind", .text(item.isGap ? "gap" : number == nil ? "stay" : "trip")),
        ("when", .texts([clock.time(item.start), clock.end(item.end)])), ("badge", .text(badge)),
        ("title", .text(title)), ("detail", .text(detail.joined(separator: " · "))),
        (
          "remarks",
          remarks.isEmpty ? nil : .text(remarks.map { $0.unbroken }.joined(separator: " · "))
        ), ("pieces", .list(pieces.map { $0.value(since: analysis.start) })),
        ("ends", .list(ends.map(PageValue.time))),
      ] + more)
  }

  /// The legs of a trip: words, and the course of each on the map.
  private func legs(of trip: Trip) -> [PageValue] {
    let courses = trip.legs.map { analysis.pieces(of: $0) }
    let links = analysis.links(of: trip, courses)
    return trip.legs.indices.map { index in
      let leg = trip.legs[index]
      let doubt = leg.start == analysis.doubt?.start ? analysis.doubt?.text : nil
      let details = analysis.details(of: leg) + [doubt ?? trip.basis(of: leg)].compactMap { $0 }
      return .object([
        ("activity", .text(ReportPalette.name(leg.activity))),
        ("name", .text(leg.name ?? "mode unknown")),
        ("extent", .text(analysis.extent(of: leg).map { $0.unbroken }.joined(separator: " · "))),
        (
          "more",
          details.isEmpty ? nil : .text(details.map { $0.unbroken }.joined(separator: " · "))
        ),
        ("corrected", leg.isCorrected ? .number(1) : nil),
        ("splits", activity == nil && leg.activity != .walking ? splits(of: [leg]) : nil),
        // Others than those on foot or by bicycle have no kilometre marks.
        (
          "metres",
          leg.activity?.isMotorized == false ? leg.distance.map { .number($0, 0) } : nil
        ), ("course", ReportCourse(analysis, of: leg).value),
        ("links", links[index].isEmpty ? nil : .list(links[index].map(ReportCourse.value))),
      ])
    }
  }

  /// The most kilometres or miles of an activity that are shown without being asked for.
  private static let mostOpenSplits = 15

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
    let laps = analysis.laps.map { $0.split }
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
    places.centres.enumerated().map { index, place in
      let (name, letters) = (places.names[index], places.letters[index])
      return .object([
        ("letter", .text(letters)), ("name", name.map { .text($0) }),
        (
          "tip",
          .text(
            "\(letters)\(name.map { " (\($0))" } ?? ""), known to "
              + units.distance(place.radius68))
        ), ("lat", .number(place.latitude, 6)), ("lon", .number(place.longitude, 6)),
        ("radius", .number(min(place.radius68, 1e6), 0)),
      ])
    }
  }
}
