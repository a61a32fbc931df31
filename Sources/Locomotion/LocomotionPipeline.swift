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
/// A fix comes before the first acceleration that is not earlier than it. A fix of a second whose
/// last acceleration hasn't arrived waits for it, so that no sample knows of a later fix.
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
    /// Fixes that wait for the accelerations of their second.
    public var waitingFixes = 0
  }

  /// The grid on which every stage works, samples per second.
  static let sampleRate = 100
  /// Cells that the ring holds: the longest window and what lies beyond the end of a second.
  private static let ringCapacity = 1024
  /// Cells from which the direction of gravity is taken for the levels.
  private static let gravityWindow = 200
  /// Cells that the cadence is found in.
  private static let cadenceWindow = 600
  /// Fixes that may wait for their second.
  private static let longestQueue = 64

  /// The settings of all stages.
  public let settings: Settings

  private var resampler: UniformResampler
  private var ring = SampleRing(capacity: LocomotionPipeline.ringCapacity)
  private var filter: LocationFilter
  private var movingDetector: MovingStateDetector
  private var cadenceEstimator: CadenceEstimator
  private var classifier: ActivityClassifier
  private var rotation = RotationMeter()
  private var second = OpenSecond()
  private var waiting: [LocationFix] = []
  /// What the accelerometer said in the last whole second.
  private var lastAcceleration: AccelerationEvidence?
  /// The last second in which the classifier saw a window.
  private var lastClassified: Int64?

  /// A pipeline that has seen nothing.
  ///
  /// - Precondition: the resampler's period is that of 100 Hz.
  public init(model: ActivityModel = .default, settings: Settings = Settings()) {
    precondition(
      settings.resampler.period == 10_000_000,
      "expected a period of 10000000 ns, got \(settings.resampler.period)")
    self.settings = settings
    resampler = UniformResampler(settings: settings.resampler)
    filter = LocationFilter(settings: settings.location)
    movingDetector = MovingStateDetector(settings: settings.moving)
    cadenceEstimator = CadenceEstimator(settings: settings.cadence)
    classifier = ActivityClassifier(model: model, settings: settings.activity)
    waiting.reserveCapacity(Self.longestQueue)
  }

  /// What came in so far and what became of it.
  public var diagnostics: Diagnostics {
    Diagnostics(
      accelerations: resampler.counts, rotationRates: rotation.counts, fixes: filter.counts,
      waitingFixes: waiting.count)
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
      let acceleration =
        nextAcceleration < accelerations.count ? accelerations.timestamps[nextAcceleration] : nil
      let rate = nextRate < rates.count ? rates.timestamps[nextRate] : nil
      let fix = nextFix < batch.fixes.count ? batch.fixes[nextFix].timestamp : nil
      if let fix, fix <= acceleration ?? fix, fix <= rate ?? fix {
        ingest(batch.fixes[nextFix], into: &output)
        nextFix += 1
      } else if let acceleration, acceleration <= rate ?? acceleration {
        ingest(
          x: accelerations.x[nextAcceleration], y: accelerations.y[nextAcceleration],
          z: accelerations.z[nextAcceleration], at: acceleration, into: &output)
        nextAcceleration += 1
      } else if let rate {
        rotation.add(x: rates.x[nextRate], y: rates.y[nextRate], z: rates.z[nextRate], at: rate)
        nextRate += 1
      } else {
        break
      }
    }
  }

  /// Completes the current second and judges the fixes that wait, at the end of a recording.
  public mutating func finish(into output: inout LocomotionOutput) {
    while !waiting.isEmpty { judge(waiting.removeFirst(), into: &output) }
    close(location: predictedLocation(), into: &output)
  }

  /// Forgets everything but the settings and the counts of accelerations.
  public mutating func reset() {
    resampler.reset()
    ring.removeAll()
    filter.reset()
    movingDetector.reset()
    cadenceEstimator.reset()
    classifier.reset()
    rotation.reset()
    second = OpenSecond()
    waiting.removeAll(keepingCapacity: true)
    lastAcceleration = nil
    lastClassified = nil
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
      advance(to: first, into: &output)
      second.cellsBeforeBreak += cellsOfSecond()
      resampler.beginStretch(in: &ring)
      cadenceEstimator.reset()
    case .continues:
      break
    }
    resampler.append(x: x, y: y, z: z, at: timestamp, to: &ring)
    advance(to: timestamp, into: &output)
  }

  private mutating func ingest(_ fix: LocationFix, into output: inout LocomotionOutput) {
    guard mayWait(fix) else { return judge(fix, into: &output) }
    if waiting.count == Self.longestQueue { judge(waiting.removeFirst(), into: &output) }
    waiting.append(fix)
  }

  /// Whether `fix` is later than the current second, whose last cell may still arrive.
  private func mayWait(_ fix: LocationFix) -> Bool {
    guard let current = second.index, Second.index(of: fix.timestamp) > current else {
      return false
    }
    let silence = Second.end(of: current).nanoseconds(since: accelerationsEnd)
    return ring.count > 0 && silence > 0 && silence <= settings.resampler.longestGap
  }

  /// The time up to which accelerations are on the grid.
  private var accelerationsEnd: Timestamp {
    Timestamp(nanoseconds: resampler.nextCell * settings.resampler.period)
  }

  /// Whether an accepted fix makes its second the current one: not while accelerations do that.
  private func opensSecond(_ fix: LocationFix) -> Bool {
    guard let current = second.index else { return true }
    let index = Second.index(of: fix.timestamp)
    if index > current { return !mayWait(fix) }
    let areAccelerationsLive =
      ring.count > 0
      && Second.start(of: current).nanoseconds(since: accelerationsEnd)
        <= settings.resampler.longestGap
    return index < current && !areAccelerationsLive
  }

  private mutating func judge(_ fix: LocationFix, into output: inout LocomotionOutput) {
    let before = predictedLocation()
    let status = filter.update(with: fix, acceleration: lastAcceleration)
    output.fixes.append(
      FixReport(
        fix: fix, status: status, location: filter.estimate(at: fix.timestamp),
        moving: filter.movingDecision, acceleration: lastAcceleration))
    if case .rejected = status { return }
    if opensSecond(fix) {
      open(Second.index(of: fix.timestamp), location: before, into: &output)
    }
    second.rawLocation = fix
  }

  /// Judges the waiting fixes whose second has come.
  private mutating func releaseWaiting(into output: inout LocomotionOutput) {
    guard let current = second.index else { return }
    var position = 0
    while position < waiting.count {
      if Second.index(of: waiting[position].timestamp) <= current {
        judge(waiting.remove(at: position), into: &output)
      } else {
        position += 1
      }
    }
  }

  // MARK: Seconds

  /// Makes the second of `timestamp` the current one.
  private mutating func advance(to timestamp: Timestamp, into output: inout LocomotionOutput) {
    let index = Second.index(of: timestamp)
    guard second.index != index else { return }
    open(index, location: predictedLocation(), into: &output)
    releaseWaiting(into: &output)
  }

  private mutating func open(
    _ index: Int64, location: LocationEstimate?, into output: inout LocomotionOutput
  ) {
    close(location: location, into: &output)
    second.index = index
    rotation.begin(index)
  }

  private func predictedLocation() -> LocationEstimate? {
    second.index.flatMap { filter.estimate(at: Second.end(of: $0)) }
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
    analyseAccelerations(of: index, location: location, into: &sample)
    let moving = movingDetector.update(
      at: sample.end, location: location, isFresh: sample.rawLocation != nil,
      acceleration: lastAcceleration)
    sample.movingState = moving.state
    sample.movingProbability = moving.probability
    output.samples.append(sample)
    second = OpenSecond()
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
    of index: Int64, location: LocationEstimate?, into sample: inout LocomotionSample
  ) {
    let cells = cellsOfSecond()
    sample.coverage =
      Float(min(Self.sampleRate, cells + second.cellsBeforeBreak)) / Float(Self.sampleRate)
    lastAcceleration = nil
    guard cells > 0 else { return }
    let end = (index + 1) * Int64(Self.sampleRate)
    let beyond = Int(max(0, resampler.nextCell - end))
    let available = ring.count - beyond

    if let levels = Self.levels(of: ring, newest: cells, available: available, beyond: beyond) {
      sample.horizontalAccelerationLevel = levels.horizontal
      sample.verticalAccelerationLevel = levels.vertical
      lastAcceleration = AccelerationEvidence(level: levels.total)
    }

    let elapsed = lastClassified.map { Float(min(max(1, index - $0), 86_400)) } ?? 1
    lastClassified = index
    if elapsed > 1 { classifier.coast(seconds: elapsed - 1) }
    let decision = Self.decide(&classifier, on: ring, available: available, beyond: beyond)
    sample.activity = decision
    sample.activityEvidence = classifier.lastEvidence

    guard cells == Self.sampleRate else { return }
    let hint = GaitHint(decision: decision, speed: location?.speed)
    let update = Self.findSteps(
      &cadenceEstimator, in: ring, available: available, beyond: beyond, hint: hint)
    sample.cadence = update.cadence
    sample.steps = update.steps
  }

  // MARK: Windows
  // The ring may hold cells beyond the end of the second; windows stop before them.

  private static func levels(
    of ring: SampleRing, newest: Int, available: Int, beyond: Int
  ) -> AccelerationLevels? {
    let length = min(gravityWindow, available)
    return ring.withLatest(length + beyond) { window in
      AccelerationLevels(window: window.extracting(first: length), newest: newest)
    }
  }

  private static func decide(
    _ classifier: inout ActivityClassifier, on ring: SampleRing, available: Int, beyond: Int
  ) -> ActivityDecision {
    let length = min(FeatureExtractor.windowLength, available)
    return ring.withLatest(length + beyond) { window in
      classifier.update(window: window.extracting(first: length), hopSeconds: 1)
    }
  }

  private static func findSteps(
    _ estimator: inout CadenceEstimator, in ring: SampleRing, available: Int, beyond: Int,
    hint: GaitHint
  ) -> CadenceUpdate {
    let length = min(cadenceWindow, available)
    return ring.withLatest(length + beyond) { window in
      estimator.update(window: window.extracting(first: length), hint: hint)
    }
  }
}

extension GaitHint {
  /// What the classifier and the location filter believe, as far as they know.
  fileprivate init(decision: ActivityDecision, speed: Double?) {
    self.init()
    self.speed = speed.map { Float($0) }
    guard decision.unknownReason != .notEnoughData, decision.unknownReason != .badSignal else {
      return
    }
    let probabilities = decision.probabilities
    vehicleProbability = probabilities[.automotive] + probabilities[.train]
    cyclingProbability = probabilities[.cycling]
    runningProbability = probabilities[.running]
  }
}
