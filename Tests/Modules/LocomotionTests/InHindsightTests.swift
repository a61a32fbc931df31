import Locomotion
import SensorSimulator
import TestSupport
import Testing

struct HindsightTests {
  private func samples(_ seconds: [Int]) -> [LocomotionSample] {
    seconds.map { second in
      var sample = LocomotionSample(start: .at(second), end: .at(second + 1))
      sample.activity = ActivityDecision(unknown: .notEnoughData, probabilities: .uniform)
      sample.cadence = Cadence(stepsPerMinute: Float(100 + second), confidence: 0.9)
      return sample
    }
  }

  /// By fixes alone: at rest in a stay, and in a leg that another system names what it says.
  @Test(arguments: [0.8, nil]) func secondsAgreeWithTheTimeline(probability: Double?) throws {
    var told = samples(Array(0..<30))
    for index in told.indices {
      told[index].activity = ActivityDecision(
        activity: .train, probabilities: ActivityProbabilities { $0 == .train ? 1 : 0 })
      told[index].activityEvidence = ActivityClassifier.Evidence(
        window: .uniform, elapsedSeconds: 1, exponent: 1, isFromFixes: index != 15)
    }
    let leg = Trip.Leg(start: .at(10), end: .at(20), activity: .automotive, distance: 90, steps: 0)
    var stated = Trip(legs: [leg])
    let interval = try #require(
      StatedInterval(
        .activity(name: "car", distance: nil), from: .at(10), to: .at(20), source: "Google",
        probability: probability))
    stated.stated = Trip.Statement(interval, sensedActivity: .train)
    let other = Trip(legs: [
      Trip.Leg(start: .at(20), end: .at(30), activity: .train, distance: 90, steps: 0)
    ])
    let stay = Stay(start: .at(0), end: .at(10), location: nil)
    Hindsight.agree(&told, with: [.stay(stay), .trip(stated), .trip(other)])
    let expected: [Activity] = [.stationary, .automotive, .train]
    for (index, sample) in told.enumerated() {
      let activity = index == 15 ? .train : expected[index / 10]
      #expect(sample.activity?.activity == activity, "\(index)")
    }
    let certainty = try #require(told[12].activity).probabilities[.automotive]
    #expect(abs(certainty - Float(probability ?? 0.97)) < 1e-6)
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

