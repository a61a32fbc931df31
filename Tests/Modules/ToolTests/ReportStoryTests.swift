import Locomotion
import LocomotionReport
import LocomotionTool
import Testing

/// What the report and the summary say of stays and trips, in the same words.
@Suite struct ReportStoryTests {
  private func starts(_ analysis: AnalysisResult) -> [Timestamp] {
    analysis.items.compactMap { $0.asStay?.start }
  }

  @Test func aRecordingOfOneTripIsNamedAfterIt() {
    let walk = ReportScript().walk(540)
    let heading = walk.analysis().heading
    #expect(heading.wholeMatch(of: #/Walk, 9 min, \d{3} m/#) != nil, "\(heading)")
    let page = PageDocument(walk.analysis(name: "a.csv"))
    #expect(page.title == "\(heading) · Fri 20 Nov 2026")
    #expect(page.eyebrow == "Fri 20 Nov 2026 · a.csv")
    var named = walk.analysis(name: "a.gpx")
    named.names = [named.start: "To the <pass>", named.end: "later"]
    #expect(PageDocument(named).eyebrow == "Fri 20 Nov 2026 · To the <pass> · a.gpx")
    #expect(TextSummary(named).text.hasPrefix("\(heading) · To the <pass> · Fri 20 Nov 2026\n"))
    let ride = ReportScript(start: 12).rest(200).go(.cycling, 4_000, speed: 5)
    #expect(ride.analysis().heading.hasPrefix("Ride, 1 h 07 min, "))
    let day = ReportScript.day()
    #expect(day.heading == "Friday 20 November 2026")
    #expect(day.drawn?["name"]?.firstText == "The day")
    #expect(PageDocument(day).title == "Friday 20 November 2026 · Friday with a run.csv.gz")
    let rest = ReportScript().rest(1_800)
    #expect(rest.analysis().heading == "Fri 20 Nov 2026, 07:10–07:40")
    let none = AnalysisResult(name: "x", samples: [], items: [])
    #expect(PageDocument(none).title == "Recording · x")
  }

  @Test func aDayThatEndsAtMidnightHasOneDate() {
    let start = Timestamp(nanoseconds: 1_795_132_800_000_000_000)
    let end = start.advanced(byNanoseconds: 86_400_000_000_000)
    let whole = AnalysisResult(
      name: "", samples: [], items: [.stay(Stay(start: start, end: end, location: nil))])
    #expect(whole.heading == "Friday 20 November 2026")
    let longer = AnalysisResult(
      name: "", samples: [],
      items: [.gap(Gap(start: start, end: end.advanced(byNanoseconds: 1_000_000_000)))])
    #expect(longer.heading == "Fri 20 Nov 2026 – Sat 21 Nov 2026")
  }

  @Test func tripsAreNamedAfterThePlacesAtTheirEnds() {
    var analysis = ReportScript.day()
    let stays = starts(analysis)
    analysis.setPlace(0, "home", ofStayFrom: stays[0])
    analysis.setPlace(1, "wörk <1>", ofStayFrom: stays[1])
    let document = PageDocument(analysis).value.json
    let text = TextSummary(analysis).text
    let titles = document.matches(of: #/"title":"([^"]*)"/#).map {
      String($0.1).replacing("\\u003c", with: "<").replacing("\\u003e", with: ">")
    }
    #expect(Set(titles).isSuperset(of: ["home → wörk <1>", "home", "Stay at a"]), "\(titles)")
    #expect(text.contains("home → wörk <1>  ") && text.contains("a → wörk <1>  "))
    // No coordinates in words.
    #expect(!text.contains("48.1") && !titles.contains { $0.contains("48.1") })
    // Both name every item alike.
    for title in titles {
      #expect(text.contains(title), "\(title)")
    }
  }

