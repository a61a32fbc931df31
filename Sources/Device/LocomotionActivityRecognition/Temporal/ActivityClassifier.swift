internal import LocomotionSignals

/// Classifies windows of acceleration by activity, with a temporal filter and a reject option.
///
/// Each window's features give likelihoods (``ActivityModel``), and a hidden Markov model's forward
/// filter (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77(2), 1989, eq. 19-20)
/// multiplies the predicted probabilities by them. Neighbouring windows overlap, hence their
/// likelihoods enter with an exponent that is proportional to the time that the last window lacked:
/// the hop, and after a pause all of the window.
///
/// An activity changes with the signal: where a window's probabilities differ from those of the
/// window four seconds before, a change is more likely than on average, and where they don't, less
/// (``Evidence/hazardRatio``).
///
/// A window of 2.5 s gives an answer too, so that one comes soon after a start. Without
/// any, as in a pause of the recording, the filter predicts, and the last answer stands for as long
/// as the prediction is confident.
///
/// The answer is "unknown", with its reason, when there is nothing to predict from, when the signal
/// is invalid, or when no class is probable enough. Only in the last case the window updated the
/// posterior; in the others the filter only predicted. Low confidence that ends within
/// `holdSeconds` occurs at a change of the activity, or at a bump: the answer is held.
///
/// - Complexity: O(n log n) in the window; allocates nothing after the first call.
public struct ActivityClassifier: Sendable {
  /// The limits of a valid signal, and of changes of the answer.
  public struct Settings: Sendable {
    /// How far the mean norm of a window may lie from 9.81 m/s² at rest; default 1.5 m/s².
    public var gravityTolerance: Float = 1.5
    /// How much farther it may lie per m/s² of the norm's standard deviation; default 2.5.
    ///
    /// Shaking increases the mean norm, and a swinging limb adds its centripetal acceleration: in
    /// runners' pockets the mean is 19 m/s², in a walker's swinging hand 15 to 17 m/s² with a
    /// deviation of 3 m/s².
    public var motionTolerance: Float = 2.5
    /// The largest fraction of a window's samples at the limit of an axis's range; default 0.05.
    public var saturationLimit: Float = 0.05
    /// How many times as probable another class must be before the answer changes to it; default 4.
    ///
    /// Compared before the final calibration. The default removes a quarter of the false changes
    /// for less than a second of median delay; 1 always answers the most probable class.
    public var changeRatio: Float = 4
    /// The least probability of the first answer of a stream; default 0.5.
    ///
    /// Later ones need ``ActivityModel/Parameters/confidenceThreshold``. Chosen on clips of 5 to
    /// 15 s: by 0.6 a twentieth more is without a name, of which three in four would be right.
    public var firstConfidence: Float = 0.5
    /// How long an answer is held under low confidence before it becomes "unknown", default 5 s.
    public var holdSeconds: Float = 5

    /// The defaults.
    public init() {}
  }

  /// The state between calls.
  public struct State: Sendable {
    /// The filtered probabilities of the temporal model's states.
    var states: ActivityStates
    /// Seconds since the last evidence.
    var coastedSeconds: Float = 0
    /// Those of them in which nothing was observed.
    var silentSeconds: Float = 0
    /// The evidence of the last call of `update`; nil before the first.
    var lastEvidence: Evidence?
    var hold = DecisionHold()
    /// Seconds since the last window that updated the posterior; a year before the first.
    var secondsSinceWindow: Float = ActivityClassifier.longestGap
    /// The windows with which the next one is compared.
    var recentWindows = RecentWindows()
    /// The filtered probabilities of the custom activities; nil with a model without any.
    public var custom: CustomProbabilities?
    /// The custom activity that is answered, by its position; nil for the ordinary kind.
    public var heldCustom: Int?

    /// The filtered probabilities of the activities before the final calibration.
    public var posterior: ActivityProbabilities { states.activities }
  }

  /// The number of samples in a window, 3.84 s.
  ///
  /// It is repeated backwards until it fills the 5.12 s that ``FeatureExtractor`` describes, so
  /// that the newest second counts twice. Chosen on people and sets left out of training, against
  /// 2.56 and 5.12 s: a shorter window tells of a change sooner, a longer one is right more often.
  public static let windowLength = 384

