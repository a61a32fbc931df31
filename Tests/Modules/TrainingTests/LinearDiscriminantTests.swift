import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct LinearDiscriminantTests {
  /// The rows of the ridge's comparison, as one data set of the tidy form.
  private static func goldenSet() throws -> TrainingSet {
    var set = TrainingSet(featureCount: 3)
    for row in try TestFiles.golden("training_ridge_rows.csv") {
      set.append(
        row[3...].map { Float($0) }, activity: Activity.allCases[Int(row[0])],
        origin: RecordingOrigin(
          dataset: "\(Int(row[1]))", person: "\(Int(row[2]))", recording: ""),
        end: Timestamp(nanoseconds: 0))
    }
    return set
  }

  @Test func weightsAgreeWithScikitLearn() throws {
    let basis = HingeBasis(
      means: [0.5, 0, -0.5], scales: [1, 0.5, 2],
      knots: [
        -1.5, -1, -0.5, 0.5, 1, 1.5, -3, -2, -1, 1, 2, 3, -1, -0.5, -0.25, 0.25, 0.5, 1,
      ])
    // With these exponents all windows of a class have equal weight, as in scikit-learn.
    let trainer = LinearDiscriminantTrainer(
      settings: .init(shrinkage: 0.1, balance: WindowBalance(subject: 1, dataset: 1)))
    let fit = try trainer.train(on: Self.goldenSet(), basis: basis)
    let golden = try TestFiles.golden("training_discriminant_weights.csv")
    let width = basis.columnCount
    for (row, expected) in golden.enumerated() {
      for (column, weight) in fit.weights[row * width..<(row + 1) * width].enumerated() {
        // A constant, then a slope and six hinges of each feature.
        let place = column == 0 ? 0 : (column - 1) / 7 + 1
        let isHinge = column > 0 && (column - 1) % 7 > 0
        // The covariance's condition is below 100: 10³ roundings of 2⁻⁵³ at most.
        #expect(abs(weight - (isHinge ? 0 : expected[place])) <= 1e-12)
      }
    }
  }

  @Test func oneFeatureHasItsBoundaryMidwayBetweenTheMeans() throws {
    // Two classes of the same spread: the scores are equal half-way between their means.
    var set = TrainingSet(featureCount: 1)
    for (index, value) in [-3, -2, -1, 1, 2, 3, 5, 6, 7, 9, 10, 11].enumerated() {
      set.append(
        [Float(value)], activity: index < 6 ? .walking : .running,
        origin: RecordingOrigin(dataset: "d", person: "p", recording: "r"),
        end: Timestamp(nanoseconds: 0))
    }
    let fit = try LinearDiscriminantTrainer(settings: .init(shrinkage: 0)).train(on: set)
    let middle = fit.scores([4])
    // Standardised features are Float: 6·10⁻⁸ of a few units, times slopes of a few units.
    #expect(abs(middle[0] - middle[1]) <= 1e-6)
    #expect(fit.scores([3.5])[0] > fit.scores([3.5])[1])
    #expect(fit.scores([4.5])[0] < fit.scores([4.5])[1])
  }

  @Test func dependentFeaturesNeedShrinkage() throws {
    let set = syntheticSet(windows: 200, features: 1)
    var doubled = TrainingSet(featureCount: 2)
    for row in 0..<set.count {
      doubled.append(
        [set.features[row], set.features[row]], activity: set.activities[row],
        origin: set.origin(ofRow: row), end: set.ends[row])
    }
    #expect(throws: Never.self) { _ = try LinearDiscriminantTrainer().train(on: doubled) }
  }

  @Test func aShrinkageBeyondOneStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = LinearDiscriminantTrainer(settings: .init(shrinkage: 1.1))
    }
  }

  @Test func theModelHasTheScoresOfTheDiscriminants() throws {
    let set = syntheticSet(windows: 600)
    let (model, report) = try ModelTrainer(settings: .init(method: .lda)).train(on: set)
    let fit = try LinearDiscriminantTrainer().train(on: set)
    for row in 0..<100 {
      let features = Array(set.features(ofRow: row))
      let expected = fit.scores(features)
      let scores = model.scores(of: features.slice.span)
      for (index, activity) in fit.classes.enumerated() {
        #expect(abs(Double(scores[activity.rawValue]) - expected[index]) <= 1e-4)
      }
    }
    #expect(report.settings.method == .lda)
    // The chosen method is evaluated: the same windows, the same answers.
    let own = try ModelTrainer().heldOutScores(on: set, by: [.hinge, .lda])[1]
    #expect(own.evaluation(on: set, balance: .init()) == report.unseenPeople.windows)
  }
}
