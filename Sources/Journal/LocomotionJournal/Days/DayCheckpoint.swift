internal import Locomotion

/// A row of the table `checkpoints`: where a ``DayComputation`` was at the end of an hour.
///
/// With it a computation goes on exactly, in a journal that is opened again or after data that came
/// late. A row that is missing costs time; without any the pipeline begins anew two minutes before
/// the end of what is final.
struct DayCheckpoint: StoredRow {
  static let layout = RowLayout<Self>(
    "checkpoints",
    [
      .key(\.key), Column("end", \.end), Column("final_end", \.finalEnd),
      Column("sample", \.sample), Column("fix", \.fix), Column("state", \.state),
      .dropped("checksum"),
    ])
  /// The length of an hour of the computation's grid, which begins with 1970 in UTC, nanoseconds.
  static let hour: Int64 = 3_600_000_000_000

  private(set) var key: Int64 = 0
  /// All data before this instant have passed through the pipeline, and none from it on.
  private(set) var end = Timestamp(nanoseconds: 0)
  /// The end of the items that were final.
  private(set) var finalEnd: Timestamp?
  /// The lowest positions of the samples and fixes from ``end`` on.
  var sample = 0, fix = 0
  /// The saved state of the pipeline; empty where it isn't held in memory.
  var state: [UInt8] = []

  /// The number of the hour, from 1970 on, that holds an instant.
  static func hour(of instant: Timestamp) -> Int64 { instant.interval(of: hour) }

  static func end(ofHour number: Int64) -> Timestamp {
    Timestamp.end(ofInterval: number, of: hour)
  }

  /// The number of the hour that ends at ``end``.
  var hour: Int64 { Self.hour(of: end) - 1 }

  init(
    user: Int64, end: Timestamp, finalEnd: Timestamp?, position: (sample: Int, fix: Int),
    state: [UInt8]
  ) {
    // Hours before 1970 are numbered too.
    let index = Int(Self.hour(of: end)) + 1 << (StoreFormat.indexBits - 1)
    key = StoreFormat.key(user: user, index: index)
    self.end = end
    self.finalEnd = finalEnd
    (sample, fix) = position
    self.state = state
  }

  init() {}

  /// Whether its items are not before an end up to which others are kept for ever.
  func isAfter(_ retainedEnd: Timestamp?) -> Bool {
    finalEnd.map { $0 >= retainedEnd ?? $0 } ?? (retainedEnd == nil)
  }

  /// The checkpoints that remain: the newest one, those that `starts` are computed from, and before
  /// them about two for each doubling of the age, up to eleven days; in order of time.
  static func thinned(_ checkpoints: [DayCheckpoint], for starts: [Timestamp]) -> [DayCheckpoint] {
    guard let newest = checkpoints.last else { return [] }
    let needed = starts.compactMap { start in checkpoints.last { $0.end <= start }?.key }
    return checkpoints.filter { checkpoint in
      let number = checkpoint.hour
      let span = Int64(2) << Int64(min(number.trailingZeroBitCount, 7))
      return checkpoint.key == newest.key || newest.hour - number <= span
        || needed.contains(checkpoint.key)
    }
  }
}

extension UserJournal {
  /// Replaces the checkpoints of a user by these, of which those without a state are stored.
  func store(_ checkpoints: [DayCheckpoint]) throws(JournalError) {
    let kept = Set(checkpoints.filter { $0.state.isEmpty }.map(\.key))
    let keys = StoreFormat.keys(ofUser: number)
    let stored: [Int64] = try connection.column(
      "SELECT id FROM checkpoints WHERE id >= ? AND id < ?", keys)
    for key in stored where !kept.contains(key) {
      try connection.delete(key, from: "checkpoints")
    }
    for checkpoint in checkpoints where !checkpoint.state.isEmpty {
      try checkpoint.write(to: connection)
    }
  }
}

/// What a ``DayComputation`` knows between two batches.
struct DayState: Sendable, StateArchivable {
  var pipeline: LocomotionPipeline
  var hindsight: HindsightStream
  private var output = LocomotionOutput()
  /// The times between recordings, in their order, and where there are any the newest time that was
  /// taken in.
  private let unrecorded: [StatedInterval]
  private var newest: Timestamp?

  /// Nothing but, if there is one, that a stay began at an instant.
  init(
    _ model: ActivityModel, _ statements: [StatedInterval], stayingSince start: Timestamp? = nil
  ) {
    pipeline = LocomotionPipeline(model: model)
    var settings = HindsightStream.Settings()
    settings.seconds = .none
    hindsight = HindsightStream(
      settings: settings, model: model, statements: statements, stayingSince: start)
    unrecorded = statements.filter { $0.kind == .unrecorded }.sorted { $0.end < $1.end }
  }

  /// Takes in a batch of one cell, within which recordings may end.
  mutating func ingest(_ batch: JournalBatch) {
    var rest = batch
    if !unrecorded.isEmpty, let first = batch.firstTime, let last = batch.lastTime {
      for pause in unrecorded where first < pause.end && pause.end <= last {
        take(rest.filtered { $0 < pause.end })
        rest = rest.filtered { $0 >= pause.end }
      }
    }
    take(rest)
  }

  private mutating func take(_ batch: JournalBatch) {
    if !unrecorded.isEmpty, let first = batch.firstTime {
      // Where something was recorded after all, none ends.
      if let last = newest, unrecorded.contains(where: { last <= $0.start && $0.end <= first }) {
        finishRecording()
        pipeline.reset()
        hindsight.begin(at: first)
      }
      newest = batch.lastTime
    }
    output.removeAll()
    pipeline.ingest(SensorBatch(batch), into: &output)
    hindsight.append(output)
  }

  /// The items that were not taken, if the recording ends here; of no use after that.
  mutating func finish() -> [TimelineItem] {
    finishRecording()
    hindsight.finish()
    return hindsight.items
  }

  private mutating func finishRecording() {
    output.removeAll()
    pipeline.finish(into: &output)
    hindsight.append(output)
  }

  /// The state as bytes, without model and settings, and without the seconds of which hindsight may
  /// still tell more: these come again from an earlier state.
  var saved: [UInt8] {
    var copy = self
    return ArchiveFile.savedState(model: pipeline.modelChecksum).bytes(of: &copy)
  }

  /// The state that was saved; nil for one of another version or model.
  init?(saved bytes: [UInt8], _ model: ActivityModel, _ statements: [StatedInterval]) {
    self.init(model, statements)
    let file = ArchiveFile.savedState(model: pipeline.modelChecksum)
    guard (try? file.restore(&self, from: bytes)) != nil else { return nil }
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&pipeline, &hindsight, &newest)
  }

  /// Hindsight of the newest checkpoint, and the pipeline of the one from which the recording is
  /// read again, nil for its beginning, which tells it again of the seconds that it held.
  ///
  /// Nil when the newest one leads nowhere, as one of another version or model does.
  static func resumed(
    from checkpoints: [DayCheckpoint], _ model: ActivityModel, _ statements: [StatedInterval]
  ) -> (state: DayState, base: DayCheckpoint?)? {
    guard let newest = checkpoints.last,
      var state = DayState(saved: newest.state, model, statements)
    else { return nil }
    (state.pipeline, state.newest) = (LocomotionPipeline(model: model), nil)
    guard let start = state.hindsight.restartTime else { return (state, nil) }
    guard let base = checkpoints.last(where: { $0.end <= start }),
      let before = DayState(saved: base.state, model, [])
    else { return nil }
    (state.pipeline, state.newest) = (before.pipeline, before.newest)
    return (state, base)
  }
}
