import Foundation
import Locomotion
import LocomotionFormats
import LocomotionMap
package import LocomotionRecordings
package import LocomotionReport

extension Command {
  static let map = Command(
    name: "map",
    synopsis: "INPUT --out FILE [--notice TEXT]",
    summary: "Makes a map of roads and rails, for --map, from lines in GeoJSON.",
    operandCount: 1...1,
    options: [
      Option(name: "out", value: "FILE", help: "the map"),
      Option(
        name: "notice", value: "TEXT",
        help: "what is shown with the map (default \"© OpenStreetMap contributors\")"),
    ],
    run: runMap)

  private static func runMap(_ arguments: Arguments) throws {
    let out = try arguments.required("out")
    let input = arguments.operands[0] == "-" ? "/dev/stdin" : arguments.operands[0]
    let outputs = OutputFiles.forCommand(inputs: input == "/dev/stdin" ? [] : [input])
    let file = try outputs.open(out)
    var features = MapFeatures()
    try features.read(input)
    guard !features.map.kilometres.isEmpty else {
      throw RecordingError.nothingUsable(
        path: input,
        reason: "none of \(features.count) features is a line with highway, railway, waterway or "
          + "natural=water")
    }
    try features.map.write(notice: arguments.value("notice") ?? "© OpenStreetMap contributors") {
      (bytes: [UInt8]) throws(RecordingError) in try file.write(bytes)
    }
    try outputs.commit()
    StandardError.write(
      "\(out): \(features.count - features.others) lines, \(features.map.size) bytes"
        + (features.others > 0 ? "; left out as of no kind: \(features.others)" : "") + "\n")
    for (kind, length) in features.map.kilometres.sorted(by: { $0.key < $1.key }) {
      StandardError.write("\(kind): \(Int(length.rounded())) km\n")
    }
  }
}

/// The lines of GeoJSON (RFC 7946): a collection, or a feature after the other (RFC 8142), as
/// osmium, GDAL, QGIS and Overpass write them.
private struct MapFeatures {
  var map = RoadMapBuilder()
  private(set) var count = 0
  /// Those without a kind.
  private(set) var others = 0
  private let progress = ProgressBar(total: 1)
  /// The limit for a feature, bytes: a coast.
  private static let longest = 1 << 26

  mutating func read(_ path: String) throws(RecordingError) {
    defer { progress.clear() }
    var stream = JSONStream(try ByteReader(path: path))
    while try stream.peek() != nil {
      var members: [String: JSONValue] = [:]
      try stream.object { (stream: inout JSONStream, name) throws(RecordingError) in
        guard name == "features" else {
          return members[name] = try stream.value(limit: Self.longest)
        }
        try stream.array { (stream: inout JSONStream) throws(RecordingError) in
          take(try stream.value(limit: Self.longest))
        }
      }
      if members["type"]?.string == "Feature" { take(.object(members)) }
    }
  }

  private mutating func take(_ feature: JSONValue) {
    count += 1
    if count % 10_000 == 0 { progress.show("\(count) features") }
    let tags = feature["properties"]
    // GDAL has the rarer tags in one text.
    let rare = tags?["other_tags"]?.string ?? ""
    func tag(_ key: String) -> String? {
      if let value = (tags?[key] ?? tags?["tags"]?[key])?.string, !value.isEmpty { return value }
      return rare.range(of: "\"\(key)\"=>\"").map {
        String(rare[$0.upperBound...].prefix { $0 != "\"" })
      }
    }
    guard let kind = RoadMap.Kind(tag), let all = feature["geometry"]?["coordinates"]?.array else {
      others += 1
      return
    }
    let way = tag("oneway") ?? ""
    let isOneWay =
      ["yes", "true", "1", "-1"].contains(way)
      || way.isEmpty && (kind == .motorway || tag("junction") == "roundabout")
    let (isBridge, isTunnel) = ((tag("bridge") ?? "no") != "no", (tag("tunnel") ?? "no") != "no")
    for line in Self.lines(all) {
      map.add(
        way == "-1" ? line.reversed() : line, kind, isOneWay: isOneWay, isBridge: isBridge,
        isTunnel: isTunnel)
    }
  }

  /// The lines of coordinates of a line, of several, or of areas.
  private static func lines(_ all: [JSONValue]) -> [[(latitude: Double, longitude: Double)]] {
    let places = all.compactMap { place -> (latitude: Double, longitude: Double)? in
      guard let numbers = place.array, numbers.count >= 2, let longitude = numbers[0].number,
        let latitude = numbers[1].number
      else { return nil }
      return (latitude, longitude)
    }
    return places.isEmpty ? all.compactMap { $0.array }.flatMap(lines) : [places]
  }
}

extension Option {
  static let map = Option(
    name: "map", value: "FILE",
    help: "roads and rails, as 'locomotion map' makes them: trips know their route, and trains are "
      + "told from cars")
}

extension Arguments {
  /// The map given by an option; nil without it.
  func map() throws -> RoadMap? {
    guard let path = value("map") else { return nil }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw RecordingError.notFound(path: path)
    }
    do {
      return try RoadMap { range in
        guard (try? file.seek(toOffset: UInt64(range.lowerBound))) != nil,
          let data = try? file.read(upToCount: range.count), data.count == range.count
        else { return nil }
        return Array(data)
      }
    } catch {
      throw RecordingError.refused(path: path, reason: error.description)
    }
  }
}

extension AnalysisResult {
  /// Compares it with the map of its locale.
  package mutating func consultMap() throws(RecordingError) {
    guard let map = locale.map else { return }
    do {
      try consult(map)
    } catch {
      throw .refused(path: "--map", reason: error.description)
    }
    if routes.isEmpty, items.contains(where: { $0.asTrip != nil }) {
      StandardError.write("--map: no trip has a route on the map\n")
    }
  }
}
