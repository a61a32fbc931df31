internal import Foundation
internal import Locomotion
internal import LocomotionFormats

/// The chunks of a recording in its order, which one thread cuts and others analyze.
///
/// A class, because several threads use it. It is `Sendable` because `condition` guards all its
/// variables.
final class RecordingChunks: @unchecked Sendable {
  /// What was read and left out, and the pipeline after the whole recording, without the state of
  /// the windows.
  typealias End = (report: ImportReport, pipeline: LocomotionPipeline)
  /// A chunk with its number.
  private struct Order {
    let number: Int
    var chunk: Chunk
  }

  private let condition = NSCondition()
  /// The most chunks that are in work, so that memory stays constant.
  private let most: Int
  /// The chunks to be analyzed, and those that have been, by their numbers.
  private var waiting: [Order] = []
  private var analyzed: [Int: Chunk] = [:]
  /// How many chunks were cut, and how many the caller got.
  private var ordered = 0
  private var given = 0
  /// What follows the last chunk; nil before all are cut.
  private var ending: Result<End, any Error>?
  private var isAbandoned = false

  /// Starts to read `source` into `pipeline` and to analyze its windows with `jobs` threads, in
  /// chunks of `length` events.
  init(_ source: BatchSource, into pipeline: LocomotionPipeline, length: Int, jobs: Int) {
    most = 2 * jobs
    Thread.detachNewThread { [self] in cut(source, into: pipeline, length: length) }
    for _ in 0..<jobs {
      Thread.detachNewThread { [self] in analyze(with: pipeline.windowStages) }
    }
  }

  /// The next chunk, whose windows have been analyzed; nil at the end of the recording.
  ///
  /// - Throws: The error of reading.
  func next() throws -> Chunk? {
    try whenReady { () -> Chunk?? in
      if let chunk = analyzed.removeValue(forKey: given) {
        given += 1
        return chunk
      }
      guard given == ordered, let ending else { return nil }
      _ = try ending.get()
      return .some(nil)
    }
  }

  /// Lets the other threads end.
  func abandon() {
    condition.withLock {
      isAbandoned = true
      condition.broadcast()
    }
  }

  /// What follows the last chunk.
  ///
  /// - Throws: The error of reading.
  func end() throws -> End? { try condition.withLock { try ending?.get() } }

  /// Waits until `body` gives something; then whoever waits looks again.
  private func whenReady<Answer>(_ body: () throws -> Answer?) rethrows -> Answer {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let answer = try body() {
        condition.broadcast()
        return answer
      }
      condition.wait()
    }
  }

  /// Analyzes chunks until there are no more.
  private func analyze(with stages: WindowStages) {
    var stages = stages
    while var order = nextWaiting() {
      order.chunk.analyze(with: &stages)
      put(order)
    }
  }

  /// The next chunk for a thread that analyzes; nil when there are no more.
  private func nextWaiting() -> Order? {
    whenReady { () -> Order?? in
      if !waiting.isEmpty, !isAbandoned { return waiting.removeFirst() }
      return ending != nil || isAbandoned ? .some(nil) : nil
    }
  }

  /// Takes a chunk that has been analyzed.
  private func put(_ order: consuming Order) {
    condition.lock()
    defer { condition.unlock() }
    analyzed[order.number] = order.chunk
    condition.broadcast()
  }

  /// Reads everything and cuts it into chunks; ends early when abandoned.
  private func cut(_ source: BatchSource, into pipeline: LocomotionPipeline, length: Int) {
    var pipeline = pipeline
    var chunk = Chunk()
    let report = Result {
      try source.forEach { batch in
        var full = SensorBatch()
        swap(&full, &batch)
        chunk.append(full, to: &pipeline)
        guard chunk.eventCount >= length else { return true }
        let complete = chunk
        chunk = Chunk(after: complete)
        return order(complete)
      }
    }
    if case .success = report { chunk.finish(&pipeline) }
    _ = order(chunk)
    condition.withLock {
      ending = report.map { ($0, pipeline) }
      condition.broadcast()
    }
  }

  /// Orders the analysis of a chunk, when there is room for it; false when abandoned.
  private func order(_ chunk: consuming Chunk) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while ordered - given >= most && !isAbandoned { condition.wait() }
    waiting.append(Order(number: ordered, chunk: chunk))
    ordered += 1
    condition.broadcast()
    return !isAbandoned
  }
}
