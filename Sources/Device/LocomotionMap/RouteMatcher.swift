public import Locomotion
import LocomotionPositioning
public import LocomotionSensing

/// The way along the lines of a map that a track most probably took.
///
/// A hidden Markov model over the positions of the track (Newson and Krumm, "Hidden Markov map
/// matching through noise and sparseness", ACM GIS 2009): the states are places on edges, and one
/// off the network. The density of a position is normal in its distance from the place; what a
/// route is longer than the chord between two positions has an exponential density, whose mean
/// grows with the chord. A route that is much longer than the time lets expect is one around a hole
/// in the map, and the chord stands for it.
public struct RouteMatcher {
  /// A position of a track that was smoothed.
  public struct Position {
    /// When it was so.
    public let time: Timestamp
    /// Degrees.
    var latitude, longitude: Double
    /// The radius that holds it with probability 0.68, metres.
    var radius: Double

    /// A position at a time: degrees, and metres of radius.
    public init(time: Timestamp, latitude: Double, longitude: Double, radius: Double) {
      (self.time, self.latitude, self.longitude) = (time, latitude, longitude)
      self.radius = radius
    }

    /// The location of a second with a fix; nil without.
    public init?(_ sample: LocomotionSample) {
      guard sample.rawLocation != nil, let location = sample.location else { return nil }
      self.init(
        time: sample.start, latitude: location.latitude, longitude: location.longitude,
        radius: location.radius68)
    }
  }

  /// A way, and how much of it is known.
  public struct Route: Equatable, Sendable {
    /// Degrees.
    public internal(set) var points: [SIMD2<Double>] = []
    /// Metres, without what is off the network where too much of it is.
    public internal(set) var length = 0.0
    /// The metres of it that are chords.
    public internal(set) var unmatched = 0.0
  }

  // MARK: Figures, chosen on half of 25 tracks with a known way

  /// The least standard deviation of a position's distance from its way, metres.
  private static let deviation = 8.0
  /// How far the way is looked for, in standard deviations, and the most candidates.
  private static let (reach, mostCandidates) = (7.5, 16)
  /// The mean of what a route is longer than its chord: metres, and of the chord.
  private static let (excess, excessOfChord) = (5.0, 0.08)
  /// Nats: the longest excess that is looked for, in means; a position off the network; leaving it;
  /// a hole in the map.
  private static let (longestExcess, off, leaving, hole) = (15.0, 15.8, 6.0, 12.0)
  /// A route this many times as long as can be expected is one around a hole in the map.
  private static let detour = 1.4
  /// Positions closer in time are left out, seconds, and those with a larger radius, metres.
  private static let (shortestStep, largestRadius) = (5.0, 40.0)
  /// The most positions that are matched at once.
  private static let longestPart = 500

  private let network: RoadNetwork
  private var search: RouteSearch
  private let track: [(time: Timestamp, position: SIMD3<Double>, deviation: Double)]

  /// The way of a track; nil without two positions, or where less than half of it is on the map.
  public static func route(
    of track: [Position], on map: RoadMap, _ kinds: (RoadMap.Kind) -> Bool
  ) throws(RoadMap.Problem) -> Route? {
    var kept: [Position] = []
    let known = track.filter { $0.radius <= largestRadius }
    for (index, position) in known.enumerated() {
      guard let last = kept.last, index + 1 < known.count else {
        kept.append(position)
        continue
      }
      let far = Geodesic(
        from: (last.latitude, last.longitude), to: (position.latitude, position.longitude)
      ).distance
      if position.time.seconds(since: last.time) >= shortestStep, far >= 2 * deviation {
        kept.append(position)
      }
    }
    guard kept.count > 1, 2 * known.count >= track.count else { return nil }
    // A network at a time: of a day's drive across a country it would be the country's.
    var route = Route()
    for start in stride(from: 0, to: kept.count - 1, by: longestPart) {
      let part = kept[start...min(start + longestPart, kept.count - 1)]
      let network = try RoadNetwork(map, along: part.map { ($0.latitude, $0.longitude) }, kinds)
      var matcher = RouteMatcher(Array(part), network)
      let next = matcher.route()
      route.points += next.points.drop { $0 == route.points.last }
      route.length += next.length
      route.unmatched += next.unmatched
    }
    return 2 * route.unmatched <= route.length ? route : nil
  }

