internal import CLocomotion
internal import Locomotion
internal import LocomotionC
internal import LocomotionFormats
internal import LocomotionRecordings

/// The analysis of recordings one after another, of which some hours are held at a time.
///
/// Its answers are those of `locomotion analyze` of the recordings as one. As soon as they are
/// final it gives "samples" (`locomotion_sample`: live, but for the cadence and the steps, which
/// are those of `locomotion cadence`) and "fixes" (`locomotion_fix_report`: live); at the end
/// "items" (`locomotion_timeline_item`).
final class StreamedAnalysis {
  private var pipeline = LocomotionPipeline()
  private var hindsight: HindsightStream = {
    var settings = HindsightStream.Settings()
    settings.seconds = .live
    return HindsightStream(settings: settings)
  }()
  private var output = LocomotionOutput()
  private var samples: [locomotion_sample] = []
  private var fixes: [locomotion_fix_report] = []
  /// Of the recordings of fixes alone that were taken in last, of which each continues the one
  /// before.
  private var span: RecordedSpan?
  /// Their last fix.
  private var last: LocationFix?
  /// What is stated of the recording before.
  private var stated: [StatedInterval] = []

  /// The number of rows that are given at once.
  private static let portion = 4_096

  func append(_ batch: SensorBatch, results: Results) {
    output.removeAll()
    pipeline.ingest(batch, into: &output)
    take(results, atLeast: Self.portion)
  }

  /// Takes in the recording at `path`, in any form.
  func read(_ path: String, results: Results) throws(RecordingError) {
    let source = try RecordingSource(path: path)
    var batch = SensorBatch()
    guard let held = try source.held() else {
      var reader = try source.reader()
      while try reader.read(into: &batch) { append(batch, results: results) }
      span = nil
      return
    }
    for var part in held.parts {
      let own = part.span
      let statements = stated + held.report.statements
      let pause = own.flatMap { own in
        span?.append(own, statements) { _, _ in RecordedSpan.isOnePlace(last, part.firstFix) }
      }
      if let pause {
        finishRecording(results)
        pipeline.reset()
        hindsight.begin(at: pause.end)
      }
      (span, stated) = (own.flatMap { span ?? $0 }, held.report.statements)
      while try part.read(into: &batch) {
        last = batch.fixes.last ?? last
        append(batch, results: results)
      }
    }
  }

  private func finishRecording(_ results: Results) {
    output.removeAll()
    pipeline.finish(into: &output)
    take(results, atLeast: Self.portion)
  }

  /// Takes in the end.
  func finish(results: Results) {
    finishRecording(results)
    hindsight.finish()
    take(results, atLeast: 0)
    results.give("items", locomotion_timeline_item.list((hindsight.items, nil), []))
  }

  /// Passes the output on, and gives what is final when that are enough rows.
  private func take(_ results: Results, atLeast count: Int) {
    if count > 0 {
      hindsight.append(output)
      fixes += output.fixes.map { locomotion_fix_report($0) }
    }
    samples += hindsight.takeSamples().map { locomotion_sample($0, []) }
    if samples.count >= max(1, count) {
      results.give("samples", samples)
      samples.removeAll(keepingCapacity: true)
    }
    if fixes.count >= max(1, count) {
      results.give("fixes", fixes)
      fixes.removeAll(keepingCapacity: true)
    }
  }

  /// The time of the first measurement of the recording at `path`, as "start" (Int64).
  static func giveStart(of path: String, to results: Results) throws(RecordingError) {
    var reader = try RecordingSource(path: path).reader()
    var batch = SensorBatch()
    while try reader.read(into: &batch) {
      let first = [
        batch.accelerations.timestamps.first, batch.rotationRates.timestamps.first,
        batch.pressures.timestamps.first, batch.fixes.first?.timestamp,
      ].compactMap(\.self).min()
      if let first {
        results.give("start", [first.nanoseconds])
        return
      }
    }
    throw .nothingUsable(path: path, reason: "it has no row with a time")
  }
}
