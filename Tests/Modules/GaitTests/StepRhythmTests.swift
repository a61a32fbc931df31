import Foundation
import LocomotionGait
import TestSupport
import Testing

struct StepRhythmTests {
  @Test func aSteadyLineHasItsFrequencyAsStepRate() throws {
    // 2.03 Hz between bins, demodulated at 2.00 Hz: the phase gives the difference.
    let samples = GaitSpectrumTests.sinusoid(frequency: 2.03, amplitude: 1.5, along: 2)
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    let rhythm = try #require(GaitSpectrumTests.rhythm(of: spectrum, near: 2))
    // The long Hann window leaves about 1e-4 of the negative frequency, 2e-5 cycles.
    #expect(abs(rhythm.laggedRate - 2.03) < 1e-4)
    #expect(rhythm.standardError < 3e-4)
  }

  @Test func aGrowingRateIsMeasuredAtTheLaggedInstant() throws {
    // 1.8 Hz + 0.04 Hz/s: the phase advances by the rate in the middle of the second. The last
    // sample at 50 Hz is the mean about sample 595; three seconds and a half before it is 2.45 s.
    let samples = (0..<600).map { index in
      let t = Double(index) / 100
      let z = 9.81 + 2 * sin(2 * .pi * (1.8 * t + 0.02 * t * t))
      return SIMD4<Float>(SIMD4(0, 0, z, abs(z)))
    }
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    let rhythm = try #require(GaitSpectrumTests.rhythm(of: spectrum, near: 1.92))
    #expect(abs(Double(rhythm.laggedRate) - (1.8 + 0.04 * 2.45)) < 1e-3)
  }

  /// Demodulated by SciPy in double precision; sums of 193 single-precision products.
  @Test func matchesSciPy() throws {
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: GaitSpectrumTests.goldenWindow))
    let golden = try TestFiles.golden("gait_rhythm.csv")
    #expect(golden.count == 3)
    for row in golden {
      let rhythm = try #require(GaitSpectrumTests.rhythm(of: spectrum, near: Float(row[0])))
      #expect(abs(Double(rhythm.laggedRate) - row[1]) < 2e-6)
      #expect(abs(Double(rhythm.standardError) - row[2]) < 2e-6)
      #expect(abs(Double(spectrum.skewness) - row[3]) < 2e-5)
    }
  }

  @Test func rotatingThePhoneKeepsTheResult() throws {
    let samples = SyntheticGait(stepsPerMinute: 105).samples(seconds: 6, seed: 3)
    var random = SplitMix64(seed: 4)
    let turned = SyntheticGait(stepsPerMinute: 105).samples(
      seconds: 6, seed: 3, rotation: Rotation(random: &random))
    func rhythm(_ samples: [SIMD4<Float>]) throws -> StepRhythm {
      let analysis = try #require(GaitSpectrumTests.spectrum(of: samples))
      return try #require(GaitSpectrumTests.rhythm(of: analysis, near: 1.75))
    }
    let (first, second) = (try rhythm(samples), try rhythm(turned))
    // Samples are rounded to 5e-7 of 10 m/s² before and after the rotation.
    #expect(abs(first.laggedRate - second.laggedRate) < 1e-5)
  }

  @Test func aShortWindowHasNoRhythm() throws {
    let samples = GaitSpectrumTests.sinusoid(frequency: 2, amplitude: 1, along: 2, count: 500)
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    #expect(GaitSpectrumTests.rhythm(of: spectrum, near: 2) == nil)
  }

  @Test func aPhaseThatContradictsTheSpectrumGivesNoRhythm() throws {
    let samples = GaitSpectrumTests.sinusoid(frequency: 2, amplitude: 1, along: 2)
    let spectrum = try #require(GaitSpectrumTests.spectrum(of: samples))
    #expect(GaitSpectrumTests.rhythm(of: spectrum, near: 1.7) == nil)
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
