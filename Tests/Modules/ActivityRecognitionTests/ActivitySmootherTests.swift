import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ActivitySmootherTests {
  private let classes: [Activity] = [.stationary, .cycling, .automotive]

  private func randomEvidence(_ count: Int, seed: UInt64) -> [ActivityClassifier.Evidence] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let weights = Activity.allCases.map { _ in Float(random.nextUniform()) }
      return .init(
        window: ActivityProbabilities { weights[$0.rawValue] },
        elapsedSeconds: Float(20 * random.nextUniform()), exponent: Float(random.nextUniform()))
    }
  }

  /// All sequences of states, weighted by their probabilities.
  @Test func smoothedProbabilitiesEqualTheSumOverAllPaths() {
    let model = ActivityModel(.random(seed: 1, classes: classes, features: 2))
    let oracle = ForwardOracle(classes: classes, dwellSeconds: 120)
    let evidence = randomEvidence(6, seed: 2)
    let count = oracle.states.count
    var expected = [[Double]](repeating: oracle.states.map { _ in 0 }, count: 6)
    let transitions = evidence.map { oracle.transition(Double($0.elapsedSeconds)) }
    let first = oracle.advanced(oracle.start, Double(evidence[0].elapsedSeconds))
    for path in 0..<Int(power(Double(count), 6)) {
      var digits = path
      let states = (0..<6).map { _ in
        defer { digits /= count }
        return digits % count
      }
      var weight = 1.0
      for step in 0..<6 {
        weight *= step == 0 ? first[states[0]] : transitions[step][states[step - 1]][states[step]]
        weight *= oracle.likelihood(evidence[step])[states[step]]
      }
      for step in 0..<6 { expected[step][states[step]] += weight }
    }
    let found = ActivitySmoother(model: model).probabilities(of: evidence)
    #expect(found.count == 6)
    for step in 0..<6 {
      for (activity, value) in zip(classes, oracle.normalised(oracle.folded(expected[step]))) {
        #expect(abs(Double(found[step][activity]) - value) <= 5e-6)
      }
    }
  }

  @Test func smoothingFromAPosteriorEqualsSmoothingTheWholeStream() {
    let model = ActivityModel(.random(seed: 4, classes: classes, features: 2))
    let smoother = ActivitySmoother(model: model)
    let evidence = randomEvidence(10, seed: 5)
    let before = smoother.states(behind: Array(evidence[..<6]), after: nil)
    let whole = smoother.probabilities(of: evidence)
    let tail = smoother.probabilities(of: Array(evidence[6...]), after: before)
    for (a, b) in zip(whole[6...], tail) {
      for activity in classes { #expect(abs(a[activity] - b[activity]) <= 5e-6) }
    }
  }

  /// Fixed-lag smoothing equals smoothing of the evidence up to `lag` seconds later.
  @Test func fixedLagSmoothingUsesEvidenceUpToTheLagOnly() {
    let model = ActivityModel(.random(seed: 4, classes: classes, features: 2))
    let smoother = ActivitySmoother(model: model, settings: .settled)
    var evidence = randomEvidence(12, seed: 6)
    for index in evidence.indices { evidence[index].elapsedSeconds = 2.5 }
    let settled = smoother.probabilities(of: evidence, lag: 10)
    for index in evidence.indices {
      let known = smoother.probabilities(of: Array(evidence[...min(index + 4, 11)]))[index]
      for activity in classes { #expect(abs(settled[index][activity] - known[activity]) <= 5e-6) }
    }
    let whole = smoother.probabilities(of: evidence)
    let late = smoother.probabilities(of: evidence, lag: 1000)
    #expect(
      zip(whole, late).allSatisfy { a, b in
        classes.allSatisfy { abs(a[$0] - b[$0]) <= 5e-6 }
      })
    #expect(settled[0] != whole[0])
  }

  /// With a delay each second has the answer of the window around it, but for the last ones.
  @Test func answersAreOfTheMiddleOfTheirWindow() {
    let model = ActivityModel(.random(seed: 7, classes: classes, features: 2))
    var evidence = randomEvidence(12, seed: 8)
    for index in evidence.indices { evidence[index].elapsedSeconds = 1 }
    // A pause, over which nothing is brought forward, and then steps between fixes.
    evidence[5].elapsedSeconds = 30
    for index in 9..<12 { evidence[index].isFromFixes = true }
    let plain = ActivitySmoother(model: model, settings: .init(delaySeconds: 0))
    let delayed = ActivitySmoother(model: model, settings: .init(delaySeconds: 2))
    let expected = plain.probabilities(of: evidence)
    let found = delayed.probabilities(of: evidence)
    let sources = [2, 3, 4, 4, 4, 7, 8, 9, 10, 9, 10, 11]
    for (index, source) in sources.enumerated()
    where evidence[index].isFromFixes == evidence[source].isFromFixes {
      #expect(found[index] == expected[source], "\(index)")
    }
    let lagged = delayed.probabilities(of: evidence, lag: 100)
    for (one, other) in zip(lagged, found) {
      for activity in classes { #expect(abs(one[activity] - other[activity]) <= 1e-5) }
    }
  }

  @Test func settingsScaleTheDwellTimeAndTheEvidence() {
    let model = ActivityModel(.random(seed: 7, classes: classes, features: 2))
    var parameters = model.parameters
    parameters.dwellSeconds *= 2.5
    let slow = ActivityModel(parameters)
    let evidence = randomEvidence(8, seed: 8)
    let weak = evidence.map {
      ActivityClassifier.Evidence(
        window: $0.window, elapsedSeconds: $0.elapsedSeconds, exponent: $0.exponent * 0.5)
    }
    let settings = ActivitySmoother.Settings(dwellFactor: 2.5, evidenceFactor: 0.5)
    #expect(
      ActivitySmoother(model: model, settings: settings).probabilities(of: evidence)
        == ActivitySmoother(model: slow).probabilities(of: weak))
  }

  @Test func emptyInputGivesEmptyOutputAndNoEvidenceTheStart() {
    let model = ActivityModel(.random(seed: 9, classes: classes, features: 2))
    let smoother = ActivitySmoother(model: model)
    #expect(smoother.probabilities(of: []).isEmpty)
    let silent = (0..<3).map { _ in
      ActivityClassifier.Evidence(window: .uniform, elapsedSeconds: .nan, exponent: .nan)
    }
    for probabilities in smoother.probabilities(of: silent) {
      for (activity, start) in zip(classes, [0.75, 0.125, 0.125] as [Float]) {
        #expect(abs(probabilities[activity] - start) <= 1e-6)
      }
      #expect(probabilities[.walking] == 0)
    }
  }
}
