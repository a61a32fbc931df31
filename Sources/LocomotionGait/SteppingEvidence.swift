internal import CLocomotionMath

/// How much better a spectrum fits stepping at each rate than not stepping at all.
///
/// A conditional logit over the candidate rates and "none" (McFadden 1974). Each rate's log odds
/// are a weighted sum of
/// - the share of the step signal's power on multiples of the step frequency, above chance;
/// - the share of the horizontal power on multiples of half of it (one stride is two steps);
/// - the share above 3.2 Hz, which foot contacts have and swaying vehicles lack;
/// - the skewness of the norm: feet push in short peaks, pedals and roads up and down alike;
/// - how much of the motion is horizontal;
/// - ln p(rate, intensity | on foot) / p(intensity | not), a mixture of walking and running;
/// - two penalties when the rise that the fundamental implies, a₁/(2πf)², leaves 0.5 to 5 cm: half
///   the true rate would imply four times the rise, twice the rate a quarter;
/// - a penalty when lines 2, 4 and 6 outweigh the first while 3 and 5 are missing: these are the
///   lines of twice the rate, and the first is the swing of one leg.
///
/// High share, skewness and horizontal share together can't cost more than 4.2: a phone may lie so
/// that feet look like pedals, but its lines say that they are feet.
///
/// The weights of lines, high share and rise maximise the likelihood of recordings of walking,
/// running, vehicles and rest, with walking stretched to rates of half to 1.15 times the original.
/// Those of skewness and horizontal motion come from a logistic regression of walking, running and
/// stairs against all else including bicycles; both say nothing on the rate. The penalty of even
/// lines and the limit were weighed between synthetic gait and bicycles.
package struct SteppingEvidence: Sendable {
  /// Log odds per rate of ``RateGrid`` against not stepping, after ``update(from:hint:)``.
  package private(set) var logOdds = [Float](repeating: 0, count: RateGrid.count)

  /// Where the lines lie, for each rate; one value, because each static one is asked for by a call.
  private struct Combs {
    // The teeth of one step's lines never meet, so that each line is summed once for all.
    let first = HarmonicComb(multipleGroups: [[1]], spacing: 1)
    let even = HarmonicComb(multipleGroups: [[2, 4, 6]], spacing: 1)
    let odd = HarmonicComb(multipleGroups: [[3, 5]], spacing: 1)
    let stride = HarmonicComb(
      multipleGroups: [[1, 2, 3, 4, 5, 6], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]], spacing: 0.5)
    let fundamental = HarmonicComb(multipleGroups: [[1]], spacing: .infinity)
    /// From this rate on the teeth of `first` are as wide as those of `fundamental`.
    let firstWideRate =
      (0..<RateGrid.count).first { RateGrid.stepsPerMinute($0) >= 60 } ?? RateGrid.count
  }
  private static let combs = Combs()
  /// The rates in Hz four by four; the last two lanes repeat the last rate.
  private static let frequencies = stride(from: 0, to: RateGrid.count, by: 4).map { first in
    SIMD4<Float>(
      RateGrid.stepsPerMinute(first), RateGrid.stepsPerMinute(first + 1),
      RateGrid.stepsPerMinute(min(first + 2, RateGrid.count - 1)),
      RateGrid.stepsPerMinute(min(first + 3, RateGrid.count - 1))) / 60
  }
  private static let logRates = frequencies.map { log(60 * $0) }

  private var stepBlocks = [SIMD4<Float>](repeating: .zero, count: GaitSpectrum.binCount / 4)
  private var strideBlocks = [SIMD4<Float>](repeating: .zero, count: GaitSpectrum.binCount / 4)
  private var doubts = [Float](repeating: 0, count: RateGrid.count)

  /// Makes room; the combs are the same for all.
  package init() {}

  /// Weighs `spectrum` for every rate.
  package mutating func update(from spectrum: borrowing GaitSpectrum, hint: GaitHint) {
    let step = spectrum.stepPower.span
    let horizontal = spectrum.stridePower.span
    var stepTotal = Float.leastNormalMagnitude
    var horizontalTotal = Float.leastNormalMagnitude
    var highTotal: Float = 0
    for bin in GaitSpectrum.band {
      stepTotal += step[bin]
      horizontalTotal += horizontal[bin]
      if bin >= Self.firstHighBin { highTotal += step[bin] }
    }
    // 1e-4 m/s² is below the quantisation of any sensor.
    let logIntensity = 0.5 * log(max(spectrum.totalPower, 1e-8))
    let highShare = log(max(highTotal / stepTotal, 1e-4))
    let sway = log(max(horizontalTotal, 1e-8) / max(stepTotal, 1e-8))
    let spread =
      Self.highShareWeight * min(max(highShare, -1.8), -0.5)
      + Self.swayWeight * min(max(sway, -2), 1.5)
    let skewness = min(max(spectrum.skewness, -1), 0.5)
    let look = max(spread + Self.skewnessWeight * skewness, Self.worstLook)
    let slowLook = max(
      spread + Self.skewnessWeight * max(skewness, Self.softSkewness), Self.worstLook)
    let common = Self.bias + Self.logOdds(of: hint)
    let notOnFoot = Self.logDensityNotOnFoot(logIntensity)
    let running = min(max(hint.runningProbability ?? 0.12, 0.02), 0.98)
    HarmonicComb.fill(&stepBlocks, from: spectrum.stepPower)
    HarmonicComb.fill(&strideBlocks, from: spectrum.stridePower)
    let (combs, frequencies, logRates) = (Self.combs, Self.frequencies, Self.logRates)
    let scales = (step: 1 / stepTotal, stride: 1 / horizontalTotal)
    for group in frequencies.indices {
      let (first, last) = (4 * group, RateGrid.count - 1)
      let a = lines(first, combs, scales)
      let b = lines(first + 1, combs, scales)
      let c = lines(min(first + 2, last), combs, scales)
      let d = lines(min(first + 3, last), combs, scales)
      let shares = SIMD4(a.shares, b.shares, c.shares, d.shares)
      let onFoot = Self.logDensityOnFoot(
        logRate: logRates[group], logIntensity: logIntensity, running: running)
      let frequency = frequencies[group]
      let power = larger(
        SIMD4(a.fundamental, b.fundamental, c.fundamental, d.fundamental),
        SIMD4(repeating: 1e-8))
      let rise = power.squareRoot() / (4 * .pi * .pi * frequency * frequency)
      let excess = onFoot - notOnFoot
      var odds = Self.lineScale * shares
      odds += choose(
        SIMD4(repeating: Self.slowestPedals), over: frequency, SIMD4(repeating: slowLook),
        SIMD4(repeating: look))
      odds += common + Self.intensityWeight * larger(excess, SIMD4(repeating: -12))
      odds -= Self.implausibility(ofRise: rise)
      odds -= Self.implausibility(ofRate: frequency, atSpeed: hint.speed)
      let doubt = Self.implausibility(
        ofFirst: power, even: SIMD4(a.even, b.even, c.even, d.even),
        odd: SIMD4(a.odd, b.odd, c.odd, d.odd))
      for lane in 0..<min(4, RateGrid.count - first) {
        logOdds[first + lane] = odds[lane]
        doubts[first + lane] = doubt[lane]
      }
    }
    doubtEvenLines()
  }

  /// Lowers log odds by ``doubts``: in full only if twice the rate is nearly as plausible.
  private mutating func doubtEvenLines() {
    for rate in 0..<RateGrid.count - RateGrid.octave {
      let ahead = logOdds[rate] - logOdds[rate + RateGrid.octave]
      let doubt = doubts[rate]
      logOdds[rate] -= min(doubt, max(doubt + Self.doubtMargin - ahead, Self.leastDoubt * doubt))
    }
  }

  /// The weighted shares of a rate's lines above chance, and the powers of its fundamental, its
  /// higher even and its higher odd lines.
  @inline(__always)
  private func lines(
    _ rate: Int, _ combs: borrowing Combs, _ scales: (step: Float, stride: Float)
  ) -> (shares: Float, fundamental: Float, even: Float, odd: Float) {
    let blocks = stepBlocks.span
    let first = combs.first.power(of: blocks, at: rate)
    let even = combs.even.power(of: blocks, at: rate)
    let odd = combs.odd.power(of: blocks, at: rate)
    let step = (first + even + odd) * scales.step
    let stepChance = combs.first.chance[rate] + combs.even.chance[rate] + combs.odd.chance[rate]
    let stride = combs.stride.power(of: strideBlocks.span, at: rate) * scales.stride
    let shares =
      Self.stepWeight * (step - stepChance)
      + Self.strideWeight * (stride - combs.stride.chance[rate])
    let fundamental =
      rate >= combs.firstWideRate ? first : combs.fundamental.power(of: blocks, at: rate)
    return (shares, fundamental, even, odd)
  }

  /// What a lone line's lobe sums to over its tallest bin, N Σw²/(Σw)² in six seconds.
  private static let lineScale =
    1.5 * Float(GaitSpectrum.transformLength) / Float(GaitSpectrum.capacity)
  private static let firstHighBin = 66
  private static let stepWeight: Float = 11.4
  private static let strideWeight: Float = 5.5
  private static let highShareWeight: Float = 1.24
  private static let intensityWeight: Float = 1
  private static let skewnessWeight: Float = 3.4
  private static let swayWeight: Float = 1.5
  private static let worstLook: Float = -4.2
  /// What slow steps, which are soft, are granted; nobody pedals below 50 steps/min.
  private static let softSkewness: Float = 0.15
  private static let slowestPedals: Float = 0.84
  /// Includes ln 186, because the filter's prior is spread over the rates.
  private static let bias: Float = -5.2

  /// ln of the joint density of log rate and log intensity on foot, up to a constant.
  ///
  /// Three components: walking, whose intensity grows with the square of the rate (108 steps/min at
  /// 3.8 m/s²); slow walking and shuffling; running at 163 steps/min and 15 m/s².
  private static func logDensityOnFoot(
    logRate: SIMD4<Float>, logIntensity: Float, running: Float
  ) -> SIMD4<Float> {
    let walkIntensity = 1.335 + 2 * (logRate - 4.682)
    let runIntensity = 2.708 + (logRate - 5.088)
    let walk = normal((logRate - 4.654) / 0.22, (logIntensity - walkIntensity) / 0.6)
    let slow = normal((logRate - 4.317) / 0.35, (logIntensity - walkIntensity) / 0.7)
    let run = normal((logRate - 5.094) / 0.09, (logIntensity - runIntensity) / 0.4)
    let sprint = normal((logRate - 5.3) / 0.12, (logIntensity - runIntensity) / 0.5)
    let walking = 1 - running
    let (walks, slows): (Float, Float) = (0.91 / (0.22 * 0.6), 0.09 / (0.35 * 0.7))
    let (runs, sprints): (Float, Float) = (0.8 / (0.09 * 0.4), 0.2 / (0.12 * 0.5))
    let onWalk = (walking * walks) * walk + (walking * slows) * slow
    let onRun = (running * runs) * run + (running * sprints) * sprint
    return log(onWalk + onRun + 1e-30)
  }

  /// ln of the density of log intensity off foot: rest and smooth rides, or rough rides.
  private static func logDensityNotOnFoot(_ logIntensity: Float) -> Float {
    let calmDeviation = (logIntensity + 1.897) / 1.6
    let roughDeviation = (logIntensity - 0.693) / 0.8
    let calm = exp(-0.5 * calmDeviation * calmDeviation)
    let rough = exp(-0.5 * roughDeviation * roughDeviation)
    return log(0.7 * calm / 1.6 + 0.3 * rough / 0.8 + 1e-30)
  }

  @inline(__always)
  private static func normal(_ x: SIMD4<Float>, _ y: SIMD4<Float>) -> SIMD4<Float> {
    exp(-0.5 * (x * x + y * y))
  }

  /// The penalty, in nats, of a vertical rise (half of peak to peak) in metres outside 0.5 to 5 cm.
  private static func implausibility(ofRise rise: SIMD4<Float>) -> SIMD4<Float> {
    let logRise = log(rise)
    let (tooHigh, tooLow) = (logRise - log(0.05), log(0.005) - logRise)
    return 7.5 * squared(tooHigh, atMost: 4) + 5.5 * squared(tooLow, atMost: 4)
  }

  /// The squares of the positive values, limited.
  private static func squared(_ value: SIMD4<Float>, atMost limit: Float) -> SIMD4<Float> {
    let positive = larger(value, .zero)
    return smaller(positive * positive, SIMD4(repeating: limit))
  }

  /// The penalty, in nats, of lines at even multiples alone: those of steps twice as quick.
  ///
  /// `first`, `even` and `odd` are powers at the rate, at 2, 4, 6 and at 3 and 5 times the rate.
  private static func implausibility(
    ofFirst first: SIMD4<Float>, even: SIMD4<Float>, odd: SIMD4<Float>
  ) -> SIMD4<Float> {
    let known = larger(even, SIMD4(repeating: .leastNormalMagnitude))
    let ratio = log(known / (3 * odd + 0.02 * known))
    let doubt = smaller(larger(ratio, .zero), SIMD4(repeating: 3))
    return choose(even, over: first, evenWeight * doubt, .zero)
  }

  private static let evenWeight: Float = 1.8
  private static let doubtMargin: Float = 3
  private static let leastDoubt: Float = 0.65

  /// The penalty, in nats, of a step frequency in Hz at a speed in m/s.
  ///
  /// A step's length grows about as the root of the speed, 0.6 m at 1 m/s, ±30 % between people.
  /// Below 0.7 m/s, where satellites know little and treadmills stand, speed says nothing.
  private static func implausibility(
    ofRate frequency: SIMD4<Float>, atSpeed speed: Float?
  ) -> SIMD4<Float> {
    guard let speed, speed > 0.7, speed < 1e3 else { return .zero }
    let deviation = log(speed / frequency / (0.6 * speed.squareRoot())) / 0.3
    let penalty = 0.5 * deviation * deviation
    return smaller(penalty, SIMD4(repeating: 6))
  }

  /// The log odds of being on foot that siblings' beliefs give, −8 to 0.
  ///
  /// Nothing unless riding is likelier than all else: a classifier that knows nothing spreads its
  /// belief evenly, and half of what it names are rides.
  private static func logOdds(of hint: GaitHint) -> Float {
    let riding = (hint.vehicleProbability ?? 0) + (hint.cyclingProbability ?? 0)
    guard riding > 0.5 else { return 0 }
    return 2 * max(log(max(1 - riding, 0.01) / riding), -4)
  }
}
