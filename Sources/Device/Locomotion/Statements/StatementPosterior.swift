internal import CLocomotionMath

/// Whether a stated activity of a leg is more probable than any other, given what the sensors say.
///
/// By Bayes' rule: the posterior of each class is in proportion to its prior by the statement,
/// times its likelihood by the sensors, times that of the leg's mean speed in motion. A statement
/// is right with a probability that is assumed, by how it came about:
///
/// - chosen on a device or written as a type: 0.97 (people forget to switch the sport)
/// - a word of a name: 0.85 (names are given by default, and "Ride" is also a drive's)
/// - concluded by a system: its own probability, else 0.75
///
/// What the sensors name is wrong for whole legs, however sure each second is: in one of five by
/// fixes alone (of 236 published activities .75 of the runs, .82 of the walks and .83 of the rides
/// were named right), in one of twenty with accelerations, and by few fixes it is a guess.
struct StatementPosterior {
  /// The class of the stated activity; nil for one that is none of the six.
  private let stated: Activity?
  private let name: String
  /// Whether the statement is more probable than any other activity.
  private let isMostProbable: Bool

  /// The part of a distance above which its standard deviation tells of few fixes.
  private static let sparse = 0.05
  /// The seconds of motion that a speed needs.
  private static let shortestMotion = 30.0
  /// The standard deviation of the logarithm of a speed beyond the usual ones.
  private static let spread = 0.2

  /// The posterior of a statement; nil where it names nothing, or rest.
  ///
  /// A leg that is a rest says nothing of it.
  init?(
    _ statement: StatedInterval, of leg: Trip.Leg, _ track: SampledTrack, isRest: Bool = false
  ) {
    guard case .activity(let name?, _) = statement.kind, statement.activity != .stationary else {
      return nil
    }
    let activity = statement.activity
    stated = activity
    self.name = name
    guard !isRest else {
      isMostProbable = true
      return
    }
    let prior = Self.reliability(of: statement)
    let otherPrior = (1 - prior) / 5
    let likelihoods = Self.likelihoods(by: leg, track)
    let speed = Self.speed(of: leg)
    // Of what is none of the six the sensors know nothing.
    let own =
      log(prior) + log(activity.map { likelihoods[$0.rawValue] } ?? 1.0 / 6)
      + Self.logLikelihood(of: speed, given: activity)
    let others = Activity.allCases.filter { $0 != .stationary && $0 != activity }
    isMostProbable = others.allSatisfy { other in
      own > log(otherPrior) + log(likelihoods[other.rawValue])
        + Self.logLikelihood(of: speed, given: other)
    }
  }

  /// Names a leg by the statement if that is believed.
  func name(_ leg: inout Trip.Leg) {
    guard isMostProbable else { return }
    if leg.activity != stated { leg.customActivity = nil }
    leg.activity = stated
    if stated == nil, let custom = CustomActivity(name: name, behavesLike: nil) {
      leg.customActivity = custom
    }
  }

  private static func reliability(of statement: StatedInterval) -> Double {
    switch statement.basis {
    case .chosen: 0.97
    case .named: 0.85
    case .inferred: min(max(statement.probability ?? 0.75, 0.2), 0.99)
    }
  }

  /// The probability of each activity by the sensors, as far as those are to be believed.
  private static func likelihoods(
    by leg: Trip.Leg, _ track: SampledTrack
  ) -> [Double] {
    let even = 1.0 / Double(Activity.allCases.count)
    let isSparse = (leg.distanceDeviation ?? .infinity) > sparse * (leg.distance ?? 0)
    guard let (mean, hasMotion) = track.probabilities(leg.start, leg.end) else {
      return Activity.allCases.map { $0 == leg.activity ? 0.5 + even / 2 : even / 2 }
    }
    let error = hasMotion ? 0.05 : isSparse ? 0.5 : 0.2
    return mean.map { (1 - error) * $0 + error * even }
  }

  /// The mean speed in motion, m/s; nil where little is known of it.
  private static func speed(of leg: Trip.Leg) -> Double? {
    let moving = leg.movingSeconds ?? leg.end.seconds(since: leg.start)
    guard let distance = leg.distance, distance > 0, moving >= shortestMotion else { return nil }
    return distance / moving
  }

  /// ln of the likelihood of a mean speed given an activity, up to a constant: 0 within the usual
  /// ones, and beyond them that of a log-normal distribution.
  private static func logLikelihood(of speed: Double?, given activity: Activity?) -> Double {
    guard let speed else { return 0 }
    let (slowest, fastest) =
      switch activity {
      case .walking?: (0.2, 2.2)
      case .running?: (1.5, 6.0)
      case .cycling?: (1.5, 11.0)
      case .automotive?: (2.0, 45.0)
      case .train?: (3.0, 90.0)
      case .stationary?: (0.0, 0.1)
      case nil: (0.1, 300.0)
      }
    let excess = log(max(speed, 1e-3) / min(max(speed, slowest, 1e-3), fastest)) / spread
    return -min(excess * excess / 2, 50)
  }
}
