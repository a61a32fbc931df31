import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct SpeedEvidenceTests {
  private let window = SyntheticWindow.golden[1].samples(seed: 1)

  private func weighed(_ speed: Float, _ deviation: Float? = 0) -> ActivityProbabilities {
    ActivityProbabilities.uniform.weighed(
      by: SpeedEvidence(metresPerSecond: speed, deviation: deviation))
  }

  @Test func eachClassHasASpeedOfHighestLikelihood() {
    #expect(weighed(1.3).mostProbable == .walking)
    #expect(weighed(3).mostProbable == .running)
    #expect(weighed(5).mostProbable == .cycling)
    #expect(weighed(16).mergingRail.mostProbable == .automotive)
    #expect(weighed(40).mostProbable == .train)
  }

  /// The column of the table that covers 0.7 to 1.2 m/s.
  @Test func likelihoodsEqualTheFractionsOfTheRange() {
    let fractions: [Float] = [15, 290, 15, 35, 20, 20]
    let likelihoods = fractions.map { $0 * $0.squareRoot() }
    let total = likelihoods.reduce(0, +)
    for (activity, likelihood) in zip(Activity.allCases, likelihoods) {
      #expect(abs(weighed(0.7)[activity] - likelihood / total) <= 2e-6)
      #expect(abs(weighed(1.19)[activity] - likelihood / total) <= 2e-6)
    }
  }

  @Test func zeroSpeedHasAUniformLikelihood() {
    #expect(weighed(0) == .uniform)
    #expect(weighed(0.29) == .uniform)
    #expect(weighed(0.31) != .uniform)
  }

  @Test func anUncertainSpeedHasAWeakerLikelihood() {
    let sure = weighed(1.5)[.walking]
    let uncertain = weighed(1.5, 3)[.walking]
    #expect(sure > uncertain && uncertain > 1 / 6)
    #expect(abs(weighed(1.5, .infinity)[.walking] - 1 / 6) <= 1e-6)
    #expect(weighed(1.5, nil) == weighed(1.5, 1))
    #expect(weighed(1.5, -.infinity) == weighed(1.5, 1))
  }

  @Test(arguments: [Float.nan, .infinity, -1, -.infinity])
  func anInvalidSpeedHasAUniformLikelihood(speed: Float) {
    #expect(weighed(speed) == .uniform)
    #expect(weighed(1.5, .nan)[.walking].isFinite)
  }

  @Test func noClassIsRuledOut() {
    for speed in stride(from: Float(0), to: 60, by: 0.1) {
      let probabilities = weighed(speed)
      for activity in Activity.allCases {
        #expect(probabilities[activity] > probabilities[probabilities.mostProbable] / 500)
      }
    }
  }

  @Test func theClassifierCombinesSpeedAndWindow() throws {
    let model = ActivityModel(.random(seed: 3, weight: 0.01))
    var with = ActivityClassifier(model: model)
    var without = with
    let speed = SpeedEvidence(metresPerSecond: 17, deviation: 0.5)
    for _ in 0..<5 {
      _ = with.update(window: window.slice.span, hopSeconds: 1, speed: speed)
      _ = without.update(window: window.slice.span, hopSeconds: 1)
    }
    let combined = with.probabilities.mergingRail[.automotive]
    #expect(combined > without.probabilities.mergingRail[.automotive] + 0.1)
    let alone = try #require(without.lastEvidence)
    #expect(with.lastEvidence?.window == alone.window.weighed(by: speed))
  }

  @Test func mergingRailAddsTrainToAutomotive() {
    let probabilities = ActivityProbabilities { activity in
      activity == .train ? 3 : activity == .automotive ? 2 : activity == .walking ? 4 : 0
    }
    let merged = probabilities.mergingRail
    #expect(probabilities.mostProbable == .walking && merged.mostProbable == .automotive)
    #expect(abs(merged[.automotive] - 5.0 / 9) <= 1e-6)
    #expect(merged[.train] == 0)
  }

  @Test func theVehicleIsDecidedBeforeItsKind() {
    func posterior(_ stationary: Float, _ road: Float, _ rail: Float) -> ActivityProbabilities {
      ActivityProbabilities { activity in
        switch activity {
        case .stationary: stationary
        case .automotive: road
        case .train: rail
        default: 0
        }
      }
    }
    #expect(posterior(0.4, 0.25, 0.35).answer == .train)
    #expect(posterior(0.4, 0.35, 0.25).answer == .automotive)
    #expect(posterior(0.6, 0.1, 0.3).answer == .stationary)
    #expect(abs(posterior(0.4, 0.25, 0.35).confidence - 0.6) <= 1e-6)
    // Each level has its own hysteresis.
    #expect(posterior(0, 0.3, 0.7).answer(after: .automotive, changeRatio: 4) == .automotive)
    #expect(posterior(0, 0.1, 0.9).answer(after: .automotive, changeRatio: 4) == .train)
    #expect(posterior(0.7, 0.1, 0.2).answer(after: .automotive, changeRatio: 4) == .automotive)
    #expect(posterior(0.4, 0.1, 0.5).answer(after: .stationary, changeRatio: 4) == .stationary)
  }

  @Test func theAnswerIsHeldUntilAnotherExceedsTheChangeRatio() {
    func posterior(_ walking: Float, _ running: Float) -> ActivityProbabilities {
      ActivityProbabilities { $0 == .walking ? walking : $0 == .running ? running : 0 }
    }
    #expect(posterior(0.4, 0.6).answer(after: nil, changeRatio: 4) == .running)
    #expect(posterior(0.25, 0.75).answer(after: .walking, changeRatio: 4) == .walking)
    #expect(posterior(0.15, 0.85).answer(after: .walking, changeRatio: 4) == .running)
    #expect(posterior(0.4, 0.6).answer(after: .walking, changeRatio: 1) == .running)
  }
}

