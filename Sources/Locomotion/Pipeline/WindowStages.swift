internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning

/// A second at whose end windows are looked at.
package struct WindowSecond: Sendable, Hashable {
  /// Which one, counted from the zero of the sensor's clock.
  var index: Int64
  /// The cell behind the newest one of its windows.
  var end: Int64
  /// Whether it is the first of a stretch without gaps.
  var beginsStretch: Bool
  /// Whether it has enough cells to count its steps.
  var isWhole: Bool
  /// Where the person is at its end, as far as that is known.
  private var speed: Double?
  private var speedDeviation: Double?

  init(
    index: Int64, end: Int64, beginsStretch: Bool, isWhole: Bool, location: LocationEstimate?
  ) {
    (self.index, self.end) = (index, end)
    (self.beginsStretch, self.isWhole) = (beginsStretch, isWhole)
    (speed, speedDeviation) = (location?.speed, location?.speedDeviation)
  }

  fileprivate var speedEvidence: SpeedEvidence? {
    speed.map {
      SpeedEvidence(metresPerSecond: Float($0), deviation: speedDeviation.map { Float($0) })
    }
  }

  fileprivate func gaitHint(_ decision: ActivityDecision) -> GaitHint {
    GaitHint(decision: decision, speed: speed)
  }
}

/// What the windows of a second show, whatever was believed before.
package struct WindowAnalysis: Sendable {
  fileprivate var activity = WindowLikelihood.unusable(.notEnoughData)
  fileprivate var gait = GaitAnalysis()

  /// Findings that say nothing yet; made once and filled again and again.
  package init() {}
}

/// The stages that look at windows: what the person does, and the steps.
///
/// Nothing else in a pipeline depends on them. They first find what the windows show by themselves,
/// which is most of the work and can be done for many seconds side by side; and then weigh it with
/// what was believed, second by second.
package struct WindowStages: Sendable, Codable {
  /// Cells that the longest window has: that of the steps.
  static let longestWindow = 600

  private var classifier: ActivityClassifier
  private var cadenceEstimator: CadenceEstimator
  /// The last second in which the classifier saw a window.
  private var lastClassified: Int64?

  /// Behind the last windows that either stage analyzed in this stretch; their overlap is reused.
  private var classifiedEnd: Int64?
  private var searchedEnd: Int64?

  /// Made by who analyzes many windows at once.
  private var wideAnalyzer: WideWindowAnalyzer?

  private enum CodingKeys: CodingKey {
    case classifier, cadenceEstimator, lastClassified
  }

  init(model: ActivityModel, settings: LocomotionPipeline.Settings) {
    classifier = ActivityClassifier(model: model, settings: settings.activity)
    cadenceEstimator = CadenceEstimator(settings: settings.cadence)
  }

  /// Forgets all but the settings.
  mutating func reset() {
    classifier.reset()
    cadenceEstimator.reset()
    lastClassified = nil
    leaveWindows()
  }

  /// Forgets where the last windows were: the next ones are of another part of a recording.
  package mutating func leaveWindows() { (classifiedEnd, searchedEnd) = (nil, nil) }

  /// Finds what the windows of a second show; no belief changes.
  ///
  /// `window` ends with the second, and `rotation` with what is known of it.
  package mutating func analyze(
    _ second: WindowSecond, window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>,
    into analysis: inout WindowAnalysis
  ) {
    if second.beginsStretch { leaveWindows() }
    analysis.activity = classifier.analyze(
      window: window, rotation: rotation, advancedBy: classifiedEnd.map { Int(second.end - $0) })
    classifiedEnd = second.end
    searchSteps(second, window: window, into: &analysis)
  }

  private mutating func searchSteps(
    _ second: WindowSecond, window: Span<SIMD4<Float>>, into analysis: inout WindowAnalysis
  ) {
    if second.beginsStretch { searchedEnd = nil }
    guard second.isWhole else { return }
    cadenceEstimator.analyze(
      window: window, advancedBy: searchedEnd.map { Int(second.end - $0) }, into: &analysis.gait)
    searchedEnd = second.end
  }

  /// Finds what the windows of many seconds show, four at once; no belief changes.
  package mutating func analyze(_ log: WindowLog, into analysis: inout [WindowAnalysis]) {
    while analysis.count < log.entries.count { analysis.append(WindowAnalysis()) }
    leaveWindows()
    let entries = log.entries
    var wide = wideAnalyzer ?? classifier.wideAnalyzer
    wideAnalyzer = nil  // So that `wide` is the only owner, and isn't copied.
    var index = 0
    while index + WideWindowAnalyzer.count <= entries.count {
      for place in 0..<WideWindowAnalyzer.count {
        let second = entries[index + place].second
        if second.beginsStretch { classifiedEnd = nil }
        log.withWindows(of: entries[index + place]) { window, _ in
          wide.take(window, at: place, advancedBy: classifiedEnd.map { Int(second.end - $0) })
        }
        classifiedEnd = second.end
      }
      wide.measure()
      for place in 0..<WideWindowAnalyzer.count {
        let entry = entries[index + place]
        log.withWindows(of: entry) { window, rotation in
          analysis[index + place].activity = wide.likelihood(
            at: place, window: window, rotation: rotation)
          searchSteps(entry.second, window: window, into: &analysis[index + place])
        }
      }
      index += WideWindowAnalyzer.count
    }
    wideAnalyzer = wide
    classifiedEnd = nil
    for (entry, place) in zip(entries[index...], index...) {
      log.withWindows(of: entry) { window, rotation in
        analyze(entry.second, window: window, rotation: rotation, into: &analysis[place])
      }
    }
  }

  /// Takes the analysis of the next second into the beliefs, and writes what is believed then.
  package mutating func update(
    _ analysis: WindowAnalysis, of second: WindowSecond, into sample: inout LocomotionSample
  ) {
    if second.beginsStretch { cadenceEstimator.reset() }
    let elapsed = lastClassified.map { Float(min(max(1, second.index - $0), 86_400)) } ?? 1
    lastClassified = second.index
    if elapsed > 1 { classifier.coast(seconds: elapsed - 1) }
    let decision = classifier.update(
      with: analysis.activity, hopSeconds: 1, speed: second.speedEvidence)
    sample.activity = decision
    sample.activityEvidence = classifier.lastEvidence

    guard second.isWhole else { return }
    let update = cadenceEstimator.update(with: analysis.gait, hint: second.gaitHint(decision))
    sample.cadence = update.cadence
    sample.laggedCadence = update.laggedCadence
    sample.steps = update.steps
  }
}
