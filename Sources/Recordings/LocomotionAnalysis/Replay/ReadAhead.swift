internal import Foundation
internal import LocomotionFormats
internal import LocomotionSensing

/// The source of the batches of a replay.
enum BatchSource: Sendable {
  /// A recording in any form.
  case recording(RecordingSource, ignoresMotion: Bool)
  /// The events of a recording in memory, in the order of time.
  case held(HeldRecording)
  /// Batches in memory.
  case memory([SensorBatch])

  /// Calls `body` with one batch after the other until it returns false; `empty` provides batches
  /// to read into.
  func forEach(
    _ empty: () -> SensorBatch, _ body: (consuming SensorBatch) -> Bool
  ) throws -> ImportReport {
    switch self {
    case .recording(let source, let ignoresMotion):
      var reader = try source.reader()
      while true {
        var batch = empty()
        guard try reader.read(into: &batch) else { break }
        if ignoresMotion {
          batch.accelerations.removeAll()
          batch.rotationRates.removeAll()
        }
        guard body(batch) else { break }
      }
      return reader.report
    case .held(var recording):
      while true {
        var batch = empty()
        guard try recording.read(into: &batch), body(batch) else { break }
      }
      return recording.report
    case .memory(let batches):
      for batch in batches { guard body(batch) else { break } }
      return ImportReport()
    }
  }
}

/// A recording that another thread reads, inflates and parses while the caller processes the part
/// before.
///
/// The other thread is at most a few batches ahead, so that memory stays constant, and reads into
/// batches that were returned.
final class ReadAhead: Sendable {
  /// The batches in the recording's order, with the error that ends them.
  let batches: BoundedQueue<SensorBatch>
  private let spare: BoundedQueue<SensorBatch>
  private let total = BoundedQueue<ImportReport>(depth: 1)

  /// Starts to read `source`, up to `depth` batches ahead.
  init(_ source: BatchSource, ahead depth: Int) {
    batches = BoundedQueue(depth: depth)
    spare = BoundedQueue(depth: depth + 2)
    Thread.detachNewThread { [self] in
      batches.end(
        Result {
          let report = try source.forEach {
            spare.poll() ?? SensorBatch()
          } _: {
            batches.put($0)
          }
          total.offer(report)
        })
    }
  }

  /// Returns a batch for reuse.
  func giveBack(_ batch: consuming SensorBatch) { spare.offer(batch) }

  /// Ends the other thread without reading on.
  func abandon() { batches.abandon() }

  /// What was read, kept and left out; known at the end.
  var report: ImportReport { total.poll() ?? ImportReport() }
}
