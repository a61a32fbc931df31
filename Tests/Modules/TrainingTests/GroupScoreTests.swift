import LocomotionActivityRecognition
import LocomotionTraining
import Testing

/// Groups of people beside everybody.
@Suite struct GroupScoreTests {
  /// A person with `windows` of a class, of which `right` are recognised.
  private func add(
    _ person: String, of dataset: String, _ truth: Activity, right: Int, of windows: Int,
    to evaluation: inout GroupedEvaluation
  ) {
    for index in 0..<windows {
      let answer: Activity = index < right ? truth : .stationary
      evaluation.add(
        truth: truth, answer: answer, probabilities: ActivityProbabilities { $0 == answer ? 1 : 0 },
        origin: RecordingOrigin(dataset: dataset, person: person, recording: ""))
    }
  }

  private let traits = [
    "slow": ["sampling rate": "below 30 Hz", "gyroscope": "yes"],
    "fast": ["sampling rate": "from 70 Hz on", "gyroscope": "yes"],
  ]

  @Test func aGroupIsComparedByTheClassesThatItHas() {
    var evaluation = GroupedEvaluation()
    for person in ["a", "b"] {
      // Cycling is as hard for both; only one group walks too, which is easy.
      add(person, of: "slow", .cycling, right: 80, of: 100, to: &evaluation)
      add(person, of: "fast", .cycling, right: 80, of: 100, to: &evaluation)
      add(person, of: "fast", .walking, right: 100, of: 100, to: &evaluation)
    }
    let groups = evaluation.groupScores(of: traits)
    // The gyroscope, which all have, tells nobody from anybody.
    #expect(groups.map(\.trait) == ["sampling rate", "sampling rate"])
    #expect(groups.allSatisfy { abs($0.difference) < 1e-12 && !$0.isWorse })
    #expect(groups.map(\.accuracy).sorted() == [0.8, 0.9])
    #expect(groups.map(\.people) == [2, 2])
  }

  @Test func aGroupThatIsWorseIsFirstAndMarked() throws {
    var evaluation = GroupedEvaluation()
    for (index, right) in [70, 80, 90].enumerated() {
      add("\(index)", of: "slow", .cycling, right: right, of: 100, to: &evaluation)
      add("\(index)", of: "fast", .cycling, right: 90, of: 100, to: &evaluation)
    }
    let groups = evaluation.groupScores(of: traits)
    let worst = try #require(groups.first)
    #expect(worst.name == "below 30 Hz" && worst.isWorse && worst.windows == 300)
    #expect(abs(worst.difference + 0.05) < 1e-12)
    let (low, high) = (try #require(worst.lowestDifference), try #require(worst.highestDifference))
    #expect(low < worst.difference && worst.difference < high && low >= -0.151 && high <= 0.051)
    #expect(!groups[1].isWorse && groups[1].lowestDifference == groups[1].highestDifference)
  }

  @Test func aSinglePersonHasNoInterval() {
    var evaluation = GroupedEvaluation()
    add("a", of: "slow", .cycling, right: 5, of: 10, to: &evaluation)
    add("a", of: "fast", .cycling, right: 9, of: 10, to: &evaluation)
    #expect(evaluation.groupScores(of: traits).allSatisfy { $0.lowestDifference == nil })
    #expect(evaluation.groupScores(of: [:]).isEmpty)
  }
}
