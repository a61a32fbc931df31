import LocomotionGait
import TestSupport
import Testing

struct StepCounterTests {
  static let even: [Float] = [1, 1, 1, 1, 1, 1]
  static let stepping = StepCounter.Gait(stepsPerSecond: 2, isStepping: true, persistence: 1)

  /// The steps at either end of a bout in addition to the intervals between its steps.
  static let endStep: Float = 0.35

  static func lowConfidence(persistence: Float) -> StepCounter.Gait {
    .init(stepsPerSecond: 2, isStepping: false, persistence: persistence)
  }

  /// A line of the given amplitudes at two steps per second.
  static func track(_ amplitudes: [Float]) -> StepTrack {
    var track = StepTrack()
    track.count = amplitudes.count
    track.amplitudes.replaceSubrange(0..<track.count, with: amplitudes)
    for index in 1..<track.count { track.steps[index - 1] = 1 }
    return track
  }

  static let steady = track([Float](repeating: 1, count: 9))

  /// The steps of the next second; by default of one in the middle of steady motion.
  private func count(
    _ counter: inout StepCounter, _ gait: StepCounter.Gait? = Self.stepping,
    energies: [Float] = Self.even, track: StepTrack = Self.steady
  ) -> Float {
    counter.update(gait: gait, secondEnergies: energies, track: track)
  }

  /// A counter after nine seconds of motion without a line.
  private func unsettled() -> StepCounter {
    var counter = StepCounter()
    for _ in 0..<9 { _ = count(&counter, nil, track: StepTrack()) }
    return counter
  }

  @Test func steadyMotionCountsTheCyclesOfTheLine() {
    var counter = StepCounter()
    let first = count(&counter)
    // Two half seconds of the line, and the newest second by its rate.
    #expect(first == 4)
    for _ in 0..<10 {
      let steps = count(&counter)
      #expect(steps == 2)
    }
  }

  /// The newest second is predicted from its energy and corrected by the line a second later.
  @Test func anOverestimateIsSubtractedFromTheNextSteps() {
    var counter = StepCounter()
    _ = count(&counter)
    // The person has stopped: the last whole second has energy, but no line.
    let ended = Self.track([1, 1, 1, 1, 1, 1, 0.2, 0, 0])
    let steps = count(&counter, energies: [0, 1, 1, 1, 1, 1], track: ended)
    // Two predicted steps were wrong.
    #expect(steps == 0)
    let later = count(&counter, energies: [1, 0, 1, 1, 1, 1], track: ended)
    #expect(later == 0)
    let again = count(&counter)
    #expect(again == 2)
  }

  /// The line appears between the fifth and the sixth instant: three intervals and a fraction of
  /// one.
  @Test func theStartOfABoutIsCountedOnDetection() {
    var counter = unsettled()
    let track = Self.track([0, 0, 0, 0, 0, 0.8, 1, 1, 1])
    let steps = count(&counter, energies: [0.5, 1, 1, 1, 0.001, 0.001], track: track)
    // The bout's amplitude is 0.95, two fifths of it 0.38. Half of the newest second is predicted.
    let crossing: Float = (0.8 - 0.4 * 0.95) / 0.8
    #expect(abs(steps - (1 + Self.endStep + crossing + 3)) < 1e-5)
    // The other half had steps, too.
    let next = count(&counter)
    #expect(abs(next - 3) < 1e-5)
  }

  @Test func anEarlierBumpIsNotPartOfTheBout() {
    for bump: Float in [0, 1] {
      var counter = unsettled()
      let steps = count(&counter, track: Self.track([bump, bump, 0, 0, 0, 1, 1, 1, 1]))
      #expect(abs(steps - (2 + Self.endStep + 0.6 + 3)) < 1e-5)
    }
  }

  /// Seconds that left the window before the bout was detected count with the probability that it
  /// had begun.
  @Test func stepsBeforeTheWindowAreExpected() {
    for (persistence, expected) in [(Float(1), Float(4)), (0.5, 1.5), (0, 0)] {
      var counter = StepCounter()
      for _ in 0..<7 {
        let steps = count(&counter, Self.lowConfidence(persistence: persistence))
        #expect(steps == 0)
      }
      // Two of eight seconds have left the window: 2p + 2p²; if that isn't 0, the bout began there.
      let counted = count(&counter)
      #expect(abs(counted - 12 - expected - (expected > 0 ? Self.endStep : 0)) < 1e-5)
    }
  }

