internal import LocomotionRecordings
internal import LocomotionSensing

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
    var rows = TableRows(withoutHeader: try source.lines(of: file), .blanks)
    var runs = LabelRuns()
    let columns = [1, 2, 3, 7, 8, 9].map { firstColumn + $0 }
    while try rows.next() {
      guard rows.count == 54 else {
        sink.drop(.fieldCount, rows.defect("54 columns"))
        continue
      }
      guard let time = rows.field(at: 0).timestamp else {
        sink.drop(.noTime, rows.defect("seconds", at: 0))
        continue
      }
      guard try sink.append(motionIn: columns, of: rows, at: time) else { continue }
      let code = rows.value(at: 1).flatMap { Int(exactly: $0) } ?? 0
      try runs.take(Self.activities[code], at: time, sink)
    }
    try runs.finish(sink)
  }
}
