internal import CLocomotionMath

/// The candidate step rates, evenly spaced in the logarithm.
package enum RateGrid {
  /// The number of candidates, a multiple of four.
  package static let count = 192
  /// The distance of neighbours in the natural logarithm of the rate: 1 %.
  package static let step: Float = 0.01
  /// How many candidates lie between a rate and twice that rate, ln 2 / 0.01.
  package static let octave = 69
  /// The lowest candidate in steps per minute.
  package static let lowestStepsPerMinute: Float = 38

  /// The candidate at `index` in steps per minute; 38 at 0, 257 at the last.
  package static func stepsPerMinute(_ index: Int) -> Float {
    lowestStepsPerMinute * exp(step * Float(index))
  }
}

/// Where a periodic signal of each candidate rate has its spectral lines.
///
/// One row per rate of ``RateGrid``, one column per spectral bin, stored sparsely in pieces of
/// sixteen neighbouring bins, about as many as a tooth has. A row has a
/// cosine-squared tooth at every listed multiple of the step frequency below 9 Hz, scaled so that a
/// lone sinusoid of amplitude A in a six-second window contributes A². Teeth reach ±0.3 Hz (about
/// the main lobe of six seconds under a Hann window), or 30 % of the lines' spacing where that is
/// less: teeth without gaps would catch any slow sway.
package struct HarmonicComb: Sendable {
  private var starts: [Int] = [0]
  /// Where each piece begins among the spectrum's blocks of four bins.
  private var blocks: [UInt8] = []
  private var weights: [SIMD16<Float>] = []
  /// The row's mean weight over the analysed band: what a flat spectrum yields.
  package private(set) var chance: [Float] = []

  /// A comb per candidate rate; overlapping teeth are joined by their maximum.
  ///
  /// `spacing` is the distance of neighbouring lines in multiples of the step frequency.
  package init(multiples: [Double], spacing: Double) {
    for rate in 0..<RateGrid.count {
      let frequency = Double(RateGrid.stepsPerMinute(rate)) / 60
      let halfWidth = min(0.3, 0.3 * spacing * frequency)
      let gain = Self.lineGain(halfWidth: halfWidth)
      var row = [Double](repeating: 0, count: GaitSpectrum.binCount)
      for multiple in multiples where multiple * frequency <= Self.highestLine {
        for bin in row.indices {
          let distance = Double(bin) * GaitSpectrum.binWidth - multiple * frequency
          row[bin] = max(row[bin], Self.tooth(distance, halfWidth: halfWidth) / gain)
        }
      }
      for bin in row.indices where !GaitSpectrum.band.contains(bin) { row[bin] = 0 }
      let chance = row.reduce(0, +) / Double(GaitSpectrum.band.count)
      while let bin = row.firstIndex(where: { $0 > 0 }) {
        let first = min(bin / 4 * 4, GaitSpectrum.binCount - 16)
        var piece = SIMD16<Float>.zero
        for lane in 0..<16 {
          piece[lane] = Float(row[first + lane])
          row[first + lane] = 0
        }
        blocks.append(UInt8(first / 4))
        weights.append(piece)
      }
      starts.append(blocks.count)
      self.chance.append(Float(chance))
    }
  }

  /// The power on the lines of candidate `rate` of a spectrum that lies in ``blocks(of:)``.
  package func power(of spectrum: Span<SIMD4<Float>>, at rate: Int) -> Float {
    let (blocks, weights) = (blocks.span, weights.span)
    var sum = SIMD16<Float>.zero
    for entry in starts[rate]..<starts[rate + 1] {
      let first = Int(blocks[entry])
      let piece = spectrum.extracting(first..<first + 4)
      sum +=
        weights[entry]
        * SIMD16(
          lowHalf: SIMD8(lowHalf: piece[0], highHalf: piece[1]),
          highHalf: SIMD8(lowHalf: piece[2], highHalf: piece[3]))
    }
    let half = sum.lowHalf + sum.highHalf
    return (half.lowHalf + half.highHalf).sum()
  }

  /// The powers of neighbouring bins, four by four.
  package static func blocks(of powers: [Float]) -> [SIMD4<Float>] {
    var blocks = [SIMD4<Float>](repeating: .zero, count: GaitSpectrum.binCount / 4)
    fill(&blocks, from: powers)
    return blocks
  }

  /// The same without a new array.
  static func fill(_ blocks: inout [SIMD4<Float>], from powers: [Float]) {
    for block in blocks.indices {
      let bin = 4 * block
      blocks[block] = SIMD4(powers[bin], powers[bin + 1], powers[bin + 2], powers[bin + 3])
    }
  }

  /// Lines above this frequency are too smeared by uneven steps to tell anything.
  private static let highestLine = 9.0

  private static func tooth(_ distance: Double, halfWidth: Double) -> Double {
    guard abs(distance) < halfWidth else { return 0 }
    let cosine = cos(Double.pi / 2 * distance / halfWidth)
    return cosine * cosine
  }

  /// A tooth's response to the main lobe of a sinusoid with amplitude 1 in six seconds.
  ///
  /// The mean over positions of the line between bins.
  private static func lineGain(halfWidth: Double) -> Double {
    let subdivisions = 8
    let spacing = GaitSpectrum.binWidth / Double(subdivisions)
    let reach = Int(halfWidth / spacing)
    let duration = Double(GaitSpectrum.capacity) / GaitSpectrum.samplingRate
    return (-reach...reach).reduce(0) { sum, offset in
      let distance = Double(offset) * spacing
      let lobe = hannLobe(distance * duration)
      return sum + tooth(distance, halfWidth: halfWidth) * lobe * lobe
    } / Double(subdivisions)
  }

  /// The Hann window's amplitude response x bins of 1/T away from a line: sinc(x)/(1 − x²).
  private static func hannLobe(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(abs(x) - 1) < 1e-9 { return 0.5 }
    return sin(Double.pi * x) / (Double.pi * x * (1 - x * x))
  }
}
