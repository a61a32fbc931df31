import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// The reports in a real browser.
///
/// The page is loaded into frames of a phone's and of a desktop's width, and a script in the page
/// around them prints what the browser rendered.
@Suite(.serialized) struct BrowserTests {
  private let folder = ScratchFolder()

  /// The rendering in one frame.
  private struct Frame: Decodable {
    var width, scroll, stays, trips, gaps, scripts, images, loads: Int
    var ground, ink, heading, eyebrow, footer: String
    var legend, titles, purposes, places, beyond, drawings, unnamed: [String]
  }

  private static let script = """
        const texts = selector => all(selector).map(element => element.textContent)
        const count = selector => all(selector).length
        const isShown = element => element.getClientRects().length > 0
        const style = view.getComputedStyle(page.body)
        return {
          width: view.innerWidth, scroll: page.documentElement.scrollWidth,
          stays: count(".story>li.at"), trips: count(".story>li.way"),
          gaps: count(".story>li.gap"), scripts: page.scripts.length, images: count("img,object"),
          loads: view.performance.getEntriesByType("resource").length,
          ground: style.backgroundColor, ink: style.color,
          heading: page.querySelector("h1").textContent,
          eyebrow: page.querySelector(".eyebrow").textContent,
          footer: page.querySelector("footer").textContent,
          legend: all("li", page.querySelector(".legend") ?? page.createElement("p"))
            .map(element => element.textContent),
          titles: texts(".story strong"), purposes: texts(".purpose"), places: texts(".places li"),
          // What is drawn or written beyond the right edge.
          beyond: all("body *").filter(element => isShown(element)
            && element.getBoundingClientRect().right > view.innerWidth + 0.5)
            .map(element => element.tagName),
          unnamed: all("svg").filter(svg => !svg.getAttribute("aria-hidden")
            && !(svg.querySelector("title")?.textContent.length > 4
            && svg.querySelector("desc")?.textContent.length > 20)).map(svg => svg.outerHTML),
          drawings: all("figure svg").filter(isShown).map(element => element.classList[0] ?? "time")
        }
    """

  /// The frames of a page, 375 and 1,000 points wide, and the browser's error messages.
  private func frames(
    of html: String, isDark: Bool = false
  ) throws -> (frames: [Frame], complaints: [Substring]) {
    try Browser(folder).frames(of: html, script: Self.script, isDark: isDark)
  }

  @Test(
    .enabled(if: Browser.program != nil, "needs a browser: chromium"),
    arguments: HTMLReportTests.inputs.indices)
  func everyReportFitsTheWidthOfAPhoneAndADesktop(index: Int) throws {
    let input = HTMLReportTests.inputs[index]
    let (frames, complaints) = try frames(of: PageDocument(input.analysis).html)
    #expect(complaints.isEmpty, "\(complaints)")
    #expect(frames.map(\.width) == [375, 1_000])
    for frame in frames {
      #expect(frame.scroll <= frame.width, "\(input.name)")
      #expect(frame.beyond.isEmpty, "\(input.name), \(frame.width): \(frame.beyond)")
      #expect(frame.scripts == 2 && frame.images == 0 && frame.loads == 0)
      #expect(frame.unnamed.isEmpty)
      let heading = frame.heading.replacing("\u{A0}", with: " ")
      #expect(heading == input.analysis.heading)
      #expect(frame.drawings.allSatisfy { ["plan", "time"].contains($0) })
      let totals = input.analysis.totals
      #expect(frame.stays == totals.stays && frame.trips == totals.trips)
      if input.name == "day" {
        #expect(frame.drawings.count == 5)
        #expect(
          frame.legend == [
            "stay", "no data", "walking", "running", "cycling", "automotive", "train",
          ])
      }
    }
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func textOfTheUserInADayOfTheJournalIsShownEscaped() throws {
    let hostile = "</title><script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
    let turned = "\u{202E}moc.live\u{2066} بيت"
    let shown = "\u{FFFD}moc.live\u{FFFD} بيت"
    let own = ["--store", folder.store, "--user", hostile]
    #expect(try folder.record(JournalDayTests.lines(), user: hostile).status == 0)
    #expect(try folder.journal("day", user: hostile).status == 0)
    for (id, name) in [(0, hostile), (1, turned)] {
      let run = try ToolRun(["places", "rename", "--id", "\(id)", "--name", name] + own)
      #expect(run.status == 0, "\(run.errors)")
    }
    let interval = ["--start", "1700011000", "--end", "1700012000"]
    let purpose = interval + ["--purpose", "a<b>&\"c"]
    #expect(try folder.journal("correct", purpose, user: hostile).status == 0)
    let path = folder.path("day.html")
    let report = ["--out", path, "--time-zone", "Europe/Berlin"]
    #expect(try folder.journal("report", report, user: hostile).status == 0)
    let html = try folder.text("day.html")
    for isDark in [false, true] {
      let (frames, complaints) = try frames(of: html, isDark: isDark)
      #expect(complaints.isEmpty, "\(complaints)")
      for frame in frames {
        #expect(frame.scroll <= frame.width && frame.beyond.isEmpty, "\(frame.beyond)")
        #expect(frame.scripts == 2 && frame.images == 0 && frame.loads == 0)
        #expect(frame.heading == "Wed 15 Nov 2023, 01:00–02:59")
        #expect(frame.eyebrow == hostile)
        #expect(frame.stays == 2 && frame.trips == 1 && frame.gaps == 0)
        #expect(frame.titles == [hostile, "\(hostile) → \(shown)", shown])
        #expect(frame.places == ["A" + hostile, "B" + shown])
        #expect(frame.purposes == ["a<b>&\"c"])
        #expect(frame.footer.contains("Europe/Berlin (UTC+01:00)"))
        // Light on dark, or dark on light.
        let levels = [frame.ground, frame.ink].map { colour in
          colour.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }.reduce(0, +)
        }
        #expect(isDark ? levels[0] < 120 && levels[1] > 600 : levels[0] > 700 && levels[1] < 150)
      }
    }
    _ = try Browser(folder).run(
      ["--print-to-pdf=\(folder.path("day.pdf"))", URL(fileURLWithPath: path).absoluteString])
    let pdf = try folder.data("day.pdf")
    #expect(pdf.starts(with: Data("%PDF".utf8)) && pdf.count > 20_000)
  }
}
