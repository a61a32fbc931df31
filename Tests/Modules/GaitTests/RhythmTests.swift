import Foundation
import LocomotionGait
import TestSupport
import Testing

struct StepRhythmTests {
  @Test func aGrowingRateIsMeasuredAtTheLaggedInstant() throws {
    // 1.8 Hz + 0.04 Hz/s: the phase advances by the rate in the middle of the second. The last
    // sample at 50 Hz is the mean about sample 595; three seconds and a half before it is 2.45 s.
    let samples = (0..<600).map { index in
      let t = Double(index) / 100
      let z = 9.81 + 2 * sin(2 * .pi * (1.8 * t + 0.02 * t * t))
      return SIMD4<Float>(SIMD4(0, 0, z, abs(z)))
    }
    let rhythm = try #require(try GaitSpectrumTests.rhythm(of: samples, near: 1.92))
    #expect(abs(Double(rhythm.laggedRate) - (1.8 + 0.04 * 2.45)) < 1e-3)
  }

  /// Demodulated by SciPy in double precision; sums of 193 single-precision products.
  @Test func matchesSciPy() throws {
    let window = GaitSpectrumTests.goldenWindow
    let skewness = try #require(GaitSpectrumTests.spectrum(of: window)).skewness
    let golden = try TestFiles.golden("gait_rhythm.csv")
    #expect(golden.count == 3)
    for row in golden {
      let rhythm = try #require(try GaitSpectrumTests.rhythm(of: window, near: Float(row[0])))
      #expect(abs(Double(rhythm.laggedRate) - row[1]) < 2e-6)
      #expect(abs(Double(rhythm.standardError) - row[2]) < 2e-6)
      #expect(abs(Double(skewness) - row[3]) < 2e-5)
    }
  }

  /// A short window, and a phase that contradicts the spectrum.
  @Test(arguments: [(500, 2), (600, 1.7)] as [(Int, Float)])
  func withoutAClearPhaseThereIsNoRhythm(count: Int, frequency: Float) throws {
    let samples = GaitSpectrumTests.sinusoid(frequency: 2, amplitude: 1, along: 2, count: count)
    #expect(try GaitSpectrumTests.rhythm(of: samples, near: frequency) == nil)
  }

  @Test func theLaggedRateFollowsAChangeMoreCloselyThanTheLiveOne() {
    // From 100 to 130 steps per minute within 20 s.
    let samples = (0..<4000).map { index in
      let t = Double(index) / 100
      let ramp = min(max(t - 10, 0), 20)
      let phase = 2 * Double.pi * ((100 * t + 0.75 * ramp * ramp + 30 * max(t - 30, 0)) / 60)
      let z = 9.81 + 3 * sin(phase) + 1.2 * sin(2 * phase + 1)
      return SIMD4<Float>(SIMD4(0.9 * sin(phase / 2), 0, z, abs(z)))
    }
    let updates = CadenceEstimatorTests.run(samples)
    var (live, lagged): (Float, Float) = (0, 0)
    for second in 14..<30 {
      let rate = { (t: Float) in 100 + 1.5 * min(max(t - 10, 0), 20) }
      live += abs((updates[second].cadence?.stepsPerMinute ?? 0) - rate(Float(second) + 0.5))
      let middle = Float(second) + 0.5 - Float(CadenceEstimator.lagSeconds)
      lagged += abs((updates[second].laggedCadence?.stepsPerMinute ?? 0) - rate(middle))
    }
    #expect(lagged / 16 < 0.5)
    #expect(live / 16 > 3)
  }