  private init(_ track: [Position], _ network: RoadNetwork) {
    self.network = network
    search = RouteSearch(network)
    self.track = track.map { position in
      (
        position.time,
        WGS84.earthCentred(latitude: position.latitude, longitude: position.longitude),
        max(Self.deviation, position.radius / 1.51)
      )
    }
  }

  // MARK: Viterbi

  /// A candidate with its best path: the index of the one before, −1 off the network.
  private struct State {
    var candidate: RoadNetwork.Candidate?
    var cost: Double
    var origin = 0
  }

  private mutating func route() -> Route {
    var columns: [[State]] = []
    for (index, fix) in track.enumerated() {
      let near = network.candidates(
        near: fix.position, within: Self.reach * fix.deviation, most: Self.mostCandidates)
      var column = near.map { candidate in
        let z = candidate.distance / fix.deviation
        return State(candidate: candidate, cost: z * z / 2)
      }
      column.append(State(candidate: nil, cost: Self.off))
      if index > 0 { advance(columns[index - 1], to: &column, index) }
      columns.append(column)
    }
    return trace(columns)
  }

  private mutating func advance(_ before: [State], to column: inout [State], _ index: Int) {
    let chord = track[index - 1].position.distance(to: track[index].position)
    let mean = Self.excess + Self.excessOfChord * chord
    let limit = chord + Self.longestExcess * mean
    let best = before.reduce(.infinity) { min($0, $1.cost) }
    let ends = column.dropLast().compactMap { $0.candidate }
    var costs = [Double](repeating: .infinity, count: column.count)
    func offer(_ cost: Double, from origin: Int, to state: Int) {
      guard cost < costs[state] else { return }
      costs[state] = cost
      column[state].origin = origin
    }
    for (origin, state) in before.enumerated() {
      let outside = state.candidate == nil
      for other in column.indices {
        let goesOutside = column[other].candidate == nil
        if outside || goesOutside {
          offer(state.cost + (outside && goesOutside ? 0 : Self.leaving), from: origin, to: other)
        }
      }
      guard let start = state.candidate, state.cost < best + Self.longestExcess else { continue }
      let lengths = search.lengths(
        from: start, to: ends, within: limit, slack: 2 * track[index].deviation)
      for (other, length) in lengths.enumerated() {
        // Two places may be joined over a hole in the map, too.
        offer(state.cost + min(abs(length - chord) / mean, Self.hole), from: origin, to: other)
      }
    }
    for state in column.indices { column[state].cost += costs[state] }
  }

  // MARK: The way

  /// A line without what goes on and comes back by less than the errors of positions.
  private func withoutSpurs(_ places: [SIMD3<Double>]) -> [SIMD3<Double>] {
    var line: [SIMD3<Double>] = []
    // What was taken back of one spur: who turns around for more meant it.
    var spur = 0.0
    for place in places {
      let kept = line.count
      while let tip = line.last, line.count > 1, tip != place {
        let (out, back) = (line[line.count - 2].distance(to: tip), tip.distance(to: place))
        spur += min(out, back)
        guard spur < 3 * Self.deviation,
          ((tip - line[line.count - 2]) * (place - tip)).sum() < -0.99 * out * back
        else { break }
        line.removeLast()
      }
      if line.count == kept { spur = 0 }
      if place != line.last { line.append(place) }
    }
    return line
  }