  /// The model.
  public let model: ActivityModel
  /// The limits of a valid signal, and of changes of the answer.
  public let settings: Settings
  /// The state of the stream.
  public internal(set) var state: State

  let transitions: ActivityTransitions
  private let customFilter: CustomActivityFilter?
  private var analyzer: WindowAnalyzer

  /// A classifier at the start of a stream.
  ///
  /// - Precondition: the model reads the features of ``FeatureExtractor/schema``, and no rotation
  ///   features or those of ``RotationFeatureExtractor/schema``.
  public init(model: ActivityModel, settings: Settings = .init()) {
    let expected = FeatureExtractor.schema.count
    precondition(
      model.featureCount == expected, "expected \(expected) features, got \(model.featureCount)")
    let rotation = RotationFeatureExtractor.schema.count
    precondition(
      [0, rotation].contains(model.rotationFeatureCount),
      "expected \(rotation) rotation features, got \(model.rotationFeatureCount)")
    self.model = model
    self.settings = settings
    transitions = ActivityTransitions(
      classes: model.parameters.classes, dwellSeconds: model.parameters.dwellSeconds)
    analyzer = WindowAnalyzer(model: model, settings: settings, windows: 1, width: 4)
    customFilter = CustomActivityFilter(model)
    state = State(
      states: ActivityStates(lanes: transitions.start),
      custom: customFilter.map { CustomProbabilities(lanes: $0.prior) })
  }

  /// The evidence of the last call of ``update(window:rotation:hopSeconds:speed:)``.
  public var lastEvidence: Evidence? { state.lastEvidence }

  /// The features of the last full window, in the order of ``FeatureExtractor/schema``.
  ///
  /// Zeros before the first; not saved.
  public var lastFeatures: [Float] { Array(analyzer.features) }
  /// Those of ``RotationFeatureExtractor/schema``; empty where the window had no rotation rates.
  package var lastRotationFeatures: [Float] {
    analyzer.hasRotation ? Array(analyzer.rotationFeatures) : []
  }

  /// Filtered and calibrated probabilities at this time.
  public var probabilities: ActivityProbabilities {
    state.posterior.tempered(model.parameters.temperatures(after: state.lastEvidence).filtered)
  }

  /// Updates with the newest window, `hopSeconds` after the call before, and decides.
  ///
  /// A window longer than ``windowLength`` counts with its newest samples; one
  /// shorter than ``FeatureExtractor/shortestWindowLength`` is not enough data. A hop that is
  /// negative or not a number counts as 0. The lanes of the window are x, y, z, |a| in m/s² with
  /// gravity, on a uniform 100 Hz grid.
  ///
  /// A `speed` at the end of the window is independent evidence; nil or NaN has no effect. It is
  /// used together with a window only.
  ///
  /// The same as ``update(window:rotation:hopSeconds:speed:)`` without a gyroscope.
  public mutating func update(
    window: Span<SIMD4<Float>>, hopSeconds: Float, speed: SpeedEvidence? = nil
  ) -> ActivityDecision {
    update(
      window: window, rotation: window.extracting(0..<0), hopSeconds: hopSeconds, speed: speed)
  }

  /// Updates with the newest window of both sensors, `hopSeconds` after the call before, and
  /// decides.
  ///
  /// `rotation` holds the rotation rates of the same time as the window, x, y, z in rad/s on the
  /// same grid; its newest ``FeatureExtractor/windowLength`` samples count. When it is shorter,
  /// empty for a phone without a gyroscope, or invalid (``RotationFeatureExtractor/isSound(_:)``),
  /// the accelerations are used alone.
  public mutating func update(
    window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>, hopSeconds: Float,
    speed: SpeedEvidence? = nil
  ) -> ActivityDecision {
    update(
      with: analyze(window: window, rotation: rotation), hopSeconds: hopSeconds, speed: speed)
  }

