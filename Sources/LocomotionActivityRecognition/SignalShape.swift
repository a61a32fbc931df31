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
  /// The means of neighbours, less the mean of all; before them zeros.
  private var halved = [SIMD4<Float>](repeating: .zero, count: blockOfLags - 1 + length / 2)
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

  /// Measures the first of `signals`, whose sums by quarter are `quarterSums`.
  mutating func measure(_ signals: [SIMD4<Float>], quarterSums: [SIMD4<Float>]) {
    let signals = signals.span.extracting(first: Self.length)
    measureSpread(signals, quarterSums: quarterSums)
    Self.transform(signals, less: means, with: &transform, into: &powers, &halvedPowers)
    measureSpectrum()
    measurePeriodicity()
  }

  /// One pass over the samples: moments and crossings; prepares the periodicity.
  private mutating func measureSpread(_ signals: Span<SIMD4<Float>>, quarterSums: [SIMD4<Float>]) {
    let (length, rate) = (Self.length, FeatureExtractor.samplingRate)
    let sum = (quarterSums[0] + quarterSums[1]) + (quarterSums[2] + quarterSums[3])
    means = sum / Float(length)
    let spread = Self.spread(of: signals, about: means, quarterSums, pairs: &halved)
    deviations = (spread.square / Float(length)).squareRoot()
    jerks = rate * (spread.squareStep / Float(length - 1)).squareRoot()
    crossingRates = SIMD4<Float>(spread.crossings.count) * (rate / Float(length - 1))
    quarterDeviations.highest = spread.highestVariance.squareRoot()
    quarterDeviations.lowest = larger(spread.lowestVariance, .zero).squareRoot()
  }

  /// What one pass collects: sums of squares, and the extremes of the quarters' variances.
  private struct Spread {
    var square = SIMD4<Float>.zero
    var squareStep = SIMD4<Float>.zero
    var highestVariance = SIMD4<Float>.zero
    var lowestVariance = SIMD4<Float>(repeating: .infinity)
    var crossings = Crossings()
  }

  /// Measures `signals` and writes the means of neighbours to `pairs`, all less `means`.
  private static func spread(
    of signals: Span<SIMD4<Float>>, about means: SIMD4<Float>, _ quarterSums: [SIMD4<Float>],
    pairs: inout [SIMD4<Float>]
  ) -> Spread {
    let (fourth, eighth, zeros) = (length / 4, length / 8, blockOfLags - 1)
    var pairs = pairs.mutableSpan
    // Lengths that are known here spare the checks of all but these.
    precondition(
      signals.count == length && pairs.count == zeros + 4 * eighth && quarterSums.count == 4,
      "signals of another length")
    var spread = Spread()
    var previous = signals[0] - means
    for quarter in 0..<4 {
      var (square, squareStep, crossings) = (
        SIMD4<Float>.zero, SIMD4<Float>.zero, spread.crossings
      )
      for pair in quarter * eighth..<(quarter + 1) * eighth {
        let (first, second) = (signals[2 * pair] - means, signals[2 * pair + 1] - means)
        square += first * first + second * second
        let (step, nextStep) = (first - previous, second - first)
        squareStep += step * step + nextStep * nextStep
        crossings.append(first)
        crossings.append(second)
        pairs[zeros + pair] = 0.5 * (first + second)
        previous = second
      }
      let offset = quarterSums[quarter] / Float(fourth) - means
      let variance = square / Float(fourth) - offset * offset
      spread.highestVariance = larger(variance, spread.highestVariance)
      spread.lowestVariance = smaller(variance, spread.lowestVariance)
      spread.square += square
      spread.squareStep += squareStep
      spread.crossings = crossings
    }
    return spread
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
    _ signals: Span<SIMD4<Float>>, less means: SIMD4<Float>,
    with transform: inout RealFourierTransform, into powers: inout [SIMD4<Float>],
    _ halvedPowers: inout [SIMD4<Float>]
  ) {
    var powers = powers.mutableSpan
    var halvedPowers = halvedPowers.mutableSpan
    transform.powers(
      of: signals, less: means, underHann: &powers, ofPairs: &halvedPowers)
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
    var (total, moment, information) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var number = SIMD4(repeating: Float(Self.broadBins.lowerBound))
    for bin in Self.broadBins {
      let power = powers[bin]
      total += power
      moment += power * number
      // Of nothing the logarithm is that of the smallest number, which times nothing is nothing.
      information += power * log(power)
      number += 1
    }
    // A still signal has centroid and entropy 0; the transition is smooth.
    let divisor = larger(total, SIMD4(repeating: Self.stillPower / scale))
    centroids = moment * resolution / divisor
    // −Σ s log s of the shares s = power / divisor.
    entropies = (total * log(divisor) - information) / divisor
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
    Self.autocorrelate(halvedPowers, with: &halvedTransform, into: &products)
    let power = products[0] / Float(count)
    var best = Peak()
    for lag in stride(
      from: Self.lags.lowerBound, to: Self.lags.upperBound, by: Self.blockOfLags)
    {
      let circular = products.span.extracting(lag..<lag + 8)
      let surplus = Self.productsAcrossTheEnds(of: halved.span, at: lag)
      best.keep(circular[0] - surplus.0, at: lag)
      best.keep(circular[1] - surplus.1, at: lag + 1)
      best.keep(circular[2] - surplus.2, at: lag + 2)
      best.keep(circular[3] - surplus.3, at: lag + 3)
      best.keep(circular[4] - surplus.4, at: lag + 4)
      best.keep(circular[5] - surplus.5, at: lag + 5)
      best.keep(circular[6] - surplus.6, at: lag + 6)
      best.keep(circular[7] - surplus.7, at: lag + 7)
    }
    let isStill = power .< Self.stillPower
    let divisor = power.replacing(with: 1, where: isStill)
    periodicities = (best.height / divisor).replacing(with: 0, where: isStill)
    let interval = 2 / FeatureExtractor.samplingRate
    periods = (best.lag * interval).replacing(with: 0, where: isStill)
  }

  /// The sums of the circular products Σ x[n] x[(n + lag) mod N].
  private static func autocorrelate(
    _ powers: [SIMD4<Float>], with transform: inout RealFourierTransform,
    into products: inout [SIMD4<Float>]
  ) {
    var products = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &products)
  }

  /// What the circular sums at `lag` and the next seven have beside Σ x[n] x[n + lag]: the newest
  /// values times the oldest.
  ///
  /// Eight lags at a time share the loads of the newest; `lag` + 7 is a multiple of four, and in
  /// `padded` seven zeros are before x.
  private static func productsAcrossTheEnds(
    of padded: Span<SIMD4<Float>>, at lag: Int
  ) -> EightSums {
    var sums: EightSums = (.zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero)
    let oldest = padded.extracting(first: lag + 14)
    let newest = padded.extracting(last: lag + 7)
    var index = 0
    while index < newest.count {
      let (new, old) = (
        newest.extracting(index..<index + 4), oldest.extracting(index..<index + 11)
      )
      for next in 0..<4 {
        sums.0 += new[next] * old[next]
        sums.1 += new[next] * old[next + 1]
        sums.2 += new[next] * old[next + 2]
        sums.3 += new[next] * old[next + 3]
        sums.4 += new[next] * old[next + 4]
        sums.5 += new[next] * old[next + 5]
        sums.6 += new[next] * old[next + 6]
        sums.7 += new[next] * old[next + 7]
      }
      index += 4
    }
    return sums
  }

  /// The lags whose products are summed together.
  private static let blockOfLags = 8
  private typealias EightSums = (
    SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>,
    SIMD4<Float>, SIMD4<Float>
  )

  /// The highest autocorrelation so far, and its lag.
  private struct Peak {
    var height = SIMD4<Float>(repeating: -.infinity)
    var lag = SIMD4<Float>.zero

    /// Takes the mean of the products at `candidate` where it is higher.
    @inline(__always)
    mutating func keep(_ products: SIMD4<Float>, at candidate: Int) {
      let mean = products * (1 / Float(SignalShape.length / 2 - candidate))
      lag = choose(mean, over: height, SIMD4(repeating: Float(candidate)), lag)
      height = larger(mean, height)
    }
  }
}
