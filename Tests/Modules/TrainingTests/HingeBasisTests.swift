import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct HingeBasisTests {
  private func column(_ values: [Float]) -> TrainingSet {
    var set = TrainingSet(featureCount: 1)
    for value in values {
      set.append(
        [value], activity: .walking,
        origin: RecordingOrigin(dataset: "d", person: "p", recording: "r"),
        end: Timestamp(nanoseconds: 0))
    }
    return set
  }

  private func basis(_ values: [Float], weights: [Double]? = nil) -> HingeBasis {
    HingeBasis(
      fitting: column(values), weights: weights ?? [Double](repeating: 1, count: values.count))
  }

  @Test func evenlySpacedNumbersHaveEvenlySpacedKnots() {
    // The p quantile of 1 ... 1000 is the number ⌈1000 p⌉.
    let basis = basis((1...1000).map(Float.init).shuffledBySeed(3))
    #expect(basis.means == [500])
    // Half of 840 − 160.
    #expect(basis.scales == [340])
    let expected: [Float] = [20, 212, 404, 596, 788, 980].map { ($0 - 500) / 340 }
    #expect(basis.knots == expected)
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

  @Test func longTailsAreScaledInsideTheClip() {
    // 3 % of the numbers are outliers: the quartiles don't depend on them, the clip would.
    let values = (0..<970).map { Float($0 % 10) }
    let basis = basis(values + (0..<30).map { 1000 + Float($0) })
    #expect(basis.knots.allSatisfy { abs($0) <= 3.001 })
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
