internal import Foundation
public import LocomotionRecordings
public import LocomotionSensing

/// A recording in any form: a file, a folder, a zip archive, or standard input.
///
/// ```swift
/// let source = try RecordingSource(path: "walk.gpx")
/// var reader = try source.reader()
/// var batch = SensorBatch()
/// while try reader.read(into: &batch) { print(batch.fixes.count) }
/// print(source.format, reader.report.lines)
/// ```
///
/// Everything that reads a recording reads it through this type, so that what one command takes,
/// all of them take.
public struct RecordingSource: Sendable {
  /// The path as it was given; `-` is standard input.
  public let path: String
  /// The form of the input.
  public let format: RecordingFormat
  package let files: ImportSource
  private let columns: TableColumns

  /// Opens an input and determines its form.
  ///
  /// - Parameters:
  ///   - path: A file, a folder or a zip file; `-` is standard input, which is copied to a
  ///     temporary file.
  ///   - format: The form; nil to detect it from names and content.
  ///   - columns: The columns and units of a table whose header does not tell them; with any, the
  ///     form is a ``RecordingFormat/table``.
  /// - Throws: `RecordingError` when the input cannot be read or its form is unknown.
  public init(
    path: String, format: RecordingFormat? = nil, columns: TableColumns = TableColumns()
  ) throws(RecordingError) {
    self.path = path
    self.columns = columns
    files = try path == "-" ? .standardInput() : ImportSource(path: path)
    if let format {
      self.format = format
    } else if columns.isEmpty {
      self.format = try RecordingFormat(detecting: files)
    } else {
      self.format = .table
    }
  }

  /// The paths of the input and of its files, which a command must not replace.
  public var filesOnDisk: [String] {
    guard !files.isFolder, [.csv, .table].contains(format) else { return files.filesOnDisk }
    return RecordingReader.files(ofRecordingAt: files.root)
  }

  /// The name of the recording, without folders.
  public var name: String { path == "-" ? "standard input" : path.fileName }

  /// Whether the input is one tidy recording, which is streamed in constant memory.
  package var isTidyFile: Bool { format == .csv && !files.isFolder }

  /// Calls `receiver` with the content in the order of the input.
  ///
  /// - Throws: What `receiver` throws, and what `RecordingFormat.read` does.
  @discardableResult
  package func importEvents(
    _ receiver: @escaping (ImportEvent) throws(RecordingError) -> Void
  ) throws(RecordingError) -> ImportReport {
    var report = try format.read(files, columns: columns, receiver)
    report.format = format
    return report
  }

  /// All recordings of the input in memory; nil for one that is streamed.
  ///
  /// - Throws: As ``reader()`` does.
  package func held() throws(RecordingError) -> HeldRecording? {
    isTidyFile ? nil : try HeldRecording(self)
  }

  /// The way that is planned in an input of GPX whose points have no times, or all one; nil for
  /// any other.
  package var plan: UntimedWay? {
    guard format == .gpx else { return nil }
    let importer = TrackImporter(files, ImportSink { _ in })
    importer.format = .gpx
    // What has no times is an error to who wants a recording.
    try? importer.read()
    return importer.isPlan ? importer.plan : nil
  }

