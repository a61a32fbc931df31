internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionSensing
internal import LocomotionSignals

/// A stretch of a recording that is analysed on its own.
struct Piece: Sendable {
  /// Where this piece is when this many of its batches have been taken in.
  private struct Checkpoint {
    var batches: Int
    var pipeline: LocomotionPipeline
  }

  /// What was recorded.
  private(set) var batches: [SensorBatch] = []
  /// What each batch completed, as far as it is known.
  private(set) var outputs: [LocomotionOutput] = []
  /// The state before the first batch, then behind the last one that was taken in.
  ///
  /// Unless this is the first piece, locations and counts are right in it from the start, but what
  /// is believed about the activity and the steps is a guess.
  private(set) var pipeline: LocomotionPipeline
  private var checkpoints: [Checkpoint] = []
  /// The samples and fixes in it.
  private(set) var eventCount = 0

  /// A piece without batches that begins with `pipeline`.
  init(from pipeline: LocomotionPipeline) {
    self.pipeline = pipeline
    self.pipeline.leavesWindowsOut = false
  }

  var isEmpty: Bool { batches.isEmpty }

  mutating func append(_ batch: consuming SensorBatch) {
    eventCount += batch.accelerations.count + batch.rotationRates.count + batch.fixes.count
    batches.append(batch)
  }

  /// The batches, which the piece has no longer: nobody else holds their memory then.
  mutating func takeBatches() -> [SensorBatch] {
    defer { batches = [] }
    return batches
  }

  /// Begins with what `other` believes about the activity and the steps.
  mutating func guess(from other: LocomotionPipeline) { pipeline.adoptBeliefs(of: other) }

  /// Takes in all batches, and remembers the state on the way ever more seldom.
  mutating func analyse() {
    outputs = [LocomotionOutput](repeating: LocomotionOutput(), count: batches.count)
    var next = 1
    for index in batches.indices {
      pipeline.ingest(batches[index], into: &outputs[index])
      guard index + 1 == next, next < batches.count else { continue }
      checkpoints.append(Checkpoint(batches: next, pipeline: pipeline))
      next += 1 + next / 2
    }
  }

  /// Puts right what depends on the state before the piece, which is `before`.
  ///
  /// The batches are taken in again until the state is one that the piece was in: from there on
  /// its outputs are those of streaming. Beliefs forget: that is after some minutes. Should it
  /// never be, all of the piece is taken in once more.
  mutating func join(to before: LocomotionPipeline) {
    var actual = before
    var ahead = checkpoints[...]
    for index in batches.indices {
      var output = LocomotionOutput()
      actual.ingest(batches[index], into: &output)
      let isAlike = output == outputs[index]
      outputs[index] = output
      guard let checkpoint = ahead.first, checkpoint.batches == index + 1 else { continue }
      ahead.removeFirst()
      if isAlike, actual.goesOn(like: checkpoint.pipeline) { return }
    }
    pipeline = actual
  }
}

extension LocomotionPipeline {
  /// Whether both give the same answers to whatever comes: they are saved as the same bytes.
  fileprivate func goesOn(like other: LocomotionPipeline) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let own = try? encoder.encode(self), let others = try? encoder.encode(other) else {
      return false
    }
    return own == others
  }
}
