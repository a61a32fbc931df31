public import LocomotionActivityRecognition
public import LocomotionGait
public import LocomotionPositioning
public import LocomotionSensing
public import LocomotionSignals

/// Turns sensor batches into what the person was doing, second by second.
///
/// ```swift
/// var pipeline = LocomotionPipeline()
/// for sample in pipeline.ingest(batch) {
///   print(sample.end.seconds, sample.movingState, sample.cadence?.stepsPerMinute ?? 0)
/// }
/// ```
///
/// A pipeline is a value. A copy is a snapshot; one that was encoded and decoded goes on with the
/// same answers. It has no clock: time is what the timestamps say, and a second is over when the
/// first event after it arrives. Cutting the same events into other batches changes nothing.
///
/// ## Order of events
/// A fix comes before the first acceleration that is not earlier than it. A fix that is ahead of
/// the accelerations waits for them, so that no sample knows of a later fix and seconds end in
/// order although accelerations come in packets. When fixes have gone on alone for
/// ``Settings/longestAccelerationDelay``, they end the seconds. Accelerations of seconds that have
/// ended enter later windows only, unless their clock was set back: it is followed.
///
/// - Complexity: microseconds per second of data; allocates nothing once the arrays of the output
///   have grown to their size.
public struct LocomotionPipeline: Sendable, Codable {
  /// The settings of all stages.
  public struct Settings: Sendable, Hashable, Codable {
    /// How accelerations are judged and gridded; the grid must stay at 100 Hz.
    public var resampler = UniformResampler.Settings()
    /// How fixes are filtered.
    public var location = LocationFilter.Settings()
    /// How the moving state is decided.
    public var moving = MovingStateDetector.Settings()
    /// How steps are found.
    public var cadence = CadenceEstimator.Settings()
    /// How the activity is decided.
    public var activity = ActivityClassifier.Settings()
    /// How long after a fix the accelerations of its time may come, nanoseconds; default 10 s.
    ///
    /// Phones deliver accelerations in packets, to let the processor sleep.
    public var longestAccelerationDelay: Int64 = 10_000_000_000

    /// The defaults of all stages.
    public init() {}
  }

  /// What came in and what became of it.
  public struct Diagnostics: Sendable, Hashable, Codable {
    /// Accelerations: received = kept + dropped.
    public var accelerations = IntakeCounts()
    /// Rotation rates: received = kept + dropped.
    public var rotationRates = IntakeCounts()
    /// Fixes by what the filter made of them.
    public var fixes = FixCounts()
    /// Fixes that wait for the accelerations of the time before them.
    public var waitingFixes = 0
  }

  /// The grid on which every stage works, samples per second.
  static let sampleRate = 100
  /// Cells that the ring holds: the longest window and what lies beyond the end of a second.
  private static let ringCapacity = 1024
  /// Cells that count as a whole second for the steps: a recording of whole seconds ends one sample
  /// short of its last, 50 ms at 20 Hz.
  private static let wholeSecond = 95

  /// The settings of all stages.
  public let settings: Settings

  private var resampler: UniformResampler
  private var ring = SampleRing(capacity: LocomotionPipeline.ringCapacity)
  private var filter: LocationFilter
  private var movingDetector: MovingStateDetector
  /// What looks at windows; a replay that analyzes them elsewhere hands it on.
  package var windowStages: WindowStages
  /// What the windows of the last second showed; its memory is used again.
  private var analysis = WindowAnalysis()
  private var rotation = RotationMeter()
  private var rotationGrid = RotationGrid()
  private var second = EpochAccumulator()
  private var waiting = FixQueue()
  /// What the accelerometer said in the last whole second.
  private var lastAcceleration: AccelerationEvidence?
  /// The last second of this stretch of accelerations that was analysed.
  private var lastAnalysed: Int64?

  /// Whether windows are neither classified nor searched for steps, which is most of the work.
  ///
  /// Locations, moving states and counts don't depend on it. Not saved: false after decoding.
  package var leavesWindowsOut = false
  /// Where windows are kept instead, for a replay that analyzes them elsewhere.
  ///
  /// Not saved: nil after decoding.
  package var windowLog: WindowLog?

  private enum CodingKeys: CodingKey {
    case settings, resampler, ring, filter, movingDetector, windowStages, rotation, rotationGrid
    case second, waiting, lastAcceleration, lastAnalysed
  }

