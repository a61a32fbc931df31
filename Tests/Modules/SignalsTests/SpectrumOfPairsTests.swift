import Foundation
import LocomotionSignals
import TestSupport
import Testing

/// The power spectra of one transform beside the plain one.
struct SpectrumOfPairsTests {
  private static func spectra(
    of signal: [SIMD4<Float>], less mean: SIMD4<Float>
  ) -> (hann: [SIMD4<Float>], pairs: [SIMD4<Float>]) {
    var transform = RealFourierTransform(length: signal.count)
    var hann = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: signal.count / 2)
    var pairs = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: signal.count / 4 + 1)
    var first = hann.mutableSpan
    var second = pairs.mutableSpan
    transform.powers(of: signal.slice.span, less: mean, underHann: &first, ofPairs: &second)
    return (Array(hann), Array(pairs))
  }

  /// The Hann window and the means of pairs are applied to the values and summed directly;
  /// combining three bins rounds no more often than their values.
  @Test(arguments: [32, 64, 256, 512])
  func hannPowersAndPairPowersMatchDirectSums(length: Int) {
    let signal = RealFourierTransformTests.signal(count: length, seed: 5)
    let mean = SIMD4<Float>(0.1, -0.2, 1.5, 0)
    let centred = signal.map { $0 - mean }
    let tapered = centred.enumerated().map { index, value in
      let angle = 2 * Double.pi * Double(index) / Double(length)
      let weight = 0.5 - 0.5 * cos(angle)
      return value * Float(weight)
    }
    let pairs = stride(from: 0, to: length, by: 2).map { index -> SIMD4<Float> in
      let sum = centred[index] + centred[index + 1]
      return sum * 0.5
    }
    let found = Self.spectra(of: signal, less: mean)
    let norms = RealFourierTransformTests.norms(centred)
    expect(found.hann, are: tapered, length: length, norms: norms)
    expect(found.pairs, are: pairs, length: length / 2, norms: norms)
  }

  private func expect(
    _ powers: [SIMD4<Float>], are signal: [SIMD4<Float>], length: Int, norms: SIMD4<Double>
  ) {
    for bin in powers.indices {
      let exact = RealFourierTransformTests.amplitude(of: signal, bin: bin, length: length)
      for lane in 0..<4 {
        let error = abs(Double(powers[bin][lane]).squareRoot() - exact[lane])
        let tolerance = RealFourierTransformTests.tolerance(
          length: length, norm: norms[lane], amplitude: exact[lane])
        #expect(error <= tolerance, "bin \(bin) lane \(lane) of \(length)")
      }
    }
  }

  /// The transforms round about log₂N times each, and each power may have the whole energy.
  @Test(arguments: [32, 128, 256])
  func circularAutocorrelationMatchesDirectSums(length: Int) {
    let signal = RealFourierTransformTests.signal(count: length, seed: 6)
    var transform = RealFourierTransform(length: length)
    var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: length / 2 + 1)
    var products = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: length / 2)
    var scratch = powers.mutableSpan
    transform.powers(of: signal.slice.span, into: &scratch)
    var output = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &output)
    let energy = signal.reduce(SIMD4<Double>.zero) { $0 + SIMD4<Double>($1 * $1) }
    for lag in products.indices {
      var exact = SIMD4<Double>.zero
      for index in signal.indices {
        exact += SIMD4<Double>(signal[index]) * SIMD4<Double>(signal[(index + lag) % length])
      }
      for lane in 0..<4 {
        let error = abs(Double(products[lag][lane]) - exact[lane])
        #expect(error <= 9 * Double(Float.ulpOfOne) * energy[lane], "lag \(lag) of \(length)")
      }
    }
  }
}
