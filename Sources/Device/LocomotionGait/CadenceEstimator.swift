/// Estimates step cadence and counts steps from a phone's raw acceleration, once per second.
///
/// Any place on the body and any orientation will do: the spectra of norm and vertical component
/// over the last six seconds are invariant under rotation of the phone. A forward filter over 192
/// step rates and "not stepping" turns each second's evidence into a posterior; its mass within 5 %
/// of the answer is the confidence, and when "not stepping" has more than half, or the hint says
/// that the person rides, the answer is nil. What the accelerations show is counted all the same,
/// provisionally (``CadenceUpdate/provisional``).
/// The rate is then refined on the spectral lines, and the phase of the step line gives the number
/// of steps in the second in the middle of the window. The estimator is causal.
///
/// ## Accuracy
/// Measured on walking and running phones by `GaitAccuracyTests`, on synthetic gait by
/// `CadenceEstimatorTests`.
///
/// ## Degenerate input
/// Fewer than 300 samples, or a window without gravity (mean below 0.1 m/s²), give no result. NaN
/// counts as 0, values beyond ±10,000 m/s² are clamped; every result is finite.
///
/// - Complexity: a 512-point transform of four lanes and about 30,000 multiply-adds per update, a
///   tenth of that for a phone at rest; allocates in `init` only.
public struct CadenceEstimator: Sendable {
  /// The parameters of the estimator.
  public struct Settings: Sendable {
    /// Whether hints are used (default true); false measures the accelerometer alone.
    public var usesHints = true

    /// The defaults.
    public init() {}
  }

  /// The lag of ``CadenceUpdate/laggedCadence``: seconds from the end of its second to now.
  public static let lagSeconds = 3

  /// The posterior probability of stepping above which a cadence is reported.
  private static let steppingThreshold: Float = 0.5

  /// The tuning that was given at the start.
  public let settings: Settings