  /// A pipeline that has seen nothing.
  ///
  /// - Precondition: the resampler's period is that of 100 Hz, and the longest delay is positive.
  public init(model: ActivityModel = .default, settings: Settings = Settings()) {
    precondition(
      settings.resampler.period == 10_000_000,
      "expected a period of 10000000 ns, got \(settings.resampler.period)")
    precondition(
      settings.longestAccelerationDelay > 0,
      "expected a positive delay, got \(settings.longestAccelerationDelay)")
    self.settings = settings
    resampler = UniformResampler(settings: settings.resampler)
    filter = LocationFilter(settings: settings.location)
    movingDetector = MovingStateDetector(settings: settings.moving)
    windowStages = WindowStages(model: model, settings: settings)
  }

  /// What came in so far and what became of it.
  public var diagnostics: Diagnostics {
    Diagnostics(
      accelerations: resampler.counts, rotationRates: rotation.counts, fixes: filter.counts,
      waitingFixes: waiting.fixes.count)
  }

  /// Takes in a batch and returns the seconds that it completed.
  ///
  /// The form for convenience: it allocates the array that it returns.
  public mutating func ingest(_ batch: SensorBatch) -> [LocomotionSample] {
    var output = LocomotionOutput()
    ingest(batch, into: &output)
    return output.samples
  }

  /// Takes in a batch and appends what it completed to `output`.
  public mutating func ingest(_ batch: SensorBatch, into output: inout LocomotionOutput) {
    let (accelerations, rates) = (batch.accelerations, batch.rotationRates)
    var (nextAcceleration, nextRate, nextFix) = (0, 0, 0)
    while true {
      let acceleration = accelerations.dueTime(nextAcceleration)
      let rate = rates.dueTime(nextRate)
      let fix = batch.dueTimeOfFix(nextFix)
      if let fix, fix <= acceleration ?? fix, fix <= rate ?? fix {
        ingest(batch.fixes[nextFix], into: &output)
        nextFix += 1
      } else if let acceleration, acceleration <= rate ?? acceleration {
        let run = ingestRun(of: accelerations, from: nextAcceleration, before: fix, upTo: rate)
        nextAcceleration += run
        guard run == 0 else { continue }
        ingest(
          x: accelerations.x[nextAcceleration], y: accelerations.y[nextAcceleration],
          z: accelerations.z[nextAcceleration], at: accelerations.timestamps[nextAcceleration],
          into: &output)
        nextAcceleration += 1
      } else if rate != nil {
        let (x, y, z) = (rates.x[nextRate], rates.y[nextRate], rates.z[nextRate])
        rotation.add(x: x, y: y, z: z, at: rates.timestamps[nextRate])
        rotationGrid.add(x: x, y: y, z: z, at: rates.timestamps[nextRate])
        nextRate += 1
      } else {
        break
      }
    }
  }

  /// Completes the current second and judges the fixes that wait, at the end of a recording.
  public mutating func finish(into output: inout LocomotionOutput) {
    releaseAll(into: &output)
    close(location: predictedLocation(), into: &output)
    // What is left says that it comes from the future.
    while !waiting.isEmpty { judge(waiting.remove(at: 0), mayOpenSecond: false, into: &output) }
  }

  /// Forgets everything but the settings and the counts of accelerations.
  public mutating func reset() {
    resampler.reset()
    ring.removeAll()
    filter.reset()
    movingDetector.reset()
    windowStages.reset()
    rotation.reset()
    rotationGrid.reset()
    second = EpochAccumulator()
    waiting = FixQueue()
    lastAcceleration = nil
    lastAnalysed = nil
  }

  // MARK: Events

  private mutating func ingest(
    x: Float, y: Float, z: Float, at timestamp: Timestamp, into output: inout LocomotionOutput
  ) {
    switch resampler.judge(x: x, y: y, z: z, at: timestamp) {
    case .dropped, .held:
      return
    case .begins:
      let first = resampler.heldTimestamp ?? timestamp
      let isSetBack = ring.count > 0 && first < accelerationsEnd
      // Fixes of the clock that was left.
      if isSetBack {
        releaseAll(into: &output)
        rotationGrid.reset()
      }
      let before = second.index
      advance(to: first, isSetBack: isSetBack, into: &output)
      if second.index == before { second.cellsBeforeBreak += cellsOfSecond() }
      resampler.beginStretch(in: &ring)
      lastAnalysed = nil
    case .continues:
      break
    }
    resampler.append(x: x, y: y, z: z, at: timestamp, to: &ring)
    advance(to: timestamp, into: &output)
    waiting.noteAcceleration()
  }

