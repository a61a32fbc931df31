internal import LocomotionRecordings
internal import LocomotionSensing

/// Messages of the OwnTracks apps.
///
/// The recorder's `.rec` files have a message per line, after its time and its topic; those of a
/// folder are the months of one device. JSON is one message after another, an array of them, or
/// `{"data":[…]}` as the recorder's interface answers; each topic in it is a recording. Only
/// messages of the type `location` are fixes; those of regions that were entered and left are
/// stated. `vel` is in km/h.
final class OwnTracksImporter: FormatImporter {
  /// The limit for the devices in a file, each of which takes a pass over it.
  private static let mostDevices = 100
  /// The members of a message that are read; one of the apps has about thirty.
  private static let mostMembers = 256
  private var regions = OwnTracksRegions()

  override func read() throws(RecordingError) {
    var folders: [String: [String]] = [:]
    for name in source.names {
      if isLines(name) {
        let folder = name.split(separator: "/").dropLast().joined(separator: "/")
        folders[folder, default: []].append(name)
      } else if source.names.count == 1 || name.lowercased().contains(".json") {
        try readJSON(name)
      } else {
        sink.leaveOut("files of other kinds")
      }
    }
    for (folder, files) in folders.sorted(by: { $0.key < $1.key }) {
      let parts = folder.split(separator: "/").suffix(2)
      let months = folder.isEmpty || files.count == 1 && source.names.count == 1
      try sink.begin(
        ImportedRecording(
          name: months ? source.stem : parts.joined(separator: "_"),
          subject: parts.first.map(String.init), device: folder))
      for file in files { try readLines(file) }
    }
    regions.give(to: sink)
  }

  /// Whether the messages of a file are behind a time and a topic.
  private func isLines(_ name: String) -> Bool {
    guard !name.lowercased().hasSuffix(".rec") else { return true }
    guard var bytes = try? source.bytes(of: name), let start = try? bytes.prefix(64) else {
      return false
    }
    return RecordingFormat.isOwnTracksLine(start[...])
  }

  private func readLines(_ name: String) throws(RecordingError) {
    let path = source.displayPath(of: name)
    var lines = try source.lines(of: name)
    while let range = try lines.next() {
      let line = lines.bytes[range]
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      guard let brace = line.firstIndex(of: UInt8(ascii: "{")) else {
        sink.drop(
          .otherKind, in: path, at: "line \(lines.line)", expected: "a message of JSON",
          found: String(decoding: line.prefix(48), as: UTF8.self))
        continue
      }
      // A line that was cut when the disk was full does not take the others with it.
      do {
        var stream = JSONStream(ByteReader(bytes: Array(line[brace...]), name: path))
        let message = try stream.value()
        try stream.end()
        try take(message, of: path, "line \(lines.line)")
      } catch {
        guard case .malformed(_, _, let expected, let found) = error else { throw error }
        sink.drop(
          .otherKind, in: path, at: "line \(lines.line)", expected: expected, found: found)
      }
    }
  }

  private func readJSON(_ name: String) throws(RecordingError) {
    let path = source.displayPath(of: name)
    let stem = source.names.count == 1 ? source.stem : ImportSource.stem(name)
    var devices: [String] = []
    try forEachMessage(name) { (message, _) throws(RecordingError) in
      guard message["_type"]?.string == "location" else { return }
      let device = Self.device(of: message)
      guard !devices.contains(device) else { return }
      guard devices.count < Self.mostDevices else {
        throw .refused(path: path, reason: "messages of more than \(Self.mostDevices) devices")
      }
      devices.append(device)
    }
    for (index, device) in (devices.isEmpty ? [""] : devices).enumerated() {
      let parts = device.split(separator: "/").suffix(2)
      try sink.begin(
        ImportedRecording(
          name: devices.count > 1 ? parts.joined(separator: "_") : stem,
          subject: parts.count == 2 ? parts.first.map(String.init) : nil, device: device))
      try forEachMessage(name) { (message, position) throws(RecordingError) in
        if message["_type"]?.string == "location" {
          guard Self.device(of: message) == device else { return }
        } else if index > 0 {
          return
        }
        try take(message, of: path, "\(position)")
      }
    }
  }

  static func device(of message: JSONValue) -> String {
    message["topic"]?.string ?? message["tid"]?.string ?? ""
  }

