import Foundation
import LocomotionGait
import TestSupport
import Testing

struct GaitSpectrumTests {
  static func spectrum(of samples: [SIMD4<Float>]) -> GaitAnalysis? {
    var analyzer = GaitAnalyzer()
    var analysis = GaitAnalysis()
    analyzer.analyze(samples.slice.span, endingAt: nil, into: &analysis)
    return analysis.isUsable ? analysis : nil
  }

  static func follow(
    _ analysis: GaitAnalysis, near frequency: Float, into track: inout StepTrack
  ) {
    var line = StepLine()
    line.tune(to: frequency)
    line.demodulate(analysis, into: &track)
  }

  static func rhythm(of analysis: GaitAnalysis, near frequency: Float) -> StepRhythm? {
    var line = StepLine()
    var track = StepTrack()
    line.tune(to: frequency)
    line.demodulate(analysis, into: &track)
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

  @Test func aVerticalLinePeaksAtItsSquaredAmplitude() throws {
    // On a bin: 20 · 50/512 Hz. The half-band's gain at 2 Hz is 1 − 2e-5.
    let samples = Self.sinusoid(frequency: 20 * 50 / 512, amplitude: 1.5, along: 2)
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    #expect(abs(spectrum.powers[20].x - 2.25) < 1e-3 * 2.25)
    #expect(spectrum.powers.allSatisfy { $0.y < 1e-6 })
    #expect(abs(spectrum.totalPower - 2.25) < 0.01 * 2.25)
  }

  @Test func aHorizontalLineHasItsPowerInAnyDirection() throws {
    // With vertical motion, too: without it the window is quiet, and isn't transformed.
    let upwards = Self.sinusoid(frequency: 41 * 50 / 512, amplitude: 0.5, along: 2)
    let along = zip(
      Self.sinusoid(frequency: 20 * 50 / 512, amplitude: 0.8, along: 0), upwards
    ).map { sideways, upwards in
      let force = SIMD3(sideways.x, 0, upwards.z)
      return SIMD4(force, (force * force).sum().squareRoot())
    }
    let first = try #require(Self.spectrum(of: along))
    let turned = along.map { SIMD4(0.6 * $0.x - 0.8 * $0.y, 0.8 * $0.x + 0.6 * $0.y, $0.z, $0.w) }
    let second = try #require(Self.spectrum(of: turned))
    for (a, b) in zip(first.powers, second.powers) {
      #expect(abs(a.y - b.y) < 1e-5 * 0.64)
    }
    #expect(abs(first.powers.map(\.y).reduce(0, max) - 0.64) < 0.0064)
  }

  @Test func aShortWindowKeepsTheScale() throws {
    for count in [300, 350, 450, 599] {
      let samples = Self.sinusoid(
        frequency: 30 * 50 / 512, amplitude: 1.5, along: 2, count: count)
      let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
      #expect(abs(spectrum.powers[30].x - 2.25) < 0.01 * 2.25)
    }
  }

  @Test func shortPeaksHavePositiveSkewnessAndASinusoidNone() throws {
    let even = try #require(Self.spectrum(of: Self.sinusoid(frequency: 2, amplitude: 2, along: 2)))
    // Six seconds less 60 ms aren't a whole number of cycles of 2 Hz.
    #expect(abs(even.skewness) < 0.02)
    // exp(k cos x) is a train of peaks; with k = 1 its third standardised moment is
    // (I0(3) − 3 I0(2) I0 + 2 I0³)/(I0(2) − I0²)^1.5 with Bessel functions I0 at 1.
    let peaks = (0..<600).map { index in
      let z = Float(9 + exp(cos(2 * .pi * 2 * Double(index) / 100)))
      return SIMD4<Float>(0, 0, z, z)
    }
    let skewed = try #require(Self.spectrum(of: peaks))
    #expect(abs(skewed.skewness - 0.5054) < 0.03)
    let turned = try #require(Self.spectrum(of: peaks.map { SIMD4($0.z, 0, 0, $0.w) }))
    #expect(turned.skewness == skewed.skewness)
    let still = [SIMD4<Float>](repeating: SIMD4(0, 0, 9.81, 9.81), count: 600)
    #expect(try #require(Self.spectrum(of: still)).skewness == 0)
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

  @Test func aWindowWithoutGravityHasNoSpectrum() {
    #expect(Self.spectrum(of: [SIMD4<Float>](repeating: .zero, count: 600)) == nil)
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
    let flat = [Float](
      repeating: 1 / Float(GaitSpectrum.band.count), count: GaitSpectrum.binCount)
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