  /// Computes the likelihood of the newest window of both sensors; the state is unchanged.
  ///
  /// The windows are those of ``update(window:rotation:hopSeconds:speed:)``. The likelihood doesn't
  /// depend on earlier windows; `end`, the cell of the 100 Hz grid before which the window ends,
  /// saves work where it is known.
  package mutating func analyze(
    window: Span<SIMD4<Float>>, endingAt end: Int64? = nil, rotation: Span<SIMD4<Float>>
  ) -> WindowLikelihood {
    analyzer.take(window, endingAt: end, at: 0)
    analyzer.measure()
    return analyzer.likelihood(at: 0, window: window, rotation: rotation)
  }

  /// The next window is of another stream.
  package mutating func forgetWindow() { analyzer.forgetWindow() }

  /// Exchanges memory of 512 vectors and more that is free for other use between two windows.
  package mutating func swapMemory(with other: inout ContiguousArray<SIMD4<Float>>) {
    swap(&analyzer.extractor.meter.transform.memory, &other)
  }

  /// An analyzer of four windows at once, with the same results as this classifier's one by one.
  package var batchAnalyzer: WindowAnalyzer {
    WindowAnalyzer(
      model: model, settings: settings, windows: WindowAnalyzer.batchCount, width: 16)
  }

  /// Updates with the likelihood of a window, `hopSeconds` after the call before, and decides.
  ///
  /// With the likelihood that `analyze` returns, the same as
  /// ``update(window:rotation:hopSeconds:speed:)``.
  ///
  /// `observedFraction` is that of the window that wasn't filled across gaps, 0 to 1. A phone that
  /// `isStill`, as the mean accelerations of the newest seconds show, is at rest whatever the
  /// window looks like.
  package mutating func update(
    with likelihood: WindowLikelihood, hopSeconds: Float, speed: SpeedEvidence? = nil,
    steps: SteppingObservation? = nil, observedFraction: Float = 1, isStill: Bool = false
  ) -> ActivityDecision {
    naming(
      updateActivities(
        with: likelihood, hopSeconds: hopSeconds, speed: speed, steps: steps,
        observedFraction: observedFraction, isStill: isStill))
  }

  private mutating func updateActivities(
    with likelihood: WindowLikelihood, hopSeconds: Float, speed: SpeedEvidence?,
    steps: SteppingObservation?, observedFraction: Float, isStill: Bool
  ) -> ActivityDecision {
    let isObserved = observedFraction >= Self.leastObservedFraction
    switch isObserved ? likelihood : .unusable(.notEnoughData) {
    case .unusable(let reason):
      coast(seconds: hopSeconds)
      return reason == .notEnoughData ? predict() : withhold(reason)
    case .likelihood(var likelihood, let hasRotation, let seconds, let custom):
      let hop = Self.duration(hopSeconds)
      let hazardRatio = state.recentWindows.hazardRatio(of: likelihood, after: hop)
      predict(seconds: hop, isSilent: false, hazardRatio: hazardRatio)
      if let speed { likelihood = likelihood.weighed(by: speed) }
      if let steps { likelihood = likelihood.weighed(by: steps) }
      if isStill { likelihood = Self.atRest }
      let new = min(state.secondsSinceWindow, seconds) * observedFraction
      let exponent = min(1, model.parameters.evidenceExponent * new)
      record(
        likelihood, exponent: exponent, hazardRatio: hazardRatio, hasRotation: hasRotation)
      updateCustom(custom, exponent: exponent)
      state.secondsSinceWindow = 0
      updateHold()
      return heldAnswer()
    }
  }

  /// Updates with what the step between fixes that ends now says of the activity, `seconds` after
  /// the call before, and decides; without a step it predicts.
  ///
  /// For times without accelerations, and a model with a term for fixes.
  package mutating func update(
    with course: TrackClassifier.Evidence?, seconds: Float
  ) -> ActivityDecision {
    coast(seconds: seconds)
    guard let course else { return naming(predict(isFromFixes: true)) }
    let perSecond = model.parameters.track?.evidenceExponent ?? 0
    let exponent = min(1, perSecond * min(Self.longestStep, course.seconds))
    record(course.course, exponent: exponent, isFromFixes: true)
    updateHold()
    return naming(heldAnswer())
  }

