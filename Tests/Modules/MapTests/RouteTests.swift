import Locomotion
import LocomotionMap
import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

/// A town on a plane: metres east and north of a corner.
struct MapScript {
  var builder = RoadMapBuilder()
  var corner = (latitude: 48.0, longitude: 11.0)

  /// Streets every 200 m over two kilometres, each block a line, but for those left out.
  static func grid(without hole: (SIMD2<Double>) -> Bool = { _ in false }) -> MapScript {
    var script = MapScript()
    for row in 0...10 {
      for column in 0..<10 {
        let (a, b) = (SIMD2(200.0 * Double(column), 200.0 * Double(row)), SIMD2(200.0, 0))
        for (from, to) in [(a, a + b), (SIMD2(a.y, a.x), SIMD2(a.y, a.x) + SIMD2(b.y, b.x))]
        where !hole((from + to) / 2) {
          script.add([from, to], .minor)
        }
      }
    }
    return script
  }

  func degrees(_ place: SIMD2<Double>) -> (latitude: Double, longitude: Double) {
    let metres = WGS84.metresPerDegree(latitude: corner.latitude)
    let longitude = corner.longitude + place.x / metres.x
    return (corner.latitude + place.y / metres.y, WGS84.wrapped(longitude))
  }

  mutating func add(_ line: [SIMD2<Double>], _ kind: RoadMap.Kind, isOneWay: Bool = false) {
    builder.add(line.map(degrees), kind, isOneWay: isOneWay)
  }

  var bytes: [UInt8] {
    var (all, builder) = ([UInt8](), builder)
    builder.write(notice: "© Nobody") { all += $0 }
    return all
  }

  func map() throws -> RoadMap { try RoadMap(bytes: bytes) }

  /// Positions along a way at 10 m/s, with errors of a few metres.
  func track(
    _ way: [SIMD2<Double>], every seconds: Double, noise: Double = 4, seed: UInt64 = 1
  ) -> [RouteMatcher.Position] {
    var generator = SplitMix64(seed: seed)
    func error() -> Double { Double.random(in: -noise...noise, using: &generator) }
    var (track, time, next) = ([RouteMatcher.Position](), 0.0, 0.0)
    for (from, to) in zip(way, way.dropFirst()) {
      let length = ((to - from) * (to - from)).sum().squareRoot()
      while next <= time + length / 10 {
        let place = degrees(
          from + (to - from) * ((next - time) * 10 / length) + SIMD2(error(), error()))
        track.append(
          RouteMatcher.Position(
            time: Timestamp(nanoseconds: Int64(next * 1e9)), latitude: place.latitude,
            longitude: place.longitude,
            radius: 6))
        next += seconds
      }
      time += length / 10
    }
    return track
  }
}

@Suite struct RouteTests {
  private static let way = [
    SIMD2(0.0, 0), SIMD2(600, 0), SIMD2(600, 800), SIMD2(1_400, 800), SIMD2(1_400, 2_000),
  ]

