internal import CLocomotionMath

/// The candidate step rates, evenly spaced in the logarithm.
package enum RateGrid {
  /// The number of candidates, a multiple of four.
  package static let count = 192
  /// The distance of neighbours in the natural logarithm of the rate: 1 %.
  static let step: Float = 0.01
  /// The lowest candidate in steps per minute.
  static let lowestStepsPerMinute: Float = 38

  /// The candidate at `index` in steps per minute; 38 at 0, 257 at the last.
  package static func stepsPerMinute(_ index: Int) -> Float {
    lowestStepsPerMinute * exp(step * Float(index))
  }
}

/// The spectral lines of a periodic signal at each candidate rate, as comb filters.
///
/// A rate of ``RateGrid`` has a cosine-squared tooth at every listed multiple of its step frequency
/// below 9 Hz, scaled so that a single sinusoid of amplitude A in a six-second window contributes
/// A². Teeth reach ±0.3 Hz (about the main lobe of six seconds under a Hann window), or 30 % of the
/// lines' spacing where that is less, so that they never meet: without gaps they would collect the
/// power of any slow sway. The teeth of four neighbouring rates at one multiple have most bins in
/// common; they are stored, and summed, together, in pieces of eight bins with one vector of
/// weights each.
package struct HarmonicComb: Sendable {
  /// The first bin of every piece.
  private var bins: ContiguousArray<UInt8> = []
  /// Eight vectors of weights for every piece.
  private var weights: ContiguousArray<SIMD4<Float>> = []
  /// The start index of each group's pieces, and the end of the last group's.
  private var starts: [Int] = [0]
  /// The mean weight over the analysed band: the response to a flat spectrum, four rates by four.
  package private(set) var chance: ContiguousArray<SIMD4<Float>> = []

  /// A comb per candidate rate.
  ///
  /// `spacing` is the distance of neighbouring lines in multiples of the step frequency.
  package init(multiples: [Double], spacing: Double) {
    for first in Swift.stride(from: 0, to: RateGrid.count, by: 4) {
      let end = weights.count
      let rates = (first..<first + 4).map { rate in
        let frequency = Double(RateGrid.stepsPerMinute(rate)) / 60
        return (frequency: frequency, tooth: Tooth(halfWidth: 0.3 * spacing * frequency))
      }
      for multiple in multiples {
        let rows = rates.map { $0.tooth.weights(at: multiple * $0.frequency) }
        let used = GaitSpectrum.band.filter { bin in rows.contains { $0[bin] > 0 } }
        guard let lowest = used.first, let highest = used.last else { continue }
        for start in Swift.stride(from: lowest, through: highest, by: 8) {
          bins.append(UInt8(start))
          weights += (start..<start + 8).map { bin in
            SIMD4(rows[0][bin], rows[1][bin], rows[2][bin], rows[3][bin])
          }
        }
      }
      starts.append(bins.count)
      chance.append(weights[end...].reduce(.zero, +) / Float(GaitSpectrum.band.count))
    }
  }

  /// The powers on the lines of the candidates 4 `group` ..< 4 `group` + 4.
  ///
  /// `powers` is the spectrum, each bin broadcast to all lanes.
  @inline(__always)
  package func power(of powers: Span<SIMD4<Float>>, at group: Int) -> SIMD4<Float> {
    let pieces = starts[group]..<starts[group + 1]
    let bins = bins.span.extracting(pieces)
    let weights = weights.span.extracting(8 * pieces.lowerBound..<8 * pieces.upperBound)
    var sum = SIMD4<Float>.zero
    for piece in bins.indices {
      let bin = Int(bins[piece])
      let powers = powers.extracting(bin..<bin + 8)
      let weights = weights.extracting(8 * piece..<8 * piece + 8)
      var line = SIMD4<Float>.zero
      for index in 0..<8 { line = product(weights[index], powers[index], plus: line) }
      sum += line
    }
    return sum
  }

}

/// A tooth of a comb.
private struct Tooth {
  /// Hz.
  let halfWidth: Double
  /// The response to the main lobe of a sinusoid with amplitude 1 in six seconds, averaged over
  /// positions of the line between bins.
  let gain: Double

  /// The usual tooth, by far the most frequent one.
  static let widest = Tooth(measuring: 0.3)

  /// A tooth of at most the usual width.
  init(halfWidth: Double) {
    self = halfWidth < Self.widest.halfWidth ? Tooth(measuring: halfWidth) : Self.widest
  }

  private init(measuring halfWidth: Double) {
    self.halfWidth = halfWidth
    let subdivisions = 8
    let spacing = GaitSpectrum.binWidth / Double(subdivisions)
    let reach = Int(halfWidth / spacing)
    let duration = Double(GaitSpectrum.capacity) / GaitSpectrum.samplingRate
    gain =
      (-reach...reach).reduce(0) { sum, offset in
        let distance = Double(offset) * spacing
        let lobe = Self.hannLobe(distance * duration)
        return sum + Self.height(at: distance / halfWidth) * lobe * lobe
      } / Double(subdivisions)
  }

  /// The weight of every bin when the line is at a frequency in Hz; none outside the analysed band.
  func weights(at frequency: Double) -> [Float] {
    var row = [Float](repeating: 0, count: GaitSpectrum.binCount)
    guard frequency <= Self.highestLine else { return row }
    for bin in GaitSpectrum.band {
      let distance = Double(bin) * GaitSpectrum.binWidth - frequency
      row[bin] = Float(Self.height(at: distance / halfWidth) / gain)
    }
    return row
  }

  /// Above this frequency, Hz, uneven steps smear the lines too much to be informative.
  private static let highestLine = 9.0

  /// cos² between the edges at ±1.
  private static func height(at position: Double) -> Double {
    guard abs(position) < 1 else { return 0 }
    let cosine = cos(Double.pi / 2 * position)
    return cosine * cosine
  }

  /// The Hann window's amplitude response x bins of 1/T away from a line: sinc(x)/(1 − x²).
  private static func hannLobe(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(abs(x) - 1) < 1e-9 { return 0.5 }
    return sin(Double.pi * x) / (Double.pi * x * (1 - x * x))
  }
}