  private var spectrum = GaitSpectrum()
  private var evidence = SteppingEvidence()
  /// One from the first ``update(window:hint:)`` on: a pipeline brings its own, 5 kB.
  private var analyses: [GaitAnalysis] = []
  /// Memory for the transform of an analysis, 8 kB: allocated by the first one that finds none.
  package var memory: ContiguousArray<SIMD4<Float>> = []
  private var logOdds = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: RateGrid.count / 4)
  private var filter = RateFilter()
  /// The same without hints: what the accelerations alone show.
  private var unhinted = RateFilter()
  private var counter = StepCounter()
  private var line = StepLine()
  private var track = StepTrack()
  /// The steps that weren't counted because the person was said to ride.
  private var withheld = WithheldSteps()

  /// An estimator at its prior.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Updates the estimate by one second.
  ///
  /// `window` holds the newest samples of a uniform 100 Hz grid, oldest first: lanes x, y, z and
  /// norm in m/s² with gravity. The newest 100 are the second since the last call; of more than 600
  /// only the newest 600 are used. No step is counted twice.
  public mutating func update(
    window: Span<SIMD4<Float>>, hint: GaitHint = .unknown
  ) -> CadenceUpdate {
    var analysis = analyses.popLast() ?? GaitAnalysis()
    analyze(window: window, endingAt: nil, into: &analysis)
    defer { analyses.append(analysis) }
    return update(with: analysis, hint: hint)
  }

  /// Fills `analysis` with the evidence of `window` alone, of which the newest 600 samples are
  /// used; the posterior is unchanged.
  ///
  /// `end` is the cell of the 100 Hz grid before which the window ends, or nil when that isn't
  /// known. With it samples common to consecutive windows are filtered once; the result is the same
  /// bit for bit.
  package mutating func analyze(
    window: Span<SIMD4<Float>>, endingAt end: Int64?, into analysis: inout GaitAnalysis
  ) {
    guard window.count >= Self.fewestSamples else {
      spectrum.forgetWindow()
      analysis.isUsable = false
      return
    }
    let newest = window.extracting(max(0, window.count - 600)..<window.count)
    analysis.isUsable = spectrum.analyze(newest, endingAt: end, with: &memory, into: &analysis)
    if analysis.isUsable, !analysis.isQuiet { evidence.weigh(&analysis) }
  }

  /// Three seconds: fewer than two strides look like a single jolt.
  private static let fewestSamples = 300

  /// Resets the reuse of samples: the next window is of another stream.
  package mutating func forgetWindow() { spectrum.forgetWindow() }

  /// The posterior of the accelerations alone after one more second, independent of all hints.
  ///
  /// Evidence for the stages that the hints come from: their own estimates would come back to them
  /// in ``update(with:hint:)``. Call it before that.
  ///
  /// - Returns: The most probable step rate, with the probability of stepping at it; the rate is
  ///   nil when not stepping is more probable. Nil when there is no evidence.
  package mutating func observe(
    _ analysis: GaitAnalysis
  ) -> (stepsPerMinute: Float?, probability: Float)? {
    guard analysis.isUsable else { return nil }
    Self.update(&unhinted, with: analysis, hint: .unknown, &logOdds)
    guard 1 - unhinted.notStepping > Self.steppingThreshold else {
      return (nil, 1 - unhinted.notStepping)
    }
    let mode = unhinted.mode
    return (RateGrid.stepsPerMinute(mode.rate), mode.probability)
  }

  /// Updates a filter by one second; `logOdds` is memory to use.
  private static func update(
    _ filter: inout RateFilter, with analysis: GaitAnalysis, hint: GaitHint,
    _ logOdds: inout ContiguousArray<SIMD4<Float>>
  ) {
    if analysis.isQuiet {
      filter.update(logOddsOfAll: SteppingEvidence.impossible)
    } else {
      SteppingEvidence.logOdds(from: analysis, hint: hint, into: &logOdds)
      filter.update(logOdds: logOdds)
    }
  }

  /// Updates the posterior by one second, with the evidence in `analysis`.
  package mutating func update(
    with analysis: GaitAnalysis, hint: GaitHint = .unknown
  ) -> CadenceUpdate {
    guard analysis.isUsable else {
      // The posterior is unchanged, nothing is counted.
      _ = counter.update(gait: nil, secondEnergies: analysis.secondEnergies, track: track)
      withheld = WithheldSteps()
      return CadenceUpdate()
    }
    let hint = settings.usesHints ? hint.plausible : .unknown
    var result = count(analysis, hint: hint)
    result.provisional = .init(
      cadence: result.cadence, laggedCadence: result.laggedCadence, steps: result.steps)
    guard hint.rulesOutSteps else {
      result.steps += withheld.release()
      return result
    }
    withheld.append(result.steps)
    result.steps = 0
    (result.cadence, result.laggedCadence) = (nil, nil)
    let riding = min(max(hint.ridingProbability, 0.5), 1)
    result.steppingProbability = result.steppingProbability.map { min($0, 1 - riding) }
    return result
  }

  /// What the accelerations show, whether or not the person rides.
  private mutating func count(_ analysis: GaitAnalysis, hint: GaitHint) -> CadenceUpdate {
    Self.update(&filter, with: analysis, hint: hint, &logOdds)
    let stepping = 1 - filter.notStepping
    let mode = filter.mode
    var result = CadenceUpdate()
    result.steppingProbability = stepping
    if stepping > Self.steppingThreshold {
      let frequency = analysis.stepFrequency(near: mode.rate)
      line.tune(to: frequency)
      line.demodulate(analysis, into: &track)
      let rhythm = line.rhythm(of: analysis, along: track)
      let cadence = Cadence(
        stepsPerMinute: 60 * frequency, confidence: mode.probability,
        standardErrorStepsPerMinute: rhythm.map { 60 * $0.standardError })
      result.cadence = cadence
      result.laggedCadence = cadence
      if let rhythm { result.laggedCadence?.stepsPerMinute = 60 * rhythm.laggedRate }
    }
    let stepsPerMinute = result.cadence?.stepsPerMinute ?? RateGrid.stepsPerMinute(mode.rate)
    result.steps = counter.update(
      gait: .init(
        stepsPerSecond: stepsPerMinute / 60, isStepping: result.cadence != nil,
        persistence: filter.persistence),
      secondEnergies: analysis.secondEnergies, track: track)
    return result
  }

  /// Resets to the prior, as after a gap in the data.
  public mutating func reset() {
    filter.reset()
    unhinted.reset()
    counter.reset()
    withheld = WithheldSteps()
  }
}

extension CadenceEstimator: StateArchivable {
  /// All but the settings, which are the reader's, and the tables, which follow from them.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&filter, &unhinted, &counter, &withheld)
  }
}
