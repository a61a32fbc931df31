internal import CLocomotionMath

/// The step line: the complex amplitude of a window's norm and vertical at one frequency, about an
/// instant.
///
/// The signal is demodulated and Hann-windowed: Σ w[k] s[k] exp(−iθk). The phasors are computed
/// once per frequency.
package struct StepLine: Sendable {
  /// Half the lengths of the two windows, in samples at 50 Hz.
  static let longReach = 96
  static let shortReach = 48
  static let longWeights = hannWeights(reach: longReach)
  static let shortWeights = hannWeights(reach: shortReach)

  /// The weights from k = −reach to reach + 1, the last one 0; two at a time, each one twice.
  private static func hannWeights(reach: Int) -> ContiguousArray<SIMD4<Float>> {
    func weight(_ offset: Int) -> Float {
      Float(0.5 + 0.5 * cos(Double.pi * Double(offset) / Double(reach + 1)))
    }
    return ContiguousArray(
      stride(from: -reach, through: reach, by: 2).map {
        SIMD4(weight($0), weight($0), weight($0 + 1), weight($0 + 1))
      })
  }

  /// cos and sin of two neighbouring θk, laid out as the weights.
  private struct Phasors {
    var cosine: SIMD4<Float>
    var sine: SIMD4<Float>

    init(_ angle: Float, _ next: Float) {
      let (here, there) = ((cos(angle), sin(angle)), (cos(next), sin(next)))
      cosine = SIMD4(here.0, here.0, there.0, there.0)
      sine = SIMD4(here.1, here.1, there.1, there.1)
    }

    /// Both phasors rotated by one angle.
    @inline(__always)
    func rotated(by cosine: Float, _ sine: Float) -> Phasors {
      var next = self
      next.cosine = cosine * self.cosine - sine * self.sine
      next.sine = cosine * self.sine + sine * self.cosine
      return next
    }
  }

  /// The frequency tuned to, in Hz.
  private(set) var frequency: Float = 0
  /// The phasors of the long window, from k = −96 to 97.
  private var phasors = ContiguousArray<Phasors>(repeating: Phasors(0, 0), count: longReach + 1)

  /// A line that isn't tuned.
  package init() {}

  /// Tunes to a frequency in Hz.
  package mutating func tune(to frequency: Float) {
    self.frequency = frequency
    let angle = 2 * Float.pi * frequency / Float(GaitSpectrum.samplingRate)
    let start = -Float(Self.longReach) * angle
    // Two interleaved recurrences, which are independent.
    var first = Phasors(start, start + angle)
    var second = Phasors(start + 2 * angle, start + 3 * angle)
    let (cosine, sine) = (cos(4 * angle), sin(4 * angle))
    for index in stride(from: 0, to: Self.longReach, by: 2) {
      phasors[index] = first
      phasors[index + 1] = second
      first = first.rotated(by: cosine, sine)
      second = second.rotated(by: cosine, sine)
    }
    phasors[Self.longReach] = first
  }

  /// The line at a sample: real and imaginary part of the norm's, then the vertical's.
  func value(
    of analysis: GaitAnalysis, at center: Int, weights: ContiguousArray<SIMD4<Float>>
  ) -> SIMD4<Float> {
    // Pairs on either side of the middle, which is a pair of its own.
    let reach = weights.count - 1
    let signal = analysis.stepSignal.span.extracting(center - reach..<center + reach + 2)
    let unused = (phasors.count - weights.count) / 2
    let phasors = phasors.span.extracting(unused..<unused + weights.count)
    let weights = weights.span
    var (real, imaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for pair in weights.indices {
      let two = SIMD4(lowHalf: signal[2 * pair], highHalf: signal[2 * pair + 1])
      let weighted = weights[pair] * two
      real = product(weighted, phasors[pair].cosine, plus: real)
      imaginary = product(weighted, phasors[pair].sine, plus: imaginary)
    }
    let cosines = real.lowHalf + real.highHalf
    let sines = imaginary.lowHalf + imaginary.highHalf
    return SIMD4(cosines.x, -sines.x, cosines.y, -sines.y)
  }

  /// Cycles beyond `expected`, −0.5 to 0.5, from two values of the step line.
  func cycles(
    from a: SIMD4<Float>, to b: SIMD4<Float>, beyond expected: Float
  ) -> Float {
    let real = b.x * a.x + b.y * a.y + b.z * a.z + b.w * a.w
    let imaginary = b.y * a.x - b.x * a.y + b.w * a.z - b.z * a.w
    let cycles = atan2(imaginary, real) / (2 * .pi) - expected
    return cycles - cycles.rounded()
  }
}
