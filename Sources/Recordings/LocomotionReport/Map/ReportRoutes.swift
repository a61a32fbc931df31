internal import Foundation
package import Locomotion
package import LocomotionMap
import LocomotionRecordings

extension AnalysisResult {
  /// Compares the trips with a map: trains and vehicles on roads are told apart by what is near,
  /// and what goes by wheels gets its route.
  package mutating func consult(_ map: RoadMap) throws(RoadMap.Problem) {
    for index in items.indices {
      guard case .trip(var trip) = items[index] else { continue }
      trip.legs = try legs(of: trip, by: map)
      items[index] = .trip(trip)
      for leg in trip.legs where leg.mayBeOnWheels {
        let track = positions(of: leg, isLast: leg.end == trip.end)
        routes[leg.start] = try RouteMatcher.route(of: track, on: map) { kind in
          switch leg.activity {
          case .train: kind.isRail
          case .cycling: kind == .path || kind.isRoad && kind != .motorway
          default: kind.isRoad
          }
        }
      }
    }
  }

  /// The longest time from a leg's end to a fix by which its route goes on, seconds.
  private static let longestStep = 300.0

  /// The locations at the fixes of a leg, and at those before and after it by which it joins
  /// others.
  private func positions(of leg: Trip.Leg, isLast: Bool) -> [RouteMatcher.Position] {
    let (first, end) = (firstIndex(from: leg.start), firstIndex(from: leg.end))
    let before = samples[..<first].last {
      $0.hasFix || leg.start.seconds(since: $0.end) > Self.longestStep
    }
    let after = samples[max(first, end)...].first {
      $0.hasFix || $0.start.seconds(since: leg.end) > Self.longestStep
    }
    let own = samples[first..<max(first, end)].map(Optional.some)
    return ([before] + own + [isLast ? after : nil])
      .compactMap { $0?.position }
  }

  /// The length of a trip, of each leg by the map where that knows it; nil without a route.
  package func networkDistance(of trip: Trip) -> Double? {
    guard trip.legs.contains(where: { routes[$0.start] != nil }) else { return nil }
    return trip.legs.reduce(0) { $0 + (routes[$1.start]?.length ?? $1.distance ?? 0) }
  }

  /// The legs of a trip of which those in a vehicle are told by the lines that they follow.
  private func legs(of trip: Trip, by map: RoadMap) throws(RoadMap.Problem) -> [Trip.Leg] {
    var legs: [Trip.Leg] = []
    for leg in trip.legs {
      let own = samples(from: leg.start, to: leg.end).filter { $0.position != nil }
      let track = own.compactMap { $0.position }
      guard leg.mayBeInVehicle, track.count > 1 else {
        legs.append(leg)
        continue
      }
      let prior = leg.railOdds
      let stretches = try RailEvidence.stretches(of: track, on: map) { _ in
        prior / Double(track.count)
      }
      guard stretches.contains(where: { $0.evidence != 0 }) else {
        legs.append(leg)
        continue
      }
      for (number, stretch) in stretches.enumerated() {
        let isLast = number + 1 == stretches.count
        let part = leg.cut(
          from: number == 0 ? leg.start : own[stretch.positions.lowerBound].start,
          to: isLast ? leg.end : own[stretch.positions.upperBound].start)
        guard var part else { continue }
        part.tell(isOnRails: stretch.isOnRails, by: stretch.evidence)
        if let last = legs.last, last.activity == part.activity, last.end == part.start, number > 0
        {
          legs[legs.count - 1].extend(by: part)
        } else {
          legs.append(part)
        }
      }
    }
    return legs
  }
}

extension ReportSample {
  /// The location at a fix; nil without one.
  fileprivate var position: RouteMatcher.Position? {
    guard hasFix, let location, let radius68 else { return nil }
    return RouteMatcher.Position(
      time: start, latitude: location.latitude, longitude: location.longitude, radius: radius68)
  }
}

extension Trip.Leg {
  /// Faster than this nobody goes by bicycle for long, metres per second.
  private static let fastestRide = 9.0

  private var isFast: Bool {
    (distance ?? 0) > Self.fastestRide * max(1, end.seconds(since: start))
  }

  fileprivate var mayBeInVehicle: Bool {
    !isCorrected && customActivity == nil
      && (activity?.isMotorized ?? isFast || activity == .cycling && isFast)
  }

  fileprivate var mayBeOnWheels: Bool {
    customActivity == nil && (activity.map { $0 == .cycling || $0.isMotorized } ?? true)
  }

  /// ln of the odds of a train by all but the map, at most 3.
  fileprivate var railOdds: Double {
    guard let modes else { return 0 }
    let odds = log(Double(max(modes[.train], 1e-3) / max(modes[.automotive], 1e-3)))
    return min(max(odds, -3), 3)
  }

  /// Takes what a map says: evidence in nats, of rails against roads.
  fileprivate mutating func tell(isOnRails: Bool, by evidence: Double) {
    // A road that no evidence is for leaves who seems to ride a bicycle alone.
    guard isOnRails || activity == .train else { return }
    activity = isOnRails ? .train : .automotive
    guard let own = modes else { return }
    let odds = min(max(railOdds + evidence, -8), 8)
    let share = Float(1 / (1 + exp(-odds)))
    let both = max(own[.train] + own[.automotive], 0.5)
    modes =
      ActivityProbabilities {
        $0 == .train ? both * share : $0 == .automotive ? both * (1 - share) : own[$0]
      }.ofModes
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
