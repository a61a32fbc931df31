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
  ///
  /// Each recording has one stretch of each activity.
  private func odd(
    windows: Int, offset: Float, seed: UInt64, person: String = "odd", recordings: Int = 4,
    keeping isIncluded: (Activity) -> Bool = { _ in true }
  ) -> TrainingSet {
    let plain = syntheticSet(windows: windows, seed: seed)
    var moved = TrainingSet(featureCount: plain.featureCount)
    for activity in plain.classes where isIncluded(activity) {
      let rows = (0..<plain.count).filter { plain.activities[$0] == activity }
      for (place, row) in rows.enumerated() {
        moved.append(
          plain.features(ofRow: row).map { $0 + offset }, activity: activity,
          origin: RecordingOrigin(
            dataset: "own", person: person, recording: "r\(place * recordings / rows.count)"),
          end: Timestamp(
            nanoseconds: (Int64(activity.rawValue) << 40) + Int64(place) * 3_840_000_000))
      }
    }
    return moved
  }

  private func accuracy(_ model: ActivityModel, on set: TrainingSet) throws -> Double {
    try #require(EvaluationReport(of: model, on: set).windows.overall.accuracy)
  }

  @Test func newPeopleAreLearnedWithLittleLossOnOthers() throws {
    let own = odd(windows: 300, offset: 1.2, seed: 4)
    let later = odd(windows: 600, offset: 1.2, seed: 5)
    let others = syntheticSet(windows: 900, seed: 6)
    let (model, report) = try ModelAdapter().train(from: base, on: own)
    let adaptation = try #require(report.adaptation)
    #expect(adaptation.outcome == .learned && adaptation.stretches == 12)
    #expect(adaptation.leftOut == .recordings && adaptation.contradicted == 0)
    #expect(report.unseenPeople.windows.overall.windows == own.count)
    let before = try accuracy(base, on: later)
    #expect(try accuracy(model, on: later) > before + 0.02)
    #expect(try accuracy(model, on: others) > accuracy(base, on: others) - 0.05)
    #expect(model.parameters.windowTemperature == base.parameters.windowTemperature)
    #expect(model.parameters.knots == base.parameters.knots)
  }

  @Test func aPersonIsScoredByWhatTheOthersTaught() throws {
    let a = odd(windows: 150, offset: 1.5, seed: 11, person: "a")
    let b = odd(windows: 150, offset: 0.5, seed: 12, person: "b")
    var both = a
    both.append(contentsOf: b)
    let report = try ModelAdapter().train(from: base, on: both).report
    #expect(report.adaptation?.leftOut == .people)
    let right = try [(a, b), (b, a)].map { taught, judged in
      let model = try ModelAdapter().train(from: base, on: taught).model
      return EvaluationReport(of: model, on: judged).windows.overall.correct
    }
    #expect(report.unseenPeople.windows.overall.correct == right.reduce(0, +))
  }

  @Test func ofManyStretchesEachPersonsActivitiesCountAlike() throws {
    var own = odd(windows: 900, offset: 1, seed: 7, person: "a", recordings: 40)
    own.append(contentsOf: odd(windows: 60, offset: 1, seed: 8, person: "b"))
    let report = try ModelAdapter().train(from: base, on: own).report
    let adaptation = try #require(report.adaptation)
    #expect(adaptation.stretches + adaptation.contradicted == ActivityModel.mostStretches)
    #expect(try ModelAdapter().train(from: base, on: own).report == report)
  }

  @Test func withNothingToLeaveOutTheReportIsNamedAccordingly() throws {
    let own = odd(windows: 100, offset: 1, seed: 13, recordings: 1)
    let report = try ModelAdapter().train(from: base, on: own).report
    #expect(report.adaptation?.leftOut == nil)
    #expect(report.unseenPeople.protocolName == "windows trained on")
    #expect(report.text.contains("nothing to leave out"))
  }

  @Test func withoutAStretchTheBaseStays() throws {
    let own = odd(windows: 30, offset: 1, seed: 3, recordings: 100)
    let (model, report) = try ModelAdapter().train(from: base, on: own)
    var expected = base.parameters
    expected.manifest = model.parameters.manifest
    #expect(model.parameters == expected)
    #expect(report.adaptation?.outcome == .nothingStated)
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
    let model = try ModelAdapter().train(from: base, on: odd(windows: 200, offset: 1, seed: 14))
      .model
    let manifest = try #require(ModelManifest(of: model))
    #expect(manifest.sources.map(\.dataset) == ["own"])
    #expect(manifest.baseSources?.map(\.dataset) == ["set0", "set1"])
  }
}
