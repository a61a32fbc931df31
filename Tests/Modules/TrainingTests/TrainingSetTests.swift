import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
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
      set.append(
        [1], activity: .walking,
        origin: RecordingOrigin(dataset: "", person: "", recording: ""),
        end: Timestamp(nanoseconds: 0))
    }
  }
}
