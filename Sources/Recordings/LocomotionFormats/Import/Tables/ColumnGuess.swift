internal import LocomotionRecordings
internal import LocomotionSensing

/// What columns hold by their values, where their names say nothing of it.
///
/// Times are dates, or counts since 1970 of 10, 13, 16 or 19 digits, that rise or fall; beside
/// accelerations also any count in even steps but of 1, which is an index. A latitude and a
/// longitude, in this order unless the first is beyond 90, are the only two columns with five
/// decimals or more whose values follow each other closely. Accelerations are three columns side by
/// side that have the length of gravity.
struct ColumnGuess {
  private(set) var columns: [String: Int] = [:]

  private static let fewestRows = 8
  private static let degreesPerRow = 0.02
  private static let fewestDecimals = 5

  /// Looks at the first rows of a table, at the columns whose names say nothing, and at those of
  /// which one may be the time, as far as no name tells the time, positions or accelerations.
  init(_ rows: [[String]], _ candidates: [Int], times: [Int], needsTime: Bool, needsPlace: Bool) {
    guard rows.count >= Self.fewestRows else { return }
    if needsTime { columns["t"] = times.first { Self.isTime(rows, $0) } }
    guard needsPlace else { return }
    let free = candidates.filter { $0 != columns["t"] }
    let places = free.filter { Self.isAxisOfPlace(rows, $0) }
    if places.count == 2 {
      let isLatitudeFirst = !rows.contains { abs(NamedColumns.number($0[places[0]]) ?? 0) > 90 }
      columns["lat"] = places[isLatitudeFirst ? 0 : 1]
      columns["lon"] = places[isLatitudeFirst ? 1 : 0]
      return
    }
    if needsTime, columns["t"] == nil { columns["t"] = free.first { Self.isEvenCount(rows, $0) } }
    let others = free.filter { $0 != columns["t"] && Self.numbers(rows, $0) != nil }
    let axes = others.indices.dropLast(2).map { Array(others[$0..<($0 + 3)]) }
    let found = axes.first { axes in
      NamedColumns.length(of: axes, rows, atLeast: 1).map(NamedColumns.isGravity) ?? false
    }
    if let axes = found {
      for (name, column) in zip(SensorNames.accelerations, axes) { columns[name] = column }
    }
  }

  private static func numbers(_ rows: [[String]], _ column: Int) -> [Double]? {
    let numbers = rows.compactMap { NamedColumns.number($0[column]) }
    return numbers.count == rows.count ? numbers : nil
  }

  private static func isTime(_ rows: [[String]], _ column: Int) -> Bool {
    guard let numbers = numbers(rows, column) else {
      let dates = DateText([])
      return rows.allSatisfy {
        CalendarTime.timestamp($0[column]) != nil || dates.iso($0[column]) != nil
      }
    }
    let steps = numbers.steps
    let isInOrder = steps.allSatisfy { $0 >= 0 } || steps.allSatisfy { $0 <= 0 }
    return isInOrder && steps.contains { $0 != 0 }
      && [1.0, 1e3, 1e6, 1e9].contains { unit in numbers.allSatisfy { 1e9..<4e9 ~= $0 / unit } }
  }

  private static func isEvenCount(_ rows: [[String]], _ column: Int) -> Bool {
    guard let steps = numbers(rows, column)?.steps, let median = steps.median else { return false }
    return steps.allSatisfy { 0 < $0 && $0 <= 3 * median } && median != 1
  }

  private static func isAxisOfPlace(_ rows: [[String]], _ column: Int) -> Bool {
    guard let numbers = numbers(rows, column), numbers.allSatisfy({ abs($0) <= 180 && $0 != 0 })
    else { return false }
    let step = numbers.steps.map { abs($0) }.median ?? 0
    let decimals = rows.map { row in row[column].drop { $0 != "." && $0 != "," }.count - 1 }
    return step < degreesPerRow && decimals.max() ?? 0 >= fewestDecimals
  }
}
