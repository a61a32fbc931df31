internal import CLocomotion
package import Locomotion
internal import LocomotionMap

/// Why a function of the interface did nothing, as the constant of `locomotion.h`.
package enum Failure: Int32, Error {
  case null = 1
  case argument, alignment, handle, busy, capacity, finished, unprocessed, notKept, tooMany, model
  case modelVersion, state, stateVersion, stateModel, map
}

/// How much later data an answer uses.
package enum Form: Int32 {
  case live, lagged, smoothed
}

/// What a handle stands for: a pipeline, its timeline, and what was not polled yet.
package final class Session {
  private let model: ActivityModel
  private(set) var memory: Memory
  /// What was appended and not processed.
  var batch = SensorBatch()

  struct Memory {
    var keepsRecording: Bool
    var isFinished = false
    var pipeline: LocomotionPipeline
    var timeline = TimelineBuilder()
    /// What was not polled, behind the places up to which it was.
    var output = LocomotionOutput()
    var polledSamples = 0
    var polledFixes = 0
    /// Everything that was ever found out, when that is kept.
    var recording = LocomotionOutput()

    init(model: ActivityModel, keepsRecording: Bool) {
      pipeline = LocomotionPipeline(model: model)
      self.keepsRecording = keepsRecording
    }
  }

  init(model: ActivityModel, keepsRecording: Bool) {
    self.model = model
    memory = Memory(model: model, keepsRecording: keepsRecording)
  }

  /// A session that has seen nothing, with the same model and options.
  var blank: Session { Session(model: model, keepsRecording: memory.keepsRecording) }

  func requireUnfinished() throws(Failure) {
    if memory.isFinished { throw .finished }
  }

  /// Appends events of any sensors, to be processed with the next ones.
  package func append(_ events: SensorBatch) throws(Failure) {
    try requireUnfinished()
    batch.append(contentsOf: events)
  }

  // MARK: Measurements in

  func process(isLast: Bool) throws(Failure) {
    try requireUnfinished()
    memory.take(batch, isLast: isLast)
    batch.removeAll()
  }

  /// Ends the recording: what is appended next doesn't continue it.
  package func begin() throws(Failure) {
    try process(isLast: true)
    memory.isFinished = false
    memory.pipeline.reset()
  }

  // MARK: Answers out

  /// The samples that are polled next, at most `limit`.
  func nextSamples(atMost limit: Int) -> ArraySlice<LocomotionSample> {
    let next = memory.output.samples[memory.polledSamples...].prefix(limit)
    memory.polledSamples = next.endIndex
    return next
  }

  /// The fixes that are polled next, at most `limit`.
  func nextFixes(atMost limit: Int) -> ArraySlice<FixReport> {
    let next = memory.output.fixes[memory.polledFixes...].prefix(limit)
    memory.polledFixes = next.endIndex
    return next
  }

  var custom: [CustomActivity] { model.namedActivities }

  package var diagnostics: LocomotionPipeline.Diagnostics { memory.pipeline.diagnostics }

  /// The number of samples and of fixes that are kept.
  package func keptCounts() throws(Failure) -> (samples: Int, fixes: Int) {
    guard memory.keepsRecording else { throw .notKept }
    return (memory.recording.samples.count, memory.recording.fixes.count)
  }

  /// All samples so far; cadences are those of `locomotion cadence` unless the form is live.
  package func samples(_ form: Form) -> [LocomotionSample] {
    var samples = memory.recording.samples
    switch form {
    case .live: break
    case .lagged:
      Hindsight.smoothActivities(of: &samples, lag: ActivitySmoother.lagSeconds, model: model)
      Hindsight.smoothCadences(of: &samples)
    case .smoothed:
      Hindsight.smooth(&samples, reports: memory.recording.fixes, model: model)
    }
    return samples
  }

  package func fixes(_ form: Form) -> [FixReport] {
    switch form {
    case .live: memory.recording.fixes
    case .lagged: Hindsight.locations(memory.recording.fixes, lag: LocationSmoother.lagSeconds)
    case .smoothed: Hindsight.locations(memory.recording.fixes)
    }
  }

  /// The timeline so far, and up to when it is final.
  func timeline(_ form: Form) throws(Failure) -> (items: [TimelineItem], finalEnd: Timestamp?) {
    if form == .live {
      let items = memory.timeline.items()
      return (items, memory.isFinished ? items.last?.end : memory.timeline.finalEnd())
    }
    guard memory.keepsRecording else { throw .notKept }
    let items = TimelineBuilder.items(of: samples(form))
    return (items, memory.isFinished ? items.last?.end : nil)
  }

  /// The timeline compared with a map, and the length of each leg's route by its start.
  func timeline(
    _ form: Form, on map: [UInt8]
  ) throws(Failure) -> (
    items: [TimelineItem], finalEnd: Timestamp?, lengths: [Timestamp: Double]
  ) {
    guard form != .live else { throw .argument }
    _ = try keptCounts()
    let samples = samples(form)
    var items = TimelineBuilder.items(of: samples)
    do throws(RoadMap.Problem) {
      let routes = try RoadMap(bytes: map)
        .matchTrips(in: &items, along: samples.compactMap(RouteMatcher.Position.init))
      let finalEnd = memory.isFinished ? items.last?.end : nil
      return (items, finalEnd, routes.mapValues { $0.length })
    } catch {
      throw .map
    }
  }

  // MARK: Save and restore

  func savedState() throws(Failure) -> [UInt8] {
    guard batch.isEmpty else { throw .unprocessed }
    return ArchiveFile.savedState(model: memory.pipeline.modelChecksum).bytes(of: &memory)
  }

  func restore(_ bytes: [UInt8]) throws(Failure) {
    do throws(SavedStateError) {
      try ArchiveFile.savedState(model: memory.pipeline.modelChecksum)
        .restore(&memory, from: bytes)
    } catch {
      switch error {
      case .notASavedState, .damaged: throw .state
      case .otherVersion: throw .stateVersion
      case .otherModel: throw .stateModel
      }
    }
  }
}

extension Session.Memory {
  /// Takes in a batch; the last one ends the recording.
  mutating func take(_ batch: SensorBatch, isLast: Bool) {
    // What was polled leaves; the arrays keep their memory.
    output.samples.removeFirst(polledSamples)
    output.fixes.removeFirst(polledFixes)
    (polledSamples, polledFixes) = (0, 0)
    let (samples, fixes) = (output.samples.count, output.fixes.count)
    pipeline.ingest(batch, into: &output)
    if isLast { pipeline.finish(into: &output) }
    isFinished = isLast
    for index in samples..<output.samples.count { timeline.append(output.samples[index]) }
    guard keepsRecording else { return }
    recording.samples += output.samples[samples...]
    recording.fixes += output.fixes[fixes...]
  }
}

extension Session.Memory: StateArchivable {
  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&keepsRecording, &isFinished, &pipeline, &timeline, &output)
    archive.pass(&polledSamples, &polledFixes)
    archive.require(polledSamples <= output.samples.count && polledFixes <= output.fixes.count)
    archive.pass(&recording)
  }
}

extension Failure {
  /// What a model file that was refused comes to.
  init(_ error: ModelFileError) {
    switch error {
    case .unsupportedVersion, .schemaMismatch: self = .modelVersion
    default: self = .model
    }
  }
}
