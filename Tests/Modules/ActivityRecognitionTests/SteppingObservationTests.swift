import LocomotionActivityRecognition
import Testing

@Suite struct SteppingObservationTests {
  private func weighed(_ rate: Float?, _ probability: Float = 0.99) -> ActivityProbabilities {
    ActivityProbabilities.uniform.weighed(
      by: SteppingObservation(stepsPerMinute: rate, probability: probability))
  }

  @Test func stepsFavourWalkingAndRunningByTheirRate() {
    for rate in [45, 69, 71, 100, 134] as [Float] {
      #expect(weighed(rate).mostProbable == .walking)
    }
    for rate in [136, 160, 200] as [Float] {
      #expect(weighed(rate).mostProbable == .running)
    }
  }

  @Test func noStepsFavourRestAndRidesALittle() {
    let found = weighed(nil, 0.01)
    #expect(found[.walking] < found[.cycling] && found[.running] < found[.walking])
    #expect(found[.stationary] / found[.walking] < 1.5)
  }

  @Test func doubtfulStepsSayLittle() {
    let found = weighed(100, 0.6)
    for activity in Activity.allCases { #expect(abs(found[activity] - 1 / 6) < 0.13) }
  }

  /// The strongest observation rules nothing out.
  @Test func noClassIsRuledOut() {
    for rate in [nil, 50, 100, 160] as [Float?] {
      for probability in [0, 0.5, 1, .nan, -3, 40] as [Float] {
        let found = weighed(rate, probability)
        #expect(Activity.allCases.allSatisfy { found[$0] > 0.01 && found[$0] < 0.8 })
      }
    }
  }
}
