/// What one second says: at rest, or in motion with or without a named mode.
enum TimelineLabel: Equatable, Sendable, StateElement {
  case rest
  case moving(Activity?)

  /// The label of `sample`, or nil when it says neither rest nor motion.
  ///
  /// With a location the moving state decides and the activity names the mode; without one, the
  /// activity decides, because then the moving state has seen no more than it has.
  init?(_ sample: LocomotionSample) {
    let activity = sample.activity?.activity
    let mode = activity == .stationary ? nil : activity
    if sample.location == nil || sample.movingState == .uncertain, let activity {
      self = activity == .stationary ? .rest : .moving(mode)
      return
    }
    switch sample.movingState {
    case .stationary: self = .rest
    case .moving: self = .moving(mode)
    case .uncertain: return nil
    }
  }

  static let blank = TimelineLabel.rest

  mutating func pass(through archive: inout StateArchive) {
    var (isMoving, mode): (Bool, Activity?) = (self != .rest, nil)
    if case .moving(let own) = self { mode = own }
    archive.pass(&isMoving)
    archive.pass(caseOf: &mode)
    if archive.isReading { self = isMoving ? .moving(mode) : .rest }
  }
}

/// A stretch of seconds with one label, in constant memory.
struct TimelineRun: Sendable, StateElement {
  /// The lane of ``votes`` that counts rest.
  static let restLane = 6
  /// The lane of ``votes`` that counts the part of the rest that is spent in a vehicle.
  static let vehicleRestLane = 7

  // In an order that leaves few gaps: there are many runs.
  var start: Timestamp
  var end: Timestamp
  var distance: Double = 0
  /// The variance of ``distance`` by errors that differ from way to way, m².
  var distanceVariance = 0.0
  /// The standard deviation of ``distance`` by errors that all ways share, metres.
  var distanceBias = 0.0
  /// The part of ``distance`` that is none of the errors, metres.
  var ground = 0.0
  var steps: Float = 0
  /// Seconds in motion by `Activity.rawValue`; lane 0, which no mode needs, counts the unnamed;
  /// then rest, then rest in a vehicle (contained in rest).
  var votes: SIMD8<Float> = .zero
  /// The sums of the probabilities of the seconds' activities by `Activity.rawValue`.
  var probabilities: SIMD8<Float> = .zero
  /// Whether a location was known in it.
  var isLocated = false
  var label: TimelineLabel
  /// What was climbed and descended; its resolution is zero when no second knew its altitude.
  private var climbs = AltitudeChange()

  init(start: Timestamp, label: TimelineLabel) {
    self.start = start
    self.end = start
    self.label = label
  }

  var duration: Double { end.seconds(since: start) }

  var restSeconds: Float { votes[Self.restLane] }

  var movingSeconds: Float { votes.sum() - votes[Self.restLane] - votes[Self.vehicleRestLane] }

  /// The mode with the most seconds, or nil when no second names one.
  var mode: Activity? {
    let best = Activity.allCases.dropFirst().reduce(Activity.walking) {
      votes[$1.rawValue] > votes[$0.rawValue] ? $1 : $0
    }
    return votes[best.rawValue] > 0 ? best : nil
  }

  /// Whether a second of `next` goes on with the run: the same kind, or motion whose mode is in
  /// doubt, which must not cut a motion into pieces that are too short to keep.
  func continues(with next: TimelineLabel) -> Bool {
    switch (label, next) {
    case (.rest, .rest), (.moving, .moving(nil)): true
    case (.moving(let mode?), .moving(let other?)): mode == other
    default: false
    }
  }

  /// Ends the run at `newEnd` and counts the time since its old end as `label` says.
  mutating func extend(to newEnd: Timestamp, as label: TimelineLabel, inVehicle: Bool) {
    let seconds = Float(newEnd.seconds(since: end))
    switch label {
    case .rest:
      votes[Self.restLane] += seconds
      if inVehicle { votes[Self.vehicleRestLane] += seconds }
    case .moving(let activity):
      votes[activity?.rawValue ?? 0] += seconds
    }
    end = newEnd
  }

