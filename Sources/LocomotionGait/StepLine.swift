internal import CLocomotionMath

/// The step line: what a window's norm and vertical have at one frequency about an instant.
///
/// A sum over the samples within some reach, weighted by Hann's window and turned back by the
/// frequency. Samples as far before as after an instant have the same weight, and turns that differ
/// in their sign, so that they are added and subtracted first:
/// Σ w[k] (cos θk (s[k] + s[−k]) − i sin θk (s[k] − s[−k])).
package struct StepLine: Sendable {
  /// Half the lengths of the two windows, in samples at 50 Hz.
  static let longReach = 96
  static let shortReach = 48
  static let longWeights = hannWeights(reach: longReach)
  static let shortWeights = hannWeights(reach: shortReach)

  /// The weights k = 1 ... reach, two at a time, each one twice; that of k = 0 is 1.
  private static func hannWeights(reach: Int) -> [SIMD4<Float>] {
    func weight(_ offset: Int) -> Float {
      Float(0.5 + 0.5 * cos(Double.pi * Double(offset) / Double(reach + 1)))
    }
    return stride(from: 1, to: reach, by: 2).map {
      SIMD4(weight($0), weight($0), weight($0 + 1), weight($0 + 1))
    }
  }

  /// The frequency tuned to, in Hz.
  private(set) var frequency: Float = 0
  /// cos and sin of θk, laid out as the weights.
  private var turns = [(cosine: SIMD4<Float>, sine: SIMD4<Float>)](
    repeating: (.zero, .zero), count: longReach / 2)

  /// A line that isn't tuned.
  package init() {}

  /// Tunes to a frequency in Hz.
  package mutating func tune(to frequency: Float) {
    self.frequency = frequency
    let angle = 2 * Float.pi * frequency / Float(GaitSpectrum.samplingRate)
    let (once, twice) = ((cos(angle), sin(angle)), (cos(2 * angle), sin(2 * angle)))
    var cosine = SIMD4(once.0, once.0, twice.0, twice.0)
    var sine = SIMD4(once.1, once.1, twice.1, twice.1)
    for index in turns.indices {
      turns[index] = (cosine, sine)
      (cosine, sine) = (
        cosine * twice.0 - sine * twice.1, sine * twice.0 + cosine * twice.1
      )
    }
  }

  /// The line at a sample: real and imaginary part of the norm's, then the vertical's.
  func value(
    of finding: GaitFinding, at center: Int, weights: [SIMD4<Float>]
  ) -> SIMD4<Float> {
    let reach = 2 * weights.count
    let samples = finding.stepSignal.span
    let before = samples.extracting(center - reach..<center)
    let after = samples.extracting(center + 1..<center + 1 + reach)
    let weights = weights.span
    let turns = turns.span.extracting(first: weights.count)
    var (real, imaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for index in weights.indices {
      let two = after.extracting(2 * index..<2 * index + 2)
      let late = SIMD4(lowHalf: two[0], highHalf: two[1])
      let twoBefore = before.extracting(reach - 2 - 2 * index..<reach - 2 * index)
      let early = SIMD4(lowHalf: twoBefore[1], highHalf: twoBefore[0])
      let (cosine, sine) = turns[index]
      real = product(weights[index] * cosine, late + early, plus: real)
      imaginary = product(weights[index] * sine, early - late, plus: imaginary)
    }
    let sum = samples[center] + (real.lowHalf + real.highHalf)
    let difference = imaginary.lowHalf + imaginary.highHalf
    return SIMD4(sum.x, difference.x, sum.y, difference.y)
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
