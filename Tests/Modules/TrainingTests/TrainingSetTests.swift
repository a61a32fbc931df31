import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct TrainingSetTests {
  private let anna = RecordingOrigin(dataset: "one", person: "anna", recording: "a")
  private let otherAnna = RecordingOrigin(dataset: "two", person: "anna", recording: "a")
  private let start = Timestamp(nanoseconds: 0)

  @Test func rowsKeepTheirFeaturesAndLabels() {
    var set = TrainingSet(featureCount: 2)
    set.append([1, 2], activity: .walking, origin: anna, end: start)
    set.append([3, 4], activity: .train, origin: otherAnna, end: Timestamp(nanoseconds: 5))
    #expect(set.count == 2)
    #expect(Array(set.features(ofRow: 1)) == [3, 4])
    #expect(set.origin(ofRow: 1) == otherAnna)
    #expect(set.ends[1].nanoseconds == 5)
    #expect(set.classes == [.walking, .train])
  }

  @Test func rowsThatAreNotFiniteAreCountedAndDropped() {
    var set = TrainingSet(featureCount: 2)
    let taken = [[1, .nan], [-.infinity, 1], [0, 1]].map {
      set.append($0, activity: .walking, origin: anna, end: start)
    }
    #expect(taken == [false, false, true])
    #expect(set.count == 1)
    #expect(set.rejectedRows == 2)
  }

  @Test func peopleOfOneNameInTwoSetsAreTwoPeople() {
    var set = TrainingSet(featureCount: 1)
    set.append([1], activity: .walking, origin: anna, end: start)
    set.append([1], activity: .running, origin: otherAnna, end: start)
    set.append([1], activity: .running, origin: otherAnna, end: start)
    #expect(set.countsBySubject == ["one/anna": 1, "two/anna": 2])
    #expect(set.countsByDataset == ["one": 1, "two": 2])
  }

  @Test func joiningSetsKeepsEveryRowsOrigin() {
    var first = TrainingSet(featureCount: 1)
    first.append([1], activity: .walking, origin: anna, end: start)
    var second = TrainingSet(featureCount: 1)
    second.append([2], activity: .running, origin: otherAnna, end: start)
    second.append([3], activity: .walking, origin: anna, end: start)
    first.append(contentsOf: second)
    #expect((0..<3).map { first.origin(ofRow: $0) } == [anna, otherAnna, anna])
    #expect(first.features == [1, 2, 3])
    #expect(first.origins.count == 2)
  }

  @Test func rotationFeaturesStayWithTheirRows() {
    var set = TrainingSet(featureCount: 1, rotationFeatureCount: 2)
    set.append([1], activity: .walking, origin: anna, end: start, rotation: [10, 11])
    set.append([2], activity: .running, origin: anna, end: start)
    set.append([3], activity: .running, origin: anna, end: start, rotation: [30, .nan])
    set.append([4], activity: .walking, origin: otherAnna, end: start, rotation: [40, 41])
    #expect(set.count == 4 && set.rejectedRows == 0)
    #expect(rotations(of: set) == [[10, 11], nil, nil, [40, 41]])
    #expect(rotations(of: set.rows([3, 1, 0])) == [[40, 41], nil, [10, 11]])
    #expect(rotations(of: set.filter { _, origin in origin == otherAnna }) == [[40, 41]])
    var joined = set.rows([3])
    joined.append(contentsOf: set)
    #expect(rotations(of: joined) == [[40, 41], [10, 11], nil, nil, [40, 41]])
  }

  private func rotations(of set: TrainingSet) -> [[Float]?] {
    (0..<set.count).map { set.rotation(ofRow: $0).map { Array($0) } }
  }

  @Test func filteringKeepsTheOrder() {
    let set = syntheticSet(windows: 50)
    let walking = set.filter { activity, _ in activity == .walking }
    let expected = (0..<50).filter { set.activities[$0] == .walking }
    #expect(walking == set.rows(expected))
  }

  @Test func aRowOfAnotherWidthStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var set = TrainingSet(featureCount: 2)
      set.add([1], .walking)
    }
  }
}

