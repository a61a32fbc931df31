import Foundation
import Locomotion
import LocomotionTool
import TestSupport
import Testing

/// A reader corrects a report in its page, saves the file, and analyzes the recording with it.
@Suite(.serialized, .enabled(if: Browser.program != nil, "needs a browser: chromium"))
struct CorrectionTests {
  private let folder = ScratchFolder()

  /// What one frame has after corrections, and the file that it saves.
  private struct Page: Decodable {
    var said: [String]
    var left: Int
    var name, file: String
    var errors: [String]
  }

  /// The script that corrects: `act` is its middle.
  private static func script(_ act: String, opens: Bool) -> String {
    """
    const errors = []
    view.addEventListener("error", event => errors.push(event.message))
    if (\(opens)) all("button").find(button => button.textContent === "Correct").click()
    const rows = all(".story > li")
    const choose = (field, value) => {
      field.value = value
      field.dispatchEvent(new view.Event("change", {bubbles: true}))
    }
    const press = (row, text) =>
      all("button", row).find(button => button.textContent === text).click()
    \(act)
    const said = all(".corrections li").map(row => row.firstChild.textContent.trim())
    let blob = null, name = ""
    view.URL.createObjectURL = made => { blob = made; return "#" }
    view.HTMLAnchorElement.prototype.click = function() { name = this.download }
    all(".corrections .save")[0].click()
    const file = await blob.text()
    press(all(".corrections li").at(-1), "Undo")
    return {said, left: all(".corrections li").length, name, file, errors}
    """
  }

  private func correct(_ report: String, _ act: String, opens: Bool = true) throws -> Page {
    let (frames, complaints) = try Browser(folder).frames(
      of: try folder.text(report), script: Self.script(act, opens: opens), as: Page.self)
    #expect(complaints.isEmpty, "\(complaints)")
    let page = try #require(frames.first)
    #expect(page.errors.isEmpty, "\(page.errors)")
    #expect(page.left == page.said.count - 1 && page.name.hasSuffix(".json"))
    return page
  }

  private func items(_ path: String) throws -> [[String: Any]] {
    let document = try JSONSerialization.jsonObject(with: folder.data(path)) as? [String: Any]
    return try #require(document?["items"] as? [[String: Any]])
  }

  /// A morning: at home, a walk, at work, and a walk home, as GPS alone sees it.
  private func morning() throws -> String {
    let script = ReportScript().rest(1_500).with(\.heading, 0).with(\.wander, 0).walk(900).rest(
      1_500
    )
    .with(\.heading, .pi).walk(900).rest(1_500)
    var rows = "t,lat,lon,hacc\n"
    for sample in script.samples {
      guard let place = sample.location else { continue }
      rows += "\(sample.start.seconds + 0.25),\(place.latitude),\(place.longitude),5\n"
    }
    return try folder.write(rows, to: "morning.gps.csv")
  }

