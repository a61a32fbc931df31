internal import CLocomotionMath
internal import LocomotionSignals

/// Computes the sums over one window for its ``SignalShape``.
struct ShapeMeter: Sendable {
  private static let length = FeatureExtractor.windowLength
  private var transform = RealFourierTransform(length: length)
  private var powers = ContiguousArray<SIMD4<Float>>(
    repeating: .zero, count: SignalShape.broadBins.upperBound)
  /// The means of adjacent samples, less the mean of all; preceded by zeros.
  private var halved = ContiguousArray<SIMD4<Float>>(
    repeating: .zero, count: blockOfLags - 1 + length / 2)
  private var halvedTransform = RealFourierTransform(length: length / 2)
  private var halvedPowers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: length / 4 + 1)
  private var products = ContiguousArray<SIMD4<Float>>(
    repeating: .zero, count: SignalShape.lags.upperBound)

  /// Sums over the first window of `signals`, which has these `means`.
  mutating func measure(
    _ signals: ContiguousArray<SIMD4<Float>>, about means: SIMD4<Float>, into sums: inout ShapeSums
  ) {
    let signals = signals.span.extracting(first: Self.length)
    Self.measureSpread(of: signals, about: means, into: &sums, pairs: &halved)
    Self.transform(signals, less: means, with: &transform, into: &powers, &halvedPowers)
    measureSpectrum(into: &sums)
    measurePeriodicity(into: &sums)
  }

  /// Sums about the means and counts crossings in one pass; writes the means of adjacent samples to
  /// `pairs`.
  private static func measureSpread(
    of signals: Span<SIMD4<Float>>, about means: SIMD4<Float>, into sums: inout ShapeSums,
    pairs: inout ContiguousArray<SIMD4<Float>>
  ) {
    let (eighth, zeros) = (length / 8, blockOfLags - 1)
    var pairs = pairs.mutableSpan
    // These checks let the compiler omit all others.
    precondition(
      signals.count == length && pairs.count == zeros + 4 * eighth, "signals of another length")
    var crossings = Crossings()
    var previous = signals[0] - means
    for quarter in 0..<4 {
      // Separate sums for even and odd samples, which are independent.
      var (square, nextSquare) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
      var (squareStep, nextSquareStep) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
      var crossed = crossings
      for pair in quarter * eighth..<(quarter + 1) * eighth {
        let (first, second) = (signals[2 * pair] - means, signals[2 * pair + 1] - means)
        square = product(first, first, plus: square)
        nextSquare = product(second, second, plus: nextSquare)
        let (step, nextStep) = (first - previous, second - first)
        squareStep = product(step, step, plus: squareStep)
        nextSquareStep = product(nextStep, nextStep, plus: nextSquareStep)
        crossed.append(first)
        crossed.append(second)
        pairs[zeros + pair] = 0.5 * (first + second)
        previous = second
      }
      sums.squares[quarter] = square + nextSquare
      sums.squareSteps[quarter] = squareStep + nextSquareStep
      crossings = crossed
    }
    sums.crossings = crossings.count
  }

  /// The number of zero crossings of each lane, with hysteresis.
  private struct Crossings {
    private(set) var count = SIMD4<Int32>.zero
    /// All bits set where the lane was last above the dead band, and where it ever left it.
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

  /// Computes the power spectra, as far as their bins are used; static, so that only the arguments
  /// are accessed.
  private static func transform(
    _ signals: Span<SIMD4<Float>>, less means: SIMD4<Float>,
    with transform: inout RealFourierTransform, into powers: inout ContiguousArray<SIMD4<Float>>,
    _ halvedPowers: inout ContiguousArray<SIMD4<Float>>
  ) {
    var powers = powers.mutableSpan
    var halvedPowers = halvedPowers.mutableSpan
    transform.powers(
      of: signals, less: means, underHann: &powers, ofPairs: &halvedPowers)
  }

  /// Sums over bands and bins.
  private func measureSpectrum(into sums: inout ShapeSums) {
    let edges = SignalShape.bandEdges
    for band in sums.bands.indices {
      var power = SIMD4<Float>.zero
      for bin in edges[band]..<edges[band + 1] { power += powers[bin] }
      sums.bands[band] = power
    }
    let bins = SignalShape.broadBins
    var (total, moment, information) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var number = SIMD4(repeating: Float(bins.lowerBound))
    for bin in bins {
      let power = powers[bin]
      total += power
      moment += power * number
      // The logarithm of 0 is finite here, so that its product with 0 is 0.
      information += power * log(power)
      number += 1
    }
    (sums.total, sums.moment, sums.information) = (total, moment, information)
    sums.peak = .zero
    for bin in SignalShape.peakBins { sums.peak = larger(powers[bin], sums.peak) }
  }

  /// Finds the lag with the highest unbiased autocorrelation, at half the sampling rate.
  private mutating func measurePeriodicity(into sums: inout ShapeSums) {
    Self.autocorrelate(halvedPowers, with: &halvedTransform, into: &products)
    var best = Peak()
    for lag in stride(
      from: SignalShape.lags.lowerBound, to: SignalShape.lags.upperBound, by: Self.blockOfLags)
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
    sums.energy = products[0]
    (sums.highestProduct, sums.bestLag) = (best.height, best.lag)
  }

  /// The sums of the circular products Σ x[n] x[(n + lag) mod N].
  private static func autocorrelate(
    _ powers: ContiguousArray<SIMD4<Float>>, with transform: inout RealFourierTransform,
    into products: inout ContiguousArray<SIMD4<Float>>
  ) {
    var products = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &products)
  }

  /// The wrapped-around terms of the circular sums at `lag` and the next seven lags: the newest
  /// values times the oldest.
  ///
  /// Eight lags at a time share the loads of the newest; `lag` + 7 is a multiple of four, and in
  /// `padded` seven zeros precede x.
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

  /// The number of lags whose products are summed together.
  private static let blockOfLags = 8
  private typealias EightSums = (
    SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>,
    SIMD4<Float>, SIMD4<Float>
  )

  /// The highest autocorrelation so far, and its lag.
  private struct Peak {
    var height = SIMD4<Float>(repeating: -.infinity)
    var lag = SIMD4<Float>.zero

    /// Keeps the mean of the products at `candidate` where it is higher.
    @inline(__always)
    mutating func keep(_ products: SIMD4<Float>, at candidate: Int) {
      let mean = products * (1 / Float(ShapeMeter.length / 2 - candidate))
      lag = choose(mean, over: height, SIMD4(repeating: Float(candidate)), lag)
      height = larger(mean, height)
    }
  }
}
