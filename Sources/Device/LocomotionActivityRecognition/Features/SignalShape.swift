internal import CLocomotionMath

/// Spread, spectrum and periodicity of the signals m, v, h, one signal per vector lane.
struct SignalShape: Sendable {
  /// The signals' means, standard deviations (m/s²) and root mean square difference quotients.
  private(set) var means = SIMD4<Float>.zero
  private(set) var deviations = SIMD4<Float>.zero
  private(set) var jerks = SIMD4<Float>.zero
  /// Crossings of the mean per second.
  private(set) var crossingRates = SIMD4<Float>.zero
  /// The highest and the lowest standard deviation in a quarter of the window.
  private(set) var quarterDeviations = (highest: SIMD4<Float>.zero, lowest: SIMD4<Float>.zero)
  /// The power in each band, m²/s⁴.
  private(set) var bandPowers = [SIMD4<Float>](repeating: .zero, count: bandEdges.count - 1)
  /// Mean frequency in Hz and relative entropy of the power between 0.4 and 20 Hz.
  private(set) var centroids = SIMD4<Float>.zero
  private(set) var entropies = SIMD4<Float>.zero
  /// The highest power density between 0.5 and 5 Hz, m²/s⁴/Hz.
  private(set) var peaks = SIMD4<Float>.zero
  /// The highest autocorrelation, and its lag in seconds.
  private(set) var periodicities = SIMD4<Float>.zero
  private(set) var periods = SIMD4<Float>.zero

  /// The power in m²/s⁴ below which a signal counts as constant.
  static let stillPower: Float = 1e-6

  /// The first bin of each band, and the end of the last one.
  static let bandEdges = FeatureExtractor.bandEdges.map { firstBin(from: $0) }
  /// The bins that are summed: from 0.4 to 20 Hz.
  static let broadBins = firstBin(from: 0.4)..<firstBin(from: 20)
  /// The bins that are searched for the peak: from 0.5 to 5 Hz.
  static let peakBins = firstBin(from: 0.5)..<firstBin(from: 5)
  /// The lags that are compared, at half the sampling rate: 0.26 to 2 s.
  ///
  /// The signals are band-limited below the new Nyquist frequency of 25 Hz, so that half the
  /// samples suffice.
  static let lags = 13..<101

  private static let length = FeatureExtractor.windowLength
  private static let resolution = FeatureExtractor.samplingRate / Float(length)
  /// The sum of the squares of the Hann window.
  private static let taperPower = 0.375 * Float(length)
  /// From |X|² to the power in one bin of the one-sided periodogram.
  private static let scale = 2 * resolution / (FeatureExtractor.samplingRate * taperPower)
  /// From |X|² to the power density.
  private static let densityScale = scale / resolution

  /// The lowest bin whose frequency is at least `hertz`.
  private static func firstBin(from hertz: Float) -> Int {
    Int((hertz * Float(FeatureExtractor.windowLength) / FeatureExtractor.samplingRate).rounded(.up))
  }

  /// The signals' means, from their sums by quarter of the window.
  static func means(of quarterSums: Quarters) -> SIMD4<Float> {
    let sum = (quarterSums[0] + quarterSums[1]) + (quarterSums[2] + quarterSums[3])
    return sum / Float(length)
  }

  /// Derives all values from the sums over one of several windows, whose signals have these sums by
  /// quarter.
  mutating func update(from sums: ShapeSums, of window: Int, quarterSums: Quarters) {
    means = Self.means(of: quarterSums)
    takeSpread(from: sums, of: window, quarterSums: quarterSums)
    for band in bandPowers.indices {
      bandPowers[band] = sums[.bands, band, of: window] * Self.scale
    }
    let total = sums[.total, of: window]
    // A constant signal has centroid and entropy 0; the transition is smooth.
    let divisor = larger(total, SIMD4(repeating: Self.stillPower / Self.scale))
    centroids = sums[.moment, of: window] * Self.resolution / divisor
    // −Σ s log s of the fractions s = power / divisor.
    entropies = (total * log(divisor) - sums[.information, of: window]) / divisor
    entropies /= log(Float(Self.broadBins.count))
    peaks = sums[.peak, of: window] * Self.densityScale
    takePeriodicity(from: sums, of: window)
  }

  private mutating func takeSpread(
    from sums: ShapeSums, of window: Int, quarterSums: Quarters
  ) {
    let (length, rate) = (Self.length, FeatureExtractor.samplingRate)
    var (square, squareStep) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (highest, lowest) = (SIMD4<Float>.zero, SIMD4<Float>(repeating: .infinity))
    for quarter in 0..<4 {
      let offset = quarterSums[quarter] / Float(length / 4) - means
      let quarterSquare = sums[.squares, quarter, of: window]
      let variance = quarterSquare / Float(length / 4) - offset * offset
      highest = larger(variance, highest)
      lowest = smaller(variance, lowest)
      square += quarterSquare
      squareStep += sums[.squareSteps, quarter, of: window]
    }
    deviations = (square / Float(length)).squareRoot()
    jerks = rate * (squareStep / Float(length - 1)).squareRoot()
    crossingRates = sums[.crossings, of: window] * (rate / Float(length - 1))
    quarterDeviations.highest = highest.squareRoot()
    quarterDeviations.lowest = larger(lowest, .zero).squareRoot()
  }

  private mutating func takePeriodicity(from sums: ShapeSums, of window: Int) {
    let power = sums[.energy, of: window] / Float(Self.length / 2)
    let isStill = power .< Self.stillPower
    let divisor = power.replacing(with: 1, where: isStill)
    periodicities = (sums[.highestProduct, of: window] / divisor).replacing(with: 0, where: isStill)
    let interval = 2 / FeatureExtractor.samplingRate
    periods = (sums[.bestLag, of: window] * interval).replacing(with: 0, where: isStill)
  }
}
