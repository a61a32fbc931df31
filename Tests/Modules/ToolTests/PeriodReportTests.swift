import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// The report on several days.
@Suite struct PeriodReportTests {
  private let folder = ScratchFolder()

  private static let hour: Int64 = 3_600_000_000_000

  /// Three days of Berlin around the end of summer time, with days of 24, 25 and 24 hours; in the
  /// last one nothing is recorded, and a gap goes through it.
  static func period(name: String = "Ada") throws -> PeriodReport {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    // 24 October 2026, 00:00.
    var start = Timestamp(nanoseconds: 1_792_792_800_000_000_000)
    var report = PeriodReport(name: name, locale: ReportLocale(timeZone: zone))
    for (index, hours) in [24, 25, 24].enumerated() {
      let end = start.advanced(byNanoseconds: Int64(hours) * hour)
      var analysis = AnalysisResult(
        name: name, samples: [], items: [.gap(Gap(start: start, end: end))])
      if index < 2 {
        // Each day begins and ends at home.
        var script = ReportScript(seed: UInt64(index + 1), start: Int(start.seconds))
          .with(\.wander, 0).rest(index == 0 ? 20_000 : 30_000).walk(900).rest(4_000)
        script.heading += .pi
        script = script.walk(900)
        analysis = script.rest(Int(end.seconds) - script.now).analysis(name: name)
        for (item, words) in zip(analysis.items, analysis.titles) {
          guard let stay = item.asStay else { continue }
          let isHome = words.badge == "A"
          analysis.setPlace(isHome ? 3 : 4, isHome ? "home" : nil, ofStayFrom: stay.start)
        }
      }
      report.add(analysis, key: "2026102\(4 + index)", from: start, to: end)
      start = end
    }
    return report
  }

