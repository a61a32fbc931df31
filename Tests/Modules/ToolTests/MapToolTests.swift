import Foundation
import TestSupport
import Testing

/// Maps of GeoJSON, and what trips say with them.
@Suite struct MapToolTests {
  private let folder = ScratchFolder()

  /// A drive of 12 km along a street that turns each kilometre, with a fix in 30 s.
  private func drive() throws -> (recording: String, street: String) {
    let corners = (0...12).map { corner -> (Double, Double) in
      let (north, east) = (Double(corner / 2), Double((corner + 1) / 2))
      return (48 + 0.009 * north, 11 + 0.0134 * east)
    }
    var rows = ["t,lat,lon,alt,hacc,speed,course"]
    for second in stride(from: 0, through: 900, by: 30) {
      let along = min(Double(second) * 15 / 1_000, 11.99)
      let (a, b, part) = (
        corners[Int(along)], corners[Int(along) + 1], along - along.rounded(.down)
      )
      rows.append(
        "\(1_777_852_800 + second),\(a.0 + (b.0 - a.0) * part),\(a.1 + (b.1 - a.1) * part),,5,15,")
    }
    let points = corners.map { "[\($0.1),\($0.0)]" }.joined(separator: ",")
    return (
      try folder.write(rows.joined(separator: "\n") + "\n", to: "drive.gps.csv"),
      "{\"type\":\"Feature\",\"properties\":{\"highway\":\"primary\",\"oneway\":\"no\"},"
        + "\"geometry\":{\"type\":\"LineString\",\"coordinates\":[\(points)]}}"
    )
  }

  /// As osmium writes a sequence, as a collection, and with GDAL's rarer tags in one text.
  @Test(arguments: ["\u{1E}", "collection", "other_tags"])
  func aTripHasItsRouteOnAMap(form: String) throws {
    let (recording, street) = try drive()
    let other = "{\"type\":\"Feature\",\"properties\":{\"building\":\"yes\"},\"geometry\":null}"
    let gdal = street.replacing(
      "\"highway\":\"primary\"", with: #""other_tags":"\"highway\"=>\"primary\"""#)
    let text =
      form == "collection"
      ? "{\"type\":\"FeatureCollection\",\"features\":[\(street),\n\(other)]}"
      : form == "other_tags" ? "\(gdal)\n\(other)\n" : "\u{1E}\(street)\n\u{1E}\(other)\n"
    let lines = try folder.write(text, to: "lines.geojson")
    let made = try ToolRun(["map", lines, "--out", folder.path("town.map")])
    #expect(made.status == 0 && made.errors.contains("left out as of no kind: 1"))
    #expect(made.errors.contains("primary: 12 km"))
    let plain = try ToolRun(["timeline", "--json", recording])
    let run = try ToolRun(["timeline", "--json", recording, "--map", folder.path("town.map")])
    #expect(run.status == 0 && !plain.output.contains("distance_network"))
    let length = try #require(run.output.firstMatch(of: #/"distance_network":([0-9.]+)/#)?.1)
    #expect(abs((Double(length) ?? 0) - 11_990) < 60)
    #expect(run.output.replacing(#/"distance_network":[0-9.]+,/#, with: "") == plain.output)
    let analyze = ["analyze", recording, "--out", folder.path("out")]
    #expect(try ToolRun(analyze + ["--map", folder.path("town.map")]).status == 0)
    #expect(try folder.text("out/track.geojson").contains("\"route\":{\"type\":\"LineString\""))
    let page = try folder.text("out/report.html")
    #expect(page.contains("\"streets\":[{\"look\":\"major\"") && page.contains("OpenStreetMap"))
  }

  @Test func whatIsNoMapIsRefused() throws {
    let (recording, _) = try drive()
    let empty = try folder.write(
      "{\"type\":\"FeatureCollection\",\"features\":[]}", to: "none.json")
    try ToolRun.expectRefusal(
      ["map", empty, "--out", folder.path("none.map")], status: 3, naming: "none of 0 features")
    try ToolRun.expectRefusal(
      ["timeline", recording, "--map", recording], status: 3, naming: "'locomotion map' makes")
  }
}
