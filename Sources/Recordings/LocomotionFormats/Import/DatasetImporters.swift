internal import LocomotionRecordings
internal import LocomotionSensing

/// Trajectories of the GeoLife data set: one recording per person, from all `.plt` files in order.
///
/// Six header lines, then latitude, longitude, 0, altitude in feet (−777: unknown), days since
/// 1899-12-30, date, time in GMT. `labels.txt` beside the folder holds start, end and mode.
final class GeoLifeImporter: FormatImporter {
  private static let headerLines = 6
  private static let metresPerFoot = 0.3048

  override func read() throws(RecordingError) {
    let files = source.names.filter { $0.lowercased().hasSuffix(".plt") }
    // The folder of a person: the part before `Trajectory`, or else before the file's name.
    let people = Dictionary(grouping: files) { file in
      let folder = file.folder
      return folder.fileName.lowercased() == "trajectory" ? folder.folder : folder
    }.sorted { $0.value[0] < $1.value[0] }
    for (person, files) in people {
      try sink.begin(ImportedRecording(name: person.isEmpty ? source.stem : person.fileName))
      for file in files { try readPoints(file) }
      let labels = (person.isEmpty ? "" : person + "/") + "labels.txt"
      if source.contains(labels) { try readLabels(labels) }
    }
  }

  private func readPoints(_ file: String) throws(RecordingError) {
    let comma = TableRows.Delimiter.byte(UInt8(ascii: ","))
    try forEachRow(of: file, comma, behind: Self.headerLines) { (rows) throws(RecordingError) in
      guard rows.count == 7 else { return sink.drop(.fieldCount, rows.defect("7 fields")) }
      guard let (time, _) = CalendarTime.timestamp(rows.text(at: 5) + "T" + rows.text(at: 6))
      else { return sink.drop(.noTime, rows.defect("a date and a time", at: 5)) }
      if let bad = [0, 1].first(where: { rows.field(at: $0) == .text }) {
        return sink.drop(.notANumber, rows.defect("degrees", at: bad))
      }
      let feet = rows.value(at: 3).flatMap { $0 == -777 ? nil : $0 }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: rows.value(at: 0) ?? .nan,
          longitude: rows.value(at: 1) ?? .nan, altitude: feet.map { $0 * Self.metresPerFoot }))
    }
  }

  private func readLabels(_ file: String) throws(RecordingError) {
    try forEachRow(of: file, .byte(0x09)) { (rows) throws(RecordingError) in
      if rows.text(at: 0).lowercased().hasPrefix("start") { return }
      guard rows.count == 3 else {
        return sink.drop(.fieldCount, rows.defect("start, end and mode with tabs between them"))
      }
      guard let start = CalendarTime.timestamp(rows.text(at: 0))?.time,
        let end = CalendarTime.timestamp(rows.text(at: 1))?.time
      else { return sink.drop(.noTime, rows.defect("2008/04/02 11:24:21", at: 0)) }
      try sink.label(rows.text(at: 2), from: start, to: end)
    }
  }
}

extension FormatImporter {
  /// Calls `body` with each row of a file without names of columns, behind so many lines.
  fileprivate func forEachRow(
    of file: String, _ delimiter: TableRows.Delimiter, behind headerLines: Int = 0,
    _ body: (TableRows) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    var lines = try source.lines(of: file)
    for _ in 0..<headerLines {
      guard try lines.next() != nil else {
        throw .malformed(
          path: source.displayPath(of: file), place: "line \(lines.line)",
          expected: "\(headerLines) header lines", found: "the end of the file")
      }
    }
    var rows = TableRows(withoutHeader: lines, delimiter)
    while try rows.next() { try body(rows) }
  }
}

/// The text files of the SHL data set: one recording per day and position of the phone.
///
/// `<place>_Motion.txt` has 23 columns separated by blanks and no header: time in ms, acceleration,
/// rotation rate, the pressure in hPa as the 21st, and others that are not used here. `Label.txt`
/// beside it has the time and a coarse label from 1 to 8, 0 for none; `<place>_Location.txt` has
/// accuracy, latitude, longitude and altitude in columns 4 to 7.
final class SHLImporter: FormatImporter {
  private static let activities = [
    "still", "walking", "running", "cycling", "car", "bus", "train", "subway",
  ]