  @Test(arguments: [1.0, 10, 30, 50]) func aRouteFollowsTheStreets(interval: Double) throws {
    let script = MapScript.grid()
    let track = script.track(Self.way, every: interval)
    let route = try #require(try RouteMatcher.route(of: track, on: script.map()) { $0.isRoad })
    let end = (track.last?.time.seconds ?? 0) * 10
    #expect(abs(route.length - end) < 15 && route.unmatched == 0)
    for corner in Self.way[1...2] {
      let place = script.degrees(corner)
      #expect(
        route.points.contains {
          Geodesic(from: ($0.x, $0.y), to: place).distance < 1
        })
    }
  }

  /// The street is missing between two crossings: no way around it is taken for the way.
  @Test(arguments: [5.0, 20]) func aHoleInTheMapIsBridged(interval: Double) throws {
    let script = MapScript.grid { $0 == SIMD2(900, 800) }
    let track = script.track(Self.way, every: interval)
    let route = try #require(try RouteMatcher.route(of: track, on: script.map()) { $0.isRoad })
    let end = (track.last?.time.seconds ?? 0) * 10
    #expect(abs(route.length - end) < 40)
    #expect(100...460 ~= route.unmatched)
  }

  @Test func aOneWayStreetIsNotDrivenBackwards() throws {
    var script = MapScript()
    script.add([SIMD2(1_000, 0), SIMD2(0, 0)], .minor, isOneWay: true)
    script.add([SIMD2(0, 0), SIMD2(0, 30), SIMD2(1_000, 30), SIMD2(1_000, 0)], .minor)
    let track = script.track([SIMD2(0, 12), SIMD2(1_000, 12)], every: 10, noise: 1)
    let route = try #require(try RouteMatcher.route(of: track, on: script.map()) { $0.isRoad })
    let far = script.degrees(SIMD2(500, 25))
    #expect(route.points.dropFirst().dropLast().allSatisfy { $0.x > far.latitude })
  }

  @Test func aWayOffTheMapHasNoRoute() throws {
    let script = MapScript.grid()
    let away = script.track([SIMD2(5_000, 0), SIMD2(9_000, 3_000)], every: 10)
    #expect(try RouteMatcher.route(of: away, on: script.map()) { $0.isRoad } == nil)
    var vague = script.track(Self.way, every: 10)
    for index in vague.indices where index % 3 > 0 {
      let (place, time) = (script.degrees(Self.way[0]), vague[index].time)
      vague[index] = RouteMatcher.Position(
        time: time, latitude: place.latitude, longitude: place.longitude, radius: 90)
    }
    #expect(try RouteMatcher.route(of: vague, on: script.map()) { $0.isRoad } == nil)
  }

  @Test func aRouteCrossesTheAntimeridian() throws {
    var script = MapScript(corner: (latitude: -17, longitude: 179.99))
    script.add([SIMD2(0, 0), SIMD2(3_000, 0)], .primary)
    let track = script.track([SIMD2(0, 0), SIMD2(3_000, 0)], every: 10)
    let route = try #require(try RouteMatcher.route(of: track, on: script.map()) { $0.isRoad })
    #expect(abs(route.length - 3_000) < 15 && route.points.contains { $0.y < 0 })
  }

  // MARK: Timelines

  /// Trips of legs, which end at these times, seconds, of an activity each; a nil is no trip.
  private static func timeline(_ ends: [(Int64, Activity?)], isGap: Bool) -> [TimelineItem] {
    var start = Timestamp(nanoseconds: 0)
    return ends.map { seconds, activity in
      let end = Timestamp(nanoseconds: seconds * 1_000_000_000)
      defer { start = end }
      guard let activity else {
        return isGap
          ? .gap(Gap(start: start, end: end)) : .stay(Stay(start: start, end: end, location: nil))
      }
      return .trip(
        Trip(legs: [
          Trip.Leg(start: start, end: end, activity: activity, distance: nil, steps: 0)
        ]))
    }
  }

  /// The way over a time without fixes belongs to none of the trips beside it.
  @Test(arguments: [true, false]) func aWayWithoutFixesIsNotCountedTwice(isGap: Bool) throws {
    let script = MapScript.grid()
    // 1,000 of 3,400 m lie in the time without fixes.
    let track = script.track(Self.way, every: 5).filter { !(100..<200 ~= $0.time.seconds) }
    var items = Self.timeline(
      [(100, .automotive), (200, nil), (341, .automotive)], isGap: isGap)
    let routes = try script.map().matchTrips(in: &items, along: track)
    #expect(items.count == 3 && routes.count == 2)
    #expect(abs(routes.values.reduce(0) { $0 + $1.length } - 2_400) < 120)
  }

  /// A leg that leaves a road for rails becomes two; one that the user corrected does not.
  @Test func aLegIsDividedWhereRailsBegin() throws {
    var script = MapScript()
    let way = [SIMD2(0.0, 0), SIMD2(6_000, 0), SIMD2(12_000, 3_000)]
    script.add(Array(way[...1]), .primary)
    script.add(Array(way[1...]), .rail)
    let track = script.track(way, every: 5)
    var items = Self.timeline([(1_270, .automotive)], isGap: false)
    var corrected = items
    let routes = try script.map().matchTrips(in: &items, along: track)
    #expect(items[0].legs.map(\.activity) == [.automotive, .train])
    #expect(abs((items[0].legs.first?.end.seconds ?? 0) - 600) < 60 && routes.count == 2)
    guard case .trip(var trip) = corrected[0] else { return }
    trip.legs[0].isCorrected = true
    corrected[0] = .trip(trip)
    _ = try script.map().matchTrips(in: &corrected, along: track)
    #expect(corrected[0].legs == trip.legs)
    #expect(try script.map().matchTrips(in: &corrected, along: []).isEmpty)
  }

  // MARK: Rails

  private func isOnRails(
    _ script: MapScript, _ way: [SIMD2<Double>], prior: Double = 0
  ) throws -> [Bool] {
    try RailEvidence.stretches(of: script.track(way, every: 5), on: script.map()) { _ in prior }
      .map(\.isOnRails)
  }

  @Test func aTrainIsToldFromTheRoadBesideIt() throws {
    var script = MapScript()
    let (rail, road) = ([SIMD2(0.0, 0), SIMD2(6_000, 0)], [SIMD2(0.0, 45), SIMD2(6_000, 45)])
    script.add(rail, .rail)
    script.add(road, .primary)
    #expect(try isOnRails(script, rail) == [true] && isOnRails(script, road) == [false])
    // On both lines nothing is known but what else is.
    script.add(rail, .secondary)
    #expect(try isOnRails(script, rail, prior: 0.01) == [true])
    #expect(try isOnRails(script, rail, prior: -0.01) == [false])
    // Beyond the end of the map nothing votes.
    let beyond = [SIMD2(5_000.0, 20), SIMD2(20_000, 20)]
    #expect(try isOnRails(script, beyond, prior: 0.01) == [true])
    let change = [SIMD2(0.0, 500), SIMD2(4_000, 500), SIMD2(4_000, 0), SIMD2(9_000, 0)]
    var line = MapScript()
    line.add(Array(change[..<3]), .primary)
    line.add(Array(change[2...]), .rail)
    #expect(try isOnRails(line, change) == [false, true])
  }

  @Test func aTramInAStreetSupportsAtMost() throws {
    var script = MapScript()
    let way = [SIMD2(0.0, 0), SIMD2(3_000, 0)]
    script.add(way, .tram)
    #expect(try isOnRails(script, way, prior: -0.3) == [false])
    script.add(way, .rail)
    #expect(try isOnRails(script, way, prior: -0.03) == [true])
  }
}

