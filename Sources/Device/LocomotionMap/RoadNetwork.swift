import LocomotionPositioning

/// The lines of a map near a track, as a graph: points that are equal are one node.
struct RoadNetwork {
  struct Edge {
    var from, to: Int32
    var length: Double
    var kind: RoadMap.Kind
    var isOneWay: Bool
  }

  /// A place on an edge near a position.
  struct Candidate {
    var edge: Int
    /// The part of the edge before it, 0 to 1.
    var fraction: Double
    /// From the position, metres.
    var distance: Double
    var position: SIMD3<Double>
  }

  /// Earth-centred, metres.
  private(set) var nodes: [SIMD3<Double>] = []
  private(set) var edges: [Edge] = []
  /// The edges at each node: of node `n` those from `first[n]` to `first[n + 1]`.
  private var first: [Int32] = []
  private var incident: [Int32] = []
  /// The edges by the squares of a few hundred metres around the track.
  private var squares: [Int64: [Int32]] = [:]
  private static let square = 400

  /// The network of some kinds around places, degrees.
  init(
    _ map: RoadMap, along places: [(latitude: Double, longitude: Double)],
    _ kinds: (RoadMap.Kind) -> Bool
  ) throws(RoadMap.Problem) {
    let steps = places.compactMap {
      RoadMap.steps(latitude: $0.latitude, longitude: $0.longitude)
    }
    for place in steps {
      for row in -1...1 {
        for column in -1...1 { squares[Self.number(place, row, column)] = [] }
      }
    }
    var numbers: [SIMD2<Int>: Int32] = [:]
    for cell in RoadMap.cells(along: steps, within: Self.reach).sorted() {
      for way in try map.ways(of: cell) where kinds(way.kind) {
        let own = way.points.map { point in
          if let known = numbers[point] { return known }
          let new = Int32(nodes.count)
          let place = RoadMap.degrees(point)
          nodes.append(WGS84.earthCentred(latitude: place.latitude, longitude: place.longitude))
          numbers[point] = new
          return new
        }
        for index in own.indices.dropLast() where own[index] != own[index + 1] {
          add(way, index, own)
        }
      }
    }
    index()
  }

  /// How far from the track the network reaches, metres.
  private static let reach = 1_000.0

  private static func number(_ place: SIMD2<Int>, _ row: Int, _ column: Int) -> Int64 {
    let around = RoadMap.circle / square
    let east = place.y / square + column
    return Int64(place.x / square + row) * Int64(around) + Int64((east % around + around) % around)
  }

  private mutating func add(_ way: RoadMap.Way, _ index: Int, _ own: [Int32]) {
    let (one, other) = (way.points[index], way.points[index + 1])
    let (from, to) = (own[index], own[index + 1])
    edges.append(
      Edge(
        from: from, to: to, length: nodes[Int(from)].distance(to: nodes[Int(to)]), kind: way.kind,
        isOneWay: way.isOneWay))
    // Both ends and the places between in small parts: no square on the way is left out but
    // corners.
    let parts = max(abs(other.x - one.x), abs(other.y - one.y)) / (Self.square / 2) + 1
    guard parts < 10 else { return }
    var last: Int64 = -1
    for part in 0...parts {
      let place = one &+ (other &- one) &* part / parts
      let number = Self.number(place, 0, 0)
      if number != last, squares[number] != nil { squares[number]?.append(Int32(edges.count - 1)) }
      last = number
    }
  }

  private mutating func index() {
    first = [Int32](repeating: 0, count: nodes.count + 1)
    for edge in edges {
      first[Int(edge.from) + 1] += 1
      first[Int(edge.to) + 1] += 1
    }
    for node in nodes.indices { first[node + 1] += first[node] }
    incident = [Int32](repeating: 0, count: 2 * edges.count)
    var next = first
    for (number, edge) in edges.enumerated() {
      for node in [Int(edge.from), Int(edge.to)] {
        incident[Int(next[node])] = Int32(number)
        next[node] += 1
      }
    }
  }

  /// The edges by which a node may be left, or reached, with their other ends.
  @inline(__always)
  func forEachEdge(
    at node: Int, isReversed: Bool, _ body: (_ edge: Int, _ other: Int) -> Void
  ) {
    for place in Int(first[node])..<Int(first[node + 1]) {
      let number = Int(incident[place])
      let edge = edges[number]
      let isForward = Int(edge.from) == node
      if !edge.isOneWay || isForward != isReversed {
        body(number, Int(isForward ? edge.to : edge.from))
      }
    }
  }

  /// The nearest places on edges within a distance of a position, nearest first, one of an edge.
  func candidates(
    near position: SIMD3<Double>, within distance: Double, most: Int
  ) -> [Candidate] {
    let place = WGS84.geodetic(position)
    guard let step = RoadMap.steps(latitude: place.latitude, longitude: place.longitude) else {
      return []
    }
    var found: [Candidate] = []
    for row in -1...1 {
      for column in -1...1 {
        for number in squares[Self.number(step, row, column)] ?? [] {
          let edge = edges[Int(number)]
          let start = nodes[Int(edge.from)]
          let way = nodes[Int(edge.to)] - start
          let along = ((position - start) * way).sum() / (edge.length * edge.length)
          let fraction = min(max(along, 0), 1)
          let foot = start + way * fraction
          let far = position.distance(to: foot)
          guard far <= distance else { continue }
          found.append(
            Candidate(edge: Int(number), fraction: fraction, distance: far, position: foot))
        }
      }
    }
    found.sort { ($0.distance, $0.edge) < ($1.distance, $1.edge) }
    var last = -1
    found = found.filter { candidate in
      defer { last = candidate.edge }
      return candidate.edge != last
    }
    return Array(found.prefix(most))
  }
}

extension SIMD3<Double> {
  func distance(to other: Self) -> Double {
    let way = other - self
    return (way * way).sum().squareRoot()
  }
}
