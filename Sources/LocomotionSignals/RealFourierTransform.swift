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
  private let bitReversal: [Int32]
  private var real: [SIMD4<Float>]
  private var imaginary: [SIMD4<Float>]

  /// Prepares transforms of `length` values.
  ///
  /// - Precondition: `length` is a power of two, at least 4.
  public init(length: Int) {
    precondition(
      length >= 4 && length & (length - 1) == 0,
      "expected a power of two of at least 4, got \(length)")
    self.length = length
    let half = length / 2
    twiddles = (0..<half).map { k in
      let angle = 2 * Double.pi * Double(k) / Double(length)
      return SIMD2(Float(cos(angle)), Float(sin(angle)))
    }
    let bits = half.trailingZeroBitCount
    bitReversal = (0..<half).map { index in
      Int32(UInt32(index).bitReversed >> (32 - UInt32(bits)))
    }
    real = Array(repeating: .zero, count: half)
    imaginary = Array(repeating: .zero, count: half)
  }

  /// Writes the N/2 + 1 powers of `signal` to `powers`.
  ///
  /// A signal shorter than N is continued with zeros.
  ///
  /// - Precondition: `signal.count` ≤ N and `powers.count` = N/2 + 1.
  public mutating func powers(
    of signal: Span<SIMD4<Float>>, into powers: inout MutableSpan<SIMD4<Float>>
  ) {
    let half = length / 2
    precondition(signal.count <= length, "expected \(length) values, got \(signal.count)")
    precondition(powers.count == half + 1, "expected \(half + 1) powers, got \(powers.count)")
    for index in 0..<half {
      let slot = Int(bitReversal[index])
      real[slot] = 2 * index < signal.count ? signal[2 * index] : .zero
      imaginary[slot] = 2 * index + 1 < signal.count ? signal[2 * index + 1] : .zero
    }
    transform()

    // Split Z = E + iO into the spectra of even and odd values, and join X[k] = E + W^k O.
    powers[0] = square(real[0] + imaginary[0])
    powers[half] = square(real[0] - imaginary[0])
    for k in 1..<half {
      let mirror = half - k
      let evenReal = 0.5 * (real[k] + real[mirror])
      let evenImaginary = 0.5 * (imaginary[k] - imaginary[mirror])
      let oddReal = 0.5 * (imaginary[k] + imaginary[mirror])
      let oddImaginary = 0.5 * (real[mirror] - real[k])
      let (cosine, sine) = (twiddles[k].x, twiddles[k].y)
      powers[k] =
        square(evenReal + cosine * oddReal + sine * oddImaginary)
        + square(evenImaginary + cosine * oddImaginary - sine * oddReal)
    }
  }

  /// Radix-2 decimation in time on bit-reversed input, in place.
  private mutating func transform() {
    let half = length / 2
    var span = 1
    while span < half {
      let stride = length / (2 * span)
      for k in 0..<span {
        let (cosine, sine) = (twiddles[k * stride].x, twiddles[k * stride].y)
        var top = k
        while top < half {
          let bottom = top + span
          let turnedReal = cosine * real[bottom] + sine * imaginary[bottom]
          let turnedImaginary = cosine * imaginary[bottom] - sine * real[bottom]
          real[bottom] = real[top] - turnedReal
          imaginary[bottom] = imaginary[top] - turnedImaginary
          real[top] += turnedReal
          imaginary[top] += turnedImaginary
          top += 2 * span
        }
      }
      span *= 2
    }
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

extension UInt32 {
  fileprivate var bitReversed: UInt32 {
    var value = self
    value = (value >> 1) & 0x5555_5555 | (value & 0x5555_5555) << 1
    value = (value >> 2) & 0x3333_3333 | (value & 0x3333_3333) << 2
    value = (value >> 4) & 0x0F0F_0F0F | (value & 0x0F0F_0F0F) << 4
    return value.byteSwapped
  }
}
