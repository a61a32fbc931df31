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

  private let stepLines = HarmonicComb(multipleGroups: [[1, 2, 3, 4, 5, 6]], spacing: 1)
  private let strideLines = HarmonicComb(
    multipleGroups: [[1, 2, 3, 4, 5, 6], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]],
    spacing: 0.5)
  private let evenLines = HarmonicComb(multipleGroups: [[2, 4, 6]], spacing: 1)
  private let oddLines = HarmonicComb(multipleGroups: [[3, 5]], spacing: 1)
  private let fundamental = HarmonicComb(multipleGroups: [[1]], spacing: .infinity)
  private let logRates: [Float]
  private var doubts = [Float](repeating: 0, count: RateGrid.count)

  /// Prepares the combs.
  package init() {
    logRates = (0..<RateGrid.count).map { log(RateGrid.stepsPerMinute($0)) }
  }

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
    for rate in 0..<RateGrid.count {
      let stepShare = stepLines.power(of: step, at: rate) / stepTotal - stepLines.chance[rate]
      let strideShare =
        strideLines.power(of: horizontal, at: rate) / horizontalTotal - strideLines.chance[rate]
      let onFoot = Self.logDensityOnFoot(
        logRate: logRates[rate], logIntensity: logIntensity, running: running)
      let frequency = RateGrid.stepsPerMinute(rate) / 60
      let first = max(fundamental.power(of: step, at: rate), 1e-8)
      let amplitude = first.squareRoot()
      doubts[rate] = Self.implausibility(
        ofFirst: first, even: evenLines.power(of: step, at: rate),
        odd: oddLines.power(of: step, at: rate))
      let rise = amplitude / (4 * .pi * .pi * frequency * frequency)
      logOdds[rate] =
        common + (frequency < Self.slowestPedals ? slowLook : look)
        + Self.lineScale * (Self.stepWeight * stepShare + Self.strideWeight * strideShare)
        + Self.intensityWeight * max(onFoot - notOnFoot, -12)
        - Self.implausibility(ofRise: rise)
        - Self.implausibility(ofRate: frequency, atSpeed: hint.speed)
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
    logRate: Float, logIntensity: Float, running: Float
  ) -> Float {
    let walkIntensity = 1.335 + 2 * (logRate - 4.682)
    let runIntensity = 2.708 + (logRate - 5.088)
    let walk = normal((logRate - 4.654) / 0.22, (logIntensity - walkIntensity) / 0.6)
    let slow = normal((logRate - 4.317) / 0.35, (logIntensity - walkIntensity) / 0.7)
    let run = normal((logRate - 5.094) / 0.09, (logIntensity - runIntensity) / 0.4)
    let sprint = normal((logRate - 5.3) / 0.12, (logIntensity - runIntensity) / 0.5)
    let walking = 1 - running
    return log(
      walking * (0.91 * walk / (0.22 * 0.6) + 0.09 * slow / (0.35 * 0.7))
        + running * (0.8 * run / (0.09 * 0.4) + 0.2 * sprint / (0.12 * 0.5)) + 1e-30)
  }

  /// ln of the density of log intensity off foot: rest and smooth rides, or rough rides.
  private static func logDensityNotOnFoot(_ logIntensity: Float) -> Float {
    let calm = normal((logIntensity + 1.897) / 1.6, 0)
    let rough = normal((logIntensity - 0.693) / 0.8, 0)
    return log(0.7 * calm / 1.6 + 0.3 * rough / 0.8 + 1e-30)
  }

  private static func normal(_ x: Float, _ y: Float) -> Float {
    exp(-0.5 * (x * x + y * y))
  }

  /// The penalty, in nats, of a vertical rise (half of peak to peak) in metres outside 0.5 to 5 cm.
  private static func implausibility(ofRise rise: Float) -> Float {
    let tooHigh = max(log(rise / 0.05), 0)
    let tooLow = max(log(0.005 / rise), 0)
    return 7.5 * min(tooHigh * tooHigh, 4) + 5.5 * min(tooLow * tooLow, 4)
  }

  /// The penalty, in nats, of lines at even multiples alone: those of steps twice as quick.
  ///
  /// `first`, `even` and `odd` are powers at the rate, at 2, 4, 6 and at 3 and 5 times the rate.
  private static func implausibility(ofFirst first: Float, even: Float, odd: Float) -> Float {
    guard even > first else { return 0 }
    return evenWeight * min(max(log(even / (3 * odd + 0.02 * even)), 0), 3)
  }

  private static let evenWeight: Float = 1.8
  private static let doubtMargin: Float = 3
  private static let leastDoubt: Float = 0.65

  /// The penalty, in nats, of a step frequency in Hz at a speed in m/s.
  ///
  /// A step's length grows about as the root of the speed, 0.6 m at 1 m/s, ±30 % between people.
  /// Below 0.7 m/s, where satellites know little and treadmills stand, speed says nothing.
  private static func implausibility(ofRate frequency: Float, atSpeed speed: Float?) -> Float {
    guard let speed, speed > 0.7, speed < 1e3 else { return 0 }
    let deviation = log(speed / frequency / (0.6 * speed.squareRoot())) / 0.3
    return min(0.5 * deviation * deviation, 6)
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
