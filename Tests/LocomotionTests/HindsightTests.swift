import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
import LocomotionSensing
import Testing

struct HindsightTests {
  private func samples(_ seconds: [Int]) -> [LocomotionSample] {
    seconds.map { second in
      var sample = LocomotionSample(
        start: TimelineScript.instant(second), end: TimelineScript.instant(second + 1))
      sample.activity = ActivityDecision(unknown: .notEnoughData, probabilities: .uniform)
      sample.cadence = Cadence(stepsPerMinute: Float(100 + second), confidence: 0.9)
      return sample
    }
  }

  /// Seconds of which each knows, live, about the one three seconds before.
  private func laggedSamples(_ seconds: [Int]) -> [LocomotionSample] {
    samples(seconds).map { sample in
      var sample = sample
      let rate = (sample.cadence?.stepsPerMinute ?? 0) + 100
      sample.laggedCadence = Cadence(stepsPerMinute: rate, confidence: 0.9)
      return sample
    }
  }

  @Test func aStepRateIsKnownBetterThreeSecondsLater() {
    var lagged = laggedSamples(Array(0..<8))
    lagged[5].laggedCadence = nil
    Hindsight.lagCadences(of: &lagged)
    #expect(
      lagged.map { $0.cadence?.stepsPerMinute } == [203, 204, nil, 206, 207, 105, 106, 107])
  }

  /// 120 steps/min from the fourth second on, the first ten steps counted at the eighth.
  @Test func theFirstStepsOfABoutGoWhereTheyWereMade() {
    func steps(_ seconds: [Int], _ counted: [Float]) -> [Float] {
      var lagged = laggedSamples(seconds)
      for index in lagged.indices {
        let cadence = seconds[index] >= 3 ? Cadence(stepsPerMinute: 120, confidence: 0.9) : nil
        lagged[index].cadence = cadence
        lagged[index].laggedCadence = cadence
        lagged[index].steps = counted[index]
      }
      Hindsight.lagCadences(of: &lagged)
      return lagged.map(\.steps)
    }
    #expect(
      steps(Array(0..<10), [0, 0, 0, 0, 0, 0, 0, 10, 2, 1.9])
        == [0, 0, 0, 2, 2, 2, 2, 2, 2, 1.9])
    #expect(
      steps(Array(0..<10), [0, 0, 0, 0, 0, 0, 0, 9.5, 2, 2.8])
        == [0, 0, 0, 1.5, 2, 2, 2, 2, 2, 2.8])
    // Not across an interruption, and not over steps that stand.
    #expect(
      steps([0, 1, 2, 20, 21, 22, 23, 24, 25, 26], [0, 0, 0, 0, 0, 7, 2, 2, 2, 2])
        == [0, 0, 0, 2, 2, 3, 2, 2, 2, 2])
    #expect(
      steps(Array(0..<10), [0, 0, 0, 0, 0.5, 0, 8, 2, 2, 2])
        == [0, 0, 0, 0, 0.5, 2, 6, 2, 2, 2])
  }

  @Test func nothingIsKnownAcrossAnInterruption() {
    var lagged = laggedSamples([0, 1, 2, 3, 30, 31, 32])
    Hindsight.lagCadences(of: &lagged)
    #expect(lagged.map { $0.cadence?.stepsPerMinute } == [203, 101, 102, 103, 130, 131, 132])
  }

  @Test func aStopMovesBackAndAStartStays() {
    var moved = samples(Array(0..<40))
    for index in moved.indices {
      // Seen at 13, though the evidence turned at 10; a start at 30 after doubts since 27.
      let probability = index < 10 || index >= 30 ? 0.997 : index < 13 ? 0.6 : 0.01
      moved[index].movingState = index < 13 || index >= 30 ? .moving : .stationary
      moved[index].movingProbability = (27..<30).contains(index) ? 0.4 : probability
    }
    Hindsight.smoothMovingStates(of: &moved)
    let states = moved.map(\.movingState)
    #expect(states[..<9].allSatisfy { $0 == .moving })
    #expect(states[11..<30].allSatisfy { $0 == .stationary })
    #expect(states[30...].allSatisfy { $0 == .moving })
  }
}
