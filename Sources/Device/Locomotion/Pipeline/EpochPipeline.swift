/// The pipeline but for what looks at windows of accelerations: it puts events in their order,
/// filters fixes and closes epochs.
///
/// When an epoch ends, the stages that need no windows run once, top to bottom
/// (``closeEpoch(location:)``), and the sequencer stops until the epoch was taken and its windows
/// were cut. What becomes of these is the caller's: ``WindowStages`` analyses them at once,
/// ``WindowLog`` keeps them for a replay that analyses them on other threads, and ``NoWindows``
/// leaves them out. Nothing here depends on it.
package struct EpochPipeline: Sendable, StateArchivable {
  /// The grid on which every stage works, samples per second.
  static let sampleRate = 100
  /// Cells that the grid holds: the longest window and what lies beyond the end of an epoch.
  private static let gridCapacity = 1024
  /// Cells that count as a whole epoch for the steps: a recording of whole seconds ends one sample
  /// short of its last, 50 ms at 20 Hz.
  private static let wholeEpoch = 95
  /// Cells from which the direction of gravity is taken for the levels.
  private static let gravityWindow = 200
  /// The fraction of the window of the steps that must be observed, in which a pause of 3.5 s is
  /// filled.
  private static let leastObservedOfSteps: Float = 0.4
  /// Cells that must be observed in an epoch with a gap for its levels, a fifth of a second.
  private static let leastObserved = 20

  /// The time without a fix above which an outlier is an observation of its own, seconds.
  private static let longestPrediction = 30.0

  let settings: LocomotionPipeline.Settings

  // What comes in.
  var grid: UniformResampler
  var rotation = RotationIntake()
  private var pressure = PressureIntake()
  var waiting = FixQueue()
  var epoch = EpochAccumulator()
  /// The cells of the grid that were filled across gaps.
  private var bridged = BridgedCells()

  // The stages that need no windows, and what they hand on.
  private var filter: LocationFilter
  private var movingDetector = MovingStateDetector()
  /// The time of the newest fix that was not rejected.
  private var lastUsed: Timestamp?
  /// What the accelerometer observed in the last whole epoch.
  private var lastAcceleration: AccelerationEvidence?
  /// How the mean acceleration varies from second to second.
  private var variation = SlowVariation()
  /// The last epoch of this stretch of accelerations whose windows were handed on.
  private var lastWindows: Int64?

  // What comes out. Both are empty between two batches.
  /// The epochs that were closed and not taken; until they are, no cell changes.
  private(set) var closed: [ClosedEpoch] = []
  /// The reports on the fixes since the last epoch was taken.
  private var reports: [FixReport] = []

  package init(settings: LocomotionPipeline.Settings) {
    self.settings = settings
    grid = UniformResampler(settings: settings.resampler, capacity: Self.gridCapacity)
    filter = LocationFilter(settings: settings.location)
  }

  var diagnostics: LocomotionPipeline.Diagnostics {
    LocomotionPipeline.Diagnostics(
      accelerations: grid.counts, rotationRates: rotation.counts, pressures: pressure.counts,
      fixes: filter.counts, waitingFixes: waiting.fixes.count)
  }

  mutating func reset() {
    grid.reset()
    rotation.reset()
    pressure.reset()
    waiting = FixQueue()
    epoch = EpochAccumulator()
    let fixes = filter.counts
    filter.reset()
    filter.counts = fixes
    movingDetector.reset()
    lastUsed = nil
    lastAcceleration = nil
    variation.reset()
    lastWindows = nil
    bridged.removeAll()
  }

  // MARK: Batches

  /// Takes in a batch and appends what it completed to `output`.
  package mutating func ingest(
    _ batch: SensorBatch, windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    var place = BatchPlace()
    while let epoch = nextEpoch(of: batch, from: &place) {
      hand(epoch, to: &windows, into: &output)
    }
    moveReports(to: &output)
  }

  /// Completes the current epoch and processes the fixes that wait, at the end of a recording.
  package mutating func finish(
    windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    closeLastEpochs()
    while let epoch = takeClosed() { hand(epoch, to: &windows, into: &output) }
    moveReports(to: &output)
  }

  /// The first of the epochs that were closed and not taken.
  mutating func takeClosed() -> ClosedEpoch? { closed.isEmpty ? nil : closed.removeFirst() }

  /// Cuts the windows of an epoch and appends its sample.
  private mutating func hand(
    _ epoch: ClosedEpoch, to windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    var sample = epoch.sample
    if let context = epoch.window {
      grid.withCells(before: context.end, atMost: WindowStages.longestWindow) { accelerations in
        rotation.withWindow(before: context.end) { rates in
          windows.process(
            context, ofSample: output.samples.count, accelerations: accelerations,
            rotation: rates, into: &sample)
        }
      }
    }
    windows.processFix(of: &sample, hasWindow: epoch.window != nil)
    output.samples.append(sample)
    moveReports(to: &output)
  }

  private mutating func moveReports(to output: inout LocomotionOutput) {
    guard !reports.isEmpty else { return }
    output.fixes += reports
    reports.removeAll(keepingCapacity: true)
  }

  // MARK: One fix

  /// Filters a fix, and lets it open its epoch if accelerations don't do that.
  mutating func process(_ fix: LocationFix, mayOpenEpoch: Bool = true) {
    let index = Epoch.index(of: fix.timestamp)
    let opens = mayOpenEpoch && opensEpoch(index)
    // An epoch knows nothing of the fix that ends it.
    let before = opens ? predictedLocation() : nil
    let report = filter.report(on: fix, acceleration: lastAcceleration)
    reports.append(report)
    if case .rejected(let reason) = report.status {
      // What is far from a prediction over a long silence says that the prediction was wrong.
      guard reason == .outlier, opens, let lastUsed,
        fix.timestamp.seconds(since: lastUsed) >= Self.longestPrediction
      else { return }
    } else {
      lastUsed = fix.timestamp
    }
    if opens { openEpoch(index, location: before) }
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

  mutating func openEpoch(_ index: Int64, location: LocationEstimate?) {
    closeEpoch(location: location)
    epoch.index = index
    rotation.begin(index)
  }

  /// Ends the current epoch: runs the stages on what it holds, and puts it among those that are
  /// closed.
  mutating func closeEpoch(location: LocationEstimate?) {
    guard let index = epoch.index else { return }
    var sample = LocomotionSample(start: Epoch.start(of: index), end: Epoch.end(of: index))
    // Where: the filter has seen the fixes of the epoch as they came.
    sample.rawLocation = epoch.rawLocation
    sample.location = location
    sample.altitude = filter.altitude.estimate(at: sample.end)
    // How much it shakes and turns.
    let cells = cellsOfEpoch()
    sample.rotationLevel = rotation.level
    let end = end(of: index)
    let observed = cells - bridged.count(in: end - Int64(cells)..<end)
    sample.coverage =
      Float(min(Self.sampleRate, observed + epoch.cellsBeforeBreak)) / Float(Self.sampleRate)
    let window = nextWindow(of: index, cells: cells, location: location)
    let levels = window.flatMap { self.levels(before: $0.end, newest: cells, observed: observed) }
    sample.horizontalAccelerationLevel = levels?.horizontal
    sample.verticalAccelerationLevel = levels?.vertical
    lastAcceleration = levels.map { AccelerationEvidence(level: $0.total) }
    // Whether they move.
    let moving = movingDetector.update(
      at: sample.end, location: location, isFresh: sample.rawLocation != nil,
      acceleration: lastAcceleration, filtered: filter.movingDecision)
    sample.movingState = moving.state
    sample.movingProbability = moving.probability
    if let transition = movingDetector.transition, transition.decided == sample.end {
      sample.transition = transition
    }
    closed.append((sample, window))
    epoch = EpochAccumulator()
  }

  /// The cells of the current epoch that the grid holds.
  func cellsOfEpoch() -> Int {
    guard let index = epoch.index else { return 0 }
    let end = end(of: index)
    return Int(max(0, min(end - index * Int64(Self.sampleRate), Int64(grid.count(before: end)))))
  }

  /// The window that ends with the epoch `index`; nil when the epoch has no cells, or had its turn.
  private mutating func nextWindow(
    of index: Int64, cells: Int, location: LocationEstimate?
  ) -> EpochContext? {
    // Fixes whose clock was set back may come again to an epoch that is in the grid.
    guard cells > 0, lastWindows.map({ index > $0 }) ?? true else { return nil }
    let beginsStretch = lastWindows == nil
    lastWindows = index
    let end = end(of: index)
    let isObserved =
      observedFraction(ofNewest: WindowStages.longestWindow, before: end)
      >= Self.leastObservedOfSteps
    // What was filled varies less than what is observed.
    if observedFraction(ofNewest: cells, before: end) == 1 {
      grid.withCells(before: end, atMost: cells) { variation.append($0) }
    }
    return EpochContext(
      index: index, end: end, beginsStretch: beginsStretch,
      isWhole: cells >= Self.wholeEpoch && isObserved,
      observedFraction: observedFraction(
        ofNewest: ActivityClassifier.windowLength, before: end), isStill: variation.isStill,
      speed: location?.speed, speedDeviation: location?.speedDeviation)
  }

  /// The fraction of the newest cells before `end` that wasn't filled.
  private func observedFraction(ofNewest length: Int, before end: Int64) -> Float {
    1 - Float(bridged.count(in: end - Int64(length)..<end)) / Float(length)
  }

  /// The cell behind the newest one of an epoch.
  private func end(of index: Int64) -> Int64 {
    min(grid.nextCell, (index + 1) * Int64(Self.sampleRate))
  }

  /// The levels of the cells of an epoch that were observed; nil when those are too few.
  private func levels(before end: Int64, newest: Int, observed: Int) -> AccelerationLevels? {
    guard observed >= min(newest, Self.leastObserved) else { return nil }
    return grid.withCells(before: end, atMost: Self.gravityWindow) { cells in
      guard observed < newest else { return AccelerationLevels(window: cells, newest: newest) }
      let first = end - Int64(cells.count)
      return AccelerationLevels(window: cells, newest: newest) {
        !bridged.contains(first + Int64($0))
      }
    }
  }

  /// Forgets which epochs had their turn: a new stretch of accelerations begins.
  mutating func beginStretch() {
    grid.beginStretch()
    variation.reset()
    lastWindows = nil
    bridged.removeAll()
  }

  /// Fills a gap of the accelerations.
  mutating func bridgeGap() {
    bridged.append(grid.bridge())
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&grid)
    archive.require(grid.capacity == Self.gridCapacity)
    archive.pass(&rotation, &pressure, &waiting, &epoch, &bridged)
    archive.pass(&filter, &movingDetector, &lastUsed, &lastAcceleration, &variation)
    archive.pass(epoch: &lastWindows)
  }
}
