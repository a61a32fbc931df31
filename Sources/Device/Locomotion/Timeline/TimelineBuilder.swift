/// Condenses seconds into stays, trips and gaps that tile the time.
///
/// Append the samples in time order, any distance apart; ``items()`` gives the timeline so far at
/// any moment, and it may still change at its end as more arrives: what ends by ``finalEnd()``
/// never does. When the clock was set back the timeline starts anew behind what came before, and
/// each tiles its own time.
///
/// Where the person stayed is inferred, not decided by rules: a hidden semi-Markov model of places
/// and travel in continuous time (`StayInference`) weighs where the fixes are, how far they are
/// apart for the time between them, the speeds that were reported, and what the accelerations say.
/// A silence of any length is part of the answer: a recorder that is quiet at rest is as good as
/// one that isn't. The rest are a few rules, with the ``Settings`` they read:
///
/// 1. **A second** is at rest or in motion. With a location its moving state decides and its
///    activity names the mode; without one, or when it is uncertain, the activity decides.
/// 2. **A run** is a stretch of seconds of one kind; an unknown mode doesn't end it. One
///    shorter than `Settings.shortestRun` dissolves in the run before it. Where seconds follow
///    each other, stays and trips begin and end where runs do.
/// 3. **A stay** lasts ``Settings/shortestStay``; where the data begin or end,
///    `Settings.shortestEdgeStay`, since its true length is cut off; and any length without
///    motion before or after it.
/// 4. **Traffic is no stay**: a rest that is spent in a vehicle for the most part, with a vehicle
///    before and after it as far as the data reach, up to `Settings.longestTrafficStop`. Nor is
///    motion of less than `Settings.shortestTrip` between a stay and the data's edge a trip.
/// 5. **A gap** is what nothing tells of: silence without a location on one side of it for more
///    than `Settings.longestUnlocatedSilence`, and any above `Settings.longestSilence`.
/// 6. **The legs** are the sequence of modes that the fewest seconds contradict, when each change
///    of mode costs `Settings.modeChangeCost` seconds (Viterbi 1967): the same mode on both sides
///    absorbs twice as much, different modes once as much.
/// 7. **Distance** is that of an `Odometer` from fix to fix, whatever lies between them; what it
///    measures over a silence is shared among modes by their usual speeds.
/// 8. **Climb and descent** are what a `ClimbMeter` counts while moving.
///
/// - Complexity: Amortised O(1) per sample; O(minutes · places) for the open end of the timeline,
///   which begins with the newest stay that is sure.
public struct TimelineBuilder: Sendable, StateArchivable {
  /// What counts as a stay, a trip and a gap.
  public struct Settings: Sendable {
    /// The shortest rest that is a stay, seconds; default 300.
    public var shortestStay = 300.0
    /// The shortest rest that is a stay beside the data's edge or a gap, seconds; default 60.
    var shortestEdgeStay = 60.0
    /// The longest rest in a vehicle that may be traffic, seconds; default 1200.
    var longestTrafficStop = 1200.0
    /// Motion below this joins the stay at the data's edge, seconds; default 60.
    var shortestTrip = 60.0
    /// Kinds of seconds that last less than this dissolve, seconds; default 20.
    var shortestRun = 20.0
    /// Motion that covered as much ground is no part of a rest, metres; default 60.
    var leastWay = 60.0
    /// Seconds that are no farther apart follow each other, seconds; default 20.
    var longestPause = 20.0
    /// Silence above this is a gap when no location is known on one side, seconds; default 900.
    var longestUnlocatedSilence = 900.0
    /// Silence above this is a gap, seconds; default 129,600, a day and a half.
    var longestSilence = 129_600.0
    /// The slowest mean speed that stands for a train without reception, m/s; default 3.
    var slowestTrain = 3.0
    /// The seconds of evidence that a change of mode needs; default 30.
    var modeChangeCost = 30.0

    /// The default settings.
    public init() {}
  }

  /// The rules' figures.
  public let settings: Settings
  /// Samples that were refused because they had no length or began before the end of another.
  public private(set) var rejectedSamples = 0

  /// The items that are final and were not taken.
  var finalItems: [TimelineItem] = []
  /// The end of those that were.
  var takenEnd: Timestamp?
  /// The first instant that is open.
  var first: Timestamp?
  var beginsWithStay = false
  var last: Timestamp?
  /// Closed runs; where one doesn't begin at the end of the one before, nothing was observed.
  var runs: [TimelineRun] = []
  var open: TimelineRun?
  /// The minutes in which anything was observed.
  var epochs: [LocationEpoch] = []
  /// Whether the reported speeds agree with the displacements.
  var speedCheck = SpeedCheck()
  /// The epochs after which is looked next for what is final.
  var nextCheck = 0
  private var openInVehicle = false
  /// What the newest second said.
  private var latest = TimelineLabel.rest
  private(set) var odometer: Odometer
  /// The ways over silences.
  var silences: [Odometer.Step] = []
  private var climbs = ClimbMeter()
  /// A sample from before the end of the last one: the first of a new clock, if another follows it.
  private var early: LocomotionSample?

