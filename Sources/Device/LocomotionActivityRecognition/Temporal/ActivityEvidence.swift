internal import CLocomotionMath

extension ActivityClassifier {
  /// The evidence that one call gave the temporal filter; record it to smooth a recording
  /// afterwards.
  public struct Evidence: Hashable, Sendable {
    /// The probabilities of the window on its own, proportional to its likelihood by class.
    ///
    /// A speed and steps that came with the window are included.
    public var window: ActivityProbabilities
    /// Seconds since the evidence before, or since the start.
    public var elapsedSeconds: Float
    /// Those of them in which nothing was observed.
    public var silentSeconds: Float
    /// The exponent of the likelihood, 0 to 1; 0 is a window without evidence.
    public var exponent: Float

    /// Whether rotation rates are included, which have a separate calibration.
    public var hasRotation: Bool
    /// Whether it is from location fixes and not from accelerations; these have a calibration of
    /// their own, too.
    public var isFromFixes: Bool

    /// The likelihood of a window in a vehicle that stands, relative to one at rest elsewhere.
    ///
    /// Chosen with sets left out of training, on streams in which people walk between rides (0.3
    /// to 1 were tried, with stops of 20 to 90 s).
    private static let standingRatio: Float = 0.95

    /// Evidence from its parts.
    public init(
      window: ActivityProbabilities, elapsedSeconds: Float, silentSeconds: Float = 0,
      exponent: Float, hasRotation: Bool = false, isFromFixes: Bool = false
    ) {
      self.window = window
      self.elapsedSeconds = elapsedSeconds
      self.silentSeconds = silentSeconds
      self.exponent = exponent
      self.hasRotation = hasRotation
      self.isFromFixes = isFromFixes
    }

    /// The likelihood of each of ``ActivityStates`` up to a factor, for those in `prior`.
    ///
    /// No state is ruled out by one window: before the exponent the least likelihood is 10⁻⁶. A
    /// vehicle that stands is like rest, and 5 % less likely: a phone at rest is nearly as often in
    /// no vehicle, and at equal likelihoods an arrival would never be found.
    func likelihoods(of prior: SIMD8<Float>) -> SIMD8<Float> {
      var likelihoods = prior.replacing(with: 1, where: prior .> 0)
      guard exponent > 0 else { return likelihoods }
      for lane in 0..<Activity.allCases.count where prior[lane] > 0 {
        likelihoods[lane] = exp(min(1, exponent) * log(max(1e-6, window.lanes[lane])))
      }
      let rest = max(1e-6, window[.stationary])
      let standing = exp(min(1, exponent) * log(Self.standingRatio * rest))
      for lane in [ActivityStates.standingRoad, ActivityStates.standingRail]
      where prior[lane] > 0 {
        likelihoods[lane] = standing
      }
      return likelihoods
    }
  }
}

extension ActivityProbabilities {
  /// The most probable class on two levels: first the activity with both kinds of vehicle merged,
  /// then, for a vehicle, the kind.
  ///
  /// So a ride isn't classified as stationary because its probability is divided between road and
  /// rail.
  public var answer: Activity { answer(after: nil, changeRatio: 1) }

  /// The probability that ``answer`` is right, either kind of vehicle being right for a vehicle.
  public var confidence: Float { mergingRail.lanes.max() }

  /// The same as ``answer``, or `last` unless that is `changeRatio` times less probable, on each
  /// level.
  package func answer(after last: Activity?, changeRatio: Float) -> Activity {
    let merged = mergingRail
    let activity = Self.choice(merged.mostProbable, after: last?.parent) {
      merged[$0] <= changeRatio * merged[$1]
    }
    guard activity == .automotive else { return activity }
    let vehicle: Activity = self[.train] > self[.automotive] ? .train : .automotive
    return Self.choice(vehicle, after: last?.parent == .automotive ? last : nil) {
      self[$0] <= changeRatio * self[$1]
    }
  }

  private static func choice(
    _ likely: Activity, after last: Activity?, unlessClear isUnclear: (Activity, Activity) -> Bool
  ) -> Activity {
    guard let last, isUnclear(likely, last) else { return likely }
    return last
  }

  /// Probabilities to the power 1 / `temperature`, normalised.
  func tempered(_ temperature: Float) -> ActivityProbabilities {
    if temperature == 1 { return self }
    var weights = SIMD8<Float>.zero
    for lane in 0..<Activity.allCases.count where lanes[lane] > 0 {
      weights[lane] = exp(log(lanes[lane] / lanes.max()) / temperature)
    }
    return ActivityProbabilities(normalising: weights)
  }
}
