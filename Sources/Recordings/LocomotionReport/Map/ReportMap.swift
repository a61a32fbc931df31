import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing

/// The tracks and places of a recording in a local projection, from which its maps are drawn.
struct ReportMap {
  /// A leg's track.
  struct Line {
    /// The number of its trip, from 1.
    var trip: Int
    var activity: Activity?
    /// The name of a custom activity.
    var custom: String?
    /// The pieces between longer silences, metres.
    var pieces: [[SIMD2<Double>]]
    /// The straight lines over those silences, metres.
    var links: [[SIMD2<Double>]]
    /// Where the way begins and ends, which may be the end of a straight line.
    var ends: (first: SIMD2<Double>, last: SIMD2<Double>)
    var tip: String
    var identifier: String
    var course: ReportCourse
    /// The distance, metres, of a leg on foot or by bicycle: others have no kilometre marks.
    var distance: Double?

    /// What shows its direction: the pieces, or the straight lines where nothing was observed.
    var courses: [[SIMD2<Double>]] { pieces.isEmpty ? links : pieces }

    /// What is drawn as a path of its own.
    var paths: [Path] {
      let own = Path(identifier: identifier, isLink: pieces.isEmpty, courses: courses)
      guard !pieces.isEmpty, !links.isEmpty else { return [own] }
      return [own, Path(identifier: identifier + "s", isLink: true, courses: links)]
    }
  }

  /// A path of a leg's track.
  struct Path {
    var identifier: String
    /// Whether it is of straight lines over silences.
    var isLink: Bool
    var courses: [[SIMD2<Double>]]
  }

  /// A leg's track in degrees.
  private struct Track {
    var trip: Int
    var leg: Trip.Leg
    var pieces: [[ReportPoint]]
    var links: [[ReportPoint]]

    /// Those of all legs, in the order of time.
    static func all(of analysis: AnalysisResult) -> [Track] {
      analysis.numberedItems.flatMap { item, number -> [Track] in
        guard case .trip(let trip) = item, let number else { return [] }
        let pieces = trip.legs.map(analysis.pieces)
        let links = analysis.links(of: trip, pieces)
        return trip.legs.indices.map { index in
          Track(
            trip: number, leg: trip.legs[index], pieces: pieces[index].map { $0.points },
            links: links[index].map { [$0.0, $0.1] })
        }
      }
    }

    /// Where the way begins and ends; nil without any location.
    var ends: (first: ReportPoint, last: ReportPoint)? {
      guard let first = pieces.first?.first, let last = pieces.last?.last else {
        return links.first.map { ($0[0], $0[1]) }
      }
      let leads = links.first.map { $0[1] == first } ?? false
      let follows = links.last.map { $0[0] == last } ?? false
      return (leads ? links[0][0] : first, follows ? links[links.count - 1][1] : last)
    }
  }

  /// A place with its letter.
  struct Site {
    var letter: String
    var position: SIMD2<Double>
    var radius: Double
    var tip: String
    /// Latitude and longitude, degrees.
    var coordinates: String
  }

  let lines: [Line]
  let sites: [Site]
  let projection: MercatorProjection
  /// The corners of everything on the map, metres.
  let bounds: MapBounds
  /// The units of the scale and of what is told.
  let units: ReportUnits
  /// The metres of one unit of the stored tracks.
  let unit: Double

  /// Nil when there is no location; `key` begins the identifiers of the tracks.
  init?(_ analysis: AnalysisResult, key: String = "") {
    let clock = ReportClock(analysis)
    let units = analysis.locale.units
    self.units = units
    let tracks = Track.all(of: analysis)
    let places = ReportPlaces(analysis)
    let onTheWay = tracks.lazy.compactMap { $0.pieces.first?.first }.first
    guard
      let origin = places.centres.first.map({
        ReportPoint(latitude: $0.latitude, longitude: $0.longitude)
      }) ?? onTheWay
    else { return nil }
    let projection = MercatorProjection(origin: origin)
    self.projection = projection
    lines = tracks.enumerated().compactMap { index, track in
      let pieces = track.pieces.filter { $0.count > 1 }.map { $0.map(projection.position) }
      let links = track.links.map { $0.map(projection.position) }
      guard !pieces.isEmpty || !links.isEmpty, let ends = track.ends else { return nil }
      let leg = track.leg
      return Line(
        trip: track.trip, activity: leg.activity, custom: leg.customActivity?.name,
        pieces: pieces, links: links,
        ends: (projection.position(ends.first), projection.position(ends.last)),
        tip: "Trip \(track.trip), \(leg.name ?? "mode unknown"), "
          + "\(clock.time(leg.start))–\(clock.end(leg.end))"
          + (leg.distance.map {
            ", \(units.distance($0, deviation: leg.distanceDeviation))"
          } ?? "") + (leg.isCorrected ? ", corrected by the person" : ""),
        identifier: "\(key)l\(index)", course: ReportCourse(analysis, of: leg),
        distance: leg.activity?.isMotorized == false ? leg.distance : nil)
    }
    sites = places.centres.enumerated().map { index, place in
      Site(
        letter: places.letters[index],
        position: projection.position(
          ReportPoint(latitude: place.latitude, longitude: place.longitude)),
        radius: place.radius68,
        tip: "\(places.letters[index])\(places.names[index].map { " (\($0))" } ?? ""), known to "
          + units.distance(place.radius68),
        coordinates: "\(ReportFormatting.fixed(place.latitude, 6)) "
          + ReportFormatting.fixed(place.longitude, 6))
    }
    guard
      let bounds = MapBounds(
        lines.flatMap { ($0.pieces + $0.links).joined() } + sites.map { $0.position })
    else { return nil }
    // A single place is shown with its surroundings too.
    self.bounds = bounds.widened(to: 200)
    unit = max(self.bounds.largest / 60_000, 0.5)
  }

