import Foundation
public import LocomotionActivityRecognition

/// The weights of the windows, so that no class, data set or person dominates.
///
/// All classes weigh the same, unless `classes` or ``classWeights`` say otherwise: then the
/// probabilities of a model that is trained so are no longer proportional to likelihoods, and lean
/// to the classes that weigh more. Inside a class a data set's weight is M^`dataset`, and inside a
/// set a person's is n^`subject`, where n is the person's number of windows of the class and M the
/// sum of these powers over the set's people. An exponent of 1 gives every window equal weight, 0
/// gives every set (or person) equal weight; values between are a compromise, because a person
/// with few windows adds less information. A person's altered copies count as one more person
/// whose weight is multiplied by `altered`: where they are many, they blur the classes that they
/// resemble.
///
/// A window that has a weight of its own (`TrainingSet.weights`) counts as that many windows. The
/// weights of all windows sum to 1.
public struct WindowBalance: Sendable, Equatable, Codable {
  /// The exponent of a person's number of windows, 0 to 1, default 0.5.
  var subject: Double
  /// The exponent of a data set's mass, 0 to 1, default 0.5.
  var dataset: Double

  /// The factor of the weight of altered copies, default 0.3.
  var altered: Double

  /// The exponent of a class's mass, 0 to 1; nil for 0, the default.
  var classes: Double?

  /// The factors of the weights of some classes, not negative; 1 for the others, nil for all.
  public var classWeights: [Activity: Double]?

  /// A balance with the given exponents and factors.
  public init(
    subject: Double = 0.5, dataset: Double = 0.5, altered: Double = 0.3, classes: Double = 0,
    classWeights: [Activity: Double] = [:]
  ) {
    self.subject = subject
    self.dataset = dataset
    self.altered = altered
    self.classes = classes == 0 ? nil : classes
    self.classWeights = classWeights.isEmpty ? nil : classWeights
  }

  /// Every window weighs the same, altered copies less.
  public static let windows = WindowBalance(subject: 1, dataset: 1, classes: 1)
  /// Inside a class every data set weighs the same, and inside a set every person.
  public static let people = WindowBalance(subject: 0, dataset: 0)

  /// The weight of every row of `set`.
  public func weights(for set: TrainingSet) -> [Double] {
    weights(of: WindowGroups(set), rows: set.count)
  }

  /// The weight of every row of `set` as if all activities were one.
  func unlabelledWeights(for set: TrainingSet) -> [Double] {
    weights(of: WindowGroups(set, ignoringActivities: true), rows: set.count)
  }

  private func weights(of groups: WindowGroups, rows: Int) -> [Double] {
    var weights = [Double](repeating: 0, count: rows)
    let masses = ClassMasses(groups.cells, balance: self)
    for (cell, rows) in groups.cells {
      let weight = masses.rowWeight(of: cell)
      for row in rows {
        weights[row] = weight
      }
    }
    return weights
  }

  /// The factor of a row's weight that depends on its own cell only.
  func rawRowWeight(of cell: WindowGroups.Cell) -> Double {
    cell.weight * pow(cell.mass, subject - 1) * (cell.isAltered ? altered : 1)
  }
}

/// Activities are keys by their names, for people and other programs.
extension Activity: CodingKeyRepresentable {
  /// The name.
  public var codingKey: any CodingKey { name.codingKey }

  /// The activity of this name; nil when it is unknown.
  public init?<Key: CodingKey>(codingKey: Key) {
    self.init(name: codingKey.stringValue)
  }
}

/// The sums that the weights are normalised by.
struct ClassMasses {
  private let balance: WindowBalance
  private var datasetMass: [WindowGroups.Part: Double] = [:]
  private var classMass: [Activity: Double] = [:]
  /// The weight of each class relative to that of all alike; empty when they are.
  private var classShare: [Activity: Double] = [:]

