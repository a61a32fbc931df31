import Foundation
import LocomotionRecordings
import LocomotionSensing

/// A recording that another thread reads, inflates and parses while the caller works on the part
/// before.
///
/// Batches and the error that ends them come in the recording's own order, as from a
/// `RecordingReader`. The other thread is at most ``depth`` batches ahead, so that memory stays
/// constant, and reads into batches that were given back.
///
/// A class, because two threads share it; `condition` guards all its variables, which is what its
/// being `Sendable` rests on.
final class ReadingAhead: @unchecked Sendable {
  /// The most batches that wait for the caller.
  private static let depth = 8

  private let condition = NSCondition()
  /// Batches that were read and not yet taken.
  private var waiting: [SensorBatch] = []
  /// Batches to read into.
  private var spare: [SensorBatch] = []
  /// How the recording ended, behind what is waiting.
  private var ending: Result<RecordingReader.Counts, any Error>?
  private var isAbandoned = false

  /// Begins to read the recording at `path`.
  init(path: String) {
    waiting.reserveCapacity(Self.depth)
    spare.reserveCapacity(Self.depth + 2)
    Thread.detachNewThread { self.readAll(path) }
  }

  /// The next batch; nil at the recording's end.
  ///
  /// - Throws: What opening the recording, or reading on, threw.
  func next() throws -> SensorBatch? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty {
      if let ending {
        _ = try ending.get()
        return nil
      }
      condition.wait()
    }
    condition.signal()
    return waiting.removeFirst()
  }

  /// Hands back a batch that was taken, to be read into again.
  func giveBack(_ batch: consuming SensorBatch) {
    condition.lock()
    spare.append(batch)
    condition.unlock()
  }

  /// What was read; of the whole recording once ``next()`` has returned nil.
  var counts: RecordingReader.Counts {
    condition.lock()
    defer { condition.unlock() }
    guard case .success(let counts) = ending else { return RecordingReader.Counts() }
    return counts
  }

  /// Lets the other thread end without reading on.
  func abandon() {
    condition.lock()
    isAbandoned = true
    condition.signal()
    condition.unlock()
  }

  // MARK: On the other thread

  private func readAll(_ path: String) {
    let result = Result { () throws -> RecordingReader.Counts in
      var reader = try RecordingReader(path: path)
      while var batch = emptyBatch() {
        guard try reader.read(into: &batch) else { break }
        append(batch)
      }
      return reader.counts
    }
    condition.lock()
    ending = result
    condition.signal()
    condition.unlock()
  }

  /// A batch to read into, as soon as there is room for it; nil when nobody wants it any more.
  private func emptyBatch() -> SensorBatch? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.count >= Self.depth && !isAbandoned { condition.wait() }
    return isAbandoned ? nil : spare.popLast() ?? SensorBatch()
  }

  private func append(_ batch: consuming SensorBatch) {
    condition.lock()
    waiting.append(batch)
    condition.signal()
    condition.unlock()
  }
}
