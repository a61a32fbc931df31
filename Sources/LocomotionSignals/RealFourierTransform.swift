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

  private let tables: Tables
  /// The N/2 complex values, real parts in the lower half.
  private var values: [SIMD8<Float>]

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
    let half = length / 2
    Self.transform(&values, tables.turns)
    if count > 0 { powers[0] = square(values[0].lowHalf + values[0].highHalf) }
    if count > half { powers[half] = square(values[0].lowHalf - values[0].highHalf) }
    for k in 1..<max(1, min(half, count)) {
      let (real, imaginary) = doubledBin(k)
      powers[k] = 0.25 * (square(real) + square(imaginary))
    }
  }

  /// Writes the sums Σ x[n] x[n + lag] to `products`, for lags from 0 on.
  ///
  /// By the theorem of Wiener and Khinchin: the transform of the powers. `powers` is scratch. Each
  /// sum is within a few ε log₂N of Σx².
  ///
  /// - Precondition: `signal.count` ≤ N/2, `powers.count` = N/2 + 1 and `products.count` ≤ N/2.
  package mutating func autocorrelate(
    _ signal: Span<SIMD4<Float>>, powers: inout MutableSpan<SIMD4<Float>>,
    into products: inout MutableSpan<SIMD4<Float>>
  ) {
    let half = length / 2
    precondition(signal.count <= half, "expected \(half) values, got \(signal.count)")
    precondition(powers.count == half + 1, "expected \(half + 1) powers, got \(powers.count)")
    precondition(products.count <= half, "expected \(half) lags, got \(products.count)")
    self.powers(of: signal, into: &powers)
    // The powers of a real signal are even, so that their transform is real.
    for index in 0..<half / 2 {
      values[index] = SIMD8(lowHalf: powers[2 * index], highHalf: powers[2 * index + 1])
      values[half - 1 - index] = SIMD8(
        lowHalf: powers[2 * index + 2], highHalf: powers[2 * index + 1])
    }
    Self.transform(&values, tables.turns)
    let scale = 1 / Float(length)
    if products.count > 0 { products[0] = scale * (values[0].lowHalf + values[0].highHalf) }
    for lag in 1..<max(1, products.count) { products[lag] = (0.5 * scale) * doubledBin(lag).real }
  }

  /// Splits Z = E + iO into the spectra of even and odd values and joins 2 X[k] = 2 (E + W^k O).
  @inline(__always)
  private func doubledBin(_ k: Int) -> (real: SIMD4<Float>, imaginary: SIMD4<Float>) {
    let value = values[Int(tables.positions[k])]
    let mirror = values[Int(tables.positions[length / 2 - k])]
    let evenReal = value.lowHalf + mirror.lowHalf
    let evenImaginary = value.highHalf - mirror.highHalf
    let oddReal = value.highHalf + mirror.highHalf
    let oddImaginary = mirror.lowHalf - value.lowHalf
    let (cosine, sine) = (tables.twiddles[k].x, tables.twiddles[k].y)
    return (
      evenReal + (cosine * oddReal + sine * oddImaginary),
      evenImaginary + (cosine * oddImaginary - sine * oddReal)
    )
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

  /// Radix-4 decimation in frequency, in place; the last pass by two when N/2 is no power of four.
  private static func transform(_ array: inout [SIMD8<Float>], _ turns: [SIMD8<Float>]) {
    var values = array.mutableSpan
    let turns = turns.span
    // The same twice with known lengths, for which the compiler leaves out all checks of bounds.
    switch values.count {
    case 256:
      passes(&values, of: 256, turns, of: 84, from: 0, quarter: 64)
      passes(&values, of: 256, turns, of: 84, from: 64, quarter: 16)
      passes(&values, of: 256, turns, of: 84, from: 80, quarter: 4)
      lastPass(&values, of: 256)
    case 512:
      passes(&values, of: 512, turns, of: 170, from: 0, quarter: 128)
      passes(&values, of: 512, turns, of: 170, from: 128, quarter: 32)
      passes(&values, of: 512, turns, of: 170, from: 160, quarter: 8)
      passes(&values, of: 512, turns, of: 170, from: 168, quarter: 2)
      lastPass(&values, of: 512)
    case let count:
      var (n, first) = (count, 0)
      while n > 4 {
        passes(&values, of: count, turns, of: turns.count, from: first, quarter: n / 4)
        first += n / 4
        n /= 4
      }
      lastPass(&values, of: count)
    }
  }

  /// One pass over all blocks of four quarters, whose turns begin at `first`.
  @inline(__always)
  private static func passes(
    _ values: inout MutableSpan<SIMD8<Float>>, of count: Int, _ turns: Span<SIMD8<Float>>,
    of turnCount: Int, from first: Int, quarter: Int
  ) {
    precondition(values.count == count && turns.count == turnCount, "tables of another length")
    for block in 0..<count / (4 * quarter) {
      for index in 0..<quarter {
        pass(&values, at: block * 4 * quarter + index, by: quarter, turns[first + index])
      }
    }
  }

  /// The last pass, over neighbours: by four if that leaves nothing, else by two.
  @inline(__always)
  private static func lastPass(_ values: inout MutableSpan<SIMD8<Float>>, of count: Int) {
    precondition(values.count == count, "values of another length")
    if count.trailingZeroBitCount.isMultiple(of: 2) {
      for block in 0..<count / 4 { lastFour(&values, at: 4 * block) }
    } else {
      for pair in 0..<count / 2 {
        let (a, b) = (values[2 * pair], values[2 * pair + 1])
        values[2 * pair] = a + b
        values[2 * pair + 1] = a - b
      }
    }
  }

  /// The four values `stride` apart become the first of four transforms of a quarter of the length.
  @inline(__always)
  private static func pass(
    _ values: inout MutableSpan<SIMD8<Float>>, at index: Int, by stride: Int,
    _ turn: SIMD8<Float>
  ) {
    let (a, b) = (values[index], values[index + stride])
    let (c, d) = (values[index + 2 * stride], values[index + 3 * stride])
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    values[index] = sum + otherSum
    let real = difference.lowHalf + other.highHalf
    let imaginary = difference.highHalf - other.lowHalf
    values[index + stride] = turned(real, imaginary, turn[0], turn[1])
    let opposite = sum - otherSum
    values[index + 2 * stride] = turned(opposite.lowHalf, opposite.highHalf, turn[2], turn[3])
    let thirdReal = difference.lowHalf - other.highHalf
    let thirdImaginary = difference.highHalf + other.lowHalf
    values[index + 3 * stride] = turned(thirdReal, thirdImaginary, turn[4], turn[5])
  }

  /// Multiplies by cos − i sin.
  @inline(__always)
  private static func turned(
    _ real: SIMD4<Float>, _ imaginary: SIMD4<Float>, _ cosine: Float, _ sine: Float
  ) -> SIMD8<Float> {
    SIMD8(
      lowHalf: real * cosine + imaginary * sine, highHalf: imaginary * cosine - real * sine)
  }

  /// A transform of four neighbours.
  @inline(__always)
  private static func lastFour(_ values: inout MutableSpan<SIMD8<Float>>, at index: Int) {
    let (a, b, c, d) = (values[index], values[index + 1], values[index + 2], values[index + 3])
    let (sum, difference) = (a + c, a - c)
    let (otherSum, other) = (b + d, b - d)
    values[index] = sum + otherSum
    values[index + 1] = SIMD8(
      lowHalf: difference.lowHalf + other.highHalf, highHalf: difference.highHalf - other.lowHalf)
    values[index + 2] = sum - otherSum
    values[index + 3] = SIMD8(
      lowHalf: difference.lowHalf - other.highHalf, highHalf: difference.highHalf + other.lowHalf)
  }

  private func square(_ value: SIMD4<Float>) -> SIMD4<Float> { value * value }

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
