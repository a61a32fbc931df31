import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import Testing

struct WindowBalanceTests {
  /// Two classes, two sets, three people.
  ///
  /// Walking: 8 windows of one/a, 2 of one/b, 6 of two/c. Running: 4 of two/c.
  private var set: TrainingSet {
    var set = TrainingSet(featureCount: 1)
    func add(_ count: Int, _ activity: Activity, _ dataset: String, _ person: String) {
      for _ in 0..<count {
        set.append(
          [0], activity: activity,
          origin: RecordingOrigin(dataset: dataset, person: person, recording: person),
          end: Timestamp(nanoseconds: 0))
      }
    }
    add(8, .walking, "one", "a")
    add(2, .walking, "one", "b")
    add(6, .walking, "two", "c")
    add(4, .running, "two", "c")
    return set
  }

  private func mass(_ weights: [Double], _ range: Range<Int>) -> Double {
    weights[range].reduce(0, +)
  }

  @Test(arguments: [0, 0.3, 0.5, 1], [0, 0.5, 1])
  func allWeightsSumToOneAndClassesAreEqual(subject: Double, dataset: Double) {
    let weights = WindowBalance(subject: subject, dataset: dataset).weights(for: set)
    #expect(abs(mass(weights, 0..<20) - 1) <= 20 * 0x1p-53)
    #expect(abs(mass(weights, 0..<16) - 0.5) <= 20 * 0x1p-53)
  }

  @Test func exponentsOfZeroMakeSetsAndPeopleEqual() {
    let weights = WindowBalance(subject: 0, dataset: 0).weights(for: set)
    #expect(abs(mass(weights, 0..<8) - 0.125) <= 1e-15)
    #expect(abs(mass(weights, 8..<10) - 0.125) <= 1e-15)
    #expect(abs(mass(weights, 10..<16) - 0.25) <= 1e-15)
  }

  @Test func exponentsOfOneMakeWindowsEqual() {
    let weights = WindowBalance(subject: 1, dataset: 1).weights(for: set)
    #expect(weights[0..<16].allSatisfy { abs($0 - 0.5 / 16) <= 1e-16 })
  }

  @Test func anExponentOfOneHalfLiesBetween() {
    let weights = WindowBalance(subject: 0.5, dataset: 1).weights(for: set)
    // √8 : √2 = 2 : 1 for the two people of one set.
    #expect(abs(mass(weights, 0..<8) / mass(weights, 8..<10) - 2) <= 1e-14)
  }

  @Test func alteredCopiesAreOneMorePersonOfLessWeight() {
    var set = set
    for _ in 0..<8 {
      set.append(
        [0], activity: .walking,
        origin: RecordingOrigin(
          dataset: "one", person: "a", recording: "a", variant: "gait", isAltered: true),
        end: Timestamp(nanoseconds: 0))
    }
    let weights = WindowBalance(altered: 0.25).weights(for: set)
    #expect(abs(mass(weights, 20..<28) / mass(weights, 0..<8) - 0.25) <= 1e-14)
    #expect(abs(mass(weights, 0..<28) - 1) <= 28 * 0x1p-53)
  }

  @Test func everyWindowAlikeLeavesTheClassesAsFrequentAsTheyAre() {
    let weights = WindowBalance.windows.weights(for: set)
    #expect(weights.allSatisfy { abs($0 - 0.05) <= 1e-16 })
  }

  @Test func aClassWeighsAsManyTimesTheOthersAsAsked() {
    let weights = WindowBalance(classWeights: [.running: 3]).weights(for: set)
    #expect(abs(mass(weights, 16..<20) - 0.75) <= 1e-15)
    #expect(abs(mass(weights, 0..<20) - 1) <= 1e-15)
    let plain = WindowBalance().weights(for: set)
    #expect(abs(mass(weights, 0..<8) / mass(plain, 0..<8) - 0.5) <= 1e-14)
  }

  @Test func aBalanceRoundTripsAndStoresOnlyWhatIsNotAlike() throws {
    for balance in [.init(), .windows, .init(classWeights: [.train: 2, .cycling: 0.5])]
      as [WindowBalance]
    {
      let data = try JSONEncoder().encode(balance)
      #expect(try JSONDecoder().decode(WindowBalance.self, from: data) == balance)
    }
    let plain = try JSONEncoder().encode(WindowBalance())
    #expect(!String(decoding: plain, as: UTF8.self).contains("class"))
    let unknown = #"{"subject":0.5,"dataset":0.5,"altered":0.3,"classWeights":{"flying":2}}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(WindowBalance.self, from: Data(unknown.utf8))
    }
  }
}
