import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

/// What answers by fixes alone: its training, where classes are easily told apart.
@Suite struct TrackTermTrainerTests {
  /// Steps of each class whose features lie about the class's own value.
  private static func set(datasets: Int, classes: [Activity] = Activity.allCases) -> TrainingSet {
    var random = SplitMix64(seed: 4)
    var set = TrackCollector.emptySet()
    for dataset in 0..<datasets {
      for activity in classes {
        for recorder in TrackCollector.Recorder.allCases {
          let origin = RecordingOrigin(
            dataset: "set \(dataset)", person: "a",
            recording: "\(activity.name), \(recorder.name)")
          for step in 0..<40 {
            let features = (0..<set.featureCount).map { feature in
              let centre = feature % Activity.allCases.count == activity.rawValue ? 2.0 : 0
              return Float(centre + random.nextNormal())
            }
            set.append(
              features, activity: activity, origin: origin,
              end: Timestamp(nanoseconds: Int64(15 * step) * 1_000_000_000))
          }
        }
      }
    }
    return set
  }

  @Test func classesThatDifferAreToldByDataSetsLeftOut() throws {
    let model = ActivityModel.default
    let (term, scores) = try #require(
      try TrackTermTrainer().train(on: Self.set(datasets: 3), for: model))
    #expect(model.with(track: term).parameters.defect == nil)
    #expect(scores.count == TrackCollector.Recorder.allCases.count)
    for score in scores {
      #expect(score.live.windows == 3 * 6 * 40)
      #expect(try #require(score.live.balancedAccuracy) > 0.95)
      #expect(try #require(score.smoothed.balancedAccuracy) > 0.95)
    }
  }

  @Test func oneDataSetOrAMissingClassGivesNoTerm() throws {
    let model = ActivityModel.default
    let single = Self.set(datasets: 1)
    #expect(try TrackTermTrainer().train(on: single, for: model)?.term == nil)
    let incomplete = Self.set(datasets: 2, classes: [.walking, .train])
    #expect(try TrackTermTrainer().train(on: incomplete, for: model)?.term == nil)
  }

  @Test func recordersKeepTheirPeriod() {
    let fixes = (0..<600).map {
      LocationFix(
        timestamp: Timestamp(nanoseconds: Int64($0) * 1_000_000_000), latitude: 0, longitude: 0,
        speed: 3)
    }
    for recorder in TrackCollector.Recorder.allCases {
      let kept = recorder.thinned(fixes)
      #expect(kept.count == 600 / max(1, Int(recorder.period)))
      #expect(kept.allSatisfy { ($0.speed != nil) == recorder.hasSpeeds })
    }
    #expect(Set(TrackCollector.Recorder.allCases.map(\.name)).count == 7)
  }
}
