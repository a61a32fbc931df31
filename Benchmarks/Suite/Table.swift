import BenchmarkHarness
import Foundation

/// The printed table, one line per result.
enum Table {
  static let header =
    padded("name", 50)
    + ["median", "min", "per item", "alloc.", "held", "ratio"].map { aligned($0, 12) }.joined()

  static func row(_ result: Timing) -> String {
    let allocations =
      switch result.allocations {
      case nil: "?"
      case .some(0): "0"
      case .some(let count): rounded(count, 1)
      }
    let columns = [
      time(result.median), time(result.minimum), time(result.median / Double(result.items)),
      allocations, result.heldBytes.map(bytes) ?? "?", result.ratio.map { rounded($0, 2) } ?? "",
    ]
    return padded(result.name, 50) + columns.map { aligned($0, 12) }.joined()
      + "  \(result.items) \(result.unit)"
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: rounded(nanoseconds, 2) + " ns"
    case ..<1e6: rounded(nanoseconds / 1e3, 2) + " µs"
    case ..<1e9: rounded(nanoseconds / 1e6, 2) + " ms"
    default: rounded(nanoseconds / 1e9, 2) + " s"
    }
  }

  private static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(max(0, count)) B"
    case ..<10_000_000: "\(count / 1000) kB"
    default: "\(count / 1_000_000) MB"
    }
  }

  private static func rounded(_ value: Double, _ places: Int) -> String {
    value.formatted(.number.precision(.fractionLength(places)).grouping(.never))
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
