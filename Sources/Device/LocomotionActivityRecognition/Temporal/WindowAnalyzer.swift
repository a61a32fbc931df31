/// Computes the likelihoods of windows, independent of the filter's state: of one, or of four side
/// by side in the widest vectors that the machine has, for batch processing.
///
/// Windows are added one by one, measured together, and their likelihoods are then read one by one;
/// each is the same bit for bit
/// (`WindowLikelihoodTests.fourWindowsAtOnceGiveTheLikelihoodsOfEach`).
package struct WindowAnalyzer: Sendable {
  /// The number of windows that a batch analyzes together.
  package static let batchCount = 4

  private let model: ActivityModel
  private let settings: ActivityClassifier.Settings
  var extractor: FeatureExtractor
  /// Why a window that was added has no likelihood.
  private var defects: [ActivityDecision.UnknownReason?]
  /// The features of the last full window; zeros before the first.
  private(set) var features: ContiguousArray<Float>
  /// One from the first rates on: most phones record none, and it holds 25 kB.
  private var rotationExtractors: [RotationFeatureExtractor] = []
  private(set) var rotationFeatures: ContiguousArray<Float>
  /// Whether the last full window had rotation features.
  private(set) var hasRotation = false

  /// An analyzer of `windows` windows at once, 1 or ``batchCount``, in vectors of at most `width`
  /// values (four for one window), as the machine has them.
  package init(
    model: ActivityModel, settings: ActivityClassifier.Settings, windows: Int, width: Int
  ) {
    (self.model, self.settings) = (model, settings)
    extractor = FeatureExtractor(windows: windows, width: width)
    defects = Array(repeating: nil, count: windows)
    features = ContiguousArray(repeating: 0, count: FeatureExtractor.schema.count)
    rotationFeatures = ContiguousArray(repeating: 0, count: RotationFeatureExtractor.schema.count)
  }

  /// The next window is of another stream.
  package mutating func forgetWindow() { extractor.forgetWindow() }

  /// Adds a window, of which the newest samples count, at `place`, from 0 on.
  ///
  /// `end` is the cell of the 100 Hz grid before which it ends, or nil when that isn't known. It
  /// saves work; the result is the same bit for bit.
  package mutating func take(
    _ window: Span<SIMD4<Float>>, endingAt end: Int64? = nil, at place: Int
  ) {
    switch check(window) {
    case .failure(let defect): defects[place] = defect
    case .success(let check):
      defects[place] = nil
      extractor.take(
        window.extracting(last: ActivityClassifier.windowLength), endingAt: end, at: place,
        isOrdinary: check.isOrdinary)
    }
  }

  /// Measures the windows that were added.
  package mutating func measure() {
    if defects.contains(nil) { extractor.measure() }
  }

  /// The check of the newest samples, or the defect when they are too few or invalid.
  private func check(
    _ window: Span<SIMD4<Float>>
  ) -> Result<SignalCheck, ActivityDecision.UnknownReason> {
    guard window.count >= FeatureExtractor.shortestWindowLength else {
      return .failure(.notEnoughData)
    }
    let check = SignalCheck(window.extracting(last: ActivityClassifier.windowLength))
    guard check.isFinite, !check.isStuck, check.saturatedFraction <= settings.saturationLimit else {
      return .failure(.badSignal)
    }
    return .success(check)
  }

  /// The likelihood of the window that was measured at `place`, together with its rotation.
  package mutating func likelihood(
    at place: Int, window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>
  ) -> WindowLikelihood {
    if let defect = defects[place] { return .unusable(defect) }
    let measures = extractor.measures[place]
    var values = features.mutableSpan
    measures.write(to: &values)
    measureRotation(rotation, window)
    let deviation = abs(measures.meanNorm - 9.81)
    let tolerance = settings.gravityTolerance + settings.motionTolerance * measures.normDeviation
    if deviation > tolerance { return .unusable(.badSignal) }
    let custom = model.customScores(of: features.span)
    let count = hasRotation ? rotationFeatures.count : 0
    let likelihood = model.probabilities(
      of: features.span, rotation: rotationFeatures.span.extracting(0..<count))
    let samples = min(window.count, ActivityClassifier.windowLength)
    return .likelihood(
      likelihood, hasRotation: hasRotation,
      seconds: Float(samples) / Float(FeatureExtractor.samplingRate), custom: custom)
  }

  /// Extracts the rotation features of the window, if the model uses them and rates were measured.
  private mutating func measureRotation(
    _ rotation: Span<SIMD4<Float>>, _ window: Span<SIMD4<Float>>
  ) {
    let length = FeatureExtractor.windowLength
    hasRotation = false
    guard model.rotationFeatureCount > 0, rotation.count >= length, window.count >= length else {
      return
    }
    let newest = rotation.extracting(last: length)
    guard RotationFeatureExtractor.isSound(newest) else { return }
    var values = rotationFeatures
    rotationFeatures = []  // So that `values` is the only owner, and isn't copied.
    var span = values.mutableSpan
    if rotationExtractors.isEmpty { rotationExtractors.append(RotationFeatureExtractor()) }
    rotationExtractors[0].extract(
      from: newest, accelerations: window.extracting(last: length), into: &span)
    rotationFeatures = values
    hasRotation = true
  }
}

/// The likelihood of one window, independent of the filter's state.
///
/// It depends on the model, the settings and the samples alone, so that a replay may compute it
/// ahead of time (``ActivityClassifier/analyze(window:rotation:)``), and update the
/// posterior in order of time (``ActivityClassifier/update(with:hopSeconds:speed:)``).
package enum WindowLikelihood: Equatable, Sendable {
  /// It is unusable: ``ActivityDecision/UnknownReason/notEnoughData`` or
  /// ``ActivityDecision/UnknownReason/badSignal``.
  case unusable(ActivityDecision.UnknownReason)
  /// Its own probabilities, proportional to its likelihood by class; whether they include rotation
  /// rates; the seconds of accelerations that they are from, at most a full window's; and the
  /// scores of the model's custom activities, nil without any.
  case likelihood(
    ActivityProbabilities, hasRotation: Bool, seconds: Float, custom: SIMD8<Float>? = nil)
}
