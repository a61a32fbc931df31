internal import LocomotionRecordings
internal import LocomotionSensing

/// A recording of the Sensor Logger app: one CSV file per sensor, or all in one array of JSON.
///
/// Columns are found by name, whichever version wrote them. `time` is nanoseconds since 1970. The
/// specific force is `TotalAcceleration.csv`, or `Accelerometer.csv` (without gravity) plus
/// `Gravity.csv`, or `AccelerometerUncalibrated.csv` (in g on iOS). iOS has the opposite sign,
/// unless `Metadata.csv` indicates that units and frames were standardised. An Apple Watch is a
/// recording of its own: `WristMotion.csv`, in g unless standardised, and `WatchLocation.csv`.
final class SensorLoggerImporter: FormatImporter {
  /// The files that make a folder a recording, in lower case.
  static let files: Set = [
    "totalacceleration.csv", "accelerometer.csv", "accelerometeruncalibrated.csv",
    "gyroscope.csv", "gyroscopeuncalibrated.csv", "location.csv", "wristmotion.csv",
    "watchlocation.csv",
  ]

  override func read() throws(RecordingError) {
    if let name = source.names.first(where: { $0.lowercased().hasSuffix(".json") }),
      source.names.allSatisfy({ !Self.files.contains($0.lowercased()) })
    {
      return try SensorLoggerMessages(source, sink).readArray(name)
    }
    try forEachFolder(where: Self.isData) { (folder) throws(RecordingError) in
      try folder.readFolder()
    }
  }

  /// Whether a file by its name is of such a folder.
  static func isData(_ name: String) -> Bool { files.contains(name.fileName.lowercased()) }

  private func readFolder() throws(RecordingError) {
    let metadata = try Metadata(source)
    let hasPhone = try readPhone(metadata)
    let hasWatch = try readWatch(metadata)
    guard hasPhone || hasWatch else {
      throw .nothingUsable(
        path: source.path,
        reason: "expected TotalAcceleration.csv, Accelerometer.csv with Gravity.csv, "
          + "Location.csv, or WristMotion.csv of a watch")
    }
  }

  private func readPhone(_ metadata: Metadata) throws(RecordingError) -> Bool {
    let names: [SensorRole: String] = [
      .total: "TotalAcceleration.csv", .linear: "Accelerometer.csv", .gravity: "Gravity.csv",
      .pressure: "Barometer.csv", .location: "Location.csv",
    ]
    var files = names.compactMapValues(source.file(named:))
    files[.rotationRate] =
      source.file(named: "Gyroscope.csv") ?? source.file(named: "GyroscopeUncalibrated.csv")
    let raw = source.file(named: "AccelerometerUncalibrated.csv")
    guard !files.isEmpty || raw != nil else { return false }
    let isApple = metadata.platform.hasPrefix("ios") && !metadata.isStandardised
    if metadata.platform.isEmpty {
      sink.note("no Metadata.csv with the platform: signs are taken for Android's")
    }
    let sign: Double = isApple ? -1 : 1
    var scales: [SensorRole: Double] = [.total: sign, .linear: sign, .gravity: sign]
    if files[.total] == nil, files[.linear] == nil || files[.gravity] == nil, let raw {
      files[.total] = raw
      scales[.total] = isApple ? -Acceleration.standardGravity : 1
    }
    return try read(files, as: source.stem, metadata, scales: scales)
  }

  /// Reads what a watch recorded beside the phone.
  private func readWatch(_ metadata: Metadata) throws(RecordingError) -> Bool {
    let motion = source.file(named: "WristMotion.csv")
    let location = source.file(named: "WatchLocation.csv")
    guard motion != nil || location != nil else { return false }
    // A single file has only the sensor that it names, and no metadata.
    if metadata.platform.isEmpty, motion != nil {
      sink.note("no Metadata.csv: WristMotion.csv is taken to be in g, with Apple's sign")
    }
    let scale = metadata.isStandardised ? 1 : -Acceleration.standardGravity
    var files: [SensorRole: String] = [:]
    if let motion {
      files = [.linear: motion, .gravity: motion, .rotationRate: motion]
      files[.pressure] = source.file(named: "WatchBarometer.csv")
    }
    files[.location] = location
    return try read(
      files, as: source.stem + "_watch", metadata, scales: [.linear: scale, .gravity: scale],
      columns: [.linear: "acceleration", .gravity: "gravity", .rotationRate: "rotationrate"])
  }

  /// Reads all sensors of a phone or a watch; false when there is none but a barometer.
  ///
  /// `columns` are what stands before the axes in the names of a sensor's columns.
  private func read(
    _ files: [SensorRole: String], as name: String, _ metadata: Metadata,
    scales: [SensorRole: Double], columns: [SensorRole: String] = [:]
  ) throws(RecordingError) -> Bool {
    try SensorMerge.read(
      files, of: source, as: ImportedRecording(name: name, subject: metadata.device), Self.names,
      into: sink, scales: scales, timestamp: { $0.timestamp(unitDigits: 9) }
    ) { role in
      role == .pressure ? [["pressure"]] : ["x", "y", "z"].map { [(columns[role] ?? "") + $0] }
    }
  }

