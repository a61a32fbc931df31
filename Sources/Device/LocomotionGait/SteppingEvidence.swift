internal import CLocomotionMath

/// The log odds of stepping at each rate against not stepping, from a spectrum.
///
/// A conditional logit over the candidate rates and "none" (McFadden, "Conditional logit analysis
/// of qualitative choice behavior", 1974). Each rate's log odds are a weighted sum of
/// - the fraction of the step signal's power on multiples of the step frequency, above chance;
/// - the fraction midway between them, above chance: one stride is two steps;
/// - ln p(rate, intensity | on foot) / p(intensity | not), a mixture of walking and running;
/// - the logarithm of the fraction above 3.2 Hz, which foot contacts have and swaying vehicles
///   lack;
/// - the skewness of the norm: foot contacts are short peaks, pedals and roads are symmetric;
/// - the rise that the fundamental implies, a₁/(2πf)², whose logarithm has the highest value
///   between 1 and 2 cm: half the true rate would imply four times the rise, twice the rate a
///   quarter;
/// - a penalty where the first line has little of the power: the lines of any rhythm are also
///   multiples of a half or a third of it, where a hand may sway;
/// - a penalty where lines 2, 4 and 6 exceed the first while 3 and 5 are missing: these are the
///   lines of twice the rate, and the first is the swing of one leg.
///
/// Slow steps are soft, so that high fraction and skewness have lower weights below 54 steps/min.
///
/// The weights maximise the likelihood of recordings of walking, stairs, running, bicycles,
/// vehicles, lifts and rest, of walking slowed down to 38 steps/min and running sped up to 238 with
/// amplitudes to match, and of synthetic gait (`Datasets/stepping/fit.py`).
package struct SteppingEvidence: Sendable {
  /// The combs of lines; one static value, because each access to a static costs a call.
  private struct Combs {
    // The teeth of lines at multiples of the step rate never overlap, so that each line is summed
    // once.
    let first = HarmonicComb(multiples: [1], spacing: 1)
    let even = HarmonicComb(multiples: [2, 4, 6], spacing: 1)
    let odd = HarmonicComb(multiples: [3, 5], spacing: 1)
    let between = HarmonicComb(multiples: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], spacing: 0.5)
    let fundamental = HarmonicComb(multiples: [1], spacing: .infinity)
  }
  private static let combs = Combs()

  /// The constants of four neighbouring rates.
  private struct Rates {
    /// Hz.
    let frequency: SIMD4<Float>
    /// ln of steps per minute.
    let logarithm: SIMD4<Float>
    /// ln of the squared ratio of a line's amplitude to the rise that it implies, (2πf)⁴.
    let logStiffness: SIMD4<Float>
    /// The weight of the parameters for slow steps, 0 to 1.
    let slowness: SIMD4<Float>
    /// The log odds that a flat spectrum would add through the fractions on and between lines.
    let chance: SIMD4<Float>
    /// Whether the teeth of `first` are narrower than those of `fundamental`.
    let hasNarrowTeeth: Bool

    init(group: Int, combs: borrowing Combs) {
      let first = 4 * group
      frequency =
        SIMD4(
          RateGrid.stepsPerMinute(first), RateGrid.stepsPerMinute(first + 1),
          RateGrid.stepsPerMinute(first + 2), RateGrid.stepsPerMinute(first + 3)) / 60
      logarithm = log(60 * frequency)
      logStiffness = 4 * log(2 * .pi * frequency)
      slowness = 1 / (1 + exp((frequency - 0.9) / 0.06))
      let steps = combs.first.chance[group] + combs.even.chance[group] + combs.odd.chance[group]
      chance = lineScale * (stepWeight * steps + strideWeight * combs.between.chance[group])
      hasNarrowTeeth = frequency.min() < 1
    }
  }
  private static let rates = ContiguousArray(
    (0..<RateGrid.count / 4).map { Rates(group: $0, combs: combs) })

  /// The step signal's power per bin, in all lanes.
  private var broadcast = ContiguousArray<SIMD4<Float>>(
    repeating: .zero, count: GaitSpectrum.binCount)

  /// Allocates memory; the combs are shared.
  init() {}

  /// Writes the log odds of every rate to `analysis`, from its spectrum.
  mutating func weigh(_ analysis: inout GaitAnalysis) {
    let (total, highTotal) = Self.broadcast(analysis.powers, to: &broadcast)
    let broadcast = broadcast.span
    // 1e-4 m/s² is below the quantisation of any sensor.
    let logIntensity = 0.5 * log(max(analysis.totalPower, 1e-8))
    let highFraction = min(max(log(max(highTotal / total, 1e-4)), -1.8), -0.5)
    let skewness = min(max(analysis.skewness, -1), 0.5)
    let shape = Self.highFractionWeight * highFraction + Self.skewnessWeight * skewness
    let slowShape =
      Self.slowBias + Self.slowHighFractionWeight * highFraction + Self.slowSkewnessWeight
      * skewness
    let common = Self.bias - Self.steppingPenalty + shape
    analysis.notOnFoot = Self.logDensityNotOnFoot(logIntensity)
    Self.fill(&analysis.densities, logIntensity: logIntensity)
    let stepScale = Self.stepWeight * Self.lineScale / total
    let strideScale = Self.strideWeight * Self.lineScale / total
    let (combs, bends) = (Self.combs, Self.riseBends)
    let groups = Self.rates.span
    var results = analysis.logOdds.mutableSpan
    for group in groups.indices {
      let rates = groups[group]
      let first = combs.first.power(of: broadcast, at: group)
      let even = combs.even.power(of: broadcast, at: group)
      let odd = combs.odd.power(of: broadcast, at: group)
      let between = combs.between.power(of: broadcast, at: group)
      let power = larger(
        rates.hasNarrowTeeth ? combs.fundamental.power(of: broadcast, at: group) : first,
        SIMD4(repeating: 1e-8))
      var odds = common + (slowShape - shape) * rates.slowness - rates.chance
      odds += stepScale * (first + even + odd) + strideScale * between
      odds += Self.plausibility(
        ofLogRise: 0.5 * (log(power) - rates.logStiffness), bends)
      odds -= Self.weakFundamentalPenalty(first: power, higher: even + odd)
      odds -= Self.octavePenalty(first: power, even: even, odd: odd)
      results[group] = odds
    }
  }

  /// Broadcasts each of the step signal's powers to all lanes.
  ///
  /// Returns the sum of those in the band, and that of those above 3.2 Hz.
  private static func broadcast(
    _ powers: ContiguousArray<SIMD2<Float>>, to lanes: inout ContiguousArray<SIMD4<Float>>
  ) -> (total: Float, high: Float) {
    let powers = powers.span
    var lanes = lanes.mutableSpan
    var (total, low) = (Float.leastNormalMagnitude, Float(0))
    for bin in GaitSpectrum.band {
      let power = powers[bin].x
      lanes[bin] = SIMD4(repeating: power)
      if bin == firstHighBin { low = total }
      total += power
    }
    return (total, total - low)
  }

  /// Writes the log odds per rate of ``RateGrid`` against not stepping, four by four, of a window
  /// that isn't quiet.
  package static func logOdds(
    from analysis: GaitAnalysis, hint: GaitHint, into logOdds: inout ContiguousArray<SIMD4<Float>>
  ) {
    let common = Self.logOdds(of: hint)
    let running = min(max(hint.runningProbability ?? 0.12, 0.02), 0.98)
    let notOnFoot = analysis.notOnFoot
    let (shown, densities) = (analysis.logOdds.span, analysis.densities.span)
    var logOdds = logOdds.mutableSpan
    func onFoot(_ index: Int) -> SIMD4<Float> {
      let densities = densities[index]
      let onFoot = log((1 - running) * densities.onWalk + running * densities.onRun + 1e-30)
      return common + intensityWeight * larger(onFoot - notOnFoot, SIMD4(repeating: -12))
    }
    var knots = onFoot(0)
    for index in 0..<RateGrid.count / 16 {
      let later = onFoot(index + 1)
      let rises = SIMD4(knots.y, knots.z, knots.w, later.x) - knots
      for lane in 0..<4 {
        let group = 4 * index + lane
        logOdds[group] = shown[group] + (knots[lane] + rises[lane] * SIMD4(0, 0.25, 0.5, 0.75))
      }
      knots = later
    }
    // Below 0.7 m/s speed is ignored: satellite speeds are poor there, and treadmills stand still.
    guard let speed = hint.speed, speed > 0.7, speed < 1e3 else { return }
    let rates = rates.span
    let usual = logRate(atSpeed: speed)
    for group in logOdds.indices {
      let deviation = (rates[group].logarithm - usual) / 0.3
      logOdds[group] -= smaller(0.5 * deviation * deviation, SIMD4(repeating: 6))
    }
  }

  /// The sum over a single line's lobe relative to its highest bin, N Σw²/(Σw)² in six seconds.
  private static let lineScale =
    1.5 * Float(GaitSpectrum.transformLength) / Float(GaitSpectrum.capacity)
  private static let firstHighBin = 33
  private static let stepWeight: Float = 22.637
  private static let strideWeight: Float = 11.591
  private static let intensityWeight: Float = 0.315
  private static let highFractionWeight: Float = 3.066
  private static let slowHighFractionWeight: Float = 0.602
  private static let skewnessWeight: Float = 5.942
  private static let slowSkewnessWeight: Float = 4.003
  private static let slowBias: Float = -3.565
  /// The extra cost of a false step over a missed one, in nats: parts of rides look like steps.
  private static let steppingPenalty: Float = 2
  /// The fitted bias less 0.04, because bins half as wide have slightly higher powers.
  private static let bias: Float = -4.559

  /// The joint densities of log rate and log intensity on a walk and on a run, up to a constant.
  ///
  /// Three components: walking, whose intensity grows with the square of the rate (108 steps/min at
  /// 3.8 m/s²); slow walking and shuffling; running at 163 steps/min and 15 m/s².
  private static func densitiesOnFoot(
    logRate: SIMD4<Float>, logIntensity: Float
  ) -> GaitAnalysis.Densities {
    let walkIntensity = 1.335 + 2 * (logRate - 4.682)
    let runIntensity = 2.708 + (logRate - 5.088)
    let walk = normal((logRate - 4.654) / 0.22, (logIntensity - walkIntensity) / 0.6)
    let slow = normal((logRate - 4.317) / 0.35, (logIntensity - walkIntensity) / 0.7)
    let run = normal((logRate - 5.094) / 0.09, (logIntensity - runIntensity) / 0.4)
    let sprint = normal((logRate - 5.3) / 0.12, (logIntensity - runIntensity) / 0.5)
    let (walks, slows): (Float, Float) = (0.91 / (0.22 * 0.6), 0.09 / (0.35 * 0.7))
    let (runs, sprints): (Float, Float) = (0.8 / (0.09 * 0.4), 0.2 / (0.12 * 0.5))
    return GaitAnalysis.Densities(
      onWalk: walks * walk + slows * slow, onRun: runs * run + sprints * sprint)
  }

  /// ln of the density of log intensity when not on foot: rest and smooth rides, or rough rides.
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

  /// The contribution of ln of a vertical rise (half of peak to peak, metres), in nats.
  ///
  /// No recorded person rises by less than 2.5 mm. Heartbeats and engines do, so that a manual
  /// penalty rules such rises out.
  private static func plausibility(
    ofLogRise logRise: SIMD4<Float>, _ bends: Bends
  ) -> SIMD4<Float> {
    let missing = larger(bends.least - logRise, .zero)
    var value = -7.5 * smaller(missing * missing, SIMD4(repeating: 4))
    let (a, b, c, d) = bends.others
    value += a.slope * larger(logRise - a.position, .zero)
    value += b.slope * larger(logRise - b.position, .zero)
    value += c.slope * larger(logRise - c.position, .zero)
    return value + d.slope * larger(logRise - d.position, .zero)
  }

  private static let leastRise = log(Float(0.0025))
  /// A line with less power than this implies a rise below ``leastRise`` at every rate, m²/s⁴.
  static let leastPower: Float = {
    let turn = 2 * Float.pi * RateGrid.stepsPerMinute(0) / 60
    let amplitude = exp(leastRise) * turn * turn
    return amplitude * amplitude
  }()
  /// The log odds of an impossible rate.
  static let impossible: Float = -15
  /// The knots of the piecewise-linear value of ln(rise), and the change of slope at each.
  private struct Bends {
    typealias Bend = (position: Float, slope: Float)
    let least = leastRise
    let others: (Bend, Bend, Bend, Bend) = (
      (log(0.003), 1.691), (log(0.01), 0.373), (log(0.02), -1.854), (log(0.035), -7.035)
    )
  }
  private static let riseBends = Bends()

  /// Writes the densities at ``knots``, between which their logarithms deviate from linear by less
  /// than 0.01.
  private static func fill(
    _ densities: inout ContiguousArray<GaitAnalysis.Densities>, logIntensity: Float
  ) {
    let knots = knots.span
    var densities = densities.mutableSpan
    for index in knots.indices {
      densities[index] = densitiesOnFoot(logRate: knots[index], logIntensity: logIntensity)
    }
  }

  /// Every fourth rate's logarithm, and that of the one after the last, four by four.
  private static let knots = ContiguousArray(
    stride(from: 0, through: RateGrid.count, by: 16).map { rate in
      log(
        SIMD4(
          RateGrid.stepsPerMinute(rate), RateGrid.stepsPerMinute(rate + 4),
          RateGrid.stepsPerMinute(rate + 8), RateGrid.stepsPerMinute(rate + 12)))
    })

  /// ln of the expected steps per minute at a speed in m/s, ±30 % between people.
  ///
  /// Step length grows about as the square root of the speed, 0.6 m at 1 m/s.
  private static func logRate(atSpeed speed: Float) -> Float {
    log(60 * speed.squareRoot() / 0.6)
  }

  /// The log odds of being on foot given the estimates of other stages, 0 to 2.
  ///
  /// 0 unless being on foot has more than half. The classifier uses the same accelerations, so that
  /// its evidence does no more than offset ``steppingPenalty``. A ride is no evidence here: it
  /// decides whether the steps that are found count.
  private static func logOdds(of hint: GaitHint) -> Float {
    let onFoot = (hint.walkingProbability ?? 0) + (hint.runningProbability ?? 0)
    if onFoot > 0.5 { return min(log(onFoot / max(1 - onFoot, 0.01)), steppingPenalty) }
    return 0
  }
}

