import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import Testing

/// Totals of days, weeks and months add up, also where clocks are changed.
@Suite struct TotalsTests {
  private func time(_ second: Double) -> Timestamp { DayScript.time(second) }

  private func berlin() throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
    calendar.firstWeekday = 2
    return calendar
  }

  private func withDay(_ body: (UserJournal) throws -> Void) throws {
    try withJournal { _, user in
      try user.append(DayScript.batch(from: 0, to: 18_000))
      try user.updateDays()
      try body(user)
    }
  }

  @Test func totalsOfADayAreTheSumsOfItsItems() throws {
    try withDay { user in
      let totals = try user.totals(from: time(0), to: time(86_400))
      let items = try user.dayItems(from: time(0), to: time(86_400))
      #expect(totals.stays == 3 && totals.trips == 1)
      let stays = items.filter { $0.kind == "stay" }
      #expect(
        abs(totals[.stay].seconds - stays.reduce(0) { $0 + $1.end.seconds(since: $1.start) }) < 1e-6
      )
      let legs = items.flatMap(\.legs)
      #expect(totals.known.distance == legs.compactMap(\.distance).reduce(0, +))
      #expect(totals.travel.steps == legs.reduce(0) { $0 + $1.steps })
      #expect(abs(totals.known.seconds + totals.unknownSeconds - 86_400 - DayScript.absence) < 1e-6)
      #expect(totals.unknownSeconds > 86_400 - 18_000)
      #expect(throws: JournalError.invalidInterval) {
        try user.totals(from: time(1), to: time(1))
      }
    }
  }

  @Test(arguments: [CalendarPeriod.day, .week, .month])
  func periodsTileTheTimeAndAddUp(period: CalendarPeriod) throws {
    try withDay { user in
      let calendar = try berlin()
      let all = try user.totals(
        by: period, from: time(-40 * 86_400), to: time(200 * 86_400), in: calendar)
      for (one, next) in zip(all, all.dropFirst()) { #expect(one.end == next.start) }
      let whole = try user.totals(from: time(0), to: time(18_000))
      let sum = try #require(Totals.sum(all))
      #expect((sum.stays, sum.trips) == (whole.stays, whole.trips))
      #expect(sum.parts.keys == whole.parts.keys)
      for (kind, part) in whole.parts {
        #expect(abs((sum[kind].distance ?? -1) - (part.distance ?? -1)) < 1e-6)
        #expect(abs(sum[kind].steps - part.steps) < 1e-6)
        #expect(abs(sum[kind].seconds - part.seconds) < 1e-6)
      }
      let hours = Set(all.map { Int($0.end.seconds(since: $0.start) / 3_600) })
      // Winter and spring of 2023 and 2024: one day has 25 hours, another one 23.
      switch period {
      case .day: #expect(hours == [23, 24, 25] && all.count == 242)
      case .week: #expect(hours.contains(167))
      case .month: #expect(hours.contains(29 * 24) && hours.contains(31 * 24 - 1))
      }
    }
  }

  @Test func stepIntervalsHaveWholeStepsThatSumUp() throws {
    try withJournal { _, user in
      let recording = Array(DayUpdateTests.batches)
      for batch in recording { try user.append(JournalBatch(batch)) }
      try user.updateDays()
      let span = try #require(try user.daySpan())
      let totals = try user.totals(from: span.start, to: span.end)
      let intervals = try user.stepIntervals(from: span.start, to: span.end)
      #expect(totals.known.steps > 500)
      #expect(abs(Double(intervals.reduce(0) { $0 + $1.count }) - totals.known.steps) <= 0.5)
      for interval in intervals { #expect(interval.start < interval.end && interval.count > 0) }
      for (one, next) in zip(intervals, intervals.dropFirst()) { #expect(one.end <= next.start) }
    }
  }

  @Test func tracksHaveTheFixesOfEachLeg() throws {
    try withDay { user in
      let items = try user.dayItems(from: time(0), to: time(18_000))
      let trip = try #require(items.first { $0.kind == "trip" })
      let tracks = try user.tracks(of: [trip])
      #expect(tracks.map(\.leg) == trip.legs)
      #expect(tracks[0].points.count > 150)
      #expect(
        tracks[0].points.allSatisfy {
          tracks[0].leg.start <= $0.timestamp && $0.timestamp < tracks[0].leg.end
        })
      // With more of the day the smoothing knows more; the difference is below a metre.
      let all = try user.tracks(of: items)
      #expect(all.map(\.leg) == trip.legs && all[0].points.count == tracks[0].points.count)
      for (one, other) in zip(all[0].points, tracks[0].points) {
        #expect(one.timestamp == other.timestamp && abs(one.latitude - other.latitude) < 1e-5)
      }
      #expect(try user.tracks(of: [items[0]]).isEmpty)
    }
  }

  @Test func datesAndTimestampsConvert() throws {
    let instant = Timestamp(nanoseconds: 1_700_000_000_250_000_000)
    #expect(Date(instant).timeIntervalSince1970 == 1_700_000_000.25)
    #expect(Timestamp(Date(instant)) == instant)
    #expect(Timestamp(Date(timeIntervalSince1970: 1e12)) == nil)
  }
}
