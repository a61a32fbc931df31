import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import TestSupport
import Testing

/// What the files of watches and services say of an activity, beside its points.
@Suite struct SessionTests {
  private let folder = ScratchFolder()

  private func analysis(_ bytes: some Sequence<UInt8>, _ name: String) throws -> Analysis {
    try Analysis(of: RecordingSource(path: folder.write(bytes, to: name)), jobs: 1)
  }

  private func gpx(_ track: MadeTrack, _ head: String) throws -> Analysis {
    try analysis(track.gpx(head).utf8, "a.gpx")
  }

  // MARK: Words

  @Test(arguments: [
    ("Morning Ride", "cycling"), ("Lauf am Morgen", "running"), ("Mittagslauf", "running"),
    ("Wanderung auf den Hirschberg", "hiking"), ("Sortie vélo le matin", "cycling"),
    ("Course à pied dans l'après-midi", "running"), ("Randonnée VTT", "cycling"),
    ("Randonnée", "hiking"), ("Carrera de mañana", "running"), ("Paseo en bicicleta", "cycling"),
    ("Camminata serale", "walking"), ("Corrida matinal", "running"), ("Fietsrit", "cycling"),
    ("Løpetur", "running"), ("Jazda na rowerze", "cycling"), ("Běh", "running"),
    ("Утренняя пробежка", "running"), ("北京市 步行", "walking"), ("晨跑", "running"),
    ("朝のライド", "cycling"), ("午後のウォーキング", "walking"), ("점심 달리기", "running"),
    ("Bus ride home", "bus"), ("Night train", "train"), ("E-Bike Ride", "e-biking"),
    ("trail_running", "running"), ("hiking", "hiking"), ("Walk & hike", "hiking"),
  ])
  func namesTellASport(text: String, sport: String) throws {
    #expect(try self.sport(ofTrackNamed: text) == sport)
  }

  @Test(arguments: [
    "", "Lunch", "Ablauf", "Brunch in Runcorn", "Strider", "Run and bike", "School run",
    "Trainspotting", "フランスのスライド", "Ride, then walk", "Afternoon activity", "Carlos",
  ])
  func otherNamesTellNone(text: String) throws {
    #expect(try sport(ofTrackNamed: text) == nil)
  }

  /// What the track is stated to be; nil when nothing is.
  private func sport(ofTrackNamed name: String) throws -> String? {
    let track = MadeTrack().go(60, at: 3).gpx("<name>\(name.replacing("&", with: "&amp;"))</name>")
    let report = try Imported(Array(track.utf8), named: "a.gpx", as: .gpx).report
    for case .activity(let sport, _) in report.statements.map(\.kind) { return sport }
    return nil
  }

  // MARK: Statements

