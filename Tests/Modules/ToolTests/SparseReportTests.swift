import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

/// What the reports say of stays and trips that were not observed all through, and of recordings of
/// many days.
@Suite struct SparseReportTests {
  private let folder = ScratchFolder()

  private static let home = Stay.Location(latitude: 48.1, longitude: 11.5, radius68: 12)
  private static let work = Stay.Location(latitude: 48.2, longitude: 11.5, radius68: 12)

  private static func stay(_ place: Stay.Location, _ start: Int, _ end: Int) -> Stay {
    Stay(start: .at(start), end: .at(end), location: place)
  }

  private static func trip(
    _ start: Int, _ end: Int, _ activity: Activity? = .automotive, metres: Double = 11_400,
    deviation: Double = 900
  ) -> Trip {
    var leg = Trip.Leg(
      start: .at(start), end: .at(end), activity: activity, distance: metres, steps: 0)
    leg.distanceDeviation = deviation
    return Trip(legs: [leg])
  }

  private static func sample(
    _ second: Int, _ place: Stay.Location, speed: Double? = nil
  ) -> LocomotionSample {
    var sample = LocomotionSample(start: .at(second), end: .at(second + 1))
    sample.location = LocationEstimate(
      timestamp: sample.end, latitude: place.latitude, longitude: place.longitude, radius68: 12,
      speed: speed, speedDeviation: nil, course: nil)
    return sample
  }

  /// 4 May 2026, 07:00 UTC.
  private static let start = 1_777_878_000

  /// Two fixes at home, one on the way, and ten minutes at work, of five hours.
  private static func morning() -> AnalysisResult {
    var home = stay(Self.home, start, start + 3_600)
    home.endDeviation = 600
    var work = stay(Self.work, start + 5_400, start + 18_000)
    work.startDeviation = 480
    let middle = Stay.Location(latitude: 48.15, longitude: 11.5, radius68: 12)
    let samples =
      [sample(start, Self.home), sample(start + 1_800, Self.home), sample(start + 4_500, middle)]
      + (0..<600).map { sample(start + 7_200 + $0, Self.work) }
    return AnalysisResult(
      name: "a", samples: samples,
      items: [.stay(home), .trip(trip(start + 3_600, start + 5_400)), .stay(work)])
  }

