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
    try forEachFolder {
      Self.files.contains($0.lowercased().split(separator: "/").last.map(String.init) ?? "")
    } _: { (folder) throws(RecordingError) in
      try folder.readFolder()
    }
  }

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
    var files: [SensorRole: String] = [:]
    files[.total] = source.file(named: "TotalAcceleration.csv")
    files[.linear] = source.file(named: "Accelerometer.csv")
    files[.gravity] = source.file(named: "Gravity.csv")
    files[.rotationRate] =
      source.file(named: "Gyroscope.csv") ?? source.file(named: "GyroscopeUncalibrated.csv")
    files[.pressure] = source.file(named: "Barometer.csv")
    let raw = source.file(named: "AccelerometerUncalibrated.csv")
    files[.location] = source.file(named: "Location.csv")
    guard !files.isEmpty || raw != nil else { return false }
    var isApple = metadata.platform.hasPrefix("ios")
    if metadata.platform.isEmpty {
      sink.note("no Metadata.csv with the platform: signs are taken for Android's")
    } else if isApple, metadata.isStandardised {
      isApple = false
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

  private static let names = [
    "t": ["time"], "lat": ["latitude"], "lon": ["longitude"], "alt": ["altitude"],
    "hacc": ["horizontalaccuracy", "accuracy_horizontal", "accuracy"],
    "vacc": ["verticalaccuracy", "accuracy_vertical"],
    "speed": ["speed"], "sacc": ["speedaccuracy"], "course": ["bearing", "course"],
    "cacc": ["bearingaccuracy", "courseaccuracy"],
  ]

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
      isStandardised =
        rows.text(at: rows.column("standardisation")).lowercased() == "true"
      let device = rows.text(at: rows.column("device id", "device name"))
      self.device = device.isEmpty ? nil : device
    }
  }
}
