import LocomotionFormats
import LocomotionSensing
import Testing

/// What other systems state of visits and activities, kept apart from fixes.
@Suite struct StatedIntervalTests {
  /// 2024-05-01T12:00:00Z.
  private static let noon = 1_714_564_800.0

  private static func interval(
    _ kind: StatedInterval.Kind, _ start: Double, _ end: Double, _ source: String,
    _ probability: Double? = nil, place: String? = nil
  ) throws -> StatedInterval {
    let from = try #require(Timestamp(seconds: noon + start))
    let to = try #require(Timestamp(seconds: noon + end))
    return try #require(
      StatedInterval(
        kind, from: from, to: to, source: source, probability: probability, place: place))
  }

  private static func visit(_ latitude: Double, radius: Double? = nil) -> StatedInterval.Kind {
    .visit(latitude: latitude, longitude: 8, radius: radius)
  }

  // MARK: Google

  @Test func googlesPhonesStateVisitsAndActivities() throws {
    let text = """
      {"semanticSegments":[
      {"startTime":"2024-05-01T14:30:00+02:00","endTime":"2024-05-01T15:00:00+02:00","activity":{
      "start":{"latLng":"50.0°, 8.0°"},"end":{"latLng":"50.1°, 8.0°"},"distanceMeters":11500.5,
      "topCandidate":{"type":"IN_PASSENGER_VEHICLE","probability":0.75}}},
      {"startTime":"2024-05-01T14:00:00+02:00","endTime":"2024-05-01T14:30:00+02:00","visit":{
      "hierarchyLevel":0,"probability":0.5,"topCandidate":{"placeLocation":{
      "latLng":"50.0°, 8.0°"}}}},
      {"startTime":"2024-05-01T14:05:00+02:00","endTime":"2024-05-01T14:10:00+02:00","visit":{
      "hierarchyLevel":1,"topCandidate":{"placeLocation":{"latLng":"50.0°, 8.0°"}}}}]}
      """
    let found = try source(["Timeline.json": text]).imported(as: .google)
    #expect(
      found.report.statements == [
        try Self.interval(Self.visit(50), 0, 1_800, "Google Timeline", 0.5),
        try Self.interval(
          .activity(name: "car", distance: 11_500.5), 1_800, 3_600, "Google Timeline", 0.75),
      ])
    #expect(found.batch.fixes.count == 5 && found.labels.isEmpty)
    #expect(found.report.lines.contains("stated by Google Timeline: 1 visits, 1 activities"))
  }

  @Test func googlesOtherPhonesWriteNumbersAsText() throws {
    let text = """
      [{"startTime":"2024-05-01T12:00:00Z","endTime":"2024-05-01T12:30:00Z","activity":
      {"start":"geo:50,8","end":"geo:50.1,8","distanceMeters":"900.0","probability":"0.9",
      "topCandidate":{"type":"in train","probability":"0.25"}}},
      {"startTime":"2024-05-01T12:30:00Z","endTime":"2024-05-01T13:00:00Z","visit":
      {"hierarchyLevel":"0","probability":"0.8","topCandidate":{"placeLocation":"geo:50.1,8"}}}]
      """
    let found = try source(["location-history.json": text]).imported(as: .google)
    #expect(
      found.report.statements == [
        try Self.interval(
          .activity(name: "train", distance: 900), 0, 1_800, "Google Timeline", 0.25),
        try Self.interval(Self.visit(50.1), 1_800, 3_600, "Google Timeline", 0.8),
      ])
  }

  @Test func googlesMonthsStateThemAndWaypointsAreSpread() throws {
    let text = """
      {"timelineObjects":[
      {"activitySegment":{"startLocation":{"latitudeE7":500000000,"longitudeE7":80000000},
      "endLocation":{"latitudeE7":504000000,"longitudeE7":80000000},"distance":44500,
      "duration":{"startTimestamp":"2024-05-01T12:00:00Z","endTimestamp":"2024-05-01T12:40:00Z"},
      "activityType":"CYCLING","activities":[{"activityType":"CYCLING","probability":80.0}],
      "waypointPath":{"waypoints":[{"latE7":501000000,"lngE7":80000000},
      {"latE7":503000000,"lngE7":80000000}]}}},
      {"placeVisit":{"location":{"latitudeE7":504000000,"longitudeE7":80000000},
      "visitConfidence":90,
      "duration":{"startTimestamp":"2024-05-01T12:40:00Z","endTimestamp":"2024-05-01T14:00:00Z"}}}
      ]}
      """
    let found = try source(["2024_MAY.json": text]).imported(as: .google)
    #expect(
      found.report.statements == [
        try Self.interval(
          .activity(name: "cycling", distance: 44_500), 0, 2_400, "Google Timeline", 0.8),
        try Self.interval(Self.visit(50.4), 2_400, 7_200, "Google Timeline", 0.9),
      ])
    let seconds = found.batch.fixes.map { ($0.timestamp.seconds - Self.noon).rounded() }
    #expect(seconds == [0, 600, 1_800, 2_400, 7_200])
    #expect(
      found.report.notes.contains { $0.contains("spread over the time") && $0.hasSuffix("2") })
  }

  // MARK: Others

  @Test func arcStatesItsItems() throws {
    var files = FormatSamples.arc
    files["export/items/2024-05.json"] = """
      [{"base":{"startDate":"2024-05-01T12:00:00Z","endDate":"2024-05-01T13:00:00Z"},
      "trip":{"confirmedActivityType":20,"classifiedActivityType":5,"distance":9000}},
      {"base":{"startDate":"2024-05-01T13:00:00Z","endDate":"2024-05-01T14:00:00Z"},
      "visit":{"latitude":50,"longitude":8,"radiusMean":20,"radiusSD":10}},
      {"base":{"startDate":"2024-05-01T14:00:00Z","endDate":"2024-05-01T15:00:00Z"},
      "trip":{"classifiedActivityType":2}},
      {"base":{"startDate":"2024-05-01T14:00:00Z","endDate":"2024-05-01T15:00:00Z","deleted":true},
      "visit":{"latitude":50,"longitude":8}}]
      """
    let found = try source(files).imported(as: .arc)
    #expect(
      found.report.statements == [
        try Self.interval(.activity(name: "train", distance: 9_000), 0, 3_600, "Arc", 1),
        try Self.interval(Self.visit(50, radius: 30), 3_600, 7_200, "Arc"),
        try Self.interval(.activity(name: "walking", distance: nil), 7_200, 10_800, "Arc"),
      ])
  }

  @Test func aStorylineStatesItsSegments() throws {
    let text = """
      [{"date":"20240501","segments":[{"type":"place","startTime":"20240501T120000Z",
      "endTime":"20240501T130000Z","place":{"name":"Café","location":{"lat":50,"lon":8}}},
      {"type":"move","startTime":"20240501T130000Z","endTime":"20240501T131000Z","activities":[
      {"activity":"wlk","startTime":"20240501T130000Z","endTime":"20240501T131000Z",
      "distance":700,"trackPoints":[]}]}]}]
      """
    let found = try source(["storyline.json": text]).imported(as: .moves)
    #expect(
      found.report.statements == [
        try Self.interval(Self.visit(50), 0, 3_600, "Moves", place: "Café"),
        try Self.interval(.activity(name: "walking", distance: 700), 3_600, 4_200, "Moves"),
      ])
  }

  @Test func regionsThatWereEnteredAndLeftAreVisits() throws {
    func transition(_ event: String, _ region: String, _ seconds: Int, _ latitude: Double) -> String
    {
      "{\"_type\":\"transition\",\"event\":\"\(event)\",\"desc\":\"\(region)\",\"tid\":\"ab\","
        + "\"tst\":\(Int(Self.noon) + seconds),\"lat\":\(latitude),\"lon\":8}\n"
    }
    let text =
      "{\"_type\":\"waypoint\",\"desc\":\"home\",\"lat\":50,\"lon\":8,\"rad\":100}\n"
      + "{\"_type\":\"location\",\"tst\":\(Int(Self.noon)),\"lat\":50,\"lon\":8,\"tid\":\"ab\"}\n"
      + transition("leave", "home", -60, 50) + transition("enter", "home", 0, 50.001)
      + transition("enter", "town", 60, 51) + transition("leave", "home", 600, 50.001)
      + transition("leave", "town", 1_200, 51.5) + transition("enter", "home", 9_000, 50)
    let found = try source(["messages.json": text]).imported(as: .owntracks)
    #expect(
      found.report.statements == [
        try Self.interval(Self.visit(50, radius: 100), 0, 600, "OwnTracks", place: "home"),
        try Self.interval(Self.visit(51.25), 60, 1_200, "OwnTracks", place: "town"),
      ])
    #expect(found.report.notes == ["regions entered or left without the other, not stated: 2"])
    #expect(found.batch.fixes.count == 1)
  }

  @Test func rowsWithTwoTimesAreVisits() throws {
    let text = """
      arrivalDate,departureDate,latitude,longitude,horizontalAccuracy
      2024-05-01T12:00:00Z,2024-05-01T13:00:00Z,50,8,30
      2024-05-01T14:00:00Z,4001-01-01T00:00:00Z,51,8,30
      0001-01-01T00:00:00Z,4001-01-01T00:00:00Z,51,8,30
      """
    let found = try source(["visits.csv": text]).imported(as: .table)
    #expect(
      found.report.statements == [
        try Self.interval(Self.visit(50, radius: 30), 0, 3_600, "rows of visits")
      ])
    #expect(found.batch.fixes.map { $0.timestamp.seconds - Self.noon } == [0, 3_600, 7_200])
    #expect(found.report.dropped == [.noTime: 1])
    let staypoints = """
      user_id,started_at,finished_at,geom
      1,2024-05-01T12:00:00Z,2024-05-01T13:00:00Z,POINT (8 50)
      """
    let others = try source(["staypoints.csv": staypoints]).imported(as: .table)
    #expect(
      others.report.statements == [try Self.interval(Self.visit(50), 0, 3_600, "rows of visits")])
  }

  @Test func placemarksWithASpanAreVisitsAndJourneys() throws {
    func span(_ from: String, _ to: String) -> String {
      "<TimeSpan><begin>2024-05-01T\(from)Z</begin><end>2024-05-01T\(to)Z</end></TimeSpan>"
    }
    let text = """
      <kml><Document><Placemark>\(span("12:00:00", "13:00:00"))
      <Point><coordinates>8,50,0</coordinates></Point></Placemark>
      <Placemark><LineString><coordinates>8,50,0 8,50.1,0 8,50.4,0</coordinates></LineString>
      \(span("13:00:00", "13:40:00"))</Placemark>
      <Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,2</coordinates>
      </LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>
      """
    let found = try source(["history.kml": text]).imported(as: .kml)
    #expect(
      found.report.statements == [
        try Self.interval(Self.visit(50), 0, 3_600, "KML"),
        try Self.interval(.activity(name: nil, distance: nil), 3_600, 6_000, "KML"),
      ])
    let seconds = found.batch.fixes.map { ($0.timestamp.seconds - Self.noon).rounded() }
    #expect(seconds == [0, 3_600, 3_600, 4_200, 6_000])
  }
}
