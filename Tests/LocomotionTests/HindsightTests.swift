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

  @Test func aStepRateSettlesTwoSecondsLater() {
    var settled = samples(Array(0..<10))
    settled[7].cadence = nil
    Hindsight.settleCadences(of: &settled)
    #expect(
      settled.map { $0.cadence?.stepsPerMinute }
        == [102, 103, 104, 105, 106, nil, 108, 109, 108, 109])
  }

  @Test func nothingSettlesAcrossAnInterruption() {
    var settled = samples([0, 1, 2, 30, 31, 32])
    Hindsight.settleCadences(of: &settled)
    #expect(settled.map { $0.cadence?.stepsPerMinute } == [102, 101, 102, 132, 131, 132])
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
