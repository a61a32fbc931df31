import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
@_spi(Server) import LocomotionTool
import TestSupport
import Testing

@Suite struct ReportTextTests {
  @Test(arguments: [
    (0.0, 0, "0"), (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (1.005e3, 0, "1005"),
    (0.05, 3, "0.050"), (12.345678, 6, "12.345678"), (-179.9999996, 6, "-180.000000"),
    (.nan, 2, "–"), (.infinity, 0, "–"),
  ])
  func numbersAreFormattedWithFixedDecimals(value: Double, decimals: Int, text: String) {
    #expect(ReportFormatting.fixed(value, decimals) == text)
  }

  @Test(arguments: [
    (0.0, "0"), (999, "999"), (1000, "1,000"), (-1000, "-1,000"), (-100, "-100"),
    (1_234_567, "1,234,567"),
  ])
  func countsAreFormattedInGroupsOfThreeDigits(value: Double, text: String) {
    #expect(ReportFormatting.count(value) == text)
  }

  @Test(arguments: [
    (0.0, "0 s"), (89.4, "89 s"), (89.6, "1 min"), (119.6, "2 min"), (3569, "59 min"),
    (3571, "1 h 00 min"),
    (172_769, "47 h 59 min"), (172_771, "2 d 0 h"), (.nan, "–"),
  ])
  func durationsAreFormattedInTwoUnitsAtMost(seconds: Double, text: String) {
    #expect(ReportFormatting.duration(seconds) == text)
  }

  @Test(arguments: [
    (0.4, "0 m"), (999.4, "999 m"), (999.6, "1.0 km"), (99_940, "99.9 km"), (99_960, "100 km"),
    (1_234_000, "1,234 km"),
  ])
  func distancesAreFormattedInMetresOrKilometres(metres: Double, text: String) {
    #expect(ReportUnits.metric.distance(metres) == text)
  }

  @Test func formattedTimesAgreeWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    for seconds in stride(from: 946_684_801, to: 4_102_444_000, by: 9_999_991) {
      let instant = Timestamp.at(seconds)
      let clock = ReportClock(start: instant, end: instant)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(clock.iso(instant) == formatter.string(from: date))
    }
  }

  @Test func timesAreShownInTheirTimeZone() throws {
    // The day on which Berlin's clocks are set back, from 22:00 to 23:00 UTC: 25 hours.
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    func time(_ hours: Int64) -> Timestamp {
      Timestamp(nanoseconds: (1_792_879_200 + hours * 3_600) * 1_000_000_000)
    }
    let clock = ReportClock(start: time(0), end: time(25), locale: ReportLocale(timeZone: zone))
    #expect([0, 2, 3, 4].map { clock.time(time($0)) } == ["00:00", "02:00", "02:00", "03:00"])
    #expect(clock.end(time(25)) == "24:00" && clock.end(time(24)) == "23:00")
    #expect(clock.longDay(time(24)) == "Sunday 25 October 2026")
    #expect(clock.iso(time(0)) == "2026-10-24T22:00:00Z")
    #expect(clock.note == "Times are those of Europe/Berlin (UTC+02:00).")
    let kolkata = try #require(TimeZone(identifier: "Asia/Kolkata"))
    let indian = ReportLocale(timeZone: kolkata)
    #expect(ReportClock(start: time(0), end: time(1), locale: indian).time(time(0)) == "03:30")
    for name in ["Etc/UTC", "UTC", "GMT"] {
      let locale = ReportLocale(timeZone: try #require(TimeZone(identifier: name)))
      #expect(ReportClock(start: time(0), end: time(1), locale: locale).note == "Times are UTC.")
    }
  }

  @Test func timesNotOnTheUnixClockCountFromTheStart() {
    let start = Timestamp(nanoseconds: 7_000_000_000_000)
    let clock = ReportClock(start: start, end: start.advanced(byNanoseconds: 4_000_000_000_000))
    #expect(clock.time(start.advanced(byNanoseconds: 3_725_000_000_000)) == "1:02")
    #expect(clock.iso(start) == nil)
    #expect(clock.note.contains("second 7000.0"))
  }

  @Test func theSummaryContainsTheItemsOfTheDay() {
    let text = TextSummary(ReportScript.day()).text
    #expect(text.hasPrefix("Friday 20 November 2026 · Friday with a run.csv.gz\n"))
    #expect(text.contains("\nFrom 07:10 to 20:26: 8 stays and 6 trips.\n"))
    #expect(text.contains("  of 13 h 16 min\n") && text.contains(#/\nTime +·{4}[wt]/#))
    #expect(text.contains(#/\n07:10–08:\d\d  A  Stay at A +1 h \d\d min\n/#))
    #expect(text.contains("A → B  ") && !text.contains("48.13"))
    #expect(text.contains("- no data\n") && text.contains(#/\nSpeed +.{48}  0 to \d\d km\/h\n/#))
    #expect(text.contains(#/\nlow confidence +\d+ min +\d %\n/#))
    #expect(text.contains("mean sampling rate"))
    let wide = TextSummary(ReportScript.day(), style: (100, true)).text
    #expect(
      wide.hasPrefix("\u{1B}[1mFriday 20 November 2026 · Friday with a run.csv.gz\u{1B}[0m\n"))
    #expect(wide.contains("\n\n\u{1B}[1mThe data\u{1B}[0m\n") && wide.contains(#/\nTime +.{68}\n/#))
    let long = text.split(separator: "\n").filter { $0.count > 100 }
    #expect(long.isEmpty, "\(long)")
  }

