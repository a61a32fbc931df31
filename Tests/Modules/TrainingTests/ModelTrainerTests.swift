import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct ModelTrainerTests {
  private let set = syntheticSet(windows: 900, datasets: 2, peoplePerSet: 3)

  @Test func theModelHasTheScoresOfTheFit() throws {
    let (model, report) = try ModelTrainer().train(on: set)
    let fit = try HingeRidgeTrainer().train(on: set)
    for row in 0..<100 {
      let features = Array(set.features(ofRow: row))
      let expected = TemperatureCalibration.probabilities(
        scores: fit.scores(features), temperature: report.calibration.windowTemperature)
      let answer = model.probabilities(of: features.slice.span)
      for (index, activity) in fit.classes.enumerated() {
        // The model's weights and tables are Float: a score is a sum of 29 terms below about 4,
        // divided by the temperature.
        let tolerance = 29 * 4 * 0x1p-23 / report.calibration.windowTemperature
        #expect(abs(Double(answer[activity]) - expected[index]) <= tolerance)
      }
    }
  }

  @Test func theReportCountsTheTrainingWindows() throws {
    var augmented = set
    var origin = set.origin(ofRow: 0)
    origin.variant = "noisy"
    augmented.append(
      set.features(ofRow: 0), activity: set.activities[0], origin: origin, end: set.ends[0])
    let report = try ModelTrainer().train(on: augmented).report
    #expect(report.people == 6)
    #expect(report.windows == 900)
    let changed = report.sources.map(\.augmentedWindows).reduce(0, +)
    #expect(changed == 1)
    #expect(report.unseenPeople.windows.overall.windows == 900)
    #expect(report.unseenPeople.live.overall.windows == 900)
    #expect(report.unseenPeople.smoothed.overall.windows == 900)
    #expect(report.unseenDatasets?.windows.byDataset.count == 2)
  }

  @Test func temporalFilteringIncreasesTheAccuracy() throws {
    let report = try ModelTrainer().train(on: set).report.unseenPeople
    // Runs of a minute and more: neighbouring windows add evidence.
    let window = try #require(report.windows.overall.accuracy)
    let smoothed = report.smoothed.overall
    #expect(Double(smoothed.correct) / Double(smoothed.windows - smoothed.unknown) > window)
    #expect(report.liveTiming.switches > 0)
  }

  /// Whatever live filter was chosen: these six people move its mean time from 60 to 180 s when
  /// one of them is left out.
  @Test func theMeanTimeInHindsightIsThatOfTheStreamsRuns() throws {
    let parameters = try ModelTrainer().train(on: set).model.parameters
    let seconds = Double(parameters.dwellSeconds) * Double(parameters.hindsightDwellFactor)
    // A quotient of two Floats times the divisor.
    #expect(abs(seconds - 300) <= 300 * 0x1p-23)
    #expect((0.07...1).contains(parameters.hindsightEvidenceFactor))
  }

  @Test func theManifestIsStoredInTheModelWithoutPeoplesNames() throws {
    let (model, report) = try ModelTrainer().train(on: set)
    let manifest = try #require(ModelManifest(of: model))
    #expect(manifest == ModelManifest(report))
    #expect(manifest.sources == report.sources && manifest.baseSources == nil)
    #expect(!model.parameters.manifest.contains("p0"))
  }

  @Test func theConfidenceThresholdGivesTheRequestedCoverage() throws {
    var settings = ModelTrainer.Settings()
    settings.coverage = 0.8
    settings.largestConfidenceThreshold = 1
    let report = try ModelTrainer(settings: settings).train(on: set).report
    // The threshold is fitted on all people, the report's probabilities on half of them: the
    // fractions agree but for the two calibrations' difference.
    let coverage = try #require(report.unseenPeople.live.overall.coverage)
    #expect(abs(coverage - 0.8) <= 0.1)
  }

  /// Each class has its own speed, so that the speed alone nearly suffices.
  @Test func speedsAreEvaluatedBesideTheAccelerations() throws {
    let model = try ModelTrainer().train(on: set).model
    let unseen = syntheticSet(windows: 300, seed: 77)
    #expect(EvaluationReport(of: model, on: unseen).liveWithSpeed.overall.windows == 0)
    let speeds: [Activity: Float] = [.walking: 1.4, .running: 3]
    let located = unseen.replacing(speed: { speeds[unseen.activities[$0]] })
    let report = EvaluationReport(of: model, on: located)
    #expect(report.live.overall.windows == 300)
    #expect(report.liveWithSpeed.overall.windows == 300)
    #expect(report.smoothedWithSpeed.overall.windows == 300)
    #expect(report.live.overall == EvaluationReport(of: model, on: unseen).live.overall)
    #expect(report.liveWithSpeed.overall.correct > report.live.overall.correct)
    #expect(report.smoothedWithSpeed.overall.correct >= report.smoothed.overall.correct)
  }

  @Test func windowsOfUnknownClassesAreSkipped() throws {
    let two = set.filter { activity, _ in activity != .running }
    let model = try ModelTrainer().train(on: two).model
    let report = EvaluationReport(of: model, on: set)
    #expect(report.windows.skippedWindows == set.count - two.count)
    #expect(report.windows.overall.windows == two.count)
  }

  @Test func onePersonIsNotEnough() {
    let alone = syntheticSet(windows: 100, datasets: 1, peoplePerSet: 1)
    #expect(throws: TrainingError.nothingToLeaveOut) {
      _ = try ModelTrainer().train(on: alone)
    }
  }
}

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
    #expect(model.parameters.function.knots == base.parameters.function.knots)
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
