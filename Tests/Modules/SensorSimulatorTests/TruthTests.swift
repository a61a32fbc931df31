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

  @Test func aLegHasItsHeading() {
    for heading in [0.0, 70, 200, 315] {
      let recording = Scenario(seed: 3).walk(.minutes(5), speed: 1.4, heading: heading).recording()
      let end = recording.position(at: recording.span.upperBound)
      let way = metres(from: (48.1, 11.6), to: (end.latitude, end.longitude))
      let length = (way.east * way.east + way.north * way.north).squareRoot()
      #expect(length > 250 && length < 425)
      let (east, north) = direction(heading)
      #expect(way.east * east + way.north * north > 0.9999 * length)
    }
  }

  private func direction(_ degrees: Double) -> (east: Double, north: Double) {
    switch degrees {
    case 0: (0, 1)
    case 70: (0.939_692_620_8, 0.342_020_143_3)
    case 200: (-0.342_020_143_3, -0.939_692_620_8)
    default: (-0.707_106_781_2, 0.707_106_781_2)
    }
  }

  @Test func aDestinationIsReached() {
    let recording = Scenario(seed: 4).mark("home").walk(.minutes(4), heading: 30)
      .drive(.minutes(6), heading: 120).drive(.minutes(7), to: "home").rest(.minutes(1))
      .recording()
    let end = recording.position(at: recording.span.upperBound)
    let miss = metres(from: (48.1, 11.6), to: (end.latitude, end.longitude))
    // A loop of 5 km on a curved earth closes to about 2 m.
    #expect(abs(miss.east) < 3 && abs(miss.north) < 3)
  }

  @Test func legsStartAndEndAtRestUnlessTheyContinue() {
    let recording = Scenario(seed: 5).walk(.seconds(30)).ride(.seconds(30)).drive(.seconds(30))
      .tunnel(.seconds(30)).walk(.seconds(30)).run(.seconds(30)).recording()
    let truth = recording.truth()
    for second in [0, 30, 60, 120] { #expect(truth[second].speed == 0) }
    #expect(truth[90].speed > 10)
    #expect(truth[150].speed > 1.2)
    #expect(truth[29].isMoving && truth[30].isMoving)
    #expect(recording.legStarts == [0, 30, 60, 90, 120, 150])
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

  @Test func aHaltKeepsTheVehicle() {
    let recording = Scenario(seed: 7).drive(.seconds(40)).stop(.seconds(10)).train(.seconds(60))
      .stop(.seconds(10)).ride(.seconds(40)).stop(.seconds(10)).recording()
    let truth = recording.truth()
    #expect(truth[45].activity == .automotive && !truth[45].isMoving)
    #expect(truth[115].activity == .train && !truth[115].isMoving)
    #expect(truth[165].activity == .stationary && !truth[165].isMoving)
    #expect(truth[140].activity == .cycling && truth[140].isMoving)
  }

  @Test func theDemonstrationDayHasTwentyFourHours() {
    let recording = Scenario.demoDay(seed: 3).recording()
    #expect(recording.seconds == 86_400)
    let truth = recording.truth()
    for activity in SimulatedActivity.allCases {
      #expect(truth.filter { $0.activity == activity }.count > 300)
    }
    #expect((6_000...16_000).contains(recording.steps.count))
    #expect(truth.allSatisfy { $0.speed < 30 })
    #expect(truth.allSatisfy { $0.activity != .walking || $0.speed < 3.2 })
    let end = truth[86_399]
    let miss = metres(
      from: (truth[0].latitude, truth[0].longitude), to: (end.latitude, end.longitude))
    #expect(abs(miss.east) < 10 && abs(miss.north) < 10)
    #expect(truth.contains { $0.sky == .tunnel })
  }
}
