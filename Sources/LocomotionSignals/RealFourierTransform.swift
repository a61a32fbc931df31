internal import CLocomotionMath

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

  /// cos and sin of 2πk/N for k = 0 ..< N/2.
  private let twiddles: [SIMD2<Float>]
  /// Pass by pass, cos and sin of p, 2p and 3p turns by 1/n for p = 0 ..< n/4; two lanes are free.
  private let turns: [SIMD8<Float>]
  /// Where the passes leave each of the N/2 complex values.
  private let positions: [Int32]
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
    let half = length / 2
    func turn(_ k: Int, of n: Int) -> SIMD2<Float> {
      let angle = 2 * Double.pi * Double(k) / Double(n)
      return SIMD2(Float(cos(angle)), Float(sin(angle)))
    }
    twiddles = (0..<half).map { turn($0, of: length) }
    var turns: [SIMD8<Float>] = []
    var n = half
    while n > 4 {
      for p in 0..<n / 4 {
        let (one, two, three) = (turn(p, of: n), turn(2 * p, of: n), turn(3 * p, of: n))
        turns.append(SIMD8(one.x, one.y, two.x, two.y, three.x, three.y, 0, 0))
      }
      n /= 4
    }
    self.turns = turns
    positions = (0..<half).map { Int32(Self.position(of: $0, in: half)) }
    values = Array(repeating: .zero, count: half)
  }

  /// Where decimation in frequency, by four and at last by two or four, puts frequency `k`.
  private static func position(of k: Int, in count: Int) -> Int {
    var (k, rest, position) = (k, count, 0)
    while rest > 1 {
      let radix = rest == 2 ? 2 : 4
      rest /= radix
      position += k % radix * rest
      k /= radix
    }
    return position
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
    pack(signal)
    Self.transform(&values, turns)
    if powers.count > 0 { powers[0] = square(values[0].lowHalf + values[0].highHalf) }
    if powers.count > half { powers[half] = square(values[0].lowHalf - values[0].highHalf) }
    for k in 1..<max(1, min(half, powers.count)) {
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
    Self.transform(&values, turns)
    let scale = 1 / Float(length)
    if products.count > 0 { products[0] = scale * (values[0].lowHalf + values[0].highHalf) }
    for lag in 1..<max(1, products.count) { products[lag] = (0.5 * scale) * doubledBin(lag).real }
  }

  /// Splits Z = E + iO into the spectra of even and odd values and joins 2 X[k] = 2 (E + W^k O).
  @inline(__always)
  private func doubledBin(_ k: Int) -> (real: SIMD4<Float>, imaginary: SIMD4<Float>) {
    let value = values[Int(positions[k])]
    let mirror = values[Int(positions[length / 2 - k])]
    let evenReal = value.lowHalf + mirror.lowHalf
    let evenImaginary = value.highHalf - mirror.highHalf
    let oddReal = value.highHalf + mirror.highHalf
    let oddImaginary = mirror.lowHalf - value.lowHalf
    let (cosine, sine) = (twiddles[k].x, twiddles[k].y)
    return (
      evenReal + (cosine * oddReal + sine * oddImaginary),
      evenImaginary + (cosine * oddImaginary - sine * oddReal)
    )
  }

  /// Makes a complex value of each two of `signal`.
  private mutating func pack(_ signal: Span<SIMD4<Float>>) {
    let pairs = signal.count / 2
    for index in 0..<pairs {
      values[index] = SIMD8(lowHalf: signal[2 * index], highHalf: signal[2 * index + 1])
    }
    for index in pairs..<length / 2 { values[index] = .zero }
    if signal.count % 2 == 1 {
      values[pairs] = SIMD8(lowHalf: signal[2 * pairs], highHalf: .zero)
    }
  }

  /// Radix-4 decimation in frequency, in place; the last pass by two when N/2 is no power of four.
  private static func transform(_ array: inout [SIMD8<Float>], _ turns: [SIMD8<Float>]) {
    var values = array.mutableSpan
    let turns = turns.span
    var (n, first) = (values.count, 0)
    while n > 4 {
      let quarter = n / 4
      var block = 0
      while block < values.count {
        for p in 0..<quarter {
          pass(&values, at: block + p, by: quarter, turns[first + p])
        }
        block += n
      }
      first += quarter
      n = quarter
    }
    if n == 4 {
      for block in stride(from: 0, to: values.count, by: 4) { lastFour(&values, at: block) }
    } else {
      for block in stride(from: 0, to: values.count, by: 2) {
        let (a, b) = (values[block], values[block + 1])
        values[block] = a + b
        values[block + 1] = a - b
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
