import Foundation
import LocomotionSignals
import TestSupport
import Testing

struct RealFourierTransformTests {
  static let lengths = [32, 64, 128, 256, 512, 1024, 2048]
  /// A width beyond the machine's is reduced to it.
  static let widths = [4, 8, 16]

  private static func signal(count: Int, seed: UInt64) -> [SIMD4<Float>] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      SIMD4<Float>(
        SIMD4(
          random.nextNormal(), random.nextNormal(), 3 * random.nextUniform(), random.nextNormal()))
    }
  }

  /// What `fill` writes to `count` vectors.
  private static func written(
    _ count: Int, by fill: (inout MutableSpan<SIMD4<Float>>) -> Void
  ) -> [SIMD4<Float>] {
    var values = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: count)
    var span = values.mutableSpan
    fill(&span)
    return Array(values)
  }

  private static func powers(
    of signal: [SIMD4<Float>], with transform: inout RealFourierTransform
  ) -> [SIMD4<Float>] {
    let zeros = [SIMD4<Float>](repeating: .zero, count: transform.length - signal.count)
    return written(transform.length / 2 + 1) {
      transform.powers(of: (signal + zeros).slice.span, into: &$0)
    }
  }

  /// The power spectra under a Hann window and of pairs, one after the other.
  private static func hannAndPairs(
    of signal: [SIMD4<Float>], from starts: SIMD4<Int>, less means: SIMD16<Float>,
    _ count: Int, _ pairCount: Int, with transform: inout RealFourierTransform
  ) -> [SIMD4<Float>] {
    var pairs: [SIMD4<Float>] = []
    let hann = written(count) { hann in
      pairs = written(pairCount) { pairs in
        transform.powers(
          of: signal.slice.span, from: starts, less: means, underHann: &hann, ofPairs: &pairs)
      }
    }
    return hann + pairs
  }

  /// The definition, lane by lane, in Double.
  private static func amplitude(of signal: [SIMD4<Float>], bin: Int, length: Int) -> SIMD4<Double> {
    var real = SIMD4<Double>.zero
    var imaginary = SIMD4<Double>.zero
    for (index, value) in signal.enumerated() {
      let angle = 2 * Double.pi * Double(bin * index % length) / Double(length)
      real += SIMD4<Double>(value) * cos(angle)
      imaginary -= SIMD4<Double>(value) * sin(angle)
    }
    return (real * real + imaginary * imaginary).squareRoot()
  }

  /// Expects powers of the lowest bins of a transform of `signal`.
  ///
  /// Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., theorem 24.2: the error of
  /// the whole transform is at most log₂N · 6.7 u · √N ‖x‖ with u = ε/2. Roundings of different
  /// butterflies are independent, so that one bin has about 1/√N of it, and on average far less
  /// than 6.7 u per stage: ε log₂N ‖x‖. A coherent sum is rounded once more per stage in proportion
  /// to itself, u (1 + 1/2 + 1/4 + …) = ε of its amplitude. Terms that cancel in the last pass were
  /// rounded in proportion to the terms that add up there.
  private static func expect(
    _ powers: some Collection<SIMD4<Float>>, of signal: [SIMD4<Float>], length: Int,
    _ note: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let exact = powers.indices.enumerated().map { bin, _ in
      amplitude(of: signal, bin: bin, length: length)
    }
    let norms = signal.reduce(SIMD4<Double>.zero) {
      $0 + SIMD4<Double>($1) * SIMD4<Double>($1)
    }.squareRoot()
    for (bin, power) in powers.enumerated() {
      for lane in 0..<4 {
        let amplitude =
          bin % (length / 4) == 0 ? (exact.map { $0[lane] }.max() ?? 0) : exact[bin][lane]
        let tolerance =
          Double(Float.ulpOfOne) * (log2(Double(length)) * norms[lane] + amplitude)
        let error = abs(Double(power[lane]).squareRoot() - exact[bin][lane])
        #expect(
          error <= tolerance, "bin \(bin) lane \(lane) of \(length) \(note)",
          sourceLocation: sourceLocation)
      }
    }
  }

  // MARK: One window

  @Test(arguments: lengths) func matchesDirectSum(length: Int) {
    // One transform for all: what it was used for before changes nothing.
    var transform = RealFourierTransform(length: length)
    let counts = [length, length - 1, length * 5 / 8, length / 2, length / 4 + 1, 1]
    for (seed, count) in counts.enumerated() {
      let signal = Self.signal(count: count, seed: UInt64(seed))
      Self.expect(
        Self.powers(of: signal, with: &transform), of: signal, length: length, "\(count) values")
    }
  }

  /// The Hann window and the means of pairs are applied to the values and transformed directly;
  /// combining three bins rounds no more often than their values.
  @Test(arguments: [32, 64, 256, 512])
  func hannPowersAndPairPowersMatchDirectSums(length: Int) {
    let signal = Self.signal(count: length, seed: 5)
    let mean = SIMD4<Float>(0.1, -0.2, 1.5, 0)
    let centred = signal.map { $0 - mean }
    let tapered = centred.enumerated().map { index, value in
      value * Float(0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(length)))
    }
    let pairs = stride(from: 0, to: length, by: 2).map { 0.5 * (centred[$0] + centred[$0 + 1]) }
    var transform = RealFourierTransform(length: length)
    let means = SIMD16(lowHalf: SIMD8(lowHalf: mean, highHalf: .zero), highHalf: .zero)
    let found = Self.hannAndPairs(
      of: signal, from: .zero, less: means, length / 2, length / 4 + 1, with: &transform)
    Self.expect(found[..<(length / 2)], of: tapered, length: length, "under Hann's window")
    Self.expect(found[(length / 2)...], of: pairs, length: length / 2, "pairs")
  }

  /// The transforms round about log₂N times each, and each power may have the whole energy.
  @Test(arguments: [32, 128, 256])
  func circularAutocorrelationMatchesDirectSums(length: Int) {
    let signal = Self.signal(count: length, seed: 6)
    var transform = RealFourierTransform(length: length)
    let powers = Self.powers(of: signal, with: &transform)
    let products = Self.written(length / 2) {
      transform.autocorrelate(powers: powers.slice.span, into: &$0)
    }
    let energy = signal.reduce(SIMD4<Double>.zero) { $0 + SIMD4<Double>($1 * $1) }
    for lag in products.indices {
      let exact = signal.indices.reduce(SIMD4<Double>.zero) {
        $0 + SIMD4<Double>(signal[$1]) * SIMD4<Double>(signal[($1 + lag) % length])
      }
      for lane in 0..<4 {
        let error = abs(Double(products[lag][lane]) - exact[lane])
        #expect(error <= 9 * Double(Float.ulpOfOne) * energy[lane], "lag \(lag) of \(length)")
      }
    }
  }

  @Test func everyLaneIsIndependent() {
    let length = 256
    let signal = Self.signal(count: length, seed: 8)
    var transform = RealFourierTransform(length: length)
    let reference = Self.powers(of: signal, with: &transform)
    for lane in 0..<4 {
      // The same values in another lane beside arbitrary ones: bit for bit the same powers.
      let alone = signal.map { sample in
        var moved = SIMD4<Float>(repeating: .nan)
        moved[3 - lane] = sample[lane]
        return moved
      }
      let powers = Self.powers(of: alone, with: &transform)
      #expect(zip(powers, reference).allSatisfy { $0[3 - lane] == $1[lane] })
      #expect(powers.allSatisfy { $0[lane].isNaN })
    }
  }

  // MARK: Four windows

  private static func expectSameBits(
    _ four: [SIMD4<Float>], _ window: Int, _ alone: [SIMD4<Float>], _ note: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    func bits(_ vector: SIMD4<Float>) -> [UInt32] { (0..<4).map { vector[$0].bitPattern } }
    let own = stride(from: window, to: four.count, by: 4).map { bits(four[$0]) }
    #expect(own == alone.map(bits), "window \(window) of \(note)", sourceLocation: sourceLocation)
  }

  /// Bit for bit, in vectors of each width that the machine has; the windows overlap, and one
  /// occurs twice.
  @Test(arguments: lengths, widths)
  func fourWindowsGiveTheResultsOfEach(length: Int, width: Int) {
    let signal = Self.signal(count: length + 110, seed: 1)
    let starts = SIMD4(3, 103, 103, 40)
    let means = SIMD16<Float>((0..<16).map { Float($0) / 7 - 1 })
    var four = RealFourierTransform(length: length, windows: 4, width: width)
    var one = RealFourierTransform(length: length)
    #expect(four.width <= width && Self.widths.contains(four.width))
    for count in [length / 2 + 1, length / 3, length / 9, 0] {
      let found = Self.written(4 * count) {
        four.powers(of: signal.slice.span, from: starts, into: &$0)
      }
      for window in 0..<4 {
        let start = starts[window]
        let alone = Self.written(count) {
          one.powers(of: signal[start..<start + length].span, into: &$0)
        }
        Self.expectSameBits(found, window, alone, "\(count) powers of \(length)")
      }
    }
    for (count, pairCount) in [(length / 2, length / 4 + 1), (length * 77 / 512, length / 5)] {
      let found = Self.hannAndPairs(
        of: signal, from: starts, less: means, 4 * count, 4 * pairCount, with: &four)
      for window in 0..<4 {
        var own = SIMD16<Float>.zero
        for lane in 0..<4 { own[lane] = means[4 * window + lane] }
        let alone = Self.hannAndPairs(
          of: signal, from: SIMD4(repeating: starts[window]), less: own, count, pairCount,
          with: &one)
        Self.expectSameBits(found, window, alone, "\(count) powers of \(length) under Hann")
      }
    }
    let powers = Self.signal(count: 4 * (length / 2 + 1), seed: 5)
    for count in [length / 2 + 1, length * 2 / 5, 3] {
      let found = Self.written(4 * count) {
        four.autocorrelate(powers: powers.slice.span, into: &$0)
      }
      for window in 0..<4 {
        let own = stride(from: window, to: powers.count, by: 4).map { powers[$0] }
        let alone = Self.written(count) { one.autocorrelate(powers: own.slice.span, into: &$0) }
        Self.expectSameBits(found, window, alone, "\(count) lags of \(length)")
      }
    }
  }

  /// Bit for bit, though the parts of a window are transformed side by side in wide vectors.
  @Test(arguments: lengths, widths) func oneWindowIsTheSameInEveryWidth(length: Int, width: Int) {
    let signal = Self.signal(count: length + 3, seed: 7)
    let powers = Self.signal(count: length / 2 + 1, seed: 8)
    func results(_ width: Int) -> [SIMD4<Float>] {
      var one = RealFourierTransform(length: length, windows: 1, width: width)
      return Self.written(length / 2 + 1) {
        one.powers(of: signal.slice.span, from: SIMD4(repeating: 3), into: &$0)
      }
        + Self.hannAndPairs(
          of: signal, from: .zero, less: SIMD16(repeating: 0.1), length / 2, length / 4 + 1,
          with: &one)
        + Self.written(length / 2 + 1) { one.autocorrelate(powers: powers.slice.span, into: &$0) }
    }
    #expect(results(width) == results(4))
  }

  /// Invalid values in one window don't affect the others.
  @Test(arguments: widths) func everyWindowIsIndependent(width: Int) {
    var signal = Self.signal(count: 512, seed: 6)
    var transform = RealFourierTransform(length: 128, windows: 4, width: width)
    func powers() -> [SIMD4<Float>] {
      Self.written(4 * 65) {
        transform.powers(of: signal.slice.span, from: SIMD4(0, 128, 256, 384), into: &$0)
      }
    }
    let sound = powers()
    signal[130] = SIMD4(repeating: .nan)
    signal[300] = SIMD4(repeating: .infinity)
    let spoiled = powers()
    for index in sound.indices {
      if [0, 3].contains(index % 4) {
        #expect(sound[index] == spoiled[index])
      } else {
        #expect(!spoiled[index].x.isFinite)
      }
    }
  }
}