  /// An empty timeline.
  public init(settings: Settings = Settings()) {
    self.settings = settings
    odometer = Odometer(trustsRest: false, longestGap: settings.longestSilence)
    runs.reserveCapacity(512)
  }

  /// A timeline that goes on with a stay that began at an instant.
  init(stayingSince start: Timestamp) {
    self.init()
    first = start
    last = start
    beginsWithStay = true
  }

  /// Forgets all samples.
  public mutating func reset() {
    self = TimelineBuilder(settings: settings)
  }

  /// Appends the next second.
  ///
  /// One that begins before the end of the last is refused, unless the next one goes on from it:
  /// then the clock was set back, and both begin a new epoch.
  public mutating func append(_ sample: LocomotionSample) {
    guard sample.start < sample.end, sample.start.isPlausible, sample.end.isPlausible else {
      rejectedSamples += 1
      return
    }
    if let last, sample.start < last {
      guard let first = early, sample.start >= first.end,
        sample.start.seconds(since: first.end) <= settings.shortestRun
      else {
        rejectedSamples += 1
        early = sample
        return
      }
      rejectedSamples -= 1
      finishRecording()
      append(first)
    }
    early = nil
    if first == nil {
      first = sample.start
      if let end = finalEnd(), end < sample.start {
        finalItems.append(.gap(Gap(start: end, end: sample.start)))
      }
    }
    last = sample.end
    let label = TimelineLabel(sample)
    observe(sample, label)
    measure(sample, label)
    guard let label else { return }
    let pause = endPause(before: sample)
    let change = climb(sample, label)
    // To the run before: the first second at rest completes the climb of the motion.
    let completesRun = open != nil
    if completesRun { open?.add(change) }
    if !(open?.continues(with: label) ?? false) { begin(label, at: sample.start) }
    if !completesRun { open?.add(change) }
    // By fixes alone a vehicle is no reason to take a rest for traffic.
    openInVehicle = sample.coverage > 0 && sample.activity?.activity?.isMotorized ?? false
    open?.extend(to: sample.end, as: label, inVehicle: openInVehicle)
    open?.vote(for: label, seconds: min(pause, Self.longestVote))
    latest = label
    if let activity = sample.activity { open?.probabilities += activity.probabilities.lanes }
    if sample.steps.isFinite, sample.steps > 0 { open?.steps += sample.steps }
    if sample.location != nil { open?.isLocated = true }
  }

  /// What was climbed up to a second; what is predicted between fixes is no climb.
  private mutating func climb(
    _ sample: LocomotionSample, _ label: TimelineLabel
  ) -> AltitudeChange {
    guard let altitude = sample.altitude,
      altitude.barometricAltitude != nil || sample.rawLocation?.altitude != nil
    else { return AltitudeChange() }
    return climbs.update(with: altitude, at: sample.end, isMoving: label != .rest)
  }

  /// Makes all items final: between them and a later sample is a gap.
  mutating func finishRecording() {
    let (items, taken, rejected) = (items(), takenEnd, rejectedSamples)
    reset()
    (finalItems, takenEnd, rejectedSamples) = (items, taken, rejected)
  }

  // MARK: Epochs

  /// Adds what a second observed to its minute of the clock.
  private mutating func observe(_ sample: LocomotionSample, _ label: TimelineLabel?) {
    let fix = sample.rawLocation.flatMap { EarthCentredPoint($0) == nil ? nil : $0 }
    guard fix != nil || label != nil && sample.coverage > 0 else { return }
    if epochs.isEmpty, let fix { beginStay(at: EarthCentredPoint(fix), before: sample.start) }
    let minute = Self.minute(of: sample.start)
    if epochs.last.map({ Self.minute(of: $0.start) != minute }) ?? true {
      commitIfDue()
      epochs.append(LocationEpoch(at: sample.start))
    }
    let newest = epochs.count - 1
    if let fix, let point = EarthCentredPoint(fix) {
      speedCheck.add(point, speed: fix.speed, at: fix.timestamp)
      epochs[newest].add(point, speed: fix.speed, at: sample.start)
    }
    epochs[newest].extend(to: sample.end)
    // An activity by fixes is no evidence beside them. And whether a vehicle moves is not for the
    // accelerometer to say where a location tells.
    if let activity = sample.activity?.activity, sample.coverage > 0,
      !(activity.isMotorized && label == .rest && sample.location != nil)
    {
      let seconds = Float(sample.end.seconds(since: sample.start))
      epochs[newest].accelerationMotion += seconds * activity.motionRate
    }
  }

  /// Adds the beginning of a stay that began in a silence: it is where the next fix is.
  mutating func beginStay(at point: EarthCentredPoint?, before time: Timestamp) {
    guard beginsWithStay, let first, let point,
      time.seconds(since: first) > settings.longestPause
    else { return }
    var epoch = LocationEpoch(at: first)
    epoch.add(point, at: first)
    epochs.insert(epoch, at: 0)
  }

