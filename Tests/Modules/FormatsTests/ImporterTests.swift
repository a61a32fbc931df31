import Foundation
@_spi(Server) import LocomotionFormats
import LocomotionRecordings
import LocomotionSensing
import Testing

@Suite struct ImporterTests {
  /// 2024-05-01T12:00:00Z.
  let noon = 1_714_564_800.0

  @Test func gpxKeepsTimedPointsWithTheirExtensions() throws {
    let imported = try Imported(FormatSamples.source(.gpx), as: .gpx)
    let fixes = imported.batch.fixes
    #expect(fixes.map(\.timestamp.seconds) == [noon + 0.25, noon + 1])
    #expect(
      fixes.first
        == LocationFix(
          timestamp: Timestamp(nanoseconds: 1_714_564_800_250_000_000), latitude: 48.5,
          longitude: -11.25, altitude: 500.5, horizontalAccuracy: 10, speed: 1.5, course: 90))
    // A dilution of 2 is 10 m, as in a table; none is unknown.
    #expect(fixes.map(\.horizontalAccuracy) == [10, nil])
    #expect(imported.report.dropped == [.otherKind: 1, .noTime: 1, .noPosition: 1])
    #expect(
      imported.report.firstDefect
        == .malformed(
          path: "sample", place: "line 8", expected: "a time in ISO 8601", found: ""))
  }

  @Test func overlandTreatsMinusOneAsUnknown() throws {
    let imported = try Imported(FormatSamples.source(.overland), as: .overland)
    // A point that was sent twice: what reads the recording in its order leaves one of them out.
    #expect(imported.batch.fixes.count == 2 && imported.batch.fixes[0] == imported.batch.fixes[1])
    let fix = try #require(imported.batch.fixes.first)
    #expect(fix.timestamp.seconds == noon && fix.latitude == 48.5 && fix.longitude == -11.25)
    #expect(fix.speed == nil && fix.course == nil && fix.altitude == nil)
    #expect(fix.horizontalAccuracy == 5)
    #expect(imported.recordings.map(\.subject) == ["phone é"])
    #expect(imported.report.dropped == [.noTime: 1])
  }

  @Test func geoJSONImportsPointsOnly() throws {
    let imported = try Imported(FormatSamples.source(.geojson), as: .geojson)
    #expect(imported.batch.fixes.map(\.altitude) == [7])
    #expect(imported.report.dropped == [.otherKind: 1])
  }

  @Test func linesOfJSONKeepEveryNanosecond() throws {
    let imported = try Imported(FormatSamples.source(.ndjson), as: .ndjson)
    #expect(
      imported.batch.accelerations.timestamps.map(\.nanoseconds) == [1_000_000_001, 2_000_000_000])
    #expect(imported.batch.accelerations.x[0] == 0.5 && imported.batch.accelerations.x[1].isNaN)
    #expect(imported.batch.rotationRates.z == [5, 6])
    #expect(imported.labels == ["walking 1.0 2.0"])
    #expect(imported.report.dropped == [.noTime: 1])
    #expect(
      imported.recordings == [ImportedRecording(name: "a/b", subject: "me", hasGyroscope: true)])
  }

  @Test func sensorLoggerAddsGravityAndInvertsApplesSign() throws {
    let imported = try Imported(FormatSamples.source(.sensorlogger), as: .sensorlogger)
    let samples = imported.batch.accelerations
    #expect(
      samples.timestamps.map(\.nanoseconds)
        == [1_714_564_800_000_000_001, 1_714_564_800_010_000_000])
    // The second sample is half-way between two of gravity: (0.5, 0, −9.7).
    for (found, expected) in zip(
      [samples.x[0], samples.y[0], samples.z[0], samples.x[1], samples.y[1], samples.z[1]],
      [-0.1, -0.2, 9.5, -0.9, -0.5, 9.1] as [Float])
    {
      #expect(abs(found - expected) < 1e-6)
    }
    #expect(imported.batch.rotationRates.x == [1] && imported.batch.rotationRates.z == [3])
    let fix = try #require(imported.batch.fixes.first)
    #expect(fix.course == nil && fix.speed == 1.25 && fix.verticalAccuracy == 4)
    #expect(imported.batch.pressures.hectopascals == [1_001.5])
    #expect(imported.recordings.first?.subject == "abc")
    #expect(imported.recordings.first?.hasBarometer == true)
    #expect(
      imported.report.dropped == [.notANumber: 1, .fieldCount: 1, .noGravity: 1, .noValue: 1])
  }

  @Test func sensorLoggerUsesStandardisedFramesAndTotalAccelerationUnchanged() throws {
    var files = FormatSamples.sensorLogger
    files["Metadata.csv"] = "platform,standardisation\nios,true\n"
    files["TotalAcceleration.csv"] = "time,seconds_elapsed,z,y,x\n1714564801000000000,0,9.5,0,1\n"
    let samples = try source(files).imported(as: .sensorlogger).batch.accelerations
    #expect(samples.x == [1] && samples.z == [9.5])
    #expect(samples.timestamps.map(\.seconds) == [1_714_564_801])
  }

  @Test func sensorLoggersUncalibratedAccelerationIsInGravitiesOnApple() throws {
    let imported = try source([
      "AccelerometerUncalibrated.csv": "time,x,y,z\n1000000000,0,0,-1\n",
      "Metadata.csv": "platform\nios\n",
    ]).imported(as: .sensorlogger)
    #expect(imported.batch.accelerations.z == [9.80665])
  }

  @Test func pushedMessagesAreMergedBySensorAndTheirSystemIsDetected() throws {
    let imported = try Imported(FormatSamples.source(.sensorloggerpush), as: .sensorloggerpush)
    let samples = imported.batch.accelerations
    let start: Int64 = 1_700_000_000_000_000_000
    #expect(
      samples.timestamps.map { $0.nanoseconds - start } == [0, 10_000_000, 1_000_000_000])
    // Gravity in the middle is the mean of the values before and after it.
    #expect(Array(samples.x) == [0.5, 0.25, 0])
    #expect(Array(samples.y.prefix(2)) == [0, 0.5] && Array(samples.z.prefix(2)) == [9.75, 10])
    // Apple's unit g and sign.
    let gravity = Float(Acceleration.standardGravity)
    #expect(samples.y[2] == -gravity / 2 && samples.z[2] == gravity)
    #expect(Array(imported.batch.rotationRates.z) == [0.3])
    // In kPa, as iOS has it.
    #expect(imported.batch.pressures.hectopascals == [1_012.5])
    let fix = try #require(imported.batch.fixes.first)
    #expect(fix.speed == 1.5 && fix.course == nil && fix.courseAccuracy == nil)
    #expect(fix.altitude == 500 && fix.verticalAccuracy == 3)
    #expect(imported.recordings.map(\.name) == ["s-1", "s-2"])
    #expect(imported.report.dropped == [.noTime: 1])
  }

  @Test func pushedAccelerationsWithoutGravityAreDropped() throws {
    func message(_ z: Double) -> [UInt8] {
      let entries = (0..<4).map { index in
        "{\"name\":\"accelerometer\",\"time\":170000000000000000\(index),"
          + "\"values\":{\"x\":0.1,\"y\":0,\"z\":\(z)}}"
      }
      return Array("{\"payload\":[\(entries.joined(separator: ","))]}".utf8)
    }
    let without = try LiveMessage(message(0.5))
    #expect(without.app == .sensorlogger && without.batches.isEmpty)
    #expect(without.report.dropped == [.noGravity: 4] && without.report.read == 4)
    // Some programs include gravity under this name, which the mean shows.
    let with = try LiveMessage(message(9.75), isApple: true)
    #expect(with.batches.first?.accelerations.z.first == -9.75)
    #expect(with.report.notes.count == 1)
    #expect(throws: RecordingError.self) { try LiveMessage(message(1), app: .overland) }
  }

  @Test func samplesOfAMessageWithImpossibleTimesAreDropped() throws {
    let times =
      Timestamp(
        nanoseconds: 1_000_000_000_000_000_000)...Timestamp(nanoseconds: 2_000_000_000_000_000_000)
    let instants = [
      "0", "999999999999999999", "1000000000000000000", "2000000000000000001",
    ]
    let values = "{\"x\":1,\"y\":2,\"z\":9.5,\"latitude\":48,\"longitude\":11}"
    let entries = instants.flatMap { time in
      ["totalacceleration", "gyroscope", "location"].map {
        "{\"name\":\"\($0)\",\"time\":\(time),\"values\":\(values)}"
      }
    }
    let bytes = Array("{\"payload\":[\(entries.joined(separator: ","))]}".utf8)
    let all = try LiveMessage(bytes)
    #expect(all.report.kept == 12 && all.report.dropped.isEmpty)
    let message = try LiveMessage(bytes, times: times)
    #expect(message.report.dropped == [.impossibleTime: 9])
    #expect(message.report.read == 12 && message.report.kept == 3)
    for batch in message.batches {
      for series in [batch.accelerations, batch.rotationRates] {
        #expect(series.timestamps.allSatisfy { times.contains($0) })
      }
      #expect(batch.fixes.allSatisfy { times.contains($0.timestamp) })
    }
    let points = ["1995-01-01T00:00:00Z", "2010-01-01T00:00:00Z", "2096-01-01T00:00:00Z"].map {
      "{\"geometry\":{\"type\":\"Point\",\"coordinates\":[11,48]},"
        + "\"properties\":{\"timestamp\":\"\($0)\"}}"
    }
    let overland = try LiveMessage(
      Array("{\"locations\":[\(points.joined(separator: ","))]}".utf8), times: times)
    #expect(overland.report.dropped == [.impossibleTime: 2] && overland.report.fixes == 1)
  }

  @Test func theFirstDefectIsReportedWithItsPosition() throws {
    let message = try LiveMessage(Array("{\"locations\":[\n0,\n{},[1]]}".utf8))
    #expect(message.report.dropped == [.otherKind: 3])
    let defect = try #require(message.report.firstDefect)
    #expect("\(defect)".contains("line 2, byte 17"), "\(defect)")
  }

  @Test func phyphoxReadsDecimalCommasAndPauses() throws {
    let imported = try Imported(FormatSamples.source(.phyphox), as: .phyphox)
    let samples = imported.batch.accelerations
    #expect(samples.x == [0.125, 2] && samples.z == [9.81, 9.81])
    #expect(
      samples.timestamps.map(\.nanoseconds)
        == [1_714_564_800_750_000_000, 1_714_565_010_000_000_000])
    #expect(imported.batch.rotationRates.timestamps.map(\.seconds) == [noon + 1.75])
    let fix = try #require(imported.batch.fixes.first)
    #expect(fix.altitude == 500 && fix.verticalAccuracy == 8 && fix.course == 90)
    #expect(imported.batch.pressures.hectopascals == [1_002.25])
    #expect(imported.batch.pressures.timestamps.map(\.seconds) == [noon + 2.75])
    #expect(imported.report.dropped == [.noPosition: 1])
  }

  @Test func geoLifeReadsFeetAndModes() throws {
    let imported = try Imported(FormatSamples.source(.geolife), as: .geolife)
    let fixes = imported.batch.fixes
    // 2008-04-02T11:24:21Z.
    #expect(fixes.map(\.timestamp.seconds) == [1_207_135_461, 1_207_135_462])
    #expect(abs((fixes.first?.altitude ?? 0) - 30.48) < 1e-12 && fixes.last?.altitude == nil)
    #expect(imported.labels == ["bus 1207135461.0 1207137045.0"])
    #expect(imported.recordings.map(\.name) == ["010"])
    #expect(imported.report.dropped == [.noTime: 1, .badInterval: 1])
  }

  @Test func shlReadsSamplesAndLabels() throws {
    let imported = try Imported(FormatSamples.source(.shl), as: .shl)
    #expect(imported.batch.accelerations.z == [9.75, 9.5])
    #expect(imported.batch.rotationRates.count == 3)
    #expect(imported.batch.pressures.hectopascals == [1_000, 1_000, 1_000])
    #expect(
      imported.labels
        == ["walking 1498120000.01 1498120000.03", "subway 1498120000.03 1498120000.03"])
    #expect(imported.batch.fixes.map(\.horizontalAccuracy) == [8])
    #expect(
      imported.recordings
        == [
          ImportedRecording(
            name: "User1_220617_Hand", subject: "User1", hasGyroscope: true, hasBarometer: true)
        ])
  }

  @Test func uciHARJoinsWindowsThatOverlap() throws {
    let imported = try Imported(FormatSamples.source(.ucihar), as: .ucihar)
    let samples = imported.batch.accelerations
    #expect(imported.recordings.map(\.name) == ["train_1", "train_3"])
    #expect(samples.count == 128 + 64 + 128 + 128)
    let expected = (0..<192).map { Float(Double($0) / 1024) * Float(9.80665) }
    #expect(Array(samples.x.prefix(192)) == expected)
    // 50 Hz, then a pause of 10 s before a window that does not continue.
    #expect(samples.timestamps[191].seconds == 3.82)
    #expect(samples.timestamps[192].seconds == 13.84)
    #expect(
      imported.labels == [
        "walking 0.0 3.82", "walking upstairs 13.84 16.38", "lying 0.0 2.54",
      ])
  }

  @Test func pamap2GivesOneRecordingPerSensorPosition() throws {
    let imported = try Imported(FormatSamples.source(.pamap2), as: .pamap2)
    #expect(imported.recordings.map(\.name) == ["sample_hand", "sample_chest", "sample_ankle"])
    #expect(imported.batch.accelerations.x == [Float](repeating: 1.5, count: 9))
    #expect(imported.batch.rotationRates.z == [Float](repeating: 0.3, count: 9))
    #expect(imported.labels == [String](repeating: "walking 8.39 8.4", count: 3))
    #expect(imported.report.dropped == [.fieldCount: 3])
  }

  @Test func arcsConfirmedActivitiesBecomeLabels() throws {
    let imported = try Imported(FormatSamples.source(.arc), as: .arc)
    let fixes = imported.batch.fixes
    // The second date counts from 2001, the third from 1970.
    #expect(fixes.map(\.timestamp.seconds) == [noon, noon + 6, noon + 12.5])
    #expect(fixes.first?.altitude == nil && fixes.first?.course == nil)
    #expect(imported.labels == ["walking \(noon) \(noon + 12.5)"])
    #expect(imported.report.dropped == [.noPosition: 1, .disabled: 1])

    var files = FormatSamples.arc
    files["export/samples/2024-W18.json"] = FormatSamples.arc["export/samples/2024-W18.json"]?
      .replacingOccurrences(of: "confirmedActivityType", with: "other")
    let trips = try source(files).imported(as: .arc)
    #expect(trips.labels == ["train \(noon) \(noon + 3600)"])
  }

  @Test func movesGivesTrackPointsAndPlaces() throws {
    let imported = try Imported(FormatSamples.source(.moves), as: .moves)
    // A place that starts and ends at the same instant is one fix.
    #expect(
      imported.batch.fixes.map(\.timestamp.seconds) == [noon - 7200, noon - 7140, noon - 7080])
    #expect(
      imported.labels == [
        "stationary \(noon - 7200) \(noon - 7200)", "walking \(noon - 7200) \(noon - 6600)",
      ])
    #expect(imported.report.dropped == [.noTime: 1])
  }
}

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
    #expect(found.batch.fixes.count == 6 && found.labels.isEmpty)
    #expect(found.report.lines.contains("stated by Google Timeline: 1 visit, 1 activity"))
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
    #expect(seconds == [0, 600, 1_800, 2_400, 2_400, 7_200])
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