  @Test func theStandardErrorGrowsWithTheUnevennessOfTheSteps() throws {
    func samples(jitter: Double) -> [SIMD4<Float>] {
      var random = SplitMix64(seed: 11)
      var phase = 0.0
      var rate = 1.8
      return (0..<1200).map { index in
        if index % 55 == 0 { rate = 1.8 * (1 + jitter * random.nextNormal()) }
        phase += 2 * .pi * rate / 100
        let force = SIMD3(
          sin(phase / 2), 0, 9.81 + 3 * cos(phase) + 1.2 * cos(2 * phase))
        return SIMD4<Float>(SIMD4(force, (force * force).sum().squareRoot()))
      }
    }
    let even = try #require(CadenceEstimatorTests.run(samples(jitter: 0)).last?.cadence)
    let uneven = try #require(CadenceEstimatorTests.run(samples(jitter: 0.05)).last?.cadence)
    let small = try #require(even.standardErrorStepsPerMinute)
    let large = try #require(uneven.standardErrorStepsPerMinute)
    #expect(small < 0.05)
    #expect(large > 10 * small)
  }
}

struct GaitSpectrumTests {
  static func spectrum(of samples: [SIMD4<Float>]) -> GaitAnalysis? {
    var estimator = CadenceEstimator()
    var analysis = GaitAnalysis()
    estimator.analyze(window: samples.slice.span, endingAt: nil, into: &analysis)
    return analysis.isUsable ? analysis : nil
  }

  /// The step line of a window, tuned to a frequency in Hz, and what it comes to.
  private static func follow(
    _ samples: [SIMD4<Float>], near frequency: Float
  ) throws -> (analysis: GaitAnalysis, line: StepLine, track: StepTrack) {
    let analysis = try #require(spectrum(of: samples))
    var (line, track) = (StepLine(), StepTrack())
    line.tune(to: frequency)
    line.demodulate(analysis, into: &track)
    return (analysis, line, track)
  }

  static func track(of samples: [SIMD4<Float>], near frequency: Float) throws -> StepTrack {
    try follow(samples, near: frequency).track
  }

  static func rhythm(of samples: [SIMD4<Float>], near frequency: Float) throws -> StepRhythm? {
    let (analysis, line, track) = try follow(samples, near: frequency)
    return line.rhythm(of: analysis, along: track)
  }

  static func sinusoid(
    frequency: Double, amplitude: Double, along axis: Int, count: Int = 600
  ) -> [SIMD4<Float>] {
    (0..<count).map { index in
      var force = SIMD3(0, 0, 9.81)
      force[axis] += amplitude * sin(2 * .pi * frequency * Double(index) / 100 + 0.3)
      return SIMD4<Float>(SIMD4(force, (force * force).sum().squareRoot()))
    }
  }

  /// Six seconds of walking at 108 steps per minute, as in `Tests/Support/Golden/gait_golden.py`.
  static let goldenWindow: [SIMD4<Float>] = (0..<600).map { index in
    let t = Double(index) / 100
    let a = 2 * Double.pi * t
    let x = 0.6 + 1.1 * sin(a * 0.9) + 0.3 * cos(a * 1.8)
    let y = -2.0 + 0.7 * cos(a * 0.9 + 0.4) + 0.5 * sin(a * 2.7)
    let z = 9.4 + 2.5 * sin(a * 1.8 + 1.0) + 0.9 * sin(a * 3.6)
    return SIMD4<Float>(SIMD4(x, y, z, (x * x + y * y + z * z).squareRoot()))
  }

  /// Single precision rounds samples of 10 m/s² by up to 5e-7 of the amplitude of 2.5; sums of
  /// 300 products stay well below 1e-5 of the tallest line.
  @Test func matchesSciPy() throws {
    let spectrum = try #require(Self.spectrum(of: Self.goldenWindow))
    let golden = try TestFiles.golden("gait_spectrum.csv")
    let tallest = golden.map { max($0[1], $0[2]) }.max() ?? 0
    #expect(golden.count == 128)
    for row in golden {
      let bin = Int(row[0])
      #expect(abs(Double(spectrum.powers[bin].x) - row[1]) < 1e-5 * tallest)
      #expect(abs(Double(spectrum.powers[bin].y) - row[2]) < 1e-5 * tallest)
    }
  }

