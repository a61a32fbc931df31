internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionSignals

/// The chunks of a recording, which other threads read and analyze.
final class ChunkAnalysis: Sendable {
  /// A chunk on its way to a thread that analyzes its windows, and where it goes then.
  private struct Order: Sendable {
    var chunk: Chunk
    var result: BoundedQueue<Chunk>
  }

  private let orders: BoundedQueue<Order>
  /// Where the result of each order goes, in the recording's order.
  private let results: BoundedQueue<BoundedQueue<Chunk>>
  private let spareBatches: BoundedQueue<SensorBatch>
  private let spareChunks: BoundedQueue<Chunk>
  private let end = BoundedQueue<(counts: RecordingReader.Counts, pipeline: LocomotionPipeline)>(
    depth: 1)

  /// Begins to read `source` into `pipeline` and to analyze its windows with `jobs` threads, in
  /// chunks of `length` events.
  init(_ source: BatchSource, into pipeline: LocomotionPipeline, length: Int, jobs: Int) {
    orders = BoundedQueue(depth: jobs)
    results = BoundedQueue(depth: 2 * jobs)
    spareBatches = BoundedQueue(depth: 1 + length / BatchSource.batchLength)
    spareChunks = BoundedQueue(depth: 2 * jobs)
    Thread.detachNewThread { [self] in
      results.end(Result { try cut(source, into: pipeline, length: length) })
      orders.end()
    }
    for _ in 0..<jobs {
      Thread.detachNewThread { [orders] in
        var stages = pipeline.windowStages
        while var order = try? orders.next() {
          order.chunk.analyze(with: &stages)
          order.result.offer(order.chunk)
        }
      }
    }
  }

  /// The next chunk, whose windows were analyzed; nil behind the recording's end.
  ///
  /// - Throws: What reading threw.
  func next() throws -> Chunk? { try results.next()?.next() }

  /// Takes back a chunk, to be filled again.
  func giveBack(_ chunk: consuming Chunk) {
    for batch in chunk.removeAll() { spareBatches.offer(batch) }
    spareChunks.offer(chunk)
  }

  /// Lets the other threads end.
  func abandon() {
    results.abandon()
    orders.abandon()
  }

  /// What was read of files, and the pipeline behind it all, which believes nothing of windows; nil
  /// before the end.
  func takeEnd() -> (counts: RecordingReader.Counts, pipeline: LocomotionPipeline)? { end.poll() }

  /// Reads all, cuts it, and has the chunks analyzed; ends early when nobody wants them.
  private func cut(
    _ source: BatchSource, into pipeline: LocomotionPipeline, length: Int
  ) throws {
    var pipeline = pipeline
    var chunk = Chunk()
    var isWanted = true
    do {
      let counts = try source.forEach {
        spareBatches.poll() ?? SensorBatch()
      } _: { batch in
        chunk.append(batch, to: &pipeline)
        guard chunk.eventCount >= length else { return true }
        let complete = chunk
        chunk = spareChunks.poll() ?? Chunk()
        isWanted = order(complete)
        return isWanted
      }
      guard isWanted else { return }
      chunk.finish(&pipeline)
      end.offer((counts, pipeline))
    } catch {
      _ = order(chunk)
      throw error
    }
    _ = order(chunk)
  }

  private func order(_ chunk: Chunk) -> Bool {
    let result = BoundedQueue<Chunk>(depth: 1)
    return results.put(result) && orders.put(Order(chunk: chunk, result: result))
  }
}
