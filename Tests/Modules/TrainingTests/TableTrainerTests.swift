import Foundation
import LocomotionActivityRecognition
import LocomotionTraining
import TestSupport
import Testing

struct TableTrainerTests {
  /// A table of synthetic people: its features and labels.
  private struct Table {
    var features: [Float] = []
    var labels: [TableTrainer.Label] = []

    init() {}

    init(windows: Int, hasPeople: Bool, seed: UInt64 = 1) {
      let set = syntheticSet(windows: windows, seed: seed)
      for row in 0..<set.count {
        append(
          set.features(ofRow: row),
          .init(
            activity: set.activities[row], person: hasPeople ? set.origin(ofRow: row).person : ""))
      }
    }

    mutating func append(_ row: some Sequence<Float>, _ label: TableTrainer.Label) {
      features += row
      labels.append(label)
    }

    /// The row at an index.
    func row(_ index: Int) -> ArraySlice<Float> {
      let width = features.count / labels.count
      return features[index * width..<(index + 1) * width]
    }

    func classifier() throws -> TableClassifier {
      try TableTrainer().train(features: features, labels: labels)
    }
  }

  /// The largest difference of two classifiers' probabilities on the rows of a table.
  private func difference(_ one: TableClassifier, _ other: TableClassifier, on table: Table)
    -> Double
  {
    table.labels.indices.map {
      largestDifference(one.probabilities(table.row($0)), other.probabilities(table.row($0)))
    }.max() ?? .infinity
  }

  @Test(arguments: [false, true]) func heldOutRowsAreRecognized(hasPeople: Bool) throws {
    // The same people, whose offsets come from the seed, with other windows after the first 400.
    let all = Table(windows: 800, hasPeople: hasPeople)
    var training = Table()
    for index in 0..<400 { training.append(all.row(index), all.labels[index]) }
    let classifier = try training.classifier()
    let right = (400..<800).count { index in
      let probabilities = classifier.probabilities(all.row(index))
      let most = probabilities.indices.max { probabilities[$0] < probabilities[$1] } ?? 0
      return classifier.fit.classes[most] == all.labels[index].activity
    }
    #expect(right > 300)
    #expect(classifier.temperature > 0.05 && classifier.temperature < 2)
  }

  @Test(arguments: [false, true]) func aRowOfWeightTwoIsTwoRows(hasPeople: Bool) throws {
    let table = Table(windows: 300, hasPeople: hasPeople)
    var weighted = Table()
    var repeated = Table()
    for (index, label) in table.labels.enumerated() {
      var heavy = label
      heavy.weight = Double(index % 3 + 1)
      weighted.append(table.row(index), heavy)
      for _ in 0...index % 3 { repeated.append(table.row(index), label) }
    }
    let one = try weighted.classifier()
    let other = try repeated.classifier()
    #expect(one.fit.basis == other.fit.basis)
    #expect(difference(one, other, on: table) < 1e-9)
    // Not because weights count for nothing.
    #expect(difference(one, try table.classifier(), on: table) > 1e-3)
  }

  @Test(arguments: [false, true]) func theOrderOfTheRowsDoesNotMatter(hasPeople: Bool) throws {
    let table = Table(windows: 300, hasPeople: hasPeople)
    var shuffled = Table()
    for index in Array(0..<300).shuffledBySeed(7) {
      shuffled.append(table.row(index), table.labels[index])
    }
    #expect(difference(try table.classifier(), try shuffled.classifier(), on: table) < 1e-9)
  }

  @Test func aFactorOfAllWeightsDoesNotMatter() throws {
    let table = Table(windows: 300, hasPeople: true)
    var heavy = table
    for index in heavy.labels.indices { heavy.labels[index].weight = 1e6 }
    #expect(difference(try table.classifier(), try heavy.classifier(), on: table) < 1e-9)
  }

  @Test func aTableOfOneRowPerClassHasAClassifier() throws {
    var table = Table()
    table.append([0, 1], .init(activity: .walking))
    table.append([1, 0], .init(activity: .running))
    let classifier = try table.classifier()
    #expect(classifier.temperature == 1)
    #expect(classifier.probabilities([0, 1])[0] > 0.5)
    #expect(classifier.probabilities([1, 0])[1] > 0.5)
  }

  @Test func tablesWithoutTwoClassesAreRejected() {
    #expect(throws: TrainingError.empty) { try Table().classifier() }
    var single = Table()
    for value in 0..<9 { single.append([Float(value)], .init(activity: .cycling)) }
    #expect(throws: TrainingError.singleClass(.cycling)) { try single.classifier() }
  }

  @Test func aClassifierIsTheSameFromItsJSON() throws {
    let classifier = try Table(windows: 200, hasPeople: true).classifier()
    let data = try JSONEncoder().encode(classifier)
    #expect(try JSONDecoder().decode(TableClassifier.self, from: data) == classifier)
  }

  @Test func theDefaultModelIsItsClassifierAndBack() {
    let classifier = TableClassifier(ActivityModel.default)
    let again = TableClassifier(classifier.model())
    #expect(again == classifier)
    let model = classifier.model()
    #expect(model.parameters.weights == ActivityModel.default.parameters.weights)
    #expect(model.parameters.noveltyLimit == ActivityModel.default.parameters.noveltyLimit)
    #expect(model.parameters.rotation == nil)
  }
}
