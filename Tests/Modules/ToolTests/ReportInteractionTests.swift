import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// What a person does with the report in a browser: point, pinch, type; and whether they can read
/// it.
@Suite(.serialized, .enabled(if: Browser.program != nil, "needs a browser: chromium"))
struct ReportInteractionTests {
  private let folder = ScratchFolder()

  /// What happened to the map and the trips in one frame.
  private struct Actions: Decodable {
    var lit: [String]
    var litAfterEscape, pins, buttons: Int
    var pressed, status, role, label: String
    var wheelWithoutFocus, wheel, keys, reset, pinch, everything: String
    var onMap: String
    var names: [String]
    var enlarged: [Bool]
  }

  private static let actions = """
    const shown = all(".map").find(map => map.getClientRects().length)
    const svg = shown.querySelector("svg"), moved = svg.querySelector(".moved")
    const transform = () => moved.getAttribute("transform") ?? ""
    const title = page.querySelector('.way[data-t="1"] .title')
    const press = (target, key) => target.dispatchEvent(
      new view.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}))
    title.focus()
    press(title, "Enter")
    const lit = [...new Set(all(".lit").map(element => element.tagName + "." +
      (element.getAttribute("class") ?? "").split(" ")[0]))].sort()
    const pressed = title.getAttribute("aria-pressed")
    const status = page.querySelector(".status").textContent
    press(title, "Escape")
    title.blur()
    const litAfterEscape = all(".lit").length
    const middle = () => {
      const box = svg.getBoundingClientRect()
      return {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true,
        cancelable: true}
    }
    const turn = () => svg.dispatchEvent(
      new view.WheelEvent("wheel", {...middle(), deltaY: -100}))
    turn()
    const wheelWithoutFocus = transform()
    shown.focus()
    turn()
    const wheel = transform()
    for (const key of ["+", "ArrowLeft", "ArrowDown"]) press(shown, key)
    const keys = transform()
    press(shown, "0")
    const reset = transform()
    const finger = (type, pointerId, x) => svg.dispatchEvent(new view.PointerEvent(type, {
      ...middle(), clientX: middle().clientX + x, pointerId, pointerType: "touch"}))
    finger("pointerdown", 1, -20)
    finger("pointerdown", 2, 20)
    finger("pointermove", 1, -40)
    finger("pointermove", 2, 40)
    const pinch = transform()
    finger("pointerup", 1, 0)
    finger("pointerup", 2, 0)
    const buttons = all("button", shown)
    buttons[3].click()
    const everything = transform()
    for (const type of ["pointerdown", "click"])
      all(".leg", svg).at(-1).dispatchEvent(new view.MouseEvent(type, {bubbles: true}))
    const onMap = all('.title[aria-pressed="true"]').map(
      element => element.closest("li").dataset.t).join()
    const isWhole = () => shown.getBoundingClientRect().width > .95 * view.innerWidth
    const enlarged = [isWhole()]
    buttons[4].click()
    enlarged.push(isWhole())
    press(shown, "Escape")
    enlarged.push(isWhole())
    return {lit, litAfterEscape, enlarged, pressed, status, wheelWithoutFocus, wheel, keys, reset, pinch,
      everything, onMap, pins: all(".pins *", svg).length, buttons: buttons.length,
      role: shown.getAttribute("role"), label: shown.getAttribute("aria-label"),
      names: buttons.map(button => button.getAttribute("aria-label"))}
    """

  /// The magnification of a transform.
  private func scale(_ transform: String) throws -> Double {
    let text = try #require(transform.firstMatch(of: #/scale\(([\d.]+)\)/#)?.1)
    return try #require(Double(text))
  }

