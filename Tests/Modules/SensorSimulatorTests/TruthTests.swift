import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct TruthTests {
  @Test func positionsAreTheIntegralOfSpeed() {
    let recording = Scenario(seed: 1).walk(.minutes(5), heading: 70).drive(.minutes(10))
      .stop(.seconds(30)).train(.minutes(5)).recording()
    let truth = recording.truth()
    var path = 0.0
    for (a, b) in zip(truth, truth.dropFirst()) {
      let step = metres(from: (a.latitude, a.longitude), to: (b.latitude, b.longitude))
      path += (step.east * step.east + step.north * step.north).squareRoot()
    }
    // Trapezoids of one second; curves are a little longer than their chords.
    let integral = zip(truth, truth.dropFirst()).map { ($0.speed + $1.speed) / 2 }.reduce(0, +)
    #expect(path > 10_000)
    #expect(abs(path / integral - 1) < 0.003)
  }

  @Test func speedIsTheSlopeOfPosition() {
    let recording = Scenario(seed: 2).drive(.minutes(3), speed: 12).recording()
    let start = recording.span.lowerBound
    for milliseconds in stride(from: 500, to: 179_000, by: 777) as StrideTo<Int64> {
      let time = start.advanced(byNanoseconds: milliseconds * 1_000_000)
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
