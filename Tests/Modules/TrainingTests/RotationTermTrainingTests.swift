import Foundation
import LocomotionActivityRecognition
import LocomotionLinearAlgebra
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

/// The second stage: the rotation term of a model of the accelerations.
struct RotationTermTrainingTests {
  /// The set with two rotation features per window: the first encodes the class by `signal` for the
  /// given person, the second is noise; every third window of the odd people has none.
  private static func rotating(
    _ plain: TrainingSet, signal: (Activity, String) -> Double
  ) -> TrainingSet {
    var generator = SplitMix64(seed: 9)
    var set = TrainingSet(featureCount: plain.featureCount, rotationFeatureCount: 2)
    for row in 0..<plain.count {
      let origin = plain.origin(ofRow: row)
      let activity = plain.activities[row]
      let values = [
        Float(signal(activity, origin.person) + 0.3 * generator.nextNormal()),
        Float(generator.nextNormal()),
      ]
      let isOdd = ["p1", "p3", "p5"].contains(origin.person)
      set.append(
        plain.features(ofRow: row), activity: activity, origin: origin, end: plain.ends[row],
        rotation: isOdd && row % 3 == 0 ? nil : values[...])
    }
    return set
  }

  private let plain = syntheticSet(windows: 900, datasets: 2, peoplePerSet: 3)
  private let useful: TrainingSet

  init() {
    useful = Self.rotating(plain) { activity, _ in activity == .running ? 2 : 0 }
  }

  private var described: Int { (0..<useful.count).count { useful.rotation(ofRow: $0) != nil } }

  @Test func aUsefulTermIsKeptAndReported() throws {
    let (model, report) = try ModelTrainer().train(on: useful)
    let rotation = try #require(report.rotation)
    #expect(rotation.isKept && rotation.windows == described)
    #expect(try #require(rotation.accuracy) > #require(rotation.accuracyWithout) + 0.02)
    #expect(model.rotationFeatureCount == 2)
    let unseen = report.unseenPeople
    let without = try #require(unseen.withoutRotation)
    #expect(without.windowsWithRotation == described)
    #expect(
      try #require(unseen.windows.mergingRail.balancedAccuracy) > #require(without.windows))
    let line = "\(described) windows have rotation rates. Without a gyroscope"
    #expect(report.text.components(separatedBy: line).count == 3)
    #expect(try JSONDecoder().decode(TrainingReport.self, from: Data(report.json.utf8)) == report)
  }

  @Test func ratesKeepTheModelOfTheAccelerations() throws {
    let (with, report) = try ModelTrainer().train(on: useful)
    let (without, plainReport) = try ModelTrainer().train(on: plain)
    var parameters = with.parameters
    parameters.rotation = nil
    parameters.manifest = without.parameters.manifest
    #expect(parameters == without.parameters)
    #expect(plainReport.rotation == nil && plainReport.unseenPeople.withoutRotation == nil)
    let figures = try #require(report.unseenPeople.withoutRotation)
    #expect(figures.windows == plainReport.unseenPeople.windows.mergingRail.balancedAccuracy)
    #expect(figures.live == plainReport.unseenPeople.live.mergingRail.balancedAccuracy)
    #expect(figures.smoothed == plainReport.unseenPeople.smoothed.mergingRail.balancedAccuracy)
  }

  @Test func trainingTwiceGivesTheSameBits() throws {
    let (one, other) = (try ModelTrainer().train(on: useful), try ModelTrainer().train(on: useful))
    #expect(one.model.parameters == other.model.parameters)
    #expect(one.report == other.report)
  }

