/// The power spectrum of four real signals at once, one per vector lane.
///
///     P[k] = |Σ x[n] exp(−2πi k n / N)|²,   n = 0 ..< N,   k = 0 ... N/2
///
/// Unnormalised: P sums to about N/2 times the energy Σx². A transform of N real values is done as
/// one of N/2 complex values and split (Sorensen, Jones, Heideman, Burrus, "Real-valued fast
/// Fourier transform algorithms", IEEE ASSP 35(6), 1987).
///
/// ## Accuracy
/// |√P − √P_exact| ≤ ε (log₂N ‖x‖ + √P) per bin (`RealFourierTransformTests.matchesDirectSum`).
///
/// ## Degenerate input
/// A NaN or an infinity in a lane spoils that lane alone.
///
/// - Complexity: O(N log N); allocates in `init` only.
public struct RealFourierTransform: Sendable, Codable {
  /// N, the number of real values that are transformed.
  public let length: Int

  let tables: Tables
  /// The N/2 complex values, real parts in the lower half.
  private(set) var values: [SIMD8<Float>]

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 4.
  public init(length: Int) {
    precondition(
      length >= 4 && length & (length - 1) == 0,
      "expected a power of two of at least 4, got \(length)")
    self.length = length
    tables = Tables.of(length)
    values = Array(repeating: .zero, count: length / 2)
  }

  /// Writes the powers of `signal` to `powers`: N/2 + 1, or fewer for the lowest alone.
  ///
  /// A signal shorter than N is continued with zeros.
  ///
  /// - Precondition: `signal.count` ≤ N and `powers.count` ≤ N/2 + 1.
  public mutating func powers(
    of signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    let half = length / 2
    precondition(signal.count <= length, "expected \(length) values, got \(signal.count)")
    precondition(powers.count <= half + 1, "expected \(half + 1) powers, got \(powers.count)")
    Self.pack(signal, into: &values)
    transformPacked(powers.count, into: &powers)
  }

  /// Writes the lowest `count` powers of `signal` less `mean`, each value times its weight.
  ///
  /// - Precondition: as for ``powers(of:into:)``, there are as many weights as values, and room for
  ///   the powers.
  package mutating func powers(
    of signal: Span<SIMD4<Float>>, less mean: SIMD4<Float>, weights: Span<Float>, count: Int,
    into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    precondition(signal.count <= length, "expected \(length) values, got \(signal.count)")
    precondition(
      weights.count == signal.count, "expected \(signal.count) weights, got \(weights.count)")
    precondition(
      count <= min(length / 2 + 1, powers.count), "no room for \(count) powers")
    Self.pack(signal, less: mean, weights: weights, into: &values)
    transformPacked(count, into: &powers)
  }

  /// The lowest `count` powers of what was packed.
  private mutating func transformPacked(
    _ count: Int, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    Self.transform(&values, tables.turns)
    let half = length / 2
    // Where most bins are wanted, each is made together with its mirror image.
    let joined = count > half / 2 + 1
    let (values, bins) = (values.span, tables.bins.span)
    for k in 0..<(joined ? half - count + 1 : count) {
      powers[k] = 0.25 * Self.doubledBin(values, bins[k]).power
    }
    guard joined else { return }
    for k in half - count + 1...half / 2 {
      let (bin, mirror) = Self.doubledBins(values, bins[k])
      powers[k] = 0.25 * bin.power
      powers[half - k] = 0.25 * mirror.power
    }
  }

