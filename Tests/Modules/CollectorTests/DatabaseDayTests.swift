import LocomotionCollector
import LocomotionSensing
import Testing

@Suite(.enabled(if: DatabaseServer.isThere, DatabaseServer.absence))
struct DatabaseDayTests {
  @Test func theTextOfADayIsKeptByteForByte() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    // Neither the order of keys nor spaces nor escapes survive a type for JSON.
    let json = #"[ {"z":1.50,"a":"\u0000 é e\u0301 🚲", "a":2} ]"# + "\n"
    try Invented.store([Invented.day(json: json)], of: user, in: archive)
    let found = try #require(try archive.dayJSON(of: user, date: "2026-06-01"))
    #expect(Array(found.utf8) == Array(json.utf8))
    #expect(
      try archive.dayJSON(of: user, date: "2026-06-01", device: Invented.device) == json)
    #expect(try archive.dayJSON(of: user, date: "2026-06-02") == nil)
    #expect(
      try archive.dayJSON(of: user, date: "2026-06-01", device: Invented.otherDevice) == nil)
    #expect(try archive.dayJSON(of: DatabaseServer.newUser(), date: "2026-06-01") == nil)
  }

  @Test func aRevisionCountsChangesOnly() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    func revisions(_ days: [DayRow]) throws -> [Int] {
      try Invented.store(days, of: user, in: archive)
      return try archive.days(of: user).map(\.revision)
    }
    #expect(try revisions([Invented.day(0), Invented.day(1)]) == [1, 1])
    #expect(try revisions([Invented.day(0), Invented.day(1, json: "[1]")]) == [1, 2])
    #expect(try revisions([Invented.day(0), Invented.day(1, json: "[1]")]) == [1, 2])
    #expect(try revisions([Invented.day(0, isFinal: false), Invented.day(1)]) == [2, 3])
  }

  @Test func aDayIsReadAsItWasStored() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    var day = Invented.day(recorded: 0.1 + 0.2)
    day.distance = nil
    day.timeZone = "Europe/Zurich"
    day.start = Timestamp(nanoseconds: Invented.midnight.nanoseconds + 1)
    try Invented.store([day], of: user, in: archive)
    let found = try #require(try archive.days(of: user).first)
    #expect(found.date == day.date && found.device == Invented.device)
    #expect(found.start == day.start && found.end == day.end)
    #expect(found.recordedSeconds == 0.1 + 0.2 && found.staySeconds == 30_000)
    #expect(found.distance == nil && found.steps == 40 && found.timeZone == "Europe/Zurich")
    #expect(found.isFinal && found.isPrimary && found.revision == 1)
  }

  @Test func daysThatAreNoMoreAreDeletedInTheIntervalOnly() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    try Invented.store((0..<4).map { Invented.day($0) }, of: user, in: archive)
    try archive.replace(
      [Invented.day(2)], of: user, device: Invented.device, from: Invented.instant(86_400),
      to: Invented.instant(86_400 * 3))
    #expect(
      try archive.days(of: user).map(\.date) == ["2026-06-01", "2026-06-03", "2026-06-04"])
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let items = try DatabaseServer.column(
      connection, as: user, "SELECT date || ' ' || count(*) FROM archive.items GROUP BY date")
    #expect(Set(items) == ["2026-06-01 5", "2026-06-03 5", "2026-06-04 5"])
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
    let days = [Invented.day(0, recorded: 60_000), Invented.day(1, recorded: 50_000)]
    try Invented.store(days, of: user, device: other, in: archive)
    // Equal ones: the first in order.
    #expect(try primary() == ["2026-06-01 f", "2026-06-02 0"])
    try Invented.store([Invented.day(1)], of: user, device: other, in: archive)
    #expect(try primary() == ["2026-06-01 0", "2026-06-02 0"])
    try Invented.store([], of: user, in: archive)
    #expect(try primary() == ["2026-06-02 f"])
  }

  @Test func coordinatesAreStoredBitForBit() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    var day = Invented.day()
    let points = [
      ItemRow.Point(latitude: 90, longitude: -180), ItemRow.Point(latitude: -90, longitude: 180),
      ItemRow.Point(latitude: 0.1 + 0.2, longitude: -1e-300),
      ItemRow.Point(latitude: 47.123456789012345, longitude: 8.000000000000002),
    ]
    day.items = points.map {
      ItemRow(kind: .stay, start: day.start, end: day.end, position: $0, path: [$0])
    }
    try Invented.store([day], of: user, in: archive)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let found = try connection.transaction("asking", as: user) { () throws(DatabaseError) in
      try connection.rows(
        "asking",
        """
        SELECT ST_Y(position::geometry), ST_X(position::geometry),
          ST_Y(ST_EndPoint(path::geometry)), ST_X(ST_EndPoint(path::geometry))
        FROM archive.items ORDER BY number
        """
      ) { (row: PostgresRow) throws(DatabaseError) in
        try [0, 1, 2, 3].map { (column) throws(DatabaseError) in try row.real(column).bitPattern }
      }
    }
    #expect(
      found
        == points.map {
          [$0.latitude, $0.longitude, $0.latitude, $0.longitude].map(\.bitPattern)
        }
    )
  }

  @Test(arguments: [
    (90.001, 0.0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity),
  ])
  func coordinatesOffTheEarthAreRefused(latitude: Double, longitude: Double) throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    let point = ItemRow.Point(latitude: latitude, longitude: longitude)
    func isRefused(_ body: () throws -> Void) -> Bool {
      do { try body() } catch {
        if case .invalidRow = error as? DatabaseError { return true }
      }
      return false
    }
    try archive.insert(Invented.unit(of: user))
    var day = Invented.day()
    day.items[0].position = point
    #expect(isRefused { try Invented.store([day], of: user, in: archive) })
    day = Invented.day()
    day.items[1].path[3] = point
    #expect(isRefused { try Invented.store([day], of: user, in: archive) })
    let place = PlaceRow(number: 1, name: nil, position: point, radius: 60, isLearned: true)
    #expect(
      isRefused { try archive.replacePlaces([place], of: user, device: Invented.device) })
    #expect(try archive.days(of: user).isEmpty)
  }

  @Test(arguments: ["", "today", "2026-6-1", "2026-06-01'", "2026-06-01 ", "２026-06-01"])
  func whatIsNoDateIsRefused(date: String) throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    #expect(throws: DatabaseError.self) { try archive.dayJSON(of: user, date: date) }
    var day = Invented.day()
    day.date = date
    #expect(throws: DatabaseError.self) { try Invented.store([day], of: user, in: archive) }
    #expect(try archive.days(of: user).isEmpty)
  }

  @Test func derivedRowsOfAnErasedUserAreRefused() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    try Invented.store([Invented.day()], of: user, in: archive)
    let erased = try archive.erase(user: user)
    #expect(erased.objectKeys == [Invented.unit(of: user).objectKey])
    #expect {
      try archive.replace(
        [Invented.day()], of: user, device: Invented.device, from: Invented.instant(0),
        to: Invented.instant(86_400))
    } throws: { error in
      if case .conflict = error as? DatabaseError { true } else { false }
    }
    #expect(try archive.erase(user: user).counts.isEmpty)
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
              number: $0, name: $1, position: .init(latitude: 1, longitude: 2), radius: 60,
              isLearned: false)
          }, of: user, device: device)
      }
    }
    #expect(try counts() == ["2 d,d", "2 d,d"])
    try archive.replaceMeasurements([], of: user, device: Invented.device)
    try archive.replacePlaces([], of: user, device: Invented.device)
    #expect(try counts() == ["1 d", "1 d"])
  }

  @Test func aDayMayHaveMoreItemsThanAStatementTakes() throws {
    let archive = try DatabaseServer.archive()
    let user = DatabaseServer.newUser()
    var day = Invented.day()
    day.items = (0..<1_201).map {
      ItemRow(
        kind: .gap, start: Invented.instant(Double($0)), end: Invented.instant(Double($0 + 1)))
    }
    try Invented.store([day], of: user, in: archive)
    let connection = try DatabaseServer.connection(DatabaseServer.collector)
    let found = try DatabaseServer.column(
      connection, as: user, "SELECT count(DISTINCT number) FROM archive.items")
    #expect(found == ["1201"])
  }
}
