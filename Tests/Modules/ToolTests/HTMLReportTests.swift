import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionReport
import LocomotionSensing
import LocomotionTool
import TestSupport
import Testing

@Suite struct HTMLReportTests {
  /// Every kind of input that a report must handle.
  static let inputs: [(name: String, analysis: AnalysisResult)] = {
    let tiny = ReportScript(start: 12).walk(1)
    let rest = ReportScript().rest(30)
    var nothing = LocomotionSample(
      start: Timestamp(nanoseconds: 0), end: Timestamp(nanoseconds: 1_000_000_000))
    nothing.activity = ActivityDecision(unknown: .notEnoughData, probabilities: .uniform)
    let gap = Gap(start: nothing.start, end: nothing.end)
    return [
      ("day", ReportScript.day()),
      ("no location", ReportScript.day(location: false)),
      ("no accelerations", ReportScript.day(acceleration: false)),
      ("one step", tiny.analysis()), ("half a minute at rest", rest.analysis()),
      ("nothing known", AnalysisResult(name: "", samples: [nothing], items: [.gap(gap)])),
      ("items only", AnalysisResult(name: "", samples: [], items: ReportScript.day().items)),
      ("samples only", AnalysisResult(name: "", samples: rest.samples, items: [])),
      ("empty", AnalysisResult(name: "", samples: [], items: [])),
    ]
  }()

  /// The page without the script's text.
  static func withoutScript(_ html: String) -> String {
    html.replacing("<script>\(PageScript.text)</script>", with: "<script></script>")
  }

