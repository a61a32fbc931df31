public import LocomotionRecordings
public import LocomotionSensing

/// The reason for which a row or point of an input was dropped.
public enum DropReason: String, CaseIterable, Sendable {
  /// No time, or none that can be parsed.
  case noTime = "no usable time"
  /// A time that is not possible for a recording, such as one in the future.
  case impossibleTime = "no possible time"
  /// No position, or one that is not on Earth.
  case noPosition = "no possible position"
  /// Every component of a sample is missing.
  case noValue = "no value"
  /// A field that should be a number is text.
  case notANumber = "not a number"
  /// More or fewer fields than the header or the format has.
  case fieldCount = "wrong number of fields"
  /// No gravity close enough in time to add to an acceleration without it.
  case noGravity = "no gravity at that time"
  /// The same fix was read before.
  case duplicate = "duplicate"
  /// Another fix of the same time is more accurate, or came first.
  case sameTime = "another fix at that time is as good"
  /// The recorder repeats a position while the receiver moves on.
  case heldPosition = "repeats a position that was left"
  /// The time of a receiver before it had that of the satellites.
  case wrongClock = "by a clock that was wrong"
  /// Another device of the input has more fixes, and some of the same time.
  case otherDevice = "of another device at that time"
  /// An interval that ends before it starts.
  case badInterval = "ends before it starts"
  /// The other program marks it as disabled or deleted.
  case disabled = "disabled there"
  /// An object that is not a sample, fix or label of a recording.
  case otherKind = "not a point of a track"
}

/// What a device measured beside motion and place, as a watch's strap does.
package enum BodyQuantity: String, CaseIterable, Sendable {
  /// Beats per minute.
  case heartRate = "Heart rate"
  /// Turns of a crank or strides per minute.
  case cadence = "Cadence of the device"
  /// Watts.
  case power = "Power"

  package var unit: String { self == .power ? "W" : "/min" }
}

/// A value of a ``BodyQuantity`` at an instant.
package struct BodySample: Hashable, Sendable {
  /// When it was measured.
  package var time: Timestamp
  /// The value, in the quantity's unit.
  package var value: Float
}

/// A lap as a device has it: of a distance, or from one press of its button to the next.
package struct StatedLap: Equatable, Sendable {
  /// When it began.
  package var start: Timestamp
  /// The seconds of the timer, or else all.
  package var seconds: Double
  /// Metres.
  package var distance: Double
}

/// The result of an import: every row read is either kept or dropped for one reason.
public struct ImportReport: Equatable, Sendable {
  /// The form of the input; nil for a report of batches in memory.
  public internal(set) var format: RecordingFormat?
  /// Rows or points read, without headers; a sample counts once, also when gravity was added.
  public internal(set) var read = 0
  /// Accelerations kept.
  public internal(set) var accelerations = 0
  /// Rotation rates kept.
  public internal(set) var rotationRates = 0
  /// Pressures kept.
  public internal(set) var pressures = 0
  /// Fixes kept.
  public internal(set) var fixes = 0
  /// Labelled intervals kept.
  public internal(set) var labels = 0
  /// Rows dropped, by reason.
  public internal(set) var dropped: [DropReason: Int] = [:]
  /// The earliest time that was dropped for being later than is possible.
  @_spi(Server) public internal(set) var earliestFuture: Timestamp?
  /// Samples or fixes kept that are earlier than the previous one of their sensor.
  public internal(set) var outOfOrder = 0
  /// Recordings found.
  public internal(set) var recordings = 0
  /// The first defect of the input that did not stop the import.
  public internal(set) var firstDefect: RecordingError?
  /// What the system that wrote the input states of visits and activities, in the order of their
  /// starts, then the times between its recordings; beside the rows, and not counted among them.
  public internal(set) var statements: [StatedInterval] = []
  /// The places and edits of an exported journal, as they stand in its lines.
  package internal(set) var annotations: [JSONValue] = []
  /// What the devices of activities measured beside motion, in the order of the files.
  package internal(set) var body: [BodyQuantity: [BodySample]] = [:]
  /// The laps of activities, in the order of the files.
  package internal(set) var laps: [StatedLap] = []
  /// The names of tracks, as who recorded them or a program gave them, by their first instants.
  package internal(set) var names: [Timestamp: String] = [:]
  /// The numbers of fixes that were kept before each further track of a file.
  var trackStarts: [Int] = []
  /// Assumptions that were made in reading the input, for the user.
  public internal(set) var notes: [String] = []

  /// An empty report.
  public init() {}

  /// The report with further notes.
  package func noting(_ further: [String]) -> ImportReport {
    var report = self
    report.notes += further
    return report
  }

  /// Rows kept.
  public var kept: Int { accelerations + rotationRates + pressures + fixes + labels }

  /// Rows dropped for any reason.
  public var droppedCount: Int { dropped.values.reduce(0, +) }

  /// The report as text, one line each.
  public var lines: [String] {
    var lines = [
      "read \(read), kept \(kept): \(accelerations) accelerations, \(rotationRates) rotation "
        + "rates, \(pressures) pressures, \(fixes) fixes, \(labels) labels in "
        + "\(recordings) recording\(recordings == 1 ? "" : "s")"
    ]
    if let format { lines.append("form: \(format.rawValue)") }
    for reason in DropReason.allCases {
      if let count = dropped[reason] { lines.append("dropped \(count): \(reason.rawValue)") }
    }
    let stated = statements.filter { $0.kind != .unrecorded }
    for source in Set(stated.map({ $0.source })).sorted() {
      let own = stated.filter { $0.source == source }
      let (visits, activities) = (own.count { $0.isVisit }, own.count { $0.isActivity })
      let pauses = own.count - visits - activities
      lines.append(
        "stated by \(source): \(visits) visit\(visits == 1 ? "" : "s"), "
          + "\(activities) activit\(activities == 1 ? "y" : "ies")"
          + (pauses > 0 ? ", \(pauses) pause\(pauses == 1 ? "" : "s")" : ""))
    }
    if outOfOrder > 0 { lines.append("kept out of order: \(outOfOrder)") }
    if let firstDefect { lines.append("first defect: \(firstDefect)") }
    return lines + notes
  }
}
