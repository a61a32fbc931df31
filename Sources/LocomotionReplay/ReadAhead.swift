internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// The source of the batches of a replay.
enum BatchSource: Sendable {
  /// The files of a recording.
  case file(String, ignoresMotion: Bool)
  /// Batches in memory.
  case memory([SensorBatch])

  /// The number of samples and fixes in a batch that is read from files.
  static let batchLength = 4096

  /// Calls `body` with one batch after the other until it returns false; `empty` provides batches
  /// to read into.
  func forEach(
    _ empty: () -> SensorBatch, _ body: (consuming SensorBatch) -> Bool
  ) throws -> RecordingReader.Counts {
    switch self {
    case .file(let path, let ignoresMotion):
      var reader = try RecordingReader(path: path)
      while true {
        var batch = empty()
        guard try reader.read(into: &batch, maximumEvents: Self.batchLength) else { break }
        if ignoresMotion {
          batch.accelerations.removeAll()
          batch.rotationRates.removeAll()
        }
        guard body(batch) else { break }
      }
      return reader.counts
    case .memory(let batches):
      for batch in batches { guard body(batch) else { break } }
      return RecordingReader.Counts()
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
  private let total = BoundedQueue<RecordingReader.Counts>(depth: 1)

  /// Starts to read `source`, up to `depth` batches ahead.
  init(_ source: BatchSource, ahead depth: Int) {
    batches = BoundedQueue(depth: depth)
    spare = BoundedQueue(depth: depth + 2)
    Thread.detachNewThread { [self] in
      batches.end(
        Result {
          let counts = try source.forEach {
            spare.poll() ?? SensorBatch()
          } _: {
            batches.put($0)
          }
          total.offer(counts)
        })
    }
  }

  /// Returns a batch for reuse.
  func giveBack(_ batch: consuming SensorBatch) { spare.offer(batch) }

  /// Ends the other thread without reading on.
  func abandon() { batches.abandon() }

  /// The counts of the files; known at the end.
  var counts: RecordingReader.Counts { total.poll() ?? RecordingReader.Counts() }
}
