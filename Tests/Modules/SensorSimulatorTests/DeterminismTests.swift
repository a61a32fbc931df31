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

  @Test func everyChunkingHasTheSameEvents() {
    let recording = scenario(seed: 9).recording()
    let whole = recording.wholeBatch()
    #expect(whole.accelerations.count > 10_000)
    #expect(joined(recording.batches(everySeconds: 1)) == whole)
    #expect(joined(recording.batches(everySeconds: 0.037)) == whole)
    for seed in 0..<4 as Range<UInt64> {
      #expect(joined(recording.batches(cutSeed: seed, meanEvents: 30)) == whole)
    }
    #expect(joined(recording.batches(cutSeed: 1, meanEvents: 1)) == whole)
    let sizes = recording.batches(cutSeed: 1, meanEvents: 50).map(\.accelerations.count)
    #expect(Set(sizes).count > 20)
  }

  @Test func aFixComesBeforeTheFirstAccelerationThatIsNotEarlier() {
    let recording = scenario(seed: 3).recording()
    var last = recording.span.lowerBound
    for batch in recording.batches(cutSeed: 2, meanEvents: 1) {
      if let fix = batch.fixes.first {
        #expect(last < fix.timestamp)
      }
      last = batch.accelerations.timestamps.last ?? last
    }
    var fix = recording.span.lowerBound
    for batch in recording.batches(cutSeed: 2, meanEvents: 1) {
      fix = batch.fixes.last?.timestamp ?? fix
      if let time = batch.accelerations.timestamps.first { #expect(fix <= time) }
    }
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

  @Test func theRateCanChangeBetweenLegs() {
    let recording = Scenario(seed: 1).rest(.seconds(10)).sampling(rate: 25).rest(.seconds(10))
      .recording()
    let counts = recording.batches(everySeconds: 10).map(\.accelerations.count)
    #expect(counts.count == 2 && abs(counts[0] - 1000) <= 1 && abs(counts[1] - 250) <= 1)
  }

  @Test func theSampleRateKeepsTruthAndFixes() {
    var slow = scenario(seed: 4)
    slow.phone.accelerationNoise = 0.5
    #expect(slow.recording().truth() == scenario(seed: 4).recording().truth())
    #expect(slow.recording().wholeBatch().fixes == scenario(seed: 4).recording().wholeBatch().fixes)
  }

  @Test func aReusedBatchHoldsTheSameEvents() {
    let recording = scenario(seed: 8).recording()
    var reader = recording.batches(everySeconds: 1)
    var batch = SensorBatch()
    for expected in recording.batches(everySeconds: 1) {
      let isFilled = reader.next(into: &batch)
      #expect(isFilled)
      #expect(batch == expected)
    }
    let isFilled = reader.next(into: &batch)
    #expect(!isFilled)
    #expect(batch.isEmpty)
  }
}