  /// Predicts `seconds` ahead without data: the posterior relaxes towards equal probabilities.
  ///
  /// With a mean time of five minutes in one activity, or the model's if that is longer.
  public mutating func coast(seconds: Float) {
    predict(seconds: seconds, isSilent: true)
  }

  private mutating func predict(seconds: Float, isSilent: Bool, hazardRatio: Float = 1) {
    let seconds = Self.duration(seconds)
    if isSilent { state.recentWindows.age(by: seconds) }
    state.coastedSeconds = min(Self.longestGap, state.coastedSeconds + seconds)
    state.secondsSinceWindow = min(Self.longestGap, state.secondsSinceWindow + seconds)
    state.hold.wait(seconds: seconds)
    if isSilent { state.silentSeconds = min(Self.longestGap, state.silentSeconds + seconds) }
    state.states = ActivityStates(
      lanes: transitions.advance(
        state.states.lanes, by: seconds, silent: isSilent ? seconds : 0, hazardRatio: hazardRatio)
    )
    if let customFilter, let custom = state.custom {
      state.custom = CustomProbabilities(
        lanes: customFilter.predict(custom.lanes, seconds: seconds))
    }
  }

  /// Updates the probabilities of the custom activities by the scores of a window.
  private mutating func updateCustom(_ scores: SIMD8<Float>?, exponent: Float) {
    guard let customFilter, let custom = state.custom, let scores else { return }
    state.custom = CustomProbabilities(
      lanes: customFilter.update(
        custom.lanes, with: scores, exponent: min(1, max(0, exponent)),
        activities: state.posterior))
  }

  /// The decision with the custom activity that it is, if any.
  private mutating func naming(_ decision: ActivityDecision) -> ActivityDecision {
    guard let customFilter, let custom = state.custom else { return decision }
    state.heldCustom = customFilter.answer(
      custom.lanes, for: decision, held: state.heldCustom, changeRatio: settings.changeRatio)
    return customFilter.naming(decision, state.heldCustom, custom.lanes)
  }

  private mutating func updateHold() {
    let least = state.hold.leastConfidence(model.parameters.confidenceThreshold, settings)
    state.hold.update(
      state.posterior, isConfident: probabilities.confidence >= least, settings)
  }

  /// Resets to the state after `init`.
  public mutating func reset() {
    self = ActivityClassifier(model: model, settings: settings)
  }

  /// Updates the posterior with the window's likelihood.
  mutating func record(
    _ window: ActivityProbabilities, exponent: Float, hazardRatio: Float = 1,
    hasRotation: Bool = false, isFromFixes: Bool = false
  ) {
    let evidence = Evidence(
      window: window, elapsedSeconds: state.coastedSeconds,
      silentSeconds: state.silentSeconds, exponent: exponent, hazardRatio: hazardRatio,
      hasRotation: hasRotation, isFromFixes: isFromFixes)
    let likelihoods = evidence.likelihoods(of: transitions.prior)
    state.states = ActivityStates(
      normalising: state.states.lanes * likelihoods, else: transitions.prior)
    state.lastEvidence = evidence
    state.coastedSeconds = 0
    state.silentSeconds = 0
  }

  /// The likelihood of what a phone shows that is still: a vehicle may stand, and nothing else is
  /// ruled out.
  private static let atRest: ActivityProbabilities = {
    var lanes = SIMD8<Float>.zero
    for activity in Activity.allCases { lanes[activity.rawValue] = 0.001 }
    lanes[Activity.stationary.rawValue] = 1
    return ActivityProbabilities(normalising: lanes)
  }()

  /// The most of a step between fixes that counts as evidence, seconds.
  private static let longestStep: Float = 60
  /// A year; longer gaps change nothing.
  fileprivate static let longestGap: Float = 3.2e7
  /// The fraction of a window that must be observed and not filled; with less nothing is said.
  static let leastObservedFraction: Float = 0.3

  private static func duration(_ seconds: Float) -> Float {
    seconds > 0 ? min(seconds, longestGap) : 0
  }
}