  /// Writes two kinds of powers of `signal` less `mean`, from the lowest frequency on: those under
  /// Hann's window, and those of the means of neighbours, x[2n] + x[2n + 1] over 2, without one.
  ///
  /// One transform serves both. Under Hann's window a bin is ½ of itself less ¼ of either
  /// neighbour; and the transform of pairs holds even and odd values apart until they are joined.
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
    Self.pack(signal, less: mean, into: &values)
    Self.transform(&values, tables.turns)
    let (values, bins) = (values.span, tables.bins.span)
    for k in pairPowers.indices {
      let (even, odd) = Self.doubledParts(values, bins[k])
      pairPowers[k] = (0.25 * 0.25) * (even + odd).power
    }
    // The spectrum of a real signal is even: before the first bin lies the second one, conjugate.
    var last = Self.doubledBin(values, bins[1]).conjugate
    var this = Self.doubledBin(values, bins[0])
    for k in powers.indices {
      let next = Self.doubledBin(values, bins[k + 1])
      powers[k] = (0.125 * 0.125) * (this + this - last - next).power
      (last, this) = (this, next)
    }
  }

  /// Writes the sums Σ x[n] x[(n + lag) mod N] to `products`, for lags from 0 on, of a signal that
  /// is given by its `powers`.
  ///
  /// By the theorem of Wiener and Khinchin: the transform of the powers. Each sum is within a few
  /// ε log₂N of Σx².
  ///
  /// - Precondition: N is at least 8, `powers.count` = N/2 + 1 and `products.count` ≤ N/2.
  package mutating func autocorrelate(
    powers: Span<SIMD4<Float>>, into products: inout MutableSpan<SIMD4<Float>>
  ) {
    let half = length / 2
    precondition(powers.count == half + 1, "expected \(half + 1) powers, got \(powers.count)")
    precondition(products.count <= half, "expected \(half) lags, got \(products.count)")
    // The powers of a real signal are even, so that their transform is real.
    for index in 0..<half / 2 {
      values[index] = SIMD8(lowHalf: powers[2 * index], highHalf: powers[2 * index + 1])
      values[half - 1 - index] = SIMD8(
        lowHalf: powers[2 * index + 2], highHalf: powers[2 * index + 1])
    }
    Self.transform(&values, tables.turns)
    let scale = 0.5 / Float(length)
    let (values, bins) = (values.span, tables.bins.span)
    for lag in products.indices {
      products[lag] = scale * Self.doubledBin(values, bins[lag]).real
    }
  }

  /// Makes a complex value of each two of `signal`.
  private static func pack(_ signal: Span<SIMD4<Float>>, into array: inout [SIMD8<Float>]) {
    var values = array.mutableSpan
    let pairs = signal.count / 2
    for index in 0..<pairs {
      values[index] = SIMD8(lowHalf: signal[2 * index], highHalf: signal[2 * index + 1])
    }
    for index in pairs..<values.count { values[index] = .zero }
    if signal.count % 2 == 1 {
      values[pairs] = SIMD8(lowHalf: signal[2 * pairs], highHalf: .zero)
    }
  }

  /// The same of the differences from `mean`.
  private static func pack(
    _ signal: Span<SIMD4<Float>>, less mean: SIMD4<Float>, into array: inout [SIMD8<Float>]
  ) {
    var values = array.mutableSpan
    for index in values.indices {
      let pair = signal.extracting(2 * index..<2 * index + 2)
      values[index] = SIMD8(lowHalf: pair[0] - mean, highHalf: pair[1] - mean)
    }
  }

  /// The same of the weighted differences from `mean`.
  private static func pack(
    _ signal: Span<SIMD4<Float>>, less mean: SIMD4<Float>, weights: Span<Float>,
    into array: inout [SIMD8<Float>]
  ) {
    var values = array.mutableSpan
    let pairs = signal.count / 2
    for index in 0..<pairs {
      values[index] = SIMD8(
        lowHalf: (signal[2 * index] - mean) * weights[2 * index],
        highHalf: (signal[2 * index + 1] - mean) * weights[2 * index + 1])
    }
    for index in pairs..<values.count { values[index] = .zero }
    if signal.count % 2 == 1 {
      let last = signal.count - 1
      values[pairs] = SIMD8(lowHalf: (signal[last] - mean) * weights[last], highHalf: .zero)
    }
  }

  /// Restores a transform; only its length is stored.
  public init(from decoder: any Decoder) throws {
    let length = try decoder.singleValueContainer().decode(Int.self)
    guard length >= 4, length <= 1 << 20, length & (length - 1) == 0 else {
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
