import BenchmarkScores
import Locomotion
import LocomotionRecordings
import SensorSimulator
import Testing

/// The score of a rule for the receiver counts what it runs and what it misses.
@Suite struct PowerEvaluationTests {
  @Test func thePolicyRunsTheReceiverLessAndMissesNoMoreThanLookingEveryMinute() throws {
    let recording = Scenario(
      seed: 5, start: Timestamp(nanoseconds: 1_778_544_000_000_000_000), latitude: 48.137,
      longitude: 11.575
    )
    .rest(.minutes(40))
    .walk(.minutes(9), cadence: 112, speed: 1.45, heading: 75)
    .rest(.minutes(50))
    .drive(.minutes(8), speed: 14, heading: 30)
    .rest(.minutes(40))
    .recording()
    let truth = LocationTruth(
      moments: recording.truth().map {
        LocationTruth.Moment(
          timestamp: $0.timestamp, latitude: $0.latitude, longitude: $0.longitude,
          isMoving: $0.isMoving)
      })
    var evaluation = PowerEvaluation()
    evaluation.add("day", Array(recording.batches(everySeconds: 1)), truth: truth)
    #expect(evaluation.scores.map(\.rule) == ["always on", "LocoKit's rule", "power policy"])
    let (always, minute, policy) = (
      evaluation.scores[0], evaluation.scores[1], evaluation.scores[2]
    )
    #expect(always.running == always.duration && always.missed == 0 && always.starts == 0)
    #expect(policy.atRest == always.atRest && policy.inMotion == always.inMotion)
    #expect(policy.running < minute.running && policy.starts < minute.starts / 3)
    #expect(policy.runningAtRest < 0.25 * policy.atRest)
    #expect(policy.missed <= minute.missed && policy.missed < 40)
    #expect(policy.delays.count == 2 && policy.delays.allSatisfy { $0 <= 30 })
    #expect(policy.missedDistance < 0.05 * policy.distance)
    #expect(evaluation.text.contains("power policy"))
    var sum = policy
    sum.merge(policy)
    #expect(sum.running == 2 * policy.running && sum.delays.count == 4)
  }
}