@Suite struct SteppingObservationTests {
  private func weighed(_ rate: Float?, _ probability: Float = 0.99) -> ActivityProbabilities {
    ActivityProbabilities.uniform.weighed(
      by: SteppingObservation(stepsPerMinute: rate, probability: probability))
  }

  @Test func stepsFavourWalkingAndRunningByTheirRate() {
    for rate in [45, 69, 71, 100, 134] as [Float] {
      #expect(weighed(rate).mostProbable == .walking)
    }
    for rate in [136, 160, 200] as [Float] {
      #expect(weighed(rate).mostProbable == .running)
    }
  }

  @Test func noStepsFavourRestAndRidesALittle() {
    let found = weighed(nil, 0.01)
    #expect(found[.walking] < found[.cycling] && found[.running] < found[.walking])
    #expect(found[.stationary] / found[.walking] < 1.5)
  }

  @Test func doubtfulStepsSayLittle() {
    let found = weighed(100, 0.6)
    for activity in Activity.allCases { #expect(abs(found[activity] - 1 / 6) < 0.13) }
  }

  /// The strongest observation rules nothing out.
  @Test func noClassIsRuledOut() {
    for rate in [nil, 50, 100, 160] as [Float?] {
      for probability in [0, 0.5, 1, .nan, -3, 40] as [Float] {
        let found = weighed(rate, probability)
        #expect(Activity.allCases.allSatisfy { found[$0] > 0.01 && found[$0] < 0.8 })
      }
    }
  }
}

/// The classes of what other systems state.
@Suite struct StatedActivityTests {
  @Test(
    arguments: [
      ("walking", Activity.walking), ("running", .running), ("cycling", .cycling),
      ("car", .automotive), ("bus", .automotive), ("train", .train), ("metro", .train),
      ("stationary", .stationary), ("airplane", nil), (nil, nil),
    ] as [(String?, Activity?)])
  func namesOfLabelsHaveClasses(name: String?, expected: Activity?) throws {
    let time = Timestamp(nanoseconds: 0)
    let stated = try #require(
      StatedInterval(.activity(name: name, distance: nil), from: time, to: time, source: "a"))
    #expect(stated.activity == expected)
  }

  @Test func aVisitIsRest() throws {
    let time = Timestamp(nanoseconds: 0)
    let place = StatedInterval.Kind.visit(latitude: 0, longitude: 0, radius: nil)
    let stated = try #require(StatedInterval(place, from: time, to: time, source: "a"))
    #expect(stated.activity == .stationary)
  }
}

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
}
