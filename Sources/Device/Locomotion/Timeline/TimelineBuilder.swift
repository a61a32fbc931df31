internal import LocomotionActivityRecognition
internal import LocomotionPositioning
package import LocomotionSensing

/// Condenses seconds into stays, trips and gaps that tile the time.
///
/// Append the samples in time order; ``items()`` gives the timeline so far at any moment, and it
/// may still change at its end as more arrives: what ends by ``finalEnd()`` never does. When the
/// clock was set back the timeline starts anew, and what came before is kept in ``clockSegments``.
/// The rules, with the ``Settings`` they read:
///
/// 1. **A second** is at rest or in motion. With a location its moving state decides and its
///    activity names the mode; without one, or when it is uncertain, the activity decides. A second
///    that says neither counts as silence.
/// 2. **A run** is a stretch of seconds of one kind; an unknown mode doesn't end it. One
///    shorter than ``Settings/shortestRun`` dissolves in the run before it, which bounds the
///    memory; it never turns a rest of ``Settings/shortestStay`` into motion.
/// 3. **Silence** belongs to what came before it. It is motion, over the straight distance, when
///    the person was at rest before it and is more than ``Settings/farDistance`` away after it, the
///    radii of both locations on top. It is a gap when it lasts longer than
///    ``Settings/longestSilenceAtRest`` or, in motion, ``Settings/longestSilenceMoving``.
///    A rest without a location for ``Settings/shortestUnlocatedMotion`` and more was motion, too,
///    when it ends that far away: a train ride without reception. Unless its seconds name a
///    vehicle, a mean speed above ``Settings/slowestTrain`` stands for a train.
/// 4. **Rests merge** when their centres are within ``Settings/nearDistance``, nothing between them
///    is farther than ``Settings/farDistance`` from their common centre, and the time between is
///    below ``Settings/shortestAbsence`` or ``Settings/absenceFraction`` of both together, and not
///    longer than either nor than ``Settings/longestAbsence``. Without locations only an absence
///    below ``Settings/shortestAbsence`` is bridged, and none by vehicle or bicycle.
/// 5. **A stay** is a merged rest of at least ``Settings/shortestStay``; where the data begin or
///    end, of ``Settings/shortestEdgeStay``, since its true length is cut off; and any rest without
///    motion before or after it.
/// 6. **Traffic is no stay**: a rest that is spent in a vehicle for the most part, with a vehicle
///    before and after it as far as the data reach, up to ``Settings/longestTrafficStop``.
/// 7. **A trip** is what lies between stays and gaps. Beside a stay, where the data begin or end,
///    less than ``Settings/shortestTrip`` of near motion belongs to the stay.
/// 8. **The legs** are the sequence of modes that the fewest seconds contradict, when each change
///    of mode costs ``Settings/modeChangeCost`` seconds (Viterbi 1967): the same mode on both sides
///    absorbs twice as much, different modes once as much.
/// 9. **Distance** grows from one filtered location to the next that is at least
///    ``Settings/odometerStep`` and its own radius away, only while moving. Over a silence of
///    location inside a trip it is the straight line, shared among modes by their usual speeds.
/// 10. **Climb and descent** are what a `ClimbMeter` counts while moving.
///
/// - Complexity: Amortised O(1) per sample, O(runs) for the timeline; the runs take at most 160
///   bytes for each ``Settings/shortestRun`` of data, the array's spare room aside; in practice a
///   day is a few hundred runs.
public struct TimelineBuilder: Sendable {
  /// What counts as a stay, a trip and a gap.
  public struct Settings: Hashable, Sendable {
    /// The shortest rest that is a stay, seconds; default 300.
    public var shortestStay = 300.0
    /// The shortest rest that is a stay beside the data's edge or a gap, seconds; default 60.
    public var shortestEdgeStay = 60.0
    /// The longest rest in a vehicle that may be traffic, seconds; default 1200.
    public var longestTrafficStop = 1200.0
    /// Motion below this joins the stay at the data's edge, seconds; default 60.
    public var shortestTrip = 60.0
    /// Kinds of seconds that last less than this dissolve, seconds; default 20.
    public var shortestRun = 20.0
    /// Two rests are at one place when their centres are this near, metres; default 60.
    public var nearDistance = 60.0
    /// Whoever was this far from a place, and the locations' radii on top, had left it, metres;
    /// default 150.
    public var farDistance = 150.0
    /// An absence below this never splits a stay, seconds; default 150.
    public var shortestAbsence = 150.0
    /// Nor does one below this fraction of the rests on both sides; default 0.15.
    public var absenceFraction = 0.15
    /// An absence above this always splits a stay, seconds; default 2700.
    public var longestAbsence = 2700.0
    /// Silence above this is a gap when the person was at rest, seconds; default 900.
    public var longestSilenceAtRest = 900.0
    /// Silence above this is a gap when the person was moving, seconds; default 300.
    public var longestSilenceMoving = 300.0
    /// The shortest time without a location that may have been motion, seconds; default 60.
    public var shortestUnlocatedMotion = 60.0
    /// The slowest mean speed that stands for a train without reception, m/s; default 3.
    public var slowestTrain = 3.0
    /// The seconds of evidence that a change of mode needs; default 30.
    public var modeChangeCost = 30.0
    /// The shortest distance that is measured at once, metres; default 5.
    public var odometerStep = 5.0
    /// Locations of a larger radius measure no absence, and distance only in motion, metres;
    /// default 200.
    public var largestRadius = 200.0