  /// The tracks and places, once for all drawings of the map, which refer to them; in units from
  /// the origin, y to the south.
  func definitions() -> Markup {
    func rounded(_ point: SIMD2<Double>) -> SIMD2<Double> {
      (SIMD2(point.x, -point.y) / unit).rounded(.toNearestOrEven)
    }
    func definition(_ line: Line, _ path: Path) -> Markup {
      var data = ""
      for piece in path.courses {
        var last: SIMD2<Double>?
        // A path leaves out what is below a metre or a pixel of the largest useful magnification.
        for point in piece.simplified(tolerance: max(1, unit)).map(rounded) {
          if let from = last {
            let step = point - from
            guard step != .zero else { continue }
            data += "\(data.last == "l" || step.x < 0 ? "" : " ")\(Int(step.x))"
            data += "\(step.y < 0 ? "" : " ")\(Int(step.y))"
          } else {
            data += "M\(Int(point.x)) \(Int(point.y))l"
          }
          last = point
        }
        if data.last == "l" { data += "0 0" }
      }
      guard path.identifier == line.identifier else {
        return """
          <path id="\(path.identifier)" class="aside" data-of="\(line.identifier)" d="\(data)"/>
          """
      }
      let (first, last) = (rounded(line.ends.first), rounded(line.ends.last))
      let ends: Markup =
        line.links.isEmpty
        ? ""
        : " data-e=\"\(Int(first.x)) \(Int(first.y)) \(Int(last.x)) \(Int(last.y))\""
      let name: Markup = line.custom.map { " data-m=\"\($0)\"" } ?? ""
      let length: Markup = line.distance.map { " data-d=\"\(Int($0))\"" } ?? ""
      return """
        <path id="\(path.identifier)" class="geo" data-t="\(line.trip)" \
        data-s="\(ReportPalette.name(line.activity))" data-n="\(line.tip)"\(name)\(length)\(ends)\
        \(line.course.attributes)\(path.isLink ? " data-link" : "") d="\(data)"/>
        """
    }
    let tracks = lines.flatMap { line in line.paths.map { definition(line, $0) } }
    let places = sites.map { site -> Markup in
      let point = rounded(site.position)
      return """
        <circle data-l="\(site.letter)" data-n="\(site.tip)" data-g="\(site.coordinates)" cx="\(Int(point.x))" \
        cy="\(Int(point.y))" r="\(Int((min(site.radius, 1e6) / unit).rounded()))"/>
        """
    }
    let origin = [projection.origin.latitude, projection.origin.longitude].map { "\($0)" }
    return """
      <svg class="defs" data-p="\(origin.joined(separator: " ")) \("\(unit)")" width="0" height="0" \
      aria-hidden="true"><defs>\(tracks)\(places)</defs></svg>
      """
  }
}

/// A rectangle on the map, metres.
struct MapBounds: Hashable {
  var low: SIMD2<Double>
  var high: SIMD2<Double>

  /// Nil without a point.
  init?(_ points: some Sequence<SIMD2<Double>>) {
    var corners: (low: SIMD2<Double>, high: SIMD2<Double>)?
    for point in points {
      corners =
        corners.map { (pointwiseMin($0.low, point), pointwiseMax($0.high, point)) }
        ?? (point, point)
    }
    guard let corners else { return nil }
    (low, high) = corners
  }

  var extent: SIMD2<Double> { high - low }
  var centre: SIMD2<Double> { (low + high) / 2 }
  var largest: Double { extent.max() }

  /// The rectangle with the same centre, at least `least` metres wide and high.
  func widened(to least: Double) -> MapBounds {
    let missing = pointwiseMax(SIMD2(repeating: least) - extent, .zero) / 2
    var wider = self
    (wider.low, wider.high) = (low - missing, high + missing)
    return wider
  }
}

extension AnalysisResult {
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