  /// What came later decides whether steps count, whatever was answered live.
  @Test func stepsAreConfirmedOrTakenBack() {
    var samples = samples(Array(0..<9))
    let cadence = Cadence(stepsPerMinute: 120, confidence: 0.9)
    var provisional = CadenceUpdate.Provisional.blank
    (provisional.cadence, provisional.laggedCadence, provisional.steps) = (cadence, cadence, 2)
    for index in samples.indices {
      samples[index].cadence = index < 3 ? nil : cadence
      samples[index].steps = index < 3 ? 0 : 2
      samples[index].provisionalSteps = provisional
      let activity: Activity? = index < 5 ? .walking : index < 6 ? nil : .cycling
      // A ride that is less sure than the steps, and one that is surer.
      let cycling: Float = index < 7 ? 0.4 : 0.8
      let probabilities = ActivityProbabilities { $0 == .cycling ? cycling : (1 - cycling) / 5 }
      samples[index].activity =
        activity.map { ActivityDecision(activity: $0, probabilities: probabilities) }
        ?? ActivityDecision(unknown: .lowConfidence, probabilities: probabilities)
    }
    samples[1].provisionalSteps = nil
    Hindsight.smoothCadences(of: &samples)
    #expect(samples.map(\.steps) == [2, 0, 2, 2, 2, 2, 2, 0, 0])
    #expect(samples.map { $0.cadence == nil } == Array(repeating: false, count: 7) + [true, true])
    #expect(samples.map { $0.laggedCadence != nil }[7...] == [false, false])
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

  /// The RMS distance from the course of a drive along a meridian, metres.
  private func error(_ samples: [LocomotionSample], of position: (Double) -> Double) -> Double {
    let errors = samples.compactMap { sample in
      sample.location.map { ($0.latitude - position($0.timestamp.seconds)) * 111_200 }
    }
    return (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
  }

  @Test func locationsInHindsightAreNearerToTheCourse() {
    // Out and back at 10 m/s, with a turn and errors that the live filter overshoots.
    func position(_ seconds: Double) -> Double {
      48 + 10 * (seconds < 300 ? seconds : 600 - seconds) / 111_200
    }
    var random = SplitMix64(seed: 2)
    var batch = SensorBatch()
    for second in 0..<600 where !(100..<104 ~= second) && !(400..<460 ~= second) {
      batch.append(
        LocationFix(
          timestamp: .at(second),
          latitude: position(Double(second)) + 8 * random.nextNormal() / 111_200, longitude: 180,
          altitude: 400, horizontalAccuracy: 12, speed: 10, course: second < 300 ? 0 : 180))
    }
    let (live, smoothed) = (run([batch]).samples, hindsight(of: [batch]))
    #expect(smoothed.map(\.end) == live.map(\.end))
    #expect(error(smoothed, of: position) < 0.92 * error(live, of: position))
    for (after, before) in zip(smoothed, live) {
      // Before a pause the fix is where it was measured, not where the second ends.
      let (time, live) = (after.location?.timestamp, before.location?.timestamp)
      #expect(time == live || time == after.start && after.rawLocation != nil)
      #expect(after.location?.altitude == before.location?.altitude)
      #expect(after.location.map { abs(abs($0.longitude) - 180) < 0.01 } ?? true)
      #expect(after.location.map { $0.radius68 > 0 } ?? true)
      // In the long pause nothing tells more than there was.
      if 402..<459 ~= after.end.seconds { #expect(after.location == before.location) }
    }
  }

  @Test func eachSideOfAClockThatWasSetBackIsSmoothed() {
    var batch = SensorBatch()
    for second in Array(0..<100) + Array(-5_000 ..< -4_900) {
      batch.append(
        LocationFix(
          timestamp: .at(second), latitude: 48, longitude: 11, horizontalAccuracy: 12, speed: 0))
    }
    let (live, smoothed) = (run([batch]).samples, hindsight(of: [batch]))
    #expect(smoothed.map(\.start) == live.map(\.start))
    let changed = zip(smoothed, live).map { $0.location != $1.location }
    #expect(changed.prefix(95).contains(true) && changed.suffix(95).contains(true))
  }
}

/// Hindsight of a recording while it comes depends on the recording alone.
struct HindsightStreamTests {
  /// A day of errands: eleven hours with stays, walks and rides, and no fix for half an hour.
  private static let day = Scenario(seed: 31).rest(.minutes(150)).walk(.minutes(12))
    .rest(.minutes(95)).drive(.minutes(35)).rest(.minutes(130)).walk(.minutes(25))
    .ride(.minutes(20)).rest(.minutes(200)).recording()

  /// What a pipeline says of the day in parts of so many seconds.
  private static func outputs(every seconds: Double) -> [LocomotionOutput] {
    var pipeline = LocomotionPipeline()
    var outputs = day.batches(everySeconds: seconds).map { pipeline.ingest($0) }
    var last = LocomotionOutput()
    pipeline.finish(into: &last)
    outputs.append(last)
    return outputs
  }

  private static let atOnce: (samples: [LocomotionSample], items: [TimelineItem]) = {
    var stream = HindsightStream()
    stream.append(run(day.batches(everySeconds: 600)))
    stream.finish()
    return (stream.takeSamples(), stream.items)
  }()

  @Test(arguments: [1.0, 47, 3_600, 20_000])
  func partsOfAnyLengthGiveTheSame(length: Double) {
    var stream = HindsightStream()
    var (samples, items): ([LocomotionSample], [TimelineItem]) = ([], [])
    for output in Self.outputs(every: length) {
      stream.append(output)
      samples += stream.takeSamples()
      items += stream.takeFinalItems()
    }
    stream.finish()
    #expect(samples + stream.takeSamples() == Self.atOnce.samples)
    #expect(items + stream.items == Self.atOnce.items)
    #expect(items.count > 3)
  }

  /// Restored states go on when they are told again what they held.
  @Test func aRestoredStreamGoesOnTheSame() throws {
    let outputs = Self.outputs(every: 300)
    var stream = HindsightStream()
    var items: [TimelineItem] = []
    for (index, output) in outputs.enumerated() {
      if index % 23 == 7 {
        stream = try restored(HindsightStream(), from: stream)
        let start = stream.restartTime ?? Timestamp(nanoseconds: .min)
        for earlier in outputs[..<index]
        where (earlier.samples.last.map { $0.end > start }) ?? false {
          stream.append(earlier)
        }
      }
      stream.append(output)
      items += stream.takeFinalItems()
    }
    stream.finish()
    #expect(items + stream.items == Self.atOnce.items)
  }

  @Test func smoothingAnArrayIsTheSame() {
    let samples = hindsight(of: Self.day.batches(everySeconds: 600))
    #expect(samples == Self.atOnce.samples)
    #expect(TimelineBuilder.items(of: samples) == Self.atOnce.items)
  }

  /// An hour of hindsight is what all of it is: places differ by less than 10⁻⁶ of a degree (a
  /// tenth of a metre), distances by less than a metre; times and names are equal.
  @Test func anHourOfHindsightIsAsGoodAsAll() throws {
    var settings = HindsightStream.Settings()
    (settings.reach, settings.portion) = (86_400, 86_400)
    var stream = HindsightStream(settings: settings)
    for output in Self.outputs(every: 600) { stream.append(output) }
    stream.finish()
    let (expected, found) = (stream.items, Self.atOnce.items)
    try #require(found.count == expected.count && expected.count >= 7)
    for (one, other) in zip(found, expected) {
      #expect(one.start == other.start && one.end == other.end)
      switch (one, other) {
      case (.stay(let one), .stay(let other)):
        let (a, b) = (try #require(one.location), try #require(other.location))
        #expect(abs(a.latitude - b.latitude) < 1e-6 && abs(a.longitude - b.longitude) < 1e-6)
      case (.trip(let one), .trip(let other)):
        #expect(one.legs.map(\.activity) == other.legs.map(\.activity))
        #expect(one.steps == other.steps)
        #expect(abs((one.distance ?? -1) - (other.distance ?? -1)) < 1)
      case (.gap, .gap): break
      default: Issue.record("\(one) is not \(other)")
      }
    }
  }

  @Test func aClockThatIsSetBackLosesNoSecond() {
    let later = run(
      Scenario(seed: 31).rest(.minutes(20)).recording().batches(everySeconds: 60))
    var (stream, count) = (HindsightStream(), 0)
    for output in Self.outputs(every: 600) + [later] {
      stream.append(output)
      count += output.samples.count
    }
    stream.finish()
    #expect(stream.takeSamples().count == count)
    #expect(stream.items.last?.end == later.samples.last?.end)
  }

  @Test func withoutSecondsThereIsNothing() {
    var stream = HindsightStream()
    stream.append(LocomotionOutput())
    stream.finish()
    #expect(stream.takeSamples().isEmpty && stream.items.isEmpty)
  }
}