  @Test func aTripThatEndsInAGapIsNearAPlace() {
    let script = ReportScript().rest(900).with(\.heading, 0).with(\.wander, 0).walk(400)
      .with(\.heading, .pi).walk(300)
      // Over more than a day and a half nobody knows where the person was.
      .silence(140_000).with(\.heading, 0).walk(1_200).rest(900)
    let titles = script.analysis().titles.map(\.title)
    #expect(titles.filter { $0.contains("→") } == ["A → near A", "near A → B"])
  }

  @Test func kilometresOfARunAddUpToItsDistanceAndTime() throws {
    let script = ReportScript().rest(600).go(.running, 700, speed: 2.5)
      .go(.running, 700, speed: 3.5).rest(600)
    let analysis = script.analysis()
    let legs = analysis.items.flatMap { $0.legs }
    let leg = try #require(legs.first { $0.activity == .running })
    let table = analysis.drawn?["splits"]?.values.first?["blocks"]?.values.first?["table"]
    let rows = try #require(table?["rows"]?.values).map { $0.values.map(\.firstText) }
    #expect(rows.count == 5)
    #expect(rows.prefix(4).map { $0[0] } == ["1", "2", "3", "4"])
    // What is left over, and minutes and seconds, each rounded to a second.
    let left = (leg.distance ?? 0) - 4_000
    #expect(rows[4][0] == ReportUnits.metric.distance(left))
    let seconds = rows.map { row in
      row[1].split(separator: ":").reduce(0) { 60 * $0 + (Double($1) ?? .nan) }
    }
    let total = leg.end.seconds(since: leg.start)
    #expect(abs(seconds.reduce(0, +) - total) <= 2.5)
    // 2.5 and 3.5 m/s, with the noise of the speeds; the second kilometre has some of both.
    #expect(abs(1_000 / seconds[0] - 2.5) < 0.1 && abs(1_000 / seconds[3] - 3.5) < 0.15)
    // Five seconds' noise of 0.2 m/s is 0.09 m/s; the largest of 700 is 3.3 times that.
    let html = PageDocument(analysis).html
    let top = try #require(html.firstMatch(of: #/, top\u{A0}([0-9.]+)\u{A0}km\/h/#)?.1)
    #expect(3.5...3.9 ~= (Double(top) ?? 0) / 3.6)
    #expect(html.contains("\"fold\":\"Every kilometre\"") && html.contains(" /km"))
    // A walk that is a part of a day has no splits, and one that all is about has them.
    let walk = ReportScript().rest(4_000).walk(2_000)
    #expect(!PageDocument(walk.analysis()).html.contains("Every kilometre"))
    let hike = ReportScript().walk(2_000).rest(600).walk(2_000)
    let document = PageDocument(hike.analysis()).value.json
    // At 1.4 m/s, also the third kilometre, in which the rest was.
    #expect(document.matches(of: #/\["\d","1[12]:\d\d","[45]\.\d km\/h"/#).count == 5)
    var laps = hike.analysis()
    laps.laps = [(laps.start, 1_400, 1_000), (laps.start, 700, 490)]
    let lines =
      #/\n\nLaps of the device\nLap +Distance +Time +Speed\n1 +1.4 km +16:40 +5.0 km\/h\n2 /#
    #expect(TextSummary(laps).text.contains(lines))
  }

