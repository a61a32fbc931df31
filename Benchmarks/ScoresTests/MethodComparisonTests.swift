import BenchmarkScores
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct MethodComparisonTests {
  /// Windows of three activities of six people, whose features are those of the activity but for
  /// noise; every other window has the speed of its activity.
  private func set(_ empty: TrainingSet) -> TrainingSet {
    var set = empty
    var random = SplitMix64(seed: 8)
    for window in 0..<300 {
      let activity = Activity.allCases[window % 3]
      let person = Int(6 * random.nextUniform())
      let features = (0..<set.featureCount).map { feature in
        Float(feature % 3 == window % 3 ? 2 : 0) + Float(random.nextNormal())
      }
      set.append(
        features, activity: activity,
        origin: RecordingOrigin(
          dataset: "set\(person % 2)", person: "p\(person)", recording: "r\(person)"),
        end: Timestamp(nanoseconds: Int64(window) * 2_560_000_000),
        speed: window % 2 == 0 ? Float(activity.rawValue) : nil)
    }
    return set
  }

  @Test func bothMethodsAreComparedOnTheSameWindows() throws {
    let set = set(TrainingSet(featureCount: 4))
    let comparison = try MethodComparison(of: set, baselines: ActivityBaselines.all)
    // The rules need this package's features, which these windows lack.
    #expect(comparison.scores.map(\.name) == ["additive hinges"])
    let windows = try ModelTrainer().train(on: set).report.unseenPeople.windows.overall
    let hinges = try #require(comparison.scores.first)
    #expect(hinges.all.windows == windows.windows && hinges.all.coverage == 1)
    #expect(hinges.all.accuracy == windows.balancedAccuracy)
    #expect(hinges.all.macroF1 == windows.balancedMacroF1)
    #expect(comparison.text.contains("additive hinges"))
  }

  @Test func rulesAreComparedOnThePackagesFeatures() throws {
    let comparison = try MethodComparison(
      of: set(WindowCollector().set), baselines: ActivityBaselines.all)
    #expect(comparison.scores.count == 4)
    for score in comparison.scores {
      #expect(score.all.windows == 300 && score.withSpeed?.windows == 150)
    }
    // Each class has its speed: the bands classify all windows with one, and give no answer for the
    // others.
    let bands = try #require(comparison.scores.last)
    #expect(bands.name == "bands of speed")
    #expect(bands.all.coverage == 0.5 && bands.withSpeed?.accuracy == 1)
  }
}
