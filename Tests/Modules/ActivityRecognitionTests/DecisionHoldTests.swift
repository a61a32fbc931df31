import LocomotionActivityRecognition
import Testing

@Suite struct DecisionHoldTests {
  private let settings = ActivityClassifier.Settings(changeRatio: 4, holdSeconds: 5)

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
    let hasty = ActivityClassifier.Settings(holdSeconds: 0)
    var hold = DecisionHold()
    hold.update(posterior(walking: 0.9), isConfident: true, hasty)
    #expect(!hold.isExpired(hasty))
    hold.wait(seconds: 0.5)
    hold.update(posterior(walking: 0.6), isConfident: false, hasty)
    #expect(hold.isExpired(hasty))
  }
}