  @Test func aPeriodHasTotalsACalendarPlacesAndItsDays() throws {
    let html = try Self.period().document.html
    #expect(html.contains("<title>Sat 24 Oct – Mon 26 Oct 2026 · Ada</title>"))
    #expect(html.contains("[\"Days with data\",\"2\",\"of 3 days\"]"))
    // Two visits at home, over both midnights, and between the walks; and two elsewhere.
    #expect(html.contains(#/\["home",\{[^}]*\},"[^"]*","3","2"\]/#))
    #expect(html.contains(#/\["E",\{[^}]*\},"[^"]*","2","2"\]/#))
    for (key, isThere) in [("d20261024", true), ("d20261025", true), ("d20261026", false)] {
      // In the calendar and as details.
      #expect(html.components(separatedBy: "\"key\":\"\(key)\"").count == (isThere ? 4 : 1))
    }
    #expect(
      html.contains("\"name\":\"Mon 26 Oct\",\"length\":1440,\"counts\":\"nothing is recorded\""))
    #expect(html == (try Self.period().document.html))
  }

  /// A strip of the calendar in one frame.
  private struct Strip: Decodable {
    var whole, length, end: Double
    var ticks: [Double]
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func daysAreAsLongAsTheyWere() throws {
    let script = """
      return all(".strip").map(strip => ({whole: strip.viewBox.baseVal.width,
        length: strip.querySelector(".empty").width.baseVal.value,
        end: Math.max(0, ...all("rect:not(.empty)", strip).map(
          box => box.x.baseVal.value + box.width.baseVal.value)),
        ticks: all(".tick", strip).map(tick => Number(tick.getAttribute("d").match(/\\d+/)[0]))}))
      """
    let html = try Self.period().document.html
    #expect(html.contains("\"note\":\"25 h\""))
    let (frames, _) = try Browser(folder).frames(of: html, script: script, as: [Strip].self)
    for strips in frames {
      // In minutes: the longest day is the width of all strips.
      #expect(strips.map(\.whole) == [1_500, 1_500, 1_500])
      #expect(strips.map(\.length) == [1_440, 1_500, 1_440])
      // Six, twelve and eighteen o'clock, an hour later where the hour from two came twice.
      let plain = [360.0, 720, 1_080]
      #expect(strips.map(\.ticks) == [plain, plain.map { $0 + 60 }, plain])
      for strip in strips.prefix(2) { #expect(abs(strip.end - strip.length) < 0.2) }
    }
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func theAxisOfADayWithAChangeOfTheClocksHasFullHours() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    // 25 October 2026 has 25 hours, 29 March 2026 has 23.
    // Six o'clock is seven hours after the first midnight, and five after the second.
    let expected = ["00:00", "06:00", "12:00", "18:00", "00:00"]
    for (second, hours, six) in [(1_792_879_200, 25, 7.0), (1_774_738_800, 23, 5.0)] {
      let start = Timestamp.at(second)
      let end = start.advanced(byNanoseconds: Int64(hours) * Self.hour)
      var analysis = AnalysisResult(
        name: "", samples: [], items: [.stay(Stay(start: start, end: end, location: nil))])
      analysis.locale.timeZone = zone
      let (frames, _) = try Browser(folder).frames(
        of: PageDocument(analysis).html,
        script: """
          const labels = all("svg .label").slice(0, 5)
          const part = labels[1].x.baseVal[0].value / labels[1].ownerSVGElement.viewBox.baseVal.width
          return labels.map(label => label.textContent).concat(part.toFixed(2))
          """, as: [String].self)
      // Of the narrow frame, whose steps don't depend on a pixel more or less.
      let part = String(format: "%.2f", six / Double(hours))
      #expect(frames[0] == expected + [part], "\(frames)")
    }
  }

  @Test func textOfTheUserInAPeriodIsEscaped() throws {
    let hostile = "</title><script>alert(1)</script>"
    let html = try Self.period(name: hostile).document.html
    #expect(!html.contains("<script>alert"))
    // In the title, and in words where no script runs.
    #expect(html.components(separatedBy: "&lt;/title&gt;&lt;script&gt;").count == 3)
  }

  @Test func thePeriodOfTheCommandIsChecked() throws {
    #expect(try folder.record(JournalDayTests.lines()).status == 0)
    func report(_ period: [String]) throws -> ToolRun {
      try folder.journal("report", ["--out", folder.path("weeks.html")] + period)
    }
    for bad in [
      ["--from", "2023-11-13"], ["--to", "2023-11-13"],
      ["--from", "2023-11-13", "--to", "2023-11-12"],
      ["--from", "2023-11-13", "--to", "2024-11-13"],
      ["--from", "2023-11-13", "--to", "2023-11-14", "--date", "2023-11-13"],
      ["--from", "2023-11-31", "--to", "2023-12-14"],
    ] {
      #expect(try report(bad).status == 2, "\(bad)")
      #expect(try !folder.names().contains("weeks.html"))
    }
    let two = ["--from", "2023-11-13", "--to", "2023-11-26", "--time-zone", "Europe/Berlin"]
    let run = try report(two)
    #expect(run.status == 0, "\(run.errors)")
    let html = try folder.text("weeks.html")
    #expect(html.contains("Mon 13 Nov – Sun 26 Nov 2023") && html.contains("of 14 days"))
    #expect(html.contains("\"name\":\"Wed 15 Nov\",\"key\":\"d20231115\""))
    #expect(html.components(separatedBy: "\"short\":").count == 2)
    #expect(html.utf8.count < 1_000_000)
    #expect(try report(two).status == 0)
    #expect(try folder.text("weeks.html") == html)
  }

  /// What a browser shows of the period in one frame.
  private struct Frame: Decodable {
    var scroll, width, folds, open, maps, headings: Int
    var beyond, levels, links, repeated: [String]
  }

  private static let script = """
    const link = page.querySelector('.calendar a[href="#d20261025"]')
    for (const fold of all("details.day")) fold.open = true
    await new Promise(done => view.setTimeout(done, 300))
    const isShown = element => element.getClientRects().length > 0
    const levels = all("h1,h2,h3,h4,h5,h6").map(element => Number(element.tagName[1]))
    const identifiers = all("[id]").map(element => element.id)
    return {
      repeated: identifiers.filter((id, index) => identifiers.indexOf(id) !== index),
      links: all("[rel]").map(link => `${link.rel} ${link.getAttribute("href")} ${link.textContent}`),
      scroll: page.documentElement.scrollWidth, width: view.innerWidth,
      folds: all("details.day").length, open: all("details.day[open]").length,
      maps: all(".map.live").filter(isShown).length, headings: levels.length,
      levels: levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map(String),
      beyond: all("body *").filter(element => isShown(element) && !element.closest(".table")
        && element.getBoundingClientRect().right > view.innerWidth + 0.5)
        .map(element => element.tagName + "." + element.getAttribute("class"))
    }
    """

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func aPeriodFitsAndItsMapsMoveOnceUnfolded() throws {
    let html = try Self.period().document.html
    let (frames, complaints) = try Browser(folder).frames(
      of: html, script: Self.script, as: Frame.self)
    #expect(complaints.isEmpty, "\(complaints)")
    for frame in frames {
      #expect(frame.scroll <= frame.width && frame.beyond.isEmpty, "\(frame.beyond)")
      #expect(frame.folds == 2 && frame.open == 2 && frame.maps == 2)
      #expect(frame.levels.isEmpty && frame.headings > 10 && frame.repeated.isEmpty)
      // Each day leads to the one before and the one after.
      #expect(
        frame.links == ["next #d20261025 Sun 25 Oct ›", "prev #d20261024 ‹ Sat 24 Oct"])
    }
  }
}