  private func forEachMessage(
    _ name: String, _ body: (JSONValue, JSONStream.Position) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    var stream = JSONStream(try source.bytes(of: name))
    while let first = try stream.peek() {
      guard first == UInt8(ascii: "{") else {
        try stream.array { (stream: inout JSONStream) throws(RecordingError) in
          try body(try stream.value(), stream.position)
        }
        continue
      }
      // A message, or an object with the messages under data.
      var members: [String: JSONValue] = [:]
      var isList = false
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        if member == "data", try stream.peek() == UInt8(ascii: "[") {
          isList = true
          try stream.array { (stream: inout JSONStream) throws(RecordingError) in
            try body(try stream.value(), stream.position)
          }
        } else if members.count < Self.mostMembers {
          members[member] = try stream.value()
        } else {
          try stream.skip()
        }
      }
      if !isList { try body(.object(members), stream.position) }
    }
  }

  private func take(
    _ message: JSONValue, of path: String, _ place: @autoclosure () -> String
  ) throws(RecordingError) {
    let type = message["_type"]?.string
    guard type == "location" else {
      regions.take(message)
      guard type == "encrypted" else { return sink.drop(.otherKind) }
      return sink.drop(
        .otherKind, in: path, at: place(), expected: "messages that are decrypted",
        found: "an encrypted one")
    }
    guard let time = message["tst"]?.time else {
      return sink.drop(
        .noTime, in: path, at: place(), expected: "seconds since 1970 under tst",
        found: message["tst"]?.briefDescription ?? "none")
    }
    func number(_ name: String) -> Double? { message[name]?.number }
    try sink.append(
      LocationFix(
        timestamp: time, latitude: number("lat") ?? .nan, longitude: number("lon") ?? .nan,
        altitude: number("alt"), horizontalAccuracy: number("acc"),
        verticalAccuracy: number("vac"), speed: number("vel").map { $0 / 3.6 },
        course: number("cog")))
  }
}

/// The regions of which messages tell, and when each was entered and left.
private struct OwnTracksRegions {
  private typealias Event = (time: Timestamp, latitude: Double, longitude: Double)
  private var circles: [String: (latitude: Double, longitude: Double, radius: Double)] = [:]
  /// The regions that were entered, by device and name.
  private var entered: [String: Event] = [:]
  private var visits: [(region: String, enter: Event, leave: Event)] = []
  private var halves = 0

  /// The limit for regions and for visits, each.
  private static let most = 100_000

  /// Takes a message of a region, or one that a region was entered or left; no other one.
  mutating func take(_ message: JSONValue) {
    guard let region = message["desc"]?.string, let latitude = message["lat"]?.number,
      let longitude = message["lon"]?.number
    else { return }
    switch (message["_type"]?.string, message["event"]?.string, message["tst"]?.time) {
    case ("waypoint", _, _):
      guard circles.count < Self.most, let radius = message["rad"]?.number else { return }
      circles[region] = (latitude, longitude, radius)
    case ("transition", "enter", let time?):
      guard entered.count < Self.most else { return }
      let key = OwnTracksImporter.device(of: message) + " " + region
      if entered.updateValue((time, latitude, longitude), forKey: key) != nil { halves += 1 }
    case ("transition", "leave", let time?):
      let key = OwnTracksImporter.device(of: message) + " " + region
      guard visits.count < Self.most, let enter = entered.removeValue(forKey: key),
        enter.time <= time
      else {
        halves += 1
        return
      }
      visits.append((region, enter, (time, latitude, longitude)))
    default: return
    }
  }

  /// States the visits: at the region, or where that is not told between where it was entered and
  /// left.
  func give(to sink: ImportSink) {
    for visit in visits {
      let circle = circles[visit.region]
      let (enter, leave) = (visit.enter, visit.leave)
      sink.state(
        .visit(
          latitude: circle?.latitude ?? (enter.latitude + leave.latitude) / 2,
          longitude: circle?.longitude ?? (enter.longitude + leave.longitude) / 2,
          radius: circle?.radius), from: enter.time, to: leave.time, source: "OwnTracks",
        place: visit.region)
    }
    let open = halves + entered.count
    if open > 0 { sink.note("regions entered or left without the other, not stated: \(open)") }
  }
}
