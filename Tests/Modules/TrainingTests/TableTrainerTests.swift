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

  /// The same table, in which every second row of an activity is of a custom class and moved.
  private func table(with custom: CustomActivity, hasPeople: Bool) -> Table {
    var all = Table(windows: 600, hasPeople: hasPeople)
    let width = all.features.count / all.labels.count
    for row in all.labels.indices.filter({ all.labels[$0].activity == .walking && $0 % 2 == 0 }) {
      all.labels[row].custom = custom
      for feature in 0..<width where feature % 3 == 0 { all.features[row * width + feature] += 2 }
    }
    return all
  }

  @Test(arguments: [false, true]) func customClassesTakeTheirPart(hasPeople: Bool) throws {
    let custom = try #require(CustomActivity(name: "stairs", behavesLike: .walking))
    let table = table(with: custom, hasPeople: hasPeople)
    let classifier = try TableTrainer().train(
      features: table.features, labels: table.labels, custom: [custom])
    let plain = try TableTrainer().train(
      features: table.features,
      labels: table.labels.map { .init(activity: $0.activity, person: $0.person) })
    let classes = classifier.fit.classes
    let walking = try #require(classes.firstIndex(of: .walking))
    var right = 0
    var count = 0
    for (row, label) in table.labels.enumerated() {
      let found = classifier.probabilities(table.row(row))
      #expect(found.count == classes.count + 1)
      var merged = Array(found.dropLast())
      merged[walking] += found[classes.count]
      #expect(largestDifference(merged, plain.probabilities(table.row(row))) < 1e-12)
      guard label.activity == .walking else { continue }
      count += 1
      right += (found[classes.count] > found[walking]) == (label.custom != nil) ? 1 : 0
    }
    #expect(Double(right) > 0.9 * Double(count))
    let again = TableClassifier(classifier.model())
    #expect(again.custom?.names == ["stairs"])
    #expect(
      largestDifference(
        again.probabilities(table.row(0)), classifier.probabilities(table.row(0))) < 1e-4)
  }

  @Test func aCustomClassLikeNoneTakesFromAll() throws {
    let custom = try #require(CustomActivity(name: "skiing", behavesLike: nil))
    let table = table(with: custom, hasPeople: true)
    let classifier = try TableTrainer().train(
      features: table.features, labels: table.labels, custom: [custom])
    var inside = Table()
    for (row, label) in table.labels.enumerated() where label.custom == nil {
      inside.append(table.row(row), label)
    }
    let plain = try inside.classifier()
    for row in table.labels.indices {
      let found = classifier.probabilities(table.row(row))
      let rest = 1 - (found.last ?? 0)
      let expected = plain.probabilities(table.row(row)).map { $0 * rest }
      #expect(largestDifference(Array(found.dropLast()), expected) < 1e-9)
    }
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
