import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct HingeRidgeTrainerTests {
  private let trainer = HingeRidgeTrainer()

  @Test func weightsAgreeWithALeastSquaresFitBySVD() throws {
    let trainer = HingeRidgeTrainer(
      settings: .init(ridge: 1e-3, balance: WindowBalance(subject: 0.5, dataset: 0.5)))
    let fit = try trainer.train(on: goldenSet(), basis: goldenBasis)
    let expected = try TestFiles.golden("training_ridge_weights.csv").flatMap { $0 }
    #expect(fit.classes == [.stationary, .walking, .running])
    // The normal equations' condition is at most trace / ridge, about 10⁵, times 2⁻⁵³ and the
    // solution's size, about 1.
    #expect(largestDifference(fit.weights, expected) <= 1e-10)
  }

  @Test func theSameRowsGiveTheSameBits() throws {
    let set = syntheticSet(windows: 300)
    #expect(try trainer.train(on: set) == trainer.train(on: set))
  }

  /// The effect of single-precision sums on weights near 1: √1024 · 2⁻²⁴ for the rows of a block,
  /// amplified up to 50 times by a ridge of 0.02.
  private static let rounding = 32 * 0x1p-24 * 50

  @Test func theOrderOfTheRowsKeepsTheWeights() throws {
    let set = syntheticSet(windows: 400)
    let shuffled = set.rows(Array(0..<400).shuffledBySeed(9))
    let one = try trainer.train(on: set)
    let other = try trainer.train(on: shuffled)
    #expect(one.basis == other.basis)
    #expect(largestDifference(one.weights, other.weights) <= Self.rounding)
  }

  @Test func repeatingEveryRowChangesNothing() throws {
    let set = syntheticSet(windows: 300)
    var twice = set
    twice.append(contentsOf: set)
    let one = try trainer.train(on: set)
    let other = try trainer.train(on: twice)
    #expect(one.basis == other.basis)
    #expect(largestDifference(one.weights, other.weights) <= Self.rounding)
  }

  @Test func rescalingAFeatureByAPowerOfTwoChangesNoScore() throws {
    let set = syntheticSet(windows: 300)
    let rescaled = set.replacing(features: { row in
      set.features(ofRow: row).enumerated().map { $0 == 1 ? 8 * $1 : $1 }
    })
    let one = try trainer.train(on: set)
    let other = try trainer.train(on: rescaled)
    #expect(largestDifference(one.weights, other.weights) == 0)
  }

  @Test func anEmptySetIsRejected() {
    #expect(throws: TrainingError.empty) {
      _ = try trainer.train(on: TrainingSet(featureCount: 2))
    }
  }

  @Test func aSingleClassIsRejected() {
    let set = syntheticSet(windows: 100).filter { activity, _ in activity == .running }
    #expect(throws: TrainingError.singleClass(.running)) {
      _ = try trainer.train(on: set)
    }
  }

  @Test func withoutARidgeDependentColumnsAreRejected() {
    // With two equal features every second column is linearly dependent.
    let set = syntheticSet(windows: 300, features: 1)
    let doubled = set.replacing(features: { [set.features[$0], set.features[$0]] })
    let unpenalized = HingeRidgeTrainer(settings: .init(ridge: -0.0))
    #expect(throws: TrainingError.self) { _ = try unpenalized.train(on: doubled) }
    #expect(throws: Never.self) { _ = try trainer.train(on: doubled) }
  }

  @Test func aNegativeRidgeStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = HingeRidgeTrainer(settings: .init(ridge: -1))
    }
  }

  @Test func aNonlinearBoundaryIsLearned() throws {
    // Class 1 between −1 and 1, class 0 outside: no linear score separates them.
    var generator = SplitMix64(seed: 11)
    var set = TrainingSet(featureCount: 1)
    for window in 0..<600 {
      let x = 6 * generator.nextUniform() - 3
      set.append(
        [Float(x)], activity: abs(x) < 1 ? .walking : .stationary,
        origin: RecordingOrigin(dataset: "d", person: "p\(window % 3)", recording: "r"),
        end: Timestamp(nanoseconds: 0))
    }
    let fit = try trainer.train(on: set)
    for x: Float in [-2.5, -1.5, 1.5, 2.5] {
      let scores = fit.scores([x])
      #expect(scores[0] > scores[1])
    }
    let inside = fit.scores([0])
    #expect(inside[1] > inside[0])
  }

  @Test func scoresOfAllClassesSumToTwoMinusTheirNumber() throws {
    // The targets of a window sum to 2 − K, a constant, which the unpenalised column fits exactly.
    let set = syntheticSet(windows: 300)
    let fit = try trainer.train(on: set)
    for row in 0..<20 {
      let sum = fit.scores(set.features(ofRow: row)).reduce(0, +)
      #expect(abs(sum + 1) <= 1e-10)
    }
  }

  @Test func theBasisIgnoresTheLabels() {
    let set = syntheticSet(windows: 200)
    let relabelled = set.replacing(activity: { _ in .cycling })
    #expect(trainer.basis(for: set) == trainer.basis(for: relabelled))
  }
}
