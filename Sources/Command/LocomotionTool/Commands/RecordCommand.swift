import Foundation
package import LocomotionFormats
package import LocomotionJournal
package import LocomotionRecordings
import LocomotionSensing

extension Command {
  static let record = Command(
    name: "record",
    synopsis: "--store FILE --user USER [--mode MODE] < LINES",
    summary: "Keeps batches of samples and fixes from standard input, and acknowledges each.",
    options: [
      Option(name: "store", value: "FILE", help: "the journal; made when there is none"),
      Option(name: "user", value: "USER", help: "whose recording it is"),
      Option(name: "mode", value: "MODE", help: "the mode of travel (default: unknown)"),
    ],
    run: runRecord)

  private static func runRecord(_ arguments: Arguments) throws {
    var recording = LineRecording(
      user: try arguments.making(), modality: arguments.value("mode") ?? "unknown")
    var lines = InputLines(.standardInput)
    while let line = lines.next() { try recording.take(line) }
    try recording.finish(path: arguments.required("store"))
  }
}

/// One run of `record`: the acknowledged data, and those that are not saved yet.
private struct LineRecording {
  let user: UserJournal
  let modality: String
  private var pending = JournalBatch()
  private var samples = 0
  private var fixes = 0
  private var lineNumber = 0
  private var refused = 0
  /// The number of lines that were accepted, without blank ones.
  private var taken = 0
  private var hasBegun = false
  /// The failed attempts to save since the last success, and the line of the next attempt.
  private var failures = 0
  private var nextAttempt = 0
  private var newest: Timestamp?
  private var output = TextOutput.standard
  /// The most samples that are held while saving fails; further lines are refused.
  private static let largestBacklog = 1_000_000

  init(user: UserJournal, modality: String) {
    self.user = user
    self.modality = modality
  }

  mutating func take(_ line: [UInt8]) throws {
    lineNumber += 1
    guard line.count <= InputLines.longest else {
      return refuse("line: expected at most \(InputLines.longest) bytes, found more")
    }
    guard line.contains(where: { $0 > 0x20 }) else { return }
    do throws(RecordingError) {
      let batch = try JournalBatch(LineJSON(recorded: line))
      let samples = [pending, batch].map {
        $0.accelerations.count + $0.rotationRates.count + $0.pressures.count
      }
      guard samples.reduce(0, +) <= Self.largestBacklog else {
        return refuse("line: expected room to hold it until the journal can be written, found none")
      }
      pending.append(contentsOf: batch)
      taken += 1
    } catch {
      guard case .malformed(_, let place, let expected, let found) = error else {
        return refuse(error.description)
      }
      return refuse("\(place): expected \(expected), found \(found)")
    }
    if lineNumber >= nextAttempt { try save() }
  }

  mutating func finish(path: String) throws {
    if !pending.isEmpty { try save() }
    if refused > 0 {
      StandardError.write("locomotion: \(refused) of \(lineNumber) lines refused\n")
    }
    guard pending.isEmpty else {
      throw JournalError.inputOutput(
        path: path, reason: "\(pending.accelerations.count) samples are not saved")
    }
    if hasBegun, let newest { try user.stop(at: newest) }
    guard refused == 0 || taken > 0 else {
      throw RecordingError.nothingUsable(
        path: "standard input", reason: "all \(refused) lines were refused")
    }
  }

  /// Saves the pending data and acknowledges them; a temporary failure is retried with a later
  /// line.
  private mutating func save() throws {
    do throws(JournalError) {
      let times = [
        pending.accelerations.timestamps, pending.rotationRates.timestamps,
        pending.pressures.timestamps,
        pending.fixes.map(\.timestamp),
      ]
      if let first = times.compactMap(\.first).min(), let last = times.compactMap(\.last).max() {
        try begin(at: first)
        newest = last
      }
      try user.append(pending)
    } catch {
      switch error {
      case .full, .inputOutput, .busy:
        StandardError.write("locomotion: standard input:\(lineNumber): not saved: \(error)\n")
        // The pending data grow, and so does the work of each attempt.
        failures += 1
        nextAttempt = lineNumber + min(failures, 30)
        return
      default: throw error
      }
    }
    samples += pending.accelerations.count
    fixes += pending.fixes.count
    pending = JournalBatch()
    failures = 0
    try acknowledge()
  }

  /// Prints how much is durable.
  ///
  /// The sender must learn it: a closed pipe is an error here, unlike in other commands.
  private mutating func acknowledge() throws {
    do {
      try output.write(
        "{\"acknowledged_samples\":\(samples),\"acknowledged_fixes\":\(fixes)}\n")
      try output.finish()
    } catch let error as CommandFailure {
      throw CommandFailure(
        "\(error.message); \(samples) samples and \(fixes) fixes of this run are kept, the rest was not read",
        .inputOutput)
    }
  }

  /// Starts a measurement, or resumes in a new track one that an earlier run did not end.
  private mutating func begin(at time: Timestamp) throws(JournalError) {
    guard !hasBegun else { return }
    switch try user.currentMeasurement()?.state {
    case .recording:
      try user.pause(at: time)
      try user.resume(at: time)
    case .paused: try user.resume(at: time)
    case .stopped, nil: try user.start(modality, at: time)
    }
    hasBegun = true
  }

  private mutating func refuse(_ reason: String) {
    refused += 1
    StandardError.write("locomotion: standard input:\(lineNumber): \(reason)\n")
  }
}

/// The lines of an input as they arrive, in bounded memory.
struct InputLines {
  /// 16 MiB, some 200,000 samples.
  static let longest = 1 << 24

  private let handle: FileHandle
  /// What has arrived of the lines that follow; nil at the end.
  private var rest: ArraySlice<UInt8>? = []

  init(_ handle: FileHandle) {
    self.handle = handle
  }

  /// The next line without its end, of a longer one than ``longest`` one byte more; nil at the end.
  mutating func next() -> [UInt8]? {
    var line: [UInt8] = []
    while let arrived = rest {
      let end = arrived.firstIndex(of: UInt8(ascii: "\n"))
      line += arrived[..<(end ?? arrived.endIndex)].prefix(Self.longest + 1 - line.count)
      if let end {
        rest = arrived[(end + 1)...]
        return line
      }
      let more = handle.availableData
      rest = more.isEmpty ? nil : ArraySlice(more)
    }
    return line.isEmpty ? nil : line
  }
}

extension JournalBatch {
  /// What a line of `record` holds.
  package init(_ line: LineJSON) throws(RecordingError) {
    self.init()
    fixes = line.fixes.compactMap(\.self)
    accelerations = try Self.series(line, SensorNames.accelerations)
    rotationRates = try Self.series(line, SensorNames.rotationRates)
    guard let (times, values) = try line.samples(of: [SensorNames.pressures]) else { return }
    // The times at which there is none have been those of other sensors.
    for (time, value) in zip(times.compactMap(\.self), values[0]) where !value.isNaN {
      pressures.append(Float(value), at: time)
    }
  }

  private static func series(
    _ line: LineJSON, _ names: [String]
  ) throws(RecordingError) -> SampleSeries {
    var series = SampleSeries()
    guard let (times, values) = try line.samples(of: names) else { return series }
    for (index, time) in times.compactMap(\.self).enumerated() {
      series.append(x: values[0][index], y: values[1][index], z: values[2][index], at: time)
    }
    return series
  }
}

extension JournalError: CommandError {
  package var exitStatus: ExitStatus { isInputRejection ? .rejected : .inputOutput }
}
