import Foundation
import Locomotion
import LocomotionReport
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

  /// What is in the page's only element without attributes of this name: `style` or `script`.
  static func content(of element: String, in html: String) -> String {
    let rest = html.components(separatedBy: "<\(element)>").last
    return rest?.components(separatedBy: "</\(element)>").first ?? ""
  }

  /// The page without the script's text.
  static func withoutScript(_ html: String) -> String {
    html.replacing(content(of: "script", in: html), with: "")
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
    Self.expectProperNesting(of: PageDocument(input.analysis).html, input.name)
  }

  @Test(arguments: inputs.indices)
  func aReportLoadsNoExternalResources(index: Int) {
    let document = PageDocument(Self.inputs[index].analysis)
    let (page, policy) = (document.html, document.policy)
    let drawn = Self.withoutScript(page)
    // The name of GPX's namespace is no address.
    let html = page.replacing("http://www.topografix.com/GPX/1/1", with: "")
    for word in ["http:", "https:", "url(", "@import", "src=", "import("] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(Self.tags(html).filter { $0.contains(#/\son\w+=/#) }.isEmpty)
    // Links lead to the page's own elements; beside the document the only script is that of the
    // policy's hash.
    #expect(html.matches(of: #/href="(?!#)/#).isEmpty)
    // Only a server's page may send anything, and to its own address.
    #expect(html.matches(of: #/fetch\((?!location.href,)/#).isEmpty)
    #expect(!policy.contains("connect-src"))
    #expect(html.components(separatedBy: "<script").count == 3)
    #expect(html.contains("content=\"\(policy)\""))
    #expect(policy.contains(#/script-src 'sha256-[^' ]{44}'/#))
    #expect(policy.contains(#/default-src 'none'; style-src 'sha256-[^' ]{44}'/#))
    #expect(!drawn.contains("style=") && !policy.contains("unsafe"))
    #expect(!html.contains("img-src") && !drawn.contains("//"))
    #expect(!drawn.contains("nan") && !drawn.contains("inf\""))
  }

  @Test(arguments: Activity.allCases.map(Optional.init) + [nil])
  func theStyleSheetDrawsEveryActivityInItsColours(activity: Activity?) throws {
    let day = ReportScript.day()
    let sheet = Self.content(of: "style", in: PageDocument(day).html)
    let name = activity?.name ?? "unnamed"
    // As a map of other programs does.
    let leg = Trip.Leg(
      start: day.start, end: day.end, activity: activity, distance: nil, steps: 0)
    let trip = AnalysisResult(name: "", samples: [], items: [.trip(Trip(legs: [leg]))])
    let properties = try GeoJSONTests.features(trip).first?["properties"] as? [String: Any]
    let colour = try #require(properties?["stroke"] as? String)
    #expect(sheet.contains("--\(name):\(colour);"))
    // And on a dark background.
    #expect(sheet.components(separatedBy: "--\(name):#").count == 3)
    for kind in ["f", "b", "s"] { #expect(sheet.contains("\(kind)-\(name){"), "\(kind)") }
  }

  @Test func externalStringsAreTextInEveryPage() throws {
    let hostile = "</title></style><script>alert('1')</script><img src=x onerror=\"a&b\">\u{1B}"
    let shown = String(hostile.dropLast()) + "\u{FFFD}"
    let escaped = """
      &lt;/title&gt;&lt;/style&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\
      &lt;img src=x onerror=&quot;a&amp;b&quot;&gt;\u{FFFD}
      """
    let script = ReportScript().walk(100)
    let walk = PageDocument(
      script.analysis(name: hostile, diagnostics: [(hostile, hostile)])
    ).html
    let rest = PageDocument(ReportScript().rest(600).analysis(name: hostile)).html
    for html in [walk, rest] {
      #expect(
        !html.contains("<script>alert") && !html.contains("<img") && !html.contains("\u{1B}"))
      // Above the heading, in words and for the script, and in the title of what has no other.
      #expect(html.components(separatedBy: escaped).count >= 2)
      let document = try #require(try Self.document(html) as? [String: Any])
      #expect((document["eyebrow"] as? String)?.hasSuffix(shown) == true)
    }
    #expect(rest.contains("<title>Fri 20 Nov 2026, 07:10–07:20 · \(escaped)</title>"))
  }

  /// The document in a page, as a parser reads it.
  static func document(_ html: String) throws -> Any {
    let text = try #require(html.firstMatch(of: #/id="document">(.*)<\/script>/#)?.1)
    return try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test func textsOfADocumentAreReadBackAsTheyAre() throws {
    let text = "a\"\\/\n\t<!--&é\u{1F6B2}\u{200F}"
    let value = PageValue.list([.text(text), .number(1.25, 2), .number(-0.04, 1), .number(.nan, 0)])
    #expect(!value.json.contains("<") && !value.json.contains("&"))
    let read = try #require(
      try JSONSerialization.jsonObject(with: Data(value.json.utf8)) as? [Any])
    #expect(read[0] as? String == text && read[1] as? Double == 1.25 && read[2] as? Int == 0)
    #expect(read[3] is NSNull && value.json.hasSuffix(",1.25,0,null]"))
    #expect(PageValue.text("\u{202E}a\u{2028}b\u{1B}").json == "\"\u{FFFD}a\u{FFFD}b\u{FFFD}\"")
    #expect(PageValue.object([("a", nil), ("b", .list([]))]).json == "{\"b\":[]}")
  }

  @Test func missingSensorsAreReported() {
    let noLocation = PageDocument(ReportScript.day(location: false)).html
    #expect(noLocation.contains("This recording has no location"))
    #expect(noLocation.contains("\"sites\":[]") && !noLocation.contains("\"course\":"))
    #expect(noLocation.contains("\"name\":\"Cadence\""))
    let noAcceleration = PageDocument(ReportScript.day(acceleration: false)).html
    #expect(noAcceleration.contains("The recording has no accelerations"))
    #expect(noAcceleration.contains("\"course\":"))
    #expect(!noAcceleration.contains("\"name\":\"Cadence\""))
    #expect(PageDocument(Self.inputs[8].analysis).html.contains("There is nothing to show"))
  }

  @Test(arguments: inputs.indices)
  func theStripTilesTheTime(index: Int) {
    let analysis = Self.inputs[index].analysis
    let json = PageDocument(analysis).value.json
    let ends = json.matches(of: #/(\d+),(\d+),"[a-z]+","/#).map { (Int($0.1), Int($0.2)) }
    let span = json.firstMatch(of: #/"span":(\d+)/#).flatMap { Int($0.1) }
    #expect(ends.first?.0 ?? 0 == 0 && ends.last?.1 == span)
    for (piece, next) in zip(ends, ends.dropFirst()) { #expect(piece.1 == next.0) }
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
    let html = PageDocument(script.analysis()).html
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
}
