import LocomotionPositioning

/// Makes a map, line by line, in the memory that its file takes.
public struct RoadMapBuilder {
  private var cells: [Int: [UInt8]] = [:]
  /// The kilometres by kind.
  public private(set) var kilometres: [RoadMap.Kind: Double] = [:]
  /// The bytes of all cells.
  public var size: Int { cells.values.reduce(0) { $0 + $1.count } }

  /// An empty map.
  public init() {}

  /// The longest part of a line between two points, steps: half a kilometre, so that whoever reads
  /// the cells around a place has all that passes it.
  private static let longest = 900

  /// Adds a line of places, degrees; of a one-way street in its direction.
  public mutating func add(
    _ line: [(latitude: Double, longitude: Double)], _ kind: RoadMap.Kind, isOneWay: Bool = false,
    isBridge: Bool = false, isTunnel: Bool = false
  ) {
    var points: [SIMD2<Int>] = []
    for place in line {
      guard let next = RoadMap.steps(latitude: place.latitude, longitude: place.longitude),
        next != points.last
      else { continue }
      if let last = points.last {
        var way = next &- last
        if abs(way.y) > RoadMap.circle / 2 { way.y -= way.y.signum() * RoadMap.circle }
        // A line of half the Earth is none of a map.
        let parts = min(max(abs(way.x), abs(way.y)) / Self.longest + 1, 10_000)
        for part in stride(from: 1, to: parts, by: 1) {
          let east = last.y + way.y * part / parts
          points.append(
            SIMD2(
              last.x + way.x * part / parts,
              (east % RoadMap.circle + RoadMap.circle) % RoadMap.circle))
        }
        let metres = Geodesic(
          from: RoadMap.degrees(last), to: (place.latitude, place.longitude)
        ).distance
        kilometres[kind, default: 0] += metres / 1_000
      }
      points.append(next)
    }
    let flags: [(Bool, UInt8)] = [
      (isOneWay, RoadMap.oneWay), (isBridge, RoadMap.bridge), (isTunnel, RoadMap.tunnel),
    ]
    let head = flags.reduce(kind.rawValue) { $1.0 ? $0 | $1.1 : $0 }
    var start = 0
    while start + 1 < points.count {
      let number = RoadMap.number(points[start])
      var end = start + 1
      while end + 1 < points.count, RoadMap.number(points[end]) == number { end += 1 }
      write(points[start...end], head, number)
      start = end
    }
  }

  private mutating func write(_ points: some Collection<SIMD2<Int>>, _ head: UInt8, _ number: Int) {
    var bytes: [UInt8] = [head]
    MapBytes.append(points.count, to: &bytes)
    var last = SIMD2(number / RoadMap.columns, number % RoadMap.columns) &* RoadMap.cell
    for point in points {
      var step = point &- last
      if abs(step.y) > RoadMap.circle / 2 { step.y -= step.y.signum() * RoadMap.circle }
      MapBytes.append(signed: step.x, to: &bytes)
      MapBytes.append(signed: step.y, to: &bytes)
      last = point
    }
    cells[number, default: []] += bytes
  }

  private struct End: Hashable {
    var head: UInt8
    var point: SIMD2<Int>
  }

  /// Joins lines of one kind in a cell where one ends and the other goes on, which saves half of
  /// the bytes of streets that come block by block.
  private mutating func join(_ number: Int) {
    guard let bytes = cells[number], let all = try? RoadMap.lines(in: bytes, of: number) else {
      return
    }
    var lines: [(head: UInt8, points: [SIMD2<Int>])] = []
    var ends: [End: Int] = [:]
    for (head, line) in all {
      var points = line
      let isOneWay = head & RoadMap.oneWay != 0
      if !isOneWay, ends[End(head: head, point: points[0])] == nil { points.reverse() }
      let start = End(head: head, point: points[0])
      if let index = ends.removeValue(forKey: start) {
        lines[index].points += points.dropFirst()
        ends[End(head: head, point: points[points.count - 1])] = index
      } else {
        ends[End(head: head, point: points[points.count - 1])] = lines.count
        lines.append((head, points))
      }
    }
    cells[number] = []
    for line in lines { write(line.points, line.head, number) }
  }

  /// Calls `write` with the bytes of the file, in order.
  public mutating func write<Failure: Error>(
    notice: String, _ write: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    func littleEndian(_ number: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
    let numbers = cells.keys.sorted()
    for number in numbers { join(number) }
    var directory: [UInt8] = []
    MapBytes.append(notice.utf8.count, to: &directory)
    directory += notice.utf8
    MapBytes.append(numbers.count, to: &directory)
    var last = -1
    for number in numbers {
      let bytes = cells[number] ?? []
      MapBytes.append(number - last - 1, to: &directory)
      MapBytes.append(bytes.count, to: &directory)
      directory += littleEndian(RoadMap.check(bytes))
      last = number
    }
    try write(
      RoadMap.mark + littleEndian(UInt32(directory.count)) + littleEndian(RoadMap.check(directory)))
    try write(directory)
    for number in numbers { try write(cells[number] ?? []) }
  }
}
