internal import CLocomotionMath
internal import LocomotionSignals

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
  private(set) var bandPowers: [SIMD4<Float>]
  /// Mean frequency in Hz and relative entropy of the power between 0.4 and 20 Hz.
  private(set) var centroids = SIMD4<Float>.zero
  private(set) var entropies = SIMD4<Float>.zero
  /// The highest power density between 0.5 and 5 Hz, m²/s⁴/Hz.
  private(set) var peaks = SIMD4<Float>.zero
  /// The highest autocorrelation, and its lag in seconds.
  private(set) var periodicities = SIMD4<Float>.zero
  private(set) var periods = SIMD4<Float>.zero

  /// The power in m²/s⁴ below which a signal counts as still.
  static let stillPower: Float = 1e-6

  /// The lags that are compared, at half the sampling rate.
  private static let lags = 13..<101

  private static let length = FeatureExtractor.windowLength
  private let bandBins: [Range<Int>]
  private var transform: RealFourierTransform
  private var powers = [SIMD4<Float>](repeating: .zero, count: broadBins.upperBound)
  /// The means of neighbours, less the mean of all; before them zeros for the lags below four.
  private var halved = [SIMD4<Float>](repeating: .zero, count: 3 + length / 2)
  private var halvedTransform = RealFourierTransform(length: length / 2)
  private var halvedPowers = [SIMD4<Float>](repeating: .zero, count: length / 4 + 1)
  private var products = [SIMD4<Float>](repeating: .zero, count: lags.upperBound)

  /// The sum of the squares of the Hann window.
  private static let taperPower = 0.375 * Float(length)
  /// The bins that are summed: from 0.4 to 20 Hz.
  private static let broadBins = firstBin(from: 0.4)..<firstBin(from: 20)
  /// The bins in which the peak is looked for: from 0.5 to 5 Hz.
  private static let peakBins = firstBin(from: 0.5)..<firstBin(from: 5)

  /// Makes room.
  init() {
    let length = Self.length
    transform = RealFourierTransform(length: length)
    let edges = FeatureExtractor.bandEdges.map { Self.firstBin(from: $0) }
    bandBins = zip(edges, edges.dropFirst()).map { $0..<$1 }
    bandPowers = Array(repeating: .zero, count: bandBins.count)
  }

  /// The lowest bin whose frequency is at least `hertz`.
  private static func firstBin(from hertz: Float) -> Int {
    Int((hertz * Float(length) / FeatureExtractor.samplingRate).rounded(.up))
  }

  /// Measures `signals`, whose sums by quarter are `quarterSums`.
  mutating func measure(_ signals: [SIMD4<Float>], quarterSums: [SIMD4<Float>]) {
    measureSpread(signals, quarterSums: quarterSums)
    Self.transform(signals, less: means, with: &transform, into: &powers, &halvedPowers)
    measureSpectrum()
    measurePeriodicity()
  }

  /// One pass over the samples: moments and crossings; prepares the spectrum and periodicity.
  private mutating func measureSpread(
    _ signals: [SIMD4<Float>], quarterSums: [SIMD4<Float>]
  ) {
    let (length, fourth) = (Self.length, Self.length / 4)
    let sum = (quarterSums[0] + quarterSums[1]) + (quarterSums[2] + quarterSums[3])
    let means = sum / Float(length)
    var square = SIMD4<Float>.zero
    var squareStep = SIMD4<Float>.zero
    var crossings = Crossings()
    let signals = signals.span
    var previous = signals[0] - means
    var (highest, lowest) = (SIMD4<Float>.zero, SIMD4<Float>(repeating: .infinity))
    for quarter in 0..<4 {
      var quarterSquare = SIMD4<Float>.zero
      for pair in quarter * fourth / 2..<(quarter + 1) * fourth / 2 {
        let two = signals.extracting(2 * pair..<2 * pair + 2)
        let (first, second) = (two[0] - means, two[1] - means)
        quarterSquare += first * first + second * second
        let (step, nextStep) = (first - previous, second - first)
        squareStep += step * step + nextStep * nextStep
        crossings.append(first)
        crossings.append(second)
        halved[3 + pair] = 0.5 * (first + second)
        previous = second
      }
      let offset = quarterSums[quarter] / Float(fourth) - means
      let variance = quarterSquare / Float(fourth) - offset * offset
      highest.replace(with: variance, where: variance .> highest)
      lowest.replace(with: variance, where: variance .< lowest)
      square += quarterSquare
    }
    self.means = means
    deviations = (square / Float(length)).squareRoot()
    let rate = FeatureExtractor.samplingRate
    jerks = rate * (squareStep / Float(length - 1)).squareRoot()
    crossingRates = SIMD4<Float>(crossings.count) * (rate / Float(length - 1))
    quarterDeviations.highest = highest.squareRoot()
    quarterDeviations.lowest = lowest.replacing(with: 0, where: lowest .< 0).squareRoot()
  }

  /// How often each lane came clearly to another side of 0 than it was on before.
  private struct Crossings {
    private(set) var count = SIMD4<Int32>.zero
    /// All bits set where the lane was above last, and where it was anywhere yet.
    private var isAbove = SIMD4<Int32>.zero
    private var isKnown = SIMD4<Int32>.zero

    @inline(__always)
    mutating func append(_ value: SIMD4<Float>) {
      let deadBand = SIMD4<Float>(repeating: 0.01)
      let (rises, falls) = (above(value, deadBand), above(-deadBand, value))
      let now = (isAbove & ~falls) | rises
      count &-= (now ^ isAbove) & isKnown
      isKnown |= rises | falls
      isAbove = now
    }
  }

  /// Transforms without holding on to the rest of the shape, as far as the bins are looked at.
  private static func transform(
    _ signal: [SIMD4<Float>], less means: SIMD4<Float>,
    with transform: inout RealFourierTransform, into powers: inout [SIMD4<Float>],
    _ halvedPowers: inout [SIMD4<Float>]
  ) {
    var powers = powers.mutableSpan
    var halvedPowers = halvedPowers.mutableSpan
    transform.powers(
      of: signal.span, less: means, underHann: &powers, ofPairs: &halvedPowers)
  }

  /// Band powers, centroid, entropy and peak from the one-sided Hann periodogram.
  private mutating func measureSpectrum() {
    let resolution = FeatureExtractor.samplingRate / Float(Self.length)
    // From |X|² to the power in one bin.
    let scale = 2 * resolution / (FeatureExtractor.samplingRate * Self.taperPower)
    for (band, bins) in bandBins.enumerated() {
      var power = SIMD4<Float>.zero
      for bin in bins { power += powers[bin] }
      bandPowers[band] = power * scale
    }
    var (total, moment) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for bin in Self.broadBins {
      let power = powers[bin] * scale
      total += power
      moment += power * Float(bin)
    }
    // A still signal has centroid and entropy 0; the transition is smooth.
    let divisor = total.replacing(
      with: SIMD4(repeating: Self.stillPower), where: total .< Self.stillPower)
    centroids = moment * resolution / divisor
    entropies = .zero
    for bin in Self.broadBins {
      let share = powers[bin] * scale / divisor
      // Of nothing the logarithm is that of the smallest number, which times nothing is nothing.
      entropies -= share * log(share)
    }
    entropies /= log(Float(Self.broadBins.count))
    peaks = .zero
    for bin in Self.peakBins {
      let density = powers[bin] * (scale / resolution)
      peaks = larger(density, peaks)
    }
  }

  /// The unbiased autocorrelation at lags of 0.26 to 2 s, at half the sampling rate.
  ///
  /// The signals hold nothing near the new Nyquist frequency of 25 Hz, so that every second value
  /// is enough.
  private mutating func measurePeriodicity() {
    let count = Self.length / 2
    let interval = 2 / FeatureExtractor.samplingRate
    Self.autocorrelate(halvedPowers, with: &halvedTransform, into: &products)
    let power = products[0] / Float(count)
    (periodicities, periods) = (SIMD4(repeating: -.infinity), .zero)
    for lag in stride(from: Self.lags.lowerBound, to: Self.lags.upperBound, by: 4) {
      let surplus = Self.productsAcrossTheEnds(of: halved.span, at: lag)
      keep((products[lag] - surplus.0) / Float(count - lag), at: Float(lag) * interval)
      keep((products[lag + 1] - surplus.1) / Float(count - lag - 1), at: Float(lag + 1) * interval)
      keep((products[lag + 2] - surplus.2) / Float(count - lag - 2), at: Float(lag + 2) * interval)
      keep((products[lag + 3] - surplus.3) / Float(count - lag - 3), at: Float(lag + 3) * interval)
    }
    let isStill = power .< Self.stillPower
    let divisor = power.replacing(with: 1, where: isStill)
    periodicities = (periodicities / divisor).replacing(with: 0, where: isStill)
    periods.replace(with: 0, where: isStill)
  }

  /// The sums of the circular products Σ x[n] x[(n + lag) mod N].
  private static func autocorrelate(
    _ powers: [SIMD4<Float>], with transform: inout RealFourierTransform,
    into products: inout [SIMD4<Float>]
  ) {
    var products = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &products)
  }

  /// What the circular sums at `lag` and the next three have beside Σ x[n] x[n + lag]: the newest
  /// values times the oldest.
  ///
  /// Four lags at a time share the loads of the newest; `lag` + 3 is a multiple of four, and in
  /// `padded` three zeros are before x.
  private static func productsAcrossTheEnds(
    of padded: Span<SIMD4<Float>>, at lag: Int
  ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    var sums = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    let oldest = padded.extracting(first: lag + 6)
    let newest = padded.extracting(last: lag + 3)
    var index = 0
    while index < newest.count {
      let (new, old) = (
        newest.extracting(index..<index + 4), oldest.extracting(index..<index + 7)
      )
      for next in 0..<4 {
        sums.0 += new[next] * old[next]
        sums.1 += new[next] * old[next + 1]
        sums.2 += new[next] * old[next + 2]
        sums.3 += new[next] * old[next + 3]
      }
      index += 4
    }
    return sums
  }

  /// Takes `products` where they are the highest so far.
  private mutating func keep(_ products: SIMD4<Float>, at lag: Float) {
    periods = choose(products, over: periodicities, SIMD4(repeating: lag), periods)
    periodicities = larger(products, periodicities)
  }
}
