import Locomotion
import LocomotionSensing
import SensorSimulator
import Testing

/// Recordings with the pauses that phones make.
@Suite struct PipelinePauseTests {
  /// `recording` without the last `pause` seconds of every `period`.
  private static func batch(
    _ recording: SimulatedRecording, without pause: Double = 0, every period: Double = 10
  ) -> SensorBatch {
    let whole = recording.wholeBatch()
    let start = whole.accelerations.timestamps[0]
    var torn = SensorBatch()
    for event in events(of: whole) {
      if case .acceleration(_, let time) = event {
        let elapsed = time.seconds(since: start).truncatingRemainder(dividingBy: period)
        if elapsed >= period - pause { continue }
      }
      event.append(to: &torn)
    }
    return torn
  }

  private static let walk = Scenario(seed: 20).walk(.minutes(4)).recording()

  static let pauses: [(pause: Double, period: Double)] = [(0.3, 5), (0.6, 20), (1, 10), (3, 30)]

  @Test(arguments: pauses) func shortPausesChangeNoAnswer(pause: Double, period: Double) throws {
    let whole = run([Self.batch(Self.walk)])
    let torn = run([Self.batch(Self.walk, without: pause, every: period)])
    // The last pause may end with the recording.
    #expect(whole.samples.count - torn.samples.count <= 3)
    for (index, sample) in torn.samples.enumerated().dropFirst(10) where sample.activity != nil {
      #expect(
        sample.activity?.activity == whole.samples[index].activity?.activity,
        "\(index)")
    }
    let counted = torn.samples.reduce(0) { $0 + $1.steps }
    let expected = whole.samples.prefix(torn.samples.count).reduce(0) { $0 + $1.steps }
    #expect(abs(counted / expected - 1) < 0.01)
  }

  @Test func theObservedFractionAndTheLevelsLeaveOutWhatWasFilled() throws {
    let whole = run([Self.batch(Self.walk)]).samples
    let torn = run([Self.batch(Self.walk, without: 3, every: 30)]).samples
    let missing = torn.indices.filter { torn[$0].coverage == 0 && torn[$0].activity != nil }
    // Seven pauses of three seconds, and one at the end that nothing bounds.
    #expect((14...21).contains(missing.count))
    for index in missing {
      #expect(torn[index].horizontalAccelerationLevel == nil)
      #expect(torn[index].verticalAccelerationLevel == nil)
      #expect(torn[index].activity?.activity == .walking)
    }
    let observed = torn.reduce(0) { $0 + $1.coverage }
    #expect(abs(observed - 27.0 / 30 * Float(whole.count)) < 4)
  }

  @Test func thinSamplesAreNotEnoughToAnswer() {
    // A third of a second every three and a half: nine tenths would be filled.
    let torn = run([Self.batch(Self.walk, without: 3.2, every: 3.5)])
    #expect(torn.samples.allSatisfy { $0.activity?.activity == nil })
    #expect(torn.samples.reduce(0) { $0 + $1.steps } == 0)
  }

  @Test func theAnswerComesThreeSecondsAfterTheStart() {
    let samples = run([Self.batch(Self.walk)]).samples
    #expect(samples[1].activity?.activity == nil)
    #expect(samples[3].activity?.activity == .walking)
  }

  @Test func theAnswerStandsAcrossALongerPause() {
    // Ten seconds on, twenty off.
    let torn = run([Self.batch(Self.walk, without: 20, every: 30)]).samples
    let answered = torn.dropFirst(10).compactMap(\.activity)
    #expect(answered.count > 60)
    #expect(answered.allSatisfy { $0.activity == .walking })
  }
}
