internal import Foundation
internal import LocomotionSensing

/// Positions as text: of one axis with its hemisphere, or of both.
enum PlaceText {
  /// The degrees of an angle such as `47.3N`, `W 8.1`, `47°18'0"N` or `47 18.5`; nil for any other
  /// text.
  static func degrees(_ text: String) -> Double? {
    var sign = 1.0
    var plain = text.trimmingCharacters(in: .whitespaces)
    for (letters, factor) in [("NnEe", 1.0), ("SsWw", -1.0)] {
      if let last = plain.last, letters.contains(last) {
        plain.removeLast()
        sign = factor
      } else if let first = plain.first, letters.contains(first) {
        plain.removeFirst()
        sign = factor
      }
    }
    let parts = plain.split { " °º'′\"″".contains($0) }.map { Double($0.replacing(",", with: ".")) }
    guard 1...3 ~= parts.count, !parts.contains(nil) else { return nil }
    let numbers = parts.compactMap(\.self)
    guard numbers.allSatisfy(\.isFinite), numbers.dropFirst().allSatisfy({ 0..<60 ~= $0 }) else {
      return nil
    }
    let size = zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + abs($1.0) / $1.1 }
    return numbers[0] < 0 ? -sign * size : sign * size
  }

  /// A point of WKT (OGC 06-103r4), whose longitude is first, or `latitude, longitude`.
  static func point(_ text: String) -> (latitude: Double, longitude: Double)? {
    let upper = text.uppercased()
    if let start = upper.range(of: "POINT"),
      let open = upper[start.upperBound...].firstIndex(of: "(")
    {
      let numbers = upper[upper.index(after: open)...].prefix { $0 != ")" }
        .split(separator: " ").map { Double($0) }
      guard 2...4 ~= numbers.count, let longitude = numbers[0], let latitude = numbers[1] else {
        return nil
      }
      return (latitude, longitude)
    }
    let parts = text.split { ",;".contains($0) }.map {
      degrees($0.filter { !"()[]".contains($0) })
    }
    guard 2...3 ~= parts.count, let latitude = parts[0], let longitude = parts[1] else {
      return nil
    }
    return (latitude, longitude)
  }
}
