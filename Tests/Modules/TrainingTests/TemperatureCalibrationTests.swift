import LocomotionTraining
import TestSupport
import Testing

struct TemperatureCalibrationTests {
  /// Scores whose classes are drawn from softmax(scores / temperature).
  private func drawn(_ count: Int, temperature: Double) -> (scores: [Double], truths: [Int]) {
    var generator = SplitMix64(seed: 21)
    var scores: [Double] = []
    var truths: [Int] = []
    for _ in 0..<count {
      let own = (0..<3).map { _ in generator.nextNormal() }
      let probabilities = TemperatureCalibration.probabilities(
        scores: own, temperature: temperature)
      let draw = generator.nextUniform()
      let upToSecond = probabilities[0] + probabilities[1]
      truths.append(draw < probabilities[0] ? 0 : draw < upToSecond ? 1 : 2)
      scores += own
    }
    return (scores, truths)
  }

  private func fitted(_ scores: [Double], _ truths: [Int], weights: [Double]? = nil) -> Double {
    TemperatureCalibration.temperature(
      scores: scores, classCount: scores.count / truths.count, truths: truths,
      weights: weights ?? [Double](repeating: 1, count: truths.count))
  }

  @Test(arguments: [0.1, 0.5, 1, 2])
  func aKnownTemperatureIsRecovered(temperature: Double) {
    let (scores, truths) = drawn(20_000, temperature: temperature)
    let found = fitted(scores, truths)
    // The inverse temperature's standard error is 1 / √(n · mean variance of the scores under
    // p), which is below 4 % here; three of them.
    #expect(abs(found / temperature - 1) <= 0.12)
  }

  @Test func twoClassesHaveAClosedForm() {
    // Three of four windows are right, all with a margin of 1: p = 3/4 = 1 / (1 + e^(−1/T)).
    let scores: [Double] = [1, 0, 1, 0, 1, 0, 1, 0]
    let found = fitted(scores, [0, 0, 0, 1])
    #expect(abs(found - 1 / 1.0986122886681098) <= 1e-10)
  }

  @Test func weightsCountLikeRepetitions() {
    let scores: [Double] = [1, 0, 0.5, 0.2]
    let weighted = fitted(scores, [0, 1], weights: [3, 1])
    let repeated = fitted([1, 0, 1, 0, 1, 0, 0.5, 0.2], [0, 0, 0, 1])
    #expect(abs(weighted - repeated) <= 1e-10 * repeated)
  }

  @Test func scalingTheScoresScalesTheTemperature() {
    let (scores, truths) = drawn(500, temperature: 1)
    let found = fitted(scores, truths)
    let scaled = fitted(scores.map { 7 * $0 }, truths)
    #expect(abs(scaled / (7 * found) - 1) <= 1e-9)
  }

  @Test func scoresWithoutErrorsGetTheLowestTemperature() {
    #expect(fitted([1, 0, 0, 1], [0, 1]) == 1e-3)
  }

  @Test func scoresWorseThanChanceGetTheHighestTemperature() {
    #expect(fitted([0, 1, 1, 0], [0, 1]) == 1e3)
  }

  @Test func withoutWeightTheTemperatureIsOne() {
    #expect(fitted([0, 1], [0], weights: [0]) == 1)
  }

  @Test func hugeScoresGiveFiniteProbabilities() {
    let p = TemperatureCalibration.probabilities(scores: [1e300, -1e300, 1e300], temperature: 1e-3)
    #expect(p == [0.5, 0, 0.5])
  }
}
