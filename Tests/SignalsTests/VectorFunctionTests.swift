import CLocomotionMath
import LocomotionSensing
import LocomotionSignals
import TestSupport
import Testing

@Suite struct VectorFunctionTests {
  /// Two units in the last place of the result, which is one rounding of a polynomial's last sum
  /// and half of one of each term before.
  @Test func exponentialsAndLogarithmsAreWithinTwoUlp() {
    var random = SplitMix64(seed: 1)
    var worst = 0.0
    func compare(_ value: Float, _ exact: Double) {
      worst = max(worst, abs(Double(value) - exact) / Double(Float(exact).ulp))
    }
    for _ in 0..<20_000 {
      let x = Float(170 * random.nextUniform() - 86)
      let exponentials = exp(SIMD4(x, -x / 2, x / 64, x / 4096))
      let positive = Float(exp(Double(x)))
      let logarithms = log(SIMD4(positive, 1 + x / 128, 1 + x / 8192, 3))
      for (lane, value) in [x, -x / 2, x / 64, x / 4096].enumerated() {
        compare(exponentials[lane], exp(Double(value)))
      }
      for (lane, value) in [positive, 1 + x / 128, 1 + x / 8192, 3].enumerated() {
        compare(logarithms[lane], log(Double(value)))
      }
    }
    #expect(worst <= 2)
  }

  @Test func whatHasNoExponentialOrLogarithmIsFinite() {
    let odd = SIMD4<Float>(-.infinity, .infinity, .nan, -1e30)
    for lane in 0..<4 {
      #expect(exp(odd)[lane].isFinite)
      #expect(log(odd)[lane].isFinite)
    }
  }

  @Test func lanesAreChosenOneByOne() {
    let (x, y) = (SIMD4<Float>(1, 2, .nan, -0.5), SIMD4<Float>(2, 1, 3, -0.5))
    #expect(larger(x, y) == SIMD4(2, 2, 3, -0.5))
    #expect(smaller(x, y) == SIMD4(1, 1, 3, -0.5))
    #expect(known(x) == SIMD4(1, 2, 0, -0.5))
    #expect(choose(x, over: y, SIMD4(repeating: 1), .zero) == SIMD4(0, 1, 0, 0))
  }

  /// The transform rounds about log₂N times, and each power holds the whole energy.
  @Test func productsOfASignalWithItselfAreTheDirectSums() {
    var random = SplitMix64(seed: 2)
    let signal = (0..<200).map { _ in
      SIMD4<Float>((0..<4).map { _ in Float(random.nextUniform() - 0.5) })
    }
    var transform = RealFourierTransform(length: 512)
    var powers = [SIMD4<Float>](repeating: .zero, count: 257)
    var products = [SIMD4<Float>](repeating: .zero, count: 128)
    var scratch = powers.mutableSpan
    var output = products.mutableSpan
    transform.autocorrelate(signal.span, powers: &scratch, into: &output)
    let energy = signal.reduce(SIMD4<Double>.zero) { $0 + SIMD4<Double>($1 * $1) }
    for lag in 0..<128 {
      var exact = SIMD4<Double>.zero
      for index in 0..<signal.count - lag {
        exact += SIMD4<Double>(signal[index]) * SIMD4<Double>(signal[index + lag])
      }
      for lane in 0..<4 {
        let error = abs(Double(output[lag][lane]) - exact[lane])
        #expect(error <= 9 * Double(Float.ulpOfOne) * energy[lane], "lag \(lag)")
      }
    }
  }

  /// A run is what its samples are one by one, and ends before the first that is not ordinary.
  @Test func aRunIsWhatItsSamplesAreOneByOne() {
    var random = SplitMix64(seed: 3)
    var times: [Timestamp] = []
    var (x, y, z): ([Float], [Float], [Float]) = ([], [], [])
    var time: Int64 = 0
    for index in 0..<2_000 {
      time += index % 97 == 96 ? 400_000_000 : Int64(4e6 + 12e6 * random.nextUniform())
      if index % 131 == 130 { time -= 30_000_000 }
      times.append(Timestamp(nanoseconds: time))
      x.append(index % 173 == 172 ? .nan : Float(10 * random.nextUniform()))
      y.append(Float(10 * random.nextUniform()))
      z.append(Float(10 * random.nextUniform()))
    }
    var (single, runs) = (UniformResampler(), UniformResampler())
    var (singleRing, runRing) = (SampleRing(capacity: 64), SampleRing(capacity: 64))
    var next = 0
    while next < times.count {
      let rest = next..<times.count
      let taken = runs.appendRun(
        x: x.span.extracting(rest), y: y.span.extracting(rest),
        z: z.span.extracting(rest), at: times.span.extracting(rest),
        before: times[next].advanced(byNanoseconds: 300_000_000), to: &runRing)
      if taken == 0 {
        _ = runs.resample(
          x: x[next], y: y[next], z: z[next], at: times[next],
          into: &runRing)
      }
      for _ in 0..<max(1, taken) {
        _ = single.resample(
          x: x[next], y: y[next], z: z[next], at: times[next],
          into: &singleRing)
        next += 1
      }
      #expect(runs == single)
      #expect(runRing == singleRing)
    }
  }
}
