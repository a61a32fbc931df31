internal import LocomotionSensing

/// A map of lines in a compact file: roads, rails and water, which a phone can hold.
///
/// Layout, version 1: `LMAP`, the version, the length of the directory in four bytes and its CRC-32
/// (little endian); the directory: the notice that must be shown, and of each cell of a fiftieth of
/// a degree, in order, its number, its length and its CRC-32; then the cells. A cell has ways: a
/// byte of kind and flags, the number of points, the first from the cell's corner and each other
/// one from the one before, in steps of `step`. Numbers are LEB128, signed ones zigzag. Where two
/// ways have a point in common they meet.
///
/// A cell is read when it is asked for. What is damaged is an error, never a trap.
public struct RoadMap: Sendable {
  /// What a line is.
  public enum Kind: UInt8, CaseIterable, Sendable {
    case motorway, trunk, primary, secondary, tertiary, minor, service, path
    case rail, lightRail, tram, subway, water

    /// Whether trains run on it.
    public var isRail: Bool { self >= .rail && self < .water }
    /// Whether vehicles drive on it.
    public var isRoad: Bool { self <= .service }
  }

  /// Why a map cannot be read.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    case foreign, damaged
    case newer(version: UInt8)

    /// What was expected, and what was found.
    public var description: String {
      switch self {
      case .foreign: "expected a map that 'locomotion map' makes"
      case .damaged: "the map is damaged or cut"
      case .newer(let version): "the map has version \(version), made by a later release"
      }
    }
  }

  /// A line with the same kind and flags throughout.
  struct Way {
    var kind: Kind
    var isOneWay: Bool
    /// In steps north of the south pole and east of 180° west.
    var points: [SIMD2<Int>]
  }

  /// Degrees; half a metre.
  static let step = 5e-6
  /// Steps along a cell, around the Earth, and cells around it.
  static let cell = 4_000
  static let circle = 72_000_000
  static let columns = circle / cell
  static let version: UInt8 = 1
  static let mark: [UInt8] = Array("LMAP".utf8) + [version]
  /// The bytes before the directory.
  static let head = 13
  /// The flag of a one-way street in the byte of a kind; those of bridges and tunnels follow.
  static let (oneWay, bridge, tunnel): (UInt8, UInt8, UInt8) = (32, 64, 128)

  /// What must be shown with the map.
  public private(set) var notice = ""
  /// The CRC-32 of the directory: another one for another content.
  public let identity: UInt32
  /// The bytes of each cell, and their CRC-32, by its number.
  private var cells: [Int: (bytes: Range<Int>, check: UInt32)] = [:]
  private let read: @Sendable (Range<Int>) -> [UInt8]?

  /// A map whose file is in memory.
  public init(bytes: [UInt8]) throws(Problem) {
    try self.init { $0.upperBound <= bytes.count ? Array(bytes[$0]) : nil }
  }

  /// A map whose bytes `read` gives; nil beyond its end.
  public init(read: @escaping @Sendable (Range<Int>) -> [UInt8]?) throws(Problem) {
    self.read = read
    guard let head = read(0..<Self.head), head.prefix(4) == Self.mark.prefix(4) else {
      throw .foreign
    }
    guard head[4] == Self.version else { throw .newer(version: head[4]) }
    let numbers = [5, 9].map { place in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(head[place + $1]) << (8 * UInt32($1)) }
    }
    identity = numbers[1]
    guard numbers[0] < 1 << 28 else { throw .damaged }
    let start = Self.head + Int(numbers[0])
    guard let directory = read(Self.head..<start), directory.count == start - Self.head,
      Self.check(directory) == identity
    else { throw .damaged }
    var bytes = MapBytes(directory)
    notice = String(decoding: try bytes.take(bytes.number()), as: UTF8.self)
    var (number, end) = (-1, start)
    for _ in 0..<(try bytes.number()) {
      number += try bytes.number() + 1
      let next = end.addingReportingOverflow(try bytes.number())
      guard number < MapBytes.limit, !next.overflow else { throw .damaged }
      let check = try bytes.take(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      cells[number] = (end..<next.partialValue, check)
      end = next.partialValue
    }
  }

  static func check(_ bytes: [UInt8]) -> UInt32 {
    var check = CyclicRedundancyCheck()
    check.update(with: bytes[0..<bytes.count].span)
    return check.value
  }

  /// A place in steps; nil where it is none on the Earth.
  static func steps(latitude: Double, longitude: Double) -> SIMD2<Int>? {
    guard abs(latitude) <= 90, abs(longitude) <= 360 else { return nil }
    let east = Int(((longitude + 180) / step).rounded())
    return SIMD2(Int(((latitude + 90) / step).rounded()), (east % circle + circle) % circle)
  }

  static func degrees(_ place: SIMD2<Int>) -> (latitude: Double, longitude: Double) {
    (Double(place.x) * step - 90, Double(place.y) * step - 180)
  }

  /// The number of the cell of a place.
  static func number(_ place: SIMD2<Int>) -> Int {
    min(place.x / cell, 8_999) * columns + place.y / cell
  }

  /// The ways of a cell; none where the map has none.
  func ways(of number: Int) throws(Problem) -> [Way] {
    guard let (range, check) = cells[number] else { return [] }
    guard let all = read(range), all.count == range.count, Self.check(all) == check else {
      throw .damaged
    }
    return try Self.lines(in: all, of: number).map { (head, points) throws(Problem) in
      guard let kind = Kind(rawValue: head & 31) else { throw .damaged }
      return Way(kind: kind, isOneWay: head & Self.oneWay != 0, points: points)
    }
  }

  /// The lines in the bytes of a cell, with their bytes of kind and flags.
  static func lines(
    in bytes: [UInt8], of number: Int
  ) throws(Problem) -> [(head: UInt8, points: [SIMD2<Int>])] {
    let corner = SIMD2(number / columns, number % columns) &* cell
    var bytes = MapBytes(bytes)
    var lines: [(head: UInt8, points: [SIMD2<Int>])] = []
    while !bytes.isAtEnd {
      let head = try bytes.take(1).first ?? 0
      var (last, points) = (corner, [SIMD2<Int>]())
      for _ in 0..<(try bytes.number()) {
        let step = SIMD2(try bytes.signed(), try bytes.signed())
        guard abs(step.x) <= circle, abs(step.y) <= circle else { throw .damaged }
        last = last &+ step
        last.y = (last.y % circle + circle) % circle
        guard 0...circle / 2 ~= last.x else { throw .damaged }
        points.append(last)
      }
      lines.append((head, points))
    }
    return lines
  }

  /// The lines within a distance, metres, of a way of places, degrees.
  public func lines(
    near places: [(latitude: Double, longitude: Double)], within distance: Double
  ) throws(Problem) -> [(kind: Kind, points: [(latitude: Double, longitude: Double)])] {
    let steps = places.compactMap { Self.steps(latitude: $0.latitude, longitude: $0.longitude) }
    var lines: [(kind: Kind, points: [(latitude: Double, longitude: Double)])] = []
    for number in Self.cells(along: steps, within: distance).sorted() {
      lines += try ways(of: number).map { ($0.kind, $0.points.map(Self.degrees)) }
    }
    return lines
  }

  /// The numbers of the cells within a distance, metres, of a line of places.
  static func cells(along places: [SIMD2<Int>], within distance: Double) -> Set<Int> {
    var numbers: Set<Int> = []
    let down = Int(distance / 111_000 / step)
    for (index, place) in places.enumerated() {
      let next = places[min(index + 1, places.count - 1)]
      var way = next &- place
      if abs(way.y) > circle / 2 { way.y -= way.y.signum() * circle }
      let parts = min(max(abs(way.x), abs(way.y)) / (cell / 2) + 1, 1_000)
      for part in 0..<parts {
        func share(of way: Int) -> Int { Int(Int64(way) * Int64(part) / Int64(parts)) }
        let here = place &+ SIMD2(share(of: way.x), share(of: way.y))
        let over = Int(Double(down) / max(0.02, cosine(here.x)))
        for row in (here.x - down) / cell...(here.x + down) / cell {
          for east in (here.y - over) / cell - 1...(here.y + over) / cell {
            let column = (east % columns + columns) % columns
            numbers.insert(max(0, min(row, 8_999)) * columns + column)
          }
        }
      }
    }
    return numbers
  }

  /// The cosine of the latitude of a place, nearly: by Bhaskara's formula.
  private static func cosine(_ north: Int) -> Double {
    let degrees = abs(Double(north) * step - 90)
    return (32_400 - 4 * degrees * degrees) / (32_400 + degrees * degrees)
  }
}

