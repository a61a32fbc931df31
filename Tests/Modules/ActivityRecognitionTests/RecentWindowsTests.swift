import LocomotionActivityRecognition
import TestSupport
import Testing

struct RecentWindowsTests {
  private func certain(_ activity: Activity) -> ActivityProbabilities {
    ActivityProbabilities { $0 == activity ? 1 : 0 }
  }

  @Test func theHazardRatioGrowsWithTheHellingerDistance() {
    let (walk, ride) = (certain(.walking), certain(.cycling))
    #expect(abs(RecentWindows.hazardRatio(from: walk, to: walk) - 0.367879) <= 1e-5)
    #expect(abs(RecentWindows.hazardRatio(from: walk, to: ride) - 54.598) <= 1e-3)
    let doubt = ActivityProbabilities { $0 == .walking || $0 == .cycling ? 0.5 : 0 }
    // H² = 1 − √½, exp(−1 + 5 H²).
    #expect(abs(RecentWindows.hazardRatio(from: walk, to: doubt) - 1.59126) <= 1e-4)
    #expect(
      RecentWindows.hazardRatio(from: doubt, to: walk)
        == RecentWindows.hazardRatio(from: walk, to: doubt))
  }

  /// Each window is compared with the newest that shares no sample with it.
  @Test(arguments: [(Float(1), 4), (0.5, 9), (2.56, 2), (4, 1)])
  func windowsThatOverlapAreNotCompared(hop: Float, first: Int) {
    let model = ActivityModel(.random(seed: 6, features: FeatureExtractor.schema.count))
    var classifier = ActivityClassifier(model: model)
    let walk = WindowLikelihood.likelihood(certain(.walking), hasRotation: false, seconds: 3.84)
    let ride = WindowLikelihood.likelihood(certain(.cycling), hasRotation: false, seconds: 3.84)
    for index in 0..<20 {
      _ = classifier.update(with: walk, hopSeconds: hop)
      let ratio = classifier.lastEvidence?.hazardRatio ?? 0
      if index >= first + 1 { #expect(abs(ratio - 0.367879) <= 1e-5, "\(index)") }
      if index * Int(hop * 100) < 384 { #expect(ratio == 1, "\(index)") }
    }
    _ = classifier.update(with: ride, hopSeconds: hop)
    #expect(abs((classifier.lastEvidence?.hazardRatio ?? 0) - 54.598) <= 1e-3)
    // A window of long ago says nothing.
    classifier.coast(seconds: 20)
    _ = classifier.update(with: walk, hopSeconds: hop)
    #expect(classifier.lastEvidence?.hazardRatio == 1)
  }

  /// The same evidence of another activity is believed sooner where the signal changed.
  @Test func aChangeOfTheSignalIsFollowedSooner() {
    let model = ActivityModel(.random(seed: 6, features: 2))
    let walk = ActivityProbabilities { $0 == .walking ? 0.8 : 0.04 }
    let ride = ActivityProbabilities { $0 == .cycling ? 0.8 : 0.04 }
    func share(_ ratio: Float) -> Float {
      let filter = ActivitySmoother(model: model)
      var states: ActivityStates?
      for index in 0..<32 {
        let evidence = ActivityClassifier.Evidence(
          window: index < 30 ? walk : ride, elapsedSeconds: 1, exponent: 0.4,
          hazardRatio: index < 30 ? 1 : ratio)
        states = filter.filter(evidence, after: states)
      }
      return states?.activities[.cycling] ?? 0
    }
    #expect(share(20) > 3 * share(1))
    #expect(share(0.37) < share(1))
  }
}
