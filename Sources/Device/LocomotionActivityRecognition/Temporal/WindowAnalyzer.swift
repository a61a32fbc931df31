/// Computes the likelihoods of windows, independent of the filter's state.
struct WindowAnalyzer: Sendable {
  private let model: ActivityModel
  private let settings: ActivityClassifier.Settings
  private var extractor = FeatureExtractor()
  /// The features of the last full window; zeros before the first.
  private(set) var features: ContiguousArray<Float>
  /// Created at the first rates: most phones record none, and it holds 25 kB.
  private var rotationExtractor: RotationFeatureExtractor?
  private var rotationFeatures: ContiguousArray<Float>
  /// Whether the last full window had rotation features.
  private var hasRotation = false

  /// An analyzer of windows with `model`.
  init(model: ActivityModel, settings: ActivityClassifier.Settings) {
    (self.model, self.settings) = (model, settings)
    features = ContiguousArray(repeating: 0, count: FeatureExtractor.schema.count)
    rotationFeatures = ContiguousArray(repeating: 0, count: RotationFeatureExtractor.schema.count)
  }

  /// The likelihood of the newest samples of both sensors.
  mutating func analyze(
    window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>
  ) -> WindowLikelihood {
    switch check(window) {
    case .failure(let defect): return .unusable(defect)
    case .success(let check):
      extractor.measure(
        window.extracting(last: ActivityClassifier.windowLength), isOrdinary: check.isOrdinary)
    }
    return likelihood(of: extractor.measures, window: window, rotation: rotation)
  }

  /// The check of the newest samples, or the defect when they are too few or invalid.
  func check(_ window: Span<SIMD4<Float>>) -> Result<SignalCheck, ActivityDecision.UnknownReason> {
    guard window.count >= FeatureExtractor.shortestWindowLength else {
      return .failure(.notEnoughData)
    }
    let check = SignalCheck(window.extracting(last: ActivityClassifier.windowLength))
    guard check.isFinite, !check.isStuck, check.saturatedFraction <= settings.saturationLimit else {
      return .failure(.badSignal)
    }
    return .success(check)
  }

  /// The likelihood of a window that was measured.
  mutating func likelihood(
    of measures: WindowMeasures, window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>
  ) -> WindowLikelihood {
    var values = features.mutableSpan
    measures.write(to: &values)
    measureRotation(rotation, window)
    let deviation = abs(measures.meanNorm - 9.81)
    let tolerance = settings.gravityTolerance + settings.motionTolerance * measures.normDeviation
    if deviation > tolerance { return .unusable(.badSignal) }
    let custom = model.customScores(of: features.span)
    if model.isNovel(features.span) { return .novel(custom: custom) }
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
    if rotationExtractor == nil { rotationExtractor = RotationFeatureExtractor() }
    rotationExtractor?.extract(
      from: newest, accelerations: window.extracting(last: length), into: &span)
    rotationFeatures = values
    hasRotation = true
  }
}

/// Computes the likelihoods of four windows at once, for batch processing.
///
/// The operations of ``ActivityClassifier/analyze(window:rotation:)`` in the widest
/// vectors that the machine has; the likelihoods are the same bit for bit
/// (`WindowLikelihoodTests.fourWindowsAtOnceGiveTheLikelihoodsOfEach`). Windows are added one by
/// one, measured together, and their likelihoods are then read one by one.
package struct WideWindowAnalyzer: Sendable {
  /// The number of windows that are analyzed together.
  package static let count = WideFeatureExtractor.count

  private var analyzer: WindowAnalyzer
  private var extractor: WideFeatureExtractor
  private var defects: [ActivityDecision.UnknownReason?]

  /// An analyzer in vectors of at most `width` values, as the machine has them.
  package init(model: ActivityModel, settings: ActivityClassifier.Settings, width: Int = 16) {
    analyzer = WindowAnalyzer(model: model, settings: settings)
    extractor = WideFeatureExtractor(width: width)
    defects = Array(repeating: nil, count: Self.count)
  }

  /// Adds a window at `place`, 0 to 3.
  package mutating func take(_ window: Span<SIMD4<Float>>, at place: Int) {
    switch analyzer.check(window) {
    case .failure(let defect): defects[place] = defect
    case .success(let check):
      defects[place] = nil
      extractor.take(
        window.extracting(last: ActivityClassifier.windowLength), at: place,
        isOrdinary: check.isOrdinary)
    }
  }

  /// Measures the four windows.
  package mutating func measure() { extractor.measure() }

  /// The likelihood of the window at `place`, together with its rotation.
  package mutating func likelihood(
    at place: Int, window: Span<SIMD4<Float>>, rotation: Span<SIMD4<Float>>
  ) -> WindowLikelihood {
    if let defect = defects[place] { return .unusable(defect) }
    return analyzer.likelihood(of: extractor.measures[place], window: window, rotation: rotation)
  }
}