  override func read() throws(RecordingError) {
    for file in source.names where file.lowercased().hasSuffix("_motion.txt") {
      let stem = String(file.dropLast("_Motion.txt".count))
      let parts = stem.split(separator: "/").map(String.init)
      let labels = String(stem.dropLast(stem.fileName.count)) + "Label.txt"
      try sink.begin(
        ImportedRecording(
          name: parts.joined(separator: "_"),
          subject: parts.count > 2 ? parts[parts.count - 3] : nil, hasGyroscope: true,
          hasBarometer: true))
      try readMotion(file)
      if source.contains(stem + "_Location.txt") { try readLocations(stem + "_Location.txt") }
      if source.contains(labels) { try readLabels(labels) }
    }
  }

  /// The time of a row with seven columns or more; nil when it was dropped.
  private func time(of rows: TableRows, expecting columns: String) -> Timestamp? {
    let time = rows.field(at: 0).timestamp(unitDigits: 3)
    if rows.count < 7 {
      sink.drop(.fieldCount, rows.defect(columns))
    } else if time == nil {
      sink.drop(.noTime, rows.defect("milliseconds", at: 0))
    }
    return rows.count < 7 ? nil : time
  }

  private func readMotion(_ file: String) throws(RecordingError) {
    try forEachRow(of: file, .blanks) { (rows) throws(RecordingError) in
      guard let time = time(of: rows, expecting: "at least 7 of 23 columns"),
        try sink.append(motionIn: Array(1...6), of: rows, at: time)
      else { return }
      if let pressure = rows.value(at: 20), pressure.isFinite {
        try sink.append(pressure: pressure, at: time)
      }
    }
  }

  private func readLocations(_ file: String) throws(RecordingError) {
    try forEachRow(of: file, .blanks) { (rows) throws(RecordingError) in
      guard let time = time(of: rows, expecting: "7 columns") else { return }
      try sink.append(
        LocationFix(
          timestamp: time, latitude: rows.value(at: 4) ?? .nan,
          longitude: rows.value(at: 5) ?? .nan, altitude: rows.value(at: 6),
          horizontalAccuracy: rows.value(at: 3)))
    }
  }

  private func readLabels(_ file: String) throws(RecordingError) {
    var runs = LabelRuns()
    try forEachRow(of: file, .blanks) { (rows) throws(RecordingError) in
      guard let time = rows.field(at: 0).timestamp(unitDigits: 3),
        let number = rows.value(at: 1), let code = Int(exactly: number), 0...8 ~= code
      else {
        return sink.drop(.notANumber, rows.defect("milliseconds and a label from 0 to 8", at: 1))
      }
      try runs.take(code == 0 ? nil : Self.activities[code - 1], at: time, sink)
    }
    try runs.finish(sink)
  }
}

/// The inertial signals of the UCI HAR data set: one recording per person and part of the set.
///
/// The set has windows of 128 samples at 50 Hz with an overlap of one half, and no times. A window
/// that continues the one before contributes its second half; any other starts after a pause of 10
/// s. Accelerations are in g, rotation rates in rad/s.
final class UCIHARImporter: FormatImporter {
  private static let length = 128
  private static let step: Int64 = 20_000_000
  private static let pause: Int64 = 10_000_000_000
  private static let activities = [
    "walking", "walking upstairs", "walking downstairs", "sitting", "standing", "lying",
  ]

  override func read() throws(RecordingError) {
    for part in ["train", "test"] where source.file(named: "total_acc_x_\(part).txt") != nil {
      try read(part)
    }
  }

