import BenchmarkHarness
import LocomotionActivityRecognition
import LocomotionTraining
import TestSupport

/// Training on computed features, and the model on one window after the other.
enum TrainingBenchmarks {
  static func items() -> [Suite.Item] {
    [.entry(rows()), .entry(fit()), .entry(leavingPeopleOut())]
  }

  /// One row at a time, never the same twice in succession: caches and branch predictors see
  /// variety.
  private static func rows() -> Entry {
    Entry("Training/ActivityModel.probabilities by row", items: 4096, unit: "windows") {
      let set = PeerInputs.trainingSet(windows: 4096)
      let rows = (0..<set.count).map { Array(set.features(ofRow: $0)) }
      let model = ActivityModel.default
      return {
        var sum: Float = 0
        for row in rows { sum += model.probabilities(of: row.slice.span)[.walking] }
        blackHole(sum)
      }
    }
  }

  private static func fit() -> Entry {
    Entry(
      "Training/HingeRidgeTrainer.train", items: PeerInputs.windows, unit: "windows",
      isAllocationFree: false
    ) {
      let set = PeerInputs.trainingSet(windows: PeerInputs.windows)
      let trainer = HingeRidgeTrainer()
      return { blackHole((try? trainer.train(on: set))?.weights[0] ?? .nan) }
    }
  }

  /// The scores of 30 people, each by a model of the other 29.
  private static func leavingPeopleOut() -> Entry {
    Entry(
      "Training/CrossValidation of 30 people", items: PeerInputs.windows, unit: "windows",
      isAllocationFree: false
    ) {
      let set = PeerInputs.trainingSet(windows: PeerInputs.windows)
      return {
        let scores = try? HingeRidgeTrainer().heldOutScores(on: set, leavingOut: .subject)
        blackHole(scores == nil ? 0 : 1)
      }
    }
  }
}
