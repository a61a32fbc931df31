import Foundation
import LocomotionGait
import TestSupport
import Testing

struct CadenceEstimatorTests {
  /// The update after every whole second of `samples`.
  static func run(
    _ samples: [SIMD4<Float>], hint: GaitHint = .unknown,
    estimator: inout CadenceEstimator
  ) -> [CadenceUpdate] {
    (1...samples.count / 100).map { second in
      let window = samples[max(0, second * 100 - 600)..<second * 100].span
      return estimator.update(window: window, hint: hint)
    }
  }

  static func run(_ samples: [SIMD4<Float>], hint: GaitHint = .unknown) -> [CadenceUpdate] {
    var estimator = CadenceEstimator()
    return run(samples, hint: hint, estimator: &estimator)
  }

  static func total(_ updates: [CadenceUpdate]) -> Float {
    updates.reduce(0) { $0 + $1.steps }
  }

  /// Gait whose rate is estimated after 15 s, with three seeds each, to within a limit.
  struct Sweep: Sendable {
    /// Steps per minute.
    var rates: ClosedRange<Double>
    var stride = 0.4
    var verticalStride = 0.0
    /// White noise on every axis, relative to the fundamental's amplitude.
    var noise = 0.07
    /// The largest error, steps per minute, if less than a tenth of the rate.
    var limit = Double.infinity
  }

  @Test(arguments: [
    Sweep(rates: 55...200, limit: 0.5),
    // Very low and very high rates are found.
    Sweep(rates: 40...50), Sweep(rates: 205...225),
    // Half of the step line's amplitude at half its frequency, as on a runner's thigh.
    Sweep(rates: 70...185, stride: 0.7, verticalStride: 0.5, limit: 0.2),
    // Half the rate explains every even harmonic, but steps that slow would have odd ones, too.
    Sweep(rates: 140...200, verticalStride: 0.7),
    Sweep(rates: 140...200, verticalStride: 0.7, noise: 0.3),
    Sweep(rates: 70...190, noise: 0.7, limit: 1.5),
  ])
  func theRateOfSyntheticGaitIsEstimated(sweep: Sweep) {
    var random = SplitMix64(seed: 7)
    let rates = sweep.rates
    for rate in Swift.stride(from: rates.lowerBound, through: rates.upperBound, by: 5) {
      for seed in 0..<3 {
        var gait = SyntheticGait(stepsPerMinute: rate)
        gait.stride = sweep.stride
        gait.verticalStride = sweep.verticalStride
        gait.noise = sweep.noise * gait.amplitude
        let samples = gait.samples(
          seconds: 15, seed: UInt64(seed) + 100, rotation: Rotation(using: &random))
        let cadence = Self.run(samples).last?.cadence?.stepsPerMinute
        let error = cadence.map { abs(Double($0) - rate) } ?? .infinity
        #expect(error < min(sweep.limit, 0.1 * rate), "\(rate) of \(sweep)")
      }
    }
  }

  /// A phone in the hand of a slow walker: soft, mostly horizontal, little above 3 Hz.
  @Test func slowStepsInTheHandAreEstimated() {
    var refused = 0
    for rate in Swift.stride(from: 40.0, through: 60, by: 2.5) {
      for seed in 0..<4 {
        var gait = SyntheticGait(stepsPerMinute: rate)
        gait.stride = 0.6
        gait.noise = 0.05
        let samples = gait.samples(seconds: 20, seed: UInt64(seed) + 60)
        guard let cadence = Self.run(samples).last?.cadence else {
          refused += 1
          continue
        }
        #expect(abs(Double(cadence.stepsPerMinute) - rate) < 1, "\(rate)")
      }
    }
    #expect(refused <= 3, "\(refused) of 36")
  }

