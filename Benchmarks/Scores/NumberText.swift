import Foundation

/// A number with some decimals; "-" when nil.
func number(_ value: Double?, _ decimals: Int) -> String {
  value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
}

/// A fraction as a percentage with some decimals; "-" when nil.
func percent(_ fraction: Double?, _ decimals: Int) -> String {
  fraction.map { String(format: "%.\(decimals)f %%", 100 * $0) } ?? "-"
}