  /// The tags in order; the text between them is dropped.
  static func tags(_ html: String) -> [Substring] {
    withoutScript(html).matches(of: #/<[^>]*>/#).map(\.0)
  }

  /// Checks that every element of a page is closed, and inside its parent.
  static func expectProperNesting(of html: String, _ name: String) {
    var open: [Substring] = []
    for tag in tags(html) where !tag.hasPrefix("<!") && !tag.hasPrefix("<meta") {
      if tag.hasPrefix("</") {
        #expect(open.popLast() == tag.dropFirst(2).dropLast(), "\(name)")
      } else if !tag.hasSuffix("/>") {
        open.append(tag.dropFirst().prefix { $0.isLetter || $0.isNumber })
      }
    }
    #expect(open.isEmpty, "\(name)")
  }

  @Test(arguments: inputs.indices)
  func elementsAreProperlyNested(index: Int) {
    let input = Self.inputs[index]
    Self.expectProperNesting(of: HTMLReport(input.analysis).html, input.name)
  }

  @Test(arguments: inputs.indices)
  func aReportLoadsNoExternalResources(index: Int) {
    let page = HTMLReport(Self.inputs[index].analysis).html
    let drawn = Self.withoutScript(page)
    // The name of GPX's namespace is no address.
    let html = page.replacing("http://www.topografix.com/GPX/1/1", with: "")
    for word in ["http:", "https:", "url(", "@import", "src=", "import(", "fetch("] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(Self.tags(html).filter { $0.contains(#/\son\w+=/#) }.isEmpty)
    // Links lead to the page's own elements; the only script is that of the policy's hash.
    #expect(html.matches(of: #/href="(?!#)/#).isEmpty)
    #expect(html.components(separatedBy: "<script").count == 2)
    #expect(html.contains("content=\"\(HTMLReport.policy)\""))
    #expect(HTMLReport.policy.contains("script-src '\(PageScript.hash)'"))
    #expect(HTMLReport.policy.contains("default-src 'none'; style-src '\(ReportStyle.hash)'"))
    #expect(!drawn.contains("style=") && !HTMLReport.policy.contains("unsafe"))
    #expect(!html.contains("img-src") && !drawn.contains("//"))
    #expect(!drawn.contains("nan") && !drawn.contains("inf\""))
  }

  @Test(arguments: Activity.allCases.map(Optional.init) + [nil])
  func theStyleSheetDrawsEveryActivityInItsColours(activity: Activity?) {
    let sheet = ReportStyle.sheet.text
    let name = ReportPalette.name(activity)
    #expect(sheet.contains("--\(name):\(ReportPalette.light(activity));"))
    // And on a dark background.
    #expect(sheet.components(separatedBy: "--\(name):#").count == 3)
    for kind in ["f", "b", "s"] { #expect(sheet.contains("\(kind)-\(name){"), "\(kind)") }
  }

  @Test func externalStringsAreEscaped() {
    let hostile = "</title></style><script>alert('1')</script><img src=x onerror=\"a&b\">\u{1B}"
    let script = ReportScript().walk(100)
    let analysis = script.analysis(
      name: hostile, diagnostics: [.init(name: hostile, value: hostile)])
    let html = HTMLReport(analysis).html
    #expect(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("\u{1B}"))
    let escaped =
      "&lt;/title&gt;&lt;/style&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"
      + "&lt;img src=x onerror=&quot;a&amp;b&quot;&gt;\u{FFFD}"
    // Above the heading, and both parts of the diagnostic.
    #expect(html.components(separatedBy: escaped).count == 4)
    let rest = ReportScript().rest(600)
    // Here also in the title.
    let title = HTMLReport(rest.analysis(name: hostile)).html
    #expect(title.components(separatedBy: escaped).count == 3)
  }

  @Test func interpolatedStringsAreEscapedAndMarkupIsNot() {
    let inner: Markup = "<b>\("<")</b>"
    #expect(("\(inner)\([inner])" as Markup).text == "<b>&lt;</b><b>&lt;</b>")
    #expect(("\("\u{202E}a\u{2067}b\u{200F}")" as Markup).text == "\u{FFFD}a\u{FFFD}b\u{200F}")
    #expect(("\("\"&'>\u{0}\n")" as Markup).text == "&quot;&amp;&#39;&gt;\u{FFFD}\n")
    #expect(("\(1.25) \(-0.04) \(3.0) \(Double.nan) \(7)" as Markup).text == "1.3 0 3 0 7")
  }

  @Test func everyDrawingHasATitleAndADescription() throws {
    let html = HTMLReport(ReportScript.day()).html
    // Day strip, map, probabilities, speed and cadence, which the script draws.
    let figures = #/class="(time|map)" data-title="[^"]{10,}" data-desc="[^"]{20,}"/#
    #expect(html.matches(of: figures).count == 5)
    for svg in Self.tags(html).filter({ $0.hasPrefix("<svg") }) {
      #expect(svg.contains("role=\"img\"") || svg.contains("aria-hidden=\"true\""))
    }
  }

  @Test func missingSensorsAreReported() {
    let noLocation = HTMLReport(ReportScript.day(location: false)).html
    #expect(noLocation.contains("This recording has no location"))
    #expect(!noLocation.contains("Map of the track"))
    #expect(noLocation.contains("Cadence over time"))
    let noAcceleration = HTMLReport(ReportScript.day(acceleration: false)).html
    #expect(noAcceleration.contains("The recording has no accelerations"))
    #expect(noAcceleration.contains("Map of the track"))
    #expect(!noAcceleration.contains("Cadence over time"))
    #expect(HTMLReport(Self.inputs[8].analysis).html.contains("There is nothing to show"))
  }

  @Test(arguments: inputs.indices)
  func theStripTilesTheTime(index: Int) {
    let analysis = Self.inputs[index].analysis
    let pieces = ReportDayStrip.pieces(analysis)
    #expect(pieces.first?.start == analysis.items.first?.start)
    #expect(pieces.last?.end == analysis.items.last?.end)
    for (piece, next) in zip(pieces, pieces.dropFirst()) { #expect(piece.end == next.start) }
  }

  @Test func aReportOfADayWithManyTripsStaysBelowTwoMegabytes() {
    var script = ReportScript(seed: 8).with(\.wander, 0.5)
    // 24 hours that change every few minutes, more often than those of any person.
    var seconds = 0
    var index = 0
    while seconds < 86_400 {
      let length = 130 + 37 * (index % 7)
      switch index % 4 {
      case 0: script = (consume script).rest(length + 300, doubt: 0.5)
      case 1: script = (consume script).walk(length, doubt: 0.5)
      case 2: script = (consume script).go(.automotive, length, speed: 15, doubt: 0.5)
      default: script = (consume script).go(.train, length, speed: 30, doubt: 0.5)
      }
      seconds = script.samples.count
      index += 1
    }
    let html = HTMLReport(script.analysis()).html
    #expect(html.utf8.count < 2_000_000)
    #expect(html.utf8.count > 100_000)
  }

  @Test func aSimplifiedLineStaysWithinItsTolerance() {
    var random = SplitMix64(seed: 11)
    var line: [SIMD2<Double>] = [.zero]
    for _ in 0..<3000 {
      line.append(line[line.count - 1] + SIMD2(random.nextNormal(), random.nextNormal()))
    }
    let simple = line.simplified(tolerance: 2)
    #expect(simple.first == line.first && simple.last == line.last)
    #expect(simple.count < line.count / 2)
    var segment = 0
    for point in line {
      if segment + 2 < simple.count, point == simple[segment + 1] { segment += 1 }
      let (a, b) = (simple[segment], simple[segment + 1])
      let along = b - a
      let fraction = min(max(((point - a) * along).sum() / (along * along).sum(), 0), 1)
      let away = point - a - along * fraction
      #expect((away * away).sum() <= 4 + 1e-9)
    }
    #expect([SIMD2(1.0, 1), SIMD2(1, 1), SIMD2(1, 1)].simplified(tolerance: 1).count == 2)
    #expect([SIMD2<Double>]().simplified(tolerance: 1).isEmpty)
  }

  @Test func theMapCrossesTheAntimeridianInOnePiece() {
    // And not once around the Earth.
    let html = HTMLReport(ReportScript.driveOverTheAntimeridian()).html
    #expect(html.contains("The track covers 6."))
  }
}
