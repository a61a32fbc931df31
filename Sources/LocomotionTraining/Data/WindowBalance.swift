import Foundation
import LocomotionActivityRecognition

/// The weights of the windows, so that no class, data set or person dominates.
///
/// All classes weigh the same. Inside a class a data set's weight is M^`dataset`, and inside a set
/// a person's is n^`subject`, where n is the person's number of windows of the class and M the sum
/// of these powers over the set's people. An exponent of 1 gives every window equal weight, 0 gives
/// every set (or person) equal weight; values between are a compromise, because a person with few
/// windows adds less information. A person's altered copies count as one more person whose weight
/// is multiplied by `altered`: where they are many, they blur the classes that they resemble.
///
/// The weights of all windows sum to 1.
public struct WindowBalance: Sendable, Hashable, Codable {
  /// The exponent of a person's number of windows, 0 to 1, default 0.5.
  public var subject: Double
  /// The exponent of a data set's mass, 0 to 1, default 0.5.
  public var dataset: Double

  /// The factor of the weight of altered copies, default 0.3.
  public var altered: Double

  /// A balance with the given exponents and factor.
  public init(subject: Double = 0.5, dataset: Double = 0.5, altered: Double = 0.3) {
    self.subject = subject
    self.dataset = dataset
    self.altered = altered
  }

  /// The weight of every row of `set`.
  public func weights(for set: TrainingSet) -> [Double] {
    weights(of: WindowGroups(set), rows: set.count)
  }

  /// The weight of every row of `set` as if all activities were one.
  public func unlabelledWeights(for set: TrainingSet) -> [Double] {
    weights(of: WindowGroups(set, ignoringActivities: true), rows: set.count)
  }

  private func weights(of groups: WindowGroups, rows: Int) -> [Double] {
    var weights = [Double](repeating: 0, count: rows)
    let masses = ClassMasses(groups.cells.map { ($0.cell, $0.rows.count) }, balance: self)
    for (cell, rows) in groups.cells {
      let weight = masses.rowWeight(of: cell, windows: rows.count)
      for row in rows {
        weights[row] = weight
      }
    }
    return weights
  }

  /// The factor of a row's weight that depends on its own cell only.
  func rawRowWeight(of cell: WindowGroups.Cell, windows: Int) -> Double {
    pow(Double(windows), subject - 1) * (cell.isAltered ? altered : 1)
  }
}

/// The sums that the weights are normalised by.
struct ClassMasses {
  private struct DatasetKey: Hashable {
    var activity: Activity
    var dataset: String
  }

  private let balance: WindowBalance
  private var datasetMass: [DatasetKey: Double] = [:]
  private var classMass: [Activity: Double] = [:]

  /// The masses of the cells with the given numbers of windows.
  init(_ cells: [(cell: WindowGroups.Cell, windows: Int)], balance: WindowBalance) {
    self.balance = balance
    for (cell, windows) in cells {
      let key = DatasetKey(activity: cell.activity, dataset: cell.dataset)
      datasetMass[key, default: 0] +=
        balance.rawRowWeight(of: cell, windows: windows) * Double(windows)
    }
    // In a fixed order, so that the rounding of the sums is reproducible.
    let ordered = datasetMass.sorted { $0.key.dataset < $1.key.dataset }
    for (key, mass) in ordered {
      classMass[key.activity, default: 0] += pow(mass, balance.dataset)
    }
  }

  /// The factor from the raw to the final weights of a class in a data set.
  ///
  /// 0 when the class has no window there.
  func factor(_ activity: Activity, dataset: String) -> Double {
    let key = DatasetKey(activity: activity, dataset: dataset)
    guard let mass = datasetMass[key], let total = classMass[activity] else { return 0 }
    return pow(mass, balance.dataset - 1) / (total * Double(classMass.count))
  }

  func rowWeight(of cell: WindowGroups.Cell, windows: Int) -> Double {
    balance.rawRowWeight(of: cell, windows: windows) * factor(cell.activity, dataset: cell.dataset)
  }
}
