import Foundation
import Locomotion
import LocomotionRecordings

/// Runs a whole recording through a pipeline, batch by batch, in constant memory.
///
/// Files are read and parsed by a second thread; what comes out is the same as with one.
struct Replay {
  private(set) var pipeline: LocomotionPipeline
  private(set) var counts = RecordingReader.Counts()

  init(
    model: ActivityModel = .default, settings: LocomotionPipeline.Settings = .init()
  ) {
    pipeline = LocomotionPipeline(model: model, settings: settings)
  }

  /// Calls `body` with what each batch completed; the order of the calls is that of time.
  ///
  /// With `fixesOnly` the accelerations and rotation rates are left out, as if there were none.
  /// `observe` sees each batch before the pipeline does.
  mutating func run(
    _ path: String, fixesOnly: Bool = false, before observe: (SensorBatch) -> Void = { _ in },
    _ body: (LocomotionOutput) throws -> Void
  ) throws {
    let reading = ReadingAhead(path: path)
    defer { reading.abandon() }
    var output = LocomotionOutput()
    while var batch = try reading.next() {
      output.removeAll()
      if fixesOnly {
        batch.accelerations.removeAll()
        batch.rotationRates.removeAll()
      }
      observe(batch)
      pipeline.ingest(batch, into: &output)
      reading.giveBack(batch)
      try body(output)
    }
    output.removeAll()
    pipeline.finish(into: &output)
    try body(output)
    counts = reading.counts
  }

  /// All samples of a recording, with the activities as the whole recording shows them.
  static func samplesInHindsight(of path: String) throws -> [LocomotionSample] {
    var samples: [LocomotionSample] = []
    var replay = Replay()
    try replay.run(path) { samples += $0.samples }
    Hindsight.smoothActivities(of: &samples)
    Hindsight.smoothMovingStates(of: &samples)
    return samples
  }
}

extension TimelineBuilder {
  /// The timeline of a recording that is over, one epoch of its clock after another.
  static func items(of samples: [LocomotionSample]) -> [TimelineItem] {
    var builder = TimelineBuilder()
    for sample in samples { builder.append(sample) }
    return builder.epochs.flatMap { $0 } + builder.items()
  }
}

extension Arguments {
  /// The recording that the command is to read.
  var recording: String { operands[0] }

  /// The model that an option names, or the built-in one.
  func model(_ option: String = "model") throws -> ActivityModel {
    guard let path = value(option) else { return .default }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileManager.default.fileExists(atPath: path)
        ? RecordingError.unreadable(path: path, reason: "not a readable file")
        : RecordingError.notFound(path: path)
    }
    do {
      return try ActivityModel(file: Array(data))
    } catch {
      throw ModelRejection(path: path, reason: error)
    }
  }
}

/// A model file that was read and refused.
struct ModelRejection: Error, CustomStringConvertible {
  let path: String
  let reason: ModelFileError

  var description: String { "\(path): \(reason)" }
}
