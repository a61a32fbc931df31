import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct ModelAdapterTests {
  private let set = syntheticSet(windows: 900)
  private let base: ActivityModel

  init() throws {
    base = try ModelTrainer().train(on: set).model
  }

  /// Windows of one atypical person: like the others', but shifted by `offset` in every feature.
  private func odd(
    windows: Int, offset: Float, seed: UInt64, person: String = "odd", recordings: Int = 4,
    keeping isIncluded: (Activity) -> Bool = { _ in true }
  ) -> TrainingSet {
    let plain = syntheticSet(windows: windows, seed: seed)
    var moved = TrainingSet(featureCount: plain.featureCount)
    for row in 0..<plain.count where isIncluded(plain.activities[row]) {
      moved.append(
        plain.features(ofRow: row).map { $0 + offset }, activity: plain.activities[row],
        origin: RecordingOrigin(
          dataset: "own", person: person, recording: "r\(row % recordings)"),
        end: plain.ends[row])
    }
    return moved
  }

  private func accuracy(_ model: ActivityModel, on set: TrainingSet) throws -> Double {
    try #require(EvaluationReport(of: model, on: set).windows.overall.accuracy)
  }

  private func adapter(strength: Double?) -> ModelAdapter {
    var settings = ModelAdapter.Settings()
    settings.strength = strength
    return ModelAdapter(settings: settings)
  }

  @Test func anInfiniteStrengthGivesTheBase() throws {
    let (model, report) = try adapter(strength: .infinity).train(
      from: base, on: odd(windows: 200, offset: 1, seed: 3))
    var expected = base.parameters
    expected.manifest = model.parameters.manifest
    #expect(model.parameters == expected)
    #expect(report.adaptation?.strength == nil)
  }

  @Test func aHugeStrengthGivesNearlyTheBase() throws {
    let model = try adapter(strength: 1e6).train(
      from: base, on: odd(windows: 200, offset: 1, seed: 3)
    ).model
    for (new, old) in zip(model.parameters.weights, base.parameters.weights) {
      // |δ| ≤ |b − G w₀| / strength, and columns are at most 12, residuals a few units.
      #expect(abs(new - old) <= 1e-4)
    }
  }

  @Test func newPeopleAreLearnedWithLittleLossOnOthers() throws {
    let own = odd(windows: 300, offset: 1.2, seed: 4)
    let later = odd(windows: 600, offset: 1.2, seed: 5)
    let others = syntheticSet(windows: 900, seed: 6)
    let (model, report) = try ModelAdapter().train(from: base, on: own)
    #expect(report.adaptation?.leftOut == .recordings)
    #expect(report.adaptation?.strength != nil)
    #expect(report.adaptation?.isRecalibrated == false)
    let before = try accuracy(base, on: later)
    #expect(try accuracy(model, on: later) > before + 0.02)
    #expect(try accuracy(model, on: others) > accuracy(base, on: others) - 0.05)
    #expect(model.parameters.windowTemperature == base.parameters.windowTemperature)
    #expect(model.parameters.knots == base.parameters.knots)
  }

  @Test func aClassWithoutNewWindowsKeepsItsWeights() throws {
    let own = odd(windows: 300, offset: 1, seed: 7) { $0 != .running }
    let (model, report) = try adapter(strength: 0.1).train(from: base, on: own)
    #expect(report.adaptation?.adaptedClasses == [.stationary, .walking])
    let width = base.parameters.weights.count / 3
    let new = model.parameters.weights
    let old = base.parameters.weights
    #expect(new[(2 * width)...] == old[(2 * width)...])
    for column in 0..<width {
      // The others change relative to each other.
      let sum = new[column] + new[width + column]
      #expect(abs(sum - old[column] - old[width + column]) <= 1e-5)
    }
    #expect(new[..<width] != old[..<width])
  }

  @Test func theWeightsHaveAZeroGradientOfTheObjective() throws {
    let own = odd(windows: 150, offset: 1, seed: 8, recordings: 1)
    let strength = 0.5
    let model = try adapter(strength: strength).train(from: base, on: own).model
    let weights = WindowBalance().weights(for: own)
    let parameters = model.parameters
    let width = parameters.weights.count / 3
    var gradient = [Double](repeating: 0, count: 3 * width)
    for row in 0..<own.count {
      var columns = [1.0]
      for (feature, value) in own.features(ofRow: row).enumerated() {
        let u = Double((value - parameters.means[feature]) / parameters.scales[feature])
        let clipped = min(6, max(-6, u))
        columns.append(clipped)
        columns += (0..<6).map { max(0, clipped - Double(parameters.knots[6 * feature + $0])) }
      }
      for index in 0..<3 {
        let score = zip(columns, parameters.weights[(index * width)...]).reduce(0) {
          $0 + $1.0 * Double($1.1)
        }
        let target = own.activities[row] == parameters.classes[index] ? 1.0 : -1
        for column in 0..<width {
          gradient[index * width + column] += weights[row] * (score - target) * columns[column]
        }
      }
    }
    for column in 0..<width {
      let own = (0..<3).map { index in
        let place = index * width + column
        let moved = parameters.weights[place] - base.parameters.weights[place]
        return gradient[place] + strength * Double(moved)
      }
      // On the plane of constant sums only the classes' common component may remain.
      let mean = own.reduce(0, +) / 3
      for value in own { #expect(abs(value - mean) <= 1e-4) }
    }
  }

  @Test func aSingleClassIsLearned() throws {
    let own = odd(windows: 400, offset: 1.2, seed: 9) { $0 == .walking }
    let later = odd(windows: 400, offset: 1.2, seed: 10) { $0 == .walking }
    let model = try adapter(strength: 0.3).train(from: base, on: own).model
    #expect(try accuracy(model, on: later) > accuracy(base, on: later))
  }

  @Test func severalPeopleAreCrossValidatedAndCalibrate() throws {
    var own = odd(windows: 300, offset: 1, seed: 11, person: "a")
    own.append(contentsOf: odd(windows: 300, offset: 1, seed: 12, person: "b"))
    let (model, report) = try adapter(strength: 0.3).train(from: base, on: own)
    #expect(report.adaptation?.leftOut == .people)
    #expect(report.adaptation?.isRecalibrated == true)
    #expect(report.unseenPeople.windows.overall.windows == own.count)
    #expect(Double(model.parameters.windowTemperature) == Double(Float(report.windowTemperature)))
    #expect(model.parameters.windowTemperature != base.parameters.windowTemperature)
  }

  @Test func withoutCrossValidationTheReportIsNamedAccordingly() throws {
    let own = odd(windows: 100, offset: 1, seed: 13, recordings: 1)
    let report = try ModelAdapter().train(from: base, on: own).report
    #expect(report.adaptation?.strength == ModelAdapter.defaultStrength)
    #expect(report.adaptation?.leftOut == nil)
    #expect(report.unseenPeople.protocolName == "windows trained on")
    #expect(report.text.contains("nothing to leave out"))
  }

  @Test func windowsOfClassesThatTheBaseLacksAreSkipped() throws {
    var strange = TrainingSet(featureCount: set.featureCount)
    strange.append(
      set.features(ofRow: 0), activity: .train, origin: set.origin(ofRow: 0), end: set.ends[0])
    #expect(throws: TrainingError.empty) {
      _ = try ModelAdapter().train(from: base, on: strange)
    }
  }

  @Test func theManifestHasTheBasesSources() throws {
    let model = try adapter(strength: 1).train(
      from: base, on: odd(windows: 200, offset: 1, seed: 14)
    ).model
    let manifest = try #require(ModelManifest(of: model))
    #expect(manifest.sources.map(\.dataset) == ["own"])
    #expect(manifest.baseSources?.map(\.dataset) == ["set0", "set1"])
  }
}
