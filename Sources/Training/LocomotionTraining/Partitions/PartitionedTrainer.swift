package import LocomotionActivityRecognition
package import LocomotionLinearAlgebra

/// Trains as ``ModelTrainer`` does where the windows are divided among processes or machines.
///
/// A block holds all windows of some people. What is needed of all of them is summed over blocks:
///
/// 1. The counts of windows, which decide their weights: ``init(settings:counts:)``.
/// 2. The weights by the first bits of each feature, then by the next bits of those features that
///    begin as a quantile does, and so on, of which the quantiles follow: ``prefixes(after:)``,
///    ``keyCounts(of:beginning:level:)``, ``basis(of:)``.
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
    /// How many of them are as recorded.
    package var recorded: Int

    package init(
      dataset: String, person: String, activity: Activity, isAltered: Bool, windows: Int,
      recorded: Int
    ) {
      self.dataset = dataset
      self.person = person
      self.activity = activity
      self.isAltered = isAltered
      self.windows = windows
      self.recorded = recorded
    }
  }

  /// Weights by the bits of features, for those that have any.
  package struct KeyCounts: Sendable {
    /// The place of the beginning among those of all features, times the number of values of the
    /// next bits, plus these; ascending.
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
      package var elements: [WideInteger]

      package init(activity: Activity, dataset: String, elements: [WideInteger]) {
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
  /// What each data set contributes.
  let sources: [TrainingReport.Source]
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
    sources = Dictionary(grouping: present, by: \.dataset).map { dataset, counts in
      TrainingReport.Source(dataset: dataset, counts)
    }.sorted { $0.dataset < $1.dataset }

    // As if all activities were one, as `WindowBalance.unlabelledWeights(for:)` has it.
    var merged: [Count: Int] = [:]
    for count in present {
      var key = count
      (key.activity, key.windows, key.recorded) = (.stationary, 0, 0)
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

  /// The numbers of bits by which the quantiles are searched, one level after the other.
  ///
  /// Many at first, since few of the 2¹⁶ beginnings occur; fewer later, so that the counts stay
  /// small however many windows there are.
  package static let levels = [16, 8, 8]

  /// For each feature the beginnings of the quantiles' bits, ascending, that follow of the sums of
  /// ``keyCounts(of:beginning:level:)`` over all blocks for the first levels.
  package func prefixes(after counts: [KeyCounts], features: Int) -> [[UInt32]] {
    search(counts, features: features).map { Set($0.map(\.prefix)).sorted() }
  }

  /// The weights of a block's windows by the next bits of those features that begin with one of
  /// the feature's prefixes.
  ///
  /// - Precondition: the windows' people were counted, there are prefixes for each feature, of as
  ///   many bits as the levels before have.
  package func keyCounts(
    of set: TrainingSet, beginning prefixes: [[UInt32]], level: Int
  ) -> KeyCounts {
    precondition(
      prefixes.count == set.featureCount,
      "expected prefixes of \(set.featureCount) features, got \(prefixes.count)")
    let bits = Self.levels[level]
    let rest = 32 - Self.levels[...level].reduce(0, +)
    let mask = UInt32(1) << UInt32(bits) - 1
    let weights = quantileWeights(of: set)
    var result = KeyCounts()
    var first = 0
    for (column, wanted) in zip(FeatureColumns(set), prefixes) {
      var histogram = [UInt64](repeating: 0, count: wanted.count << bits)
      for (value, weight) in zip(column, weights) {
        let key = UInt64(FloatKey(value).bits) >> UInt64(rest)
        guard let slot = wanted.firstIndex(of: UInt32(key >> UInt64(bits))) else { continue }
        histogram[slot << bits | Int(UInt32(truncatingIfNeeded: key) & mask)] += weight
      }
      for (place, weight) in histogram.enumerated() where weight > 0 {
        result.indices.append(UInt32(first << bits + place))
        result.weights.append(weight)
      }
      first += wanted.count
    }
    return result
  }

  /// The basis that `HingeRidgeTrainer.basis(for:)` fits to all windows, from the sums of
  /// ``keyCounts(of:beginning:level:)`` over all blocks for all levels.
  package func basis(of counts: [KeyCounts], features: Int) -> HingeBasis {
    precondition(
      counts.count == Self.levels.count,
      "expected \(Self.levels.count) levels, got \(counts.count)")
    return HingeBasis(
      quantiles: search(counts, features: features).map { places in
        places.map { FloatKey(bits: $0.prefix).value }
      })
  }

  /// How a quantile's bits begin, and how many units remain to be reached after that beginning.
  private struct Place {
    var prefix: UInt32 = 0
    var target: UInt64
  }

  /// The quantiles of each feature as far as some levels tell.
  private func search(_ counts: [KeyCounts], features: Int) -> [[Place]] {
    let targets = unit.targets(at: HingeBasis.probabilities)
    var places = Array(repeating: targets.map { Place(target: $0) }, count: features)
    for (bits, counts) in zip(Self.levels, counts) {
      let wanted = places.map { Set($0.map(\.prefix)).sorted() }
      let histograms = counts.histograms(wanted.reduce(0) { $0 + $1.count }, bits: bits)
      var first = 0
      for feature in places.indices {
        for index in places[feature].indices {
          let place = places[feature][index]
          let slot = first + (wanted[feature].firstIndex(of: place.prefix) ?? 0)
          let found = QuantilePlace(of: place.target, in: histograms[slot])
          places[feature][index] = Place(
            prefix: place.prefix << UInt32(bits) | UInt32(found.index),
            target: place.target - found.before)
        }
        first += wanted[feature].count
      }
    }
    return places
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
  /// The histograms of so many beginnings by the next bits.
  fileprivate func histograms(_ count: Int, bits: Int) -> [[UInt64]] {
    var result = Array(repeating: [UInt64](repeating: 0, count: 1 << bits), count: count)
    for (index, weight) in zip(indices, weights) {
      result[Int(index) >> bits][Int(index) & (1 << bits - 1)] += weight
    }
    return result
  }
}

extension TrainingReport.Source {
  fileprivate init(dataset: String, _ counts: [PartitionedTrainer.Count]) {
    var windows: [String: Int] = [:]
    for count in counts where count.recorded > 0 {
      windows[count.activity.name, default: 0] += count.recorded
    }
    self.init(
      dataset: dataset, people: Set(counts.map(\.person)).count, windows: windows,
      augmentedWindows: counts.reduce(0) { $0 + $1.windows - $1.recorded })
  }
}