  /// Pedals and swaying seats give symmetric or downward peaks; feet give short upward peaks.
  @Test func downwardPeaksLowerTheSteppingEvidence() throws {
    func evidence(sign: Double) throws -> Float {
      let samples = (0..<600).map { index -> SIMD4<Float> in
        let phase = 2 * Double.pi * 1.8 * Double(index) / 100
        let force = SIMD3(
          sin(phase / 2), 0.8 * cos(phase), 9.81 + sign * (2 * cos(phase) + cos(2 * phase)))
        return SIMD4<Float>(SIMD4(force, (force * force).sum().squareRoot()))
      }
      let analysis = try #require(GaitSpectrumTests.spectrum(of: samples))
      var logOdds = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: RateGrid.count / 4)
      SteppingEvidence.logOdds(from: analysis, hint: .unknown, into: &logOdds)
      return logOdds.map { $0.max() }.max() ?? 0
    }
    #expect(try evidence(sign: 1) > evidence(sign: -1) + 2)
  }

  /// Includes a growing window, an advance of 0, and an odd number of skipped samples.
  @Test func aKnownAdvanceGivesTheSameBits() {
    let samples =
      SyntheticGait(stepsPerMinute: 95).samples(seconds: 20, seed: 1)
      + SyntheticGait.rest(seconds: 12, seed: 1)
      + SyntheticGait(stepsPerMinute: 128).samples(seconds: 20, seed: 2)
    var (known, unknown) = (CadenceEstimator(), CadenceEstimator())
    var (shown, expected) = (GaitAnalysis(), GaitAnalysis())
    var (start, end) = (0, 0)
    for advance in [100, 100, 100, 100, 100, 100, 100, 0, 100, 101, 100, 99, 100, 2000]
      + [100, 100, 100, 700] + [Int](repeating: 100, count: 8)
    {
      end += advance
      // After the longest advance the window shares no sample with the last one, as after a gap.
      if advance == 2000 { start = end - 150 }
      let window = samples[max(start, end - 600)..<end].span
      known.analyze(window: window, endingAt: Int64(end), into: &shown)
      unknown.analyze(window: window, endingAt: nil, into: &expected)
      #expect(shown.isUsable == expected.isUsable)
      #expect(shown.stepSignalCount == expected.stepSignalCount)
      let count = shown.stepSignalCount
      #expect(shown.stepSignal.prefix(count) == expected.stepSignal.prefix(count))
      #expect(shown.isQuiet == expected.isQuiet)
      #expect(shown.isQuiet || shown.powers == expected.powers)
      #expect(shown.secondEnergies == expected.secondEnergies)
      #expect(known.update(with: shown) == unknown.update(with: expected))
    }
    #expect(end > 4000)
  }

  @Test func rotatingThePhoneKeepsTheResult() {
    let gait = SyntheticGait(stepsPerMinute: 107)
    let reference = Self.run(gait.samples(seconds: 20, seed: 3))
    var random = SplitMix64(seed: 11)
    for _ in 0..<20 {
      let turned = Self.run(
        gait.samples(seconds: 20, seed: 3, rotation: Rotation(using: &random)))
      for (a, b) in zip(reference, turned) {
        #expect((a.cadence == nil) == (b.cadence == nil))
        guard let a = a.cadence, let b = b.cadence else { continue }
        #expect(abs(a.stepsPerMinute - b.stepsPerMinute) < 1e-3)
        #expect(abs(a.confidence - b.confidence) < 1e-3)
      }
    }
  }

  @Test func theSignConventionKeepsTheResult() {
    let samples = SyntheticGait(stepsPerMinute: 118).samples(seconds: 12, seed: 5)
    let mirrored = samples.map { SIMD4(-$0.x, -$0.y, -$0.z, $0.w) }
    #expect(Self.run(samples) == Self.run(mirrored))
  }

  @Test func motionOfTooSmallARiseIsNotStepping() {
    // A rise of 1 mm.
    for rate in [60.0, 80, 100, 120] {
      var gait = SyntheticGait(stepsPerMinute: rate)
      gait.amplitude *= 0.04
      gait.noise = 0.02
      let updates = Self.run(gait.samples(seconds: 30, seed: 21))
      #expect(updates.allSatisfy { $0.cadence == nil && $0.steps == 0 }, "\(rate)")
    }
  }

  @Test func aConstantSignalHasNoSteps() {
    let samples = [SIMD4<Float>](repeating: SIMD4(1, 2, 9.5, 9.76), count: 2000)
    let updates = Self.run(samples)
    #expect(updates.allSatisfy { $0.cadence == nil && $0.steps == 0 })
    #expect(updates.dropFirst(2).allSatisfy { ($0.steppingProbability ?? 1) < 0.2 })
  }

  @Test func hugeValuesGiveFiniteResults() {
    var random = SplitMix64(seed: 9)
    let samples = (0..<2000).map { _ in
      SIMD4<Float>(
        random.next() & 1 == 0 ? 1e6 : -1e6, random.next() & 1 == 0 ? 1e6 : -1e6, 1e6, 1.7e6)
    }
    var estimator = CadenceEstimator()
    for update in Self.run(samples, estimator: &estimator) {
      #expect(update.steps.isFinite)
      #expect((update.steppingProbability ?? 0).isFinite)
      let answer = update.cadence?.stepsPerMinute ?? 0
      #expect(answer.isFinite)
    }
    // The estimator recovers.
    let gait = SyntheticGait(stepsPerMinute: 110).samples(seconds: 20, seed: 2)
    let cadence = Self.run(gait, estimator: &estimator).last?.cadence
    #expect(abs((cadence?.stepsPerMinute ?? 0) - 110) < 1)
  }

  @Test func notANumberCountsAsZero() {
    let gait = SyntheticGait(stepsPerMinute: 110).samples(seconds: 12, seed: 2)
    var spoiled = gait
    var zeroed = gait
    for index in Swift.stride(from: 50, to: spoiled.count, by: 97) {
      spoiled[index] = SIMD4(repeating: .nan)
      zeroed[index] = .zero
    }
    #expect(Self.run(spoiled) == Self.run(zeroed))
  }

  @Test func lessThanThreeSecondsGiveNoResult() {
    let gait = SyntheticGait(stepsPerMinute: 110).samples(seconds: 4, seed: 2)
    var estimator = CadenceEstimator()
    for count in [0, 1, 6, 7, 100, 299] {
      let update = estimator.update(window: gait[0..<count].span)
      #expect(update == CadenceUpdate())
    }
    let update = estimator.update(window: gait[0..<300].span)
    #expect(update.steppingProbability != nil)
  }

  @Test func aLongWindowIsCutToItsNewestSixSeconds() {
    let gait = SyntheticGait(stepsPerMinute: 95).samples(seconds: 20, seed: 2)
    var short = CadenceEstimator()
    var long = CadenceEstimator()
    for end in Swift.stride(from: 900, through: 2000, by: 100) {
      let a = short.update(window: gait[end - 600..<end].span)
      let b = long.update(window: gait[end - 900..<end].span)
      #expect(a == b)
    }
  }

  @Test func resetGivesTheInitialState() {
    let walk = SyntheticGait(stepsPerMinute: 125).samples(seconds: 30, seed: 8)
    let next = SyntheticGait(stepsPerMinute: 88).samples(seconds: 15, seed: 9)
    var used = CadenceEstimator()
    _ = Self.run(walk, estimator: &used)
    used.reset()
    #expect(Self.run(next, estimator: &used) == Self.run(next))
  }

  @Test func anEstimatorIsAStage() {
    let samples =
      SyntheticGait.rest(seconds: 8, seed: 1)
      + SyntheticGait(stepsPerMinute: 104).samples(seconds: 25, seed: 2)
    let broken = checkStage(
      CadenceEstimator(), Array(1...samples.count / 100), into: [Cadence?]()
    ) { estimator, seconds, cadences in
      for second in seconds {
        let window = samples[max(0, second * 100 - 600)..<second * 100].span
        cadences.append(estimator.update(window: window).cadence)
      }
    }
    #expect(broken == [])
  }

  @Test func aStateOfTheWrongShapeIsRejected() {
    // First of all come the number of rates and their probabilities.
    let state = archived(CadenceEstimator())
    let rates = [Float](repeating: 0, count: Int(state[0]) | Int(state[1]) << 8)
    #expect(archived(rates).prefix(8) == state.prefix(8))
    let rest = state.dropFirst(archived(rates).count)
    #expect(throws: Never.self) { try restored(CadenceEstimator(), from: archived(rates) + rest) }
    #expect(throws: DamagedArchive.self) {
      try restored(CadenceEstimator(), from: archived(rates + [1]) + rest)
    }
  }

  @Test(arguments: [70.0, 90, 110, 130, 165])
  func aLongWalkIsCountedToTheStep(rate: Double) {
    let gait = SyntheticGait(stepsPerMinute: rate)
    let seconds = 120.0
    let samples = gait.samples(seconds: seconds, seed: 4)
    let expected = rate / 60 * seconds
    #expect(abs(Double(Self.total(Self.run(samples))) - expected) <= 1.5, "of \(expected)")
  }

  @Test func aDayOfSensorNoiseHasNoStep() {
    var random = SplitMix64(seed: 24)
    var estimator = CadenceEstimator()
    var window: [SIMD4<Float>] = []
    var steps: Float = 0
    for _ in 0..<86_400 {
      if window.count == 600 { window.removeFirst(100) }
      for _ in 0..<100 {
        let force = SIMD3<Float>(
          0.03 * Float(random.nextNormal()), 0.03 * Float(random.nextNormal()),
          9.81 + 0.03 * Float(random.nextNormal()))
        window.append(SIMD4(force, (force * force).sum().squareRoot()))
      }
      steps += estimator.update(window: window.slice.span).steps
    }
    #expect(steps == 0)
  }

  /// Nine steps between rests, beginning anywhere within a second.
  ///
  /// The signal begins and ends abruptly, unlike real steps: its ends are located a fraction of a
  /// step too far out.
  @Test(arguments: [75.0, 90, 105, 120])
  func aBoutOfNineStepsIsCountedWithinOne(stepsPerMinute: Double) {
    var sum: Float = 0
    for offset in 0..<10 {
      let start = 12 + 0.1 * Double(offset)
      let end = start + 9 * 60 / stepsPerMinute
      let samples = SyntheticGait(stepsPerMinute: stepsPerMinute)
        .samples(seconds: 32, seed: UInt64(offset)) { start <= $0 && $0 < end }
      let counted = Self.total(Self.run(samples))
      #expect(abs(counted - 9) <= 1.35, "\(stepsPerMinute) steps/min from \(start) s: \(counted)")
      sum += counted
    }
    #expect(abs(sum / 10 - 9) <= 1.2)
  }

  /// Each end of the bout is located to about half a second.
  @Test(arguments: [10, 20, 50], [95.0, 115])
  func aBoutBetweenRestsIsCounted(steps: Int, rate: Double) {
    let gait = SyntheticGait(stepsPerMinute: rate)
    let length = Double(steps) * 60 / rate
    for offset in [0.0, 0.3, 0.7] {
      let samples = gait.samples(seconds: 25 + length, seed: 4) { t in
        t >= 10 + offset && t < 10 + offset + length
      }
      let counted = Double(Self.total(Self.run(samples)))
      #expect(abs(counted - Double(steps)) <= 1.5, "\(counted) of \(steps) at \(rate), \(offset)")
    }
  }

  @Test func restBetweenTwoBoutsHasNoSteps() {
    let gait = SyntheticGait(stepsPerMinute: 112)
    let samples = gait.samples(seconds: 70, seed: 4) { t in t < 25 || t >= 40 }
    let updates = Self.run(samples)
    // The last second of the first bout is corrected one second later.
    #expect(Self.total(Array(updates[27..<40])) == 0)
    #expect(abs(Self.total(updates) - 55 * 112 / 60) <= 2)
  }

  @Test func aCadenceAppearsAndEndsWithinSeconds() throws {
    let gait = SyntheticGait(stepsPerMinute: 112)
    let updates = Self.run(gait.samples(seconds: 50, seed: 4) { t in t >= 15 && t < 35 })
    let first = try #require(updates.firstIndex { $0.cadence != nil })
    let last = try #require(updates.lastIndex { $0.cadence != nil })
    #expect(first + 1 <= 15 + 5)
    #expect(last + 1 <= 35 + 7)
    #expect(updates[first...last].allSatisfy { $0.cadence != nil })
  }

  @Test func aChangeOfPaceIsFollowed() {
    let slow = SyntheticGait(stepsPerMinute: 95).samples(seconds: 20, seed: 1)
    let fast = SyntheticGait(stepsPerMinute: 128).samples(seconds: 20, seed: 2)
    let updates = Self.run(slow + fast)
    for (end, rate) in [(20, 95), (28, 128), (40, 128)] {
      let answer = updates[end - 1].cadence?.stepsPerMinute ?? 0
      #expect(abs(answer - Float(rate)) < 1.5, "\(answer) at \(end) s")
    }
  }

  @Test func probabilitiesAreConsistent() {
    let gait = SyntheticGait(stepsPerMinute: 112)
    for update in Self.run(gait.samples(seconds: 50, seed: 4) { t in t >= 15 && t < 35 }) {
      guard let stepping = update.steppingProbability else { continue }
      #expect(stepping >= 0 && stepping <= 1)
      guard let cadence = update.cadence else { continue }
      #expect(stepping > 0.5)
      #expect(cadence.confidence > 0 && cadence.confidence <= stepping + 1e-6)
    }
  }

  @Test func aCertainRideReducesStepsAndAnUncertainOneKeepsThem() {
    // Pedalling: a smooth line with one overtone.
    var ride = SyntheticGait(stepsPerMinute: 80, amplitude: 1.6)
    ride.stride = 0
    let pedalling = ride.samples(seconds: 60, seed: 6)
    let certain = GaitHint(vehicleProbability: 0.01, cyclingProbability: 0.98)
    #expect(Self.total(Self.run(pedalling, hint: certain)) < Self.total(Self.run(pedalling)))
    let walk = SyntheticGait(stepsPerMinute: 110).samples(seconds: 60, seed: 6)
    let uncertain = GaitHint(vehicleProbability: 0.2, cyclingProbability: 0.25)
    #expect(abs(Self.total(Self.run(walk, hint: uncertain)) - 110) < 2)
  }

  @Test func invalidHintsGiveFiniteResults() {
    let walk = SyntheticGait(stepsPerMinute: 110).samples(seconds: 15, seed: 6)
    for value in [Float.nan, .infinity, -1, 7, 1e30] {
      let hint = GaitHint(
        vehicleProbability: value, cyclingProbability: value, runningProbability: value,
        speed: value)
      for update in Self.run(walk, hint: hint) {
        #expect((update.steppingProbability ?? 0).isFinite)
        #expect(update.steps.isFinite)
      }
    }
  }

  @Test func speedResolvesAnAmbiguousOctave() throws {
    // A stride-heavy thigh: 80 or 160 steps per minute?
    var gait = SyntheticGait(stepsPerMinute: 160, amplitude: 7)
    gait.verticalStride = 1
    let samples = gait.samples(seconds: 30, seed: 6)
    let unknown = try #require(Self.run(samples).last)
    let running = try #require(Self.run(samples, hint: GaitHint(speed: 3.2)).last)
    let cadence = try #require(running.cadence)
    #expect(abs(cadence.stepsPerMinute - 160) < 2)
    let without = abs((unknown.cadence?.stepsPerMinute ?? 0) - 160) < 2
    #expect(!without || cadence.confidence >= (unknown.cadence?.confidence ?? 0) - 0.01)
  }

  @Test func freeFallGivesNoResult() {
    let samples = [SIMD4<Float>](repeating: SIMD4(0.01, 0, 0.01, 0.014), count: 800)
    #expect(Self.run(samples).allSatisfy { $0 == CadenceUpdate() })
  }

  /// A minute's walk of which the first 20 s are taken for a ride.
  ///
  /// Nothing is counted until then, and then the steps of the last eight seconds come at once. What
  /// the accelerations show is the same as without the ride.
  @Test func stepsOfARideAreProvisional() {
    let walk = SyntheticGait(stepsPerMinute: 110, amplitude: 3).samples(seconds: 60, seed: 9)
    var estimator = CadenceEstimator()
    let plain = Self.run(walk)
    var ride = GaitHint(cyclingProbability: 0.8)
    ride.isRiding = true
    let updates = (1...walk.count / 100).map { second in
      estimator.update(
        window: walk[max(0, second * 100 - 600)..<second * 100].span,
        hint: second <= 20 ? ride : .unknown)
    }
    #expect(updates.map(\.provisional) == plain.map(\.provisional))
    #expect(updates[..<20].allSatisfy { $0.steps == 0 && $0.cadence == nil })
    let withheld = plain[12..<20].reduce(0) { $0 + $1.provisional.steps }
    #expect(abs(withheld - 8 * 110 / 60) < 1)
    #expect(abs(updates[20].steps - updates[20].provisional.steps - withheld) < 1e-4)
    #expect(updates[21...].allSatisfy { $0.steps == $0.provisional.steps })
  }
}
