package import LocomotionActivityRecognition
import LocomotionLinearAlgebra

/// Trains as ``ModelTrainer`` does where the windows are divided among processes or machines.
///
/// A block holds all windows of some people. What is needed of all of them is summed over blocks:
///
/// 1. The counts of windows, which decide their weights: ``init(settings:counts:)``.
/// 2. The weights by the upper and then the lower halves of the features' bits, of which the
///    quantiles follow: ``upperCounts(of:)``, ``buckets(of:)``, ``lowerCounts(of:in:)``,
///    ``basis(upper:lower:)``.
/// 3. The normal equations by class and data set: ``sums(of:basis:)``.
/// 4. ``PartitionedEquations`` solves them, and says of each block the scores without each of its
///    people, and without their data set.
/// 5. Scores, labels, times and rotation features of all windows then decide what is no sum: the
///    rotation term, the temperatures and the temporal filter.
///
/// All sums are of integers, hence the same however blocks are divided and in whatever order they
/// come: the model is that of ``ModelTrainer`` on all windows in the order in which
/// ``WindowCollector`` collects them.
package struct PartitionedTrainer: Sendable {
  /// The number of a person's windows of one kind.
  package struct Count: Hashable, Sendable {
    /// See ``RecordingOrigin/dataset``.
    package var dataset: String
    /// See ``RecordingOrigin/person``.
    package var person: String
    package var activity: Activity
    /// See ``RecordingOrigin/isAltered``.
    package var isAltered: Bool
    package var windows: Int

    package init(
      dataset: String, person: String, activity: Activity, isAltered: Bool, windows: Int
    ) {
      self.dataset = dataset
      self.person = person
      self.activity = activity
      self.isAltered = isAltered
      self.windows = windows
    }
  }

  /// Weights by the bits of features, for those that have any.
  package struct KeyCounts: Sendable {
    /// 2¹⁶ times the feature, or the place among all wanted buckets, plus half of the bits;
    /// ascending.
    package var indices: [UInt32]
    /// In units that are the same for all blocks.
    package var weights: [UInt64]

    package init(indices: [UInt32] = [], weights: [UInt64] = []) {
      self.indices = indices
      self.weights = weights
    }
  }

  /// The sums of some windows.
  package struct Sums: Sendable {
    /// The sum of one class in one data set; see `FixedPointSum.elements`.
    package struct Part: Sendable {
      package var activity: Activity
      package var dataset: String
      package var elements: [Int128]

      package init(activity: Activity, dataset: String, elements: [Int128]) {
        self.activity = activity
        self.dataset = dataset
        self.elements = elements
      }
    }

    package var parts: [Part]
    /// The number of windows by how many features are outliers.
    package var outliers: [Double]

    package init(parts: [Part], outliers: [Double]) {
      self.parts = parts
      self.outliers = outliers
    }
  }

  /// The settings.
  package let settings: ModelTrainer.Settings
  /// The classes of the model.
  package let classes: [Activity]
  /// In the order of ``WindowGroups/cells``, whose weights are all 1.
  let cells: [(cell: WindowGroups.Cell, windows: Int)]
  /// The unit of the sums; see `FixedPointSum`.
  let exponent: Int

  private struct Owner: Hashable {
    var subject: String
    var isAltered: Bool
  }

  private let unit: QuantileUnit
  /// The weight in quantiles of a window of each person.
  private let units: [Owner: UInt64]

  /// A trainer on windows of which there are so many of each kind.
  ///
  /// - Throws: ``TrainingError/empty``, ``TrainingError/singleClass(_:)`` or
  ///   ``TrainingError/nothingToLeaveOut``.
  /// - Precondition: no kind is counted twice.
  package init(settings: ModelTrainer.Settings, counts: [Count]) throws(TrainingError) {
    self.settings = settings
    let balance = settings.fit.balance
    let present = counts.filter { $0.windows > 0 }
    let found = Set(present.map(\.activity))
    classes = Activity.allCases.filter(found.contains)
    guard let first = classes.first else { throw .empty }
    guard classes.count > 1 else { throw .singleClass(first) }
    cells = Self.cells(present)
    precondition(
      Set(cells.map(\.cell)).count == cells.count, "expected each kind of windows once")
    guard Set(cells.map(\.cell.subject)).count > 1 else { throw .nothingToLeaveOut }
    exponent = NormalEquations.exponent(cells, balance: balance)

    // As if all activities were one, as `WindowBalance.unlabelledWeights(for:)` has it.
    var merged: [Count: Int] = [:]
    for count in present {
      var key = count
      (key.activity, key.windows) = (.stationary, 0)
      merged[key, default: 0] += count.windows
    }
    let unlabelled = Self.cells(
      merged.map { key, windows in
        var count = key
        count.windows = windows
        return count
      })
    let masses = ClassMasses(unlabelled, balance: balance)
    let weights = unlabelled.map { masses.rowWeight(of: $0.cell) }
    let unit = QuantileUnit(zip(weights, unlabelled).map { ($0, $1.windows) })
    self.unit = unit
    units = Dictionary(
      uniqueKeysWithValues: zip(unlabelled, weights).map { entry, weight in
        let owner = Owner(subject: entry.cell.subject, isAltered: entry.cell.isAltered)
        return (owner, unit.multiple(weight))
      })
  }

  private static func cells(
    _ counts: [Count]
  ) -> [(cell: WindowGroups.Cell, windows: Int)] {
    counts.map { count in
      let origin = RecordingOrigin(dataset: count.dataset, person: count.person, recording: "")
      let cell = WindowGroups.Cell(
        activity: count.activity, dataset: count.dataset, subject: origin.subject,
        isAltered: count.isAltered, weight: 1, mass: Double(count.windows))
      return (cell, count.windows)
    }.sorted { WindowGroups.isOrdered($0.0, $1.0) }
  }

  // MARK: Quantiles

  /// The weights of a block's windows by feature and by the upper half of the feature's bits.
  ///
  /// - Precondition: the windows' people were counted.
  package func upperCounts(of set: TrainingSet) -> KeyCounts {
    let weights = quantileWeights(of: set)
    var histogram = [UInt64](repeating: 0, count: FloatKey.bucketCount)
    var result = KeyCounts()
    for (feature, column) in FeatureColumns(set).enumerated() {
      for (value, weight) in zip(column, weights) { histogram[FloatKey(value).bucket] += weight }
      result.take(&histogram, slot: feature)
    }
    return result
  }

  /// For each feature the upper halves of the quantiles' bits, ascending.
  ///
  /// - Parameters:
  ///   - upper: The sum of ``upperCounts(of:)`` over all blocks.
  ///   - features: The number of features.
  package func buckets(of upper: KeyCounts, features: Int) -> [[Int]] {
    let targets = unit.targets(at: HingeBasis.probabilities)
    return upper.histograms(features).map { histogram in
      Set(targets.map { QuantilePlace(of: $0, in: histogram).index }).sorted()
    }
  }

  /// The weights of a block's windows by the lower half of the feature's bits, of those features
  /// whose upper half is in one of the buckets.
  ///
  /// - Precondition: the windows' people were counted, and there are buckets for each feature.
  package func lowerCounts(of set: TrainingSet, in buckets: [[Int]]) -> KeyCounts {
    precondition(
      buckets.count == set.featureCount,
      "expected buckets of \(set.featureCount) features, got \(buckets.count)")
    let weights = quantileWeights(of: set)
    var result = KeyCounts()
    var first = 0
    var slots = [Int?](repeating: nil, count: FloatKey.bucketCount)
    for (column, wanted) in zip(FeatureColumns(set), buckets) {
      var histograms = wanted.map { _ in [UInt64](repeating: 0, count: FloatKey.bucketCount) }
      for (slot, bucket) in wanted.enumerated() { slots[bucket] = slot }
      for (value, weight) in zip(column, weights) {
        let key = FloatKey(value)
        if let slot = slots[key.bucket] { histograms[slot][key.place] += weight }
      }
      for (slot, bucket) in wanted.enumerated() {
        slots[bucket] = nil
        result.take(&histograms[slot], slot: first + slot)
      }
      first += wanted.count
    }
    return result
  }

  /// The basis that `HingeRidgeTrainer.basis(for:)` fits to all windows.
  ///
  /// - Parameters:
  ///   - upper: The sum of ``upperCounts(of:)`` over all blocks.
  ///   - lower: That of ``lowerCounts(of:in:)`` in the ``buckets(of:features:)`` of `upper`.
  ///   - features: The number of features.
  package func basis(upper: KeyCounts, lower: KeyCounts, features: Int) -> HingeBasis {
    let targets = unit.targets(at: HingeBasis.probabilities)
    let buckets = buckets(of: upper, features: features)
    let places = lower.histograms(buckets.reduce(0) { $0 + $1.count })
    var first = 0
    return HingeBasis(
      quantiles: zip(upper.histograms(features), buckets).map { histogram, own in
        defer { first += own.count }
        return targets.map { target in
          let bucket = QuantilePlace(of: target, in: histogram)
          let slot = first + (own.firstIndex(of: bucket.index) ?? 0)
          let place = QuantilePlace(of: target - bucket.before, in: places[slot])
          return FloatKey(bits: UInt32(bucket.index << 16 | place.index)).value
        }
      })
  }

  /// The weight of each row in quantiles.
  private func quantileWeights(of set: TrainingSet) -> [UInt64] {
    let weights = set.origins.map { origin in
      units[Owner(subject: origin.subject, isAltered: origin.isAltered)]
    }
    return set.originIndices.map { index in
      guard let weight = weights[index] else {
        preconditionFailure("expected windows of people that were counted")
      }
      return weight
    }
  }

  // MARK: Sums

  /// The sums of a block's windows.
  ///
  /// - Precondition: for each of its people all windows of each kind that were counted.
  package func sums(of set: TrainingSet, basis: HingeBasis) -> Sums {
    let sums = NormalEquations.sums(
      of: set, groups: groups(of: set), basis: basis, balance: settings.fit.balance,
      exponent: exponent)
    return Sums(
      parts: sums.map {
        Sums.Part(activity: $0.activity, dataset: $0.dataset, elements: $1.elements)
      }.sorted { ($0.activity.rawValue, $0.dataset) < ($1.activity.rawValue, $1.dataset) },
      outliers: basis.outlierWeights(of: set))
  }

  /// The cells of a block.
  func groups(of set: TrainingSet) -> WindowGroups {
    let groups = WindowGroups(set)
    let counted = Set(cells.map(\.cell))
    precondition(
      groups.cells.allSatisfy { counted.contains($0.cell) },
      "expected blocks with all of a person's windows, as they were counted")
    return groups
  }
}

extension PartitionedTrainer.KeyCounts {
  /// Adds the entries of a histogram that are not 0, and empties it.
  fileprivate mutating func take(_ histogram: inout [UInt64], slot: Int) {
    for place in histogram.indices where histogram[place] > 0 {
      indices.append(UInt32(slot * FloatKey.bucketCount + place))
      weights.append(histogram[place])
      histogram[place] = 0
    }
  }

  /// The histograms of the first slots.
  fileprivate func histograms(_ slots: Int) -> [[UInt64]] {
    var result = Array(
      repeating: [UInt64](repeating: 0, count: FloatKey.bucketCount), count: slots)
    for (index, weight) in zip(indices, weights) {
      let (slot, place) = Int(index).quotientAndRemainder(dividingBy: FloatKey.bucketCount)
      result[slot][place] += weight
    }
    return result
  }
}
