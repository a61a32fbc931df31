import Foundation
import LocomotionFormats
import LocomotionSensing
import TestSupport
import Testing

@Suite struct CalendarTimeTests {
  @Test func everySupportedNotationOfATimeIsParsed() {
    let expected = 1_714_564_800_000_000_000
    for text in [
      "2024-05-01T12:00:00Z", "20240501T120000Z", "2024-05-01T14:00:00+02:00",
      "2024-05-01T14:00:00+0200", "20240501T070000-0500", "2024-05-01 12:00:00",
      "2024/05/01 12:00:00", "2024-05-01T12:00Z", "2024-05-01t12:00:00.000z",
      "2024-05-01T12:00:00+00",
    ] {
      #expect(CalendarTime.timestamp(text)?.time.nanoseconds == Int64(expected), "\(text)")
    }
    #expect(CalendarTime.timestamp("2024-05-01T12:00:00")?.hasZone == false)
    #expect(
      CalendarTime.timestamp("2024-05-01T12:00:00.123456789123Z")?.time.nanoseconds
        == Int64(expected + 123_456_789))
  }

  @Test(arguments: [
    "", "2024", "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29",
    "2024-05-01T24:00:00Z",
    "2024-05-01T12:60:00Z", "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00ZZ", "+024-05-01",
    "2024-05-01T12:00:00+2", "٢٠٢٤-05-01T12:00:00Z", "9999-01-01T00:00:00Z", "0001-01-01",
  ])
  func invalidDatesGiveNil(text: String) {
    #expect(CalendarTime.timestamp(text) == nil)
  }

  @Test func formattedTimesAreParsedBackAndAgreeWithFoundation() throws {
    var generator = SplitMix64(seed: 8)
    let formatter = ISO8601DateFormatter()
    for _ in 0..<2000 {
      let time = Timestamp(
        nanoseconds: Int64.random(in: -2_000_000_000...4_000_000_000, using: &generator)
          * 1_000_000_000 + Int64.random(in: 0..<1_000_000_000, using: &generator))
      let text = CalendarTime.text(time)
      #expect(CalendarTime.timestamp(text)?.time == time)
      let whole = text.prefix(19) + "Z"
      let date = try #require(formatter.date(from: String(whole)))
      #expect(
        Int64(date.timeIntervalSince1970) == Int64((Double(time.nanoseconds) / 1e9).rounded(.down)))
    }
  }
}