    /// The default settings.
    public init() {}
  }

  /// The rules' figures.
  public let settings: Settings
  /// Samples that were refused because they had no length or began before the end of another.
  public private(set) var rejectedSamples = 0
  /// What was known when the clock was set back, once for each time; each tiles its own time.
  public private(set) var clockSegments: [[TimelineItem]] = []

  var first: Timestamp?
  var last: Timestamp?
  /// Closed runs; where one doesn't begin at the end of the one before, there is a gap.
  var runs: [TimelineRun] = []
  var open: TimelineRun?
  private var openInVehicle = false
  /// What the newest second said.
  private var latest = TimelineLabel.rest
  private(set) var odometer = TimelineOdometer()
  private var climbs = ClimbMeter()
  /// A sample from before the end of the last one: the first of a new clock, if another follows it.
  private var early: LocomotionSample?

  /// An empty timeline.
  public init(settings: Settings = Settings()) {
    self.settings = settings
    runs.reserveCapacity(512)
  }

  /// The memory that the samples so far take, bytes.
  package var stateBytes: Int {
    MemoryLayout<Self>.stride + runs.count * MemoryLayout<TimelineRun>.stride
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
      startClockSegment(with: first)
    }
    early = nil
    if first == nil { first = sample.start }
    last = sample.end
    guard let label = TimelineLabel(sample) else { return }
    endSilence(before: sample)
    // To the run before: the first second at rest completes the climb of the motion.
    if let altitude = sample.altitude {
      open?.add(climbs.update(with: altitude, at: sample.end, isMoving: label != .rest))
    }
    if !(open?.continues(with: label) ?? false) { begin(label, at: sample.start) }
    if label != .rest { odometer.isUnderway = true }
    openInVehicle = sample.activity?.activity?.isMotorized ?? false
    if openInVehicle { odometer.vehicle = sample.activity?.activity }
    open?.extend(to: sample.end, as: label, inVehicle: openInVehicle)
    latest = label
    if sample.steps.isFinite, sample.steps > 0 { open?.steps += sample.steps }
    locate(sample)
  }

  private mutating func startClockSegment(with sample: LocomotionSample) {
    let (segments, rejected) = (clockSegments + [items()], rejectedSamples - 1)
    reset()
    clockSegments = segments
    rejectedSamples = rejected
    append(sample)
  }

  /// Gives the time from the open run to `sample` to that run, to motion, or to a gap.
  private mutating func endSilence(before sample: LocomotionSample) {
    guard let run = open, run.end < sample.start else { return }
    let silence = sample.start.seconds(since: run.end)
    let limit = run.label == .rest ? settings.longestSilenceAtRest : settings.longestSilenceMoving
    if silence > limit {
      close()
      odometer.forget()
    } else if let distance = unseenDistance(from: run, to: sample) {
      close()
      open = TimelineRun(start: run.end, label: .moving(nil))
      open?.extend(to: sample.start, as: .moving(nil), inVehicle: false)
      open?.distance = distance
      odometer.forget()
    } else {
      open?.extend(to: sample.start, as: latest, inVehicle: openInVehicle)
    }
  }

  /// The straight distance from the place of `run` to `sample` when nothing else tells of it.
  private func unseenDistance(from run: TimelineRun, to sample: LocomotionSample) -> Double? {
    guard run.label == .rest, let region = run.region, let estimate = sample.location,
      let point = TimelinePoint(estimate), estimate.radius68 <= settings.largestRadius
    else { return nil }
    let distance = region.centre.distance(to: point)
    return distance > settings.farDistance + region.radius68 + estimate.radius68 ? distance : nil
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

  /// Adds the sample's location to the open run, and the distance to it.
  private mutating func locate(_ sample: LocomotionSample) {
    guard let estimate = sample.location, let point = TimelinePoint(estimate), var run = open
    else { return }
    let isGood = estimate.radius68 <= settings.largestRadius
    if isGood, let ride = unlocatedRide(from: run, to: sample) {
      settings.close(ride.rest, into: &runs)
      run = ride.motion
      odometer.forget()
    }
    if run.region == nil {
      run.region = TimelineRegion(point, radius: estimate.radius68)
    } else {
      run.region?.add(point, radius: estimate.radius68, widens: isGood)
    }
    open = run
    guard isGood else {
      // A ride by cells alone: what lies beyond their radius is distance, where it was motion.
      if run.label != .rest {
        open?.distance += odometer.distance(
          to: point, radius: estimate.radius68, isMoving: true, settings: settings)
      }
      return
    }
    let distance = odometer.distance(
      to: point, radius: estimate.radius68, isMoving: run.label != .rest, settings: settings)
    if distance > 0 { distribute(distance, since: odometer.located, until: sample.end) }
    odometer.located = sample.end
    odometer.vehicle = nil
  }

  /// A rest in two parts, when it lost its location and ends far away: rest, and motion since.
  private func unlocatedRide(
    from run: TimelineRun, to sample: LocomotionSample
  ) -> (rest: TimelineRun, motion: TimelineRun)? {
    guard let located = odometer.located, run.start < located,
      sample.start.seconds(since: located) >= settings.shortestUnlocatedMotion,
      let distance = unseenDistance(from: run, to: sample)
    else { return nil }
    let seconds = sample.end.seconds(since: located)
    let isFast = distance / seconds >= settings.slowestTrain
    let label = TimelineLabel.moving(odometer.vehicle ?? (isFast ? .train : nil))
    var rest = run
    rest.end = located
    rest.votes[TimelineRun.restLane] = max(0, rest.restSeconds - Float(seconds))
    rest.votes[TimelineRun.vehicleRestLane] = min(
      rest.votes[TimelineRun.vehicleRestLane], rest.restSeconds)
    var motion = TimelineRun(start: located, label: label)
    motion.extend(to: sample.end, as: label, inVehicle: false)
    motion.distance = distance
    return (rest, motion)
  }

  /// Adds a distance to the open run, or to the runs since the last location when that is long ago.
  private mutating func distribute(
    _ distance: Double, since located: Timestamp?, until end: Timestamp
  ) {
    guard let located, end.seconds(since: located) > 60 else {
      open?.distance += distance
      return
    }
    let firstRun = (runs.lastIndex { $0.end <= located } ?? -1) + 1
    let total = (open?.usualDistance ?? 0) + runs[firstRun...].reduce(0) { $0 + $1.usualDistance }
    guard total > 0 else {
      open?.distance += distance
      return
    }
    for index in firstRun..<runs.count {
      runs[index].distance += distance * runs[index].usualDistance / total
    }
    if let usual = open?.usualDistance { open?.distance += distance * usual / total }
  }
}

extension TimelineBuilder.Settings {
  /// Appends a run that is over; a short one dissolves in the one before.
  func close(_ run: TimelineRun, into runs: inout [TimelineRun]) {
    let last = runs.count - 1
    guard run.duration < shortestRun, last >= 0, runs[last].end == run.start else {
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
  fileprivate var usualDistance: Double {
    // By `Activity.rawValue`, m/s: unnamed, walking, running, cycling, automotive, train.
    let speeds = SIMD8<Float>(5, 1.4, 3, 5, 12, 18, 0, 0)
    return Double((votes * speeds).sum())
  }
}

extension TimelineBuilder: StateArchivable {
  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&rejectedSamples)
    archive.pass(&clockSegments)
    archive.pass(&first)
    archive.pass(&last)
    archive.pass(&runs)
    archive.pass(&open)
    archive.pass(&openInVehicle)
    archive.pass(&latest)
    archive.pass(&odometer)
    archive.pass(&climbs)
    archive.pass(&early)
  }
}
