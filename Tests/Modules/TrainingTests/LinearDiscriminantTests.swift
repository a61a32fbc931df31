import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct LinearDiscriminantTests {
  private let trainer = ModelTrainer(settings: .init(method: .lda))

  /// Two correlated features of three classes; with as many windows of each person and class all
  /// weigh the same.
  private static func balancedSet() -> TrainingSet {
    var generator = SplitMix64(seed: 2)
    var set = TrainingSet(featureCount: 2)
    for window in 0..<300 {
      let activity = window % 3
      let first = generator.nextNormal() + Double(activity)
      let second = 0.5 * first + generator.nextNormal() - Double(activity * activity)
      set.append(
        [Float(first), Float(second)], activity: Activity.allCases[activity],
        origin: RecordingOrigin(dataset: "d", person: "p\(window / 75)", recording: "r"),
        end: Timestamp(nanoseconds: Int64(window) * 2_560_000_000))
    }
    return set
  }

  /// With equal priors, and a covariance of which 2 % are replaced by a multiple of the identity
  /// (Hastie, Tibshirani, Friedman, "The elements of statistical learning", section 4.3).
  @Test func scoresAgreeWithTheTextbook() throws {
    let set = Self.balancedSet()
    let model = try trainer.train(on: set).model
    let (means, scales) = (model.parameters.means, model.parameters.scales)
    let windows = (0..<set.count).map { row in
      let features = Array(set.features(ofRow: row))
      return SIMD2(
        Double((features[0] - means[0]) / scales[0]), Double((features[1] - means[1]) / scales[1]))
    }
    var centres = [Activity: SIMD2<Double>]()
    for (window, activity) in zip(windows, set.activities) {
      centres[activity, default: .zero] += window / 100
    }
    var (squares, product) = (SIMD2<Double>.zero, 0.0)
    for (window, activity) in zip(windows, set.activities) {
      let deviation = window - (try #require(centres[activity]))
      squares += deviation * deviation / 300
      product += deviation.x * deviation.y / 300
    }
    squares = 0.98 * squares + 0.02 * squares.sum() / 2
    product *= 0.98
    let determinant = squares.x * squares.y - product * product
    for row in 0..<set.count {
      let features = Array(set.features(ofRow: row))
      let scores = model.scores(of: features.slice.span)
      for (activity, centre) in centres {
        let slopes =
          SIMD2(
            squares.y * centre.x - product * centre.y, squares.x * centre.y - product * centre.x)
          / determinant
        let expected = (slopes * (windows[row] - centre / 2)).sum() - log(3)
        // The sums are in single precision: 300 roundings of 6·10⁻⁸ of scores of up to 20.
        #expect(abs(Double(scores[activity.rawValue]) - expected) <= 4e-4)
      }
    }
  }

  @Test func dependentFeaturesNeedShrinkage() {
    let set = syntheticSet(windows: 200, features: 1)
    var doubled = TrainingSet(featureCount: 2)
    for row in 0..<set.count {
      doubled.append(
        [set.features[row], set.features[row]], activity: set.activities[row],
        origin: set.origin(ofRow: row), end: set.ends[row])
    }
    #expect(throws: Never.self) { _ = try trainer.train(on: doubled) }
  }

  @Test func theChosenMethodIsEvaluated() throws {
    let set = syntheticSet(windows: 600)
    let report = try trainer.train(on: set).report
    #expect(report.settings.method == .lda)
    // The same windows, the same answers.
    let own = try ModelTrainer().heldOutScores(on: set, by: [.hinge, .lda])[1]
    let answers = own.crossFittedProbabilities(on: set, balance: WindowBalance())
    let correct = (0..<set.count).count { answers[$0].answer == set.activities[$0] }
    #expect(report.unseenPeople.windows.overall.correct == correct)
  }
}