  /// Takes in the samples from `first` on that only continue the current second, and returns how
  /// many those are; all come before the times of the next fix and not after that of the next rate.
  private mutating func ingestRun(
    of series: SensorBatch.Series, from first: Int, before fix: Timestamp?, upTo rate: Timestamp?
  ) -> Int {
    guard let index = second.index, series.timestamps[first] >= Second.start(of: index) else {
      return 0
    }
    var limit = Second.end(of: index)
    if let fix { limit = min(limit, fix) }
    if let rate { limit = min(limit, rate.advanced(byNanoseconds: 1)) }
    let range = first..<series.count
    let taken = resampler.appendRun(
      x: series.x.span.extracting(range), y: series.y.span.extracting(range),
      z: series.z.span.extracting(range), at: series.timestamps.span.extracting(range),
      before: limit, to: &ring)
    if taken > 0 { waiting.noteAcceleration() }
    return taken
  }

  private mutating func ingest(_ fix: LocationFix, into output: inout LocomotionOutput) {
    waiting.noteArrival(of: fix, delay: settings.longestAccelerationDelay)
    guard mayWait(fix) else {
      if !areAccelerationsLive { releaseAll(into: &output) }
      return judge(fix, into: &output)
    }
    if waiting.isFull { judge(waiting.remove(at: 0), mayOpenSecond: false, into: &output) }
    waiting.append(fix)
  }

  /// Whether accelerations of the time before `fix` may still arrive.
  private func mayWait(_ fix: LocationFix) -> Bool {
    guard let current = second.index, fix.timestamp.isPlausible, areAccelerationsLive else {
      return false
    }
    let index = Second.index(of: fix.timestamp)
    return index > current && accelerationsEnd < Second.start(of: index)
  }

  /// Whether there are accelerations, and fixes have not gone on without them for long.
  private var areAccelerationsLive: Bool {
    ring.count > 0 && !waiting.showsSilence(of: settings.longestAccelerationDelay)
  }

  /// The time up to which accelerations are on the grid.
  private var accelerationsEnd: Timestamp {
    Timestamp(nanoseconds: resampler.nextCell * settings.resampler.period)
  }

  /// Hands a fix to the filter, and lets it open its second if accelerations don't do that.
  private mutating func judge(
    _ fix: LocationFix, mayOpenSecond: Bool = true, into output: inout LocomotionOutput
  ) {
    let index = Second.index(of: fix.timestamp)
    let opens = mayOpenSecond && opensSecond(index)
    let before = opens ? predictedLocation() : nil
    let status = filter.update(with: fix, acceleration: lastAcceleration)
    output.fixes.append(
      FixReport(
        fix: fix, status: status, location: filter.estimate(at: fix.timestamp),
        moving: filter.movingDecision, acceleration: lastAcceleration))
    if case .rejected = status { return }
    if opens { open(index, location: before, into: &output) }
    if let current = second.index, index <= current { second.rawLocation = fix }
  }

  /// Whether the second of an accepted fix becomes the current one: an earlier one only when fixes
  /// are on their own, so that their clock is the one that was set back.
  private func opensSecond(_ index: Int64) -> Bool {
    guard let current = second.index, index <= current else { return true }
    let lead = Second.start(of: current).nanoseconds(since: accelerationsEnd)
    return index < current && (ring.count == 0 || lead > settings.resampler.longestGap)
  }

  /// Judges the waiting fixes of seconds up to `last`; those before it open theirs.
  private mutating func release(through last: Int64, into output: inout LocomotionOutput) {
    var position = 0
    while position < waiting.fixes.count {
      if Second.index(of: waiting.fixes[position].timestamp) <= last {
        judge(waiting.remove(at: position), into: &output)
      } else {
        position += 1
      }
    }
  }

