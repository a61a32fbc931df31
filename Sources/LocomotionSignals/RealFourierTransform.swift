/// The power spectrum of four real signals at once, one per vector lane.
///
///     P[k] = |Σ x[n] exp(−2πi k n / N)|²,   n = 0 ..< N,   k = 0 ... N/2
///
/// Unnormalised: P sums to about N/2 times the energy Σx². Decimation in time by four that keeps to
/// the half of the spectrum that real values have (Sorensen, Jones, Heideman, Burrus, "Real-valued
/// fast Fourier transform algorithms", IEEE ASSP 35(6), 1987).
///
/// ## Accuracy
/// |√P − √P_exact| ≤ ε (log₂N ‖x‖ + √P) per bin; at bins 0, N/4 and N/2, where a mean cancels, with
/// the highest power in place of P (`RealFourierTransformTests.matchesDirectSum`).
///
/// ## Degenerate input
/// A NaN or an infinity in a lane spoils that lane alone.
///
/// - Complexity: O(N log N); allocates in `init` only.
public struct RealFourierTransform: Sendable, Codable {
  private var kernel: FourierKernel
  /// A signal that is shorter than N, continued with zeros; made when the first one comes.
  private var padded: [SIMD4<Float>] = []

  /// N, the number of real values that are transformed.
  public var length: Int { kernel.length }

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  public init(length: Int) {
    kernel = FourierKernel(length: length, windows: 1, width: 4)
  }

  /// Writes the powers of `signal` to `powers`: N/2 + 1, or fewer for the lowest alone.
  ///
  /// A signal shorter than N is continued with zeros.
  ///
  /// - Precondition: `signal.count` ≤ N and `powers.count` ≤ N/2 + 1.
  public mutating func powers(
    of signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(signal.count <= length, "expected \(length) values, got \(signal.count)")
    guard signal.count < length else {
      return kernel.powers(of: signal, from: .zero, into: &powers)
    }
    if padded.isEmpty { padded = Array(repeating: .zero, count: length) }
    for index in signal.indices { padded[index] = signal[index] }
    for index in signal.count..<length { padded[index] = .zero }
    let padded = padded
    kernel.powers(of: padded.span, from: .zero, into: &powers)
  }

  /// Writes two kinds of powers of `signal` less `mean`, from the lowest frequency on: those under
  /// Hann's window, and those of the means of neighbours, x[2n] + x[2n + 1] over 2, without one.
  ///
  /// One transform serves both. Under Hann's window a bin is ½ of itself less ¼ of either
  /// neighbour; and before the last pass even and odd values are apart.
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

  /// Writes the sums Σ x[n] x[(n + lag) mod N] to `products`, for lags from 0 on, of a signal that
  /// is given by its `powers`.
  ///
  /// By the theorem of Wiener and Khinchin: the transform of the powers. Each sum is within a few
  /// ε log₂N of Σx².
  ///
  /// - Precondition: `powers.count` = N/2 + 1 and `products.count` ≤ N/2 + 1.
  package mutating func autocorrelate(
    powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>
  ) {
    kernel.autocorrelate(powers: powers, into: &products)
  }

  /// Restores a transform; only its length is stored.
  public init(from decoder: any Decoder) throws {
    let length = try decoder.singleValueContainer().decode(Int.self)
    guard length >= 32, length <= 1 << 20, length & (length - 1) == 0 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "transform length \(length)"))
    }
    self.init(length: length)
  }

  /// Stores the length.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(length)
  }
}
