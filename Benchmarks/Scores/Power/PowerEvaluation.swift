package import Locomotion

/// What rules for the receiver save and what they miss, on days whose truth is known.
///
/// The loop is closed: fixes reach the pipeline only while the receiver runs, and the rule sees
/// only what the pipeline makes of them. A receiver that was off gives its first fix after
/// ``acquisition``.
package struct PowerEvaluation: Sendable {
  /// How long a receiver that was off takes to its first fix, seconds.
  ///
  /// A hot start with assistance; after hours it takes longer.
  package static let acquisition = 5.0
  /// Shorter runs of movement are not scored as starts, seconds.
  package static let shortestRun = 60.0

  /// The result of one rule on one or several days.
  package struct Score: Hashable, Sendable {
    /// The name of the rule.
    package var rule: String
    /// The length of the days, seconds.
    package var duration = 0.0
    /// How long the receiver ran, seconds.
    package var running = 0.0
    /// How often it was switched on.
    package var starts = 0
    /// How long the phone was at rest, and how long of that the receiver ran, seconds.
    package var atRest = 0.0, runningAtRest = 0.0
    /// How long the phone moved, and how long of that no fix could come, seconds.
    package var inMotion = 0.0, missed = 0.0
    /// The path length, and how much of it without a fix, metres.
    package var distance = 0.0, missedDistance = 0.0
    /// How long after each start of a movement fixes could come, seconds.
    package var delays: [Double] = []

    /// Adds the result on other days.
    package mutating func merge(_ other: Score) {
      duration += other.duration
      running += other.running
      starts += other.starts
      atRest += other.atRest
      runningAtRest += other.runningAtRest
      inMotion += other.inMotion
      missed += other.missed
      distance += other.distance
      missedDistance += other.missedDistance
      delays += other.delays
    }
  }

  /// The rules, in the order of the table.
  package static let rules: [any ReceiverRule] = [
    AlwaysOn(), LocoKitSleepRule(), PolicyRule(PowerPolicy()),
  ]

  /// The results by rule, over all days that were added.
  package private(set) var scores: [Score] = []
  /// The results by day, in the order of the days, each by rule.
  package private(set) var days: [(name: String, scores: [Score])] = []

  /// An evaluation without days.
  package init() {}

  /// Scores the rules on a day.
  ///
  /// - Parameters:
  ///   - name: The name of the day.
  ///   - batches: The sensors' data in the order of time, cut into seconds.
  ///   - truth: The reference.
  package mutating func add(_ name: String, _ batches: [SensorBatch], truth: LocationTruth) {
    let scores = Self.rules.map { Self.score($0, batches, truth) }
    days.append((name, scores))
    for (index, score) in scores.enumerated() {
      if index < self.scores.count {
        self.scores[index].merge(score)
      } else {
        self.scores.append(score)
      }
    }
  }

  private static func score(
    _ rule: any ReceiverRule, _ batches: [SensorBatch], _ truth: LocationTruth
  ) -> Score {
    var rule = rule
    var score = Score(rule: rule.name)
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    var switchedOn: Timestamp?
    var isOn = true
    var waits: Timestamp?
    var wasMoving: Bool?
    let runs = truth.runs().filter { $0.isMoving && $0.follows }
      .filter { $0.end.seconds(since: $0.start) >= shortestRun }
    var starts = runs.map(\.start)[...]
    for batch in batches {
      guard let time = batch.accelerations.timestamps.first ?? batch.fixes.first?.timestamp else {
        continue
      }
      let ready = switchedOn.map { time.seconds(since: $0) >= acquisition } ?? false
      var seen = SensorBatch()
      if rule.hasAccelerations { seen.accelerations = batch.accelerations }
      if ready || switchedOn == nil && isOn { seen.fixes = batch.fixes }
      output.removeAll()
      pipeline.ingest(seen, into: &output)
      let end = time.advanced(byNanoseconds: 1_000_000_000)
      let next = rule.isOn(at: end, after: output.samples)
      let canSee = isOn && (ready || switchedOn == nil)
      score.duration += 1
      if isOn { score.running += 1 }
      let isMoving = truth.isMoving(at: time)
      if isMoving == false {
        score.atRest += 1
        if isOn { score.runningAtRest += 1 }
      } else if isMoving == true {
        let path = Self.path(time, end, truth)
        score.inMotion += 1
        score.distance += path
        if !canSee {
          score.missed += 1
          score.missedDistance += path
        }
      }
      while let start = starts.first, start <= time {
        waits = start
        starts.removeFirst()
      }
      if let start = waits, canSee || isMoving == false && wasMoving == true {
        score.delays.append(time.seconds(since: start))
        waits = nil
      }
      wasMoving = isMoving ?? wasMoving
      if next, !isOn {
        score.starts += 1
        switchedOn = end
      }
      isOn = next
    }
    return score
  }
}

extension PowerEvaluation {
  private static func path(_ start: Timestamp, _ end: Timestamp, _ truth: LocationTruth) -> Double {
    guard let one = truth.position(at: start), let other = truth.position(at: end) else { return 0 }
    return Geodesic(from: one, to: other).distance
  }
}

/// A rule that switches the receiver.
package protocol ReceiverRule: Sendable {
  /// What the rule is called in tables.
  var name: String { get }
  /// Whether the accelerometer runs now.
  var hasAccelerations: Bool { get }
  /// Whether the receiver runs from `time` on.
  ///
  /// - Parameters:
  ///   - time: The end of a second.
  ///   - samples: What the pipeline completed in that second.
  /// - Returns: Whether it runs in the next second.
  mutating func isOn(at time: Timestamp, after samples: [LocomotionSample]) -> Bool
}

/// The receiver always runs.
struct AlwaysOn: ReceiverRule {
  let name = "always on"
  let hasAccelerations = true

  mutating func isOn(at time: Timestamp, after samples: [LocomotionSample]) -> Bool { true }
}

/// The package's policy, told of every second.
struct PolicyRule: ReceiverRule {
  let name = "power policy"
  let hasAccelerations = true
  private var policy: PowerPolicy

  init(_ policy: PowerPolicy) {
    self.policy = policy
  }

  mutating func isOn(at time: Timestamp, after samples: [LocomotionSample]) -> Bool {
    for sample in samples { policy.update(with: sample) }
    return policy.phase != .sleeping
  }
}
