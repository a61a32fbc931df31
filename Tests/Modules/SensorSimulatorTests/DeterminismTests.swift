import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct DeterminismTests {
  private func scenario(seed: UInt64) -> Scenario {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    return Scenario(seed: seed, phone: phone)
      .rest(.seconds(20), handlingsPerHour: 300)
      .walk(.seconds(40), heading: 70)
      .run(.seconds(20))
      .ride(.seconds(20))
      .sampling(rate: 50)
      .drive(.seconds(40))
      .stop(.seconds(10))
      .train(.seconds(30))
  }

  @Test func sameSeedGivesTheSameEventsAndOthersDiffer() {
    let first = scenario(seed: 5).recording()
    let again = scenario(seed: 5).recording()
    let other = scenario(seed: 6).recording()
    #expect(first.wholeBatch() == again.wholeBatch())
    #expect(first.truth() == again.truth())
    #expect(first.wholeBatch().accelerations != other.wholeBatch().accelerations)
    #expect(first.wholeBatch().fixes != other.wholeBatch().fixes)
    #expect(first.steps != other.steps)
  }

  @Test(arguments: [20.0, 50, 104, 200, 500])
  func samplesKeepTheirRate(rate: Double) {
    var phone = SimulatedPhone()
    phone.sampleRate = rate
    let recording = Scenario(seed: 1, phone: phone).walk(.seconds(30)).recording()
    let times = recording.wholeBatch().accelerations.timestamps
    #expect(abs(times.count - Int(30 * rate)) <= 1)
    let intervals = zip(times.dropFirst(), times).map { $0.seconds(since: $1) * rate }
    #expect(intervals.allSatisfy { $0 > 0 })
    #expect(abs(mean(intervals) - 1) < 0.01)
    // Two independent jitters of 2 % make an interval deviate by 2.8 %; n ≥ 600.
    #expect(abs(variance(intervals).squareRoot() - 0.0283) < 0.004)
  }
}