  /// The columns of fixes, which are in lower case.
  private static let names = SensorLoggerMessages.names.reduce(into: ["t": ["time"]]) {
    $0[$1.key] = $1.value.map { $0.lowercased() }
  }

  /// The content of `Metadata.csv`; empty without it.
  private struct Metadata {
    var platform = ""
    var isStandardised = false
    var device: String?

    init(_ source: ImportSource) throws(RecordingError) {
      guard let name = source.file(named: "Metadata.csv") else { return }
      var rows = try TableRows(source.lines(of: name), isTidy: false)
      guard try rows.next() else { return }
      platform = rows.text(at: rows.column("platform")).lowercased()
      isStandardised = rows.text(at: rows.column("standardisation")).lowercased() == "true"
      let device = rows.text(at: rows.column("device id", "device name"))
      self.device = device.isEmpty ? nil : device
    }
  }
}

/// The messages of the Sensor Logger app while it records: one, or several one after another.
///
/// `{"messageId":…,"sessionId":…,"deviceId":…,"payload":[{"name":…,"time":…,"values":{…}},…]}`,
/// where `time` is nanoseconds since 1970, as a number or a string, and the entries of a message
/// come in any order. A message does not name the operating system. An `accelerometeruncalibrated`
/// in g shows that it is iOS; without one the caller must know.
final class SensorLoggerMessages: FormatImporter {
  /// The names of a fix's quantities: of `CLLocation`, Android's `Location`, and older versions.
  static let names = [
    "lat": ["latitude"], "lon": ["longitude"], "alt": ["altitude"],
    "hacc": ["horizontalAccuracy", "accuracy_horizontal", "accuracy"],
    "vacc": ["verticalAccuracy", "accuracy_vertical"],
    "speed": ["speed"], "sacc": ["speedAccuracy"], "course": ["bearing", "course"],
    "cacc": ["bearingAccuracy", "courseAccuracy"],
  ]
  /// Whether accelerations have Apple's sign.
  var isApple = false
  /// The name of the last session.
  private(set) var session: String?

