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
public struct RealFourierTransform: Sendable, Codable {
  /// N, the number of real values that are transformed.
  public let length: Int

  let tables: Tables
  /// N/2 complex bins, real parts in the lower half.
  private(set) var values: [SIMD8<Float>]

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 32.
  public init(length: Int) {
    precondition(
      length >= 32 && length & (length - 1) == 0,
      "expected a power of two of at least 32, got \(length)")
    self.length = length
    tables = Tables.of(length)
    values = Array(repeating: .zero, count: length / 2)
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
    precondition(
      powers.count <= length / 2 + 1, "expected \(length / 2 + 1) powers, got \(powers.count)")
    switch length {
    case 256: transform(signal, into: &powers, Length256())
    case 512: transform(signal, into: &powers, Length512())
    case 1024: transform(signal, into: &powers, Length1024())
    default: transform(signal, into: &powers, AnyLength(half: length / 2))
    }
  }

  private mutating func transform(
    _ signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>,
    _ length: some TransformLength
  ) {
    Self.firstPass(&values, tables, length, signal) { $0 }
    Self.radix4Passes(&values, tables, length)
    Self.measure(values.span, tables, length, powers.count, into: &powers) { $0.power }
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
    let half = length / 2
    precondition(signal.count == length, "expected \(length) values, got \(signal.count)")
    precondition(powers.count <= half, "expected \(half) powers, got \(powers.count)")
    precondition(
      pairPowers.count <= half / 2 + 1, "expected \(half / 2 + 1), got \(pairPowers.count)")
    switch length {
    case 512: transform(signal, mean, &powers, &pairPowers, Length512())
    default: transform(signal, mean, &powers, &pairPowers, AnyLength(half: half))
    }
  }

  private mutating func transform(
    _ signal: Span<SIMD4<Float>>, _ mean: SIMD4<Float>,
    _ powers: inout MutableSpan<SIMD4<Float>>, _ pairPowers: inout MutableSpan<SIMD4<Float>>,
    _ length: some TransformLength
  ) {
    Self.firstPass(&values, tables, length, signal) { $0 - mean }
    Self.radix4Passes(&values, tables, length)
    Self.measurePairs(values.span, tables, length, into: &pairPowers)
    // The DFT of a real signal is conjugate symmetric: bin −1 is the conjugate of bin 1.
    var this = Self.bin(0, values.span, tables, length)
    var last = Self.bin(1, values.span, tables, length)
    last.imaginary = -last.imaginary
    for k in powers.indices {
      let next = Self.bin(k + 1, values.span, tables, length)
      powers[k] = (0.25 * 0.25) * (this + this - last - next).power
      (last, this) = (this, next)
    }
  }

  /// Writes the circular autocorrelation Σ x[n] x[(n + lag) mod N] of the signal with these
  /// `powers` to `products`, for lags from 0 on.
  ///
  /// The transform of the power spectrum (Wiener–Khinchin theorem). Each sum is within a few
  /// ε log₂N of Σx².
  ///
  /// - Precondition: `powers.count` = N/2 + 1 and `products.count` ≤ N/2 + 1.
  package mutating func autocorrelate(
    powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>
  ) {
    let half = length / 2
    precondition(powers.count == half + 1, "expected \(half + 1) powers, got \(powers.count)")
    precondition(products.count <= half + 1, "expected \(half) lags, got \(products.count)")
    switch length {
    case 256: transform(even: powers, into: &products, Length256())
    default: transform(even: powers, into: &products, AnyLength(half: half))
    }
  }

  /// The power spectrum of a real signal is even, so that its transform is real.
  private mutating func transform(
    even powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>,
    _ length: some TransformLength
  ) {
    Self.firstPass(&values, tables, length, even: powers)
    Self.radix4Passes(&values, tables, length)
    let scale = 0.5 / Float(length.half)
    Self.measure(values.span, tables, length, products.count, into: &products) { scale * $0.real }
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
