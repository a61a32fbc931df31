/// The power spectrum of four real signals at once, one per vector lane.
///
///     P[k] = |Σ x[n] exp(−2πi k n / N)|²,   n = 0 ..< N,   k = 0 ... N/2
///
/// Unnormalised: P sums to about N/2 times the energy Σx². Radix-4 decimation in time for real
/// input, which computes bins 0 to N/2 alone (Sorensen, Jones, Heideman, Burrus, "Real-valued fast
/// Fourier transform algorithms", IEEE ASSP 35(6), 1987).
///
/// ## Accuracy
/// |√P − √P_exact| ≤ ε (log₂N ‖x‖ + √P) per bin; at bins 0, N/4 and N/2, where a mean cancels, with
/// the highest power in place of P (`RealFourierTransformTests.matchesDirectSum`).
///
/// ## Degenerate input
/// A NaN or an infinity in a lane affects that lane alone.
///
/// - Complexity: O(N log N); allocates in `init` only.
public struct RealFourierTransform: Sendable {
  private var kernel: FourierKernel
  /// A signal shorter than N, zero-padded; allocated at the first one.
  private var padded: ContiguousArray<SIMD4<Float>> = []

  /// N, the number of real values that are transformed.
  public var length: Int { kernel.length }

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  public init(length: Int) {
    kernel = FourierKernel(length: length, windows: 1, width: 4)
  }

  /// Writes the power spectrum of `signal` to `powers`: N/2 + 1 bins, or only the lowest ones.
  ///
  /// A signal shorter than N is padded with zeros.
  ///
  /// - Precondition: `signal.count` ≤ N and `powers.count` ≤ N/2 + 1.
  public mutating func powers(
    of signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(signal.count <= length, "expected \(length) values, got \(signal.count)")
    guard signal.count < length else {
      return kernel.powers(of: signal, from: .zero, into: &powers)
    }
    if padded.isEmpty { padded = ContiguousArray(repeating: .zero, count: length) }
    for index in signal.indices { padded[index] = signal[index] }
    for index in signal.count..<length { padded[index] = .zero }
    let padded = padded
    kernel.powers(of: padded.span, from: .zero, into: &powers)
  }

  /// Writes two power spectra of `signal` less `mean`: with a Hann window, and of the means of
  /// adjacent pairs, (x[2n] + x[2n + 1])/2, without a window.
  ///
  /// One transform serves both. A Hann-windowed bin is ½ of the bin less ¼ of either neighbour, and
  /// before the last pass the DFTs of even and odd values are separate.
  ///
  /// - Precondition: `signal.count` = N, at most N/2 powers, at most N/4 + 1 powers of pairs.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, less mean: SIMD4<Float>,
    underHann powers: inout MutableSpan<SIMD4<Float>>,
    ofPairs pairPowers: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(signal.count == length, "expected \(length) values, got \(signal.count)")
    kernel.powers(
      of: signal, from: .zero,
      less: SIMD16(lowHalf: SIMD8(lowHalf: mean, highHalf: .zero), highHalf: .zero),
      underHann: &powers, ofPairs: &pairPowers)
  }

  /// Writes the circular autocorrelation Σ x[n] x[(n + lag) mod N] of the signal with these
  /// `powers` to `products`, for lags from 0 on.
  ///
  /// The transform of the power spectrum (Wiener–Khinchin theorem). Each sum is within a few ε
  /// log₂N of Σx².
  ///
  /// - Precondition: `powers.count` = N/2 + 1 and `products.count` ≤ N/2 + 1.
  package mutating func autocorrelate(
    powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>
  ) {
    kernel.autocorrelate(powers: powers, into: &products)
  }
}