  @Test func theSummarySaysWhatWasObservedAndHowWellEndsAndDistancesAreKnown() {
    let text = TextSummary(Self.morning()).text
    #expect(text.contains(#/Stay at A +1 h 00 min\n {16}end ± 10 min · observed twice\n/#))
    // √(10² + 8²) minutes.
    #expect(text.contains("time ± 13 min · observed once · straight line 11.1 km\n"))
    #expect(text.contains("start ± 8 min · observed 10 min of 3 h 30 min\n"))
    #expect(text.contains(#/A → B +30 min · 11.4 ± 0.9 km\n/#))
    #expect(text.contains(#/\nDistance +11.4 ± 0.9 km /#))
    // 11.4 km in half an hour.
    #expect(text.contains("30 min · 11.4 ± 0.9 km · mean 23 km/h\n"))
    let html = PageDocument(Self.morning()).html.replacing("\u{A0}", with: " ")
    for words in [
      "\"remarks\":\"end ± 10 min · observed twice\"", "11.4 ± 0.9 km",
      "\"remarks\":\"time ± 13 min · observed once · straight line 11.1 km\"",
      "\"remarks\":\"start ± 8 min · observed 10 min of 3 h 30 min\"", "mean 23 km/h",
    ] { #expect(html.contains(words), "\(words)") }
  }

  @Test func whatWasNotObservedIsLighter() {
    let html = PageDocument(Self.morning()).html
    #expect(html.contains("observed 10 min of 3 h 30 min\","))
    // Single fixes divide no silence; ten minutes do.
    let silences = html.matches(of: #/",(\[\[[\d,\[\]]*?\]\])\]/#).map { String($0.1) }
    #expect(silences == ["[[0,3600]]", "[[3600,5400]]", "[[5400,7200],[7800,18000]]"])
  }

  @Test func aDayThatWasObservedSaysNothingOfIt() {
    let page = PageDocument(ReportScript.day()).value.json
    for html in [page, TextSummary(ReportScript.day()).text] {
      #expect(!html.contains("observed") && !html.contains(" ± "))
      #expect(!html.contains(",[[") && !html.contains("\"links\":"))
    }
    // Without samples nothing is known of what was observed.
    let items = AnalysisResult(name: "", samples: [], items: Self.morning().items)
    #expect(!PageDocument(items).value.json.contains(",[["))
  }

  @Test(.enabled(if: Browser.program != nil, "needs a browser: chromium"))
  func theWayOverASilenceIsAStraightLineOnTheMap() throws {
    let html = PageDocument(Self.morning()).html
    // From home over the one fix to work.
    #expect(html.contains("\"links\":[[48.1,11.5,48.15,11.5],[48.15,11.5,48.2,11.5]]"))
    let script = """
      const link = page.querySelector("path.link"), ends = all(".end")
      return [link.getTotalLength(), all("path.track", page.querySelector(".map")).length,
        Math.abs(ends[0].cy.baseVal.value - ends[1].cy.baseVal.value)]
      """
    let (frames, _) = try Browser(folder).frames(of: html, script: script, as: [Double].self)
    for frame in frames {
      // 11.1 km in units of half a metre; both ends are far apart on the map.
      #expect(abs(frame[0] / 2 - 11_120) < 100 && frame[1] == 0 && frame[2] > 150)
    }
  }

  @Test func totalsAreTheSumsOfTheLegs() {
    for analysis in [ReportScript.day(), Self.morning()] {
      let legs = analysis.items.flatMap { $0.legs }
      let sum = legs.reduce(0) { $0 + ($1.distance ?? 0) }
      #expect(abs((analysis.totals.known.distance ?? 0) - sum) < 1e-6)
    }
  }

  @Test func aTopSpeedIsNotThatOfBothSidesOfASilence() throws {
    let speeds = [30.0, 30, 30, 5, 5, 5, 5, 5]
    func page(pause: Int) throws -> String {
      let samples = speeds.enumerated().map { index, speed in
        Self.sample(Self.start + index + (index > 2 ? pause : 0), Self.home, speed: speed)
      }
      let trip = Self.trip(Self.start, Self.start + 3_600)
      let analysis = AnalysisResult(name: "", samples: samples, items: [.trip(trip)])
      return PageDocument(analysis).html
    }
    #expect(try page(pause: 0).contains("top\u{A0}72\u{A0}km/h"))
    #expect(try page(pause: 900).contains("top\u{A0}18\u{A0}km/h"))
  }

  @Test(arguments: [
    (11_400.0, 900.0, "11.4 ± 0.9 km"), (11_400, 500, "11.4 km"), (530, 80, "530 ± 80 m"),
    (250_000, 30_000, "250 ± 30 km"), (2, 0.4, "2 m"), (100, .nan, "100 m"),
  ])
  func distancesHaveTheirDeviationAboveFivePerCent(
    metres: Double, deviation: Double, text: String
  ) {
    #expect(ReportUnits.metric.distance(metres, deviation: deviation) == text)
  }

  // MARK: Many days

  /// Days with a trip to work and one home, from a midnight on, with 27 fixes each.
  private static func days(
    _ count: Int, from start: Int, drive: Activity? = .automotive
  ) -> AnalysisResult {
    var items: [TimelineItem] = []
    var last = start
    for day in 0..<count {
      let midnight = start + day * 86_400
      items.append(.stay(stay(home, last, midnight + 27_000)))
      items.append(.trip(trip(midnight + 27_000, midnight + 28_800, drive)))
      items.append(.stay(stay(work, midnight + 28_800, midnight + 61_200)))
      items.append(.trip(trip(midnight + 61_200, midnight + 63_000, drive)))
      last = midnight + 63_000
    }
    items.append(.stay(stay(home, last, start + count * 86_400)))
    return AnalysisResult(name: "days", samples: samples(of: count, from: start), items: items)
  }

  /// A sample in each 3,200 seconds of so many days.
  private static func samples(of days: Int, from start: Int) -> [LocomotionSample] {
    (0..<27 * days).map { number in
      let isAtWork = 9..<20 ~= number % 27
      return sample(start + number * 3_200, isAtWork ? work : home)
    }
  }

  /// 1 January 2025, 00:00 UTC.
  private static let newYear = 1_735_689_600

  @Test func aYearIsAPageOfMonthsOfBoundedLength() throws {
    let year = Self.days(365, from: Self.newYear)
    let html = PageDocument(year).html
    #expect(1_000_000..<1_500_000 ~= html.utf8.count, "\(html.utf8.count)")
    #expect(html.contains("<title>Wed 1 Jan – Wed 31 Dec 2025 · days</title>"))
    #expect(html.components(separatedBy: "\"ticks\":").count == 366)
    #expect(html.components(separatedBy: "{\"month\":").count == 13)
    // Two trips of 11.4 km on each of 31 days.
    #expect(html.contains("\"month\":\"January 2025\",\"distance\":\"707 km\""))
    #expect(html.contains("[\"January 2025, automotive\",\"31 h 00 min\",\"707 km\","))
    #expect(html.contains("\"bars\":\"Distance a month\""))
    #expect(html.contains(#"["January 2025","Jan\n2025",["#) && html.contains(#"2025","Feb",["#))
    #expect(
      html.contains("730 trips, 1 h 00 min a day") && html.contains("\"fold\":\"The data\""))
    #expect(html.matches(of: #/"key":"d2025\d{4}","length"/#).count == 365)
    // The same places have the same names on all days.
    #expect(html.contains("\"title\":\"A → B\""))
    #expect(html.contains(#/\["A",\{[^}]*\},"[^"]*","\d+","365"\]/#))
  }

  @Test func theSummaryOfAYearHasALineADayAndTheTotalsOfMonths() {
    let text = TextSummary(Self.days(365, from: Self.newYear)).text
    #expect(text.split(separator: "\n").count < 480)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(text.contains(#/\nWed 1 Jan {7}·{7}a·{9}a·{6}  22.8 km  –  3 stays and 2 trips\n/#))
    #expect(text.contains(#/\nJanuary 2025, automotive +31 h 00 min +707 km +–\n/#))
    #expect(
      text.contains("is left out") && text.contains("automotive") && text.contains("8,322 km"))
    let week = TextSummary(Self.days(7, from: Self.newYear)).text
    #expect(week.contains("\nThu 2 Jan 2025\n07:30–08:00") && !week.contains("is left out"))
    #expect(week.contains("\nWed 1 Jan  ·") && !week.contains("January"))
  }

