internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionSignals

/// The pieces of a recording, which other threads read and examine.
final class PieceLine: Sendable {
  /// A piece on its way to a thread that examines its windows, and where it goes then.
  private struct Order: Sendable {
    var piece: Piece
    var result: Relay<Piece>
  }

  private let orders: Relay<Order>
  /// Where the result of each order goes, in the recording's order.
  private let results: Relay<Relay<Piece>>
  private let spareBatches: Relay<SensorBatch>
  private let sparePieces: Relay<Piece>
  private let end = Relay<(counts: RecordingReader.Counts, pipeline: LocomotionPipeline)>(depth: 1)

  /// Begins to read `source` into `pipeline` and to examine its windows with `jobs` threads, in
  /// pieces of `length` events.
  init(_ source: BatchSource, into pipeline: LocomotionPipeline, length: Int, jobs: Int) {
    orders = Relay(depth: jobs)
    results = Relay(depth: 2 * jobs)
    spareBatches = Relay(depth: 1 + length / BatchSource.batchLength)
    sparePieces = Relay(depth: 2 * jobs)
    Thread.detachNewThread { [self] in
      results.end(Result { try cut(source, into: pipeline, length: length) })
      orders.end()
    }
    for _ in 0..<jobs {
      Thread.detachNewThread { [orders] in
        var stages = pipeline.windowStages
        while var order = try? orders.next() {
          order.piece.examine(with: &stages)
          order.result.offer(order.piece)
        }
      }
    }
  }

  /// The next piece, whose windows were examined; nil behind the recording's end.
  ///
  /// - Throws: What reading threw.
  func next() throws -> Piece? { try results.next()?.next() }

  /// Takes back a piece, to be filled again.
  func giveBack(_ piece: consuming Piece) {
    for batch in piece.removeAll() { spareBatches.offer(batch) }
    sparePieces.offer(piece)
  }

  /// Lets the other threads end.
  func abandon() {
    results.abandon()
    orders.abandon()
  }

  /// What was read of files, and the pipeline behind it all, which believes nothing of windows; nil
  /// before the end.
  func takeEnd() -> (counts: RecordingReader.Counts, pipeline: LocomotionPipeline)? { end.poll() }

  /// Reads all, cuts it, and has the pieces examined; ends early when nobody wants them.
  private func cut(
    _ source: BatchSource, into pipeline: LocomotionPipeline, length: Int
  ) throws {
    var pipeline = pipeline
    var piece = Piece()
    var isWanted = true
    do {
      let counts = try source.forEach {
        spareBatches.poll() ?? SensorBatch()
      } _: { batch in
        piece.append(batch, to: &pipeline)
        guard piece.eventCount >= length else { return true }
        let complete = piece
        piece = sparePieces.poll() ?? Piece()
        isWanted = order(complete)
        return isWanted
      }
      guard isWanted else { return }
      piece.finish(&pipeline)
      end.offer((counts, pipeline))
    } catch {
      _ = order(piece)
      throw error
    }
    _ = order(piece)
  }

  private func order(_ piece: Piece) -> Bool {
    let result = Relay<Piece>(depth: 1)
    return results.put(result) && orders.put(Order(piece: piece, result: result))
  }
}
