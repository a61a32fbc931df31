import LocomotionActivityRecognition
import LocomotionLinearAlgebra
import LocomotionSensing
import LocomotionTraining
import Testing

struct PartitionedTrainerTests {
  private let set = Self.windows()

  /// Windows of six people in two sets, with altered copies, some of which lie far outside.
  private static func windows() -> TrainingSet {
    var set = syntheticSet(windows: 900, datasets: 2, peoplePerSet: 3)
    for row in stride(from: 0, to: 900, by: 3) {
      var origin = set.origin(ofRow: row)
      (origin.variant, origin.isAltered) = ("noisy", true)
      let factor: Float = row % 50 == 0 ? 40 : 1.1
      set.append(
        set.features(ofRow: row).map { $0 * factor }, activity: set.activities[row],
        origin: origin, end: set.ends[row])
    }
    return set
  }

  private static func counts(_ set: TrainingSet) -> [PartitionedTrainer.Count] {
    var rows: [PartitionedTrainer.Count: [Int]] = [:]
    for row in 0..<set.count {
      let origin = set.origin(ofRow: row)
      let kind = PartitionedTrainer.Count(
        dataset: origin.dataset, person: origin.person, activity: set.activities[row],
        isAltered: origin.isAltered, windows: 0, recorded: 0)
      rows[kind, default: []].append(row)
    }
    return rows.map { kind, rows in
      var count = kind
      count.windows = rows.count
      count.recorded = rows.count { set.origin(ofRow: $0).isAsRecorded }
      return count
    }
  }

  /// The rows of the set in blocks of some people each.
  private func blocks(_ people: [[String]]) -> [[Int]] {
    people.map { names in
      (0..<set.count).filter { names.contains(set.origin(ofRow: $0).person) }
    }
  }

  private func added(
    _ counts: [PartitionedTrainer.KeyCounts]
  ) -> PartitionedTrainer.KeyCounts {
    var sum: [UInt32: UInt64] = [:]
    for part in counts {
      for (index, weight) in zip(part.indices, part.weights) { sum[index, default: 0] += weight }
    }
    let ordered = sum.sorted { $0.key < $1.key }
    return .init(indices: ordered.map(\.key), weights: ordered.map(\.value))
  }

  private func added(_ sums: [PartitionedTrainer.Sums]) -> PartitionedTrainer.Sums {
    struct Key: Hashable {
      var activity: Activity
      var dataset: String
    }
    var result: [Key: [WideInteger]] = [:]
    var outliers = sums[0].outliers.map { _ in 0.0 }
    for sum in sums {
      for part in sum.parts {
        let key = Key(activity: part.activity, dataset: part.dataset)
        let old = result[key] ?? Array(repeating: .zero, count: part.elements.count)
        result[key] = zip(old, part.elements).map { $0 + $1 }
      }
      outliers = zip(outliers, sum.outliers).map { $0 + $1 }
    }
    return .init(
      parts: result.map {
        .init(activity: $0.activity, dataset: $0.dataset, elements: $1)
      }, outliers: outliers)
  }

  private func basis(_ trainer: PartitionedTrainer, _ blocks: [TrainingSet]) -> HingeBasis {
    var counts: [PartitionedTrainer.KeyCounts] = []
    for level in PartitionedTrainer.levels.indices {
      let prefixes = trainer.prefixes(after: counts, features: set.featureCount)
      counts.append(
        added(blocks.map { trainer.keyCounts(of: $0, beginning: prefixes, level: level) }))
    }
    return trainer.basis(of: counts, features: set.featureCount)
  }