  @Test func ofTenYearsTheLastHasACalendar() {
    let html = PageDocument(Self.days(3_653, from: Self.newYear)).html
    #expect(html.utf8.count < 2_800_000)
    #expect(html.components(separatedBy: "\"ticks\":").count == 367)
    #expect(html.contains("The last 366 of 3,653 days"))
    // Days without details have no link to them.
    let details = html.components(separatedBy: "\"short\":").count - 1
    let shown = details.formatted(.number.locale(Locale(identifier: "en_US")))
    #expect(300..<3_000 ~= details, "\(details)")
    #expect(html.contains("The last \(shown) days of 3,653 with data"))
    #expect(html.matches(of: #/"key":"d203[345]\d{4}","length"/#).count == details)
    #expect(html.contains("\"2025, automotive\"") && html.contains("\"2034, automotive\""))
    let text = TextSummary(Self.days(3_653, from: Self.newYear)).text
    #expect(text.split(separator: "\n").count < 500)
  }

  /// A walk, and a run so many days later.
  private static func outings(daysApart: Int64) -> AnalysisResult {
    let script = ReportScript().walk(1_800)
    let first = script.analysis()
    let later = daysApart * 86_400_000_000_000
    var (samples, items) = (script.samples, first.items)
    for sample in script.samples {
      var moved = sample
      moved.start = moved.start.advanced(byNanoseconds: later)
      moved.end = moved.end.advanced(byNanoseconds: later)
      samples.append(moved)
    }
    let moved = first.items.flatMap { $0.legs }.map { leg in
      var leg = leg
      leg.start = leg.start.advanced(byNanoseconds: later)
      leg.end = leg.end.advanced(byNanoseconds: later)
      leg.activity = .running
      return leg
    }
    items += [.gap(Gap(start: items[items.count - 1].end, end: moved[0].start))]
    items.append(.trip(Trip(legs: moved)))
    return AnalysisResult(name: "outings", samples: samples, items: items)
  }

