import Foundation
public import LocomotionSensing

/// The ground truth of one second of a scenario.
public struct SimulatedTruth: Sendable, Hashable {
  /// The first instant of the second.
  public var timestamp: Timestamp
  /// The position at ``timestamp``, degrees.
  public var latitude: Double, longitude: Double
  /// The ground speed at ``timestamp``, m/s.
  public var speed: Double
  /// Whether the phone moves in the second.
  public var isMoving: Bool
  /// The person's activity.
  public var activity: SimulatedActivity
  /// Steps per minute, averaged over the second; nil when less than half of it is stepping.
  public var cadenceStepsPerMinute: Double?
  /// The times of the foot contacts in the second.
  public var steps: [Timestamp]
}

/// The input of the sensor models for a scenario: planned once, a few megabytes for a day.
struct MotionPlan: Sendable {
  let start: Timestamp
  let trajectory: Trajectory
  let steps: StepPlan
  let carrying: CarryingPlan

  init(_ scenario: Scenario) {
    start = scenario.start
    trajectory = Trajectory(scenario)
    steps = StepPlan(scenario, legStarts: trajectory.legStarts)
    carrying = CarryingPlan(scenario, legStarts: trajectory.legStarts)
  }

  func timestamp(_ seconds: Double) -> Timestamp {
    start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

/// The sensors' events of a scenario, and the ground truth.
///
/// It has the plan alone: samples are generated while they are read, so that a day of 8.64 million
/// of them needs little memory. Reading it twice gives the same events.
public struct SimulatedRecording: Sendable {
  /// The scenario that was recorded.
  public let scenario: Scenario
  private let plan: MotionPlan

  init(_ scenario: Scenario) {
    self.scenario = scenario
    plan = MotionPlan(scenario)
  }

  /// The number of whole seconds.
  public var seconds: Int { Int(plan.trajectory.duration) }

  /// The first instant and the first one after the end.
  public var span: Range<Timestamp> {
    plan.timestamp(0)..<plan.timestamp(plan.trajectory.duration)
  }

  /// The times of the foot contacts, in order.
  public var steps: [Timestamp] { plan.steps.contacts.map(plan.timestamp) }

  /// The events in batches of `seconds` of the sensors' clock each; empty ones are skipped.
  public func batches(everySeconds seconds: Double = 1) -> SimulatedBatches {
    precondition(seconds > 0, "expected a positive length, got \(seconds)")
    return SimulatedBatches(scenario, plan, seconds)
  }

  /// All events at once; a day at 100 Hz takes 170 MB.
  public func wholeBatch() -> SensorBatch {
    var batches = batches(everySeconds: plan.trajectory.duration + 1)
    return batches.next() ?? SensorBatch()
  }

  /// The truth of every second.
  public func truth() -> [SimulatedTruth] {
    (0..<seconds).map { truth(atSecond: $0) }
  }

  /// The truth of one second, counted from the start.
  public func truth(atSecond second: Int) -> SimulatedTruth {
    precondition(second >= 0 && second < seconds, "expected 0 ..< \(seconds), got \(second)")
    let (from, to) = (Double(second), Double(second + 1))
    let state = plan.trajectory.state(at: from)
    let next = plan.trajectory.speed(atKnot: second + 1)
    let leg = plan.trajectory.legStarts.partitioningIndex { $0 > second } - 1
    let steps = plan.steps
    let contacts = steps.contacts[steps.count(before: from)..<steps.count(before: to)]
    return SimulatedTruth(
      timestamp: plan.timestamp(from), latitude: state.latitude, longitude: state.longitude,
      speed: state.speed, isMoving: max(state.speed, next) > 0.05,
      activity: scenario.legs[leg].activity,
      cadenceStepsPerMinute: steps.cadence(from: from, to: to),
      steps: contacts.map(plan.timestamp))
  }
}

/// The events of a recording in order, batch by batch.
///
/// A fix comes before the first acceleration that is not earlier than it; a rotation rate stays
/// with its acceleration.
public struct SimulatedBatches: Sequence, IteratorProtocol, Sendable {
  private var accelerations: AccelerationSource
  private var fixes: FixSource
  private var acceleration: AccelerationSource.Sample?
  private var fix: LocationFix?
  /// The length of a batch, seconds.
  private let length: Double
  private let start: Timestamp
  private var window = 0.0

  init(_ scenario: Scenario, _ plan: MotionPlan, _ length: Double) {
    accelerations = AccelerationSource(scenario, plan)
    fixes = FixSource(scenario, plan)
    acceleration = accelerations.next()
    fix = fixes.next()
    start = scenario.start
    self.length = length
  }

  /// The next batch, nil at the end.
  public mutating func next() -> SensorBatch? {
    var batch = SensorBatch()
    return next(into: &batch) ? batch : nil
  }

  /// Fills `batch` with the next events, keeping its memory; false at the end.
  public mutating func next(into batch: inout SensorBatch) -> Bool {
    batch.removeAll()
    while batch.isEmpty, acceleration != nil || fix != nil {
      window += 1
      let end = start.advanced(byNanoseconds: Int64((window * length * 1e9).rounded()))
      while let time = nextTime, time < end { take(into: &batch) }
    }
    return !batch.isEmpty
  }

  private var nextTime: Timestamp? {
    switch (acceleration?.timestamp, fix?.timestamp) {
    case (let a?, let b?): a < b ? a : b
    case (let a, let b): a ?? b
    }
  }

  private mutating func take(into batch: inout SensorBatch) {
    if let due = fix, acceleration.map({ due.timestamp <= $0.timestamp }) ?? true {
      batch.append(due)
      fix = fixes.next()
    } else if let due = acceleration {
      batch.append(due.acceleration, at: due.timestamp)
      if let rate = due.rotationRate { batch.append(rate, at: due.timestamp) }
      acceleration = accelerations.next()
    }
  }
}