  @Test func sessionsOfWatchesStateTheirSportTotalsAndPauses() throws {
    let track = MadeTrack().go(60, at: 3).pause(40).go(60, at: 3)
    let bytes = track.fit(1, totals: (360, 119, 12, 7))
    let report = try Imported(bytes, named: "a.fit", as: .fit).report
    #expect(report.lines.contains("stated by FIT: 0 visits, 1 activity, 1 pause"))
    let session = try #require(report.statements.first { $0.isActivity })
    #expect(session.kind == .activity(name: "running", distance: nil))
    #expect(session.basis == .chosen && session.activity == .running)
    #expect(
      session.totals
        == StatedTotals(
          distance: 360, movingSeconds: 119, elapsedSeconds: 159, climb: 12, descent: 7))
    let pause = try #require(report.statements.first { $0.kind == .pause })
    #expect(pause.end.seconds - pause.start.seconds == 41)
    let ebike = try Imported(track.fit(2, 28), named: "a.fit", as: .fit).report
    #expect(
      ebike.statements.first { $0.isActivity }?.kind == .activity(name: "e-biking", distance: nil))
  }

  @Test func whatADeviceMeasuredOfTheBodyIsKept() throws {
    let heart = { (number: Int) in
      "<extensions><x:TrackPointExtension><x:hr>\(120 + number % 3)</x:hr><x:cad>0</x:cad>"
        + "</x:TrackPointExtension><power>201.5</power></extensions>"
    }
    let run = MadeTrack().go(60, at: 3)
    func body(_ bytes: some Sequence<UInt8>, _ format: RecordingFormat) throws
      -> [BodyQuantity: [BodySample]]
    { try Imported(Array(bytes), named: "a", as: format).report.body }
    let gpx = try body(run.gpx(more: heart).utf8, .gpx)
    #expect(gpx[.heartRate]?.prefix(4).map(\.value) == [120, 121, 122, 120])
    #expect(gpx[.heartRate]?[1].time.seconds == Double(run.points[1].time))
    // A heart that stands still is a strap that was lost.
    #expect(gpx[.cadence] == nil && gpx[.power]?.allSatisfy { $0.value == 201.5 } == true)
    let tcx = try body(FormatSamples.tcx.utf8, .tcx)
    #expect(tcx[.heartRate]?.map(\.value) == [120])
    var bytes: [UInt8] =
      [0x40, 0, 0, 20, 0, 6, 253, 4, 0x86, 0, 4, 0x85, 1, 4, 0x85, 3, 1, 2, 4, 1, 2, 7, 2, 0x84]
    for second in 0..<3 {
      bytes += [0] + little(1_083_715_200 + second) + little(572_662_306) + little(134_217_728)
      // The strap is silent in the last second.
      bytes += [second == 2 ? 0xFF : 150 + UInt8(second), 85] + little(250, 2)
    }
    let fit = try body(sealedFIT(bytes), .fit)
    #expect(fit[.heartRate]?.map(\.value) == [150, 151])
    #expect(fit[.cadence]?.map(\.value) == [85, 85, 85] && fit[.power]?.count == 3)
  }

  @Test func lapsAndTracksOfOtherFilesAreStated() throws {
    let lap = "<TotalTimeSeconds>100.5</TotalTimeSeconds><DistanceMeters>330</DistanceMeters>"
    let track = MadeTrack().go(100, at: 3)
    let tcx = try Imported(
      track.tcx("Biking", lap, metresPerPoint: 3), named: "a.tcx", as: .tcx
    ).report
    let stated = try #require(tcx.statements.first)
    #expect(stated.activity == .cycling && stated.source == "TCX")
    #expect(stated.totals == StatedTotals(distance: 330, movingSeconds: 100.5))
    // The type stands before the name, and a point's own elements are none of the track's.
    let head = """
      <name>Morning Run</name><type>hiking</type><extensions><x:TrackStatsExtension>\
      <x:Distance>310</x:Distance><x:MovingTime>99</x:MovingTime><x:Ascent>5</x:Ascent>\
      </x:TrackStatsExtension></extensions>
      """
    let gpx = try Imported(
      track.gpx(head, more: { _ in "<name>Ride</name>" }), named: "a.gpx", as: .gpx
    ).report
    #expect(gpx.statements.map(\.kind) == [.activity(name: "hiking", distance: nil)])
    #expect(gpx.statements[0].basis == .chosen && Array(gpx.names.values) == ["Morning Run"])
    #expect(
      gpx.statements[0].totals == StatedTotals(distance: 310, movingSeconds: 99, climb: 5))
    let named = try Imported(
      track.gpx("<name>Lauf</name>"), named: "a.gpx", as: .gpx
    ).report
    #expect(named.statements.map(\.basis) == [.named])
    let silent = try Imported(track.gpx("<name>Day 3</name>"), named: "a.gpx", as: .gpx).report
    #expect(silent.statements.isEmpty)
  }

  @Test func lapsOfADeviceAreKept() throws {
    let lap = { (start: Int, seconds: Int, metres: Int) in
      "<Lap StartTime=\"\(MadeTrack.stamp(start))\"><TotalTimeSeconds>\(seconds)</TotalTimeSeconds>"
        + "<DistanceMeters>\(metres)</DistanceMeters><Track>"
    }
    let run = MadeTrack().go(60, at: 3).pause(30).go(60, at: 3)
    let (first, last) = (run.points[0].time, run.points[run.points.count - 1].time)
    // The second one has no length, as in a pool.
    let text = run.tcx("Running", metresPerPoint: 3)
      .replacing("<Lap><Track>", with: lap(first, 61, 182))
      .replacing("</Track><Track>", with: "</Track></Lap>" + lap(first + 61, 25, 0))
      .replacing(
        "</Track></Lap></Activity>",
        with: "</Track></Lap>" + lap(last - 50, 50, 150) + "</Track></Lap></Activity>")
    let tcx = try Imported(text, named: "a.tcx", as: .tcx).report.laps
    #expect(tcx.map(\.start.seconds) == [Double(first), Double(last - 50)])
    #expect(tcx.map(\.seconds) == [61, 50] && tcx.map(\.distance) == [182, 150])
    var bytes: [UInt8] = [0x40, 0, 0, 20, 0, 3, 253, 4, 0x86, 0, 4, 0x85, 1, 4, 0x85]
    for second in [0, 600] {
      bytes += [0] + little(1_083_715_200 + second) + little(572_662_306) + little(134_217_728)
    }
    bytes += [0x41, 0, 0, 19, 0, 4, 2, 4, 0x86, 7, 4, 0x86, 8, 4, 0x86, 9, 4, 0x86]
    for (start, elapsed, timer) in [(0, 290, 288), (290, 300, 300), (9_000, 60, 60)] {
      bytes += [1] + little(1_083_715_200 + start) + little(elapsed * 1_000)
      bytes += little(timer * 1_000) + little(100_050)
    }
    // The third one is of no point.
    let fit = try Imported(sealedFIT(bytes), named: "a.fit", as: .fit).report.laps
    #expect(fit.map(\.seconds) == [288, 300] && fit.map(\.distance) == [1_000.5, 1_000.5])
  }

  // MARK: Names

  /// A jog that fixes alone take for a walk.
  @Test func aStatedSportNamesALegWithItsDoubtBeside() throws {
    let track = MadeTrack().go(1_500, at: 1.9)
    let alone = try gpx(track, "").trips
    let sensed = try #require(alone.first?.dominantActivity)
    let stated = try gpx(track, "<type>running</type>").trips
    #expect(stated.map(\.legs.count) == [1] && stated[0].dominantActivity == .running)
    #expect(stated[0].stated?.interval.source == "GPX")
    #expect(stated[0].stated?.sensedActivity == sensed)
    #expect(stated[0].distance == alone.first?.distance)
  }

  @Test func whatNobodyRunsIsNotBelieved() throws {
    let track = MadeTrack().go(900, at: 25)
    let found = try gpx(track, "<type>running</type>").trips
    #expect(found.count == 1 && found[0].dominantActivity != .running)
    #expect(found[0].stated?.interval.activity == .running)
  }

  /// "Ride" is what services call anything with wheels.
  @Test func aDriveThatIsNamedRideIsADrive() throws {
    let track = MadeTrack().go(900, at: 19)
    #expect(try gpx(track, "<name>Ride</name>").trips[0].dominantActivity == .automotive)
    let ride = MadeTrack().go(900, at: 7)
    #expect(try gpx(ride, "<name>Ride</name>").trips[0].dominantActivity == .cycling)
  }

  @Test func aSportOutsideTheSixIsACustomActivity() throws {
    let track = MadeTrack().go(900, at: 4)
    let found = try analysis(track.fit(13), "a.fit").trips
    #expect(found.count == 1 && found[0].legs.map(\.name) == ["skiing"])
  }

  // MARK: Totals

  /// Our own distance is that of the positions, whatever a device adds up.
  @Test func statedDistancesChangeNothingButWhatIsStated() throws {
    let track = MadeTrack().go(900, at: 3)
    func found(_ factor: Double?) throws -> (items: [TimelineItem], stated: [StatedTotals?]) {
      let lap = factor.map { "<DistanceMeters>\(2_700 * $0)</DistanceMeters>" } ?? ""
      let items = try analysis(
        track.tcx("Running", lap, metresPerPoint: factor.map { 3 * $0 }).utf8, "a.tcx"
      ).items
      var stated: [StatedTotals?] = []
      let bare = items.map { item -> TimelineItem in
        guard case .trip(var trip) = item else { return item }
        stated.append(trip.stated?.interval.totals)
        trip.stated?.interval.totals = nil
        return .trip(trip)
      }
      return (bare, stated)
    }
    let (none, right, double) = try (found(nil), found(1), found(2))
    #expect(none.items == right.items && none.items == double.items)
    #expect(none.stated == [nil] && right.stated.map { $0?.distance } == [2_700])
    #expect(double.stated.map { $0?.distance } == [5_400])
  }

  // MARK: Pauses

  /// GIVEN a ride with a rest of twelve minutes at a café, in which the timer stood still
  /// THEN it is one trip, whose time in motion leaves the rest out.
  @Test(arguments: ["fit", "tcx", "gpx"]) func aRestOfASessionIsAPauseOfOneTrip(form: String) throws
  {
    let track = MadeTrack().go(1_200, at: 6).pause(720).go(1_200, at: 6)
    let found =
      switch form {
      case "fit": try analysis(track.fit(2), "a.fit")
      case "tcx": try analysis(track.tcx("Biking").utf8, "a.tcx")
      default: try gpx(track, "<type>cycling</type>")
      }
    let trip = try #require(found.trips.first)
    #expect(found.items.count == 1 && trip.legs.count == 1)
    #expect(trip.end.seconds(since: trip.start) >= 3_119)
    #expect(isNear(trip.movingSeconds, 2_400, 0.03))
    #expect(isNear(trip.distance, track.metres, 0.03))
  }

  /// GIVEN an hour and forty minutes of cycling with a ferry between them, marked as a pause
  /// THEN the crossing is no cycling, and has a leg of its own.
  @Test func aPauseWhoseEndsLieApartIsTravelOfItsOwn() throws {
    var track = MadeTrack().go(3_600, at: 5.5, every: 2)
    let first = track.metres
    track = track.pause(720, over: 6_000).go(2_400, at: 5.5, every: 2)
    let legs = try gpx(track, "<type>cycling</type>").trips.flatMap(\.legs)
    #expect(legs.map(\.activity) == [.cycling, nil, .cycling])
    guard legs.count == 3 else { return }
    #expect(isNear(legs[0].distance, first, 0.03))
    #expect(isNear(legs[1].distance, 6_000, 0.05))
    #expect(isNear(legs[2].distance, track.metres - first, 0.03))
    #expect(abs(legs[1].end.seconds(since: legs[1].start) - 720) <= 5)
  }

  /// GIVEN a walk of an hour, after which the watch ran on for a night
  /// THEN the night remains a stay.
  @Test func whoForgetsToStopTheWatchStays() throws {
    let track = MadeTrack().go(3_600, at: 1.4).go(28_800, at: 0, every: 60)
    let items = try gpx(track, "<type>walking</type>").items
    try #require(items.count == 2, "\(items)")
    #expect(items[0].asTrip?.dominantActivity == .walking && isNear(items[0].duration, 3_600, 0.05))
    #expect(items[1].asStay != nil && items[1].duration > 28_000)
  }

  /// GIVEN forty minutes of laps on a track of 400 m, which lie within the radius of a stay
  /// THEN they are a run of their length.
  @Test func lapsAreTheRunThatIsStated() throws {
    let track = MadeTrack().go(2_400, at: 3.4, turn: 3.4 / 63.7)
    let found = try gpx(track, "<type>running</type>")
    let trip = try #require(found.trips.first)
    #expect(found.items.count == 1 && trip.dominantActivity == .running)
    #expect(isNear(trip.distance, 8_160, 0.06))
  }

  /// GIVEN two sports of one file that follow each other
  /// THEN each is a trip of its own with what is stated of it.
  @Test func eachTrackOfAFileIsASessionOfItsOwn() throws {
    let ride = MadeTrack().go(1_200, at: 7)
    let run = MadeTrack(at: ride.time).go(1_200, at: 3)
    let shifted = run.mapped { _, point in
      point.latitude += ride.points[ride.points.count - 1].latitude - 46
      point.longitude += ride.points[ride.points.count - 1].longitude - 7
    }
    let both =
      ride.gpx("<type>cycling</type>").replacing("</gpx>", with: "")
      + shifted.gpx("<type>running</type>").replacing("<gpx>", with: "")
    let found = try analysis(both.utf8, "a.gpx").trips
    #expect(found.map { $0.stated?.interval.activity } == [.cycling, .running])
    #expect(found.map(\.dominantActivity) == [.cycling, .running])
    guard found.count == 2 else { return }
    #expect(isNear(found[0].distance, 8_400, 0.04) && isNear(found[1].distance, 3_600, 0.04))
  }
}