  private static func minute(of time: Timestamp) -> Int64 {
    time.interval(of: 60_000_000_000)
  }

  // MARK: Runs

  /// The longest silence for which the mode of the second after it speaks, seconds.
  private static let longestVote = 900.0

  /// Gives the time from the open run to `sample` to that run when it is brief, else to none.
  ///
  /// - Returns: The time that belongs to no run, seconds.
  private mutating func endPause(before sample: LocomotionSample) -> Double {
    guard let run = open, run.end < sample.start else { return 0 }
    let pause = sample.start.seconds(since: run.end)
    guard pause > settings.longestPause else {
      open?.extend(to: sample.start, as: latest, inVehicle: openInVehicle)
      return 0
    }
    close()
    return pause
  }

  private mutating func begin(_ label: TimelineLabel, at start: Timestamp) {
    // A mode's name ends a short doubt about it.
    if case .moving(.some) = label, let run = open, run.label == .moving(nil),
      run.duration < settings.shortestRun
    {
      open?.label = label
      return
    }
    close()
    if let previous = runs.last, previous.end == start, previous.continues(with: label) {
      open = runs.removeLast()
    } else {
      open = TimelineRun(start: start, label: label)
    }
  }

  private mutating func close() {
    guard let run = open else { return }
    settings.close(run, into: &runs)
    open = nil
  }

  /// The longest time between fixes whose way is one of a minute, seconds.
  private static let longestStep = 90.0

  /// Measures the way to the location of a sample with a fix: what is predicted between fixes is no
  /// way that anyone went.
  private mutating func measure(_ sample: LocomotionSample, _ label: TimelineLabel?) {
    guard let estimate = sample.location, sample.rawLocation != nil else { return }
    let state: MovingState =
      switch label {
      case .rest: .stationary
      case .moving: .moving
      case nil: .uncertain
      }
    guard let step = odometer.advance(to: estimate, state: state) else { return }
    if step.seconds <= Self.longestStep, let newest = epochs.indices.last {
      epochs[newest].cover(step.ground)
    }
    if let open, open.start < step.end, step.seconds <= settings.longestPause {
      self.open?.add(step)
    } else {
      settings.add(step, to: &runs, &silences)
    }
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&rejectedSamples, &finalItems, &takenEnd, &first)
    archive.pass(&beginsWithStay, &last, &runs, &open, &epochs)
    archive.pass(&speedCheck, &nextCheck, &openInVehicle, &latest, &odometer)
    archive.pass(&silences, &climbs, &early)
  }
}

extension Activity {
  /// ln of the likelihood ratio of travel and rest that one second of the activity is worth.
  ///
  /// Seconds that follow each other are far from independent; a vehicle may stand.
  fileprivate var motionRate: Float {
    switch self {
    case .stationary: -0.06
    case .walking, .running, .cycling: 0.06
    case .automotive, .train: 0.08
    }
  }
}

extension TimelineBuilder.Settings {
  /// Adds a way to the run in which it ended, or to those over silences.
  func add(
    _ step: Odometer.Step, to runs: inout [TimelineRun], _ silences: inout [Odometer.Step]
  ) {
    if step.seconds <= longestPause, let index = runs.lastIndex(where: { $0.start < step.end }) {
      runs[index].add(step)
    } else {
      silences.append(step)
    }
  }

  /// Appends a run that is over; a short one dissolves in the one before.
  func close(_ run: TimelineRun, into runs: inout [TimelineRun]) {
    let last = runs.count - 1
    let isBrief = run.duration < shortestRun && (run.label == .rest || run.ground < leastWay)
    guard isBrief, last >= 0, runs[last].end == run.start else {
      runs.append(run)
      return
    }
    runs[last].absorb(run, firmRest: shortestStay)
    // The majority may have turned the run into one of the same kind as its neighbour.
    if last > 0, runs[last - 1].label == runs[last].label, runs[last - 1].end == runs[last].start {
      runs[last - 1].absorb(runs.removeLast(), firmRest: shortestStay)
    }
  }
}

extension TimelineRun {
  /// The metres that the run's seconds usually make; only ratios of it are used.
  var usualDistance: Double {
    // By `Activity.rawValue`, m/s: unnamed, walking, running, cycling, automotive, train.
    let speeds = SIMD8<Float>(5, 1.4, 3, 5, 12, 18, 0, 0)
    return Double((votes * speeds).sum())
  }
}

extension TimelineRun {
  /// The seconds between two instants that contradict an end of a stay where they lie: of motion as
  /// many as its ground takes on foot at least, since who travels halts and who stays covers none.
  func contradiction(from first: Timestamp, to last: Timestamp) -> Double {
    guard let part = cut(from: first, to: last) else { return 0 }
    return label == .rest ? part.duration : max(part.duration, part.ground / 1.4)
  }
}
