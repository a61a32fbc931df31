import Foundation
import LocomotionSignals
import TestSupport
import Testing

struct RealFourierTransformTests {
  static func signal(count: Int, seed: UInt64) -> [SIMD4<Float>] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      SIMD4<Float>(
        SIMD4(
          random.nextNormal(), random.nextNormal(), 3 * random.nextUniform(), random.nextNormal()))
    }
  }

  static func powers(of signal: [SIMD4<Float>], length: Int) -> [SIMD4<Float>] {
    var transform = RealFourierTransform(length: length)
    return powers(of: signal, with: &transform)
  }

  static func powers(
    of signal: [SIMD4<Float>], with transform: inout RealFourierTransform
  ) -> [SIMD4<Float>] {
    var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: transform.length / 2 + 1)
    var output = powers.mutableSpan
    transform.powers(of: signal.slice.span, into: &output)
    return Array(powers)
  }

  /// The definition, lane by lane, in Double.
  static func amplitude(of signal: [SIMD4<Float>], bin: Int, length: Int) -> SIMD4<Double> {
    var real = SIMD4<Double>.zero
    var imaginary = SIMD4<Double>.zero
    for (index, value) in signal.enumerated() {
      let angle = 2 * Double.pi * Double(bin * index % length) / Double(length)
      real += SIMD4<Double>(value) * cos(angle)
      imaginary -= SIMD4<Double>(value) * sin(angle)
    }
    return (real * real + imaginary * imaginary).squareRoot()
  }

  static func norms(_ signal: [SIMD4<Float>]) -> SIMD4<Double> {
    signal.reduce(SIMD4<Double>.zero) { $0 + SIMD4<Double>($1) * SIMD4<Double>($1) }.squareRoot()
  }

  /// The bound of one bin's rounding error.
  ///
  /// Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., theorem 24.2: the error of
  /// the whole transform is at most log₂N · 6.7 u · √N ‖x‖ with u = ε/2. Roundings of different
  /// butterflies are independent, so that one bin has about 1/√N of it, and on average far less
  /// than 6.7 u per stage: ε log₂N ‖x‖. A coherent sum is rounded once more per stage in proportion
  /// to itself, u (1 + 1/2 + 1/4 + …) = ε of its amplitude.
  static func tolerance(length: Int, norm: Double, amplitude: Double) -> Double {
    Double(Float.ulpOfOne) * (log2(Double(length)) * norm + amplitude)
  }

  @Test(arguments: [32, 64, 128, 256, 512, 1024, 2048])
  func matchesDirectSum(length: Int) {
    let counts = [length, length - 1, length * 5 / 8, length / 2, length / 4 + 1, 1]
    for (seed, count) in counts.enumerated() {
      let signal = Self.signal(count: count, seed: UInt64(seed))
      let powers = Self.powers(of: signal, length: length)
      let norms = Self.norms(signal)
      let expected = (0...length / 2).map {
        Self.amplitude(of: signal, bin: $0, length: length)
      }
      for bin in expected.indices {
        for lane in 0..<4 {
          // Terms that cancel in the last pass were rounded in proportion to the terms that add up
          // there.
          let amplitude =
            bin % (length / 4) == 0
            ? (expected.map { $0[lane] }.max() ?? 0) : expected[bin][lane]
          let error = abs(Double(powers[bin][lane]).squareRoot() - expected[bin][lane])
          #expect(
            error <= Self.tolerance(length: length, norm: norms[lane], amplitude: amplitude),
            "bin \(bin) lane \(lane) of \(count) among \(length)")
        }
      }
    }
  }

  @Test func matchesNumPy() throws {
    let golden = try TestFiles.golden("gait_fourier.csv")
    let signal = (0..<24).map { index in
      let k = Double(index)
      return SIMD4<Float>(
        SIMD4(sin(0.37 * k * k), cos(1.3 * k), k / 24 - 0.5, index.isMultiple(of: 2) ? 1 : -1))
    }
    let powers = Self.powers(of: signal, length: 32)
    let norms = Self.norms(signal)
    #expect(golden.count == powers.count)
    for (power, row) in zip(powers, golden) {
      for lane in 0..<4 {
        let error = abs(Double(power[lane]).squareRoot() - row[lane].squareRoot())
        #expect(
          error
            <= Self.tolerance(
              length: 32, norm: norms[lane], amplitude: row[lane].squareRoot()))
      }
    }
  }

  @Test func everyLaneIsIndependent() {
    let length = 256
    let signal = Self.signal(count: length, seed: 8)
    let reference = Self.powers(of: signal, length: length)
    for lane in 0..<4 {
      // The same values in another lane beside arbitrary ones: bit for bit the same powers.
      let alone = signal.map { sample in
        var moved = SIMD4<Float>(repeating: .nan)
        moved[3 - lane] = sample[lane]
        return moved
      }
      let powers = Self.powers(of: alone, length: length)
      #expect(zip(powers, reference).allSatisfy { $0[3 - lane] == $1[lane] })
      #expect(powers.allSatisfy { $0[lane].isNaN })
    }
  }

  @Test func scalingByAPowerOfTwoIsExact() {
    let signal = Self.signal(count: 512, seed: 9)
    let doubled = signal.map { 4 * $0 }
    let (a, b) = (Self.powers(of: signal, length: 512), Self.powers(of: doubled, length: 512))
    #expect(zip(a, b).allSatisfy { 16 * $0 == $1 })
  }

  /// |F(x + y)|² + |F(x − y)|² = 2|F(x)|² + 2|F(y)|², which holds for powers of a linear map only.
  @Test func isLinear() {
    let length = 128
    let (x, y) = (Self.signal(count: length, seed: 1), Self.signal(count: length, seed: 2))
    let sum = Self.powers(of: zip(x, y).map { $0 + $1 }, length: length)
    let difference = Self.powers(of: zip(x, y).map { $0 - $1 }, length: length)
    let (a, b) = (Self.powers(of: x, length: length), Self.powers(of: y, length: length))
    let norms = SIMD4<Float>(Self.norms(x) + Self.norms(y))
    for bin in sum.indices {
      let error = sum[bin] + difference[bin] - 2 * (a[bin] + b[bin])
      // Powers reach N ‖x‖² at worst, at DC; each has an error of 2 ε log₂N of its root's bound.
      let bound =
        4 * Float.ulpOfOne * 7 * norms * (norms + (sum[bin] + difference[bin]).squareRoot())
      for lane in 0..<4 { #expect(abs(error[lane]) <= bound[lane]) }
    }
  }

  @Test func powersSatisfyParsevalsTheorem() {
    let length = 1024
    let signal = Self.signal(count: 700, seed: 3)
    let powers = Self.powers(of: signal, length: length)
    let norms = Self.norms(signal)
    for lane in 0..<4 {
      let both = powers.dropFirst().dropLast().reduce(0.0) { $0 + 2 * Double($1[lane]) }
      let total = both + Double(powers[0][lane]) + Double(powers[length / 2][lane])
      let energy = Double(length) * norms[lane] * norms[lane]
      #expect(abs(total / energy - 1) < 2 * Double(Float.ulpOfOne) * 10)
    }
  }

  @Test func aSinusoidOnABinHasPowerInThatBinOnly() {
    let length = 64
    let signal = (0..<length).map { index in
      SIMD4<Float>(repeating: Float(cos(2 * Double.pi * 5 * Double(index) / Double(length))))
    }
    for (bin, power) in Self.powers(of: signal, length: length).enumerated() {
      let expected: Float = bin == 5 ? 1024 : 0
      #expect(abs(power.x.squareRoot() - expected.squareRoot()) < 1e-5)
    }
  }

  @Test func aReusedTransformGivesTheSamePowers() {
    var transform = RealFourierTransform(length: 128)
    _ = Self.powers(of: Self.signal(count: 128, seed: 1), with: &transform)
    let short = Self.signal(count: 50, seed: 2)
    #expect(Self.powers(of: short, with: &transform) == Self.powers(of: short, length: 128))
  }
}