/// A way and what a receiver says of it: positions with an error of 2.5 m that changes over half a
/// minute, and one of 0.5 m that changes with each fix; written in the forms of other programs.
struct MadeTrack {
  struct Point {
    /// Unix time, seconds.
    var time: Int
    var latitude: Double
    var longitude: Double
    /// Whether a segment begins here.
    var beginsSegment: Bool
  }

  private(set) var points: [Point] = []
  /// The metres on the way, without those of crossings.
  private(set) var metres = 0.0
  /// The time after the last point, and where that is.
  private(set) var time: Int
  private var place = SIMD2(0.0, 0.0)
  private var heading = 0.6
  private var drift = SIMD2(0.0, 0.0)
  private var last: Int
  private var isNewSegment = true
  private var random: SplitMix64

  /// A way that begins at 46°, 7° and a Unix time.
  init(at time: Int = 1_780_300_800, seed: UInt64 = 1) {
    (self.time, last) = (time, time)
    random = SplitMix64(seed: seed)
  }

  /// Goes on with a fix each `step` seconds; a curve of `turn` rad/s.
  consuming func go(
    _ seconds: Int, at speed: Double, every step: Int = 1, turn: Double = 0
  ) -> Self {
    let end = time + seconds
    while time < end {
      take()
      for _ in 0..<step {
        // Ways wind.
        heading += turn + 0.004 * normal()
        place += speed * SIMD2(cos(heading), sin(heading))
      }
      metres += speed * Double(step)
      time += step
    }
    return self
  }

