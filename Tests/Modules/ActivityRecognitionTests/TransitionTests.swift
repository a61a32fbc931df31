import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

func power(_ base: Double, _ exponent: Double) -> Double { Foundation.pow(base, exponent) }

@Suite struct ActivityTransitionsTests {
  /// The lanes of standing.
  private let standingRoad = 6
  private let standingRail = 7
  private let chain = ActivityTransitions(classes: Activity.allCases, dwellSeconds: 120)

  private func certain(_ activity: Activity) -> SIMD8<Float> {
    var lanes = SIMD8<Float>.zero
    lanes[activity.rawValue] = 1
    return lanes
  }

  private func lane(_ state: ForwardOracle.State) -> Int {
    guard state.isStanding else { return state.activity.rawValue }
    return state.activity == .train ? standingRail : standingRoad
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

  /// A minute's stop is part of the ride, and a long rest isn't.
  @Test func aVehicleStandsForAWhile() {
    let model = ActivityModel(.random(seed: 6, features: 2))
    let rest = ActivityProbabilities { $0 == .stationary ? 0.9 : 0.02 }
    let ride = ActivityProbabilities { $0 == .train ? 0.9 : 0.02 }
    func evidence(
      _ window: ActivityProbabilities, _ count: Int
    ) -> [ActivityClassifier.Evidence] {
      Array(
        repeating: ActivityClassifier.Evidence(window: window, elapsedSeconds: 1, exponent: 0.39),
        count: count)
    }
    let filter = ActivitySmoother(model: model)
    var states = filter.states(behind: evidence(ride, 60) + evidence(rest, 60), after: nil)
    #expect(states?.activities.mostProbable == .train)
    states = filter.states(behind: evidence(rest, 600), after: states)
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
    #expect(later[standingRoad] == 0)
    #expect(activities.lanes.sum() == activities[.walking] + activities[.train])
  }
}

/// The temporal model in plain Double: the matrix exponential by its power series, sums by loops.
struct ForwardOracle {
  /// A class, or the part of it in which its vehicle moves or stands.
  struct State: Equatable {
    var activity: Activity
    var part = 1.0
    var isStanding = false
  }

  let classes: [Activity]
  let states: [State]
  /// The transition rates from row to column, 1/s.
  let generator: [[Double]]

  init(classes: [Activity], dwellSeconds: Double) {
    self.classes = classes
    let states = classes.flatMap { activity in
      switch activity {
      case .automotive, .train:
        [
          State(activity: activity, part: 0.8),
          State(activity: activity, part: 0.2, isStanding: true),
        ]
      default: [State(activity: activity)]
      }
    }
    func ease(_ a: Activity, _ b: Activity) -> Double {
      if a == b { return 0 }
      if a == .walking || b == .walking { return 1 }
      let isRest = a == .stationary || b == .stationary
      let isVehicle = [a, b].contains(.automotive) || [a, b].contains(.train)
      return isRest && !isVehicle ? 1 : 0.05
    }
    let total = classes.reduce(0) { sum, from in
      sum + classes.reduce(0) { $0 + ease(from, $1) }
    }
    let mean = total / Double(classes.count)
    generator = states.enumerated().map { own, from in
      var row = states.map { to in
        from.activity == to.activity
          ? (from == to ? 0 : from.isStanding ? 1.0 / 30 : 1.0 / 120)
          : ease(from.activity, to.activity) * to.part / (mean * dwellSeconds)
      }
      row[own] = -row.reduce(0, +)
      return row
    }
    self.states = states
  }

  /// The start of a stream: rest six times and walking four times as probable as any other class.
  var start: [Double] {
    normalised(
      states.map { state in
        state.part * (state.activity == .stationary ? 6 : state.activity == .walking ? 4 : 1)
      })
  }

  /// The probability of each class.
  func folded(_ values: [Double]) -> [Double] {
    classes.map { activity in
      zip(states, values).reduce(0) { $0 + ($1.0.activity == activity ? $1.1 : 0) }
    }
  }

  /// exp(generator · seconds) by scaling and squaring.
  func transition(_ seconds: Double) -> [[Double]] {
    let squarings = 20
    let step = generator.map { $0.map { $0 * seconds / Double(1 << squarings) } }
    var result = [[Double]].identity(states.count)
    var term = result
    for n in 1...8 {
      term = term.times(step).map { $0.map { $0 / Double(n) } }
      for row in states.indices {
        for column in states.indices { result[row][column] += term[row][column] }
      }
    }
    for _ in 0..<squarings { result = result.times(result) }
    return result
  }

  /// The prediction `seconds` ahead.
  func advanced(_ posterior: [Double], _ seconds: Double) -> [Double] {
    let matrix = transition(seconds)
    return states.indices.map { column in
      states.indices.reduce(0) { $0 + posterior[$1] * matrix[$1][column] }
    }
  }

  /// p(window | state)^exponent, up to a factor.
  func likelihood(_ evidence: ActivityClassifier.Evidence) -> [Double] {
    states.map { state in
      let window = Double(evidence.window[state.isStanding ? .stationary : state.activity])
      return power(
        max(1e-6, window) * (state.isStanding ? 0.95 : 1), Double(evidence.exponent))
    }
  }

  func normalised(_ values: [Double]) -> [Double] {
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }
}

@Suite struct ActivityProbabilitiesTests {
  private func sum(_ probabilities: ActivityProbabilities) -> Float {
    Activity.allCases.reduce(0) { $0 + probabilities[$1] }
  }

