import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
import SensorSimulator
import TestSupport
import Testing

@Suite struct RecordingReplayTests {
  private let folder = ScratchFolder()

  /// The output of a replay, and its final state.
  private struct Answers: Equatable {
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    var diagnostics: LocomotionPipeline.Diagnostics
    var state: [UInt8]
  }

  private static func replayed(
    _ batches: [SensorBatch], jobs: Int, chunkLength: Int
  ) throws -> Answers {
    var replay = RecordingReplay(jobs: jobs)
    replay.chunkLength = chunkLength
    var samples: [LocomotionSample] = []
    var fixes: [FixReport] = []
    var seen: [SensorBatch] = []
    try replay.run(batches: batches) { batch, output in
      seen.append(batch)
      samples += output.samples
      fixes += output.fixes
    }
    #expect(seen == batches + [SensorBatch()])
    return try answers(samples, fixes, replay.pipeline)
  }

  private static func streamed(_ batches: [SensorBatch]) throws -> Answers {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for batch in batches { pipeline.ingest(batch, into: &output) }
    pipeline.finish(into: &output)
    return try answers(output.samples, output.fixes, pipeline)
  }

  private static func answers(
    _ samples: [LocomotionSample], _ fixes: [FixReport], _ pipeline: LocomotionPipeline
  ) throws -> Answers {
    Answers(
      samples: samples, fixes: fixes, diagnostics: pipeline.diagnostics,
      state: pipeline.savedState)
  }

  /// An hour in which the activity changes now and then, with both sensors and fixes.
  private static func hour() -> [SensorBatch] {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    let scenario = Scenario(seed: 7, phone: phone).walk(.minutes(12)).rest(.minutes(9))
      .drive(.minutes(14)).run(.minutes(8)).stand(.minutes(5)).ride(.minutes(12))
    return Array(scenario.recording().batches(everySeconds: 10))
  }

  @Test(arguments: [(1, 1_000), (2, 90_000), (3, 250_000), (2, 1)])
  func aReplayInChunksGivesTheResultsOfStreaming(jobs: Int, chunkLength: Int) throws {
    let hour = Self.hour()
    let (streamed, replayed) = (
      try Self.streamed(hour), try Self.replayed(hour, jobs: jobs, chunkLength: chunkLength)
    )
    #expect(replayed.samples.count == 3600)
    // A failed comparison of the values themselves would print pages.
    let areSame = replayed == streamed
    #expect(areSame)
  }

  @Test func aReplayAcrossGapsAndClockChangesGivesTheResultsOfStreaming() throws {
    var batches: [SensorBatch] = []
    var shift: Int64 = 0
    // Two hours forward, back to the start, and forward again without the fixes.
    for (part, seconds) in [0, 7_200, -7_100, 3_600].enumerated() {
      shift += Int64(seconds) * 1_000_000_000
      let scenario = Scenario(seed: UInt64(part)).walk(.minutes(4)).drive(.minutes(5))
      for batch in scenario.recording().batches(everySeconds: 10) {
        batches.append(batch.shifted(by: shift, keepsFixes: part < 3))
      }
    }
    let streamed = try Self.streamed(batches)
    for chunkLength in [20_000, 54_000, 100_000] {
      let areSame = try Self.replayed(batches, jobs: 2, chunkLength: chunkLength) == streamed
      #expect(areSame, "chunks of \(chunkLength)")
    }
  }

  @Test func anEmptyRecordingGivesNoSamples() throws {
    #expect(try Self.replayed([], jobs: 2, chunkLength: 10).samples.isEmpty)
    #expect(try Self.replayed([SensorBatch()], jobs: 2, chunkLength: 10).samples.isEmpty)
  }

  @Test func aSecondRunContinuesWithTheStateOfThePipeline() throws {
    let hour = Self.hour()
    let half = hour.count / 2
    var replay = RecordingReplay(jobs: 2)
    replay.chunkLength = 50_000
    var whole = LocomotionPipeline()
    var output = LocomotionOutput()
    var expected: [LocomotionSample] = []
    var samples: [LocomotionSample] = []
    for part in [Array(hour[..<half]), Array(hour[half...])] {
      try replay.run(batches: part) { samples += $1.samples }
      for batch in part { whole.ingest(batch, into: &output) }
      whole.finish(into: &output)
      expected += output.samples
      output.removeAll()
    }
    let areSame = samples == expected
    #expect(areSame)
  }

  private struct Rejection: Error {}

  @Test(arguments: [1, 2]) func anErrorOfTheBodyEndsTheReplay(jobs: Int) {
    var replay = RecordingReplay(jobs: jobs)
    replay.chunkLength = 20_000
    var calls = 0
    #expect(throws: Rejection.self) {
      try replay.run(batches: Self.hour()) { _, _ in
        calls += 1
        if calls == 50 { throw Rejection() }
      }
    }
    #expect(calls == 50)
  }

  @Test(arguments: [1, 2]) func aDamagedFileIsReadUpToTheDamage(jobs: Int) throws {
    var text = "t,ax,ay,az\n"
    for row in 0..<60_000 { text += "\(row / 100).\(row / 10 % 10)\(row % 10),0,0,9.8\n" }
    text += String(repeating: "600,0,0,what\n", count: 4_000)
    let path = try folder.write(text, to: "recording.csv")
    var replay = RecordingReplay(jobs: jobs)
    replay.chunkLength = 10_000
    var samples = 0
    #expect(throws: RecordingError.self) {
      try replay.run(path: path) { samples += $1.samples.count }
    }
    // Of 60,000 rows those of the last batch are not delivered: it ended with the error.
    #expect(samples == 14 * 4096 / 100)
    #expect(throws: RecordingError.self) { try replay.run(path: path + ".absent") { _, _ in } }
  }

  @Test(arguments: [1, 2]) func theRowsOfAFileAreCounted(jobs: Int) throws {
    let path = try folder.write("t,ax,ay,az\n0,0,0,9.8\n0.01,0,0,9.8\n", to: "recording.csv")
    var replay = RecordingReplay(jobs: jobs)
    try replay.run(path: path) { _, _ in }
    #expect(replay.report.accelerations == 2)
  }
}

extension SensorBatch {
  /// The same events at times that are later by `nanoseconds`.
  fileprivate func shifted(by nanoseconds: Int64, keepsFixes: Bool) -> SensorBatch {
    var shifted = SensorBatch()
    for index in 0..<accelerations.count {
      shifted.append(
        Acceleration(
          x: accelerations.x[index], y: accelerations.y[index], z: accelerations.z[index]),
        at: accelerations.timestamps[index].advanced(byNanoseconds: nanoseconds))
    }
    for fix in fixes where keepsFixes {
      var fix = fix
      fix.timestamp = fix.timestamp.advanced(byNanoseconds: nanoseconds)
      shifted.append(fix)
    }
    return shifted
  }
}