  /// Is silent, and goes on `metres` further; with `isMarked` in a segment of its own.
  consuming func pause(
    _ seconds: Int, over metres: Double = 0, isMarked: Bool = true
  ) -> Self {
    place += metres * SIMD2(cos(heading), sin(heading))
    time += seconds
    if isMarked { isNewSegment = true }
    return self
  }

  /// Adds the position of now.
  private mutating func take() {
    let keep = exp(-Double(max(time - last, 1)) / 30)
    drift = keep * drift + 2.5 * (1 - keep * keep).squareRoot() * SIMD2(normal(), normal())
    let seen = place + drift + 0.5 * SIMD2(normal(), normal())
    points.append(
      Point(
        time: time, latitude: 46 + seen.y / 111_147,
        longitude: 7 + seen.x / (111_320 * cos(46 * .pi / 180)), beginsSegment: isNewSegment))
    isNewSegment = false
    last = time
  }

  private mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }

  // MARK: Forms

  static func stamp(_ time: Int) -> String {
    Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
  }

  /// Each point as `text` writes it, with `between` in front of a segment but the first.
  private func text(_ between: String, _ text: (Point) -> String) -> String {
    points.enumerated().map { index, point in
      (index > 0 && point.beginsSegment ? between : "") + text(point)
    }.joined(separator: "\n")
  }

  /// As GPX, with `head` before the segments, `decimals` in the degrees, and `more` in each point.
  func gpx(
    _ head: String = "", decimals: Int = 7, more: (Int) -> String = { _ in "" }
  ) -> String {
    func degrees(_ value: Double) -> String { String(format: "%.\(decimals)f", value) }
    var number = -1
    return "<gpx><trk>\(head)<trkseg>"
      + text("</trkseg><trkseg>") { point in
        number += 1
        return
          "<trkpt lat=\"\(degrees(point.latitude))\" lon=\"\(degrees(point.longitude))\"><time>"
          + "\(Self.stamp(point.time))</time>\(more(number))</trkpt>"
      } + "</trkseg></trk></gpx>"
  }

  /// As TCX, with these totals in its only lap, and the way up to each point.
  func tcx(_ sport: String, _ totals: String = "", metresPerPoint: Double? = nil) -> String {
    var way = 0.0
    return "<TrainingCenterDatabase><Activities><Activity Sport=\"\(sport)\"><Lap>\(totals)<Track>"
      + text("</Track><Track>") { point in
        way += metresPerPoint ?? 0
        return "<Trackpoint><Time>\(Self.stamp(point.time))</Time><Position><LatitudeDegrees>"
          + String(format: "%.7f", point.latitude) + "</LatitudeDegrees><LongitudeDegrees>"
          + String(format: "%.7f", point.longitude) + "</LongitudeDegrees></Position>"
          + (metresPerPoint == nil ? "" : "<DistanceMeters>\(way)</DistanceMeters>")
          + "</Trackpoint>"
      } + "</Track></Lap></Activity></Activities></TrainingCenterDatabase>"
  }

  /// As FIT, with a timer that stands still between the segments, and a session of a sport, a
  /// sub-sport, and its distance, m, timer, s, ascent and descent, m.
  func fit(
    _ sport: UInt8, _ subSport: UInt8 = 0,
    totals: (metres: Int, seconds: Int, up: Int, down: Int)? = nil
  ) -> [UInt8] {
    func clock(_ time: Int) -> [UInt8] { little(time - 631_065_600) }
    func degrees(_ value: Double) -> [UInt8] { little(Int(value * 2_147_483_648 / 180)) }
    // A record, an event, and a session.
    var bytes: [UInt8] =
      [0x40, 0, 0, 20, 0, 3, 253, 4, 0x86, 0, 4, 0x85, 1, 4, 0x85]
      + [0x41, 0, 0, 21, 0, 3, 253, 4, 0x86, 0, 1, 0, 1, 1, 0]
      + [0x42, 0, 0, 18, 0, 9, 253, 4, 0x86, 2, 4, 0x86, 5, 1, 0, 6, 1, 0, 7, 4, 0x86]
      + [8, 4, 0x86, 9, 4, 0x86, 22, 2, 0x84, 23, 2, 0x84]
    for (index, point) in points.enumerated() {
      if point.beginsSegment {
        if index > 0 { bytes += [1] + clock(points[index - 1].time) + [0, 4] }
        bytes += [1] + clock(point.time) + [0, 0]
      }
      bytes += [0] + clock(point.time) + degrees(point.latitude) + degrees(point.longitude)
    }
    let (start, end) = (points[0].time, points[points.count - 1].time)
    bytes += [1] + clock(end) + [0, 4]
    bytes += [2] + clock(end) + clock(start) + [sport, subSport] + little(1_000 * (end - start))
    let none = 0xFFFF_FFFF
    bytes += little(totals.map { 1_000 * $0.seconds } ?? none)
    bytes += little(totals.map { 100 * $0.metres } ?? none)
    bytes += little(totals?.up ?? none, 2) + little(totals?.down ?? none, 2)
    return sealedFIT(bytes)
  }

  /// As a table of time and degrees.
  func csv(decimals: Int = 6) -> String {
    "time,latitude,longitude\n"
      + points.map {
        "\($0.time)," + String(format: "%.\(decimals)f,%.\(decimals)f", $0.latitude, $0.longitude)
      }.joined(separator: "\n")
  }

  /// The track with each point, by its number, as `change` leaves it.
  consuming func mapped(_ change: (Int, inout Point) -> Void) -> Self {
    for index in points.indices { change(index, &points[index]) }
    return self
  }
}

/// Whether `value` differs from the right one by no more than a part of it.
func isNear(_ value: Double?, _ right: Double, _ part: Double) -> Bool {
  value.map { abs($0 - right) <= part * right } ?? false
}

extension Analysis {
  var trips: [Trip] { items.compactMap(\.asTrip) }
}
