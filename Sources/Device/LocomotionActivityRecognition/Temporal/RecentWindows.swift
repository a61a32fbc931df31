internal import CLocomotionMath

/// The newest windows' own probabilities, with which the next window's are compared: where the
/// signal has changed, the activity has probably changed.
public struct RecentWindows: Sendable, StateArchivable {
  /// The probabilities, the newest window's first.
  private var first = SIMD8<Float>.zero, second = SIMD8<Float>.zero, third = SIMD8<Float>.zero
  private var fourth = SIMD8<Float>.zero, fifth = SIMD8<Float>.zero
  /// The seconds since each of the windows ended; ``Self/forgotten`` where there is none.
  private var ages = SIMD8<Float>(repeating: forgotten)

  private static let count = 5
  private static let forgotten: Float = 1e6
  /// The length of a window, seconds: windows at a smaller distance share samples.
  private static let length =
    Float(ActivityClassifier.windowLength) / FeatureExtractor.samplingRate
  /// The shortest time between windows that are kept, seconds.
  private static let spacing: Float = 0.9

  /// No windows.
  public init() {}

  /// Lets `seconds` pass without a window.
  mutating func age(by seconds: Float) {
    ages = (ages + seconds).replacing(with: Self.forgotten, where: ages .> Self.forgotten)
  }

  /// Adds a window, `seconds` after the call before, and returns the hazard ratio of the time
  /// between: see ``ActivityClassifier/Evidence/hazardRatio``.
  mutating func hazardRatio(of window: ActivityProbabilities, after seconds: Float) -> Float {
    age(by: seconds)
    let newest = (0..<Self.count).first { ages[$0] >= Self.length && ages[$0] < 2 * Self.length }
    let before = newest.map { ActivityProbabilities(lanes: self[$0]) }
    if ages[0] >= Self.spacing { push(window.lanes) }
    return before.map { Self.hazardRatio(from: $0, to: window) } ?? 1
  }

  /// The hazard ratio where windows without common samples have these probabilities.
  ///
  /// It grows with their squared Hellinger distance H² = 1 − Σ √(p q), as exp(−1 + 5 H²): the log
  /// odds that one of two windows four seconds apart in streams of labelled recordings, sets left
  /// out, is of another activity (area under the ROC curve .86), less steep by half because the
  /// evidence tells of the change as well.
  package static func hazardRatio(
    from before: ActivityProbabilities, to after: ActivityProbabilities
  ) -> Float {
    let common = (before.lanes * after.lanes).squareRoot().sum()
    return exp(-1 + 5 * max(0, 1 - common))
  }

  private mutating func push(_ window: SIMD8<Float>) {
    (first, second, third, fourth, fifth) = (window, first, second, third, fourth)
    for index in (1..<Self.count).reversed() { ages[index] = ages[index - 1] }
    ages[0] = 0
  }

  private subscript(index: Int) -> SIMD8<Float> {
    switch index {
    case 0: first
    case 1: second
    case 2: third
    case 3: fourth
    default: fifth
    }
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&first, &second, &third, &fourth, &fifth)
    archive.pass(&ages)
    for index in 0..<Self.count {
      archive.require(self[index].indices.allSatisfy { 0...1 ~= self[index][$0] })
      archive.require(ages[index] >= 0)
    }
  }
}