  @Test func aTripLightsUpEverywhereAndTheMapMoves() throws {
    let html = PageDocument(ReportScript.day()).html
    let (frames, complaints) = try Browser(folder).frames(
      of: html, script: Self.actions, as: Actions.self)
    #expect(complaints.isEmpty, "\(complaints)")
    for frame in frames {
      for part in ["LI.way", "g.leg", "g.number", "rect.band", "rect.f-train", "path.arrow"] {
        #expect(frame.lit.contains(part), "\(part): \(frame.lit)")
      }
      #expect(frame.pressed == "true" && frame.status.hasPrefix("Trip 1: "))
      #expect(frame.litAfterEscape == 0)
      // Without the focus the wheel scrolls the page.
      #expect(try scale(frame.wheelWithoutFocus) == 1)
      #expect(abs(try scale(frame.wheel) - exp(0.4)) < 1e-6)
      #expect(abs(try scale(frame.keys) - 1.6 * exp(0.4)) < 1e-6 && frame.keys != frame.wheel)
      #expect(try scale(frame.reset) == 1 && frame.reset.hasPrefix("translate(0 0)"))
      #expect(abs(try scale(frame.pinch) - 2) < 1e-3)
      #expect(try scale(frame.everything) == 1)
      #expect(frame.onMap == "6")
      #expect(frame.role == "group" && frame.label.contains("arrow keys"))
      #expect(
        frame.names == [
          "Save the trips as GPX", "Zoom in", "Zoom out", "Show everything", "Enlarge the map",
        ])
      #expect(frame.enlarged == [false, true, false])
      #expect(frame.pins > 10)
    }
  }

  /// Where the cursor is in one frame, and the file that the button makes.
  private struct Cursor: Decodable {
    var before, lines, sliders: Int
    var same: Bool
    var readings: [String]
    var now, spoken, name, spot, fromMap, file: String
    var gpx: String
    var mapIsFirst: Bool
  }

  private static let cursor = """
    const shown = element => element.getClientRects().length > 0
    const before = all(".cursor").length
    const sliders = all("input.seek"), slider = sliders[0]
    // 43,000 s after 07:10 the person runs.
    slider.value = 43000
    slider.dispatchEvent(new view.Event("input", {bubbles: true}))
    const lines = all(".cursor").filter(shown)
    const at = lines.map(line => {
      const box = line.ownerSVGElement.getBoundingClientRect()
      return (line.getBoundingClientRect().x - box.x) / box.width
    })
    const readings = all(".reading").filter(shown).map(label => label.textContent)
    const map = all(".map").find(shown), dot = map.querySelector(".spot")
    const spot = dot.getAttribute("visibility")
    const now = all(".story .now .title").map(title => title.textContent).join()
    const spoken = slider.getAttribute("aria-valuetext")
    // Pointing at the track moves the cursor of the charts.
    const box = map.querySelector("svg").getBoundingClientRect(), dotBox = dot.getBoundingClientRect()
    slider.value = 0
    slider.dispatchEvent(new view.Event("input", {bubbles: true}))
    map.querySelector("svg").dispatchEvent(new view.PointerEvent("pointermove", {
      clientX: dotBox.x + dotBox.width / 2, clientY: dotBox.y + dotBox.height / 2, bubbles: true}))
    const fromMap = slider.value
    let blob = null, file = ""
    view.URL.createObjectURL = made => { blob = made; return "#" }
    view.HTMLAnchorElement.prototype.click = function() { file = this.download }
    map.querySelector(".save").click()
    const story = page.querySelector(".story")
    return {before, lines: lines.length, sliders: sliders.length,
      same: at.every(x => Math.abs(x - at[0]) < .01), readings, now, spoken, spot, fromMap, file,
      name: slider.getAttribute("aria-label"), gpx: await blob.text(),
      mapIsFirst: map.getBoundingClientRect().bottom <= story.getBoundingClientRect().top}
    """

  @Test func oneCursorRunsThroughChartsListAndMap() throws {
    let (frames, complaints) = try Browser(folder).frames(
      of: PageDocument(ReportScript.day()).html, script: Self.cursor, as: Cursor.self)
    #expect(complaints.isEmpty, "\(complaints)")
    #expect(frames.count == 2)
    for frame in frames {
      // The strip and three charts.
      #expect(frame.before == 0 && frame.lines == 4 && frame.same && frame.sliders == 2)
      #expect(frame.readings.first == "19:06" && frame.readings[1].hasSuffix(" km/h"))
      #expect(frame.readings[2].hasSuffix(" steps/min") && frame.readings[3].hasPrefix("running "))
      #expect(frame.now.contains("→") && frame.spoken.hasPrefix("19:06, \(frame.now), "))
      #expect(frame.name == "Time at the cursor" && frame.spot == "visible")
      let second = try #require(Double(frame.fromMap))
      #expect(abs(second - 43_000) < 120, "\(second)")
      #expect(frame.mapIsFirst)
      #expect(frame.file.hasSuffix(".gpx") && frame.file.hasPrefix("Friday-20-November-2026"))
      // The file is what the package reads itself.
      let path = try folder.write(frame.gpx, to: "day.gpx")
      let run = try ToolRun(["convert", path, folder.path("day")])
      #expect(run.status == 0 && run.errors.contains(" fixes"), "\(run.errors)")
      #expect(frame.gpx.matches(of: /<trk>/).count >= 6 && frame.gpx.contains("<wpt "))
      #expect(frame.gpx.contains("<time>2026-11-20T"))
    }
  }

  /// The profile of one frame, whole and zoomed in.
  private struct Profile: Decodable {
    var styles: [String]
    var summits, labels, zoomed, whole: [String]
    var windows: Int
    var metres: String
  }

  private static let profile = """
    const figure = all("figure.time").find(figure => figure.querySelector(".summit"))
    const texts = selector => all(selector, figure).map(element => element.textContent)
    const styles = [...new Set(all("path", figure).map(path => path.getAttribute("class"))
      .filter(name => /^(up|down|level)/.test(name)))].sort()
    const [summits, labels] = [texts("text.summit"), texts(".label")]
    const slider = page.querySelector("input.seek")
    slider.value = 2700
    slider.dispatchEvent(new view.Event("input", {bubbles: true}))
    const press = key => slider.dispatchEvent(
      new view.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}))
    for (const key of ["+", "+"]) press(key)
    const [zoomed, windows] = [texts(".label"), all(".window").length]
    press("0")
    return {styles, summits, labels, zoomed, windows, whole: texts(".label"),
      metres: figure.querySelector(".reading").textContent}
    """

  @Test func theProfileOfAHikeIsSteepWhereItIsAndCanBeZoomedInto() throws {
    // An hour up by 360 m and half an hour down by as much, at 1.4 m/s.
    var script = ReportScript().walk(5_400)
    for index in script.samples.indices {
      let metres = index < 3_600 ? 0.1 * Double(index) : 360 - 0.2 * Double(index - 3_600)
      script.samples[index].altitude = .init(altitude: 800 + metres, deviation: 4, climbRate: 0)
    }
    let (frames, complaints) = try Browser(folder).frames(
      of: PageDocument(script.analysis()).html, script: Self.profile, as: Profile.self)
    #expect(complaints.isEmpty, "\(complaints)")
    for frame in frames {
      // 7 % up and 14 % down.
      #expect(Set(frame.styles).isSuperset(of: ["down3", "up2"]) && !frame.styles.contains("up3"))
      #expect(frame.summits == ["1,160 m", "800 m"])
      #expect(frame.labels.first == "0 km" && frame.labels.contains("6 km"))
      #expect(frame.zoomed != frame.labels && frame.whole == frame.labels && frame.windows == 0)
      #expect(frame.zoomed.count > 1 && !frame.zoomed.contains("0 km"))
      #expect(frame.metres == "1070 m")
    }
  }

  /// The texts of one frame that are hard to read, and the elements without a name.
  private struct Reading: Decodable {
    var texts: Int
    var faint, unnamed, repeated: [String]
  }

  /// The ratio of contrast of WCAG 2.2 of every text against what lies below its middle.
  private static let reading = """
    const channels = colour => colour.match(/[\\d.]+/g).map(Number)
    const level = ([r, g, b]) => [r, g, b].map(value => value / 255)
      .map(value => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
      .reduce((sum, value, index) => sum + value * [.2126, .7152, .0722][index], 0)
    const ratio = (one, other) => {
      const levels = [level(one), level(other)].sort((a, b) => b - a)
      return (levels[0] + .05) / (levels[1] + .05)
    }
    const below = (element, x, y) => {
      for (const other of page.elementsFromPoint(x, y)) {
        // The ground of a badge is its own.
        if (element.contains(other) && (other !== element || element.ownerSVGElement)) continue
        const style = view.getComputedStyle(other), isDrawn = other.ownerSVGElement
        if (isDrawn && other.tagName === "text" || style.opacity < .5) continue
        const colour = isDrawn ? style.fill : style.backgroundColor
        if (!colour.startsWith("rgb") || channels(colour)[3] === 0) continue
        return channels(colour)
      }
      return channels(view.getComputedStyle(page.body).backgroundColor)
    }
    for (const fold of all("details")) fold.open = true
    const faint = []
    let texts = 0
    for (const element of all("body *")) {
      const own = [...element.childNodes].some(node => node.nodeType === 3
        && node.textContent.trim())
      if (!own || ["SCRIPT", "STYLE", "title", "desc"].includes(element.tagName)) continue
      element.scrollIntoView({block: "center"})
      const box = element.getClientRects()[0]
      if (!box || !box.width) continue
      texts += 1
      const style = view.getComputedStyle(element)
      const ink = channels(element.ownerSVGElement ? style.fill : style.color)
      const x = Math.min(box.x + box.width / 2, view.innerWidth - 1)
      const found = ratio(ink, below(element, x, box.y + box.height / 2))
      if (found < 4.5) faint.push(`${element.textContent.slice(0, 30)}: ${found.toFixed(2)}`)
    }
    const unnamed = all("button,[role=button],[tabindex],svg[role=img],table")
      .filter(element => !(element.getAttribute("aria-label") || element.textContent.trim()))
      .map(element => element.outerHTML.slice(0, 80))
    const identifiers = all("[id]").map(element => element.id)
    const repeated = identifiers.filter((id, index) => identifiers.indexOf(id) !== index)
    return {texts, faint, unnamed, repeated}
    """

  /// Of a day, with at least a hundred texts, and of a period, with sixty.
  @Test(arguments: [100, 60], [false, true])
  func everyTextIsReadableAndEveryControlHasAName(texts: Int, isDark: Bool) throws {
    let page =
      try texts == 100 ? PageDocument(ReportScript.day()) : PeriodReportTests.period().document
    let (frames, _) = try Browser(folder).frames(
      of: page.html, script: Self.reading, isDark: isDark, as: Reading.self)
    for frame in frames {
      #expect(frame.texts > texts)
      #expect(frame.faint.isEmpty, "\(frame.faint)")
      #expect(frame.unnamed.isEmpty && frame.repeated.isEmpty)
    }
  }
}