  /// A short window keeps the scale.
  @Test(arguments: [300, 350, 450, 599])
  func aVerticalLinePeaksAtItsSquaredAmplitude(count: Int) throws {
    let short = Self.sinusoid(frequency: 30 * 50 / 512, amplitude: 1.5, along: 2, count: count)
    #expect(abs(try #require(Self.spectrum(of: short)).powers[30].x - 2.25) < 0.01 * 2.25)
    // On a bin: 20 · 50/512 Hz. The half-band's gain at 2 Hz is 1 − 2e-5.
    let samples = Self.sinusoid(frequency: 20 * 50 / 512, amplitude: 1.5, along: 2)
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    #expect(abs(spectrum.powers[20].x - 2.25) < 1e-3 * 2.25)
    #expect(spectrum.powers.allSatisfy { $0.y < 1e-6 })
    #expect(abs(spectrum.totalPower - 2.25) < 0.01 * 2.25)
  }

  @Test func eachSecondHasItsEnergy() throws {
    var samples = Self.sinusoid(frequency: 2, amplitude: 0, along: 2)
    let moving = Self.sinusoid(frequency: 2, amplitude: 1, along: 2)
    for index in 200..<400 { samples[index] = moving[index] }
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    // Newest first: seconds 2 and 3 from the end have motion. Filtering shifts them by three
    // samples.
    for (second, expected) in [(0, 0.0), (1, 0), (2, 0.5), (3, 0.5), (4, 0)] {
      #expect(abs(Double(spectrum.secondEnergies[second]) - expected) < 0.05)
    }
  }

  @Test func theRefinedRateIsFinerThanTheGrid() throws {
    for rate in [71.3, 88.8, 104.6, 121.9, 163.4] {
      var gait = SyntheticGait(stepsPerMinute: rate)
      gait.noise = 0.02
      let spectrum = try #require(
        GaitSpectrumTests.spectrum(of: gait.samples(seconds: 6, seed: 12)))
      let nearest = (0..<RateGrid.count).min {
        abs(RateGrid.stepsPerMinute($0) - Float(rate))
          < abs(RateGrid.stepsPerMinute($1) - Float(rate))
      }
      let refined = 60 * spectrum.refinedStepFrequency(near: (nearest ?? 0) + 2)
      #expect(abs(Double(refined) - rate) < 0.25, "\(refined) for \(rate)")
    }
  }
}

struct HarmonicCombTests {
  static func power(of powers: [Float], on comb: HarmonicComb, at rate: Int) -> Float {
    let spread = powers.map { SIMD4(repeating: $0) }
    return comb.power(of: spread.slice.span, at: rate / 4)[rate % 4]
  }

  @Test func aSingleLineGivesItsSquaredAmplitude() throws {
    let comb = HarmonicComb(multiples: [1], spacing: 1)
    for index in [60, 90, 110, 150] {
      let frequency = Double(RateGrid.stepsPerMinute(index)) / 60
      let samples = GaitSpectrumTests.sinusoid(frequency: frequency, amplitude: 1.2, along: 2)
      let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
      // Teeth sample the main lobe at bins: up to 3 % depending on the line's position between two.
      let power = Self.power(of: spectrum.powers.map(\.x), on: comb, at: index)
      #expect(abs(power - 1.44) < 0.04 * 1.44, "\(power) at \(frequency)")
    }
  }

  @Test func aFlatSpectrumGivesTheChanceLevel() {
    let comb = HarmonicComb(multiples: [1, 2, 3, 0.5, 1.5], spacing: 0.5)
    // Of 128 bins those from 0.44 to 10 Hz are analysed.
    let flat = [Float](
      repeating: 1 / 98, count: 128)
    for rate in 0..<RateGrid.count {
      #expect(
        abs(Self.power(of: flat, on: comb, at: rate) - comb.chance[rate / 4][rate % 4]) < 1e-5)
    }
  }

  @Test func theGridRunsFrom38To257() {
    #expect(RateGrid.stepsPerMinute(0) == 38)
    #expect(abs(RateGrid.stepsPerMinute(RateGrid.count - 1) - 38 * 6.7531) < 0.01)
  }
}
