/// Whether the phone changes place, second by second, from location, accelerometer or both.
///
/// A two-state forward filter over the evidence, with hysteresis in the decision. Evidence of
/// successive seconds is correlated, so each second counts only in part.
public struct MovingStateDetector: Sendable, StateArchivable {
  /// How often a phone at rest starts to move, 1/s.
  private static let startingRate = 1.0 / 300
  /// How often a moving phone stops, 1/s.
  private static let stoppingRate = 1.0 / 120
  /// Standard deviation of an estimated speed at rest, m/s.
  private static let speedDeviation = 0.4
  /// The fraction of a second's acceleration evidence that counts.
  private static let accelerationWeight = 0.4
  /// Seconds over which levels tell whether a body or a vehicle moves the phone.
  private static let bodyMemory = 20.0
  /// The part of the levels that come from a body on the move of a phone that was at rest:
  /// a hand shakes a phone as steps do.
  private static let restBodyWeight = 0.5
  /// The odds have changed sides when the probability passes 0.5 by this.
  private static let hysteresis = 0.1
  /// The probability of the other state from which on the evidence has turned.
  private static let reversalProbability = 0.05
  /// After so many seconds without evidence a moving phone's state is uncertain.
  private static let holdTimeMoving = 60.0
  /// The same for a phone at rest, seconds.
  private static let holdTimeAtRest = 1_800.0
  private static let rates = MotionPosterior.Rates(
    starting: startingRate, stopping: stoppingRate)

  private var posterior = MotionPosterior()
  /// The part of the levels lately that come from a body on the move.
  private var bodyWeight = MotionLikelihood.bodyWeight
  private var newest: Timestamp?
  private var newestEvidence: Timestamp?
  /// When the evidence turned against the state that is decided, if it has.
  private var reversal: Timestamp?
  /// The newest start or stop; nil before the first.
  ///
  /// What follows an uncertain state is none: nobody knows when it began.
  public private(set) var transition: MovingTransition?

  /// A detector that knows nothing yet.
  public init() {}

  /// Forgets everything.
  public mutating func reset() {
    self = MovingStateDetector()
  }

  /// The decision after the last update.
  public var decision: MovingDecision {
    MovingDecision(state: posterior.state, probability: posterior.probability)
  }

  /// Takes in what is known now, usually once a second or once a fix.
  ///
  /// `location` counts only when `isFresh`, that is, when a fix arrived since the last update. A
  /// time that is not later than the last one lets no time pass.
  ///
  /// Where the location filter has decided on that fix, its decision in `filtered` stands for all
  /// evidence up to now: it has seen the fix itself and the accelerometer, and this detector only
  /// an estimate that was made from them.
  public mutating func update(
    at timestamp: Timestamp, location: LocationEstimate?, isFresh: Bool,
    acceleration: AccelerationEvidence?, filtered: MovingDecision? = nil
  ) -> MovingDecision {
    guard timestamp.isPlausible else { return decision }
    let before = posterior.state
    let elapsed = newest.map { timestamp.seconds(since: $0) } ?? 0
    defer {
      if posterior.state == .stationary {
        bodyWeight = Self.restBodyWeight
      } else if let level = acceleration?.validLevel {
        bodyWeight = MotionLikelihood.bodyWeight(
          bodyWeight, level: level, seconds: elapsed, memory: Self.bodyMemory)
      }
    }
    defer { noteTransition(from: before, at: timestamp) }
    if let newest {
      posterior.predict(seconds: timestamp.seconds(since: newest), rates: Self.rates)
    }
    // A clock that was set back goes on from where it is now.
    newest = timestamp
    if isFresh, let filtered, filtered.state != .uncertain {
      newestEvidence = timestamp
      posterior.adopt(filtered)
      return decision
    }
    if let ratio = logLikelihoodRatio(of: isFresh ? location : nil, acceleration) {
      newestEvidence = timestamp
      posterior.update(logLikelihoodRatio: ratio)
      posterior.decide(threshold: 0.5 + Self.hysteresis)
    } else {
      let age = newestEvidence.map { timestamp.seconds(since: $0) } ?? .infinity
      let isHeld =
        age <= (posterior.state == .stationary ? Self.holdTimeAtRest : Self.holdTimeMoving)
      if !isHeld { posterior.setUncertain() }
    }
    return decision
  }

  /// What a fresh location and the acceleration say of motion against rest; nil when neither says
  /// anything.
  private func logLikelihoodRatio(
    of location: LocationEstimate?, _ acceleration: AccelerationEvidence?
  ) -> Double? {
    var logLikelihoodRatio = 0.0
    var hasEvidence = false
    if let location, let speed = location.speed, speed.isFinite {
      // Not known to be slow is not the same as slow: an uncertain speed counts less, rather
      // than widening what a phone at rest may show.
      let own = location.speedDeviation ?? 0
      let weight = 1 / (1 + own * own)
      if weight > 0 {
        logLikelihoodRatio +=
          weight
          * MotionLikelihood.logLikelihoodRatio(
            speed: abs(speed), deviation: Self.speedDeviation)
        hasEvidence = true
      }
    }
    if let level = acceleration?.validLevel {
      logLikelihoodRatio +=
        Self.accelerationWeight
        * MotionLikelihood.logLikelihoodRatio(level: level, bodyWeight: bodyWeight)
      hasEvidence = true
    }
    return hasEvidence ? logLikelihoodRatio : nil
  }

  /// Keeps track of when the evidence turned, and dates a change of the decision back to it.
  private mutating func noteTransition(from before: MovingState, at timestamp: Timestamp) {
    if posterior.state != before {
      if before != .uncertain, posterior.state != .uncertain {
        transition = MovingTransition(
          state: posterior.state, began: min(reversal ?? timestamp, timestamp), decided: timestamp)
      }
      reversal = nil
    }
    let against =
      switch posterior.state {
      case .moving: 1 - posterior.probability
      case .stationary: posterior.probability
      case .uncertain: 0.0
      }
    if against < Self.reversalProbability {
      reversal = nil
    } else if reversal == nil {
      reversal = timestamp
    }
  }

  /// Decisions as they look with hindsight, from those that were made as time went by.
  ///
  /// A stop moves back to where it was. A start stays where it was seen: people handle a phone
  /// before they set out, and hindsight would count that as the way. What was uncertain stays so.
  /// The result has one decision per decision, in order.
  ///
  /// - Precondition: `timestamps` are as many as `decisions`.
  public static func smoothed(
    _ decisions: [MovingDecision], at timestamps: [Timestamp]
  ) -> [MovingDecision] {
    precondition(
      decisions.count == timestamps.count,
      "expected \(decisions.count) timestamps, got \(timestamps.count)")
    var result = decisions
    for k in stride(from: result.count - 2, through: 0, by: -1) {
      let seconds = timestamps[k + 1].seconds(since: timestamps[k])
      guard result[k].state != .uncertain, result[k + 1].state != .uncertain, seconds > 0,
        seconds < holdTimeMoving
      else { continue }
      let probability = MotionPosterior.smoothed(
        result[k].probability, before: result[k + 1].probability, seconds: seconds, rates: rates)
      result[k].probability = probability
    }
    for k in result.indices {
      if result[k].state == .stationary {
        result[k].probability = min(result[k].probability, decisions[k].probability)
      } else if result[k].state == .moving, result[k].probability < 0.5 {
        result[k].state = .stationary
      }
    }
    return result
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&posterior, &bodyWeight, &newest, &newestEvidence, &reversal)
    archive.pass(&transition)
  }
}