  /// The normal equations window by window in Double, solved by elimination.
  @Test func theTermSolvesTheWeightedRidgeOfTheResiduals() throws {
    let model = try ModelTrainer().train(on: useful).model
    let term = try #require(model.parameters.rotation)
    let heldOut = try HingeRidgeTrainer().heldOutScores(on: useful, leavingOut: .subject)
    let rows = (0..<useful.count).filter { useful.rotation(ofRow: $0) != nil }
    let weights = WindowBalance().weights(for: useful.rows(rows))
    let width = 15
    var system = [[Double]](repeating: Array(repeating: 0, count: width + 3), count: width)
    for (row, weight) in zip(rows, weights) {
      var columns = [1.0]
      for (feature, value) in (useful.rotation(ofRow: row) ?? []).enumerated() {
        let u = Double(min(6, max(-6, (value - term.means[feature]) / term.scales[feature])))
        columns.append(u)
        for knot in term.knots[6 * feature..<6 * feature + 6] {
          columns.append(max(0, u - Double(knot)))
        }
      }
      for i in 0..<width {
        for j in 0..<width { system[i][j] += weight * columns[i] * columns[j] }
        for (index, activity) in heldOut.classes.enumerated() {
          let target = activity == useful.activities[row] ? 1.0 : -1
          let score = heldOut.scores(ofWindow: row)[row * heldOut.classes.count + index]
          system[i][width + index] += weight * columns[i] * (target - score)
        }
      }
    }
    for i in 1..<width { system[i][i] += HingeRidgeTrainer.Settings().ridge }
    for pivot in 0..<width {
      for row in 0..<width where row != pivot {
        let factor = system[row][pivot] / system[pivot][pivot]
        for column in pivot..<width + 3 { system[row][column] -= factor * system[pivot][column] }
      }
    }
    for index in 0..<3 {
      for row in 0..<width {
        let expected = system[row][width + index] / system[row][row]
        // Weights of about 1 in Float; the system's condition is about 10⁴ in Double.
        #expect(abs(Double(term.weights[index * width + row]) - expected) <= 1e-6)
      }
    }
  }

  /// A feature that encodes the class differently for each person is uninformative for unseen
  /// people: if a person weren't held out of the term, the accuracy would be nearly 1.
  @Test func theTermIsEvaluatedOnHeldOutPeople() throws {
    let coded = Self.rotating(plain) { activity, person in
      let shift = Int(person.dropFirst()) ?? 0
      return 4 * Double((activity.rawValue + shift) % 3)
    }
    let (model, report) = try ModelTrainer().train(on: coded)
    let rotation = try #require(report.rotation)
    #expect(
      try #require(rotation.accuracy) <= #require(rotation.accuracyWithout) + 0.05)
    #expect((model.parameters.rotation != nil) == rotation.isKept)
  }

  @Test func aTermWithoutGainIsDropped() throws {
    // In the second data set the feature has the opposite meaning.
    let misleading = Self.rotating(plain) { activity, person in
      let isSecond = ["p1", "p3", "p5"].contains(person)
      return (activity == .running) == isSecond ? 4 : 0
    }
    let (model, report) = try ModelTrainer().train(on: misleading)
    #expect(report.rotation?.isKept == false)
    #expect(model.parameters.rotation == nil)
    #expect(report.unseenPeople.withoutRotation == nil)
    let without = try ModelTrainer().train(on: plain)
    #expect(report.unseenPeople == without.report.unseenPeople)
  }

  @Test func discriminantsHaveNoTerm() throws {
    let (model, report) = try ModelTrainer(settings: .init(method: .lda)).train(on: useful)
    #expect(model.parameters.rotation == nil)
    #expect(report.rotation?.isKept == false)
    #expect(report.rotation?.windows == described)
  }

  @Test func aModelIsEvaluatedWithItsTerm() throws {
    let model = try ModelTrainer().train(on: useful).model
    let unseen = Self.rotating(syntheticSet(windows: 300, seed: 77)) { activity, _ in
      activity == .running ? 2 : 0
    }
    let report = EvaluationReport(of: model, on: unseen)
    var right = 0
    for row in 0..<unseen.count {
      let rotation = Array(unseen.rotation(ofRow: row) ?? [])
      let answer = model.probabilities(
        of: unseen.features(ofRow: row).span, rotation: rotation.slice.span)
      right += answer.mostProbable == unseen.activities[row] ? 1 : 0
    }
    #expect(report.windows.overall.correct == right)
    #expect(report.withoutRotation != nil)
  }

  @Test func theAdapterKeepsTheBasesTerm() throws {
    let base = try ModelTrainer().train(on: useful).model
    let own = Self.rotating(syntheticSet(windows: 300, seed: 5)) { activity, _ in
      activity == .running ? 2 : 0
    }
    // Recordings without a gyroscope keep the term, too.
    for set in [own, syntheticSet(windows: 300, seed: 5)] {
      let (model, report) = try ModelAdapter().train(from: base, on: set)
      #expect(model.parameters.rotation == base.parameters.rotation)
      #expect(report.rotation?.isKept == true)
    }
  }
}