@Suite struct RoadMapTests {
  @Test func aMapGivesItsLinesBack() throws {
    var script = MapScript.grid()
    script.add([SIMD2(0, 0), SIMD2(12_000, 9_000)], .rail)
    let map = try script.map()
    #expect(map.notice == "© Nobody")
    let lines = try map.lines(near: [script.degrees(SIMD2(1_000, 1_000))], within: 3_000)
    #expect(lines.reduce(0) { $0 + $1.points.count } > 240 && lines.contains { $0.kind == .rail })
    let corners = [SIMD2(0.0, 0), SIMD2(200, 0), SIMD2(1_800, 2_000)].map(script.degrees)
    for corner in corners {
      #expect(
        lines.contains { line in
          line.points.contains { Geodesic(from: $0, to: corner).distance < 0.6 }
        })
    }
    #expect(script.bytes.count < 125 * 60)
    #expect(abs((script.builder.kilometres[.rail] ?? 0) - 15) < 0.1)
    let far = try map.lines(near: [(latitude: 10, longitude: 10)], within: 3_000)
    #expect(far.isEmpty)
    script.add([SIMD2(0, 0), SIMD2(10, 10)], .path)
    #expect(try script.map().identity != map.identity)
  }

  /// Whatever became of the bytes, the answer is an error or lines, in little memory.
  @Test func aDamagedMapIsAnErrorAndNoTrap() throws {
    let script = MapScript.grid()
    let (bytes, track) = (script.bytes, script.track([SIMD2(0, 0), SIMD2(900, 0)], every: 10))
    var generator = SplitMix64(seed: 7)
    for _ in 0..<TestLength.runs(2_000, long: 100_000) {
      var mutant = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        mutant[Int.random(in: 0..<mutant.count, using: &generator)] ^= UInt8.random(
          in: 1...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        mutant.removeLast(Int.random(in: 0..<mutant.count, using: &generator))
      }
      #expect(throws: RoadMap.Problem.self) {
        let map = try RoadMap(bytes: mutant)
        _ = try RouteMatcher.route(of: track, on: map) { $0.isRoad }
        _ = try map.lines(near: [script.degrees(SIMD2(2_000, 2_000))], within: 3_000)
      }
    }
    var newer = bytes
    newer[4] = 2
    #expect(throws: RoadMap.Problem.newer(version: 2)) { try RoadMap(bytes: newer) }
    #expect(throws: RoadMap.Problem.foreign) { try RoadMap(bytes: Array("GPX".utf8)) }
  }

  @Test func tagsTellTheKind() {
    func kind(_ tags: [String: String]) -> RoadMap.Kind? { RoadMap.Kind { tags[$0] } }
    #expect(kind(["highway": "motorway_link"]) == .motorway && kind(["railway": "tram"]) == .tram)
    #expect(kind(["natural": "water"]) == .water && kind(["highway": "steps"]) == .path)
    #expect(kind(["highway": "proposed"]) == nil && kind(["railway": "abandoned"]) == nil)
  }
}
