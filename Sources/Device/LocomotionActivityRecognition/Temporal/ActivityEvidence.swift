internal import CLocomotionMath

extension ActivityClassifier {
  /// The evidence that one call gave the temporal filter; record it to smooth a recording
  /// afterwards.
  public struct Evidence: Equatable, Sendable {
    /// The probabilities of the window on its own, proportional to its likelihood by class.
    ///
    /// A speed and steps that came with the window are included.
    public var window: ActivityProbabilities
    /// Seconds since the evidence before, or since the start.
    public var elapsedSeconds: Float
    /// Those of them in which nothing was observed.
    var silentSeconds: Float
    /// The exponent of the likelihood, 0 to 1; 0 is a window without evidence.
    public var exponent: Float
    /// How many times more likely than on average a change of the activity is in this time.
    ///
    /// 0.37 where the window's own probabilities are those of the window four seconds before, and
    /// up to 55 where they have nothing in common; 1 without such a window.
    public var hazardRatio: Float

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
      exponent: Float, hazardRatio: Float = 1, hasRotation: Bool = false,
      isFromFixes: Bool = false
    ) {
      self.window = window
      self.elapsedSeconds = elapsedSeconds
      self.silentSeconds = silentSeconds
      self.exponent = exponent
      self.hazardRatio = hazardRatio
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

extension ActivityModel.Parameters {
  /// The temperatures of probabilities that the temporal filter made of this evidence, and of
  /// smoothed ones: those of the term that the evidence is from, if it has its own.
  func temperatures(
    after evidence: ActivityClassifier.Evidence?
  ) -> (filtered: Float, hindsight: Float) {
    let isFromFixes = evidence?.isFromFixes ?? false
    let term = isFromFixes ? track?.function : evidence?.hasRotation ?? false ? rotation : nil
    let own = term ?? function
    return (own.filteredTemperature, own.hindsightTemperature)
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

  /// The activities' probabilities to the power 1 / `temperature`, normalised; those of the kinds
  /// of vehicle within theirs to the power 1 / (`temperature` · ``kindTemperature``).
  ///
  /// A window that is surely of a vehicle is far from surely of a car: in trains that the model
  /// never saw, windows of one ride err alike.
  package func tempered(_ temperature: Float) -> ActivityProbabilities {
    if temperature == 1 { return self }
    let merged = mergingRail
    var weights = SIMD8<Float>.zero
    for lane in 0..<Activity.allCases.count where merged.lanes[lane] > 0 {
      weights[lane] = exp(log(merged.lanes[lane] / merged.lanes.max()) / temperature)
    }
    let (road, rail) = (self[.automotive], self[.train])
    if rail > 0 {
      // Both are finite: the odds of road are infinite at most in the denominator.
      let oddsOfRoad = exp(log(road / rail) / (temperature * Self.kindTemperature))
      let vehicle = weights[Activity.automotive.rawValue]
      weights[Activity.train.rawValue] = vehicle / (1 + oddsOfRoad)
      weights[Activity.automotive.rawValue] = vehicle - weights[Activity.train.rawValue]
    }
    return ActivityProbabilities(normalising: weights)
  }

  /// The temperature of road against rail relative to that of the activities.
  ///
  /// Chosen on 29 sets, each left out of training (1, 1.5, 2, 2.5, 3 and 4): between 1.5 and 3 all
  /// are alike, with 2 the log loss of road against rail is .33 live and .29 in hindsight instead
  /// of .42 and .47, and the calibration error of six activities in hindsight .014 instead of .028.
  private static let kindTemperature: Float = 2
}