extension RoadMap.Kind: Comparable {
  /// In the order of their importance among roads.
  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

  /// The kind of a line with these tags of OpenStreetMap; nil for what no map needs.
  public init?(_ tag: (String) -> String?) {
    func kind(_ key: String, _ kinds: [String: Self]) -> Self? {
      tag(key).flatMap { kinds[$0.hasSuffix("_link") ? String($0.dropLast(5)) : $0] }
    }
    let found =
      kind("highway", Self.roads) ?? kind("railway", Self.rails)
      ?? kind("waterway", ["river": .water, "canal": .water])
      ?? kind("natural", ["water": .water, "coastline": .water])
    guard let found else { return nil }
    self = found
  }

  private static let roads: [String: Self] = [
    "motorway": .motorway, "trunk": .trunk, "primary": .primary, "secondary": .secondary,
    "tertiary": .tertiary, "unclassified": .minor, "residential": .minor, "road": .minor,
    "living_street": .minor, "service": .service, "track": .service, "busway": .service,
    "path": .path, "footway": .path, "cycleway": .path, "bridleway": .path, "steps": .path,
    "pedestrian": .path,
  ]
  private static let rails: [String: Self] = [
    "rail": .rail, "narrow_gauge": .rail, "light_rail": .lightRail, "monorail": .lightRail,
    "funicular": .lightRail, "tram": .tram, "subway": .subway,
  ]
}

/// Bytes with numbers in them.
struct MapBytes {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  mutating func take(_ count: Int) throws(RoadMap.Problem) -> ArraySlice<UInt8> {
    guard 0...bytes.count - place ~= count else { throw .damaged }
    defer { place += count }
    return bytes[place..<place + count]
  }

  /// What numbers are less than: two of them add up to one of 32 bits.
  static let limit = 1 << 30

  /// A number of up to five bytes, below ``limit``.
  mutating func number() throws(RoadMap.Problem) -> Int {
    var value: Int64 = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard place < bytes.count else { break }
      let byte = bytes[place]
      place += 1
      value |= Int64(byte & 0x7F) << Int64(shift)
      guard byte >= 0x80 else {
        guard value < Self.limit else { break }
        return Int(value)
      }
    }
    throw .damaged
  }

  mutating func signed() throws(RoadMap.Problem) -> Int {
    let value = try number()
    return value & 1 == 0 ? value / 2 : -(value / 2) - 1
  }

  static func append(_ number: Int, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  static func append(signed number: Int, to bytes: inout [UInt8]) {
    append(number < 0 ? -2 * number - 1 : 2 * number, to: &bytes)
  }
}
