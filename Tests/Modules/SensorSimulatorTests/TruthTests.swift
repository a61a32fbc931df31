import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct TruthTests {
  @Test func speedIsTheSlopeOfPosition() {
    let recording = Scenario(seed: 1).walk(.minutes(5), heading: 70).drive(.minutes(10), speed: 12)
      .stop(.seconds(30)).train(.minutes(5)).recording()
    let start = recording.span.lowerBound
    let between = stride(from: 500, to: 1_229_000, by: 777).map {
      start.advanced(byNanoseconds: $0 * 1_000_000)
    }
    // And across each of the seconds, where one piece of the path ends.
    let ends = recording.truth().map { $0.timestamp.advanced(byNanoseconds: -500_000) }
    for time in between + ends {
      let now = recording.position(at: time)
      let later = recording.position(at: time.advanced(byNanoseconds: 1_000_000))
      let moved = metres(
        from: (now.latitude, now.longitude), to: (later.latitude, later.longitude))
      // Degrees resolve 2 nm; half a millisecond of at most 6 m/s² of curvature.
      #expect(abs(moved.east / 0.001 - now.east) < 0.02)
      #expect(abs(moved.north / 0.001 - now.north) < 0.02)
    }
  }

  @Test func stepsMatchTheCadence() {
    let recording = Scenario(seed: 6).rest(.minutes(1)).walk(.minutes(10), cadence: 108)
      .run(.minutes(5), cadence: 170).stop(.minutes(1)).recording()
    let truth = recording.truth()
    #expect(truth.flatMap(\.steps) == recording.steps)
    #expect(truth[..<60].allSatisfy { $0.steps.isEmpty && $0.cadenceStepsPerMinute == nil })
    #expect(truth[960...].allSatisfy { $0.steps.isEmpty && $0.cadenceStepsPerMinute == nil })
    // The drift of 1 % over 30 s averages to 0.3 % over ten minutes.
    let walk = truth[60..<660].map(\.steps.count).reduce(0, +)
    #expect(abs(Double(walk) - 1080) < 1080 * 0.012)
    let run = truth[660..<960].map(\.steps.count).reduce(0, +)
    #expect(abs(Double(run) - 850) < 850 * 0.012)
    // Rates of seconds add up to the steps.
    let sum = truth.compactMap(\.cadenceStepsPerMinute).reduce(0, +) / 60
    #expect(abs(sum - Double(recording.steps.count)) < 4)
    #expect(zip(recording.steps, recording.steps.dropFirst()).allSatisfy { $0 < $1 })
  }
}
