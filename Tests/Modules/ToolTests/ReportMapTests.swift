import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// The map of the report: its projection, its tiles, and what belongs to a trip.
@Suite struct ReportMapTests {
  private let folder = ScratchFolder()

  /// The place on the square world of Web Mercator, by the formula of OpenStreetMap's wiki.
  private func world(_ latitude: Double, _ longitude: Double) -> SIMD2<Double> {
    let angle = latitude * .pi / 180
    return SIMD2((longitude + 180) / 360, (1 - asinh(tan(angle)) / .pi) / 2)
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func aMarkerIsAtItsPlaceOnTheTiles() throws {
    let analysis = ReportScript.day()
    let tiles = try #require(
      ReportTiles(template: "https://tiles.example/a/{z}/{x}/{y}.png?k=1", attribution: "© <maps>"))
    let html = PageDocument(analysis, tiles: tiles).html
    #expect(html.contains("img-src https://tiles.example; "))
    #expect(html.contains("\"attribution\":\"© \\u003cmaps\\u003e\""))
    let (frames, _) = try Browser(folder).frames(
      of: html, script: Self.tiles, as: Tiles.self)
    let places = try #require(analysis.drawn?["sites"]?.values).map {
      (latitude: $0["lat"]?.asNumber ?? .nan, longitude: $0["lon"]?.asNumber ?? .nan)
    }
    for frame in frames {
      let first = try #require(frame.tiles.first)
      let number = #/https:\/\/tiles.example\/a\/(\d+)\/(\d+)\/(\d+).png\?k=1/#
      let address = try #require(first.href.wholeMatch(of: number))
      func integer(_ text: Substring) throws -> Double { try #require(Double(text)) }
      let count = pow(2, try integer(address.1))
      let tile = SIMD2(try integer(address.2), try integer(address.3))
      #expect(170...370 ~= first.side)
      for pill in frame.pills.prefix(3) {
        let letter = Int(pill.letter.unicodeScalars.first?.value ?? 0) - 65
        let place = world(places[letter].latitude, places[letter].longitude) * count
        let expected = SIMD2(first.x, first.y) + (place - tile) * first.side
        // Both are rounded to a tenth, and the side over some tiles.
        #expect(abs(expected.x - pill.x) < 0.5 && abs(expected.y - pill.y) < 0.5)
      }
      #expect(frame.pills.count > 1)
    }
  }

  /// The tiles and the markers of one frame.
  private struct Tiles: Decodable {
    struct Tile: Decodable {
      var href: String
      var x, y, side: Double
    }
    struct Pill: Decodable {
      var letter: String
      var x, y: Double
    }
    var tiles: [Tile]
    var pills: [Pill]
  }

  private static let tiles = """
    const number = (element, name) => Number(element.getAttribute(name))
    return {
      tiles: all("image").map(image => ({href: image.getAttribute("href"),
        x: number(image, "x"), y: number(image, "y"), side: number(image, "width")})),
      pills: all(".pill").map(pill => {
        const [x, y] = pill.getAttribute("transform").match(/[-\\d.]+/g).map(Number)
        return {letter: pill.querySelector("title").textContent[0], x, y}
      })}
    """

  @Test func anAddressOfTilesIsCheckedBeforeItIsInAPage() {
    for bad in [
      "https://host/{z}/{x}.png", "file:///{z}/{x}/{y}", "https://{z}.host/{x}/{y}",
      "//h/{z}/{x}/{y}",
      "https://h/{z}/{x}/{y}\"onload=", "https://h/{z}/{x}/{y}; script-src *", "{z}/{x}/{y}",
      "https://user@h/{z}/{x}/{y}", "https:///{z}/{x}/{y}", "https://h:+80/{z}/{x}/{y}",
    ] { #expect(ReportTiles(template: bad) == nil, "\(bad)") }
  }

  @Test func theCommandChecksTheAddressOfTheTiles() throws {
    let out = ["analyze", "none.csv", "--out", folder.path("x")]
    #expect(try ToolRun(out + ["--tiles", "https://host/{z}/{x}.png"]).status == 2)
    let lonely = try ToolRun(out + ["--tiles-attribution", "me"])
    #expect(lonely.status == 2 && lonely.errors.contains("--tiles"))
  }

  /// What one frame has of the trips and the links.
  private struct Drawn: Decodable {
    var trips: [[String]]
    var links, identifiers: Int
    var description: String
  }

  private static let drawn = """
    const trips = selector => [...new Set(all(selector).map(element => element.dataset.t))].sort()
    return {trips: [".story .way", "rect[data-t]:not(.band)", ".band", ".leg"].map(trips),
      links: all("path.link").length, identifiers: all(".map [id]").length,
      description: page.querySelector(".map desc").textContent}
    """

  private func drawn(_ analysis: AnalysisResult) throws -> [Drawn] {
    let (frames, complaints) = try Browser(folder).frames(
      of: PageDocument(analysis).html, script: Self.drawn, as: Drawn.self)
    #expect(complaints.isEmpty, "\(complaints)")
    return frames
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func everyTripIsInTheListTheStripTheChartsAndOnTheMap() throws {
    let analysis = ReportScript.day()
    let trips = (1...analysis.totals.trips).map(String.init)
    for frame in try drawn(analysis) {
      #expect(frame.trips.allSatisfy { $0 == trips }, "\(frame.trips)")
      #expect(frame.links == 0 && frame.identifiers == 0)
    }
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func theMapCrossesTheAntimeridianInOnePiece() throws {
    // And not once around the Earth.
    for frame in try drawn(ReportScript.driveOverTheAntimeridian()) {
      #expect(frame.description.contains("The track covers 6."))
    }
  }

  private static let program = URL(fileURLWithPath: "/usr/bin/sha256sum")

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: program.path), "needs sha256sum"),
    arguments: ["script", "style"])
  func thePolicyHasTheHashesOfTheScriptAndTheStyleSheet(element: String) throws {
    let document = PageDocument(ReportScript().walk(100).analysis())
    let text = HTMLReportTests.content(of: element, in: document.html)
    let run = try ToolRun([folder.write(text, to: "text")], program: Self.program)
    let digits = Array(run.output.prefix(64))
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(digits[index..<index + 2]), radix: 16)
    }
    let hash = Data(bytes).base64EncodedString()
    #expect(document.policy.contains("\(element)-src 'sha256-\(hash)'"))
  }

  @Test func aPageIsTheSameInEveryRun() throws {
    let walk = TestFiles.packageRoot.appendingPathComponent(
      "Tests/Support/ChangeIndicator/Recordings/walk-with-pauses.csv.gz")
    let pages = try ["a", "b"].map { name in
      #expect(try ToolRun(["analyze", walk.path, "--out", folder.path(name)]).status == 0)
      return try folder.data(name + "/report.html")
    }
    #expect(pages[0] == pages[1] && pages[0].count < 1_000_000)
  }
}
