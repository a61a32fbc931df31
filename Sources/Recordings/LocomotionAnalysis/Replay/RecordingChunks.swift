internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionFormats
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionSensing
internal import LocomotionSignals

/// The chunks of a recording, which other threads read and analyze.
final class RecordingChunks: Sendable {
  /// A chunk for a thread that analyzes its windows, and the queue for the result.
  private struct Order: Sendable {
    var chunk: Chunk
    var result: BoundedQueue<Chunk>
  }

  private let orders: BoundedQueue<Order>
  /// The queue of each order's result, in the recording's order.
  private let results: BoundedQueue<BoundedQueue<Chunk>>
  private let spareBatches: BoundedQueue<SensorBatch>
  private let spareChunks: BoundedQueue<Chunk>
  private let end = BoundedQueue<(report: ImportReport, pipeline: LocomotionPipeline)>(depth: 1)

  /// Starts to read `source` into `pipeline` and to analyze its windows with `jobs` threads, in
  /// chunks of `length` events.
  init(_ source: BatchSource, into pipeline: LocomotionPipeline, length: Int, jobs: Int) {
    orders = BoundedQueue(depth: jobs)
    results = BoundedQueue(depth: 2 * jobs)
    spareBatches = BoundedQueue(depth: 1 + length / 4096)
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

  /// The next chunk, whose windows have been analyzed; nil at the end of the recording.
  ///
  /// - Throws: The error of reading.
  func next() throws -> Chunk? { try results.next()?.next() }

  /// Returns a chunk for reuse.
  func giveBack(_ chunk: consuming Chunk) {
    for batch in chunk.removeAll() { spareBatches.offer(batch) }
    spareChunks.offer(chunk)
  }

  /// Lets the other threads end.
  func abandon() {
    results.abandon()
    orders.abandon()
  }

  /// What was read and left out, and the pipeline after the whole recording, without the state of
  /// the windows; nil before the end.
  func takeEnd() -> (report: ImportReport, pipeline: LocomotionPipeline)? { end.poll() }

  /// Reads everything, cuts it into chunks, and orders their analysis; ends early when abandoned.
  private func cut(
    _ source: BatchSource, into pipeline: LocomotionPipeline, length: Int
  ) throws {
    var pipeline = pipeline
    var chunk = Chunk()
    var isWanted = true
    do {
      let report = try source.forEach {
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
      end.offer((report, pipeline))
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