  @Test func aFolderOfOutingsIsAListOfThemTheNewestFirst() {
    let html = PageDocument(Self.outings(daysApart: 40)).html
    let titles = html.matches(of: #/"name":"(\w+)","when":"([^"]+)","key":"d\d+"/#)
      .map { "\($0.1) \($0.2)" }
    #expect(titles == ["Run Wed 30 Dec 2026, 07:10", "Walk Fri 20 Nov 2026, 07:10"])
    #expect(html.contains("\"2 activities, Fri 20 Nov – Wed 30 Dec 2026\""))
    // The days between them are no gap, and the days have no words but those of the list.
    #expect(!html.contains("gap in the data") && !html.contains("\"calendar\":"))
    #expect(html.matches(of: #/"course":\[[\d.,]{30,}\]/#).count == 2)
    let years = Self.outings(daysApart: 1_600)
    #expect(PageDocument(years).html.contains(#/"2026","2026",\[\[.*\]\]\],\["2031","2031",\[\[/#))
    let text = TextSummary(years).text
    #expect(text.hasPrefix("2 activities, 2026 to 2031 · outings\n") && !text.contains("The days"))
  }

  @Test func daysWithoutDataHaveOneLineTogether() {
    var days = Self.days(30, from: Self.newYear)
    let (from, to) = (days.items[10].start, days.items[50].end)
    days.items =
      days.items.filter { $0.end <= from } + [.gap(Gap(start: from, end: to))]
      + days.items.filter { $0.start >= to }
    let html = PageDocument(days).html
    // In words where no script runs, and for the script.
    #expect(html.components(separatedBy: "nothing is recorded until").count == 3)
    #expect(html.components(separatedBy: "\"ticks\":").count < 30)
  }

  @Test func threeDaysAreToldAsOne() {
    #expect(!PageDocument(Self.days(3, from: Self.newYear)).html.contains("\"calendar\":"))
    #expect(PageDocument(Self.days(4, from: Self.newYear)).html.contains("\"calendar\":"))
  }

  @Test func daysOfAnotherClockAreCounted() {
    let html = PageDocument(Self.days(5, from: 0)).html
    #expect(html.contains("\"heading\":\"Recording, 5 days\""))
    #expect(html.contains("\"name\":\"Day 5\",\"key\":\"d5\"") && !html.contains("1970"))
    #expect(TextSummary(Self.days(5, from: 0)).text.contains("\nDay 5  ·"))
  }

  @Test func aTripOverMidnightHasItsPartOnEachDay() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    // 24 October 2026, 00:00 in Berlin; the next day has 25 hours.
    let start = 1_792_792_800
    let midnight = start + (24 + 25 + 24) * 3_600
    var analysis = AnalysisResult(
      name: "", samples: [],
      items: [
        .stay(Self.stay(Self.home, start, midnight - 1_800)),
        .trip(Self.trip(midnight - 1_800, midnight + 5_400, metres: 40_000)),
        .stay(Self.stay(Self.work, midnight + 5_400, midnight + 86_400)),
      ])
    analysis.locale.timeZone = zone
    let html = PageDocument(analysis).html
    #expect(html.contains("Sat 24 Oct – Tue 27 Oct 2026"))
    // A quarter of two hours and of the way, and the rest.
    let values = html.matches(of: #/"ticks":\[[\d,]*\],"distance":"([^"]*)"/#)
    #expect(values.map(\.1) == ["–", "–", "10.0 km", "30.0 km"])
    #expect(html.contains("1 trip, 30 min a day") && html.contains("\"note\":\"25 h\""))
    #expect(html.contains("[\"Distance\",\"40.0 km\","))
  }

  @Test func theCommandWritesThePageOfManySparseDays() throws {
    var rows = "t,lat,lon,hacc\n"
    for sample in Self.samples(of: 6, from: Self.newYear) {
      guard let place = sample.location else { continue }
      rows += "\(Int(sample.start.seconds)),\(place.latitude),\(place.longitude),15\n"
    }
    let file = try folder.write(rows, to: "days.csv")
    #expect(try ToolRun(["analyze", file, "--out", folder.path("out")]).status == 0)
    let html = try folder.text("out/report.html")
    #expect(html.components(separatedBy: "\"ticks\":").count == 7)
    #expect(html.contains(",[[") && html.contains("fixes received"))
    #expect(try folder.text("out/summary.txt").contains("\nMon 6 Jan  ·"))
  }
}
