internal import LocomotionRecordings
internal import LocomotionSensing

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
    for part in ["train", "test"] {
      guard let first = source.file(named: "total_acc_x_\(part).txt") else { continue }
      try read(part, first)
    }
  }

  private func read(_ part: String, _ first: String) throws(RecordingError) {
    var rows = try WindowRows(part, first, source)
    var current: String?
    var before: [Float] = []
    var time = Timestamp(nanoseconds: 0)
    var runs = LabelRuns(longestPause: 1)
    while let row = try rows.next() {
      if row.subject != current {
        try runs.finish(sink)
        current = row.subject
        before = []
        time = Timestamp(nanoseconds: 0)
        try sink.begin(
          ImportedRecording(
            name: "\(part)_\(row.subject)", subject: "subject \(row.subject)",
            hasGyroscope: true))
      }
      let values = row.values
      let continues = before.elementsEqual(values[0].prefix(Self.length / 2))
      if !before.isEmpty, !continues { time = time.advanced(byNanoseconds: Self.pause) }
      before = Array(values[0].suffix(Self.length / 2))
      let gravity = Float(Acceleration.standardGravity)
      for index in (continues ? Self.length / 2 : 0)..<Self.length {
        try sink.append(
          RotationRate(x: values[3][index], y: values[4][index], z: values[5][index]), at: time)
        try sink.append(
          Acceleration(
            x: values[0][index] * gravity, y: values[1][index] * gravity,
            z: values[2][index] * gravity), at: time)
        try runs.take(Self.activities[row.label - 1], at: time, sink)
        time = time.advanced(byNanoseconds: Self.step)
      }
    }
    try runs.finish(sink)
  }

  /// The rows of one part of the set, which are windows: six signals, a subject and a label.
  private struct WindowRows {
    /// The files of the signals, and behind them those of subjects and labels.
    private var files: [TableRows] = []
    private let path: String

    init(_ part: String, _ first: String, _ source: ImportSource) throws(RecordingError) {
      let signals = ["total_acc", "body_gyro"].flatMap { name in
        ["x", "y", "z"].map { "\(name)_\($0)" }
      }
      for name in signals + ["subject", "y"] {
        guard let file = source.file(named: "\(name)_\(part).txt") else {
          throw .notFound(path: source.displayPath(of: "\(name)_\(part).txt"))
        }
        files.append(TableRows(withoutHeader: try source.lines(of: file), .blanks))
      }
      path = source.displayPath(of: first)
    }

    /// The next window; nil at the end.
    ///
    /// - Throws: `RecordingError.malformed` when a file has fewer rows, or a row other numbers.
    mutating func next() throws(RecordingError) -> (
      values: [[Float]], subject: String, label: Int
    )? {
      guard try files[0].next() else { return nil }
      var isWhole = true
      for index in files.indices.dropFirst() { isWhole = try files[index].next() && isWhole }
      guard isWhole, let number = files[7].value(at: 0), let label = Int(exactly: number),
        1...6 ~= label
      else {
        throw .malformed(
          path: path, place: "line \(files[0].line)",
          expected: "a row in each file, and a label from 1 to 6", found: "less")
      }
      let signals = files.prefix(6)
      if let bad = signals.first(where: { $0.count != length }) {
        throw bad.defect("\(length) numbers")
      }
      let values = signals.map { signal in
        (0..<length).map { Float(signal.field(at: $0).value ?? .nan) }
      }
      return (values, files[6].text(at: 0), label)
    }
  }
}
