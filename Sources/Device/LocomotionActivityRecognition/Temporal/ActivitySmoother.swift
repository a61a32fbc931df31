/// Smooths a recording: probabilities of each window given all windows, earlier and later.
///
/// The forward-backward recursion (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE
/// 77(2), 1989, eq. 27) on the evidence that ``ActivityClassifier`` recorded, with the same
/// transitions. Where no later window follows, the result is the classifier's own.
///
/// Over the last few windows it is a fixed-lag smoother; start it from the posterior before them.
public struct ActivitySmoother: Sendable {
  /// How the smoother's model differs from the live filter's.
  public struct Settings: Sendable, Equatable {
    /// Multiplies the model's mean time in one activity; default 1.
    public var dwellFactor: Float
    /// Multiplies the exponent of each window's likelihood, which stays at most 1; default 1.
    ///
    /// That of a step between fixes stays as it is.
    public var evidenceFactor: Float
    /// How much later than an activity its evidence comes, seconds; default 2.
    ///
    /// A window tells of its middle. With the default a change is found within 3 s in nine of ten
    /// cases, with 0 within 5 s, on sets left out of training.
    public var delaySeconds: Float

    /// Settings with the defaults stated at each field.
    public init(dwellFactor: Float = 1, evidenceFactor: Float = 1, delaySeconds: Float = 2) {
      self.dwellFactor = dwellFactor
      self.evidenceFactor = evidenceFactor
      self.delaySeconds = delaySeconds
    }

    /// Settings for fixed-lag smoothing with a lag of about ``ActivitySmoother/lagSeconds``.
    ///
    /// With these factors the accuracy at that lag is about one percentage point above
    /// the live one's, on held-out people and data sets.
    public static let settled = Settings(dwellFactor: 5, evidenceFactor: 0.6)
  }

  /// The lag that settles most of what is in doubt live, seconds.
  public static let lagSeconds = 10.0

  /// The settings.
  public let settings: Settings
  private let transitions: ActivityTransitions
  private let model: ActivityModel
  private let customFilter: CustomActivityFilter?

  /// A smoother with the transitions and calibration of `model`.
  ///
  /// Without `settings`, the factors of the model are used, which training chose for whole
  /// recordings.
  ///
  /// - Precondition: the factors are positive and finite, and the delay isn't negative.
  public init(model: ActivityModel, settings: Settings? = nil) {
    let settings =
      settings
      ?? Settings(
        dwellFactor: model.parameters.hindsightDwellFactor,
        evidenceFactor: model.parameters.hindsightEvidenceFactor)
    precondition(
      settings.dwellFactor > 0 && settings.dwellFactor.isFinite,
      "expected a positive dwell factor, got \(settings.dwellFactor)")
    precondition(
      settings.evidenceFactor > 0 && settings.evidenceFactor.isFinite,
      "expected a positive evidence factor, got \(settings.evidenceFactor)")
    precondition(
      settings.delaySeconds >= 0, "expected a delay of 0 s or more, got \(settings.delaySeconds)")
    self.settings = settings
    transitions = ActivityTransitions(
      classes: model.parameters.classes,
      dwellSeconds: model.parameters.dwellSeconds * settings.dwellFactor)
    customFilter = CustomActivityFilter(model)
    self.model = model
  }

  /// The smoothed and calibrated probabilities, one for each of `evidence` in order of time.
  ///
  /// Each is of the time of its evidence; what tells of that comes later by
  /// ``Settings/delaySeconds``.
  ///
  /// `states` are those of the classifier before the first of `evidence`; nil at the start of a
  /// stream.
  ///
  /// - Complexity: O(n) time and memory.
  public func probabilities(
    of evidence: [ActivityClassifier.Evidence], after states: ActivityStates? = nil
  ) -> [ActivityProbabilities] {
    let (forward, likelihoods) = filtered(evidence, after: states)
    var smoothed = forward
    // The backward variables, multiplied by the prior.
    var backward = transitions.prior
    for index in evidence.indices.reversed() {
      smoothed[index] = product(forward[index], backward)
      backward = transitions.advance(likelihoods[index] * backward, by: evidence[index])
    }
    return evidence.indices.map { index in
      calibrated(smoothed[telling(of: index, in: evidence)], evidence[index])
    }
  }

  /// The last of the evidence that tells of the activity at `index`.
  private func telling(of index: Int, in evidence: [ActivityClassifier.Evidence]) -> Int {
    // A step between fixes is of the time that ends with it.
    evidence[index].isFromFixes
      ? index
      : Self.last(of: evidence.count, after: index, within: settings.delaySeconds) {
        evidence[$0].elapsedSeconds
      }
  }

  /// The last of `count` windows that isn't later than that at `index` by more than `seconds`;
  /// `elapsed` returns the seconds since the window before.
  private static func last(
    of count: Int, after index: Int, within seconds: Float, _ elapsed: (Int) -> Float
  ) -> Int {
    var (last, ahead) = (index, Float(0))
    while last + 1 < count, ahead + elapsed(last + 1) <= seconds {
      last += 1
      ahead += elapsed(last)
    }
    return last
  }