  @Test func aHikeWithItsRestsIsOneActivityAndADriveWithAStopIsNot() throws {
    var hike = ReportScript().walk(3_000).rest(900).walk(2_400).rest(1_200).walk(1_800).analysis()
    let trips = hike.items.count { if case .trip = $0 { true } else { false } }
    #expect(trips == 3 && hike.heading.hasPrefix("Walk, 2 h 35 min, 10."))
    // 7,200 s at 1.4 m/s.
    let figures = { (analysis: AnalysisResult) in
      PageDocument(analysis).figures.map { "\($0.name) \($0.value), \($0.note)" }
    }
    let found = figures(hike)
    #expect(found[0] == "In motion 2 h 00 min, of 2 h 35 min in all")
    #expect(found[1].hasPrefix("Distance 10.") && found[2].hasPrefix("Speed 5."))
    #expect(!found.contains { $0.contains("unknown") })
    // What the device says, where it is another.
    let session = try #require(
      StatedInterval(
        .activity(name: "hiking", distance: nil), from: hike.items[0].start,
        to: hike.items[4].end, source: "Watch", basis: .chosen,
        totals: StatedTotals(distance: 14_200, movingSeconds: 7_190)))
    hike.items = hike.items.map { item in
      guard case .trip(var trip) = item else { return item }
      trip.stated = Trip.Statement(session, sensedActivity: .walking)
      return .trip(trip)
    }
    let stated = figures(hike)
    #expect(hike.heading.hasPrefix("Hike, "))
    #expect(stated[0] == found[0] && stated[1].hasSuffix(", Watch says 14.2 km"))
    let drive = ReportScript().go(.automotive, 1_800, speed: 20).rest(900)
      .go(.automotive, 1_800, speed: 20).analysis()
    #expect(figures(drive).first?.hasPrefix("On the way 1 h 00 min, of 1 h 15 min") == true)
  }

  @Test func aClimbIsSaidWhereItIsLargerThanItsDeviation() {
    var change = AltitudeChange()
    #expect(ReportUnits.metric.climb(nil) == nil && ReportUnits.metric.climb(change) == nil)
    (change.climb, change.climbVariance) = (41, 23.9 * 23.9)
    (change.descent, change.descentVariance) = (10, 21 * 21)
    // Not by how much it went down alone, nor as if it had not.
    #expect(ReportUnits.metric.climb(change) == "up 41 ± 24 m, down 10 ± 21 m")
    change.descentVariance = 4
    #expect(ReportUnits.metric.climb(change) == "up 41 ± 24 m, down 10 ± 2 m")
    (change.climb, change.descent) = (20, 0)
    #expect(ReportUnits.metric.climb(change) == nil)
  }

  @Test func whatWasClimbedAtAPlaceIsToldThere() throws {
    let script = ReportScript().rest(900)
    var analysis = script.analysis()
    var stay = try #require(analysis.items.lazy.compactMap { $0.asStay }.first)
    var change = AltitudeChange()
    (change.climb, change.climbVariance) = (28, 4)
    stay.altitudeChange = change
    analysis.items = [.stay(stay)]
    #expect(TextSummary(analysis).text.contains("up 28 ± 2 m"))
    #expect(PageDocument(analysis).html.contains("[\"Climb\",\"28 m\",\"up 28 ± 2 m\""))
    #expect(PageDocument(analysis).html.contains("up\u{A0}28\u{A0}±\u{A0}2\u{A0}m"))
  }

  @Test func speedsPacesAndFractionsHaveOneFormat() {
    #expect([1.38, 13.0, .nan].map(ReportUnits.metric.speed) == ["5.0 km/h", "47 km/h", "– km/h"])
    #expect([2.74, 0, 0.1].map(ReportUnits.metric.pace) == ["6:05 /km", "–", "2:46:40 /km"])
    #expect(
      [0, 0.001, 0.956, 1].map(ReportFormatting.percent) == ["0 %", "<1 %", "96 %", "100 %"])
  }

  @Test func whatIsUnknownIsSaidAndWhatIsZeroIsLeftOut() {
    let script = ReportScript().walk(900, doubt: 1)
    let html = PageDocument(script.analysis()).html
    #expect(html.contains(#/"values":"x(,x)*"/#) && html.contains("low confidence"))
    #expect(html.contains("From 07:10 to 07:25.") && !html.contains("0 stays"))
    #expect(!TextSummary(script.analysis()).text.contains("0 stays"))
    let sure = ReportScript().go(.automotive, 900, speed: 12, doubt: 0)
    let known = HTMLReportTests.withoutScript(PageDocument(sure.analysis()).html)
    #expect(!known.contains(#/"values":"[^"]*x/#) && known.contains("Every second got an activity"))
    #expect(!known.contains("rotation rate") && !known.contains(#/[^\d,]0[ \u{A0}]steps/#))
    #expect(known.contains("\"–\"]"))
  }
}
