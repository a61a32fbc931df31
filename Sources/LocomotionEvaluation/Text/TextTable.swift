import Foundation

/// A share as "93.1 %"; "-" when there is none.
package func percent(_ fraction: Double?) -> String {
  fraction.map { String(format: "%.1f %%", 100 * $0) } ?? "-"
}

/// Rows in columns: the first flush left, the others flush right.
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
