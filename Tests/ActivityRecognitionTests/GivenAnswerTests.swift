import LocomotionActivityRecognition
import Testing

@Suite struct GivenAnswerTests {
  private let settings = ActivityClassifier.Settings(changeRatio: 4, patienceSeconds: 5)

  private func belief(walking: Float) -> ActivityProbabilities {
    ActivityProbabilities { activity in
      switch activity {
      case .walking: walking
      case .cycling: 1 - walking
      default: 0
      }
    }
  }

  @Test func aNewAnswerIsSureOrWorn() {
    var given = GivenAnswer()
    #expect(given.isWorn(settings))
    #expect(given.update(belief(walking: 0.6), isSure: false, settings) == .walking)
    #expect(given.isWorn(settings), "doubt from the beginning")
    given.update(belief(walking: 0.6), isSure: true, settings)
    #expect(!given.isWorn(settings))
  }

  @Test func doubtWearsAnAnswerOutWithTime() {
    var given = GivenAnswer()
    given.update(belief(walking: 0.9), isSure: true, settings)
    for second in 1...8 {
      given.wait(seconds: 1)
      given.update(belief(walking: 0.6), isSure: false, settings)
      #expect(given.isWorn(settings) == (second >= 5), "second \(second)")
    }
    given.wait(seconds: 1)
    given.update(belief(walking: 0.9), isSure: true, settings)
    #expect(!given.isWorn(settings))
  }

  /// A class that was only thought of, never said, has nothing to defend.
  @Test func onlyAnAnswerThatWasGivenIsHeld() {
    var given = GivenAnswer()
    given.update(belief(walking: 0.7), isSure: false, settings)
    #expect(given.update(belief(walking: 0.4), isSure: false, settings) == .cycling)
    given.update(belief(walking: 0.7), isSure: true, settings)
    #expect(given.update(belief(walking: 0.4), isSure: true, settings) == .walking)
    #expect(given.update(belief(walking: 0.19), isSure: true, settings) == .cycling)
  }

  @Test func withoutPatienceDoubtWithholdsAtOnce() {
    let hasty = ActivityClassifier.Settings(patienceSeconds: 0)
    var given = GivenAnswer()
    given.update(belief(walking: 0.9), isSure: true, hasty)
    #expect(!given.isWorn(hasty))
    given.wait(seconds: 0.5)
    given.update(belief(walking: 0.6), isSure: false, hasty)
    #expect(given.isWorn(hasty))
  }
}