  @Test func restBeforeABoutDropsTheExpectedSteps() {
    var counter = StepCounter()
    for _ in 0..<9 {
      _ = count(&counter, Self.lowConfidence(persistence: 1))
    }
    _ = count(&counter, Self.lowConfidence(persistence: 1), energies: [1, 1, 1, 1, 1, 0])
    let late = count(
      &counter, energies: [1, 1, 1, 1, 1, 0.001], track: Self.track([0, 1, 1, 1, 1, 1, 1, 1, 1]))
    // Seven intervals and a fraction, a fraction of a step at the end, the newest second.
    #expect(abs(late - (7 + 0.6 + Self.endStep + 2)) < 1e-5)
  }

  /// A bout that began within the second before the oldest instant, by that second's energy.
  @Test func theSecondBeforeTheTrackIsWeighedByItsEnergy() {
    for (energy, expected) in [(Float(1), Float(12)), (0.375, 11), (0.01, 10)] {
      var counter = unsettled()
      let steps = count(&counter, energies: [1, 1, 1, 1, 1, energy])
      #expect(abs(steps - expected) < 1e-5)
    }
  }

  @Test func aSecondOfLowConfidenceLosesNoSteps() {
    var sure = StepCounter()
    var unsure = StepCounter()
    var (expected, counted): (Float, Float) = (0, 0)
    for second in 0..<12 {
      let gait = second == 5 ? Self.lowConfidence(persistence: 1) : Self.stepping
      expected += count(&sure)
      counted += count(&unsure, gait)
    }
    #expect(counted == expected)
  }

  @Test func stepsAreNeverNegative() {
    var counter = StepCounter()
    var random = SplitMix64(seed: 5)
    for _ in 0..<2000 {
      let energies = (0..<6).map { _ in Float(random.nextUniform()) }
      let amplitudes = (0..<9).map { _ in Float(random.nextUniform()) }
      let gait = StepCounter.Gait(
        stepsPerSecond: Float(4 * random.nextUniform()), isStepping: random.nextUniform() < 0.6,
        persistence: Float(random.nextUniform()))
      let steps = count(&counter, gait, energies: energies, track: Self.track(amplitudes))
      #expect(steps >= 0 && steps < 100)
    }
  }
}

struct StepTrackTests {
  @Test func aStartingLineHasHalfItsAmplitudeAtItsStart() throws {
    // Zero up to 2.95 s, which is the fifth of nine instants.
    var samples = GaitSpectrumTests.sinusoid(frequency: 2, amplitude: 1.5, along: 2)
    let still = GaitSpectrumTests.sinusoid(frequency: 2, amplitude: 0, along: 2)
    samples.replaceSubrange(0..<295, with: still[0..<295])
    let track = try GaitSpectrumTests.track(of: samples, near: 2)
    #expect(track.amplitudes[2] < 0.02 * track.amplitudes[8])
    #expect(abs(track.amplitudes[4] / track.amplitudes[8] - 0.5) < 0.1)
    #expect(track.amplitudes[6] > 0.95 * track.amplitudes[8])
  }

  @Test func aShortWindowHasFewerInstants() throws {
    for (count, instants) in [(300, 3), (400, 5), (500, 7), (600, 9)] {
      let samples = GaitSpectrumTests.sinusoid(
        frequency: 2, amplitude: 1, along: 2, count: count)
      #expect(try GaitSpectrumTests.track(of: samples, near: 2).count == instants)
    }
  }

  /// Demodulated by SciPy in double precision.
  @Test func matchesSciPy() throws {
    let golden = try TestFiles.golden("gait_track.csv")
    #expect(golden.count == 9)
    let track = try GaitSpectrumTests.track(of: GaitSpectrumTests.goldenWindow, near: 1.8)
    for (index, row) in golden.enumerated() {
      #expect(abs(Double(track.amplitudes[index]) - row[0]) < 1e-4 * row[0])
      guard index > 0 else { continue }
      #expect(abs(Double(track.steps[index - 1]) - row[1]) < 2e-6)
    }
  }
}
