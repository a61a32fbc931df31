import Foundation

/// A number with some decimals; "-" when nil.
func number(_ value: Double?, _ decimals: Int) -> String {
  value.map { String(format: "%.\(decimals)f", $0) } ?? "-"
}