  @Test func whatAReaderCorrectsIsInTheNextAnalysis() throws {
    let recording = try morning()
    let analyze = ["analyze", recording, "--out", folder.path("out")]
    #expect(try ToolRun(analyze).status == 0)
    let before = try items("out/timeline.json")
    #expect(before.map { $0["type"] as? String } == ["stay", "trip", "stay", "trip", "stay"])
    let page = try correct(
      "out/report.html",
      """
      choose(all("select", rows[1])[0], "running")
      choose(all("input", rows[0])[0], "Ada's <b>home</b> \\"@1\\"")
      press(rows[2], "Not there")
      """)
    #expect(page.said.count == 3 && page.said[0].hasSuffix(" is running"))
    let file = try folder.write(page.file, to: "corrections.json")
    let corrected = try ToolRun(analyze + ["--corrections", file])
    #expect(corrected.status == 0 && !corrected.errors.contains("nothing"), "\(corrected.errors)")
    let after = try items("out/timeline.json")
    // The two trips are one, whose first leg is the correction, to the instant.
    #expect(after.map { $0["type"] as? String } == ["stay", "trip", "stay"])
    let legs = try #require(after[1]["legs"] as? [[String: Any]])
    #expect(legs[0]["activity"] as? String == "running" && legs[0]["corrected"] as? Bool == true)
    #expect(after[1]["start"] as? Double == before[1]["start"] as? Double)
    #expect(after[1]["end"] as? Double == before[3]["end"] as? Double)
    for stay in [after[0], after[2]] {
      #expect(stay["place"] as? String == "Ada's <b>home</b> \"@1\"")
    }
    let summary = try folder.text("out/summary.txt")
    #expect(summary.contains("Ada's <b>home</b> \"@1\""))
    // Twice is as once, and the page of the corrected one is that of the same recording.
    let (once, timeline) = (
      try folder.data("out/report.html"), try folder.data("out/timeline.json")
    )
    #expect(try ToolRun(analyze + ["--corrections", file]).status == 0)
    #expect(try folder.data("out/report.html") == once)

    // One of another recording, of a journal, or of nothing is refused.
    let other = try folder.write(
      try folder.text("morning.gps.csv").split(separator: "\n").dropLast(60).joined(
        separator: "\n"),
      to: "other.gps.csv")
    let refused = try ToolRun(
      ["analyze", other, "--out", folder.path("other"), "--corrections", file])
    #expect(refused.status == 3 && refused.errors.contains("are of another recording"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("other/report.html")))
    for wrong in [
      "{}", "", "[1", page.file.replacing("\"activity\"", with: "\"colour\""),
      page.file.replacing("\"activity\"", with: "\"window\""),
      page.file.replacing("\"running\"", with: "\"flying\""),
      page.file.replacing("\"value\":\"-1\"", with: "\"value\":\"-7\""),
      page.file.replacing("\"lat\":48", with: "\"lat\":148"),
    ] {
      let path = try folder.write(wrong, to: "wrong.json")
      #expect(try ToolRun(analyze + ["--corrections", path]).status == 3, "\(wrong)")
    }
    // What is about nothing any more is told, and the rest applied.
    let stale = "\"edits\":[{\"kind\":\"activity\",\"start\":1,\"end\":99,\"value\":\"train\"},"
    let mixed = try folder.write(
      page.file.replacing("\"edits\":[", with: stale), to: "mixed.json")
    let run = try ToolRun(analyze + ["--corrections", mixed])
    #expect(run.status == 0 && run.errors.contains("activity train from 1 to 99 is about nothing"))
    #expect(try folder.data("out/timeline.json") == timeline)
  }

  @Test func aSecondRoundKeepsTheFirst() throws {
    let analyze = ["analyze", try morning(), "--out", folder.path("out")]
    #expect(try ToolRun(analyze).status == 0)
    let first = try correct(
      "out/report.html",
      """
      choose(all("select", rows[1])[0], "running")
      choose(all("input", rows[0])[0], "Home")
      choose(all("select", rows[1])[0], "cycling")
      errors.push(...all("input[type=text]").map(field => field.value)
        .filter((name, index) => name !== ["Home", "", "Home"][index]))
      """)
    // What is changed keeps its turn.
    #expect(first.said.count == 2 && first.said[0].hasSuffix(" is cycling"), "\(first.said)")
    let one = try folder.write(first.file, to: "one.json")
    #expect(try ToolRun(analyze + ["--corrections", one]).status == 0)
    let second = try correct(
      "out/report.html", "choose(all(\"select\", rows[3])[0], \"automotive\")")
    #expect(second.said.first == "3 of before" && second.said.count == 2, "\(second.said)")
    let both = try folder.write(second.file, to: "both.json")
    #expect(try ToolRun(analyze + ["--corrections", both]).status == 0)
    let items = try items("out/timeline.json")
    #expect(items[1]["activity"] as? String == "cycling")
    #expect(items[3]["activity"] as? String == "automotive")
    #expect(items[0]["place"] as? String == "Home" && items[4]["place"] as? String == "Home")
  }

