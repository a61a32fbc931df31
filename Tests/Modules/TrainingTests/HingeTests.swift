import Foundation
import LocomotionActivityRecognition
import LocomotionTraining
import TestSupport
import Testing

struct HingeBasisTests {
  private func column(_ values: [Float]) -> TrainingSet {
    var set = TrainingSet(featureCount: 1)
    for value in values { set.add([value], .walking) }
    return set
  }

  private func basis(_ values: [Float], weights: [Double]? = nil) -> HingeBasis {
    HingeBasis(
      fitting: column(values), weights: weights ?? [Double](repeating: 1, count: values.count))
  }

  @Test func weightsMoveTheQuantiles() {
    // Weight 3 is equivalent to three repetitions.
    let values: [Float] = [-2.5, 0, 0.25, 1, 7, 8, 9, 10, 30, 31]
    let weights: [Double] = [1, 3, 2, 1, 4, 1, 1, 2, 3, 1]
    let repeated = zip(values, weights).flatMap { [Float](repeating: $0, count: Int($1)) }
    #expect(basis(values, weights: weights) == basis(repeated))
  }

  @Test func quantilesAgreeWithSorting() {
    var generator = SplitMix64(seed: 4)
    let values = (0..<997).map { _ in Float(generator.nextNormal()) }
    let sorted = values.sorted()
    let basis = basis(values)
    func quantile(_ p: Double) -> Float { sorted[Int((p * 997).rounded(.up)) - 1] }
    #expect(basis.means == [quantile(0.5)])
    #expect(basis.scales == [(quantile(0.84) - quantile(0.16)) / 2])
    let knots = [0.02, 0.212, 0.404, 0.596, 0.788, 0.98].map {
      (quantile($0) - basis.means[0]) / basis.scales[0]
    }
    #expect(basis.knots == knots)
  }

  @Test(arguments: [[5, 5, 5, 5], [0, 0, 0, 1], [0, 1], [7], [1e30, -1e30, 0, 1]])
  func knotsAscendWhateverTheNumbers(values: [Double]) {
    let basis = basis(values.map { Float($0) })
    #expect(zip(basis.knots, basis.knots.dropFirst()).allSatisfy { $0 < $1 })
    #expect((basis.means + basis.scales + basis.knots).allSatisfy { $0.isFinite })
    #expect(basis.scales.allSatisfy { $0 > 0 })
  }

  @Test func aConstantFeatureHasScaleOne() {
    #expect(basis([5, 5, 5]).scales == [1])
    #expect(basis([5, 5, 5]).means == [5])
  }

  @Test func negativeAndPositiveZeroAreOneNumber() {
    #expect(basis([-0.0, 0, -0.0]) == basis([0, 0, 0]))
  }

  @Test func featuresAreFittedIndependently() {
    let set = syntheticSet(windows: 200, features: 37)
    let weights = WindowBalance().weights(for: set)
    let whole = HingeBasis(fitting: set, weights: weights)
    for feature in [0, 15, 16, 31, 36] {
      let alone = HingeBasis(
        fitting: column((0..<200).map { set.features[$0 * 37 + feature] }), weights: weights)
      #expect(alone.means[0] == whole.means[feature])
      #expect(alone.knots == Array(whole.knots[feature * 6..<feature * 6 + 6]))
    }
  }
}

extension Array {
  /// The elements in an order that depends on `seed` alone.
  func shuffledBySeed(_ seed: UInt64) -> [Element] {
    var generator = SplitMix64(seed: seed)
    return shuffled(using: &generator)
  }
}

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

  /// The gradient of the squared errors and the penalty, written out, is 0 in the weights.
  @Test(
    arguments: [(40, 1), (300, 3), (2_500, 5)],
    [HingeRidgeTrainer.Precision.single, .double])
  func aFitSolvesTheNormalEquations(
    shape: (windows: Int, features: Int), precision: HingeRidgeTrainer.Precision
  ) throws {
    let set = syntheticSet(windows: shape.windows, features: shape.features)
    let settings = HingeRidgeTrainer.Settings(ridge: 0.02)
    let fit = try HingeRidgeTrainer(settings: settings, precision: precision).train(on: set)
    let columns = fit.weights.count / fit.classes.count
    // Functions of a single weight give the columns of the basis.
    let units = (0..<columns).map { column in
      var unit = fit
      unit.weights = fit.weights.indices.map { $0 == column ? 1 : 0 }
      return unit
    }
    var gradients = fit.weights.enumerated().map { $0 % columns == 0 ? 0 : 0.02 * $1 }
    for (row, weight) in settings.balance.weights(for: set).enumerated() {
      let features = set.features(ofRow: row)
      let errors = zip(fit.classes, fit.scores(features)).map { activity, score in
        weight * (score - (activity == set.activities[row] ? 1 : -1))
      }
      for (column, unit) in units.enumerated() {
        let value = unit.scores(features)[0]
        for (index, error) in errors.enumerated() {
          gradients[index * columns + column] += error * value
        }
      }
    }
    // In single precision every product has an error of 2⁻²⁴ of itself, and a sum of a block one
    // of its root mean square; hinges and errors are below 6.
    let limit = precision == .single ? 36 * 32 * 0x1p-24 : 1e-12
    #expect(gradients.allSatisfy { abs($0) < limit })
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

  @Test func theBasisIgnoresTheLabels() {
    let set = syntheticSet(windows: 200)
    let relabelled = set.replacing(activity: { _ in .cycling })
    #expect(trainer.basis(for: set) == trainer.basis(for: relabelled))
  }
}
