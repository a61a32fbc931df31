import Foundation
import LocomotionActivityRecognition

/// What is drawn at a point of the map: its middle and half of its width and height.
private struct MapLabel {
  var middle: SIMD2<Double>
  var half: SIMD2<Double>

  func overlaps(_ other: MapLabel) -> Bool {
    let away = middle - other.middle
    let reach = half + other.half
    return abs(away.x) < reach.x && abs(away.y) < reach.y
  }
}

extension ReportMap {
  /// The size of the map of everything.
  func size(_ width: DrawingWidth) -> SIMD2<Double> {
    let across = width.mapPoints
    let ratio = bounds.extent.y / bounds.extent.x
    return SIMD2(across, min(max(across * ratio, across * 0.6), across * 1.15).rounded())
  }

  /// The size of one of `count` insets.
  static func insetSize(_ width: DrawingWidth, count: Int) -> SIMD2<Double> {
    guard width == .wide else { return SIMD2(width.mapPoints, 200) }
    let columns = Double(max(min(count, mostInsets), 2))
    return SIMD2(((width.mapPoints - 12 * (columns - 1)) / columns).rounded(.down), 180)
  }

  /// The map of everything, with the frames of the insets.
  func draw(width: DrawingWidth, insets: [Inset], tiles: ReportTiles?) -> Markup {
    let extent = bounds.extent
    let view = MapView(bounds, size: size(width), margin: width == .wide ? 40 : 30)
    return drawing(
      view, title: "Map of the track",
      description: "North is up. The track covers \(units.distance(extent.x)) from west "
        + "to east and \(units.distance(extent.y)) from south to north, with "
        + "\(ReportFormatting.plural(sites.count, "place")) marked by letters and the trips by "
        + "numbers.",
      insets: insets, tiles: tiles
    ).markup(class: "\(width.name) plan", data(view, tiles))
  }

  /// The map of an inset.
  func draw(_ inset: Inset, of count: Int, width: DrawingWidth, tiles: ReportTiles?) -> Markup {
    let view = MapView(inset.bounds, size: Self.insetSize(width, count: count), margin: 30)
    return drawing(
      view, title: "Map around \(ReportFormatting.list(inset.letters))",
      description: "North is up. A part of the map, magnified; it covers "
        + "\(units.distance(view.size.x / view.scale)) from west to east.",
      insets: [], tiles: tiles
    ).markup(class: "\(width.name) plan", data(view, tiles))
  }

  /// What the script needs: the transform of the stored tracks, and the tiles.
  private func data(_ view: MapView, _ tiles: ReportTiles?) -> Markup {
    let origin = view.place(.zero)
    func fine(_ value: Double) -> Markup { Markup(stringLiteral: "\(Float(value))") }
    var data: Markup = """
      data-m="\(fine(view.scale * unit)) \(fine(origin.x)) \(fine(origin.y))" \
      data-u="\(fine(unit))" data-l="\(units.short == 1 ? "1" : "\(units.short)") \
      \(units.shortName) \(Int(units.long) == 1_000 ? "1000" : "\(units.long)") \(units.longName)"
      """
    if let tiles {
      let corner = projection.world(view.position(.zero))
      let step = 1 / (projection.circumference * view.scale)
      data += """
         data-tiles="\(tiles.template)" data-w="\(Markup(stringLiteral: "\(corner.x)")) \
        \(Markup(stringLiteral: "\(corner.y)")) \(Markup(stringLiteral: "\(step)"))"
        """
    }
    return data
  }

  private func drawing(
    _ view: MapView, title: String, description: String, insets: [Inset], tiles: ReportTiles?
  ) -> Drawing {
    var drawing = Drawing(
      width: view.size.x, height: view.size.y, title: title, description: description)
    let (bar, length) = units.roundLength(below: view.size.x / 4.5 / view.scale)
    drawing.add(
      "<rect class=\"ground\" width=\"\(view.size.x)\" height=\"\(view.size.y)\" rx=\"10\"/>")
    if let tiles {
      drawing.add("<g class=\"tiles\">\(images(view, tiles))</g>")
    } else {
      grid(&drawing, size: view.size, spacing: bar * view.scale)
    }
    drawing.add("<g class=\"moved\">\(shapes(view))</g><g class=\"pins\">")
    for inset in insets { frame(&drawing, inset, view) }
    var labels: [MapLabel] = []
    let pills = markers(at: view.place).compactMap { marker -> Markup? in
      var marker = marker
      guard view.shows(marker.position) else { return nil }
      let half = 5.5 + 5.5 * Double(marker.letters.count)
      // Many letters are wider than the margin.
      marker.position.x = min(max(marker.position.x, half + 4), view.size.x - half - 4)
      labels.append(MapLabel(middle: marker.position, half: SIMD2(half, 11)))
      return """
        <g class="pill" transform="translate(\(marker.position.x) \(marker.position.y))">\
        \(Drawing.tip(marker.tip))<rect class="place" x="\(-half)" y="-11" width="\(2 * half)" \
        height="22" rx="11"/><text class="mark" y="4.3" text-anchor="middle">\(marker.letters)\
        </text></g>
        """
    }
    for line in lines { ways(&drawing, line, view) }
    for marker in pills { drawing.add(marker) }
    numbers(&drawing, view, &labels)
    drawing.add("</g>")
    ruler(&drawing, size: view.size, bar: bar, length, scale: view.scale, avoiding: labels)
    if view.size.y > 200 { north(&drawing, x: view.size.x - 22) }
    return drawing
  }

