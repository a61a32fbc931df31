import LocomotionSignals
import Testing

/// Clocks that are stuck, run backwards, or are set.
@Suite struct UniformResamplerClockTests {
  static let second: Int64 = 1_000_000_000
  /// Three seconds at 100 Hz around 100 s.
  static let before = walk(hertz: 100, from: 100 * second, seconds: 3)

  @Test func samplesOfAStuckClockAreDropped() {
    let stuck = (0..<500).map { _ in TimedSample(103 * Self.second, 0, 0, 9.8) }
    let after = walk(hertz: 100, from: 103 * Self.second + 10_000_000, seconds: 2)
    let result = Resampling(Self.before + stuck + after)
    #expect(result.counts.dropped(for: .duplicate) == 500)
    #expect(result.counts.kept == Self.before.count + after.count)
    #expect(result.stretches.count == 1)
    #expect(result.stretches.first?.cells.count == 501)
  }

  @Test func aReversedClockGivesNoCells() {
    let backwards = walk(hertz: 100, from: 0, seconds: 50).reversed()
    let result = Resampling(Self.before + backwards)
    #expect(result.stretches == Resampling(Self.before).stretches)
    #expect(result.counts.dropped(for: .outOfOrder) == backwards.count)
    #expect(result.counts.clockResets == 0)
  }

  @Test func aClockReversedFromTheStartGivesNoCells() {
    let result = Resampling(walk(hertz: 100, from: 0, seconds: 5).reversed())
    #expect(result.resampler.count == 0)
    #expect(result.counts.kept == 1)
    #expect(result.counts.dropped(for: .isolated) == 500)
  }

  @Test func aClockSetForwardIsAdoptedAtOnce() {
    let after = walk(hertz: 100, from: 5_000 * Self.second, seconds: 2)
    let result = Resampling(Self.before + after)
    #expect(result.stretches.last == Resampling(after).stretches.first)
    #expect(result.counts.gaps == 1)
    #expect(result.counts.dropped == 0)
  }

  @Test(arguments: [50.0, 104, 500]) func aClockSetBackIsAdoptedAfterOneSecond(
    hertz: Double
  ) throws {
    let after = walk(hertz: hertz, from: 20 * Self.second, seconds: 4)
    let result = Resampling(Self.before + after)
    #expect(result.counts.clockResets == 1)
    #expect(result.counts.gaps == 0)
    #expect(result.counts.dropped == result.counts.dropped(for: .outOfOrder))
    // Samples before the first one that is a second into the new time line are dropped.
    let confirming = try #require(
      after.firstIndex { $0.nanoseconds >= 20 * Self.second + 1_000_000_000 })
    #expect(result.counts.dropped(for: .outOfOrder) == confirming)
    #expect(result.stretches.last == Resampling(Array(after[confirming...])).stretches.first)
  }

  @Test func aClockSetBackIsAdoptedDespiteDuplicates() {
    let after = walk(hertz: 100, from: 20 * Self.second, seconds: 4)
    let result = Resampling(Self.before + after.flatMap { [$0, $0] })
    #expect(result.counts.clockResets == 1)
    #expect(result.counts.dropped(for: .outOfOrder) == 100)
    #expect(result.counts.dropped(for: .duplicate) == after.count)
    #expect(result.stretches.last?.firstCell == 2_100)
  }

  @Test func aClockSetBackIsAdoptedDespiteLateSamples() throws {
    var after = walk(hertz: 100, from: 20 * Self.second, seconds: 4)
    for index in stride(from: 0, to: after.count - 2, by: 3) { after.swapAt(index, index + 1) }
    let result = Resampling(Self.before + after)
    #expect(result.counts.clockResets == 1)
    try #require(result.stretches.count == 2)
    #expect(result.stretches[1].firstCell <= 2_103)
    #expect(result.stretches[1].cells.count >= 290)
  }

  @Test func aClockSetBackRepeatedlyIsAdoptedEachTime() {
    let lines = (0..<5).map { walk(hertz: 100, from: (100 - 10 * $0) * Self.second, seconds: 3) }
    let result = Resampling(lines.flatMap(\.self))
    #expect(result.counts.clockResets == 4)
    #expect(result.counts.gaps == 0)
    #expect(result.stretches.map(\.firstCell) == [10_000, 9_100, 8_100, 7_100, 6_100])
  }

  /// Late samples that end before a second of them is complete, or with it.
  @Test(arguments: [
    // Single ones: each pair is more than a second apart, with nothing between.
    ([20, 22, 24, 26, 28].map { TimedSample($0 * second, 0, 0, 9.8) }, 0),
    (walk(hertz: 100, from: 50 * second, seconds: 0.99), 0),
    // Exactly one second: its last sample is held, then the old time line continues.
    (walk(hertz: 100, from: 50 * second, seconds: 1), 1),
  ])
  func lateSamplesThatTheOldTimeLineContradictsAreDropped(late: [TimedSample], held: Int) {
    let after = walk(hertz: 100, from: 103 * Self.second + 10_000_000, seconds: 1)
    let result = Resampling(Self.before + late + after)
    #expect(result.stretches == Resampling(Self.before + after).stretches)
    #expect(result.counts.clockResets == 0)
    #expect(result.counts.dropped(for: .outOfOrder) == late.count - held)
    #expect(result.counts.dropped(for: .isolated) == held)
  }

  @Test func twoTimestampsInTheFarFutureCostOneSecond() {
    let future = [TimedSample(900 * Self.second, 9, 9, 9), TimedSample(901 * Self.second, 9, 9, 9)]
    let neighbour = TimedSample(900 * Self.second + 10_000_000, 9, 9, 9)
    let after = walk(hertz: 100, from: 103 * Self.second + 10_000_000, seconds: 3)
    let result = Resampling(Self.before + [future[0], neighbour] + after)
    #expect(result.counts.gaps == 1)
    #expect(result.counts.clockResets == 1)
    #expect(result.counts.dropped(for: .outOfOrder) == 100)
    #expect(result.stretches.last == Resampling(Array(after[100...])).stretches.first)
  }

  @Test func resettingDropsTheSamplesAndKeepsTheCounts() {
    var result = Resampling(Self.before)
    result.resampler.reset()
    #expect(result.counts.kept == Self.before.count)
    // The next sample starts anew: no gap, no reset of the clock.
    let after = walk(hertz: 100, from: 20 * Self.second, seconds: 1)
    result.append(after)
    #expect(result.stretches.last == Resampling(after).stretches.last)
    #expect(result.counts.gaps == 0)
    #expect(result.counts.clockResets == 0)
    #expect(result.counts.dropped == 0)
  }

  @Test func resettingDropsTheHeldSample() {
    var result = Resampling([TimedSample(5, 500, 0, 0)])
    #expect(result.resampler.heldTimestamp?.nanoseconds == 5)
    result.resampler.reset()
    #expect(result.resampler.heldTimestamp == nil)
    #expect(result.counts.dropped(for: .isolated) == 1)
    #expect(result.counts.kept == 0)
    #expect(result.counts.saturated == 0)
  }

  @Test func theHeldTimestampIsThatOfTheUnconfirmedSample() {
    var result = Resampling(Self.before)
    #expect(result.resampler.heldTimestamp == nil)
    result.append(TimedSample(200 * Self.second, 0, 0, 9.8))
    #expect(result.resampler.heldTimestamp?.nanoseconds == 200 * Self.second)
    result.append(TimedSample(200 * Self.second + 1, 0, 0, 9.8))
    #expect(result.resampler.heldTimestamp == nil)
  }
}
