import Foundation
import Locomotion
import LocomotionJournal
import Testing

@testable import LocomotionServer

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseDayTests {
  @Test func theTextOfADayIsKeptByteForByte() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let day = try Invented.day(name: "\0 é e\u{301} 🚲 \\u0000 \"", purpose: "a/b")
    try Invented.store([day], of: user, in: archive)
    let found = try #require(try archive.dayJSON(of: user, date: "2026-06-01"))
    #expect(try Array(found.utf8) == Array(day.json.utf8))
    #expect(
      try archive.dayJSON(of: user, date: "2026-06-01", device: Invented.device) == found)
    #expect(try archive.dayJSON(of: user, date: "2026-06-02") == nil)
    #expect(
      try archive.dayJSON(of: user, date: "2026-06-01", device: Invented.otherDevice) == nil)
    #expect(try archive.dayJSON(of: DatabaseServer.newUser(), date: "2026-06-01") == nil)
  }

  @Test func aRevisionCountsChangesOnly() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    func revisions(_ days: [Day]) throws -> [Int] {
      try Invented.store(days, of: user, in: archive)
      return try archive.days(of: user).map(\.revision)
    }
    #expect(try revisions([Invented.day(0), Invented.day(1)]) == [1, 1])
    #expect(try revisions([Invented.day(0), Invented.day(1, name: "work")]) == [1, 2])
    #expect(try revisions([Invented.day(0), Invented.day(1, name: "work")]) == [1, 2])
    #expect(try revisions([Invented.day(0, isFinal: false), Invented.day(1)]) == [2, 3])
  }

  /// The totals that the database computes are those that the journal does.
  @Test func theTotalsAreThoseOfTheJournal() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    var calendar = Invented.calendar
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Zurich"))
    var random = SplitMix64(seed: 5)
    for number in 0..<20 {
      let date = try #require(
        CivilDay(holding: Invented.instant(86_400 * Double(number)), calendar))
      var items: [TimelineItem] = []
      var next = date.start
      while next < date.end {
        let length = 1 + Int64(random.next() % 3_600_000_000_000)
        let end = min(next.advanced(byNanoseconds: length), date.end)
        items.append(item(from: next, to: end, &random))
        next = end
      }
      let day = Day(date, items)
      try Invented.store([], of: user, in: archive)
      try archive.store(day, with: [:], of: user, device: Invented.device)
      let totals = day.totals
      let found = try #require(try archive.days(of: user).last)
      #expect(found.date == date.date("-") && found.timeZone == "Europe/Zurich")
      #expect(found.start == date.start.seconds && found.end == date.end.seconds)
      let known = totals.known
      #expect(abs(found.recorded - known.seconds) < 1e-6 && abs(found.steps - known.steps) < 1e-6)
      #expect(abs((found.distance ?? -1) - (known.distance ?? -1)) < 1e-6)
      #expect(found.isFinal == day.isFinal && found.isPrimary && found.revision == 1)
      let connection = try DatabaseServer.connection(DatabaseServer.collector)
      let travel = try DatabaseServer.column(
        connection, as: user,
        """
        SELECT concat_ws(' ', activity, seconds, coalesce(distance, -1), steps)
        FROM archive.travel WHERE date = $1 ORDER BY activity COLLATE "C"
        """, [.text(found.date)])
      #expect(
        travel
          == totals.partsInOrder.compactMap { kind, part -> String? in
            guard case .travel(let activity) = kind else { return nil }
            let numbers = [part.seconds, part.distance ?? -1, part.steps].map { number in
              "\(number)".replacing(/\.0$/, with: "")
            }
            return "\(activity?.name ?? "unknown") \(numbers.joined(separator: " "))"
          }.sorted())
    }
  }

  private func item(
    from start: Timestamp, to end: Timestamp, _ random: inout SplitMix64
  ) -> TimelineItem {
    switch random.next() % 4 {
    case 0: return .gap(Gap(start: start, end: end))
    case 1: return .stay(Invented.stay(from: start, to: end, steps: 12.5))
    default:
      let middle = start.advanced(byNanoseconds: end.nanoseconds(since: start) / 3)
      let cuts = middle > start ? [start, middle, end] : [start, end]
      let legs = zip(cuts, cuts.dropFirst()).map { start, end in
        let number = random.next()
        return Invented.leg(
          start, end, Activity(rawValue: Int(number % 7)),
          distance: number % 3 == 0 ? nil : Double(number >> 40) / 977,
          steps: Double(number >> 50) / 3)
      }
      return .trip(Trip(legs: legs))
    }
  }

  @Test func aDayThatIsNoMoreIsDeletedWithItsItems() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    try Invented.store((0..<3).map { try Invented.day($0) }, of: user, in: archive)
    try archive.removeDay("2026-06-02", of: user, device: Invented.device)
    try archive.removeDay("2026-06-02", of: user, device: Invented.device)
    #expect(try archive.days(of: user).map(\.date) == ["2026-06-01", "2026-06-03"])
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let items = try DatabaseServer.column(
      connection, as: user, "SELECT date || ' ' || count(*) FROM archive.items GROUP BY date")
    #expect(Set(items) == ["2026-06-01 5", "2026-06-03 5"])
  }

  @Test func itemsHaveWhatTheDaySays() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    try Invented.store([Invented.day(isFinal: false)], of: user, in: archive)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let items = try DatabaseServer.column(
      connection, as: user,
      """
      SELECT concat_ws(' ', number, kind, trip, (start_ns - 1780272000000000000) / 1000000000,
        (end_ns - 1780272000000000000) / 1000000000, activity, distance, steps, radius,
        ST_NPoints(path::geometry), place_name, purpose, is_corrected, is_partial)
      FROM archive.items ORDER BY number
      """)
    #expect(
      items == [
        "0 stay 0 49000 0 12 home sleep f f",
        "1 trip 49000 50000 cycling 2113.05 40.5 21 t f",
        "2 leg 1 49000 49100 walking 100.04 40.5 2 f f",
        "3 leg 1 49100 50000 cycling 2013.01 0 19 t f",
        "4 gap 50000 86400 f t",
      ])
  }

  /// Whatever texts the day holds: PostgreSQL has no U+0000.
  @Test(arguments: ["home", "\0\0 é \\u0000 \\\0 \""])
  func dailyTotalsTellHowRightTheModesAreExpectedToBe(name: String) throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    func totals() throws -> [String?] {
      try DatabaseServer.column(
        connection, as: user,
        """
        SELECT concat_ws(' ', coalesce(travel_expected_right::text, 'nothing'),
          travel_unknown_seconds) FROM archive.daily_totals ORDER BY date
        """)
    }
    func leg(_ span: Range<Double>, _ activity: Activity?, _ probability: Double?) -> Trip.Leg {
      let inference = probability.map { probability in
        ModeInference(
          sensors: ActivityProbabilities { mode in
            mode == activity ? Float(probability) : mode == .train ? Float(1 - probability) : 0
          })
      }
      var leg = Invented.leg(
        Invented.instant(span.lowerBound), Invented.instant(span.upperBound), activity,
        distance: nil, steps: 0, isCorrected: probability == nil)
      leg.inference = inference
      return leg
    }
    let legs = [
      leg(100..<200, .walking, 0.8), leg(200..<500, .cycling, 0.6), leg(500..<550, nil, 0.5),
      // The user's, and what no mode explains.
      leg(550..<900, .automotive, nil), leg(900..<950, .stationary, 0.9),
    ]
    let items = [
      TimelineItem.stay(
        Invented.stay(from: Invented.instant(0), to: Invented.instant(100), name: name)),
      .trip(Trip(legs: legs)),
    ]
    try Invented.store([Invented.day(1)], of: user, in: archive)
    try archive.store(
      Day(Invented.date(), items), with: [:], of: user, device: Invented.device)
    // (100 · 0.728 + 300 · 0.414) / 400, by recalibration; in the second no leg has a probability.
    #expect(try totals() == ["0.4925 50", "nothing 0"])
  }

  @Test func theDeviceThatRecordedMostIsPrimary() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    func primary() throws -> [String] {
      try archive.days(of: user).filter(\.isPrimary).map { "\($0.date) \($0.device.first!)" }
    }
    try Invented.store([Invented.day(0), Invented.day(1)], of: user, in: archive)
    #expect(try primary() == ["2026-06-01 0", "2026-06-02 0"])
    let other = Invented.otherDevice
    let days = [
      try Invented.day(0, recorded: 60_000), try Invented.day(1, recorded: 50_000),
    ]
    try Invented.store(days, of: user, device: other, in: archive)
    // Equal ones: the first in order.
    #expect(try primary() == ["2026-06-01 f", "2026-06-02 0"])
    try archive.removeDay("2026-06-01", of: user, device: other)
    #expect(try primary() == ["2026-06-01 0", "2026-06-02 0"])
    try archive.removeDay("2026-06-02", of: user, device: Invented.device)
    #expect(try primary() == ["2026-06-01 0", "2026-06-02 f"])
  }

  @Test func coordinatesAreStoredBitForBit() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let points = [
      (90, -180), (-90, 180), (0.1 + 0.2, -1e-300), (47.123456789012345, 8.000000000000002),
    ]
    let date = try Invented.date()
    var paths: [Timestamp: [LocationFix]] = [:]
    let items = points.enumerated().flatMap { number, point -> [TimelineItem] in
      let times = (0..<3).map { Invented.instant(Double(2 * number + $0)) }
      paths[times[1]] = [
        LocationFix(timestamp: times[1], latitude: point.0, longitude: point.1)
      ]
      let leg = Invented.leg(times[1], times[2], nil, distance: nil, steps: 0)
      return [
        .stay(
          Invented.stay(
            from: times[0], to: times[1], latitude: point.0, longitude: point.1)),
        .trip(Trip(legs: [leg])),
      ]
    }
    try archive.insert(Invented.unit(of: user))
    try archive.store(Day(date, items), with: paths, of: user, device: Invented.device)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let found = try connection.transaction("asking", as: user) { () throws(DatabaseError) in
      try connection.rows(
        "asking",
        """
        SELECT ST_Y(stay.position::geometry), ST_X(stay.position::geometry),
          ST_Y(ST_EndPoint(trip.path::geometry)), ST_X(ST_EndPoint(trip.path::geometry))
        FROM archive.items AS stay JOIN archive.items AS trip ON trip.number = stay.number + 1
        WHERE stay.kind = 'stay' ORDER BY stay.number
        """
      ) { (row: PostgresRow) throws(DatabaseError) in
        try [0, 1, 2, 3].map { (column) throws(DatabaseError) in try row.real(column).bitPattern }
      }
    }
    #expect(
      found
        == points.map {
          [$0.0, $0.1, $0.0, $0.1].map(\.bitPattern)
        }
    )
  }

  @Test(arguments: [
    (90.001, 0.0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity),
  ])
  func coordinatesOffTheEarthAreRefused(latitude: Double, longitude: Double) throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    func isRefused(_ body: () throws -> Void) -> Bool {
      do { try body() } catch {
        if case .invalidRow = error as? DatabaseError { return true }
      }
      return false
    }
    try archive.insert(Invented.unit(of: user))
    #expect(
      isRefused {
        let day = try Invented.day(latitude: latitude, longitude: longitude)
        try Invented.store([day], of: user, in: archive)
      })
    let day = try Invented.day()
    let paths = Invented.paths(of: day, latitude: latitude, longitude: longitude)
    #expect(
      isRefused { try archive.store(day, with: paths, of: user, device: Invented.device) })
    let place = PlaceRow(
      number: 1, name: nil, latitude: latitude, longitude: longitude, radius: 60,
      isLearned: true)
    #expect(
      isRefused { try archive.replacePlaces([place], of: user, device: Invented.device) })
    #expect(try archive.days(of: user).isEmpty)
  }

  @Test func measurementsAndPlacesReplaceThoseOfTheirDevice() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    func counts() throws -> [String?] {
      try DatabaseServer.column(
        connection, as: user,
        """
        SELECT count(*) || ' ' || string_agg(modality, ',') FROM archive.measurements
        UNION ALL SELECT count(*) || ' ' || string_agg(name, ',') FROM archive.places
        """)
    }
    for device in [Invented.device, Invented.otherDevice] {
      try archive.insert(Invented.unit(of: user, device: device))
      for words in [["a", "b", "c"], ["d"]] {
        try archive.replaceMeasurements(
          words.enumerated().map {
            MeasurementRow(
              number: $0, modality: $1, start: Invented.instant(0), end: nil, samples: 7,
              fixes: 8)
          }, of: user, device: device)
        try archive.replacePlaces(
          words.enumerated().map {
            PlaceRow(
              number: $0, name: $1, latitude: 1, longitude: 2, radius: 60,
              isLearned: false)
          }, of: user, device: device)
      }
    }
    #expect(try counts() == ["2 d,d", "2 d,d"])
    try archive.replaceMeasurements([], of: user, device: Invented.device)
    try archive.replacePlaces([], of: user, device: Invented.device)
    #expect(try counts() == ["1 d", "1 d"])
  }

  @Test func aDayMayHaveManyItems() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let items = (0..<1_201).map {
      TimelineItem.gap(
        Gap(start: Invented.instant(Double($0)), end: Invented.instant(Double($0 + 1))))
    }
    try Invented.store([Day(Invented.date(), items)], of: user, in: archive)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let found = try DatabaseServer.column(
      connection, as: user, "SELECT count(DISTINCT number) FROM archive.items")
    #expect(found == ["1201"])
  }
}
