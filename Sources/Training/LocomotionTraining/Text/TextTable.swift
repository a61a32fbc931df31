import Foundation

/// A fraction as "93.1 %"; "-" when nil.
package func percent(_ fraction: Double?) -> String {
  fraction.map { String(format: "%.1f %%", 100 * $0) } ?? "-"
}

/// Rows in columns: the first left-aligned, the others right-aligned.
package func aligned(_ rows: [[String]]) -> String {
  let count = rows.map(\.count).max() ?? 0
  let widths = (0..<count).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    row.enumerated().map { column, text in
      let padding = String(repeating: " ", count: widths[column] - text.count)
      return column == 0 ? text + padding : padding + text
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}