  /// Judges the waiting fixes, but for those that accelerations showed to be from the future.
  private mutating func releaseAll(into output: inout LocomotionOutput) {
    let latest = accelerationsEnd.advanced(byNanoseconds: settings.longestAccelerationDelay)
    var position = 0
    while position < waiting.fixes.count {
      if waiting.isNewerThanAccelerations(position) || waiting.fixes[position].timestamp <= latest {
        judge(waiting.remove(at: position), into: &output)
      } else {
        position += 1
      }
    }
  }

  // MARK: Seconds

  /// Makes the second of `timestamp` the current one, unless a fix ended it a moment ago.
  private mutating func advance(
    to timestamp: Timestamp, isSetBack: Bool = false, into output: inout LocomotionOutput
  ) {
    let index = Second.index(of: timestamp)
    guard second.index != index else { return }
    if let current = second.index, index < current, !isSetBack {
      let lateness = Second.start(of: current).nanoseconds(since: timestamp)
      guard lateness > settings.longestAccelerationDelay else { return }
    }
    release(through: index - 1, into: &output)
    if second.index != index { open(index, location: predictedLocation(), into: &output) }
    release(through: index, into: &output)
  }

  private mutating func open(
    _ index: Int64, location: LocationEstimate?, into output: inout LocomotionOutput
  ) {
    close(location: location, into: &output)
    second.index = index
    rotation.begin(index)
  }

  private func predictedLocation() -> LocationEstimate? {
    guard let index = second.index else { return nil }
    return filter.estimate(at: Second.end(of: index))
  }

  /// Ends the current second: runs the stages on what it holds and appends its sample.
  private mutating func close(
    location: LocationEstimate?, into output: inout LocomotionOutput
  ) {
    guard let index = second.index else { return }
    var sample = LocomotionSample(start: Second.start(of: index), end: Second.end(of: index))
    sample.rawLocation = second.rawLocation
    sample.location = location
    sample.rotationLevel = rotation.level
    analyseAccelerations(
      of: index, location: location, into: &sample, number: output.samples.count)
    let moving = movingDetector.update(
      at: sample.end, location: location, isFresh: sample.rawLocation != nil,
      acceleration: lastAcceleration, filtered: filter.movingDecision)
    sample.movingState = moving.state
    sample.movingProbability = moving.probability
    if let transition = movingDetector.transition, transition.decided == sample.end {
      sample.transition = transition
    }
    output.samples.append(sample)
    second = EpochAccumulator()
  }

  /// The cells of the current second that the ring holds.
  private func cellsOfSecond() -> Int {
    guard let index = second.index, ring.count > 0 else { return 0 }
    let first = index * Int64(Self.sampleRate)
    let end = min(resampler.nextCell, first + Int64(Self.sampleRate))
    let held = Int64(ring.count) - (resampler.nextCell - end)
    return Int(max(0, min(end - first, held)))
  }

  private mutating func analyseAccelerations(
    of index: Int64, location: LocationEstimate?, into sample: inout LocomotionSample,
    number: Int
  ) {
    let cells = cellsOfSecond()
    sample.coverage =
      Float(min(Self.sampleRate, cells + second.cellsBeforeBreak)) / Float(Self.sampleRate)
    lastAcceleration = nil
    // Fixes whose clock was set back may come again to a second that is in the ring.
    guard cells > 0, lastAnalysed.map({ index > $0 }) ?? true else { return }
    let beginsStretch = lastAnalysed == nil
    lastAnalysed = index
    let end = min(resampler.nextCell, (index + 1) * Int64(Self.sampleRate))
    let beyond = Int(resampler.nextCell - end)
    let available = ring.count - beyond

    if let levels = Self.levels(of: ring, newest: cells, available: available, beyond: beyond) {
      sample.horizontalAccelerationLevel = levels.horizontal
      sample.verticalAccelerationLevel = levels.vertical
      lastAcceleration = AccelerationEvidence(level: levels.total)
    }
    guard !leavesWindowsOut else { return }
    let second = WindowSecond(
      index: index, end: end, beginsStretch: beginsStretch, isWhole: cells >= Self.wholeSecond,
      location: location)
    guard windowLog == nil else {
      windowLog?.append(
        second, ofSample: number, from: ring, available: available, beyond: beyond, rotationGrid)
      return
    }
    Self.analyze(
      second, with: &windowStages, on: ring, available: available, beyond: beyond, rotationGrid,
      into: &analysis)
    windowStages.update(analysis, of: second, into: &sample)
  }
}