  @Test func namesCannotControlTheTerminal() {
    let analysis = AnalysisResult(
      name: "a\u{1B}[2Jb\u{202E}c\r", samples: [], items: [],
      diagnostics: [("n\u{07}", "v\u{9B}31m")])
    let text = TextSummary(analysis).text
    for scalar in text.unicodeScalars where scalar != "\n" {
      #expect(scalar.properties.generalCategory != .control)
      #expect(scalar.properties.generalCategory != .format)
    }
    #expect(text.contains("No sample could be read"))
  }

  @Test func aTerminalIsShownWhatWouldControlIt() {
    let text = "name\n\u{1B}]0;a\u{07}\tb\u{9B}31m\u{202E}é, 🚲\r\n"
    #expect(
      String(decoding: StandardError.onTerminal(Array(text.utf8)), as: UTF8.self)
        == #"name\#n\u{1B}]0;a\u{07}\#tb\u{009B}31m\u{202E}é, 🚲\r\#n"#)
  }

  @Test func missingSensorsAreReported() {
    #expect(TextSummary(ReportScript.day(location: false)).text.contains("no location"))
    #expect(TextSummary(ReportScript.day(acceleration: false)).text.contains(" steps") == false)
  }

  @Test func theTotalsAddUpToTheSpan() {
    for (location, acceleration) in [(true, true), (false, true), (true, false)] {
      let totals = ReportScript.day(location: location, acceleration: acceleration).totals
      #expect(abs(totals.known.seconds + totals[.gap].seconds - totals.seconds) < 1e-6)
    }
  }

  @Test func nearbyPlacesHaveTheSameLetter() {
    let letters = ReportScript.day().titles.filter { $0.title.hasPrefix("Stay") }.map(\.badge)
    // The gap interrupts the second stay at B.
    #expect(letters == ["A", "B", "C", "B", "B", "D", "E", "F"])
    #expect(
      ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"].map(ReportPlaces.number)
        == [0, 25, 26, 51, 52, 701, 702])
  }

  @Test func samplesOutOfOrderAreLeftOut() {
    let script = ReportScript().walk(20)
    let shuffled = script.samples + script.samples.prefix(5)
    let analysis = AnalysisResult(name: "", samples: shuffled, items: [])
    #expect(analysis.samples.map(\.start) == script.samples.map(\.start))
    for (index, sample) in analysis.samples.enumerated() {
      #expect(analysis.firstIndex(from: sample.start) == index)
    }
  }
}