  /// The reach of the places and the tracks, in the units of the definitions.
  private func shapes(_ view: MapView) -> Markup {
    let origin = view.place(.zero)
    let scale = Markup(stringLiteral: "\(Float(view.scale * unit))")
    var content: Markup = "<g transform=\"translate(\(origin.x) \(origin.y)) scale(\(scale))\">"
    // A circle that the marker would cover is left out.
    for site in sites where site.radius * view.scale > 14 && site.radius < 1e6 {
      content += """
        <circle class="reach" cx="\(site.position.x / unit)" cy="\(-site.position.y / unit)" \
        r="\(site.radius / unit)"/>
        """
    }
    for line in lines {
      let name = ReportPalette.name(line.activity)
      let paths = line.paths.map { path -> Markup in
        let track = Markup(stringLiteral: "href=\"#\(path.identifier)\"")
        guard !path.isLink else {
          return "<use \(track) class=\"casing\"/><use \(track) class=\"link s-\(name)\"/>"
        }
        return """
          <use \(track) class="casing"/><use \(track) class="under s-\(name)"/>\
          <use \(track) class="track s-\(name)"/>
          """
      }
      content += """
        <g class="leg" data-t="\(line.trip)">\(Drawing.tip(line.tip))\(paths)</g>
        """
    }
    content += "</g>"
    return content
  }

  private func frame(_ drawing: inout Drawing, _ inset: Inset, _ view: MapView) {
    let low = view.place(inset.bounds.low)
    let high = view.place(inset.bounds.high)
    let (left, top) = (low.x - 9, high.y - 9)
    drawing.add(
      """
      <rect class="inset" x="\(left)" y="\(top)" width="\(high.x - left + 9)" \
      height="\(low.y - top + 9)" rx="4"/>
      """)
  }

  /// The start, the end and the direction of a track.
  private func ways(_ drawing: inout Drawing, _ line: Line, _ view: MapView) {
    let name = ReportPalette.name(line.activity)
    for piece in line.courses {
      let points = piece.map(view.place)
      let course = MapCourse(points)
      let count = course.length > 26 ? min(max(Int((course.length / 72).rounded()), 1), 40) : 0
      for index in 0..<count {
        let way = course.at((Double(index) + 0.5) / Double(count))
        guard view.shows(way.point) else { continue }
        drawing.add(
          """
          <path class="arrow f-\(name)" data-t="\(line.trip)" transform="translate(\(way.point.x) \
          \(way.point.y)) rotate(\(way.degrees))" d="\(Self.arrow)"/>
          """)
      }
    }
    let ends = [
      ("from", line.ends.first, isEnd(line, atStart: true)),
      ("to", line.ends.last, isEnd(line, atStart: false)),
    ]
    for case (let style, let position, true) in ends {
      let point = view.place(position)
      guard view.shows(point) else { continue }
      drawing.add(
        """
        <circle class="end \(style) s-\(name)" data-t="\(line.trip)" cx="\(point.x)" \
        cy="\(point.y)" r="3.6"/>
        """)
    }
  }

  private static let arrow: Markup = "M-4-4.5L5 0L-4 4.5Z"

  /// Whether the track is the first or the last one of its trip.
  private func isEnd(_ line: Line, atStart: Bool) -> Bool {
    let own = lines.filter { $0.trip == line.trip }
    return (atStart ? own.first : own.last)?.identifier == line.identifier
  }

