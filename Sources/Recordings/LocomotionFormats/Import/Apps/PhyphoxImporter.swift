internal import LocomotionRecordings
internal import LocomotionSensing

/// An export of the phyphox app: one CSV file per sensor, distinguished by their headers.
///
/// The delimiter is a comma, a semicolon or a tab, with a decimal comma for the last two. Seconds
/// count from the start of the experiment; `meta/time.csv` maps them to the Unix clock, with a jump
/// at each pause. On iOS the sign is Android's too: the app multiplies by −9.81.
final class PhyphoxImporter: FormatImporter {
  override func read() throws(RecordingError) {
    try forEachFolder { name in
      guard Self.isTable(name), source.names.count > 1 else { return Self.isTable(name) }
      let rows = try? TableRows(source.lines(of: name), isTidy: false)
      return rows.map { !Self.roles($0).isEmpty } ?? false
    } _: { (folder) throws(RecordingError) in
      try folder.readFolder()
    }
  }

  /// Whether a file may be a sensor's.
  private static func isTable(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasSuffix(".csv") && name.folder.fileName != "meta"
  }

  private func readFolder() throws(RecordingError) {
    let clock = try ExperimentClock(source)
    if clock.isEmpty { sink.note("no meta/time.csv: times count from the start of the experiment") }
    var files: [SensorRole: String] = [:]
    for name in source.names where Self.isTable(name) {
      let rows = try ifSound { () throws(RecordingError) in
        try TableRows(source.lines(of: name), isTidy: false)
      }
      guard let rows else { continue }
      for role in Self.roles(rows) where files[role] == nil { files[role] = name }
    }
    let hasRead = try SensorMerge.read(
      files, of: source, as: ImportedRecording(name: source.stem), Self.names, into: sink,
      timestamp: { field in field.timestamp.map(clock.wallClock) }, axes: Self.axes)
    guard hasRead else {
      throw .nothingUsable(
        path: source.path,
        reason: files[.linear] != nil && files[.gravity] == nil
          ? "the accelerations are without gravity, and no file has the gravity; record "
            + "Acceleration instead of Linear Acceleration"
          : "expected a file with Time (s) and Acceleration x, y, z (m/s^2), or with "
            + "Latitude and Longitude")
    }
  }

  private static let names = [
    "t": ["time", "zeit", "temps", "tiempo", "tempo", "tijd", "czas"].map { $0 + " (s)" },
    "lat": ["latitude*"], "lon": ["longitude*"],
    "alt": ["height (*", "altitude*", "height*"],
    "hacc": ["horizontal accuracy*", "accuracy_horizontal*", "accuracy*"],
    "vacc": ["vertical accuracy*", "accuracy_vertical*"], "speed": ["velocity*", "speed*"],
    "course": ["direction*"],
  ]

  /// The beginnings of the column names of each quantity.
  private static let quantities: [(role: SensorRole, names: [String])] = [
    (.total, accelerations), (.gravity, ["gravity"]),
    (.rotationRate, ["gyroscope", "gyroskop", "giroscopio"]),
    (.linear, ["linear acceleration", "lineare beschleunigung"]),
  ]
  private static let accelerations = [
    "acceleration", "accelerometer", "beschleunigung", "accélération", "aceleración",
    "accelerazione", "versnelling", "przyspieszenie", "aceleração",
  ]

  /// The column names of each axis: `Acceleration x (m/s^2)`, in older versions `X (m/s^2)`.
  private static func axes(of role: SensorRole) -> [[String]] {
    guard role != .pressure else { return [["pressure*"]] }
    let names = quantities.first { $0.role == role }?.names ?? []
    return ["x", "y", "z"].map { axis in names.map { "\($0) \(axis)*" } + ["\(axis) (*"] }
  }

  /// The quantities in a file: several may stand side by side, each with a time of its own.
  private static func roles(_ rows: TableRows) -> [SensorRole] {
    guard rows.column(names["t"] ?? []) != nil else { return [] }
    var roles = quantities.filter { _, names in
      names.contains { rows.column("\($0) x*") != nil }
    }.map(\.role)
    if rows.column("latitude*") != nil { roles.append(.location) }
    if rows.column("pressure*") != nil { roles.append(.pressure) }
    guard roles.isEmpty else { return roles }
    // In older versions only the file name gives the quantity.
    let name = rows.path.fileName.lowercased()
    guard rows.column("x (*") != nil else { return [] }
    return name.contains("linear")
      ? [.linear] : name.contains("acc") ? [.total] : name.contains("gyr") ? [.rotationRate] : []
  }
}

/// The clock of an experiment: `meta/time.csv` with the events START and PAUSE.
struct ExperimentClock {
  private var starts: [(experiment: Timestamp, system: Timestamp)] = []

  /// Whether the mapping to the Unix clock is unknown.
  var isEmpty: Bool { starts.isEmpty }

  init(_ source: ImportSource) throws(RecordingError) {
    guard let name = source.names.first(where: { $0.lowercased() == "meta/time.csv" })
    else { return }
    var rows = try TableRows(source.lines(of: name), isTidy: false)
    let columns = (
      rows.column("event"), rows.column("experiment time*"),
      rows.column("system time", "system time (*")
    )
    while try rows.next(), starts.count < 10_000 {
      guard rows.text(at: columns.0).uppercased() == "START",
        let experiment = rows.field(at: columns.1).timestamp,
        let system = rows.field(at: columns.2).timestamp
      else { continue }
      starts.append((experiment, system))
    }
    starts.sort { $0.experiment < $1.experiment }
  }

  /// The Unix time of a time of the experiment; the time itself when the mapping is unknown.
  func wallClock(_ time: Timestamp) -> Timestamp {
    guard !isEmpty else { return time }
    let start = starts[max(0, starts.partitioningIndex { $0.experiment > time } - 1)]
    return start.system.advanced(byNanoseconds: time.nanoseconds(since: start.experiment))
  }
}