  @Test func placesOfSeveralDaysAreTheirOwnAndAGapIsNoNeighbour() throws {
    _ = try morning()
    let outings = folder.path("days")
    try FileManager.default.createDirectory(atPath: outings, withIntermediateDirectories: true)
    for index in 0..<5 {
      // Each day is a kilometre farther north.
      let rows = try folder.text("morning.gps.csv").split(separator: "\n")
      let moved = rows.dropFirst().map { row in
        let fields = row.split(separator: ",")
        let (time, north) = (Double(fields[0]) ?? 0, Double(fields[1]) ?? 0)
        return "\(time + 86_400 * Double(index)),\(north + 0.02 * Double(index)),\(fields[2]),5"
      }
      try folder.write(
        ([String(rows[0])] + moved).joined(separator: "\n"), to: "days/\(index).gps.csv")
    }
    let analyze = ["analyze", outings, "--out", folder.path("out")]
    let run = try ToolRun(analyze)
    #expect(run.status == 0, "\(run.errors)")
    let page = try correct(
      "out/report.html",
      """
      const folds = all("details.day")
      for (const fold of folds) fold.open = true
      await new Promise(done => view.setTimeout(done, 300))
      for (const index of [0, 1]) {
        const fold = folds[index]
        all("button", fold).find(button => button.textContent === "Correct").click()
        choose(all("input[type=text]", fold)[0], "Home " + index)
      }
      const joins = all("button", folds[0]).filter(button => button.textContent === "Not there")
      errors.push(...joins.filter(button =>
        [button.closest("li").previousSibling, button.closest("li").nextSibling]
          .some(row => row.className === "gap")).map(() => "beside a gap"))
      """, opens: false)
    let file = try folder.write(page.file, to: "corrections.json")
    let corrected = try ToolRun(analyze + ["--corrections", file])
    #expect(corrected.status == 0, "\(corrected.errors)")
    let names = try items("out/timeline.json").compactMap { $0["place"] as? String }
    #expect(Set(names) == ["Home 0", "Home 1"], "\(names)")
  }

  @Test func aJournalTakesWhatItsPageSaves() throws {
    let own = folder.own
    let imported = try ToolRun(["journal", "import"] + own + [morning()])
    #expect(imported.status == 0, "\(imported.errors)")
    let report = ["journal", "report", "--out", folder.path("day.html")] + own
    #expect(try ToolRun(report).status == 0)
    let page = try correct(
      "day.html",
      """
      choose(all("select", rows[1])[0], "running")
      choose(all("input", rows[0])[0], "home")
      all("input.seek")[0].value = 6000
      all("input.seek")[0].dispatchEvent(new view.Event("input", {bubbles: true}))
      press(rows.at(-1), "Split at the cursor")
      """)
    // Home is told of both stays there.
    #expect(page.said.count == 3, "\(page.said)")
    let file = try folder.write(page.file, to: "corrections.json")
    let taken = try ToolRun(["journal", "correct"] + own + ["--file", file])
    #expect(taken.status == 0 && taken.errors.contains("4 new of 4"), "\(taken.errors)")
    let again = try ToolRun(["journal", "correct"] + own + ["--file", file])
    #expect(again.status == 0 && again.errors == "corrections: 0 new of 4\n", "\(again.errors)")
    let day = try ToolRun(["journal", "day"] + own).output
    #expect(day.contains("home") && day.contains("running"), "\(day)")
    // A later word holds, and the file again is a later one still.
    let begin = ReportScript().now
    let ride = [
      "--start", "\(begin + 1_600)", "--end", "\(begin + 2_300)", "--activity", "cycling",
    ]
    #expect(try ToolRun(["journal", "correct"] + own + ride).status == 0)
    #expect(try ToolRun(["journal", "day"] + own).output.contains("cycling"))
    let last = try ToolRun(["journal", "correct"] + own + ["--file", file])
    #expect(last.errors == "corrections: 1 new of 4\n", "\(last.errors)")
    #expect(try ToolRun(["journal", "day"] + own).output.contains("running"))
    // Another user's journal doesn't take it, nor one that knows nothing of that time.
    let bob = ["--store", folder.store, "--user", "bob"]
    #expect(try folder.record(JournalDayTests.lines(), user: "bob").status == 0)
    let foreign = try ToolRun(["journal", "correct"] + bob + ["--file", file])
    #expect(foreign.status == 3 && foreign.errors.contains("of the journal of 'ada'"))
    let anonymous = try folder.write(
      page.file.replacing(",\"user\":\"ada\"", with: ""), to: "anonymous.json")
    let none = try ToolRun(["journal", "correct"] + bob + ["--file", anonymous])
    #expect(none.status == 3 && none.errors.contains("about nothing that is"), "\(none.errors)")
  }
}
