internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// Where the batches of a replay come from.
enum BatchSource: Sendable {
  /// A recording's files.
  case file(String, ignoresMotion: Bool)
  /// All of it at hand.
  case memory([SensorBatch])

  /// The samples and fixes in a batch that is read from files.
  static let batchLength = 4096

  /// Calls `body` with one batch after the other until it returns false; `empty` gives batches to
  /// read into.
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

/// A recording that another thread reads, inflates and parses while the caller works on the part
/// before.
///
/// The other thread is a few batches ahead at most, so that memory stays constant, and reads into
/// batches that were given back.
final class ReadAhead: Sendable {
  /// What was read, in the recording's own order, with the error that ends it.
  let batches: BoundedQueue<SensorBatch>
  private let spare: BoundedQueue<SensorBatch>
  private let total = BoundedQueue<RecordingReader.Counts>(depth: 1)

  /// Begins to read `source`, up to `depth` batches ahead.
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

  /// Takes a batch back, to be read into again.
  func giveBack(_ batch: consuming SensorBatch) { spare.offer(batch) }

  /// Lets the other thread end without reading on.
  func abandon() { batches.abandon() }

  /// What was read of files; known at the end.
  var counts: RecordingReader.Counts { total.poll() ?? RecordingReader.Counts() }
}
