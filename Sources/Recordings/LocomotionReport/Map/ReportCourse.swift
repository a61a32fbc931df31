import Locomotion

/// The course of a leg: where the person was when.
///
/// From it the script draws the map, places its cursor and writes GPX.
struct ReportCourse {
  /// A location, of a second or of an instant.
  struct Point {
    var start: Timestamp
    var end: Timestamp
    var place: ReportPoint
  }

  /// The locations between longer silences.
  private(set) var pieces: [[Point]] = []

  /// A silence that splits a course, seconds.
  static let splittingSilence = 300.0
  /// How far a location that is left out may be from where its neighbours put it at that time,
  /// metres: less than the radius of most.
  private static let tolerance = 1.5

  /// The course of a leg, from the last location before it if that is recent, so that legs join.
  init(_ analysis: AnalysisResult, of leg: Trip.Leg) {
    let samples = analysis.samples
    let first = analysis.firstIndex(from: leg.start)
    let leads = first > 0 && samples[first - 1].end >= leg.start
    let own = samples[(leads ? first - 1 : first)..<max(first, analysis.firstIndex(from: leg.end))]
    self.init(
      own.compactMap { sample in
        guard let place = sample.location, abs(place.latitude) <= 90, abs(place.longitude) <= 360
        else { return nil }
        return Point(start: sample.start, end: sample.end, place: place)
      })
  }

  /// The course through these points, in the order of time.
  init(_ points: [Point]) {
    for point in points {
      if let last = pieces.last?.last,
        point.start.seconds(since: last.end) <= Self.splittingSilence
      {
        pieces[pieces.count - 1].append(point)
      } else {
        pieces.append([point])
      }
    }
  }

  /// A location for the script: the second since the start of the recording, and the place.
  private typealias Drawn = (second: Double, place: ReportPoint)

  /// The locations between which others are where they were at the time.
  private static func simplified(_ all: [Drawn]) -> [Drawn] {
    let projection = ReportProjection(centre: all[0].place)
    let places = all.map { projection.position($0.place) }
    // The distance at the same time keeps halts, which that from the line would leave out
    // (Meratnia and de By, "Spatiotemporal compression techniques", EDBT 2004).
    let kept = [SIMD2<Double>].kept(count: all.count, tolerance: tolerance) { index, a, b in
      let whole = all[b].second - all[a].second
      let fraction = whole > 0 ? (all[index].second - all[a].second) / whole : 0
      let away = places[index] - (places[a] + (places[b] - places[a]) * fraction)
      return (away * away).sum()
    }
    return zip(all, kept).compactMap { $1 ? $0 : nil }
  }

  /// The points as numbers in a text; nil without a piece of two.
  ///
  /// Each is of seconds since the start of the recording, `origin`, millionths of degrees north and
  /// east, and metres of altitude where every point has one: of the first point, and of each other
  /// one the difference from the one before. A semicolon stands where there was a silence.
  func value(since origin: Timestamp) -> PageValue? {
    let pieces = pieces.filter { $0.count > 1 }.map { piece in
      Self.simplified(piece.map { ($0.end.seconds(since: origin).rounded(), $0.place) })
    }
    guard !pieces.isEmpty else { return nil }
    let hasAltitude = pieces.joined().allSatisfy { $0.place.altitude != nil }
    var last = [0, 0, 0, 0]
    let texts = pieces.map { piece in
      piece.map { point in
        let next = [
          Int(point.second), Int((point.place.latitude * 1e6).rounded()),
          Int((point.place.longitude * 1e6).rounded()),
          point.place.altitude.map { Int($0.rounded()) } ?? last[3],
        ]
        defer { last = next }
        return next.indices.prefix(hasAltitude ? 4 : 3).map { String(next[$0] - last[$0]) }
          .joined(separator: " ")
      }.joined(separator: " ")
    }
    return [
      "size": .number(hasAltitude ? 4 : 3), "points": .text(texts.joined(separator: ";")),
    ]
  }

  /// A straight line over a silence, as latitude and longitude of both ends.
  static func value(of link: (ReportPoint, ReportPoint)) -> PageValue {
    .list([link.0, link.1].flatMap { [.number($0.latitude, 6), .number($0.longitude, 6)] })
  }
}
