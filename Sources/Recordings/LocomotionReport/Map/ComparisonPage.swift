package import LocomotionAnalysis
import LocomotionPositioning
import LocomotionSensing

/// Where two tracks of one journey differ, as one self-contained HTML page: figures, the
/// cross-track distance over time, a map with both tracks, and the stretches that differ most.
///
/// No script, no network, inline drawings; all external strings are escaped.
package struct ComparisonPage: Sendable {
  /// The page, UTF-8.
  package let html: String

  /// The most stretches in the table.
  static let longestTable = 20

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
    let compared = comparison.crossTracks.count
    func figure(_ name: String, _ value: String, _ note: String) -> Markup {
      "<div><dt>\(name)</dt><dd>\(value)<small>\(note)</small></dd></div>"
    }
    func metres(_ value: Double?) -> String {
      value.map(ReportUnits.metric.distance) ?? "unknown"
    }
    let difference = comparison.lengthDifference.map {
      "\($0 < 0 ? "−" : "+")\(ReportFormatting.fixed(abs($0) * 100, 1)) % of the other"
    }
    let main: Markup = """
      <header>
      <p class="eyebrow">Two tracks compared</p>
      <h1><bdi>\(first)</bdi></h1>
      <p class="lede">with <bdi>\(second)</bdi>, from \(clock.time(start)) to \(clock.end(end))</p>
      <dl class="figures">
      \(figure("Points compared", ReportFormatting.count(Double(compared)),
        "of \(ReportFormatting.count(Double(comparison.rows.count)))"))
      \(figure("Cross-track distance", metres(comparison.crossTrackDistance(within: 0.5)),
        "median; 95 % are within \(metres(comparison.crossTrackDistance(within: 0.95)))"))
      \(figure("Length", metres(comparison.firstLength), difference ?? "no time in common"))
      \(figure("Differ", ReportFormatting.plural(comparison.stretches.count, "time"),
        "by more than \(ReportUnits.metric.distance(comparison.settings.tolerance))"))
      </dl>
      </header>
      <section><h2>Cross-track distance</h2>
      <figure>\(DrawingWidth.allCases.map { Self.chart(comparison, clock, $0) })</figure>
      <p class="note">Above the line the first track is right of the second, below it left.</p>
      </section>
      <section><h2>Map</h2>
      <figure>\(DrawingWidth.allCases.map { Self.map(comparison, path, $0) })</figure>
      <ul class="legend"><li><svg class="key" viewBox="0 0 36 10" aria-hidden="true">\
      <path class="track first" d="M2 5H34"/></svg><bdi>\(first)</bdi></li>\
      <li><svg class="key" viewBox="0 0 36 10" aria-hidden="true">\
      <path class="track second" d="M2 5H34"/></svg><bdi>\(second)</bdi></li></ul>
      </section>
      \(Self.table(comparison, clock))
      <footer><p>The cross-track distance is that from the nearest point of the other path within \
      \(ReportFormatting.fixed(comparison.settings.window, 0)) s.</p></footer>
      """
    html = ReportPage.markup(title: "\(first) and \(second)", style: Self.style, main: main).text
  }

  private static let style: Markup = """
    .first{stroke:var(--accent)}
    .second{stroke:var(--ink);stroke-width:1.6;stroke-dasharray:5 3}

    """

  /// The largest signed distance of each two points of the drawing, as bars about a line.
  private static func chart(
    _ comparison: TrackComparison, _ clock: ReportClock, _ width: DrawingWidth
  ) -> Markup {
    let count = Int(width.points / 2)
    let (height, middle) = (140.0, 70.0)
    var drawing = Drawing(
      width: width.points, height: height + 24, title: "Cross-track distance over time",
      description: "Positive to the right of the other path. The largest is "
        + "\(ReportUnits.metric.distance(comparison.crossTracks.max() ?? 0)).")
    guard let first = comparison.rows.first, let last = comparison.rows.last else {
      return drawing.markup(class: width.name)
    }
    let axis = ReportTimeAxis(
      clock: clock, start: first.timestamp, end: last.timestamp, width: width.points)
    axis.draw(in: &drawing, from: 0, to: height)
    var largest = [Double](repeating: 0, count: count)
    for row in comparison.rows {
      guard let value = row.crossTrack else { continue }
      let column = min(max(Int(axis.x(row.timestamp) / 2), 0), count - 1)
      if abs(value) > abs(largest[column]) { largest[column] = value }
    }
    let top = ReportFormatting.roundTop(max(comparison.crossTracks.max() ?? 0, 1))
    var bars: Markup = ""
    for column in 0..<count where largest[column] != 0 {
      bars += "M\(Double(column) * 2 + 1) \(middle)V\(middle - largest[column] / top * 60)"
    }
    drawing.add("<path class=\"curve\" d=\"\(bars)\"/>")
    drawing.line(0, middle, width.points, middle, "base")
    for (y, sign) in [(middle - 60, ""), (middle + 60, "−")] {
      drawing.line(0, y, width.points, y, "hair")
      drawing.text("\(sign)\(ReportFormatting.fixed(top, 0)) m", x: 0, y: y - 4, "halo")
    }
    return drawing.markup(class: width.name)
  }

  private static func map(
    _ comparison: TrackComparison, _ path: [LocatedPoint], _ width: DrawingWidth
  ) -> Markup {
    guard let origin = comparison.rows.first else { return "" }
    let projection = ReportProjection(latitude: origin.latitude, longitude: origin.longitude)
    func position(_ latitude: Double, _ longitude: Double) -> SIMD2<Double> {
      projection.position(ReportPoint(latitude: latitude, longitude: longitude))
    }
    let lines = [
      ("second", path.map { position($0.latitude, $0.longitude) }),
      ("first", comparison.rows.map { position($0.latitude, $0.longitude) }),
    ]
    let points = lines.flatMap(\.1)
    let low = points.reduce(points[0]) { pointwiseMin($0, $1) }
    let high = points.reduce(points[0]) { pointwiseMax($0, $1) }
    let extent = pointwiseMax(high - low, SIMD2(repeating: 50))
    let frame = SIMD2(width.points - 48, width == .wide ? 432 : 312)
    let scale = min(frame.x / extent.x, frame.y / extent.y)
    let size = SIMD2(width.points, frame.y + 48)
    let centre = (low + high) / 2
    var drawing = Drawing(
      width: size.x, height: size.y, title: "Map of both tracks",
      description: "North is up. The tracks cover "
        + "\(ReportUnits.metric.distance(extent.x)) from west to east and \(ReportUnits.metric.distance(extent.y)) from south to north."
    )
    drawing.add("<rect class=\"ground\" width=\"\(size.x)\" height=\"\(size.y)\" rx=\"10\"/>")
    for (style, line) in lines.reversed() {
      let places = line.map { point in
        let offset = (point - centre) * scale
        return size / 2 + SIMD2(offset.x, -offset.y)
      }
      drawing.add(
        "<path class=\"track \(style)\" d=\"\(Drawing.path(places.simplified(tolerance: 0.5)))\"/>")
    }
    let bar = ReportMap.roundLength(below: width.points / 4.5 / scale)
    let y = size.y - 16
    drawing.add("<path class=\"scale\" d=\"M16 \(y - 5)V\(y)H\(16 + bar * scale)V\(y - 5)\"/>")
    drawing.text(
      bar < 1000 ? "\(Int(bar)) m" : "\(Int(bar / 1000)) km", x: 22, y: y - 6, "halo ground-halo")
    return drawing.markup(class: width.name)
  }

  private static func table(_ comparison: TrackComparison, _ clock: ReportClock) -> Markup {
    guard !comparison.stretches.isEmpty else { return "" }
    let worst = comparison.stretches.sorted { $0.largest > $1.largest }.prefix(longestTable)
    let rows = worst.map { stretch -> Markup in
      """
      <tr><th scope="row">\(clock.time(stretch.start, seconds: true))</th>\
      <td>\(ReportFormatting.duration(stretch.end.seconds(since: stretch.start)))</td>\
      <td>\(ReportUnits.metric.distance(stretch.length))</td>\
      <td>\(ReportUnits.metric.distance(stretch.largest))</td></tr>

      """
    }
    return """
      <section><h2>Where they differ most</h2>
      <table><thead><tr><th scope="col">From</th><th scope="col">For</th>\
      <th scope="col">Length</th><th scope="col">Largest cross-track distance</th></tr></thead>
      <tbody>\(rows)</tbody></table>
      </section>
      """
  }
}
