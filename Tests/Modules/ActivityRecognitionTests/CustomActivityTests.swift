import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct CustomActivityTests {
  private let activities = customActivities(
    ("scooter", .cycling), ("e-bike", .cycling), ("bus", .automotive), ("skiing", nil))

  private func model(
    seed: UInt64 = 1, _ activities: [CustomActivity]? = nil
  ) -> ActivityModel {
    var parameters = ActivityModel.Parameters.random(seed: seed)
    parameters.custom = .random(seed: seed + 2, activities: activities ?? self.activities)
    return ActivityModel(parameters)
  }

  @Test func namesAreShortPlainAndNotTaken() {
    for name in ["scooter", "e-bike", "bus_2", "a", String(repeating: "a", count: 32)] {
      #expect(CustomActivity.isValid(name: name), "\(name)")
    }
    for name in [
      "", "2wheels", "Scooter", "roller skates", "walking", "unknown", "none", "größe", "a,b",
      "a\n", "-a", String(repeating: "a", count: 33),
    ] {
      #expect(!CustomActivity.isValid(name: name), "\(name)")
      #expect(CustomActivity(name: name, behavesLike: nil) == nil)
    }
  }

  @Test func damagedNamesAndParentsAreRefused() throws {
    let file = model(customActivities(("scooter", .cycling))).file
    let letters = "scooter".utf8.flatMap { letter -> [UInt8] in [letter, 0, 0, 0, 0, 0, 0, 0] }
    let found = try #require(Data(file).range(of: Data(letters)))
    func refusal(_ offset: Int, _ byte: UInt8) -> ModelFileError? {
      ModelFileError(reading: sealed(file[..<offset] + [byte] + file[(offset + 1)...]))
    }
    // A letter, what is none, the length, and whether there is a parent and which.
    let places: [(Int, UInt8)] = [
      (0, 0x53), (0, 0xFF), (1, 1), (-8, 33), (-16, 9), (-16, 0), (letters.count, 2),
      (letters.count, 0), (letters.count + 1, 6),
    ]
    for (place, byte) in places {
      #expect(refusal(found.lowerBound + place, byte) == .damaged, "\(byte) at \(place)")
    }
    #expect(refusal(found.lowerBound + letters.count + 1, 0) == nil, "it is like another one")
  }

  @Test func scoresAreThoseOfTheFormula() throws {
    let model = model()
    let term = try #require(model.parameters.custom)
    let numbers = ActivityModel.Parameters(
      classes: [.stationary, .walking, .running, .cycling], function: term.function)
    var random = SplitMix64(seed: 3)
    for _ in 0..<100 {
      let features = randomFeatures(&random, count: model.featureCount)
      let found = model.customScores(of: features.slice.span)
      let scores = try #require(found)
      for (lane, activity) in numbers.classes.enumerated() {
        let expected = try #require(expandedScore(numbers, features, activity))
        #expect(
          abs(Double(scores[lane]) - expected.score) <= 1e-5 * max(1, expected.magnitude))
      }
      let (with, without) = (model.scores(of: features.slice.span), model.with { $0.custom = nil })
      let plain = without.scores(of: features.slice.span)
      #expect(plain == with)
      let none = without.customScores(of: features.slice.span)
      #expect(none == nil)
    }
  }

  /// One window: what it says of the six, and of the custom activities.
  private struct Window {
    var activities: ActivityProbabilities
    var scores: SIMD8<Float>
  }

  private func windows(_ count: Int, seed: UInt64) -> [Window] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      var scores = SIMD8<Float>(repeating: -.infinity)
      for lane in activities.indices { scores[lane] = Float(2 * random.nextNormal()) }
      let strength = Float(random.nextUniform())
      return Window(
        activities: ActivityProbabilities { $0 == .cycling ? 0.5 + strength : 0.1 },
        scores: scores)
    }
  }

  /// The live decisions, and the factor by which each window weighs each custom activity.
  private func live(
    _ classifier: inout ActivityClassifier, _ windows: [Window]
  ) -> (decisions: [ActivityDecision], factors: [[Double]]) {
    var decisions: [ActivityDecision] = []
    var factors: [[Double]] = []
    for window in windows {
      decisions.append(
        classifier.update(
          with: .likelihood(
            window.activities, hasRotation: false, seconds: 5.12, custom: window.scores),
          hopSeconds: 1))
      let exponent = Double(classifier.lastEvidence?.exponent ?? 0)
      let posterior = classifier.state.posterior
      factors.append(
        activities.indices.map { lane in
          let share = activities[lane].behavesLike.map { Double(posterior[$0]) } ?? 1
          return exp(exponent * share * Double(window.scores[lane]))
        })
    }
    return (decisions, factors)
  }

  /// The lanes of one model with the ordinary kind first, their factors, and the prior.
  private func chain(
    of activity: Activity?, _ factors: [[Double]]
  ) -> (lanes: [Int], factors: [[Double]], prior: [Double]) {
    let lanes = activities.indices.filter { activities[$0].behavesLike == activity }
    let ordinary = activity == nil ? 6.0 : 1.0
    let total = ordinary + Double(lanes.count)
    return (
      lanes, factors.map { row in [1] + lanes.map { row[$0] } },
      [ordinary / total] + lanes.map { _ in 1 / total }
    )
  }

  @Test(arguments: [Activity.cycling, .automotive, nil])
  func filteredAndSmoothedProbabilitiesAreThoseOfAllPaths(activity: Activity?) throws {
    let model = model()
    var classifier = ActivityClassifier(model: model)
    let (decisions, factors) = live(&classifier, windows(6, seed: 8))
    let (lanes, weights, prior) = chain(of: activity, factors)
    let stays = exp(-1 / Double(model.parameters.dwellSeconds))
    func transition(_ from: Int, _ to: Int) -> Double {
      (from == to ? stays : 0) + (1 - stays) * prior[to]
    }
    /// The probability of each state at `time` given the windows up to `last`, by enumeration.
    func marginal(_ time: Int, upTo last: Int) -> [Double] {
      var sums = [Double](repeating: 0, count: prior.count)
      func walk(_ step: Int, _ state: Int, _ weight: Double, _ marked: Int) {
        guard step <= last else {
          sums[marked] += weight
          return
        }
        for next in prior.indices {
          let change = step == 0 ? prior[next] : transition(state, next)
          walk(
            step + 1, next, weight * change * weights[step][next], step == time ? next : marked)
        }
      }
      walk(0, 0, 1, 0)
      let total = sums.reduce(0, +)
      return sums.map { $0 / total }
    }
    for (time, decision) in decisions.enumerated() {
      let expected = marginal(time, upTo: time)
      let found = try #require(decision.customProbabilities)
      for (state, lane) in lanes.enumerated() {
        #expect(abs(Double(found[lane]) - expected[state + 1]) <= 1e-5, "live \(time)")
      }
    }
    let smoother = ActivitySmoother(model: model)
    let seconds = [Float](repeating: 1, count: decisions.count)
    for lag in [nil, 0, 2, 100] as [Float?] {
      let smoothed = smoother.namingCustomActivities(
        in: decisions, live: decisions, elapsedSeconds: seconds, lag: lag)
      for (time, decision) in smoothed.enumerated() {
        let last = min(decisions.count - 1, lag.map { time + Int($0) } ?? decisions.count)
        let expected = marginal(time, upTo: last)
        let found = try #require(decision.customProbabilities)
        for (state, lane) in lanes.enumerated() {
          #expect(
            abs(Double(found[lane]) - expected[state + 1]) <= 1e-4, "\(time), lag \(lag ?? -1)")
        }
      }
    }
  }

  @Test func lastingEvidenceIsAnsweredAndTheSixKeepTheirAnswer() {
    let cycling = ActivityProbabilities { $0 == .cycling ? 1 : 0.001 }
    func answers(_ scores: SIMD8<Float>) -> [ActivityDecision] {
      var classifier = ActivityClassifier(model: model())
      return (0..<20).map { _ in
        classifier.update(
          with: .likelihood(cycling, hasRotation: false, seconds: 5.12, custom: scores),
          hopSeconds: 1)
      }
    }
    let scooter = answers([4, 0, 0, -9, 0, 0, 0, 0])
    #expect(scooter.last?.activity == .cycling)
    #expect(scooter.last?.customActivity?.name == "scooter")
    let ordinary = answers([-4, -4, 9, -9, 0, 0, 0, 0])
    #expect(ordinary.last?.activity == .cycling)
    #expect(ordinary.last?.customActivity == nil, "a bus isn't a kind of cycling")
    let skiing = answers([4, 0, 0, 9, 0, 0, 0, 0])
    #expect(skiing.last?.activity == nil)
    #expect(skiing.last?.unknownReason == .customActivity)
    #expect(skiing.last?.customActivity?.name == "skiing")
    #expect(zip(scooter, ordinary).allSatisfy { $0.probabilities == $1.probabilities })
  }

  @Test func nothingIsAnsweredWithoutAWindowAndPausesForget() throws {
    var classifier = ActivityClassifier(model: model())
    var decision = classifier.update(
      with: .unusable(.notEnoughData), hopSeconds: 1)
    #expect(decision.customActivity == nil)
    let cycling = ActivityProbabilities { $0 == .cycling ? 1 : 0.001 }
    for _ in 0..<20 {
      decision = classifier.update(
        with: .likelihood(
          cycling, hasRotation: false, seconds: 5.12, custom: [6, 0, 0, -9, 0, 0, 0, 0]),
        hopSeconds: 1)
    }
    #expect(decision.customActivity?.name == "scooter")
    let before = try #require(decision.customProbabilities)[0]
    classifier.coast(seconds: 86_400)
    let after = try #require(classifier.state.custom)
    #expect(before > 0.9)
    #expect(abs(after[0] - 1 / 3) <= 1e-4)
    classifier.coast(seconds: .nan)
    decision = classifier.update(
      with: .likelihood(.uniform, hasRotation: false, seconds: 3.84), hopSeconds: .infinity)
    #expect(try #require(decision.customProbabilities).lanes.sum().isFinite)
  }
}