  /// A reader of the input's samples and fixes in the order of time.
  ///
  /// - Returns: The reader, which has read the input unless it is streamed.
  /// - Throws: `RecordingError` when the input is not in its form, or holds nothing that can be
  ///   kept: then the first defect; and `RecordingError.refused` when two recordings of the input
  ///   have accelerations of the same time, which are two phones.
  public func reader() throws(RecordingError) -> Reader { try Reader(self) }
}

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
    /// What is left of an input in memory.
    private var parts: [HeldRecording] = []
    /// Whether the newest events begin a recording that doesn't continue the one before.
    package private(set) var begins = false
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
        parts = try HeldRecording(source).parts
        return
      }
      var reader = try RecordingReader(path: source.files.root, leavingOutBadRows: true)
      var batch = SensorBatch()
      // A defect is thrown again after the events before it.
      _ = try? reader.read(into: &batch)
      doubts.add(batch)
      hasMotion = reader.accelerationsPath != nil
      let survey = reader.fixesPath.map { FixSurvey(path: $0) }
      if let survey {
        correction = FixCorrection(survey)
        if let sample = batch.accelerations.timestamps.first {
          try FixSurvey.compareClocks(source.path, sample, survey.ends)
        } else if let error = survey.impossible(in: source.path) {
          throw error
        }
      }
      // A clock that is set back says something of accelerations; fixes alone are put in order.
      let isInOrder =
        hasMotion
        ? max(batch.shareOfDescents, survey?.shareOfDescents ?? 0) <= Self.disorder
        : survey?.descents ?? 0 == 0
      // Fixes of which only all of them tell what is wrong; beside accelerations there may be many.
      let isDoubted = !hasMotion && survey?.hasDoubt ?? false
      let isWhole = !isDoubted && batch.accelerations.timestamps.spread == nil
      guard !isInOrder || survey?.rolloverEnd != nil || !isWhole else {
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
      parts = [HeldRecording(all, ImportReport(reader), defect: defect)]
    }

    /// What of the input was read, kept and left out so far, with what looks wrong in it, and what
    /// it states of visits and activities; complete at the end.
    public var report: ImportReport {
      switch stream {
      case .some(let reader):
        correction.report(ImportReport(reader)).noting(doubts.lines)
      case .none: parts[0].report.noting(doubts.lines)
      }
    }

    /// Replaces the content of `batch` by the next events, at most some thousand per sensor.
    ///
    /// - Parameter batch: Emptied first. After an error it holds the events before it.
    /// - Returns: Whether there was an event; false at the end of the recording.
    /// - Throws: `RecordingError` at a defect, and again at every later call.
    public mutating func read(into batch: inout SensorBatch) throws(RecordingError) -> Bool {
      guard stream != nil else {
        let hasMore = try parts[0].read(into: &batch)
        begins = !hasMore && parts.count > 1
        guard begins else { return hasMore }
        parts.removeFirst()
        return try parts[0].read(into: &batch)
      }
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
  init(_ reader: borrowing RecordingReader) {
    let counts = reader.counts
    format = .csv
    accelerations = counts.accelerations
    rotationRates = counts.rotationRates
    pressures = counts.pressures
    fixes = counts.fixes
    recordings = 1
    if counts.rowsWithoutTime > 0 { dropped[.noTime] = counts.rowsWithoutTime }
    if counts.badRows > 0 { dropped[.notANumber] = counts.badRows }
    firstDefect = reader.firstBadRow
    read = kept + counts.rowsWithoutTime + counts.badRows
  }
}

/// What in a recording's values looks as if they were in another unit than that of their form.
struct RecordingDoubts {
  private var summary = AccelerationSummary()
  private var count = 0
  private var intervals: [Double] = []
  private var last: Timestamp?

  /// The number of samples that are looked at, from the start.
  private static let enough = 20_000
  /// Fewer intervals say nothing.
  private static let fewestIntervals = 16

  mutating func add(_ batch: SensorBatch) {
    guard count < Self.enough else { return }
    summary.add(batch.accelerations, atMost: Self.enough - count)
    for time in batch.accelerations.timestamps.prefix(Self.enough - count) {
      if let last, time >= last, intervals.count < 1_000 {
        intervals.append(time.seconds(since: last))
      }
      last = time
    }
    count += batch.accelerations.count
  }

  var lines: [String] { [unitOfTime, gravity].compactMap { $0 } }

  /// Accelerations that are seconds apart are of a file in a smaller unit of time; at 14 a second
  /// and fewer the steps are doubtful.
  private var unitOfTime: String? {
    guard intervals.count >= Self.fewestIntervals, let median = intervals.median else { return nil }
    if (0.07..<2).contains(median) {
      return "\(Int((1 / median).rounded())) accelerations a second: below 15 up to a half of the "
        + "steps are missed; record 20 or more"
    }
    let units = [(2e6, "nanoseconds"), (2e3, "microseconds"), (2.0, "milliseconds")]
    return units.first { median >= $0.0 }.map {
      "accelerations are \(String(format: "%.4g", median)) s apart: the times look like \($0.1)"
    }
  }

  private var gravity: String? {
    count < Self.fewestIntervals
      ? nil : summary.gravity.flatMap(AccelerationSummary.doubt(ofGravity:))
  }
}

extension [Double] {
  /// The middle one, of an even number the upper one; nil of none.
  var median: Double? { isEmpty ? nil : sorted()[count / 2] }

  /// The differences of successive numbers.
  var steps: [Double] { zip(dropFirst(), self).map { $0 - $1 } }
}
