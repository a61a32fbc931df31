internal import CLocomotionMath

/// Spread, spectrum and periodicity of the signals m, v, h, one signal per vector lane.
struct SignalShape: Sendable {
  /// The signals' means and standard deviations, m/s².
  private(set) var means = SIMD4<Float>.zero
  private(set) var deviations = SIMD4<Float>.zero
  /// The highest and the lowest standard deviation in a quarter of the window.
  private(set) var quarterDeviations = (highest: SIMD4<Float>.zero, lowest: SIMD4<Float>.zero)
  /// The features that each signal has, in the order of ``FeatureExtractor/schema``.
  private(set) var features = [SIMD4<Float>](repeating: .zero, count: 9 + 2 * bandCount)

  private static let bandCount = bandEdges.count - 1
  /// The floors of each kind of measure; all lie below a resting phone's noise.
  enum Floor {
    static let acceleration: Float = 1e-3
    static let jerk: Float = 1e-2
    static let power: Float = SignalShape.stillPower
    static let angle: Float = 1e-3
  }

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

  /// Derives all values but the quartile range from the sums over one of several windows, whose
  /// signals have these sums by quarter.
  mutating func update(from sums: ShapeSums, of window: Int, quarterSums: Quarters) {
    means = Self.means(of: quarterSums)
    let jerks = takeSpread(from: sums, of: window, quarterSums: quarterSums)
    let logDeviations = Self.logarithm(deviations, floor: Floor.acceleration)
    features[0] = logDeviations
    features[2] = Self.logarithm(jerks, floor: Floor.jerk)
    features[3] =
      sums[.crossings, of: window] * (FeatureExtractor.samplingRate / Float(Self.length - 1))
    let next = 4 + Self.bandCount
    for band in 0..<Self.bandCount {
      let logPower = Self.logarithm(
        sums[.bands, band, of: window] * Self.scale, floor: Floor.power)
      features[4 + band] = logPower
      // Differences of logarithms are linear in other features, but an additive model can't be
      // nonlinear in a difference unless it is a feature of its own.
      features[next + 5 + band] = logPower - 2 * logDeviations
    }
    let total = sums[.total, of: window]
    // A constant signal has centroid and entropy 0; the transition is smooth.
    let divisor = larger(total, SIMD4(repeating: Self.stillPower / Self.scale))
    features[next] = sums[.moment, of: window] * Self.resolution / divisor
    // −Σ s log s of the fractions s = power / divisor.
    features[next + 1] =
      (total * log(divisor) - sums[.information, of: window]) / divisor
      / log(Float(Self.broadBins.count))
    features[next + 2] = Self.logarithm(
      sums[.peak, of: window] * Self.densityScale, floor: Floor.power)
    let power = sums[.energy, of: window] / Float(Self.length / 2)
    let isStill = power .< Self.stillPower
    let energy = power.replacing(with: 1, where: isStill)
    features[next + 3] =
      (sums[.highestProduct, of: window] / energy).replacing(with: 0, where: isStill)
    let interval = 2 / FeatureExtractor.samplingRate
    features[next + 4] = (sums[.bestLag, of: window] * interval).replacing(with: 0, where: isStill)
  }

  /// Sets the feature that is known once the signals were ranked, m/s².
  mutating func take(quartileRange: SIMD4<Float>) {
    features[1] = Self.logarithm(quartileRange, floor: Floor.acceleration)
  }

  private static func logarithm(_ values: SIMD4<Float>, floor: Float) -> SIMD4<Float> {
    log(larger(values, SIMD4(repeating: floor)))
  }

  /// Takes the deviations, and returns the root mean square difference quotients.
  private mutating func takeSpread(
    from sums: ShapeSums, of window: Int, quarterSums: Quarters
  ) -> SIMD4<Float> {
    let length = Self.length
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
    quarterDeviations.highest = highest.squareRoot()
    quarterDeviations.lowest = larger(lowest, .zero).squareRoot()
    return FeatureExtractor.samplingRate * (squareStep / Float(length - 1)).squareRoot()
  }
}
