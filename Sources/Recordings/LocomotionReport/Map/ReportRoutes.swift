package import Locomotion
package import LocomotionMap
import LocomotionRecordings

extension AnalysisResult {
  /// Compares the trips with a map: trains and vehicles on roads are told apart by what is near,
  /// and what goes by wheels gets its route.
  package mutating func consult(_ map: RoadMap) throws(RoadMap.Problem) {
    let track = samples.compactMap { sample -> RouteMatcher.Position? in
      guard sample.hasFix, let location = sample.location, let radius = sample.radius68 else {
        return nil
      }
      return RouteMatcher.Position(
        time: sample.start, latitude: location.latitude, longitude: location.longitude,
        radius: radius)
    }
    routes = try map.matchTrips(in: &items, along: track)
  }

  /// The length of a trip, of each leg by the map where that knows it; nil without a route.
  package func networkDistance(of trip: Trip) -> Double? {
    guard trip.legs.contains(where: { routes[$0.start] != nil }) else { return nil }
    return trip.legs.reduce(0) { $0 + (routes[$1.start]?.length ?? $1.distance ?? 0) }
  }
}

extension ReportProjection {
  /// A line for the script, within a tolerance, metres: millionths of degrees north and east of the
  /// first point, and of each other one the difference from the one before.
  func text(of line: [ReportPoint], tolerance: Double) -> String {
    let positions = line.map { position($0) }
    let keeps = [SIMD2<Double>].kept(count: line.count, tolerance: tolerance) { index, a, b in
      [SIMD2<Double>].squaredDistance(positions[index], positions[a], positions[b])
    }
    var last = SIMD2(0, 0)
    return zip(line, keeps).filter { $1 }.map { point, _ in
      let next = SIMD2(
        Int((point.latitude * 1e6).rounded()), Int((point.longitude * 1e6).rounded()))
      defer { last = next }
      return "\(next.x - last.x) \(next.y - last.y)"
    }.joined(separator: " ")
  }
}

extension AnalysisResult {
  /// How long the text of all streets may be, bytes.
  private static let longestStreets = 100_000

  /// The route of a leg for the script; nil where no map knows it.
  func route(of leg: Trip.Leg) -> PageValue? {
    guard let points = routes[leg.start]?.points, let first = points.first else { return nil }
    let line = points.map { ReportPoint(latitude: $0.x, longitude: $0.y) }
    let centre = ReportPoint(latitude: first.x, longitude: first.y)
    return .text(ReportProjection(centre: centre).text(of: line, tolerance: 3))
  }

  /// The lines of the map around the way for the script, by their look.
  ///
  /// Of a large area the larger roads alone, within a few pixels of where they are.
  var streets: PageValue? {
    let places = items.flatMap { $0.legs }.flatMap { track(of: $0).joined() }
    guard let map = locale.map, let first = places.first else { return nil }
    let projection = ReportProjection(centre: first)
    let positions = places.map { projection.position($0) }
    let low = positions.reduce(positions[0]) { pointwiseMin($0, $1) }
    let high = positions.reduce(positions[0]) { pointwiseMax($0, $1) }
    let size = max((high - low).max(), 500)
    let all = try? map.lines(
      near: places.map { ($0.latitude, $0.longitude) }, within: min(0.15 * size, 2_000))
    let looks = ["water", "path", "minor", "rail", "major"]
    for least in [RoadMap.Kind.path, .service, .minor, .tertiary, .secondary, .trunk]
    where (size <= 10_000 || least <= .secondary) && (size <= 4_000 || least <= .minor) {
      var texts: [String: [String]] = [:]
      for line in all ?? [] where line.kind <= least || line.kind > .path {
        let points = line.points.map { ReportPoint(latitude: $0.latitude, longitude: $0.longitude) }
        texts[line.kind.look, default: []].append(
          projection.text(of: points, tolerance: size / 400))
      }
      let joined = looks.compactMap { look in
        texts[look].map { (look: look, text: $0.joined(separator: ";")) }
      }
      if joined.reduce(0, { $0 + $1.text.utf8.count }) <= Self.longestStreets {
        return .list(joined.map { ["look": .text($0.look), "lines": .text($0.text)] })
      }
    }
    return nil
  }
}

extension RoadMap.Kind {
  /// The name of how it is drawn.
  fileprivate var look: String {
    switch self {
    case .motorway, .trunk, .primary, .secondary: "major"
    case .tertiary, .minor, .service: "minor"
    case .path: "path"
    case .water: "water"
    case .rail, .lightRail, .tram, .subway: "rail"
    }
  }
}
