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

  /// 2·10⁻⁶: a few dozen products and sums of probabilities in Float32.
  @Test func transitionsEqualTheMatrixExponential() {
    for classes in [Activity.allCases, [.cycling, .automotive], [.train, .walking, .running]] {
      let chain = ActivityTransitions(classes: classes, dwellSeconds: 90)
      let oracle = ForwardOracle(classes: classes, dwellSeconds: 90)
      for seconds in [0.01, 0.64, 2.56, 30, 600, 5000] {
        for (row, from) in classes.enumerated() {
          let found = chain.advance(certain(from), by: Float(seconds))
          let expected = oracle.transition(seconds)[row]
          for (to, value) in zip(classes, expected) {
            #expect(abs(Double(found[to.rawValue]) - value) <= 2e-6)
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
    let left = Activity.allCases.map { 1 - chain.advance(certain($0), by: 1.2)[$0.rawValue] }
    #expect(abs(left.reduce(0, +) / 6 - 0.01) < 1e-4)
    // The leaving rates are 5 for pauses, and 2 + 3/5 for the others.
    #expect(abs(left[0] / left[5] - 5 / 2.6) < 0.02)
  }

  @Test func changesBetweenRidesPassThroughStandingOrWalking() {
    let later = chain.advance(certain(.cycling), by: 5)
    for vehicle in [Activity.automotive, .train, .running] {
      #expect(later[vehicle.rawValue] * 4.5 < later[Activity.walking.rawValue])
      #expect(later[vehicle.rawValue] * 4.5 < later[Activity.stationary.rawValue])
    }
  }

  @Test func withoutEvidenceThePosteriorRelaxesToThePrior() {
    for seconds in [1e4, 1e9, .infinity] as [Float] {
      let later = chain.advance(certain(.running), by: seconds)
      for activity in Activity.allCases {
        #expect(abs(later[activity.rawValue] - 1 / 6) <= 1e-5)
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
    #expect(abs(later[Activity.train.rawValue] - 0.5) <= 1e-5)
    #expect(later[Activity.running.rawValue] == 0)
    #expect(later.sum() == later[Activity.walking.rawValue] + later[Activity.train.rawValue])
  }
}
