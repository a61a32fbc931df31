import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct TableTrainerTests {
  /// Rows of synthetic people, who have names or are all one.
  ///
  /// - Parameters:
  ///   - windows: The number of rows.
  ///   - hasPeople: Whether they have names.
  ///   - weight: The weight of a row.
  ///   - times: How often a row is added.
  /// - Returns: The table.
  private func table(
    windows: Int, hasPeople: Bool, weight: (Int) -> Double = { _ in 1 },
    times: (Int) -> Int = { _ in 1 }
  ) -> TrainingSet {
    let people = syntheticSet(windows: windows)
    var set = TrainingSet(featureCount: people.featureCount)
    for row in 0..<people.count {
      let person = hasPeople ? people.origin(ofRow: row).person : ""
      for _ in 0..<times(row) {
        set.append(
          people.features(ofRow: row), activity: people.activities[row], origin: .of(person),
          end: people.ends[row], weight: weight(row))
      }
    }
    return set
  }

  private func classifier(_ set: TrainingSet) throws -> TableClassifier {
    try TableTrainer.train(on: set)
  }

  /// The largest difference of two classifiers' probabilities on the rows of a table.
  private func difference(
    _ one: TableClassifier, _ other: TableClassifier, on table: TrainingSet
  ) -> Double {
    (0..<table.count).map {
      largestDifference(
        one.probabilities(table.features(ofRow: $0)), other.probabilities(table.features(ofRow: $0))
      )
    }.max() ?? .infinity
  }

  @Test(arguments: [false, true]) func heldOutRowsAreRecognized(hasPeople: Bool) throws {
    // The same people, whose offsets come from the seed, with other windows after the first 400.
    let all = table(windows: 800, hasPeople: hasPeople)
    let classifier = try classifier(all.rows(0..<400))
    let right = (400..<800).count { row in
      let most = classifier.probabilities(all.features(ofRow: row)).indexOfMaximum
      return classifier.fit.classes[most] == all.activities[row]
    }
    #expect(right > 300)
    #expect(classifier.temperature > 0.05 && classifier.temperature < 2)
  }

  @Test(arguments: [false, true]) func aRowOfWeightTwoIsTwoRows(hasPeople: Bool) throws {
    let plain = table(windows: 300, hasPeople: hasPeople)
    let one = try classifier(
      table(windows: 300, hasPeople: hasPeople, weight: { Double($0 % 3 + 1) }))
    let other = try classifier(table(windows: 300, hasPeople: hasPeople, times: { $0 % 3 + 1 }))
    #expect(one.fit.basis == other.fit.basis)
    #expect(difference(one, other, on: plain) < 1e-9)
    // Not because weights count for nothing.
    #expect(difference(one, try classifier(plain), on: plain) > 1e-3)
  }

  @Test func aFactorOfAllWeightsDoesNotMatter() throws {
    let plain = table(windows: 300, hasPeople: true)
    let heavy = table(windows: 300, hasPeople: true, weight: { _ in 1e6 })
    #expect(difference(try classifier(plain), try classifier(heavy), on: plain) < 1e-9)
  }

  /// A table of these rows, of one person.
  private func table(_ rows: [([Float], Activity)], width: Int) -> TrainingSet {
    var set = TrainingSet(featureCount: width)
    for (row, activity) in rows {
      set.append(row, activity: activity, origin: .of(""), end: Timestamp(nanoseconds: 0))
    }
    return set
  }

  @Test func aTableOfOneRowPerClassHasAClassifier() throws {
    let classifier = try classifier(table([([0, 1], .walking), ([1, 0], .running)], width: 2))
    #expect(classifier.temperature == 1)
    #expect(classifier.probabilities([0, 1])[0] > 0.5)
    #expect(classifier.probabilities([1, 0])[1] > 0.5)
  }

  @Test func tablesWithoutTwoClassesAreRejected() {
    #expect(throws: TrainingError.empty) { try classifier(table([], width: 1)) }
    let single = table((0..<9).map { ([Float($0)], .cycling) }, width: 1)
    #expect(throws: TrainingError.singleClass(.cycling)) { try classifier(single) }
  }

  /// The same table, in which every second row of walking is of a custom class and moved.
  private func divided(_ plain: TrainingSet, by custom: CustomActivity) -> TrainingSet {
    func isCustom(_ row: Int) -> Bool { plain.activities[row] == .walking && row % 2 == 0 }
    return plain.replacing(
      features: { row in
        plain.features(ofRow: row).enumerated().map {
          isCustom(row) && $0 % 3 == 0 ? $1 + 2 : $1
        }
      },
      origin: { row in
        var origin = plain.origin(ofRow: row)
        if isCustom(row) { origin.customActivity = custom.name }
        return origin
      })
  }

  @Test(arguments: [false, true]) func customClassesTakeTheirPart(hasPeople: Bool) throws {
    let custom = try #require(CustomActivity(name: "stairs", behavesLike: .walking))
    let set = divided(table(windows: 600, hasPeople: hasPeople), by: custom)
    let classifier = try TableTrainer.train(on: set, custom: [custom])
    let plain = try self.classifier(set)
    let classes = classifier.fit.classes
    let walking = try #require(classes.firstIndex(of: .walking))
    var (right, count) = (0, 0)
    for row in 0..<set.count {
      let features = set.features(ofRow: row)
      let found = classifier.probabilities(features)
      #expect(found.count == classes.count + 1)
      var merged = Array(found.dropLast())
      merged[walking] += found[classes.count]
      #expect(largestDifference(merged, plain.probabilities(features)) < 1e-12)
      guard set.activities[row] == .walking else { continue }
      count += 1
      let isCustom = !set.origin(ofRow: row).customActivity.isEmpty
      right += (found[classes.count] > found[walking]) == isCustom ? 1 : 0
    }
    #expect(Double(right) > 0.9 * Double(count))
    let again = TableClassifier(classifier.model())
    #expect(again.custom?.names == ["stairs"])
    #expect(difference(again, classifier, on: set.rows([0])) < 1e-4)
  }

  @Test func aCustomClassLikeNoneTakesFromAll() throws {
    let custom = try #require(CustomActivity(name: "skiing", behavesLike: nil))
    let set = divided(table(windows: 600, hasPeople: true), by: custom)
    let classifier = try TableTrainer.train(on: set, custom: [custom])
    let plain = try self.classifier(set.filter { $1.customActivity.isEmpty })
    for row in 0..<set.count {
      let found = classifier.probabilities(set.features(ofRow: row))
      let rest = 1 - (found.last ?? 0)
      let expected = plain.probabilities(set.features(ofRow: row)).map { $0 * rest }
      #expect(largestDifference(Array(found.dropLast()), expected) < 1e-9)
    }
  }

  @Test func aClassifierIsTheSameFromItsJSON() throws {
    let classifier = try classifier(table(windows: 200, hasPeople: true))
    let data = try JSONEncoder().encode(classifier)
    #expect(try JSONDecoder().decode(TableClassifier.self, from: data) == classifier)
  }

  @Test func theDefaultModelIsItsClassifierAndBack() {
    let classifier = TableClassifier(ActivityModel.default)
    let again = TableClassifier(classifier.model())
    #expect(again == classifier)
    let model = classifier.model()
    #expect(model.parameters.function.weights == ActivityModel.default.parameters.function.weights)
    #expect(model.parameters.rotation == nil)
  }
}

extension RecordingOrigin {
  /// The only recording of a person.
  fileprivate static func of(_ person: String) -> RecordingOrigin {
    RecordingOrigin(dataset: "", person: person, recording: person)
  }
}
