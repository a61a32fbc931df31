import Locomotion
import LocomotionSensing
import Testing

struct TimelineFinalityTests {
  /// Whatever follows, what was final stays as it was.
  @Test(arguments: TimelineStreamTests.seeds, TimelineScript.Sensors.allCases)
  func whatIsFinalNeverChanges(seed: UInt64, sensors: TimelineScript.Sensors) {
    let script = TimelineStreamTests.chaos(seed: seed, sensors: sensors, pieces: 60)
    var builder = TimelineBuilder()
    var final: [TimelineItem] = []
    for (index, sample) in script.samples.enumerated() {
      builder.append(sample)
      guard index % 370 == 0 else { continue }
      let items = builder.items()
      let changed = zip(items, final).first { $0 != $1 }
      #expect(changed == nil && items.count >= final.count, "seed \(seed), sample \(index)")
      guard let end = builder.finalEnd() else {
        #expect(final.isEmpty)
        continue
      }
      #expect(end <= sample.end)
      #expect(items.contains { $0.end == end }, "seed \(seed), sample \(index)")
      final = items.filter { $0.end <= end }
    }
  }

  @Test func aTripIsFinalSomeMinutesAfterItsEnd() throws {
    var script = TimelineScript().rest(3_600).walk(900).rest(290)
    func end() -> Timestamp? {
      var builder = TimelineBuilder()
      for sample in script.samples { builder.append(sample) }
      return builder.finalEnd()
    }
    #expect(end() == nil)
    script = script.rest(200)
    #expect(end() == TimelineScript.instant(4_500))
  }

  @Test func anErrandMayStillJoinTheStayUntilItIsTooLong() throws {
    let script = TimelineScript().rest(3_600).walk(60).rest(400)
    var builder = TimelineBuilder()
    for sample in script.samples { builder.append(sample) }
    // Next door: whoever comes back soon has never left.
    #expect(builder.finalEnd() == nil)
  }

  @Test func aClockThatWasSetBackStartsAnEpoch() throws {
    let script = TimelineScript().rest(600).walk(600)
    var builder = TimelineBuilder()
    for sample in script.samples { builder.append(sample) }
    let before = builder.items()
    // The same again, half an hour earlier: the first sample waits for the second.
    let back = script.samples.map { sample in
      var sample = sample
      sample.start = sample.start.advanced(byNanoseconds: -1_800_000_000_000)
      sample.end = sample.end.advanced(byNanoseconds: -1_800_000_000_000)
      return sample
    }
    builder.append(back[0])
    #expect(builder.clockSegments.isEmpty && builder.items() == before)
    for sample in back.dropFirst() { builder.append(sample) }
    #expect(builder.clockSegments == [before])
    #expect(builder.rejectedSamples == 0)
    #expect(builder.items().map(\.duration) == before.map(\.duration))
    #expect(builder.items().first?.start == back[0].start)
  }

  @Test func oneSampleFromThePastIsNoNewClock() throws {
    let script = TimelineScript().rest(600)
    var builder = TimelineBuilder()
    for sample in script.samples.dropLast() { builder.append(sample) }
    builder.append(script.samples[100])
    builder.append(script.samples[599])
    #expect(builder.rejectedSamples == 1 && builder.clockSegments.isEmpty)
    #expect(builder.items().last?.end == script.samples[599].end)
  }

  @Test(arguments: [30.0, 200, 7_168].map { $0 * 86_400 })
  func monthsOfSilenceAreAGap(seconds: Double) throws {
    let script = TimelineScript().rest(600).silence(Int(seconds)).rest(600)
    let items = script.items()
    #expect(items.count == 3)
    let isGap = if case .gap = items[1] { true } else { false }
    #expect(isGap && items[1].duration == seconds, "\(items)")
  }
}
