import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing

/// A map of the track in a local projection, coloured by activity, with the stays.
struct ReportMap {
  private let lines: [(activity: Activity?, points: [SIMD2<Double>], tip: String)]
  private let stays: [(letter: String, name: String?, position: SIMD2<Double>, radius: Double)]
  private let low: SIMD2<Double>
  private let high: SIMD2<Double>

  /// Nil when there is no location.
  init?(_ analysis: AnalysisResult) {
    let clock = ReportClock(analysis)
    let legs = analysis.items.flatMap { item -> [Trip.Leg] in
      if case .trip(let trip) = item { trip.legs } else { [] }
    }
    let tracks = legs.map { ($0, analysis.track(of: $0)) }
    let places = ReportPlaces(analysis)
    let firstOnTheWay = tracks.lazy.compactMap { $0.1.first?.first }.first
    guard
      let origin = places.centres.first.map({
        ReportPoint(latitude: $0.latitude, longitude: $0.longitude)
      }) ?? firstOnTheWay
    else { return nil }
    let projection = ReportProjection(latitude: origin.latitude, longitude: origin.longitude)
    lines = tracks.flatMap { leg, pieces in
      pieces.filter { $0.count > 1 }.map { piece in
        (
          leg.activity, piece.map(projection.position),
          "\(leg.activity?.name ?? "mode unknown"), \(clock.time(leg.start))–\(clock.end(leg.end))"
            + (leg.distance.map { ", \(ReportFormatting.distance($0))" } ?? "")
        )
      }
    }
    stays = places.centres.enumerated().map { index, place in
      (
        ReportPlaces.letter(index), places.names[index],
        projection.position(ReportPoint(latitude: place.latitude, longitude: place.longitude)),
        place.radius68
      )
    }
    let points = lines.flatMap(\.points) + stays.map(\.position)
    guard var low = points.first, var high = points.first else { return nil }
    for point in points {
      low = pointwiseMin(low, point)
      high = pointwiseMax(high, point)
    }
    // A single place is shown with its surroundings too.
    let missing = pointwiseMax(SIMD2(repeating: 200) - (high - low), .zero) / 2
    (self.low, self.high) = (low - missing, high + missing)
  }

  func draw(width: DrawingWidth) -> Markup {
    let margin = width == .wide ? 44.0 : 30.0
    let extent = high - low
    let inner = width.points - 2 * margin
    let tallest = width == .wide ? 480.0 : 360.0
    let height = min(max(inner * extent.y / extent.x, tallest * 0.45), tallest)
    let scale = min(inner / extent.x, height / extent.y)
    let size = SIMD2(width.points, height + 2 * margin)
    let centre = (low + high) / 2
    func place(_ point: SIMD2<Double>) -> SIMD2<Double> {
      let offset = (point - centre) * scale
      return size / 2 + SIMD2(offset.x, -offset.y)
    }
    var drawing = Drawing(
      width: size.x, height: size.y, title: "Map of the track",
      description: "North is up. The track covers \(ReportFormatting.distance(extent.x)) from west "
        + "to east and \(ReportFormatting.distance(extent.y)) from south to north, with "
        + "\(ReportFormatting.plural(stays.count, "place")) marked by letters.")
    let bar = Self.roundLength(below: width.points / 4.5 / scale)
    drawing.add(
      "<rect class=\"ground\" width=\"\(size.x)\" height=\"\(size.y)\" rx=\"10\"/>")
    grid(&drawing, size: size, spacing: bar * scale)
    for line in lines {
      // Half a pixel is below the resolution of the stroke.
      let points = line.points.map(place).simplified(tolerance: 0.5)
      let data = Drawing.path(points)
      let style = ReportPalette.name(line.activity)
      drawing.add("<path class=\"casing\" d=\"\(data)\"/>")
      drawing.add(
        "<path class=\"track s-\(style)\" d=\"\(data)\">\(Drawing.tip(line.tip))</path>")
    }
    // A circle that the marker would cover is left out.
    for stay in stays where stay.radius * scale > 14 {
      let position = place(stay.position)
      drawing.add(
        """
        <circle class="reach" cx="\(position.x)" cy="\(position.y)" \
        r="\(stay.radius * scale)"/>
        """)
    }
    for var marker in markers(at: place) {
      let half = 5.5 + 5.5 * Double(marker.letters.count)
      // Many letters are wider than the margin.
      marker.position.x = min(max(marker.position.x, half + 4), size.x - half - 4)
      drawing.add(
        """
        <rect class="place" x="\(marker.position.x - half)" y="\(marker.position.y - 11)" \
        width="\(2 * half)" height="22" rx="11">\(Drawing.tip(marker.tip))</rect>
        """)
      drawing.text(
        marker.letters, x: marker.position.x, y: marker.position.y + 4.3, "mark", anchor: "middle")
    }
    furniture(&drawing, size: size, bar: bar, scale: scale)
    return drawing.markup(class: width.name)
  }

  /// One marker per place, or per group of places whose markers would overlap.
  private func markers(
    at place: (SIMD2<Double>) -> SIMD2<Double>
  ) -> [(letters: String, position: SIMD2<Double>, tip: String)] {
    var markers: [(letters: String, position: SIMD2<Double>, tip: String)] = []
    for stay in stays {
      let position = place(stay.position)
      let tip =
        "\(stay.letter)\(stay.name.map { " (\($0))" } ?? ""), known to \(ReportFormatting.distance(stay.radius))"
      let near = markers.firstIndex { marker in
        let away = marker.position - position
        return (away * away).sum() < 24 * 24
      }
      if let near {
        markers[near].letters += " \(stay.letter)"
        markers[near].tip += "; \(tip)"
      } else {
        markers.append((stay.letter, position, tip))
      }
    }
    return markers
  }

  private func grid(_ drawing: inout Drawing, size: SIMD2<Double>, spacing: Double) {
    var lines: Markup = ""
    for x in stride(from: spacing, to: size.x, by: spacing) { lines += "M\(x) 0V\(size.y)" }
    for y in stride(from: spacing, to: size.y, by: spacing) { lines += "M0 \(y)H\(size.x)" }
    drawing.add("<path class=\"grid\" d=\"\(lines)\"/>")
  }

  private func furniture(
    _ drawing: inout Drawing, size: SIMD2<Double>, bar: Double, scale: Double
  ) {
    let y = size.y - 16
    drawing.add("<path class=\"scale\" d=\"M16 \(y - 5)V\(y)H\(16 + bar * scale)V\(y - 5)\"/>")
    let length = bar < 1000 ? "\(Int(bar)) m" : "\(Int(bar / 1000)) km"
    drawing.text(length, x: 22, y: y - 6, "halo ground-halo")
    let x = size.x - 22
    drawing.add("<path class=\"north\" d=\"M\(x) 14L\(x + 5) 28L\(x) 25L\(x - 5) 28Z\"/>")
    drawing.text("N", x: x, y: 41, "halo ground-halo", anchor: "middle")
  }

  /// The largest of 1, 2 and 5 times a power of ten that is at most `limit`, metres.
  static func roundLength(below limit: Double) -> Double {
    var length = 1.0
    while length * 10 <= limit { length *= 10 }
    return limit >= length * 5 ? length * 5 : limit >= length * 2 ? length * 2 : length
  }
}