  private mutating func trace(_ columns: [[State]]) -> Route {
    guard let final = columns.last else { return Route() }
    var state = final.indices.min { final[$0].cost < final[$1].cost } ?? 0
    var path: [RoadNetwork.Candidate?] = []
    for column in columns.reversed() {
      path.append(column[state].candidate)
      state = column[state].origin
    }
    path.reverse()
    // The ways between one position and the next; nil where one is off the network.
    let steps = path.indices.dropFirst().map { index -> RouteSearch.Way? in
      guard let from = path[index - 1], let to = path[index] else { return nil }
      let chord = track[index - 1].position.distance(to: track[index].position)
      let limit = chord + Self.longestExcess * (Self.excess + Self.excessOfChord * chord)
      return search.way(from: from, to: to, within: limit, slack: 2 * track[index].deviation)
        ?? search.bridge(from: from, to: to, chord)
    }
    func seconds(_ step: Int) -> Double {
      max(1, track[step + 1].time.seconds(since: track[step].time))
    }
    var route = Route()
    var places = [path[0]?.position ?? track[0].position]
    for (index, step) in steps.enumerated() {
      let chord = track[index].position.distance(to: track[index + 1].position)
      let around = (max(0, index - 3)..<min(steps.count, index + 4)).filter { $0 != index }
      let fastest = around.map { (steps[$0]?.length ?? 0) / seconds($0) }.max() ?? 0
      var step = step
      if let found = step, found.length > Self.detour * max(chord, fastest * seconds(index)) + 60,
        let (from, to) = path[index].flatMap({ from in path[index + 1].map { (from, $0) } })
      {
        step = search.bridge(from: from, to: to, chord)
      }
      let way =
        step
        ?? RouteSearch.Way(
          points: [path[index + 1]?.position ?? track[index + 1].position], length: chord,
          unmatched: chord)
      places += way.points
      route.unmatched += way.unmatched
    }
    let line = withoutSpurs(places)
    route.length = zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    route.points = line.map { place in
      let degrees = WGS84.geodetic(place)
      return SIMD2(degrees.latitude, degrees.longitude)
    }
    return route
  }
}

/// Shortest ways on a network (Dijkstra, 1959), within a length.
struct RouteSearch {
  /// A way: its points without the first, and its length, metres, with that beyond the network.
  struct Way {
    var points: [SIMD3<Double>]
    var length: Double
    var unmatched = 0.0
  }

  private let network: RoadNetwork
  private var lengths: [Double]
  private var origins: [Int32]
  /// The search in which a node's length was found.
  private var stamps: [Int32]
  private var stamp: Int32 = 0
  private var heap: [(length: Double, node: Int32)] = []
  /// The nodes that the last search reached.
  private var visited: [Int32] = []

  init(_ network: RoadNetwork) {
    self.network = network
    lengths = [Double](repeating: .infinity, count: network.nodes.count)
    origins = [Int32](repeating: -1, count: network.nodes.count)
    stamps = [Int32](repeating: 0, count: network.nodes.count)
  }

  /// The lengths of the ways to some places, metres; infinite where there is none within `limit`.
  ///
  /// Against a one-way street a place may be `slack` metres behind, by the error of positions.
  mutating func lengths(
    from start: RoadNetwork.Candidate, to ends: [RoadNetwork.Candidate], within limit: Double,
    slack: Double
  ) -> [Double] {
    explore(from: start, within: limit)
    return ends.map { min(direct(from: start, to: $0, slack), arrival(at: $0).length) }
      .map { $0 <= limit ? $0 : .infinity }
  }

  /// The way to a place; nil where there is none within `limit`.
  mutating func way(
    from start: RoadNetwork.Candidate, to end: RoadNetwork.Candidate, within limit: Double,
    slack: Double
  ) -> Way? {
    explore(from: start, within: limit)
    let direct = direct(from: start, to: end, slack)
    let arrival = arrival(at: end)
    guard min(direct, arrival.length) <= limit else { return nil }
    guard arrival.length < direct else { return Way(points: [end.position], length: direct) }
    return Way(
      points: chain(from: arrival.node).reversed() + [end.position], length: arrival.length)
  }

  /// The positions of a node and of those through which it was reached.
  private func chain(from node: Int) -> [SIMD3<Double>] {
    var positions: [SIMD3<Double>] = []
    var node = node
    while node >= 0 {
      positions.append(network.nodes[node])
      node = Int(origins[node])
    }
    return positions
  }

