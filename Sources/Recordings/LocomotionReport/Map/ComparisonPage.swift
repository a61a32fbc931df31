package import LocomotionAnalysis
import LocomotionPositioning
import LocomotionSensing

/// Where two tracks of one journey differ, as one self-contained HTML page: figures, the
/// cross-track distance over time, a map with both tracks, and the stretches that differ most.
package struct ComparisonPage: Sendable {
  /// The page, UTF-8.
  package var html: String { document.html }

  /// The document of the page.
  package let document: PageDocument

  /// The most stretches in the table.
  static let longestTable = 20
  /// The most columns of the cross-track distance.
  private static let columns = 880

  /// The page of a comparison.
  ///
  /// - Parameters:
  ///   - comparison: The rows of the first track, and the stretches.
  ///   - first: The name of the first track.
  ///   - second: The name of the second track.
  ///   - path: The points of the second track.
  package init(
    _ comparison: TrackComparison, first: String, second: String, path: [LocatedPoint]
  ) {
    let start = comparison.rows.first?.timestamp ?? Timestamp(nanoseconds: 0)
    let end = comparison.rows.last?.timestamp ?? start
    let clock = ReportClock(start: start, end: end)
    var page = PageDocument(
      title: "\(first) and \(second)", eyebrow: "Two tracks compared", heading: first,
      lede: "with \(second), from \(clock.time(start)) to \(clock.end(end))",
      footer: "The cross-track distance is that from the nearest point of the other path within "
        + "\(ReportFormatting.fixed(comparison.settings.window, 0)) s.")
    page.figures = Self.figures(comparison)
    page.blocks = [
      .object([
        (
          "tracks",
          .object([
            ("from", .number(start.seconds, 0)),
            ("span", .number(max(end.seconds(since: start), 1), 0)),
            ("zones", clock.isCivil ? .list([.list([.number(0), .number(0)])]) : nil),
            ("tracks", .list(Self.tracks(comparison, first, second, path))),
            ("curve", Self.curve(comparison, from: start, to: end)),
            ("units", ReportUnits.metric.value),
          ])
        )
      ])
    ]
    if !comparison.stretches.isEmpty {
      page.blocks.append(
        PageDocument.section("Where they differ most", [Self.table(comparison, clock)]))
    }
    document = page
  }

  private static func figures(_ comparison: TrackComparison) -> [PageDocument.Figure] {
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

  /// Both tracks, with their courses.
  private static func tracks(
    _ comparison: TrackComparison, _ first: String, _ second: String, _ path: [LocatedPoint]
  ) -> [PageValue] {
    let start = comparison.rows.first?.timestamp ?? Timestamp(nanoseconds: 0)
    return [
      ("first", first, comparison.rows.map { ($0.timestamp, $0.latitude, $0.longitude) }),
      ("second", second, path.map { ($0.timestamp, $0.latitude, $0.longitude) }),
    ].map { style, name, points -> PageValue in
      let course = ReportCourse(
        points.map { timestamp, latitude, longitude in
          ReportCourse.Point(
            second: timestamp.seconds(since: start).rounded(),
            place: ReportPoint(latitude: latitude, longitude: longitude))
        })
      return .object([
        ("activity", .text(style)), ("name", .text(name)), ("course", course.value),
      ])
    }
  }

  /// The largest signed distance of each column of the time.
  private static func curve(
    _ comparison: TrackComparison, from start: Timestamp, to end: Timestamp
  ) -> PageValue {
    let count = min(columns, max(comparison.rows.count, 1))
    let scale = Double(count) / max(end.seconds(since: start), 1e-3)
    var largest = [Double?](repeating: nil, count: count)
    for row in comparison.rows {
      guard let value = row.crossTrack else { continue }
      let column = min(max(Int(row.timestamp.seconds(since: start) * scale), 0), count - 1)
      if abs(value) > abs(largest[column] ?? 0) { largest[column] = value }
    }
    let values = largest.map { $0.map { ReportFormatting.fixed($0, 1) } ?? "" }
    return .object([
      ("name", .text("Cross-track distance")),
      ("note", .text("Above the line the first track is right of the second, below it left.")),
      (
        "about",
        .text(
          "The signed distance over time. The largest is "
            + "\(ReportUnits.metric.distance(comparison.crossTracks.max() ?? 0)).")
      ), ("unit", .text("m")), ("least", .number(1)), ("signed", .number(1)),
      ("values", .text(values.joined(separator: ","))),
    ])
  }

  private static func table(_ comparison: TrackComparison, _ clock: ReportClock) -> PageValue {
    let worst = comparison.stretches.sorted { $0.largest > $1.largest }.prefix(longestTable)
    return PageDocument.table(
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
