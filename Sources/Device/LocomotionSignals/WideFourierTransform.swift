/// The transforms of ``RealFourierTransform`` for four windows at once, for batch processing.
///
/// A vector of sixteen values holds channel c of window w in lane 4 w + c. The machine's widest
/// instructions process it: in one piece with AVX-512, in halves with AVX2, else in quarters. The
/// results are those of ``RealFourierTransform`` bit for bit (`WideFourierTransformTests`).
///
/// - Complexity: O(N log N); allocates in `init` only.
package struct WideFourierTransform: Sendable {
  private var kernel: FourierKernel

  /// The number of values per vector instruction: 16, 8 or 4.
  package var width: Int { kernel.width }

  /// Prepares transforms of `length` values in vectors of at most `width`, as the machine has them.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  package init(length: Int, width: Int = 16) {
    kernel = FourierKernel(length: length, windows: 4, width: width)
  }

  /// Writes the lowest `powers.count` powers of four windows of N values of `signal`.
  ///
  /// The windows begin at `starts`; they may overlap, or be the same.
  ///
  /// - Precondition: at most N/2 + 1 powers, and all windows are within `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>,
    into powers: inout MutableSpan<SIMD16<Float>>
  ) {
    kernel.powers(of: signal, from: starts, into: &powers)
  }

  /// Writes two power spectra of each of four windows of N values of `signal`, less their means:
  /// with a Hann window, and of the means of adjacent pairs.
  ///
  /// The windows begin at `starts`; they may overlap, or be the same.
  ///
  /// - Precondition: at most N/2 powers and N/4 + 1 powers of pairs, and all windows are within
  ///   `signal`.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    underHann powers: inout MutableSpan<SIMD16<Float>>,
    ofPairs pairPowers: inout MutableSpan<SIMD16<Float>>
  ) {
    kernel.powers(
      of: signal, from: starts, less: means, underHann: &powers, ofPairs: &pairPowers)
  }

  /// Writes the circular autocorrelations Σ x[n] x[(n + lag) mod N] of four windows with these
  /// `powers`, for lags from 0 on.
  ///
  /// - Precondition: `powers.count` = N/2 + 1 and `products.count` ≤ N/2 + 1.
  package mutating func autocorrelate(
    powers: Span<SIMD16<Float>>, into products: inout MutableSpan<SIMD16<Float>>
  ) {
    kernel.autocorrelate(powers: powers, into: &products)
  }
}
