package import LocomotionPositioning
package import LocomotionSensing

/// The agreement of a sequence of moving states with the truth.
package struct MotionScore: Hashable, Sendable {
  /// A method's moving state at an instant.
  package struct Decision: Hashable, Sendable {
    /// The time of the decision.
    package var timestamp: Timestamp
    /// The moving state.
    package var state: MovingState

    /// A decision from its parts.
    package init(timestamp: Timestamp, state: MovingState) {
      self.timestamp = timestamp
      self.state = state
    }
  }

  /// The shortest clear rest or motion whose beginning is a start or stop to be detected, seconds.
  package static let shortestRun = 5.0

  /// Decisions at which the truth is clear.
  package private(set) var decisions = 0
  /// Those of them that contradict the truth or are undecided.
  package private(set) var wrong = 0
  /// Those of ``wrong`` that are undecided.
  package private(set) var undecided = 0
  /// Seconds from each true start to the first decision "moving"; 0 when that was the state
  /// already.
  package private(set) var startLatencies: [Double] = []
  /// Seconds from each true stop to the first decision "stationary"; 0 when that was the state
  /// already.
  package private(set) var stopLatencies: [Double] = []
  /// True starts whose motion ended before it was detected.
  package private(set) var missedStarts = 0
  /// True stops whose rest ended before it was detected.
  package private(set) var missedStops = 0

  /// A score without decisions.
  package init() {}

  /// Scores decisions that are in time order.
  ///
  /// A start or stop counts where the truth changes directly from one clear state of at least
  /// ``shortestRun`` to another, with a decision during the second.
  package init(_ decisions: [Decision], truth: LocationTruth) {
    for decision in decisions {
      guard let moves = truth.isMoving(at: decision.timestamp) else { continue }
      self.decisions += 1
      if decision.state != (moves ? .moving : .stationary) { wrong += 1 }
      if decision.state == .uncertain { undecided += 1 }
    }
    let runs = truth.runs()
    for (before, run) in zip(runs, runs.dropFirst())
    where run.follows && before.end.seconds(since: before.start) >= Self.shortestRun
      && run.end.seconds(since: run.start) >= Self.shortestRun
    {
      addTransition(run, decisions)
    }
  }

  private mutating func addTransition(_ run: LocationTruth.Run, _ decisions: [Decision]) {
    let wanted: MovingState = run.isMoving ? .moving : .stationary
    let first = decisions.partitioningIndex { $0.timestamp >= run.start }
    let inRun = decisions[first...].prefix { $0.timestamp < run.end }
    guard !inRun.isEmpty else { return }
    let stoodAlready = first > 0 && decisions[first - 1].state == wanted
    let seen =
      stoodAlready
      ? 0
      : inRun.first { $0.state == wanted }?.timestamp
        .seconds(since: run.start)
    switch (run.isMoving, seen) {
    case (true, let seen?): startLatencies.append(seen)
    case (true, nil): missedStarts += 1
    case (false, let seen?): stopLatencies.append(seen)
    case (false, nil): missedStops += 1
    }
  }

  /// The fraction of wrong decisions; nil without decisions.
  package var error: Double? { decisions > 0 ? Double(wrong) / Double(decisions) : nil }

  /// Adds another recording's score.
  package mutating func merge(_ other: MotionScore) {
    decisions += other.decisions
    wrong += other.wrong
    undecided += other.undecided
    startLatencies += other.startLatencies
    stopLatencies += other.stopLatencies
    missedStarts += other.missedStarts
    missedStops += other.missedStops
  }
}
