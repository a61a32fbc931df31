import Foundation
import TestSupport
import Testing

/// What articles say of the code is what the code says.
@Suite struct ArticleTests {
  private static func text(of path: String) throws -> String {
    let file = TestFiles.packageRoot.appendingPathComponent(path)
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func everyConstantOfTheLocationFilterHasItsDefaultAndItsProvenance() throws {
    let settings = try Self.text(
      of: "Sources/Device/LocomotionPositioning/Filter/LocationFilterSettings.swift")
    let article = try Self.text(
      of: "Sources/Device/LocomotionPositioning/Documentation.docc/LocationFiltering.md")
    var rows: [String: (value: Double?, provenance: String)] = [:]
    for match in article.matches(of: #/(?m)^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/#) {
      rows[String(match.1)] = (Self.number(String(match.2)), String(match.3))
    }
    var count = 0
    for match in settings.matches(of: #/(?m)^    public var (\w+) = ([0-9._/ ]+)$/#) {
      count += 1
      let row = rows[String(match.1)]
      #expect(row != nil, "LocationFiltering.md has no row for \(match.1)")
      let value = Self.number(String(match.2))
      #expect(value != nil && row?.value == value, "\(match.1) is \(match.2)")
      #expect(row?.provenance.isEmpty == false, "\(match.1) has no provenance")
    }
    #expect(count > 0)
  }

  @Test func everyNameInTheGlossaryIsInTheSources() throws {
    let glossary = try Self.text(of: "Sources/Device/Locomotion/Documentation.docc/Glossary.md")
    let sources = RepositoryFile.swift.filter { $0.path.hasPrefix("Sources/") }
      .compactMap(\.text)
    let names = Set(glossary.matches(of: #/`([A-Za-z]\w+)`/#).map { String($0.1) })
    #expect(!names.isEmpty)
    for name in names.sorted() {
      let isThere = sources.contains { $0.contains(name) }
      #expect(isThere, "the glossary names \(name), which is in no source")
    }
  }

  /// The value of "0.55", "20,000 m", "20_000.0", "1/150 s⁻¹" or "1.0 / 150"; the unit is left out.
  private static func number(_ text: String) -> Double? {
    let plain = text.replacing("_", with: "").replacing(",", with: "").replacing(" / ", with: "/")
    guard let first = plain.split(separator: " ").first else { return nil }
    let parts = first.split(separator: "/").map { Double($0) }
    guard let numerator = parts.first ?? nil else { return nil }
    guard parts.count == 2, let denominator = parts[1] else { return numerator }
    return numerator / denominator
  }

  @Test func numbersAreRead() {
    #expect(Self.number("0.55") == 0.55)
    #expect(Self.number("20,000 m") == Self.number("20_000.0"))
    #expect(Self.number("1/150 s⁻¹") == Self.number("1.0 / 150"))
    #expect(Self.number("m") == nil)
  }
}
