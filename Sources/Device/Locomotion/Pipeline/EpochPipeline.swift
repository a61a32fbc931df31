internal import LocomotionActivityRecognition
internal import LocomotionPositioning
package import LocomotionSensing
internal import LocomotionSignals

/// The pipeline but for what looks at windows of accelerations: it puts events in their order,
/// filters fixes and closes epochs.
///
/// When an epoch ends, its stages run once, top to bottom (``closeEpoch(location:windows:into:)``).
/// What becomes of the windows is the caller's: ``WindowStages`` analyses them at once,
/// ``WindowLog`` keeps them for a replay that analyses them on other threads, and ``NoWindows``
/// leaves them out. Nothing here depends on it.
package struct EpochPipeline: Sendable {
  /// The grid on which every stage works, samples per second.
  static let sampleRate = 100
  /// Cells that the ring holds: the longest window and what lies beyond the end of an epoch.
  private static let ringCapacity = 1024
  /// Cells that count as a whole epoch for the steps: a recording of whole seconds ends one sample
  /// short of its last, 50 ms at 20 Hz.
  private static let wholeEpoch = 95
  /// Cells from which the direction of gravity is taken for the levels.
  private static let gravityWindow = 200
  /// Cells that must be observed in an epoch with a gap for its levels, a fifth of a second.
  private static let leastObserved = 20

  let settings: LocomotionPipeline.Settings

  // What comes in.
  var resampler: UniformResampler
  var ring = SampleRing(capacity: EpochPipeline.ringCapacity)
  var rotation = RotationIntake()
  private var pressure = PressureIntake()
  var waiting = FixQueue()
  var epoch = EpochAccumulator()
  /// The cells of the ring that were filled across gaps.
  private var bridged = BridgedCells()

  // The stages that need no windows, and what they hand on.
  private var filter: LocationFilter
  private var movingDetector: MovingStateDetector
  /// What the accelerometer observed in the last whole epoch.
  private var lastAcceleration: AccelerationEvidence?
  /// The last epoch of this stretch of accelerations whose windows were handed on.
  private var lastWindows: Int64?

  package init(settings: LocomotionPipeline.Settings) {
    self.settings = settings
    resampler = UniformResampler(settings: settings.resampler)
    filter = LocationFilter(settings: settings.location)
    movingDetector = MovingStateDetector(settings: settings.moving)
  }

  var diagnostics: LocomotionPipeline.Diagnostics {
    LocomotionPipeline.Diagnostics(
      accelerations: resampler.counts, rotationRates: rotation.counts, pressures: pressure.counts,
      fixes: filter.counts, waitingFixes: waiting.fixes.count)
  }

  mutating func reset() {
    resampler.reset()
    ring.removeAll()
    rotation.reset()
    pressure.reset()
    waiting = FixQueue()
    epoch = EpochAccumulator()
    filter.reset()
    movingDetector.reset()
    lastAcceleration = nil
    lastWindows = nil
    bridged.removeAll()
  }

  // MARK: One fix

  /// Filters a fix, and lets it open its epoch if accelerations don't do that.
  mutating func process(
    _ fix: LocationFix, mayOpenEpoch: Bool = true, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    let index = Epoch.index(of: fix.timestamp)
    let opens = mayOpenEpoch && opensEpoch(index)
    // An epoch knows nothing of the fix that ends it.
    let before = opens ? predictedLocation() : nil
    let status = filter.update(with: fix, acceleration: lastAcceleration)
    output.fixes.append(
      FixReport(
        fix: fix, status: status, location: filter.estimate(at: fix.timestamp),
        moving: filter.movingDecision, acceleration: lastAcceleration))
    if case .rejected = status { return }
    if opens { openEpoch(index, location: before, windows: &windows, into: &output) }
    if let current = epoch.index, index <= current { epoch.rawLocation = fix }
  }

  /// Takes in a pressure, hPa; the filter gets the mean of each second when that is over.
  mutating func ingest(_ hectopascals: Float, at timestamp: Timestamp) {
    guard let mean = pressure.append(hectopascals, at: timestamp) else { return }
    filter.update(pressure: mean.hectopascals, at: mean.timestamp)
  }

  /// The location at the end of the current epoch, by the fixes so far.
  func predictedLocation() -> LocationEstimate? {
    guard let index = epoch.index else { return nil }
    return filter.estimate(at: Epoch.end(of: index))
  }

  // MARK: One epoch

  mutating func openEpoch(
    _ index: Int64, location: LocationEstimate?, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    closeEpoch(location: location, windows: &windows, into: &output)
    epoch.index = index
    rotation.begin(index)
  }

  /// Ends the current epoch: runs the stages on what it holds, and appends its sample.
  mutating func closeEpoch(
    location: LocationEstimate?, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    guard let index = epoch.index else { return }
    var sample = LocomotionSample(start: Epoch.start(of: index), end: Epoch.end(of: index))
    // Where: the filter has seen the fixes of the epoch as they came.
    sample.rawLocation = epoch.rawLocation
    sample.location = location
    sample.altitude = filter.altitude.estimate(at: sample.end)
    // How much it shakes and turns.
    let cells = cellsOfEpoch()
    sample.rotationLevel = rotation.level
    let observed = cells - bridged.count(in: range(ofNewest: cells, in: index))
    sample.coverage =
      Float(min(Self.sampleRate, observed + epoch.cellsBeforeBreak)) / Float(Self.sampleRate)
    let window = nextWindow(of: index, cells: cells, location: location)
    let levels = window.flatMap { self.levels(of: $0, newest: cells, observed: observed) }
    sample.horizontalAccelerationLevel = levels?.horizontal
    sample.verticalAccelerationLevel = levels?.vertical
    lastAcceleration = levels.map { AccelerationEvidence(level: $0.total) }
    // What the person does, and the steps.
    if let window {
      windows.process(window, ofSample: output.samples.count, rotation, into: &sample)
    }
    // Whether they move.
    let moving = movingDetector.update(
      at: sample.end, location: location, isFresh: sample.rawLocation != nil,
      acceleration: lastAcceleration, filtered: filter.movingDecision)
    sample.movingState = moving.state
    sample.movingProbability = moving.probability
    if let transition = movingDetector.transition, transition.decided == sample.end {
      sample.transition = transition
    }
    output.samples.append(sample)
    epoch = EpochAccumulator()
  }

  /// The cells of the current epoch that the ring holds.
  func cellsOfEpoch() -> Int {
    guard let index = epoch.index, ring.count > 0 else { return 0 }
    let first = index * Int64(Self.sampleRate)
    let end = min(resampler.nextCell, first + Int64(Self.sampleRate))
    let held = Int64(ring.count) - (resampler.nextCell - end)
    return Int(max(0, min(end - first, held)))
  }

  /// The window that ends with the epoch `index`; nil when the epoch has no cells, or had its turn.
  private mutating func nextWindow(
    of index: Int64, cells: Int, location: LocationEstimate?
  ) -> EpochWindow? {
    // Fixes whose clock was set back may come again to an epoch that is in the ring.
    guard cells > 0, lastWindows.map({ index > $0 }) ?? true else { return nil }
    let beginsStretch = lastWindows == nil
    lastWindows = index
    let end = end(of: index)
    let length = Int64(FeatureExtractor.windowLength)
    let observed = 1 - Float(bridged.count(in: end - length..<end)) / Float(length)
    return EpochWindow(
      epoch: EpochContext(
        index: index, end: end, beginsStretch: beginsStretch,
        isWhole: cells >= Self.wholeEpoch && observed >= ActivityClassifier.leastObservedFraction,
        observedFraction: observed, location: location),
      ring: ring, beyond: Int(resampler.nextCell - end))
  }

  /// The cell behind the newest one of an epoch.
  private func end(of index: Int64) -> Int64 {
    min(resampler.nextCell, (index + 1) * Int64(Self.sampleRate))
  }

  /// The newest cells of an epoch.
  private func range(ofNewest cells: Int, in index: Int64) -> Range<Int64> {
    let end = end(of: index)
    return end - Int64(cells)..<end
  }

  /// The levels of the cells of an epoch that were observed; nil when those are too few.
  private func levels(
    of window: EpochWindow, newest: Int, observed: Int
  ) -> AccelerationLevels? {
    guard observed >= min(newest, Self.leastObserved) else { return nil }
    return window.withAccelerations(atMost: Self.gravityWindow) { cells in
      guard observed < newest else { return AccelerationLevels(window: cells, newest: newest) }
      let first = window.epoch.end - Int64(cells.count)
      return AccelerationLevels(window: cells, newest: newest) {
        !bridged.contains(first + Int64($0))
      }
    }
  }

  /// Forgets which epochs had their turn: a new stretch of accelerations begins.
  mutating func beginStretch() {
    resampler.beginStretch(in: &ring)
    lastWindows = nil
    bridged.removeAll()
  }

  /// Fills a gap of the accelerations.
  mutating func bridgeGap() {
    bridged.append(resampler.bridge(in: &ring))
  }
}

extension EpochPipeline: StateArchivable {
  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&resampler)
    archive.pass(&ring)
    archive.require(ring.capacity == Self.ringCapacity)
    archive.pass(&rotation)
    archive.pass(&pressure)
    archive.pass(&waiting)
    archive.pass(&epoch)
    archive.pass(&bridged)
    archive.pass(&filter)
    archive.pass(&movingDetector)
    archive.pass(&lastAcceleration)
    archive.pass(epoch: &lastWindows)
  }
}
