import LocomotionActivityRecognition

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
