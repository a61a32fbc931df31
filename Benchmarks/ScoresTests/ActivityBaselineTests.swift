import BenchmarkScores
import LocomotionActivityRecognition
import Testing

struct ActivityBaselineTests {
  private func motion(
    deviation: Float = 1, horizontal: Float = 1, vertical: Float = 1, periodicity: Float = 0,
    period: Float = 0.5, speed: Float? = nil
  ) -> MotionSummary {
    MotionSummary(
      deviation: deviation, verticalLevel: vertical, horizontalLevel: horizontal,
      periodicity: periodicity, period: period, metresPerSecond: speed)
  }

  @Test func stepHertzIsZeroWithoutPeriodicity() {
    #expect(motion(periodicity: 0.8, period: 0.5).stepHertz == 2)
    #expect(motion(periodicity: 0.4, period: 0.5).stepHertz == 0)
    #expect(motion(periodicity: 0.8, period: 0).stepHertz == 0)
  }

  @Test func untrainedBaselinesGiveNoAnswerOrADefault() {
    #expect(HistogramBaseline().answer(to: motion()) == nil)
    #expect(SpeedBandBaseline().answer(to: motion(speed: 3)) == nil)
    #expect(ThresholdBaseline().answer(to: motion(deviation: 0.01)) == .stationary)
    #expect(ActivityBaselines.all.map(\.name).count == 3)
  }

  @Test func speedBandsAnswerTheLargestFractionWithEqualClassWeights() {
    // Ten walks at 1.4 m/s and one at 5; two rides at 5. Walks exceed rides in no band but their
    // own: 1/11 of the walks against all rides.
    var baseline = SpeedBandBaseline()
    let walks = (0..<11).map {
      LabelledMotion(motion(speed: $0 < 10 ? 1.4 : 5), activity: .walking)
    }
    let rides = (0..<2).map { _ in LabelledMotion(motion(speed: 5), activity: .cycling) }
    baseline.train(on: walks + rides)
    #expect(baseline.answer(to: motion(speed: 1.5)) == .walking)
    #expect(baseline.answer(to: motion(speed: 5.5)) == .cycling)
    #expect(baseline.answer(to: motion(speed: 25)) == nil)
    #expect(baseline.answer(to: motion()) == nil)
    #expect(baseline.answer(to: motion(speed: .nan)) == nil)
  }

  @Test func weightsDecideRatherThanCounts() {
    var baseline = SpeedBandBaseline()
    let heavy = LabelledMotion(motion(speed: 1.4), activity: .walking, weight: 5)
    let elsewhere = LabelledMotion(motion(speed: 5), activity: .walking, weight: 5)
    let light = (0..<3).map { index in
      LabelledMotion(motion(speed: index < 2 ? 1.4 : 9), activity: .running)
    }
    // At 1.4 m/s: half of the walks by weight, two thirds of the runs.
    baseline.train(on: [heavy, elsewhere] + light)
    #expect(baseline.answer(to: motion(speed: 1.4)) == .running)
  }

  @Test func thresholdsSeparateTheirGroups() {
    var baseline = ThresholdBaseline()
    let windows: [(Activity, Float, Float)] = [
      (.stationary, 0.02, 0.1), (.stationary, 0.1, 0.2), (.walking, 2, 0.8), (.walking, 4, 0.9),
      (.running, 8, 0.9), (.running, 12, 0.85), (.cycling, 2, 0.2), (.cycling, 3, 0.3),
      (.automotive, 0.5, 0.1), (.train, 0.3, 0.05),
    ]
    baseline.train(
      on: windows.map {
        LabelledMotion(motion(deviation: $0.1, periodicity: $0.2), activity: $0.0)
      })
    #expect(baseline.still > 0.1 && baseline.still < 0.3)
    #expect(baseline.rhythm > 0.3 && baseline.rhythm < 0.8)
    #expect(baseline.run == 6)
    #expect(baseline.ride == 1.25)
    for (activity, deviation, periodicity) in windows {
      let answer = baseline.answer(to: motion(deviation: deviation, periodicity: periodicity))
      #expect(answer == (activity == .train ? .automotive : activity))
    }
  }

  @Test func aThresholdWithoutItsClassesKeepsItsDefault() {
    var baseline = ThresholdBaseline()
    baseline.train(on: [LabelledMotion(motion(deviation: 20), activity: .running)])
    #expect(baseline.run == ThresholdBaseline().run)
    #expect(baseline.still == ThresholdBaseline().still)
  }

  @Test func histogramsMultiplyTheirFractions() {
    // One quantity differs: walkers step at 2 Hz three times of four, runners once of four.
    var baseline = HistogramBaseline()
    func window(_ hertz: Float, _ activity: Activity) -> LabelledMotion {
      LabelledMotion(motion(periodicity: 0.9, period: 1 / hertz), activity: activity)
    }
    baseline.train(
      on: [2, 2, 2, 3].map { window($0, .walking) } + [2, 3, 3, 3].map { window($0, .running) })
    #expect(baseline.answer(to: window(2, .walking).motion) == .walking)
    #expect(baseline.answer(to: window(3, .walking).motion) == .running)
    // Values beyond the last bin's end are in the last bin.
    #expect(baseline.answer(to: window(9, .walking).motion) == .running)
  }

  @Test func aMissingSpeedIsSkippedInTheProduct() {
    var baseline = HistogramBaseline()
    let walks = ([1.2, 1.4] as [Float]).map {
      LabelledMotion(motion(speed: $0), activity: .walking)
    }
    let rides = ([5, 7] as [Float]).map {
      LabelledMotion(motion(deviation: 1, horizontal: 3, speed: $0), activity: .cycling)
    }
    baseline.train(on: walks + rides)
    #expect(baseline.answer(to: motion(horizontal: 3)) == .cycling)
    #expect(baseline.answer(to: motion(horizontal: 1)) == .walking)
  }
}