  /// Counts time without a second as what the second after it says of the mode.
  mutating func vote(for label: TimelineLabel, seconds: Double) {
    if case .moving(let activity?) = label { votes[activity.rawValue] += Float(seconds) }
  }

  /// The part of the run in an interval, with its fraction of what it counts; nil when they don't
  /// overlap.
  func cut(from first: Timestamp, to last: Timestamp) -> TimelineRun? {
    guard max(start, first) < min(end, last) else { return nil }
    if first <= start && end <= last { return self }
    var part = self
    part.start = max(start, first)
    part.end = min(end, last)
    let fraction = part.duration / duration
    part.distance *= fraction
    part.distanceVariance *= fraction
    part.distanceBias *= fraction
    part.ground *= fraction
    part.steps *= Float(fraction)
    part.votes *= Float(fraction)
    part.probabilities *= Float(fraction)
    part.climbs = climbs.scaled(by: fraction)
    return part
  }

  /// What was climbed and descended; nil when no second knew its altitude.
  var altitudeChange: AltitudeChange? { climbs.resolution > 0 ? climbs : nil }

  mutating func add(_ step: Odometer.Step, share: Double = 1) {
    distance += share * step.length
    distanceVariance += share * step.variance
    distanceBias += share * step.bias
    ground += share * step.ground
    isLocated = true
  }

  mutating func add(_ change: AltitudeChange) {
    climbs += change
    // Of one track the newest counts: what was too small at first does count later.
    if change.resolution > 0 { climbs.resolution = change.resolution }
  }

  /// Takes in the run that follows, and the label that then has the majority; a rest of at least
  /// `firmRest` seconds stays one.
  mutating func absorb(_ next: TimelineRun, firmRest: Double) {
    let isFirm = label == .rest && Double(restSeconds) >= firmRest
    votes += next.votes
    probabilities += next.probabilities
    end = next.end
    isLocated = isLocated || next.isLocated
    distance += next.distance
    distanceVariance += next.distanceVariance
    distanceBias += next.distanceBias
    ground += next.ground
    steps += next.steps
    if let change = next.altitudeChange { add(change) }
    if isFirm || restSeconds >= movingSeconds {
      label = .rest
    } else {
      label = .moving(mode)
    }
  }

  static var blank: TimelineRun { TimelineRun(start: .blank, label: .rest) }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &distance, &distanceVariance, &distanceBias)
    archive.pass(&ground, &steps, &votes, &probabilities, &isLocated)
    archive.pass(&label, &climbs)
    archive.require(start.isPlausible && end.isPlausible && start <= end)
  }
}

extension [TimelineRun] {
  /// Those of runs in the order of time that overlap an interval, found by bisection.
  func overlapping(from start: Timestamp, to end: Timestamp) -> ArraySlice<TimelineRun> {
    self[partitioningIndex { $0.end > start }...].prefix { $0.start < end }
  }

  /// Their parts in an interval.
  func cut(from start: Timestamp, to end: Timestamp) -> [TimelineRun] {
    overlapping(from: start, to: end).compactMap { $0.cut(from: start, to: end) }
  }
}

extension ArraySlice<TimelineRun> {
  /// The seconds in motion: those that were observed so, and of silences as many as their distance
  /// takes at the speed that was observed, all of them where none was.
  var movingSeconds: Double {
    var (seconds, distance, silence, silentDistance) = (0.0, 0.0, 0.0, 0.0)
    for run in self {
      if run.votes == .zero {
        silence += run.duration
        silentDistance += run.distance
      } else {
        // What is said of the silence before a run counts among its votes.
        seconds += Swift.min(Double(run.movingSeconds), run.duration)
        distance += run.distance
      }
    }
    if seconds > 0, distance > 0 {
      silence = Swift.min(silence, silentDistance * seconds / distance)
    }
    let span = isEmpty ? 0 : self[endIndex - 1].end.seconds(since: self[startIndex].start)
    return Swift.min(seconds + silence, span)
  }
}
