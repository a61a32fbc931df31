/// Smooths a recording: probabilities of each window given all windows, earlier and later.
///
/// The forward-backward recursion (Rabiner, "A tutorial on hidden Markov models", Proc. IEEE
/// 77(2), 1989, eq. 27) on the evidence that ``ActivityClassifier`` recorded, with the same
/// transitions. Where no later window follows, the result is the classifier's own.
///
/// Over the last few windows it is a fixed-lag smoother; start it from the posterior before them.
public struct ActivitySmoother: Sendable {
  /// How the smoother's model differs from the live filter's.
  public struct Settings: Sendable, Hashable, Codable {
    /// Multiplies the model's mean time in one activity; default 1.
    public var dwellFactor: Float
    /// Multiplies the exponent of each window's likelihood, which stays at most 1; default 1.
    public var evidenceFactor: Float

    /// Settings with the defaults stated at each field.
    public init(dwellFactor: Float = 1, evidenceFactor: Float = 1) {
      self.dwellFactor = dwellFactor
      self.evidenceFactor = evidenceFactor
    }

    /// Settings for fixed-lag smoothing with a lag of about ten seconds.
    ///
    /// With these factors the accuracy at a lag of ten seconds is about one percentage point above
    /// the live one's, on held-out people and data sets.
    public static let settled = Settings(dwellFactor: 5, evidenceFactor: 0.6)
  }

  /// The settings.
  public let settings: Settings
  private let transitions: ActivityTransitions
  private let temperature: Float
  /// The same where the evidence includes rotation rates.
  private let rotationTemperature: Float

  /// A smoother with the transitions and calibration of `model`.
  ///
  /// Without `settings`, the factors of the model are used, which training chose for whole
  /// recordings.
  ///
  /// - Precondition: the factors are positive and finite.
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
    self.settings = settings
    transitions = ActivityTransitions(
      classes: model.parameters.classes,
      dwellSeconds: model.parameters.dwellSeconds * settings.dwellFactor)
    temperature = model.parameters.hindsightTemperature
    rotationTemperature = model.parameters.rotation?.hindsightTemperature ?? temperature
  }

  /// The smoothed and calibrated probabilities, one for each of `evidence` in order of time.
  ///
  /// `posterior` is the classifier's ``ActivityClassifier/State/posterior`` before the first of
  /// `evidence`; nil at the start of a stream.
  ///
  /// - Complexity: O(n) time and memory.
  public func probabilities(
    of evidence: [ActivityClassifier.Evidence], after posterior: ActivityProbabilities? = nil
  ) -> [ActivityProbabilities] {
    let (forward, likelihoods) = filtered(evidence, after: posterior)
    var smoothed = forward
    var backward = transitions.prior
    for index in evidence.indices.reversed() {
      smoothed[index] = forward[index] * backward
      let later = ActivityProbabilities(normalising: likelihoods[index] * backward).lanes
      backward = transitions.advance(later, by: evidence[index])
    }
    return zip(smoothed, evidence).map { calibrated($0, $1) }
  }

  /// Fixed-lag smoothing: the same as ``probabilities(of:after:)``, each given the evidence up to
  /// `lag` seconds after it and none later.
  ///
  /// - Complexity: O(n · k) time for n windows, of which k lie within the lag.
  public func probabilities(
    of evidence: [ActivityClassifier.Evidence], lag: Float,
    after posterior: ActivityProbabilities? = nil
  ) -> [ActivityProbabilities] {
    let (forward, likelihoods) = filtered(evidence, after: posterior)
    return evidence.indices.map { index in
      var last = index
      var ahead: Float = 0
      while last + 1 < evidence.count, ahead + evidence[last + 1].elapsedSeconds <= lag {
        last += 1
        ahead += evidence[last].elapsedSeconds
      }
      var backward = transitions.prior
      for later in stride(from: last, to: index, by: -1) {
        let weighed = ActivityProbabilities(normalising: likelihoods[later] * backward).lanes
        backward = transitions.advance(weighed, by: evidence[later])
      }
      return calibrated(forward[index] * backward, evidence[index])
    }
  }

  private func calibrated(
    _ posterior: SIMD8<Float>, _ evidence: ActivityClassifier.Evidence
  ) -> ActivityProbabilities {
    ActivityProbabilities(normalising: posterior)
      .tempered(evidence.hasRotation ? rotationTemperature : temperature)
  }

  /// The forward filter: the posterior at each of `evidence` given it and all before, and its
  /// likelihoods.
  private func filtered(
    _ evidence: [ActivityClassifier.Evidence], after posterior: ActivityProbabilities?
  ) -> (forward: [SIMD8<Float>], likelihoods: [SIMD8<Float>]) {
    let likelihoods = evidence.map { item in
      var item = item
      item.exponent = min(1, item.exponent * settings.evidenceFactor)
      return item.likelihoods(of: transitions.prior)
    }
    var forward: [SIMD8<Float>] = []
    forward.reserveCapacity(evidence.count)
    var state = posterior?.lanes ?? transitions.prior
    for (item, likelihood) in zip(evidence, likelihoods) {
      let predicted = transitions.advance(state, by: item)
      state = ActivityProbabilities(normalising: predicted * likelihood).lanes
      forward.append(state)
    }
    return (forward, likelihoods)
  }
}