  @Test func weightsOfAnySizeAreNormalised() {
    var random = SplitMix64(seed: 1)
    for exponent in stride(from: -44.0, through: 38, by: 1) {
      let weights = Activity.allCases.map { _ in Float(random.nextUniform() * pow(10, exponent)) }
      let found = ActivityProbabilities { weights[$0.rawValue] }
      #expect(abs(sum(found) - 1) <= 1e-6)
      #expect(Activity.allCases.allSatisfy { found[$0] >= 0 && found[$0] <= 1 })
    }
  }

  @Test func normalisingKeepsRatios() {
    let found = ActivityProbabilities { Float($0.rawValue) * 1e37 }
    for activity in Activity.allCases {
      #expect(abs(found[activity] - Float(activity.rawValue) / 15) <= 1e-7)
    }
    #expect(found.mostProbable == .train)
  }

  @Test func invalidWeightsCountAsZero() {
    let bad: [Float] = [.nan, -.infinity, -1, .infinity, 0, 2]
    let found = ActivityProbabilities { bad[$0.rawValue] }
    #expect(found[.train] == 1)
    #expect(ActivityProbabilities { _ in .nan } == .uniform)
    #expect(ActivityProbabilities { _ in 0 } == .uniform)
    #expect(sum(.uniform) == 1)
  }

  @Test func ofEqualsTheFirstIsTheMostProbable() {
    #expect(ActivityProbabilities.uniform.mostProbable == .stationary)
    #expect(
      ActivityProbabilities { $0 == .running || $0 == .train ? 1 : 0 }.mostProbable == .running)
  }

  @Test func aPredictionSetHasTheFewestClassesOfItsCoverage() {
    let shares: [Activity: Float] = [.cycling: 0.5, .train: 0.25, .walking: 0.1875]
    let found = ActivityProbabilities { shares[$0] ?? 0.0625 / 3 }
    #expect(found.predictionSet(coverage: 0.5) == [.cycling])
    #expect(found.predictionSet(coverage: 0.51) == [.cycling, .train])
    #expect(found.predictionSet() == [.cycling, .train, .walking])
    #expect(found.predictionSet(coverage: 0).isEmpty)
    // Rounding mustn't ask for more than there is, and what is ruled out never helps.
    #expect(ActivityProbabilities.uniform.predictionSet(coverage: 1).count == 6)
    #expect(ActivityProbabilities { $0 == .train ? 1 : 0 }.predictionSet(coverage: 2) == [.train])
  }

  @Test func probabilitiesAreArchivedAndInvalidOnesAreRejected() throws {
    let found = ActivityProbabilities { Float($0.rawValue + 1) }
    #expect(try restored(ActivityProbabilities.uniform, from: found) == found)
    for lanes in [
      SIMD8(1, 1, 0, 0, 0, 0, 0, 0), SIMD8(-0.5, 1.5, 0, 0, 0, 0, 0, 0), .zero,
    ] as [SIMD8<Float>] {
      #expect(throws: DamagedArchive.self) {
        try restored(ActivityProbabilities.uniform, from: archived(lanes))
      }
    }
  }
}

@Suite struct DecisionHoldTests {
  private let settings = ActivityClassifier.Settings()

  private func posterior(walking: Float) -> ActivityProbabilities {
    ActivityProbabilities { activity in
      switch activity {
      case .walking: walking
      case .cycling: 1 - walking
      default: 0
      }
    }
  }

  @Test func aNewHoldIsExpiredUntilTheFirstConfidentAnswer() {
    var hold = DecisionHold()
    #expect(hold.isExpired(settings))
    #expect(hold.update(posterior(walking: 0.6), isConfident: false, settings) == .walking)
    #expect(hold.isExpired(settings), "doubt from the beginning")
    hold.update(posterior(walking: 0.6), isConfident: true, settings)
    #expect(!hold.isExpired(settings))
  }

  @Test func lowConfidenceExpiresTheHoldAfterTheHoldTime() {
    var hold = DecisionHold()
    hold.update(posterior(walking: 0.9), isConfident: true, settings)
    for second in 1...8 {
      hold.wait(seconds: 1)
      hold.update(posterior(walking: 0.6), isConfident: false, settings)
      #expect(hold.isExpired(settings) == (second >= 5), "second \(second)")
    }
    hold.wait(seconds: 1)
    hold.update(posterior(walking: 0.9), isConfident: true, settings)
    #expect(!hold.isExpired(settings))
  }

  /// A most probable class that was never a confident answer isn't held.
  @Test func anExpiredAnswerHasNoHysteresis() {
    var hold = DecisionHold()
    hold.update(posterior(walking: 0.7), isConfident: false, settings)
    #expect(hold.update(posterior(walking: 0.4), isConfident: false, settings) == .cycling)
    hold.update(posterior(walking: 0.7), isConfident: true, settings)
    #expect(hold.update(posterior(walking: 0.4), isConfident: true, settings) == .walking)
    #expect(hold.update(posterior(walking: 0.19), isConfident: true, settings) == .cycling)
  }

  @Test func withoutAHoldTimeLowConfidenceExpiresAtOnce() {
    var hasty = ActivityClassifier.Settings()
    hasty.holdSeconds = 0
    var hold = DecisionHold()
    hold.update(posterior(walking: 0.9), isConfident: true, hasty)
    #expect(!hold.isExpired(hasty))
    hold.wait(seconds: 0.5)
    hold.update(posterior(walking: 0.6), isConfident: false, hasty)
    #expect(hold.isExpired(hasty))
  }
}