  @Test(arguments: [
    [["p0", "p1", "p2", "p3", "p4", "p5"]], [["p5"], ["p3"], ["p1"], ["p0"], ["p2"], ["p4"]],
    [["p4", "p0"], ["p1", "p3", "p5"], ["p2"]],
  ])
  func theModelIsThatOfOneProcess(people: [[String]]) throws {
    let rows = blocks(people)
    let parts = rows.map(set.rows)
    let trainer = try PartitionedTrainer(settings: .init(), counts: Self.counts(set))
    let basis = basis(trainer, parts)
    #expect(basis == HingeRidgeTrainer().basis(for: set))
    let sums = added(parts.map { trainer.sums(of: $0, basis: basis) })
    let equations = try PartitionedEquations(trainer, basis: basis, sums: sums)
    let direct = try HingeRidgeTrainer().train(on: set)
    #expect(equations.fit == direct)

    let recorded = (0..<set.count).filter { set.origin(ofRow: $0).isAsRecorded }
    var scores = PartitionedEquations.Scores()
    var found: [Int: (person: [Double], knows: Bool, dataset: [Double], knowsDataset: Bool)] = [:]
    for (own, part) in zip(rows, parts) {
      let block = try equations.scores(of: part)
      for (index, row) in own.enumerated() {
        let places = index * 3..<(index + 1) * 3
        found[row] = (
          Array(block.withoutPerson[places]), block.knowsWithoutPerson[index],
          Array(block.withoutDataset[places]), block.knowsWithoutDataset[index]
        )
      }
    }
    for row in recorded {
      let own = try #require(found[row])
      scores.withoutPerson += own.person
      scores.knowsWithoutPerson.append(own.knows)
      scores.withoutDataset += own.dataset
      scores.knowsWithoutDataset.append(own.knowsDataset)
    }
    let (model, report) = try equations.model(of: set.rows(recorded), scores: scores)
    let expected = try ModelTrainer().train(on: set)
    #expect(model.file == expected.model.file)
    var plain = expected.report
    plain.unseenPeople.importances = []
    #expect(report == plain)
  }

  @Test func aPersonIsHeldOutAsIfNotThere() throws {
    let trainer = try PartitionedTrainer(settings: .init(), counts: Self.counts(set))
    let basis = basis(trainer, [set])
    let equations = try PartitionedEquations(
      trainer, basis: basis, sums: trainer.sums(of: set, basis: basis))
    for person in ["p0", "p3"] {
      let own = set.filter { $1.person == person }
      let rest = set.filter { $1.person != person }
      let other = try PartitionedTrainer(settings: .init(), counts: Self.counts(rest))
      let alone = try PartitionedEquations(
        other, basis: basis, sums: other.sums(of: rest, basis: basis))
      let found = try equations.scores(of: own)
      for row in 0..<own.count where !own.origin(ofRow: row).isAltered {
        let direct = alone.fit.scores(own.features(ofRow: row))
        // Scores are sums of 29 products in another order, of weights and columns below 2⁴; that
        // subtraction would leave behind more is what 10⁻⁸ in `CrossValidationTests` allows for.
        let subtracted = Array(found.withoutPerson[row * 3..<row * 3 + 3])
        #expect(largestDifference(direct, subtracted) <= 29 * 0x1p8 * 0x1p-52)
      }
    }
  }

  @Test func whatCannotBeTrainedIsRefused() {
    func count(_ person: String, _ activity: Activity, _ windows: Int) -> PartitionedTrainer.Count {
      .init(
        dataset: "set", person: person, activity: activity, isAltered: false, windows: windows,
        recorded: windows)
    }
    #expect(throws: TrainingError.empty) {
      _ = try PartitionedTrainer(settings: .init(), counts: [count("a", .walking, 0)])
    }
    #expect(throws: TrainingError.singleClass(.walking)) {
      _ = try PartitionedTrainer(
        settings: .init(), counts: [count("a", .walking, 1), count("b", .walking, 2)])
    }
    #expect(throws: TrainingError.nothingToLeaveOut) {
      _ = try PartitionedTrainer(
        settings: .init(), counts: [count("a", .walking, 1), count("a", .running, 2)])
    }
  }
}
