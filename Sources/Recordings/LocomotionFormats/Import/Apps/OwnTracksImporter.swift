internal import LocomotionRecordings
internal import LocomotionSensing

/// Messages of the OwnTracks apps.
///
/// The recorder's `.rec` files have a message per line, after its time and its topic; those of a
/// folder are the months of one device. JSON is one message after another, an array of them, or
/// `{"data":[…]}` as the recorder's interface answers; each topic in it is a recording. Only
/// messages of the type `location` are fixes. `vel` is in km/h.
final class OwnTracksImporter: FormatImporter {
  /// The members of a message that are read; one of the apps has about thirty.
  private static let mostMembers = 256
  private static let names = [
    "lat": ["lat"], "lon": ["lon"], "alt": ["alt"], "hacc": ["acc"], "vacc": ["vac"],
    "speed": ["vel"], "course": ["cog"],
  ]

  override func read() throws(RecordingError) {
    var folders: [String: [String]] = [:]
    for name in source.names {
      if isLines(name) {
        folders[name.folder, default: []].append(name)
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
      } catch .malformed(_, _, let expected, let found) {
        sink.drop(.otherKind, in: path, at: "line \(lines.line)", expected: expected, found: found)
      }
    }
  }

  private func readJSON(_ name: String) throws(RecordingError) {
    let path = source.displayPath(of: name)
    let stem = source.names.count == 1 ? source.stem : ImportSource.stem(name)
    var devices = DevicePasses()
    repeat {
      var hasBegun = false
      try forEachMessage(name) { (message, position) throws(RecordingError) in
        let topic = message["topic"]?.string ?? message["tid"]?.string ?? ""
        let parts = topic.split(separator: "/").suffix(2).map { String($0) }
        let isFix = message["_type"]?.string == "location"
        let isOwn = isFix ? devices.isOwn(parts.joined(separator: "_")) : devices.pass == 0
        guard isOwn else { return }
        if !hasBegun {
          hasBegun = true
          let subject = parts.count == 2 ? parts[0] : nil
          try sink.begin(
            devices.recording(ImportedRecording(name: stem, subject: subject, device: topic)))
        }
        try take(message, of: path, "\(position)")
      }
    } while devices.advance()
  }

  private func forEachMessage(
    _ name: String, _ body: (JSONValue, JSONStream.Position) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    func take(_ stream: inout JSONStream) throws(RecordingError) {
      try body(try stream.value(), stream.position)
    }
    var stream = JSONStream(try source.bytes(of: name))
    while let first = try stream.peek() {
      guard first == UInt8(ascii: "{") else {
        try stream.array(take)
        continue
      }
      // A message, or an object with the messages under data.
      var members: [String: JSONValue] = [:]
      var isList = false
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        if member == "data", try stream.peek() == UInt8(ascii: "[") {
          isList = true
          try stream.array(take)
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
    var fix = LocationFix(at: time, Self.names, of: message)
    fix.speed = fix.speed.map { $0 / 3.6 }
    try sink.append(fix)
  }
}
