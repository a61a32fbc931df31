public import LocomotionRecordings
public import LocomotionSensing

extension RecordingSource {
  /// Reads an input as one sequence of events in the order of time.
  ///
  /// A tidy recording is streamed in constant memory, as `RecordingReader` reads it, unless its
  /// first rows run backwards. Any other input is held in memory, some 20 bytes per sample, and
  /// sorted: other programs write newest first, or one sensor after the other.
  public struct Reader: ~Copyable {
    private var stream: RecordingReader?
    private var held = HeldRecording()
    /// The first events of the stream; nil once they were given.
    private var first: SensorBatch?
    private var doubts = RecordingDoubts()

    /// The share of rows earlier than the row before from which on a file is sorted: a clock that
    /// is set back makes one such row, and a sensor that is late few.
    private static let disorder = 0.05

    init(_ source: RecordingSource) throws(RecordingError) {
      guard source.isTidyFile else {
        held = try HeldRecording(source)
        doubts.add(held.all)
        return
      }
      var reader = try RecordingReader(path: source.files.root)
      var batch = SensorBatch()
      // A defect is thrown again after the events before it.
      _ = try? reader.read(into: &batch)
      doubts.add(batch)
      let share = max(batch.shareOfDescents, try Self.shareOfDescents(ofFixesBeside: reader))
      guard share > Self.disorder else {
        first = batch
        stream = consume reader
        return
      }
      var all = batch
      var defect: RecordingError?
      do throws(RecordingError) {
        while try reader.read(into: &batch) { all.append(contentsOf: batch) }
      } catch {
        all.append(contentsOf: batch)
        defect = error
      }
      held = HeldRecording(all, ImportReport(reader.counts), defect: defect)
    }

    /// The share among the first fixes beside accelerations, which come late where they run
    /// backwards; 0 without any.
    private static func shareOfDescents(
      ofFixesBeside reader: borrowing RecordingReader
    ) throws(RecordingError) -> Double {
      guard reader.accelerationsPath != nil, let path = reader.fixesPath else { return 0 }
      var fixes = try RecordingReader(path: path)
      var batch = SensorBatch()
      _ = try? fixes.read(into: &batch, maximumEvents: 64)
      return batch.shareOfDescents
    }

    /// What of the input was read, kept and left out so far, with what looks wrong in it, and what
    /// it states of visits and activities; complete at the end.
    public var report: ImportReport {
      switch stream {
      case .some(let reader): ImportReport(reader.counts).noting(doubts.lines)
      case .none: held.report.noting(doubts.lines)
      }
    }

    /// Replaces the content of `batch` by the next events, at most some thousand per sensor.
    ///
    /// - Parameter batch: Emptied first. After an error it holds the events before it.
    /// - Returns: Whether there was an event; false at the end of the recording.
    /// - Throws: `RecordingError` at a defect, and again at every later call.
    public mutating func read(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
      if let first {
        self.first = nil
        batch = first
        if !batch.isEmpty { return true }
      }
      guard let more = try stream?.read(into: &batch) else { return try held.read(into: &batch) }
      doubts.add(batch)
      return more
    }
  }
}

extension ImportReport {
  /// The report of a tidy recording.
  init(_ counts: RecordingReader.Counts) {
    format = .csv
    accelerations = counts.accelerations
    rotationRates = counts.rotationRates
    pressures = counts.pressures
    fixes = counts.fixes
    recordings = 1
    if counts.rowsWithoutTime > 0 { dropped[.noTime] = counts.rowsWithoutTime }
    read = kept + counts.rowsWithoutTime
  }
}