  init(_ cells: [WindowGroups.Entry], balance: WindowBalance) {
    self.balance = balance
    for (cell, rows) in cells {
      datasetMass[cell.part, default: 0] += balance.rawRowWeight(of: cell) * Double(rows.count)
    }
    // In a fixed order, so that the rounding of the sums is reproducible.
    let ordered = datasetMass.sorted { $0.key.dataset < $1.key.dataset }
    for (key, mass) in ordered {
      classMass[key.activity, default: 0] += pow(mass, balance.dataset)
    }
    guard balance.classes != nil || balance.classWeights != nil else { return }
    let weights = classMass.map { activity, mass in
      (activity, pow(mass, balance.classes ?? 0) * (balance.classWeights?[activity] ?? 1))
    }.sorted { $0.0.rawValue < $1.0.rawValue }
    let total = weights.reduce(0) { $0 + $1.1 }
    guard total > 0 else { return }
    for (activity, weight) in weights {
      classShare[activity] = weight / total * Double(weights.count)
    }
  }

  /// The factor from the raw to the final weights of a class in a data set.
  ///
  /// 0 when the class has no window there.
  func factor(_ part: WindowGroups.Part) -> Double {
    guard let mass = datasetMass[part], let total = classMass[part.activity] else { return 0 }
    return pow(mass, balance.dataset - 1) / (total * Double(classMass.count))
      * (classShare[part.activity] ?? 1)
  }

  func rowWeight(of cell: WindowGroups.Cell) -> Double {
    balance.rawRowWeight(of: cell) * factor(cell.part)
  }
}

/// The rows of a training set by class, data set, person, whether they are altered, and the weight
/// that their user gave them: within such a cell all rows have the same weight.
struct WindowGroups {
  /// A class in a data set.
  struct Part: Hashable {
    var activity: Activity
    var dataset: String
  }

  struct Cell: Hashable {
    var activity: Activity
    var dataset: String
    var subject: String
    /// See ``RecordingOrigin/isAltered``.
    var isAltered: Bool
    /// See `TrainingSet.weights`.
    var weight: Double
    /// The sum of the weights of all rows that differ from these in nothing but their weight.
    var mass: Double

    var part: Part { Part(activity: activity, dataset: dataset) }
  }

  /// A cell with its rows in ascending order.
  typealias Entry = (cell: Cell, rows: [Int])

  /// The cells in a fixed order (class, data set, person, altered last, weight).
  let cells: [Entry]

  /// The cells of `set`; without labels all windows count as the first class.
  init(_ set: TrainingSet, ignoringActivities: Bool = false) {
    var rowsByCell: [[Int]] = Array(
      repeating: [], count: set.origins.count * Activity.allCases.count)
    for row in 0..<set.count {
      let activity = ignoringActivities ? .stationary : set.activities[row]
      let slot = set.originIndices[row] * Activity.allCases.count + activity.rawValue
      rowsByCell[slot].append(row)
    }
    var merged: [Cell: [Int]] = [:]
    for (slot, rows) in rowsByCell.enumerated() where !rows.isEmpty {
      let origin = set.origins[slot / Activity.allCases.count]
      let activity = Activity.allCases[slot % Activity.allCases.count]
      let cell = Cell(
        activity: activity, dataset: origin.dataset, subject: origin.subject,
        isAltered: origin.isAltered, weight: 1, mass: 0)
      merged[cell, default: []].append(contentsOf: rows)
    }
    cells = merged.flatMap { Self.parts(of: $0.key, rows: $0.value.sorted(), in: set) }
      .sorted { Self.isOrdered($0.0, $1.0) }
  }

  /// Whether a cell comes before another in the order of ``cells``.
  private static func isOrdered(_ first: Cell, _ second: Cell) -> Bool {
    func key(_ cell: Cell) -> (Int, String, String, Int, Double) {
      (cell.activity.rawValue, cell.dataset, cell.subject, cell.isAltered ? 1 : 0, cell.weight)
    }
    return key(first) < key(second)
  }

  /// A cell for each weight among `rows`.
  private static func parts(
    of cell: Cell, rows: [Int], in set: TrainingSet
  ) -> [Entry] {
    var byWeight: [Double: [Int]] = [:]
    for row in rows { byWeight[set.weights[row], default: []].append(row) }
    let ordered = byWeight.sorted { $0.key < $1.key }
    let mass = ordered.reduce(0) { $0 + $1.key * Double($1.value.count) }
    return ordered.map { weight, rows in
      var part = cell
      (part.weight, part.mass) = (weight, mass)
      return (part, rows)
    }
  }
}
