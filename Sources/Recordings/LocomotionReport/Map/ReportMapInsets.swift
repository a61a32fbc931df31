/// The parts of a map that its whole extent would show too small.
extension ReportMap {
  /// A cluster of places that gets a map of its own.
  struct Inset {
    /// The letters of its places.
    var letters: [String]
    var bounds: MapBounds
  }

  /// The largest number of insets.
  static let mostInsets = 3
  /// A cluster is magnified when the map is this many times as large as it.
  static let leastMagnification = 8.0

  /// The clusters with most places and trips, up to three, that are small on the whole map.
  ///
  /// Places belong to one cluster when a chain of others joins them with steps below a limit, which
  /// is lowered until the clusters are small enough. One place alone is a cluster when a trip
  /// begins and ends there.
  func insets() -> [Inset] {
    let largest = bounds.largest / Self.leastMagnification
    var found: [(inset: Inset, places: [Int], weight: Int)] = []
    var open = Set(sites.indices)
    var limit = largest
    while limit > 50, !open.isEmpty {
      for cluster in clusters(of: open.sorted(), within: limit) {
        guard let inset = inset(of: cluster, below: largest) else { continue }
        found.append((inset.inset, cluster, inset.weight))
        open.subtract(cluster)
      }
      limit /= 2
    }
    // The order of the places decides between equals.
    let best = found.enumerated().sorted {
      ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
    }
    let shown = best.prefix(Self.mostInsets).sorted { $0.element.places[0] < $1.element.places[0] }
    return shown.map { $0.element.inset }
  }

  private func clusters(of places: [Int], within limit: Double) -> [[Int]] {
    var clusters: [[Int]] = []
    for place in places {
      let near = clusters.indices.filter { index in
        clusters[index].contains { other in
          let away = sites[other].position - sites[place].position
          return (away * away).sum() <= limit * limit
        }
      }
      let joined = near.flatMap { clusters[$0] } + [place]
      for index in near.reversed() { clusters.remove(at: index) }
      clusters.append(joined.sorted())
    }
    return clusters
  }

  private func inset(of places: [Int], below largest: Double) -> (inset: Inset, weight: Int)? {
    guard var bounds = MapBounds(places.map { sites[$0].position }) else { return nil }
    func nearest(_ point: SIMD2<Double>) -> Int? {
      sites.indices.min { distance(point, $0) < distance(point, $1) }
        .flatMap { distance(point, $0) < 200 * 200 ? $0 : nil }
    }
    func distance(_ point: SIMD2<Double>, _ site: Int) -> Double {
      let away = sites[site].position - point
      return (away * away).sum()
    }
    // What begins and ends at its places belongs to the cluster as long as that stays small.
    var trips = 0
    let byTrip = Dictionary(grouping: lines, by: { $0.trip })
    for trip in byTrip.keys.sorted() {
      let points = (byTrip[trip] ?? []).flatMap { $0.courses.joined() }
      guard let first = points.first, let last = points.last,
        let from = nearest(first), let to = nearest(last),
        places.contains(from), places.contains(to),
        let around = MapBounds(points + [bounds.low, bounds.high]), around.largest <= largest
      else { continue }
      bounds = around
      trips += 1
    }
    guard places.count > 1 || trips > 0, bounds.largest <= largest else { return nil }
    return (
      Inset(letters: places.map { sites[$0].letter }, bounds: bounds.widened(to: 200)),
      places.count + trips
    )
  }
}
