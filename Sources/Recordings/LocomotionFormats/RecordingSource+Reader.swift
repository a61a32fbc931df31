public import LocomotionRecordings
public import LocomotionSensing

extension RecordingSource {
  /// Reads an input as one sequence of events in the order of time.
  ///
  /// A tidy recording is streamed in constant memory, as `RecordingReader` reads it, unless its
  /// first rows run backwards, or its fixes do and there is nothing else. Any other input is held
  /// in memory, some 20 bytes per sample, and sorted: other programs write newest first, or one
  /// sensor after the other.
  ///
  /// Of several fixes of one time the most accurate one is given, unless they are streamed beside
  /// accelerations; dates 1,024 weeks early are corrected, and few that are far off are left out;
  /// speeds that contradict the positions are ignored, positions that a recorder repeats while it
  /// moves are left out, and the error of rounded ones is added to their accuracy. The report tells
  /// all of it.
  public struct Reader: ~Copyable {
    private var stream: RecordingReader?
    private var held = HeldRecording()
    /// The first events of the stream; nil once they were given.
    private var first: SensorBatch?
    private var doubts = RecordingDoubts()
    /// What is wrong with the fixes of the stream.
    private var correction = FixCorrection(FixSurvey())
    private var hasMotion = false

    /// The share of rows earlier than the row before from which on a file is sorted: a clock that
    /// is set back makes one such row, and a sensor that is late few.
    private static let disorder = 0.05

    init(_ source: RecordingSource) throws(RecordingError) {
      guard source.isTidyFile else {
        held = try HeldRecording(source)
        return
      }
      var reader = try RecordingReader(path: source.files.root)
      var batch = SensorBatch()
      // A defect is thrown again after the events before it.
      _ = try? reader.read(into: &batch)
      doubts.add(batch)
      hasMotion = reader.accelerationsPath != nil
      let survey = reader.fixesPath.map { FixSurvey(path: $0) }
      if let survey { correction = FixCorrection(survey) }
      // A clock that is set back says something of accelerations; fixes alone are put in order.
      let isInOrder =
        hasMotion
        ? max(batch.shareOfDescents, survey?.shareOfDescents ?? 0) <= Self.disorder
        : survey?.descents ?? 0 == 0
      // Fixes of which only all of them tell what is wrong; beside accelerations there may be many.
      let isDoubted = !hasMotion && survey?.hasDoubt ?? false
      guard !isInOrder || survey?.rolloverEnd != nil || isDoubted else {
        first = batch
        stream = consume reader
        return
      }
      var all = batch
      var defect: RecordingError?
      do {
        while try reader.read(into: &batch) { all.append(contentsOf: batch) }
      } catch {
        all.append(contentsOf: batch)
        defect = error
      }
      held = HeldRecording(all, ImportReport(reader.counts), defect: defect)
    }

    /// What of the input was read, kept and left out so far, with what looks wrong in it, and what
    /// it states of visits and activities; complete at the end.
    public var report: ImportReport {
      switch stream {
      case .some(let reader):
        correction.report(ImportReport(reader.counts)).noting(doubts.lines)
      case .none: held.report.noting(doubts.lines)
      }
    }

    /// Replaces the content of `batch` by the next events, at most some thousand per sensor.
    ///
    /// - Parameter batch: Emptied first. After an error it holds the events before it.
    /// - Returns: Whether there was an event; false at the end of the recording.
    /// - Throws: `RecordingError` at a defect, and again at every later call.
    public mutating func read(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
      guard stream != nil else { return try held.read(into: &batch) }
      repeat {
        let more: Bool
        do {
          more = try next(into: &batch)
        } catch {
          correct(&batch, isLast: true)
          throw error
        }
        correct(&batch, isLast: !more)
        guard more else { return !batch.isEmpty }
      } while batch.isEmpty
      return true
    }

    /// The next events of the stream as they are in the file.
    private mutating func next(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
      if let first, !first.isEmpty {
        self.first = nil
        batch = first
        return true
      }
      let more = try stream?.read(into: &batch) ?? false
      doubts.add(batch)
      return more
    }

    /// Corrects the fixes of the stream; those of one time only where there is nothing beside them.
    private mutating func correct(_ batch: inout SensorBatch, isLast: Bool) {
      guard hasMotion else {
        correction.apply(to: &batch.fixes)
        if isLast, let fix = correction.finish() { batch.append(fix) }
        return
      }
      for index in batch.fixes.indices {
        batch.fixes[index] = correction.corrected(batch.fixes[index])
      }
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