  /// The numbers of the trips, on their longest tracks where there is room.
  private func numbers(_ drawing: inout Drawing, _ view: MapView, _ labels: inout [MapLabel]) {
    var longest: [Int: (line: Line, course: MapCourse)] = [:]
    for line in lines {
      for piece in line.courses {
        let course = MapCourse(piece.map(view.place))
        if course.length > longest[line.trip]?.course.length ?? 0 {
          longest[line.trip] = (line, course)
        }
      }
    }
    for trip in longest.keys.sorted() {
      guard let (line, course) = longest[trip], course.length > 12 else { continue }
      let style = "s-" + ReportPalette.name(line.activity)
      let half = 4.5 + 4 * Double("\(trip)".count)
      let candidates = Self.fractions.lazy.map { course.at($0).point }
        .filter { view.shows($0, margin: 11) }.map {
          MapLabel(middle: $0, half: SIMD2(half + 1, 9.5))
        }
      let free = candidates.first { label in !labels.contains(where: label.overlaps) }
      guard let label = free else { continue }
      labels.append(label)
      drawing.add(
        """
        <g class="number" data-t="\(trip)" transform="translate(\(label.middle.x) \
        \(label.middle.y))">\(Drawing.tip(line.tip))<rect class="\(style)" \
        x="\(-half)" y="-8.5" width="\(2 * half)" height="17" rx="8.5"/>\
        <text y="4" text-anchor="middle">\(trip)</text></g>
        """)
    }
  }

  /// Where along its track a trip's number may stand, in the order in which it is tried.
  private static let fractions = [
    0.5, 0.42, 0.58, 0.35, 0.65, 0.27, 0.73, 0.2, 0.8, 0.12, 0.88,
  ]

  /// One marker per place, or per group of places whose markers would overlap.
  private func markers(
    at place: (SIMD2<Double>) -> SIMD2<Double>
  ) -> [(letters: String, position: SIMD2<Double>, tip: String)] {
    var markers: [(letters: String, position: SIMD2<Double>, tip: String)] = []
    for site in sites {
      let position = place(site.position)
      let near = markers.firstIndex { marker in
        let away = marker.position - position
        return (away * away).sum() < 24 * 24
      }
      if let near {
        markers[near].letters += " \(site.letter)"
        markers[near].tip += "; \(site.tip)"
      } else {
        markers.append((site.letter, position, site.tip))
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

  private func images(_ view: MapView, _ tiles: ReportTiles) -> [Markup] {
    let corner = projection.world(view.position(.zero))
    let step = 1 / (projection.circumference * view.scale)
    guard step.isFinite, step > 0, corner.x.magnitude + corner.y.magnitude < 10 else { return [] }
    let zoom = min(
      max(Int(log2(1 / (ReportTiles.side * step)).rounded()), 0), ReportTiles.deepest)
    let count = 1 << zoom
    let side = 1 / (Double(count) * step)
    let far = corner + view.size * step
    func tile(_ world: Double) -> Int { Int((world * Double(count)).rounded(.down)) }
    let rows = max(tile(corner.y), 0)..<max(min(tile(far.y) + 1, count), max(tile(corner.y), 0))
    let columns = tile(corner.x)...tile(far.x)
    return rows.flatMap { row in
      columns.map { column -> Markup in
        let place = (SIMD2(Double(column), Double(row)) / Double(count) - corner) / step
        let address = tiles.address(zoom, (column % count + count) % count, row)
        return """
          <image href="\(address)" x="\(place.x)" y="\(place.y)" width="\(side)" height="\(side)"/>
          """
      }
    }
  }

  private func ruler(
    _ drawing: inout Drawing, size: SIMD2<Double>, bar: Double, _ length: String, scale: Double,
    avoiding labels: [MapLabel]
  ) {
    let y = size.y - 16
    let isTaken = labels.contains {
      $0.middle.x - $0.half.x < 22 + bar * scale && $0.middle.y + $0.half.y > y - 20
    }
    // The bar is at most as long as what is left there, also after zooming.
    drawing.add("<g transform=\"translate(\(isTaken ? 0.72 * size.x : 0) 0)\">")
    drawing.add("<path class=\"scale\" d=\"M16 \(y - 5)V\(y)H\(16 + bar * scale)V\(y - 5)\"/>")
    drawing.text(length, x: 22, y: y - 6, "halo ground-halo length")
    drawing.add("</g>")
  }

  private func north(_ drawing: inout Drawing, x: Double) {
    drawing.add("<path class=\"north\" d=\"M\(x) 14L\(x + 5) 28L\(x) 25L\(x - 5) 28Z\"/>")
    drawing.text("N", x: x, y: 41, "halo ground-halo", anchor: "middle")
  }

  /// The largest of 1, 2 and 5 times a power of ten that is at most `limit`, and 1 below that.
  static func roundLength(below limit: Double) -> Double {
    var length = 1.0
    while length * 10 <= limit { length *= 10 }
    return limit >= length * 5 ? length * 5 : limit >= length * 2 ? length * 2 : length
  }
}