  /// Reads one part of the set, whose rows are windows: six signals, a subject and a label.
  private func read(_ part: String) throws(RecordingError) {
    let signals = ["total_acc", "body_gyro"].flatMap { name in
      ["x", "y", "z"].map { "\(name)_\($0)" }
    }
    var files = try (signals + ["subject", "y"]).map { (name) throws(RecordingError) in
      guard let file = source.file(named: "\(name)_\(part).txt") else {
        throw .notFound(path: source.displayPath(of: "\(name)_\(part).txt"))
      }
      return TableRows(withoutHeader: try source.lines(of: file), .blanks)
    }
    var current: String?
    var before: [Float] = []
    var time = Timestamp(nanoseconds: 0)
    var runs = LabelRuns(longestPause: 1)
    while let (values, label) = try window(&files) {
      let subject = files[6].text(at: 0)
      if subject != current {
        try runs.finish(sink)
        current = subject
        before = []
        time = Timestamp(nanoseconds: 0)
        try sink.begin(
          ImportedRecording(
            name: "\(part)_\(subject)", subject: "subject \(subject)", hasGyroscope: true))
      }
      let continues = before.elementsEqual(values[0].prefix(Self.length / 2))
      if !before.isEmpty, !continues { time = time.advanced(byNanoseconds: Self.pause) }
      before = Array(values[0].suffix(Self.length / 2))
      for index in (continues ? Self.length / 2 : 0)..<Self.length {
        let row = values.map { $0[index] }
        try sink.append(SIMD3(row[3...]), isRate: true, at: time)
        try sink.append(SIMD3(row[..<3]) * Float(Acceleration.standardGravity), at: time)
        try runs.take(Self.activities[label - 1], at: time, sink)
        time = time.advanced(byNanoseconds: Self.step)
      }
    }
    try runs.finish(sink)
  }

  /// The next window of six signals, and its label; nil at the end.
  ///
  /// - Throws: `RecordingError.malformed` when a file has fewer rows, or a row other numbers.
  private func window(
    _ files: inout [TableRows]
  ) throws(RecordingError) -> (values: [[Float]], label: Int)? {
    guard try files[0].next() else { return nil }
    var isWhole = true
    for index in files.indices.dropFirst() { isWhole = try files[index].next() && isWhole }
    guard isWhole, let number = files[7].value(at: 0), let label = Int(exactly: number),
      1...6 ~= label
    else {
      throw .malformed(
        path: files[0].path, place: "line \(files[0].line)",
        expected: "a row in each file, and a label from 1 to 6", found: "less")
    }
    if let bad = files.prefix(6).first(where: { $0.count != Self.length }) {
      throw bad.defect("\(Self.length) numbers")
    }
    let values = files.prefix(6).map { signal in
      (0..<Self.length).map { Float(signal.field(at: $0).value ?? .nan) }
    }
    return (values, label)
  }
}

/// The `.dat` files of the PAMAP2 data set: per person one recording of hand, chest and ankle each.
///
/// 54 columns with blanks between them: time in s, activity, heart rate, and 17 for each sensor
/// unit, of which the second to fourth are the acceleration of the ±16 g sensor in m/s² and the
/// eighth to tenth the rotation rate in rad/s. Activity 0 is the time between two exercises.
final class PAMAP2Importer: FormatImporter {
  private static let places = ["hand", "chest", "ankle"]
  private static let activities = [
    1: "lying", 2: "sitting", 3: "standing", 4: "walking", 5: "running", 6: "cycling",
    7: "nordic walking", 9: "watching television", 10: "computer work", 11: "car",
    12: "upstairs", 13: "downstairs", 16: "vacuum cleaning", 17: "ironing",
    18: "folding laundry", 19: "house cleaning", 20: "playing soccer", 24: "rope jumping",
  ]

  override func read() throws(RecordingError) {
    let named = source.names.filter { $0.lowercased().hasSuffix(".dat") }
    for file in named.isEmpty ? source.names : named {
      var subject = ImportSource.stem(source.names.count > 1 ? file : source.path)
      if subject.lowercased().hasSuffix(".dat") { subject = String(subject.dropLast(4)) }
      for (index, place) in Self.places.enumerated() {
        try sink.begin(
          ImportedRecording(name: "\(subject)_\(place)", subject: subject, hasGyroscope: true))
        try read(file, firstColumn: 3 + 17 * index)
      }
    }
  }

  private func read(_ file: String, firstColumn: Int) throws(RecordingError) {
    var runs = LabelRuns()
    let columns = [1, 2, 3, 7, 8, 9].map { firstColumn + $0 }
    try forEachRow(of: file, .blanks) { (rows) throws(RecordingError) in
      guard rows.count == 54 else { return sink.drop(.fieldCount, rows.defect("54 columns")) }
      guard let time = rows.field(at: 0).timestamp else {
        return sink.drop(.noTime, rows.defect("seconds", at: 0))
      }
      guard try sink.append(motionIn: columns, of: rows, at: time) else { return }
      let code = rows.value(at: 1).flatMap { Int(exactly: $0) } ?? 0
      try runs.take(Self.activities[code], at: time, sink)
    }
    try runs.finish(sink)
  }
}