// Against the octave error, which answers half or twice the rate: the lines of a rhythm are also
// multiples of a half of its frequency.
extension SteppingEvidence {
  /// The penalty, in nats, of a first line so weak that it may be a sway rather than the steps.
  ///
  /// The lines of any rhythm are also multiples of a half or a third of its frequency.
  static func weakFundamentalPenalty(
    first: SIMD4<Float>, higher: SIMD4<Float>
  ) -> SIMD4<Float> {
    let weakness = log((first + higher) / first)
    return weakWeight * larger(weakness - 0.7, .zero)
      + weakerWeight * larger(weakness - 1.5, .zero)
  }

  private static let weakWeight: Float = 0.944
  private static let weakerWeight: Float = 0.474

  /// The penalty, in nats, of lines at even multiples alone: they are those of twice the rate.
  ///
  /// `first`, `even` and `odd` are powers at the rate, at 2, 4, 6 and at 3 and 5 times the rate.
  static func octavePenalty(
    first: SIMD4<Float>, even: SIMD4<Float>, odd: SIMD4<Float>
  ) -> SIMD4<Float> {
    let known = larger(even, SIMD4(repeating: .leastNormalMagnitude))
    let ratio = log(known / (3 * odd + 0.02 * known))
    let penalty = smaller(larger(ratio, .zero), SIMD4(repeating: 3))
    return choose(even, over: first, octavePenaltyWeight * penalty, .zero)
  }

  private static let octavePenaltyWeight: Float = 0.825
}