/// Windows of synthetic people: a normal distribution per class, shifted by a nonlinear function of
/// the class and by each person's offset, so that neither the problem nor the basis is linear.
func syntheticSet(
  windows: Int, features: Int = 4, classes: Int = 3, datasets: Int = 2, peoplePerSet: Int = 3,
  seed: UInt64 = 1
) -> TrainingSet {
  var generator = SplitMix64(seed: seed)
  var set = TrainingSet(featureCount: features)
  let offsets = (0..<datasets * peoplePerSet).map { _ in
    (0..<features).map { _ in 0.3 * generator.nextNormal() }
  }
  for window in 0..<windows {
    let activity = Int(generator.nextUniform() * Double(classes))
    let person = Int(generator.nextUniform() * Double(datasets * peoplePerSet))
    let row = (0..<features).map { feature in
      let bend = Double((activity * (feature + 2)) % classes) - 0.5 * Double(classes)
      return Float(10 * feature) + Float(bend + offsets[person][feature] + generator.nextNormal())
    }
    set.add(
      row, Activity.allCases[activity], dataset: "set\(person % datasets)", person: "p\(person)",
      recording: "r\(person)", step: window)
  }
  return set
}

extension TrainingSet {
  /// Adds a window of a recording, which ends after so many steps of 2.56 s.
  mutating func add(
    _ features: [Float], _ activity: Activity, dataset: String = "d", person: String = "p",
    recording: String = "r", step: Int = 0
  ) {
    append(
      features, activity: activity,
      origin: RecordingOrigin(dataset: dataset, person: person, recording: recording),
      end: Timestamp(nanoseconds: Int64(step) * 2_560_000_000))
  }

  /// The same windows with other features, activities or recordings, by their rows, with speeds or
  /// with so many rotation features.
  func replacing(
    features: ((Int) -> [Float])? = nil, activity: ((Int) -> Activity)? = nil,
    origin: ((Int) -> RecordingOrigin)? = nil, speed: (Int) -> Float? = { _ in nil },
    rotationFeatures: Int = 0, rotation: (Int) -> ArraySlice<Float>? = { _ in nil }
  ) -> TrainingSet {
    var result = TrainingSet(
      featureCount: features?(0).count ?? featureCount, rotationFeatureCount: rotationFeatures)
    for row in 0..<count {
      result.append(
        features?(row) ?? Array(self.features(ofRow: row)),
        activity: activity?(row) ?? activities[row],
        origin: origin?(row) ?? self.origin(ofRow: row),
        end: ends[row], speed: speed(row), rotation: rotation(row))
    }
    return result
  }
}

/// The largest distance of two lists of numbers.
func largestDifference(_ a: [Double], _ b: [Double]) -> Double {
  a.count == b.count ? zip(a, b).map { abs($0 - $1) }.max() ?? 0 : .infinity
}

/// The rows of the comparison with fits in Python, as one data set of the tidy form.
func goldenSet() throws -> TrainingSet {
  var set = TrainingSet(featureCount: 3)
  for row in try TestFiles.golden("training_ridge_rows.csv") {
    set.add(
      row[3...].map { Float($0) }, Activity.allCases[Int(row[0])], dataset: "\(Int(row[1]))",
      person: "\(Int(row[2]))", recording: "")
  }
  return set
}

/// The basis of ``goldenSet()`` in that comparison.
let goldenBasis = HingeBasis(
  means: [0.5, 0, -0.5], scales: [1, 0.5, 2],
  knots: [-1.5, -1, -0.5, 0.5, 1, 1.5, -3, -2, -1, 1, 2, 3, -1, -0.5, -0.25, 0.25, 0.5, 1])

struct WindowBalanceTests {
  /// Two classes, two sets, three people.
  ///
  /// Walking: 8 windows of one/a, 2 of one/b, 6 of two/c. Running: 4 of two/c.
  private var set: TrainingSet {
    var set = TrainingSet(featureCount: 1)
    func add(_ count: Int, _ activity: Activity, _ dataset: String, _ person: String) {
      for _ in 0..<count {
        set.add([0], activity, dataset: dataset, person: person, recording: person)
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
