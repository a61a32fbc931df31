internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing
internal import LocomotionSignals

/// The pieces of a recording, which other threads read and analyse.
final class PieceLine: Sendable {
  /// A piece on its way to a thread that analyses it, and where the result goes.
  private struct Order: Sendable {
    var piece: Piece
    var result: Relay<Piece>
    /// Whether the piece begins with a guess.
    var isGuess: Bool
  }

  private let orders: Relay<Order>
  /// Where the result of each order goes, in the recording's order.
  private let results: Relay<Relay<Piece>>
  /// The last state of which all is known.
  private let latest = Latest<LocomotionPipeline>()
  private let spare: Relay<SensorBatch>
  private let total = Relay<RecordingReader.Counts>(depth: 1)

  /// Begins to read `source` and to analyse it with `jobs` threads, in pieces of `length` events.
  ///
  /// The first piece begins with `pipeline`.
  init(_ source: BatchSource, beginning pipeline: LocomotionPipeline, length: Int, jobs: Int) {
    orders = Relay(depth: jobs)
    results = Relay(depth: jobs + 1)
    spare = Relay(depth: 2 * length / BatchSource.batchLength)
    Thread.detachNewThread { [self] in
      results.end(Result { try cut(source, beginning: pipeline, length: length) })
      orders.end()
    }
    for _ in 0..<jobs {
      Thread.detachNewThread { [orders, latest] in
        while var order = try? orders.next() {
          if order.isGuess, let known = latest.value { order.piece.guess(from: known) }
          order.piece.analyse()
          order.result.offer(order.piece)
        }
      }
    }
  }

  /// The next piece, analysed but not yet joined to the one before; nil at the recording's end.
  ///
  /// - Throws: What reading threw.
  func next() throws -> Piece? { try results.next()?.next() }

  /// Takes back a piece that was joined: its end is what the next pieces guess from, its batches
  /// are read into again.
  func giveBack(_ piece: consuming Piece) {
    latest.value = piece.pipeline
    for batch in piece.takeBatches() { spare.offer(batch) }
  }

  /// Lets the other threads end.
  func abandon() {
    results.abandon()
    orders.abandon()
  }

  /// What was read of files; known at the end.
  var counts: RecordingReader.Counts { total.poll() ?? RecordingReader.Counts() }

  /// Reads all, cuts it, and has the pieces analysed; ends early when nobody wants them.
  private func cut(
    _ source: BatchSource, beginning pipeline: LocomotionPipeline, length: Int
  ) throws {
    var piece = Piece(from: pipeline)
    var isGuess = false
    defer { if !piece.isEmpty { _ = order(piece, isGuess: isGuess) } }
    var scout = pipeline
    scout.leavesWindowsOut = true
    var output = LocomotionOutput()
    let counts = try source.forEach {
      spare.poll() ?? SensorBatch()
    } _: { batch in
      output.removeAll()
      scout.ingest(batch, into: &output)
      piece.append(batch)
      guard piece.eventCount >= (output.endsInMotion ? length : 3 * length) else { return true }
      defer {
        piece = Piece(from: scout)
        isGuess = true
      }
      return order(piece, isGuess: isGuess)
    }
    total.offer(counts)
  }

  private func order(_ piece: Piece, isGuess: Bool) -> Bool {
    let result = Relay<Piece>(depth: 1)
    return results.put(result)
      && orders.put(Order(piece: piece, result: result, isGuess: isGuess))
  }
}

extension LocomotionOutput {
  /// Whether the newest second is one of walking, or of what shakes as much.
  ///
  /// Then whatever was believed is forgotten soon. At rest the last steps are remembered until the
  /// next ones.
  fileprivate var endsInMotion: Bool {
    samples.last?.verticalAccelerationLevel.map { $0 > 0.8 } ?? false
  }
}