  /// Fixed-lag smoothing: the same as ``probabilities(of:after:)``, each given the evidence up to
  /// `lag` seconds after it and none later.
  ///
  /// - Complexity: O(n · k) time for n windows, of which k lie within the lag.
  public func probabilities(
    of evidence: [ActivityClassifier.Evidence], lag: Float, after states: ActivityStates? = nil
  ) -> [ActivityProbabilities] {
    let (forward, likelihoods) = filtered(evidence, after: states)
    return evidence.indices.map { index in
      let newest = Self.last(of: evidence.count, after: index, within: lag) {
        evidence[$0].elapsedSeconds
      }
      let telling = min(newest, telling(of: index, in: evidence))
      var backward = transitions.prior
      for later in stride(from: newest, to: telling, by: -1) {
        backward = transitions.advance(likelihoods[later] * backward, by: evidence[later])
      }
      return calibrated(product(forward[telling], backward), evidence[index])
    }
  }

  /// `decisions` with their custom activities as the decisions after them make them, up to `lag`
  /// seconds after each; to the end when that is nil.
  ///
  /// `live` are the classifier's decisions for the same times. Decisions stay as they are with a
  /// model without custom activities, and where `live` has no probabilities of them.
  ///
  /// - Parameters:
  ///   - decisions: The smoothed decisions in order of time.
  ///   - live: The classifier's own decisions at the same times.
  ///   - elapsedSeconds: The seconds since the decision before, one per decision.
  ///   - lag: The look-ahead, seconds, not negative.
  /// - Returns: One decision per decision.
  /// - Complexity: O(n · k) for n decisions, of which k lie within the lag; O(n) without a lag.
  public func namingCustomActivities(
    in decisions: [ActivityDecision], live: [ActivityDecision], elapsedSeconds: [Float],
    lag: Float? = nil
  ) -> [ActivityDecision] {
    precondition(
      decisions.count == live.count && decisions.count == elapsedSeconds.count,
      "expected \(decisions.count) decisions and times, got \(live.count), \(elapsedSeconds.count)")
    guard let customFilter else { return decisions }
    let filtered = live.map { $0.customProbabilities?.lanes ?? customFilter.prior }
    func backward(from last: Int, to first: Int) -> SIMD8<Float> {
      var smoothed = filtered[last]
      for index in stride(from: last - 1, through: first, by: -1) {
        smoothed = customFilter.smooth(
          filtered[index], before: smoothed, seconds: elapsedSeconds[index + 1])
      }
      return smoothed
    }
    var result = decisions
    var smoothed = filtered.last ?? customFilter.prior
    for index in decisions.indices.reversed() {
      if let lag {
        let last = Self.last(of: filtered.count, after: index, within: lag) { elapsedSeconds[$0] }
        smoothed = backward(from: last, to: index)
      } else if index + 1 < filtered.count {
        smoothed = customFilter.smooth(
          filtered[index], before: smoothed, seconds: elapsedSeconds[index + 1])
      }
      guard live[index].customProbabilities != nil else { continue }
      let lane = customFilter.answer(smoothed, for: decisions[index])
      result[index] = customFilter.naming(decisions[index], lane, smoothed)
    }
    return result
  }

  /// The filter's states behind `evidence`, given those before it.
  package func states(
    behind evidence: [ActivityClassifier.Evidence], after states: ActivityStates?
  ) -> ActivityStates? {
    filtered(evidence, after: states).forward.last.map(ActivityStates.init(lanes:)) ?? states
  }

  /// Forward times backward variables, of which the latter hold the prior once too often.
  private func product(_ forward: SIMD8<Float>, _ backward: SIMD8<Float>) -> SIMD8<Float> {
    (forward * backward / transitions.prior).replacing(with: 0, where: transitions.prior .== 0)
  }

  private func calibrated(
    _ posterior: SIMD8<Float>, _ evidence: ActivityClassifier.Evidence
  ) -> ActivityProbabilities {
    ActivityStates(normalising: posterior, else: transitions.prior).activities
      .tempered(model.parameters.temperatures(after: evidence).hindsight)
  }

  /// The forward filter: the posterior at each of `evidence` given it and all before, and its
  /// likelihoods.
  private func filtered(
    _ evidence: [ActivityClassifier.Evidence], after states: ActivityStates?
  ) -> (forward: [SIMD8<Float>], likelihoods: [SIMD8<Float>]) {
    let likelihoods = evidence.map { item in
      var item = item
      // The factor is for windows, which overlap; steps between fixes don't.
      let exponent = item.exponent * (item.isFromFixes ? 1 : settings.evidenceFactor)
      item.exponent = exponent > 0 ? min(1, exponent) : 0
      return item.likelihoods(of: transitions.prior)
    }
    var forward: [SIMD8<Float>] = []
    forward.reserveCapacity(evidence.count)
    var state = states?.lanes ?? transitions.start
    for (item, likelihood) in zip(evidence, likelihoods) {
      let predicted = transitions.advance(state, by: item)
      state = ActivityStates(normalising: predicted * likelihood, else: transitions.prior).lanes
      forward.append(state)
    }
    return (forward, likelihoods)
  }
}

#if !hasFeature(Embedded)
  extension ActivitySmoother.Settings: Codable {}
#endif
