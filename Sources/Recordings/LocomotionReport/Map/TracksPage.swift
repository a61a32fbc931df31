package import LocomotionAnalysis
package import LocomotionFormats
import LocomotionPositioning
package import LocomotionSensing

/// Where two tracks of one journey differ, as one self-contained HTML page: figures, the
/// cross-track distance over time, a map with both tracks, and the stretches that differ most; and
/// a track that nobody has gone.
extension PageDocument {
  private static let mostStretches = 20
  /// The most columns of the cross-track distance.
  private static let mostColumns = 880

  /// The page of a comparison.
  ///
  /// - Parameters:
  ///   - comparison: The rows of the first track, and the stretches.
  ///   - first: The name of the first track.
  ///   - second: The name of the second track.
  ///   - path: The points of the second track.
  package init(
    _ comparison: TrackComparison, first: String, second: String, path: [LocationFix]
  ) {
    let start = comparison.rows.first?.timestamp ?? Timestamp(nanoseconds: 0)
    let end = comparison.rows.last?.timestamp ?? start
    let clock = ReportClock(start: start, end: end)
    self.init(
      title: "\(first) and \(second)", eyebrow: "Two tracks compared", heading: first,
      lede: "with \(second), from \(clock.time(start)) to \(clock.end(end))",
      figures: Self.figures(comparison),
      footer: "The cross-track distance is that from the nearest point of the other path within "
        + "\(ReportFormatting.fixed(comparison.settings.window, 0)) s.")
    let rows = comparison.rows.map { ($0.timestamp, $0.latitude, $0.longitude) }
    let points = path.map { ($0.timestamp, $0.latitude, $0.longitude) }
    let tracks: PageValue = [
      "from": .number(start.seconds, 0), "span": .number(max(end.seconds(since: start), 1), 0),
      "zones": clock.isCivil ? [[.number(0), .number(0)]] : nil,
      "tracks": [
        Self.track("first", first, rows, since: start),
        Self.track("second", second, points, since: start),
      ],
      "curve": Self.curve(comparison, from: start, to: end), "units": ReportUnits.metric.value,
    ]
    blocks = [["tracks": tracks]]
    if !comparison.stretches.isEmpty {
      blocks.append(Self.section("Where they differ most", [Self.table(comparison, clock)]))
    }
  }

  private static func figures(_ comparison: TrackComparison) -> [Figure] {
    func metres(_ value: Double?) -> String {
      value.map(ReportUnits.metric.distance) ?? "unknown"
    }
    let difference = comparison.lengthDifference.map {
      "\($0 < 0 ? "−" : "+")\(ReportFormatting.fixed(abs($0) * 100, 1)) % of the other"
    }
    return [
      (
        "Points compared", ReportFormatting.count(Double(comparison.crossTracks.count)),
        "of \(ReportFormatting.count(Double(comparison.rows.count)))"
      ),
      (
        "Cross-track distance", metres(comparison.crossTrackDistance(within: 0.5)),
        "median; 95 % are within \(metres(comparison.crossTrackDistance(within: 0.95)))"
      ),
      ("Length", metres(comparison.firstLength), difference ?? "no time in common"),
      (
        "Differ", ReportFormatting.plural(comparison.stretches.count, "time"),
        "by more than \(ReportUnits.metric.distance(comparison.settings.tolerance))"
      ),
    ]
  }

  /// A way that is planned, as a page: its length, what it rises, and a map.
  package init(_ plan: UntimedWay, _ name: String, _ units: ReportUnits, tiles: ReportTiles?) {
    let length = units.distance(plan.metres)
    let rise = "\(ReportFormatting.count(plan.climb / units.short)) \(units.shortName)"
    self.init(
      title: "Plan, \(length) · \(name)", eyebrow: name, heading: "Plan, \(length)",
      figures: [("Length", length, ""), ("Up", rise, "by the altitudes in the file")],
      footer: "No point of it has a time: nothing tells when anyone was there.", tiles: tiles)
    let start = Timestamp(nanoseconds: 0)
    let points = plan.points.enumerated().map { index, point in
      (start.advanced(byNanoseconds: Int64(index) * 1_000_000_000), point.latitude, point.longitude)
    }
    let tracks: PageValue = [
      "from": .number(0), "span": .number(1), "units": units.value,
      "tracks": [Self.track("first", name, points, since: start)],
    ]
    blocks = [["tracks": tracks]]
  }

  private static func track(
    _ style: String, _ name: String,
    _ points: [(time: Timestamp, latitude: Double, longitude: Double)], since start: Timestamp
  ) -> PageValue {
    let course = ReportCourse(
      points.map { time, latitude, longitude in
        ReportCourse.Point(
          start: time, end: time, place: ReportPoint(latitude: latitude, longitude: longitude))
      })
    return [
      "activity": .text(style), "name": .text(name), "course": course.value(since: start),
    ]
  }

  /// The largest signed distance of each column of the time.
  private static func curve(
    _ comparison: TrackComparison, from start: Timestamp, to end: Timestamp
  ) -> PageValue {
    let count = min(mostColumns, max(comparison.rows.count, 1))
    let scale = Double(count) / max(end.seconds(since: start), 1e-3)
    var largest = [Double?](repeating: nil, count: count)
    for row in comparison.rows {
      guard let value = row.crossTrack else { continue }
      let column = min(max(Int(row.timestamp.seconds(since: start) * scale), 0), count - 1)
      if abs(value) > abs(largest[column] ?? 0) { largest[column] = value }
    }
    let values = largest.map { $0.map { ReportFormatting.fixed($0, 1) } ?? "" }
    let most = ReportUnits.metric.distance(comparison.crossTracks.max() ?? 0)
    return [
      "name": "Cross-track distance",
      "note": "Above the line the first track is right of the second, below it left.",
      "about": "The signed distance over time. The largest is \(most).", "unit": "m",
      "least": .number(1), "signed": .number(1), "values": .text(values.joined(separator: ",")),
    ]
  }

  private static func table(_ comparison: TrackComparison, _ clock: ReportClock) -> PageValue {
    let worst = comparison.stretches.sorted { $0.largest > $1.largest }.prefix(mostStretches)
    return table(
      ["From", "For", "Length", "Largest cross-track distance"],
      worst.map { stretch in
        [
          clock.time(stretch.start, seconds: true),
          ReportFormatting.duration(stretch.end.seconds(since: stretch.start)),
          ReportUnits.metric.distance(stretch.length),
          ReportUnits.metric.distance(stretch.largest),
        ].map { .text($0) }
      })
  }
}
