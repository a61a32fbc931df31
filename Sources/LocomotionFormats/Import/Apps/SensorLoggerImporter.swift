internal import LocomotionRecordings
internal import LocomotionSensing

/// A recording of the Sensor Logger app: one CSV file per sensor.
///
/// Columns are found by name, whichever version wrote them. `time` is nanoseconds since 1970. The
/// specific force is `TotalAcceleration.csv`, or `Accelerometer.csv` (without gravity) plus
/// `Gravity.csv`, or `AccelerometerUncalibrated.csv` (in g on iOS). iOS has the opposite sign,
/// unless `Metadata.csv` indicates that units and frames were standardised.
enum SensorLoggerImporter {
  static func read(_ source: ImportSource, into sink: ImportSink) throws(RecordingError) {
    let known = [
      "totalacceleration.csv", "accelerometer.csv", "accelerometeruncalibrated.csv",
      "gyroscope.csv", "gyroscopeuncalibrated.csv", "location.csv",
    ]
    let folders = try source.folders { (name: String) throws(RecordingError) in
      known.contains(name.lowercased().split(separator: "/").last.map(String.init) ?? "")
    }
    if folders.count > 1 { sink.note("\(folders.count) folders: a recording each") }
    for folder in folders { try readFolder(folder, into: sink) }
  }

  private static func readFolder(
    _ source: ImportSource, into sink: ImportSink
  ) throws(RecordingError) {
    let metadata = try Metadata(source)
    var isApple = metadata.platform.hasPrefix("ios")
    if metadata.platform.isEmpty {
      sink.note("no Metadata.csv with the platform: signs are taken for Android's")
    } else if isApple, metadata.isStandardised {
      isApple = false
    }
    let sign: Double = isApple ? -1 : 1
    var files: [SensorRole: String] = [:]
    files[.total] = source.file(named: "TotalAcceleration.csv")
    files[.linear] = source.file(named: "Accelerometer.csv")
    files[.gravity] = source.file(named: "Gravity.csv")
    files[.rotationRate] =
      source.file(named: "Gyroscope.csv") ?? source.file(named: "GyroscopeUncalibrated.csv")
    files[.pressure] = source.file(named: "Barometer.csv")
    var scales: [SensorRole: Double] = [.total: sign, .linear: sign, .gravity: sign]
    if files[.total] == nil, files[.linear] == nil || files[.gravity] == nil,
      let raw = source.file(named: "AccelerometerUncalibrated.csv")
    {
      files[.total] = raw
      scales[.total] = isApple ? -Acceleration.standardGravity : 1
    }
    try sink.begin(
      ImportedRecording(
        name: source.stem, subject: metadata.device, hasGyroscope: files[.rotationRate] != nil,
        hasBarometer: files[.pressure] != nil))
    var merge = try SensorMerge(files, sink) { (role, name) throws(RecordingError) in
      try SensorColumns(
        source.lines(of: name), time: ["time"],
        axes: role == .pressure ? [["pressure"]] : [["x"], ["y"], ["z"]],
        scale: scales[role] ?? 1, sink: sink, timestamp: { $0.timestamp(unitDigits: 9) })
    }
    if let location = source.file(named: "Location.csv") {
      merge.fixes = try FixColumns.unlessEmpty(sink) { () throws(RecordingError) in
        try FixColumns(
          source.lines(of: location), names, sink: sink,
          timestamp: { $0.timestamp(unitDigits: 9) })
      }
    }
    guard !merge.isEmpty else {
      throw .nothingUsable(
        path: source.path,
        reason: "expected TotalAcceleration.csv, Accelerometer.csv with Gravity.csv, or "
          + "Location.csv")
    }
    try merge.run(sink)
  }

  private static let names = FixColumns.Names(
    time: ["time"], latitude: ["latitude"], longitude: ["longitude"], altitude: ["altitude"],
    horizontalAccuracy: ["horizontalaccuracy", "accuracy_horizontal", "accuracy"],
    verticalAccuracy: ["verticalaccuracy", "accuracy_vertical"],
    speed: ["speed"], speedAccuracy: ["speedaccuracy"], course: ["bearing"],
    courseAccuracy: ["bearingaccuracy"])

  /// The content of `Metadata.csv`; empty without it.
  private struct Metadata {
    var platform = ""
    var isStandardised = false
    var device: String?

    init(_ source: ImportSource) throws(RecordingError) {
      guard let name = source.file(named: "Metadata.csv") else { return }
      var rows = try DelimitedRows(withHeader: source.lines(of: name))
      guard try rows.next() else { return }
      platform = rows.text(at: rows.position(of: "platform")).lowercased()
      isStandardised =
        rows.text(at: rows.position(of: "standardisation")).lowercased() == "true"
      let device = rows.text(at: rows.position(of: "device id", "device name"))
      self.device = device.isEmpty ? nil : device
    }
  }
}
