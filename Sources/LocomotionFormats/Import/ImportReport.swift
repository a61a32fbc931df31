public import LocomotionRecordings

/// Why a row or point of an input was left out.
public enum DropReason: String, CaseIterable, Sendable {
  /// No time, or none that can be read.
  case noTime = "no usable time"
  /// A time at which nothing can have been recorded, such as one in the future.
  case impossibleTime = "no possible time"
  /// No position, or one that is not on Earth.
  case noPosition = "no possible position"
  /// Every component of a sample is missing.
  case noValue = "no value"
  /// A field that should be a number is text.
  case notANumber = "not a number"
  /// More or fewer fields than the header, or the form, has.
  case fieldCount = "wrong number of fields"
  /// No gravity near enough to be added to an acceleration without it.
  case noGravity = "no gravity at that time"
  /// The same fix was there before.
  case duplicate = "duplicate"
  /// An interval that ends before it starts.
  case badInterval = "ends before it starts"
  /// The other program marks it as disabled or deleted.
  case disabled = "disabled there"
  /// A kind of object that carries no time of a recording.
  case otherKind = "not a point of a track"
}

/// What an importer made of its input: every row read is either kept or dropped for one reason.
public struct ImportReport: Equatable, Sendable {
  /// Rows or points read, headers left out; a sample counts once, also when gravity was added.
  public internal(set) var read = 0
  /// Accelerations kept.
  public internal(set) var accelerations = 0
  /// Rotation rates kept.
  public internal(set) var rotationRates = 0
  /// Fixes kept.
  public internal(set) var fixes = 0
  /// Labelled intervals kept.
  public internal(set) var labels = 0
  /// Rows dropped, by reason.
  public internal(set) var dropped: [DropReason: Int] = [:]
  /// Samples or fixes kept that are earlier than the one of their sensor before them.
  public internal(set) var outOfOrder = 0
  /// Recordings found.
  public internal(set) var recordings = 0
  /// The first thing wrong with the input that did not stop its reading.
  public internal(set) var firstDefect: RecordingError?
  /// What a person should know of how the input was understood.
  public internal(set) var notes: [String] = []

  /// Nothing read yet.
  public init() {}

  /// Rows kept.
  public var kept: Int { accelerations + rotationRates + fixes + labels }

  /// Rows dropped for any reason.
  public var droppedCount: Int { dropped.values.reduce(0, +) }

  /// The report in words, one line each.
  public var lines: [String] {
    var lines = [
      "read \(read), kept \(kept): \(accelerations) accelerations, \(rotationRates) rotation "
        + "rates, \(fixes) fixes, \(labels) labels in \(recordings) recordings"
    ]
    for reason in DropReason.allCases {
      if let count = dropped[reason] { lines.append("dropped \(count): \(reason.rawValue)") }
    }
    if outOfOrder > 0 { lines.append("kept out of order: \(outOfOrder)") }
    if let firstDefect { lines.append("first defect: \(firstDefect)") }
    return lines + notes
  }
}
