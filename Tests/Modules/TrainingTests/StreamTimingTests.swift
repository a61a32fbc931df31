import LocomotionActivityRecognition
import LocomotionTraining
import Testing

struct StreamTimingTests {
  /// One letter per window: the truth above, the answer below; a dash is no answer.
  private func timing(_ truth: String, _ answers: String) -> StreamTiming {
    let classes: [Character: Activity] = [
      "s": .stationary, "w": .walking, "a": .automotive, "t": .train,
    ]
    var timing = StreamTiming()
    for (truth, answer) in zip(truth, answers) {
      timing.add(truth: classes[truth] ?? .running, answer: classes[answer], after: 2)
    }
    timing.end()
    return timing
  }

  @Test func perfectAnswersHaveNoFlipsAndNoDelay() {
    let perfect = timing("sswwaa", "sswwaa")
    #expect(perfect.flips == 0)
    #expect(perfect.switches == 2)
    #expect(perfect.delays == [0, 0])
    #expect(perfect.seconds == 12)
  }

  @Test func lateAnswersAreDelayedWithoutFlips() {
    let late = timing("ssssswwwww", "ssssssswww")
    #expect(late.flips == 0)
    #expect(late.delays == [4])
    #expect(late.delay(fraction: 0.5) == 4)
  }

  @Test func aBriefFalseAnswerIsTwoFlips() {
    #expect(timing("wwwwww", "wwswww").flips == 2)
    #expect(timing("wwwwww", "wwswww").flipsPerHour == 600)
  }

  @Test func anUndetectedActivityDelaysByItsLength() {
    #expect(timing("ssswwww", "sssssss").delays == [6])
    #expect(timing("ssswwwwss", "sssssssss").delays.sorted() == [0, 6])
  }

  @Test func noAnswerIsNeitherFlipNorChange() {
    #expect(timing("wwwwww", "ww--ww").flips == 0)
    #expect(timing("wwwwww", "ww-sww").flips == 2)
    #expect(timing("wwwwww", "--wwww").flips == 0)
    #expect(timing("sswwww", "ss--ww").delays == [4])
    #expect(timing("sswwww", "ss----").delays == [6])
  }

  @Test func roadAndRailAreOneActivity() {
    let ride = timing("wwaatt", "wwtaat")
    #expect(ride.switches == 1 && ride.flips == 0 && ride.delays == [0])
  }

  @Test func anEmptyTimingHasNoValues() {
    let nothing = StreamTiming()
    #expect(nothing.flipsPerHour == 0)
    #expect(nothing.delay(fraction: 0.5) == nil)
  }
}
