internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// What a ``DayComputation`` knows between two batches.
struct DayState: Sendable {
  var pipeline: LocomotionPipeline
  var hindsight: HindsightStream
  private var output = LocomotionOutput()
  private let modelChecksum: UInt32

  /// Nothing but, if there is one, that a stay began at an instant.
  init(
    _ model: ActivityModel, _ statements: [StatedInterval], stayingSince start: Timestamp? = nil
  ) {
    pipeline = LocomotionPipeline(model: model)
    modelChecksum = pipeline.modelChecksum
    var settings = HindsightStream.Settings()
    settings.seconds = .none
    hindsight = HindsightStream(
      settings: settings, model: model, statements: statements, stayingSince: start)
  }

  mutating func ingest(_ batch: JournalBatch) {
    output.removeAll()
    pipeline.ingest(SensorBatch(batch), into: &output)
    hindsight.append(output)
  }

  /// The items that were not taken, if the recording ends here; of no use after that.
  mutating func finish() -> [TimelineItem] {
    output.removeAll()
    pipeline.finish(into: &output)
    hindsight.append(output)
    hindsight.finish()
    return hindsight.items
  }

  /// The state as bytes, without model and settings, and without the seconds of which hindsight may
  /// still tell more: these come again from an earlier state.
  var saved: [UInt8] {
    var copy = self
    return SavedState.bytes(of: &copy, model: modelChecksum)
  }

  /// The state that was saved; nil for one of another version or model.
  init?(saved bytes: [UInt8], _ model: ActivityModel, _ statements: [StatedInterval]) {
    self.init(model, statements)
    guard (try? SavedState.restore(&self, from: bytes, model: modelChecksum)) != nil else {
      return nil
    }
  }
}

extension DayState: StateArchivable {
  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&pipeline)
    archive.pass(&hindsight)
  }
}

/// The checkpoints from which a computation goes on, and the state with which it does.
struct DayChain {
  let checkpoints: [DayCheckpoint]
  /// The checkpoint from which the recording is read again; nil for its beginning.
  let base: DayCheckpoint?
  /// Hindsight of the newest checkpoint, and the pipeline of ``base``, which tells it again of the
  /// seconds that it held.
  let state: DayState

  /// Nil when the newest checkpoint leads nowhere, as one of another version or model does.
  init?(
    _ checkpoints: [DayCheckpoint], _ model: ActivityModel, _ statements: [StatedInterval]
  ) {
    guard let newest = checkpoints.last,
      var state = DayState(saved: newest.state, model, statements)
    else { return nil }
    self.checkpoints = checkpoints
    state.pipeline = LocomotionPipeline(model: model)
    var base: DayCheckpoint?
    if let start = state.hindsight.restartTime {
      guard let earlier = checkpoints.last(where: { $0.end <= start }),
        let before = DayState(saved: earlier.state, model, [])
      else { return nil }
      state.pipeline = before.pipeline
      base = earlier
    }
    self.base = base
    self.state = state
  }
}
