import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

func power(_ base: Double, _ exponent: Double) -> Double { Foundation.pow(base, exponent) }

@Suite struct ActivityTransitionsTests {
  private let chain = ActivityTransitions(classes: Activity.allCases, dwellSeconds: 120)

  private func certain(_ activity: Activity) -> SIMD8<Float> {
    var lanes = SIMD8<Float>.zero
    lanes[activity.rawValue] = 1
    return lanes
  }

  private func lane(_ state: ForwardOracle.State) -> Int {
    guard state.isStanding else { return state.activity.rawValue }
    return state.activity == .train ? ActivityStates.standingRail : ActivityStates.standingRoad
  }

  /// 2·10⁻⁶: a few dozen products and sums of probabilities in Float32.
  @Test func transitionsEqualTheMatrixExponential() {
    for classes in [Activity.allCases, [.cycling, .automotive], [.train, .walking, .running]] {
      let chain = ActivityTransitions(classes: classes, dwellSeconds: 90)
      let oracle = ForwardOracle(classes: classes, dwellSeconds: 90)
      for seconds in [0.01, 0.64, 2.56, 30, 600, 5000] {
        for (row, from) in oracle.states.enumerated() {
          var start = SIMD8<Float>.zero
          start[lane(from)] = 1
          let found = chain.advance(start, by: Float(seconds))
          let expected = oracle.transition(seconds)[row]
          for (to, value) in zip(oracle.states, expected) {
            #expect(abs(Double(found[lane(to)]) - value) <= 2e-6)
          }
        }
      }
    }
  }

  @Test func manyShortStepsEqualOneLongStep() {
    for from in Activity.allCases {
      var posterior = certain(from)
      for _ in 0..<100 { posterior = chain.advance(posterior, by: 0.6) }
      let once = chain.advance(certain(from), by: 60)
      // A hundred steps have a hundred roundings.
      for activity in Activity.allCases {
        #expect(abs(posterior[activity.rawValue] - once[activity.rawValue]) <= 1e-5)
      }
    }
  }

  @Test func classesAreKeptForTheDwellTimeOnAverage() {
    // Over a time much shorter than the dwell, 1 − p(stay) is t / dwell.
    let left = Activity.allCases.map {
      1 - ActivityStates(lanes: chain.advance(certain($0), by: 1.2)).activities[$0]
    }
    let mean = left.reduce(0, +) / 6
    #expect(abs(mean - 0.01) < 1e-4)
    // The leaving rates are 5 for walking, and 1 + 4/20 for vehicles.
    let ratio = left[1] / left[5]
    #expect(abs(ratio - 5 / 1.2) < 0.05)
  }

  @Test func changesBetweenRidesPassThroughWalking() {
    for ride in [Activity.cycling, .automotive, .train] {
      let later = ActivityStates(lanes: chain.advance(certain(ride), by: 5)).activities
      for other in [Activity.cycling, .automotive, .train, .running] where other != ride {
        #expect(later[other] * 12 < later[.walking])
      }
      if ride != .cycling { #expect(later[.stationary] * 12 < later[.walking]) }
    }
  }

  /// A minute's stop is part of the ride, and a long rest isn't.
  @Test func aVehicleStandsForAWhile() {
    let model = ActivityModel(.random(seed: 6, features: 2))
    let rest = ActivityProbabilities { $0 == .stationary ? 0.9 : 0.02 }
    let ride = ActivityProbabilities { $0 == .train ? 0.9 : 0.02 }
    func evidence(_ window: ActivityProbabilities) -> ActivityClassifier.Evidence {
      ActivityClassifier.Evidence(window: window, elapsedSeconds: 1, exponent: 0.39)
    }
    let filter = ActivitySmoother(model: model)
    var states: ActivityStates?
    for _ in 0..<60 { states = filter.filter(evidence(ride), after: states) }
    for _ in 0..<60 { states = filter.filter(evidence(rest), after: states) }
    #expect(states?.activities.mostProbable == .train)
    for _ in 0..<600 { states = filter.filter(evidence(rest), after: states) }
    #expect(states?.activities.mostProbable == .stationary)
  }

  @Test func withoutEvidenceThePosteriorRelaxesToThePrior() {
    for seconds in [1e4, 1e9, .infinity] as [Float] {
      let later = chain.advance(certain(.running), by: seconds)
      for activity in Activity.allCases {
        #expect(abs(ActivityStates(lanes: later).activities[activity] - 1 / 6) <= 1e-5)
      }
    }
  }

  @Test func invalidTimesKeepThePosterior() {
    for seconds in [0, -5, -.infinity, .nan] as [Float] {
      #expect(chain.advance(certain(.walking), by: seconds) == certain(.walking))
    }
  }

  @Test func classesOutsideTheModelKeepZeroProbability() {
    let chain = ActivityTransitions(classes: [.walking, .train], dwellSeconds: 10)
    let later = chain.advance(certain(.walking), by: 100)
    let activities = ActivityStates(lanes: later).activities
    #expect(abs(activities[.train] - 0.5) <= 1e-5)
    #expect(later[ActivityStates.standingRoad] == 0)
    #expect(activities.lanes.sum() == activities[.walking] + activities[.train])
  }
}