  /// The way to a place over one hole in the map, as short as it can be; nil where none is near the
  /// chord.
  mutating func bridge(
    from start: RoadNetwork.Candidate, to end: RoadNetwork.Candidate, _ chord: Double
  ) -> Way? {
    let limit = 1.2 * chord + 100
    /// The ends of the way on one side: nodes that lie between both places.
    func side(
      _ place: RoadNetwork.Candidate, to other: RoadNetwork.Candidate, isReversed: Bool
    ) -> [(node: Int, position: SIMD3<Double>, length: Double)] {
      explore(from: place, within: limit, isReversed: isReversed)
      return [(-1, place.position, 0)]
        + visited.map { (Int($0), network.nodes[Int($0)], lengths[Int($0)]) }
        .filter { $0.2 + $0.1.distance(to: other.position) <= limit }
    }
    let (heads, tails) = (
      side(start, to: end, isReversed: false), side(end, to: start, isReversed: true)
    )
    var best: (head: Int, tail: Int, length: Double, hole: Double)?
    for head in heads.prefix(1_000) {
      for tail in tails.prefix(1_000) {
        let hole = head.position.distance(to: tail.position)
        let length = head.length + hole + tail.length
        if length + hole < best.map({ $0.length + $0.hole }) ?? .infinity, length <= limit {
          best = (head.node, tail.node, length, hole)
        }
      }
    }
    guard let best else { return nil }
    let second = chain(from: best.tail)
    explore(from: start, within: limit)
    return Way(
      points: chain(from: best.head).reversed() + second + [end.position], length: best.length,
      unmatched: best.hole)
  }

  private func direct(
    from start: RoadNetwork.Candidate, to end: RoadNetwork.Candidate, _ slack: Double
  ) -> Double {
    guard start.edge == end.edge else { return .infinity }
    let edge = network.edges[start.edge]
    let length = (end.fraction - start.fraction) * edge.length
    if length >= 0 || !edge.isOneWay { return abs(length) }
    return -length <= slack ? -length : .infinity
  }

  private func arrival(at end: RoadNetwork.Candidate) -> (length: Double, node: Int) {
    let edge = network.edges[end.edge]
    var best = (length: reached(Int(edge.from)) + end.fraction * edge.length, node: Int(edge.from))
    let other = reached(Int(edge.to)) + (1 - end.fraction) * edge.length
    if !edge.isOneWay, other < best.length { best = (other, Int(edge.to)) }
    return best
  }

  private func reached(_ node: Int) -> Double { stamps[node] == stamp ? lengths[node] : .infinity }

  private mutating func explore(
    from start: RoadNetwork.Candidate, within limit: Double, isReversed: Bool = false
  ) {
    stamp += 1
    heap.removeAll(keepingCapacity: true)
    visited.removeAll(keepingCapacity: true)
    let edge = network.edges[start.edge]
    for (node, fraction, isForward) in [
      (edge.to, 1 - start.fraction, true), (edge.from, start.fraction, false),
    ] where !edge.isOneWay || isForward != isReversed {
      reach(Int(node), fraction * edge.length, from: -1)
    }
    while let (length, node) = pop() {
      guard length <= limit else { break }
      guard length == lengths[Int(node)] else { continue }
      visited.append(node)
      network.forEachEdge(at: Int(node), isReversed: isReversed) { edge, other in
        reach(other, length + network.edges[edge].length, from: node)
      }
    }
  }

  private mutating func reach(_ node: Int, _ length: Double, from origin: Int32) {
    guard length < reached(node) else { return }
    (lengths[node], origins[node], stamps[node]) = (length, origin, stamp)
    heap.append((length, Int32(node)))
    var child = heap.count - 1
    while child > 0, heap[(child - 1) / 2].length > heap[child].length {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func pop() -> (length: Double, node: Int32)? {
    guard let top = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return top }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].length < heap[least].length {
        least = child
      }
      guard least != parent else { return top }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
