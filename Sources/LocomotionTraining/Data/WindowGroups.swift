import LocomotionActivityRecognition

/// The rows of a training set by class, data set, person and whether they are altered: within such
/// a cell all rows have the same weight.
struct WindowGroups {
  struct Cell: Hashable {
    var activity: Activity
    var dataset: String
    var subject: String
    /// See ``RecordingOrigin/isAltered``.
    var isAltered: Bool
  }

  /// The cells in a fixed order (class, data set, person, altered last), each with its rows in
  /// ascending order.
  let cells: [(cell: Cell, rows: [Int])]

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
        isAltered: origin.isAltered)
      merged[cell, default: []].append(contentsOf: rows)
    }
    cells = merged.map { ($0.key, $0.value.sorted()) }.sorted {
      ($0.0.activity.rawValue, $0.0.dataset, $0.0.subject, $0.0.isAltered ? 1 : 0)
        < ($1.0.activity.rawValue, $1.0.dataset, $1.0.subject, $1.0.isAltered ? 1 : 0)
    }
  }
}
