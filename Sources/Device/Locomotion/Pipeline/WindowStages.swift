/// What the windows of an epoch show by themselves, whatever came before.
package struct WindowAnalysis: Sendable {
  fileprivate var activity = WindowLikelihood.unusable(.notEnoughData)
  fileprivate var gait = GaitAnalysis()

  /// An analysis without a result; made once and filled again and again.
  init() {}
}

/// The stages that look at windows: what the person does, and the steps.
///
/// Where there are no windows the course of the fixes shows what the person does.
/// Nothing else in a pipeline depends on them. They first analyse the windows by themselves, which
/// is most of the work and can be done for many epochs side by side; and then update the posteriors
/// of activity and step rate, epoch by epoch.
package struct WindowStages: WindowProcessor, Sendable, StateArchivable {
  /// Cells that the longest window has: that of the steps.
  static let longestWindow = 600

  private var classifier: ActivityClassifier
  private var cadenceEstimator: CadenceEstimator
  /// The last epoch in which the classifier decided.
  private var lastClassified: Int64?

  /// The course of the fixes; nil with a model that doesn't classify it.
  private var track: TrackClassifier?
  private var lastWindow: Int64?
  /// Whether the classifier decides by the course since the last window.
  private var isTracking = false
  /// The first epoch of the rest that the fixes show now.
  private var restSince: Int64?
  /// The time after a window in which the course decides nothing, epochs: recorders pause.
  private static let trackDelay: Int64 = 30
  /// The rest, epochs, after which who is on the way by the course stays: as long as a stay is.
  private static let longestHalt: Int64 = 300

  /// The analysis of the last epoch, whose memory is used again, if there is one.
  private var analyses: [WindowAnalysis] = []
  /// One of who analyses many windows at once.
  private var batchAnalyzers: [WindowAnalyzer] = []

  init(model: ActivityModel, settings: LocomotionPipeline.Settings) {
    classifier = ActivityClassifier(model: model, settings: settings.activity)
    cadenceEstimator = CadenceEstimator(settings: settings.cadence)
    track = TrackClassifier(model: model)
  }

  var model: ActivityModel { classifier.model }

  /// Forgets all but the settings.
  mutating func reset() {
    classifier.reset()
    cadenceEstimator.reset()
    (lastClassified, lastWindow, isTracking, restSince) = (nil, nil, false, nil)
    track?.reset()
    forgetWindows()
  }

  /// The next windows are of other samples than the last ones.
  mutating func forgetWindows() {
    classifier.forgetWindow()
    cadenceEstimator.forgetWindow()
  }

  /// Analyses the windows of an epoch, and updates the posteriors by them.
  package mutating func process(
    _ epoch: EpochContext, ofSample number: Int, accelerations: Span<SIMD4<Float>>,
    rotation: Span<SIMD4<Float>>, into sample: inout LocomotionSample
  ) {
    var analysis = analyses.popLast() ?? WindowAnalysis()
    analyze(epoch, window: accelerations, rotation: rotation, into: &analysis)
    update(with: analysis, of: epoch, into: &sample)
    analyses.append(analysis)
  }

  /// Analyses the windows of an epoch; no posterior changes.
  ///
  /// `window` ends with the epoch, and `rotation` with what is known of it.
  private mutating func analyze(
    _ epoch: EpochContext, window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>,
    into analysis: inout WindowAnalysis
  ) {
    if epoch.beginsStretch { forgetWindows() }
    analysis.activity = classifier.analyze(
      window: window, endingAt: epoch.end, rotation: rotation)
    analyzeGait(epoch, window: window, into: &analysis)
  }

  private mutating func analyzeGait(
    _ epoch: EpochContext, window: Span<SIMD4<Float>>, into analysis: inout WindowAnalysis
  ) {
    if epoch.beginsStretch { cadenceEstimator.forgetWindow() }
    guard epoch.isWhole else { return }
    // Neither needs its memory while the other works.
    classifier.swapMemory(with: &cadenceEstimator.memory)
    cadenceEstimator.analyze(window: window, endingAt: epoch.end, into: &analysis.gait)
    classifier.swapMemory(with: &cadenceEstimator.memory)
  }

  /// Analyses the windows of many epochs, four at once; no posterior changes.
  package mutating func analyze(_ log: WindowLog, into analyses: inout [WindowAnalysis]) {
    // Copies of one, whose memory is written as soon as it is copied.
    let missing = max(0, log.entries.count - analyses.count)
    analyses.append(contentsOf: repeatElement(WindowAnalysis(), count: missing))
    forgetWindows()
    let entries = log.entries
    var batch = batchAnalyzers.popLast() ?? classifier.batchAnalyzer
    batch.forgetWindow()
    var index = 0
    while index + WindowAnalyzer.batchCount <= entries.count {
      for place in 0..<WindowAnalyzer.batchCount {
        let entry = entries[index + place]
        if entry.epoch.beginsStretch { batch.forgetWindow() }
        log.withWindows(of: entry) { window, _ in
          batch.take(window, endingAt: entry.epoch.end, at: place)
        }
      }
      batch.measure()
      for place in 0..<WindowAnalyzer.batchCount {
        let entry = entries[index + place]
        log.withWindows(of: entry) { window, rotation in
          analyses[index + place].activity = batch.likelihood(
            at: place, window: window, rotation: rotation)
          analyzeGait(entry.epoch, window: window, into: &analyses[index + place])
        }
      }
      index += WindowAnalyzer.batchCount
    }
    batchAnalyzers.append(batch)
    for (entry, place) in zip(entries[index...], index...) {
      log.withWindows(of: entry) { window, rotation in
        analyze(entry.epoch, window: window, rotation: rotation, into: &analyses[place])
      }
    }
  }

  /// Updates the posteriors by the analysis of the next epoch, and writes what follows.
  package mutating func update(
    with analysis: WindowAnalysis, of epoch: EpochContext, into sample: inout LocomotionSample
  ) {
    if epoch.beginsStretch { cadenceEstimator.reset() }
    let elapsed = elapsedSeconds(to: epoch.index)
    (lastWindow, isTracking, restSince) = (epoch.index, false, nil)
    if elapsed > 1 { classifier.coast(seconds: elapsed - 1) }
    let steps = epoch.isWhole ? cadenceEstimator.observe(analysis.gait) : nil
    let decision = classifier.update(
      with: analysis.activity, hopSeconds: 1, speed: epoch.speedEvidence,
      steps: steps.map {
        SteppingObservation(stepsPerMinute: $0.stepsPerMinute, probability: $0.probability)
      }, observedFraction: epoch.observedFraction, isStill: epoch.isStill)
    sample.activity = decision
    sample.activityEvidence = classifier.lastEvidence

    guard epoch.isWhole else { return }
    let update = cadenceEstimator.update(with: analysis.gait, hint: epoch.gaitHint(decision))
    sample.cadence = update.cadence
    sample.laggedCadence = update.laggedCadence
    sample.steps = update.steps
    sample.provisionalSteps = update.provisional
  }

  /// Takes the fix of the next epoch; decides by the course of the fixes where there are no
  /// windows.
  package mutating func processFix(of sample: inout LocomotionSample, hasWindow: Bool) {
    guard let fix = sample.rawLocation, track != nil else { return }
    let step = track?.append(fix)
    let index = Epoch.index(of: sample.start)
    guard !hasWindow, lastWindow.map({ abs(index - $0) > Self.trackDelay }) ?? true else { return }
    isTracking = isTracking || step != nil
    guard isTracking else { return }
    let elapsed = elapsedSeconds(to: index)
    let decision = classifier.update(
      with: step.flatMap { track?.evidence(seconds: $0) }, seconds: elapsed)
    restSince = sample.movingState == .stationary ? restSince ?? index : nil
    let isAtRest = restSince.map { index - $0 >= Self.longestHalt } ?? false
    sample.activity =
      isAtRest
      ? decision.agreeing(with: .stationary, certainty: 0.9 * Float(1 - sample.movingProbability))
      : decision
    sample.activityEvidence = classifier.lastEvidence
  }

  /// The seconds since the classifier's last decision, which comes to be the one in `index`.
  private mutating func elapsedSeconds(to index: Int64) -> Float {
    defer { lastClassified = index }
    return lastClassified.map { Float(min(max(1, index - $0), 86_400)) } ?? 1
  }

  /// All but model and settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&classifier, &cadenceEstimator)
    archive.pass(epoch: &lastClassified)
    archive.pass(epoch: &lastWindow)
    archive.pass(&isTracking)
    archive.pass(epoch: &restSince)
    if var track {
      archive.pass(&track)
      self.track = track
    }
    if archive.isReading { forgetWindows() }
  }
}

extension ActivityDecision {
  /// The same where something else says the activity, as sure as that is; what is left is shared as
  /// before.
  func agreeing(with activity: Activity, certainty: Float) -> ActivityDecision {
    var lanes = probabilities.lanes * (1 - certainty)
    lanes[activity.rawValue] += certainty
    return ActivityDecision(
      activity: activity, probabilities: ActivityProbabilities(normalising: lanes))
  }
}

extension GaitHint {
  /// The probabilities of the classifier and the speed of the location filter, where known.
  init(decision: ActivityDecision, speed: Double?) {
    self.init()
    self.speed = speed.map { Float($0) }
    isRiding = decision.activity?.isRide
    guard decision.unknownReason != .notEnoughData, decision.unknownReason != .badSignal else {
      return
    }
    let probabilities = decision.probabilities
    vehicleProbability = probabilities[.automotive] + probabilities[.train]
    cyclingProbability = probabilities[.cycling]
    walkingProbability = probabilities[.walking]
    runningProbability = probabilities[.running]
  }
}