  override func read() throws(RecordingError) {
    var current: String?
    let stem = source.stem
    for name in source.names {
      var stream = JSONStream(try source.bytes(of: name))
      guard try stream.peek() == UInt8(ascii: "{") else {
        throw try stream.unexpected("an object with the measurements under payload")
      }
      while try stream.peek() != nil {
        var message = Message(path: source.displayPath(of: name))
        try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
          switch member {
          case "sessionId": message.session = try stream.value().text
          case "deviceId": message.device = try stream.value().text
          case "payload":
            message.isComplete = true
            try stream.array { (stream: inout JSONStream) throws(RecordingError) in
              let entry = try stream.value()
              message.take(
                entry["values"] ?? .null, named: entry["name"], at: stream.position, sink,
                time: entry["time"])
            }
          default: try stream.skip()
          }
        }
        guard message.isComplete else {
          throw .malformed(
            path: source.displayPath(of: name), place: stream.place,
            expected: "measurements under payload", found: "none")
        }
        session = message.session ?? session
        let recording = message.session ?? stem
        if recording != current {
          current = recording
          try sink.begin(message.recording(named: recording))
        }
        try message.give(to: sink, isApple: isApple)
      }
    }
  }

  /// The limit for the measurements of an array: a working day of three sensors at 100 Hz.
  private static let mostInMemory = 1 << 23

  /// Reads the app's export of JSON: an array of measurements with `sensor`, `time` and the values
  /// as text, all of one recording, which is held in memory.
  func readArray(_ name: String) throws(RecordingError) {
    var message = Message(path: source.displayPath(of: name))
    var hasPlatform = false
    var count = 0
    var stream = JSONStream(try source.bytes(of: name))
    try stream.array { (stream: inout JSONStream) throws(RecordingError) in
      let entry = try stream.value()
      if let platform = entry["platform"]?.string?.lowercased() {
        hasPlatform = true
        let isStandardised = entry["standardisation"]
        isApple =
          platform.hasPrefix("ios") && isStandardised?.isTrue != true
          && isStandardised?.string?.lowercased() != "true"
        message.device = entry["device id"]?.string ?? entry["device name"]?.string
        return
      }
      count += 1
      guard count <= Self.mostInMemory else {
        throw .refused(
          path: message.path,
          reason: "more than \(Self.mostInMemory) measurements of JSON: export CSV, which is "
            + "streamed")
      }
      message.take(entry, named: entry["sensor"], at: stream.position, sink)
    }
    try stream.end()
    if !hasPlatform { sink.note("no metadata with the platform: signs are taken for Android's") }
    try sink.begin(message.recording(named: source.stem))
    try message.give(to: sink, isApple: isApple)
  }

  /// The measurements of one message, by the names of their sensors.
  private struct Message {
    typealias Row = (time: Timestamp, values: SIMD3<Double>)
    let path: String
    var session: String?
    var device: String?
    var isComplete = false
    var samples: [String: [Row]] = [:]
    var fixes: [LocationFix] = []

    private static let sensors: Set = [
      "accelerometer", "accelerometeruncalibrated", "totalacceleration", "gravity", "gyroscope",
      "gyroscopeuncalibrated", "barometer", "location",
    ]
    /// At rest the length is 1 in g and 9.8 in m/s²: far from this limit in both cases.
    private static let largestInGravities = 3.0

    /// The recording of which this is the first message, or the only one.
    func recording(named name: String) -> ImportedRecording {
      ImportedRecording(
        name: name, subject: device,
        hasGyroscope: samples["gyroscope"] != nil || samples["gyroscopeuncalibrated"] != nil,
        hasBarometer: samples["barometer"] != nil)
    }

    /// Adds one measurement, with its time or, in an array, among its values; one of another sensor
    /// is counted there.
    mutating func take(
      _ values: JSONValue, named sensor: JSONValue?, at position: JSONStream.Position,
      _ sink: ImportSink, time: JSONValue? = nil
    ) {
      let name = sensor?.string?.lowercased() ?? ""
      guard Self.sensors.contains(name) else {
        if time == nil { sink.leaveOut("measurements of \(sensor?.string ?? "no sensor")") }
        return
      }
      let written = time ?? values["time"]
      guard let time = written?.nanoseconds else {
        return sink.drop(
          .noTime, in: path, at: position, expected: "nanoseconds since 1970 under time",
          found: written == nil ? "none" : "another value")
      }
      guard sink.isPossible(time) else { return }
      guard name != "location" else {
        return fixes.append(LocationFix(at: time, SensorLoggerMessages.names, of: values))
      }
      let names = [name == "barometer" ? "pressure" : "x", "y", "z"]
      let sample = SIMD3(names.map { values[$0]?.number ?? .nan })
      samples[name, default: []].append((time, sample))
    }

    func give(to sink: ImportSink, isApple: Bool) throws(RecordingError) {
      for fix in fixes { try sink.append(fix) }
      let raw = samples["accelerometeruncalibrated"]
      let lengths = raw?.map { ($0.values * $0.values).sum().squareRoot() }.filter { $0.isFinite }
      let isInGravities = lengths?.median.map { $0 < Self.largestInGravities } ?? false
      let sign: Double = isApple || isInGravities ? -1 : 1
      var merge = SensorMerge()
      func add(_ names: String..., as role: SensorRole, times scale: Double = 1) {
        for row in names.lazy.compactMap({ samples[$0] }).first ?? [] {
          merge.add(row.values * scale, of: role, at: row.time)
        }
      }
      let linear = samples["accelerometer"]
      if samples["totalacceleration"] != nil {
        add("totalacceleration", as: .total, times: sign)
      } else if linear != nil, samples["gravity"] != nil {
        add("accelerometer", as: .linear, times: sign)
        add("gravity", as: .gravity, times: sign)
      } else if raw != nil {
        let scale = isInGravities ? -Acceleration.standardGravity : sign
        add("accelerometeruncalibrated", as: .total, times: scale)
      } else if let linear, Self.holdsGravity(linear) {
        sink.note("the accelerometer's values hold gravity: taken as they are")
        add("accelerometer", as: .total, times: sign)
      } else if let linear {
        sink.note(SensorMerge.withoutGravity)
        for _ in linear { sink.drop(.noGravity) }
      }
      add("gyroscope", "gyroscopeuncalibrated", as: .rotationRate)
      add("barometer", as: .pressure)
      try merge.give(to: sink)
    }

    /// Whether the length of the mean is nearer to gravity than to zero, the mean without gravity.
    private static func holdsGravity(_ rows: [Row]) -> Bool {
      let known = rows.map { $0.values }.filter { ($0.x + $0.y + $0.z).isFinite }
      // Of none it is no number.
      let mean = known.reduce(SIMD3<Double>.zero, +) / Double(known.count)
      return 0.5...1.5 ~= (mean * mean).sum().squareRoot() / Acceleration.standardGravity
    }
  }
}

extension JSONValue {
  /// A string, or a number as text.
  fileprivate var text: String? { string ?? number.map { "\($0)" } }

  /// The instant given in nanoseconds, as a number or a string.
  fileprivate var nanoseconds: Timestamp? {
    if case .number(let field) = self { return field.timestamp(unitDigits: 9) }
    guard let bytes = string.map({ Array($0.utf8) }), 1...64 ~= bytes.count else { return nil }
    return DecimalField(bytes, in: 0..<bytes.count).timestamp(unitDigits: 9)
  }
}
