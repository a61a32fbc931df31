import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// What a person says about a report and chooses for it: corrections, units, clock, towns.
@Suite struct ReportChoicesTests {
  private let folder = ScratchFolder()

  /// The day of the script, one leg of which the person corrected.
  private static func corrected() -> AnalysisResult {
    var day = ReportScript.day()
    day.items = day.items.map { item in
      guard case .trip(let trip) = item else { return item }
      return .trip(
        Trip(
          legs: trip.legs.map { leg in
            var leg = leg
            leg.isCorrected = leg.activity == .running
            return leg
          }))
    }
    return day
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func aCorrectionIsMarkedInEveryView() throws {
    let script = """
      return [all(".legend .corrected").length, all("path.corrected").length,
        all(".leg title").filter(title => title.textContent.endsWith(", corrected by the person"))
          .length,
        all(".story small").filter(words => words.textContent.includes("your\u{A0}correction"))
          .length]
      """
    for (day, expected) in [(ReportScript.day(), [0, 0, 0, 0]), (Self.corrected(), [2, 4, 1, 1])] {
      let (frames, _) = try Browser(folder).frames(
        of: PageDocument(day).html, script: script, as: [Int].self)
      // In two legends, in strip and chart, on the map and in the list.
      #expect(frames == [expected, expected])
    }
  }

  @Test func milesAndTwelveHoursAreInEveryView() throws {
    var day = ReportScript.day()
    day.locale.units = .imperial
    day.locale.hours = .twelve
    let text = TextSummary(day).text
    // 20 November 2026, from 07:10 on.
    #expect(text.contains("From 7:10 AM to ") && text.contains(#/ +13 h /#))
    #expect(text.contains(" mph") && text.contains(" mi") && text.contains(" /mi"))
    for word in ["km", " m ", "00:"] { #expect(!text.contains(word), "\(word)") }
    let html = PageDocument(day).html
    let drawn = HTMLReportTests.withoutScript(html)
    for word in ["\"7:10 AM\"", " mph", "\u{A0}mi", "Every mile"] {
      #expect(html.contains(word), "\(word)")
    }
    for word in [" km", "\u{A0}km", "km/h", "\"12:00\"", "\u{A0}m\""] {
      #expect(!drawn.contains(word), "\(word)")
    }
    // For the scale of the map.
    #expect(html.contains("[\"ft\",0.3048,\"mi\",1609.344]"))
    // What programs read stays metric.
    #expect(GeoJSON(day).text == GeoJSON(ReportScript.day()).text)
  }

  @Test(arguments: [
    (100.0, nil, "328 ft"), (304.6, nil, "999 ft"), (304.8, nil, "0.2 mi"),
    (5_000, nil, "3.1 mi"), (300_000, nil, "186 mi"), (11_400, 900.0, "7.1 ± 0.6 mi"),
    (250, 40, "820 ± 131 ft"),
  ])
  func distancesInMiles(metres: Double, deviation: Double?, text: String) {
    #expect(ReportUnits.imperial.distance(metres, deviation: deviation) == text)
  }

  @Test(arguments: [
    (0, "12:00 AM", "12:00 AM"), (300, "12:05 AM", "12:05 AM"), (43_200, "12:00 PM", "12:00 PM"),
    (47_100, "1:05 PM", "1:05 PM"), (86_400, "12:00 AM", "12:00 AM"),
  ])
  func twelveHours(second: Int64, time: String, end: String) {
    let midnight = Timestamp(nanoseconds: 1_795_132_800_000_000_000)
    let instant = midnight.advanced(byNanoseconds: second * 1_000_000_000)
    let clock = ReportClock(
      start: midnight, end: midnight.advanced(byNanoseconds: 86_400_000_000_000),
      locale: ReportLocale(hours: .twelve))
    #expect(clock.time(instant) == time && clock.end(instant) == end)
  }

  @Test func altitudesHaveAProfileWithTheirDeviation() {
    #expect(!PageDocument(ReportScript.day()).html.contains("Altitude"))
    var script = ReportScript().rest(900).walk(900)
    for index in script.samples.indices {
      // Up by 90 m, and less sure the higher.
      let climb = Double(max(index - 900, 0)) / 10
      script.samples[index].altitude = .init(
        altitude: 500 + climb, deviation: 3 + climb / 10, climbRate: 0)
    }
    var analysis = script.analysis()
    let html = PageDocument(analysis).html
    #expect(html.contains("from 500 to 590 m") && html.contains("\"name\":\"Profile\""))
    // The deviation and the way of each column, of 1,260 m.
    #expect(html.contains(#/"spread":"3.0,[\d.,]*,12.0"/#))
    #expect(html.contains(#/"way":"0,[\d,]*,12\d\d"/#))
    #expect(GeoJSON(analysis).text.contains(",589.9]"))
    analysis.locale.units = .imperial
    #expect(PageDocument(analysis).html.contains("from 1640 to 1935 ft"))
  }

  @Test func whatADeviceMeasuredIsACurve() {
    var analysis = ReportScript().walk(900).analysis()
    let start = analysis.samples[0].start
    analysis.measured = [
      (
        "Heart rate", "/min",
        [-5, 10, 30, 32, 34, 600, 9_000].map {
          (start.advanced(byNanoseconds: $0 * 1_000_000_000), 100 + Float($0) / 10)
        }
      )
    ]
    let document = PageDocument(analysis).value.json
    // In its column of 900, or up to the next one soon after; what lies outside the recording is
    // none of it.
    let values = #/"values":",{10}101,{20}103,103,103,103,103,{566}160,{299}"/#
    #expect(document.contains("\"name\":\"Heart rate\"") && document.contains(values))
  }

  @Test func lapsOfADeviceAreATable() {
    var analysis = ReportScript().walk(900).analysis()
    let start = analysis.samples[0].start
    analysis.laps = [(300, 400.0), (500, 800), (59.6, 200), (3_729, 5_000)].map { seconds, metres in
      (start, metres, seconds)
    }
    let laps = "\"fold\":\"Laps of the device\""
    let document = PageDocument(analysis).value.json
    #expect(document.contains(laps))
    #expect(document.contains("[\"1\",\"400 m\",\"5:00\",\"4.8 km/h\","))
    #expect(document.contains("[\"2\",\"800 m\",\"8:20\",\"5.8 km/h\","))
    #expect(document.contains("\"200 m\",\"1:00\",") && document.contains("\"1:02:09\","))
    // One lap is the whole.
    analysis.laps.removeLast(3)
    #expect(!PageDocument(analysis).value.json.contains(laps))
  }

  private static let towns =
    "# a list\nMünchen\t48.1374\t11.5755\t1488000\nErding\t48.306\t11.907\t36000\r\n"

  @Test func placesWithoutANameAreInATownOrNearIt() throws {
    let towns = try ReportTowns(list: Array(Self.towns.utf8))
    let script = ReportScript().rest(900)
    var analysis = script.analysis()
    #expect(analysis.titles.first?.title == "Stay at A")
    analysis.locale.towns = towns
    #expect(analysis.titles.first?.title == "Stay at A, in München")
    #expect(TextSummary(analysis).text.contains("Stay at A, in München"))
    #expect(PageDocument(analysis).html.contains("Stay at A, in München"))
    for (latitude, title) in [
      (48.31, "Stay at B, in Erding"), (48.40, "Stay at B, near Erding, 10 km"),
      (49.9, "Stay at B"),
    ] {
      let end = script.samples[script.samples.count - 1].end
      let stay = Stay(
        start: end, end: end.advanced(byNanoseconds: 900_000_000_000),
        location: .init(latitude: latitude, longitude: 11.9, radius68: 10))
      analysis.items = [analysis.items[0], .stay(stay)]
      #expect(analysis.titles.last?.title == title)
      analysis.setPlace(7, "work", ofStayFrom: end)
      #expect(analysis.titles.last?.title == "work")
    }
    for (list, line) in [("Erding\t48\t11\n", 1), ("# x\n\nErding\t98\t11\t1\n", 3)] {
      let error = #expect(throws: ReportTowns.Invalid.self) {
        try ReportTowns(list: Array(list.utf8))
      }
      #expect(error?.line == line)
    }
  }

  @Test func aStoredPlaceHasOneNameOnEveryDay() throws {
    let script = ReportScript().rest(900).walk(600).rest(900)
    var analysis = script.analysis()
    let stays = analysis.items.compactMap { $0.asStay }
    try #require(stays.count == 2)
    analysis.setPlace(0, nil, ofStayFrom: stays[1].start)
    let titles = analysis.titles.filter { $0.title.hasPrefix("Stay") }
    #expect(titles.map(\.title) == ["Stay at a", "Stay at A"])
    #expect(titles.map(\.badge) == ["a", "A"])
    for number in [0, 25, 26, 701, 702] {
      analysis.setPlace(number, nil, ofStayFrom: stays[1].start)
      let letters = try #require(analysis.titles.last?.badge)
      #expect(ReportPlaces.number(ofLetters: letters) == number)
    }
    #expect(["", "A1", "É", "AAAAAAAA"].allSatisfy { ReportPlaces.number(ofLetters: $0) == nil })
  }

  @Test func optionsAndTheEnvironmentChoose() throws {
    #expect(try folder.record(JournalDayTests.lines()).status == 0)
    let list = try folder.write("Dachau\t48.1\t11.5\t50000\n", to: "towns")
    let plain = try folder.journal("day").output
    #expect(plain.contains("00:00–00:49  A  Stay at A  ") && plain.contains(" km"))
    let chosen = ["--units", "imperial", "--clock", "12", "--towns", list]
    let day = try folder.journal("day", chosen)
    #expect(day.output.contains("12:00 AM–12:49 AM  A  Stay at A, in Dachau  "), "\(day.output)")
    #expect(day.output.contains(" mi") && !day.output.contains(" km"))
    let environment = [
      "LOCOMOTION_UNITS": "imperial", "LOCOMOTION_CLOCK": "12", "LOCOMOTION_TOWNS": list,
      "TZ": "UTC",
    ]
    let same = try ToolRun(["journal", "day"] + folder.own, environment: environment)
    #expect(same.output == day.output)
    for period in [[], ["--from", "2023-11-15", "--to", "2023-11-16"]] {
      let report = ["--out", folder.path("day.html")] + chosen + period
      #expect(try folder.journal("report", report).status == 0)
      let html = try folder.text("day.html")
      #expect(html.contains("A, in Dachau") && html.contains(" mi\""))
      #expect(html.contains("\"12:00 AM\""))
    }
    for wrong in [["--units", "stone"], ["--clock", "13"]] {
      #expect(try folder.journal("day", wrong).status == 2)
    }
    try folder.write("Dachau\n", to: "towns")
    let broken = try folder.journal("day", ["--towns", list])
    #expect(broken.status == 3 && broken.errors.contains("line 1: expected a town's name"))
    #expect(try folder.journal("day", ["--towns", list + "x"]).status == 74)
  }
}
