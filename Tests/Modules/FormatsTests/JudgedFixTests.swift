import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import TestSupport
import Testing

/// Fixes that are not what was measured then: positions that a recorder holds, clocks that are far
/// off, rounded degrees, rough positions among good ones; and recordings that end.
@Suite struct JudgedFixTests {
  private let folder = ScratchFolder()

  private func analysis(_ text: String, _ name: String) throws -> Analysis {
    try Analysis(of: RecordingSource(path: folder.write(text, to: name)), jobs: 1)
  }

  private func metres(_ analysis: Analysis) -> Double {
    analysis.trips.reduce(0) { $0 + ($1.distance ?? 0) }
  }

  // MARK: Held positions

  /// GIVEN a row per second, in which the position is that of the last ten seconds' beginning, of a
  /// rest, a drive and a rest
  /// THEN the drive has its length, and the rests are observed.
  @Test func aPositionThatIsHeldUntilTheNextIsOneMeasurement() throws {
    let track = MadeTrack().go(300, at: 0).go(1_200, at: 12).go(300, at: 0)
    let held = track.mapped { index, point in
      let measured = track.points[index - index % 10]
      (point.latitude, point.longitude) = (measured.latitude, measured.longitude)
    }
    let found = try analysis(held.csv(), "a.csv")
    #expect(found.report.dropped == [.heldPosition: 1_620])
    let trip = try #require(found.trips.first)
    #expect(found.trips.count == 1 && isNear(trip.distance, 14_400, 0.05))
    #expect(isNear(trip.end.seconds(since: trip.start), 1_200, 0.1))
    #expect(found.items.count == 3)
    #expect(try #require(found.items.first?.asStay).observedSeconds > 240)
  }

  /// GIVEN a phone on a table that repeats its position for half an hour before a walk
  /// THEN all rows are kept.
  @Test func aPhoneAtRestThatRepeatsItsPositionIsObserved() throws {
    let track = MadeTrack().go(1_800, at: 0).go(900, at: 1.4)
    let first = track.points[0]
    let still = track.mapped { index, point in
      if index < 1_800 { (point.latitude, point.longitude) = (first.latitude, first.longitude) }
    }
    let found = try analysis(still.csv(), "a.csv")
    #expect(found.report.dropped.isEmpty && found.report.fixes == 2_700)
    #expect(try #require(found.items.first?.asStay).observedSeconds > 1_700)
  }

  /// GIVEN a drive through a tunnel of 3 km, in which the receiver repeats where it entered
  /// THEN the tunnel's rows are no fixes, and the way is that through it.
  @Test func aPositionThatIsFrozenInATunnelIsNoMeasurement() throws {
    let track = MadeTrack().go(1_200, at: 20)
    let entrance = track.points[499]
    let frozen = track.mapped { index, point in
      if 500..<650 ~= index {
        (point.latitude, point.longitude) = (entrance.latitude, entrance.longitude)
      }
    }
    let found = try analysis(frozen.csv(), "a.csv")
    #expect(found.report.dropped == [.heldPosition: 150])
    #expect(found.trips.count == 1 && isNear(metres(found), 24_000, 0.04))
  }

  // MARK: Clocks

  /// GIVEN a ride whose first forty seconds carry a clock of seven weeks before
  /// THEN those are left out, and a line says so.
  @Test func fewPointsByAClockThatIsFarOffAreLeftOut() throws {
    let track = MadeTrack().go(3_000, at: 5, every: 2)
    let early = track.mapped { index, point in
      if index < 20 { point.time -= 48 * 86_400 }
    }
    let found = try analysis(early.gpx(), "a.gpx")
    #expect(found.report.dropped == [.wrongClock: 20])
    #expect(
      found.report.notes.contains(
        "left out for a wrong clock: 20 fixes from 2026-04-14T08:00:00Z on"))
    #expect(found.items.count == 1 && isNear(metres(found), 15_000, 0.03))
  }

  @Test(arguments: [0, 315_964_800, 946_684_800])
  func aFirstFixBeforeTheReceiverHasTheTimeIsLeftOut(zero: Int) throws {
    let track = MadeTrack().go(1_200, at: 7, every: 5)
    let first = track.mapped { index, point in
      if index == 0 { point.time = zero }
    }
    for (text, name) in [(first.gpx(), "a.gpx"), (first.csv(), "a.gps.csv")] {
      let found = try analysis(
        name == "a.gpx" ? text : text.replacing("time,latitude,longitude", with: "t,lat,lon"), name)
      #expect(found.report.dropped == [.wrongClock: 1])
      #expect(found.items.count == 1 && isNear(metres(found), 8_400, 0.03))
    }
  }

  /// GIVEN a run of which single rows carry a clock that is days or a year off, in the middle or at
  /// an end
  /// THEN those are left out, each with a line, and the run is one trip.
  @Test(arguments: [
    (-20, [700]), (20, [300, 700]), (400, [0]), (-400, [1_199]), (-300, [9, 40]),
  ])
  func singleRowsByAnotherClockAreLeftOut(days: Int, rows: [Int]) throws {
    let track = MadeTrack().go(1_200, at: 3)
    let wrong = track.mapped { index, point in
      if rows.contains(index) { point.time += days * 86_400 }
    }
    let found = try analysis(wrong.gpx(), "a.gpx")
    #expect(found.report.dropped == [.wrongClock: rows.count])
    #expect(
      found.report.notes.count { $0.hasPrefix("left out for a wrong clock: 1") } == rows.count)
    #expect(found.items.count == 1 && isNear(metres(found), 3_600, 0.03))
  }

  /// GIVEN a fix of yesterday that a recorder adds between those of today, elsewhere on the way
  /// THEN it is kept.
  @Test func aLateRowOfYesterdayIsKept() throws {
    let track = MadeTrack().go(1_200, at: 3)
    let late = track.mapped { index, point in
      if index == 700 {
        (point.time, point.latitude) = (point.time - 86_400, point.latitude + 0.01)
      }
    }
    let found = try analysis(late.gpx(), "a.gpx")
    #expect(found.report.dropped.isEmpty && found.report.fixes == track.points.count)
  }

  // MARK: Positions of elsewhere and speeds of nothing

  /// GIVEN a run whose first fix or two are a position that the system had kept from elsewhere
  /// THEN the leap from there is no part of the way.
  @Test(arguments: [1, 2], [0.01, 3, 30])
  func aKeptPositionOfElsewhereIsNoBeginning(count: Int, degrees: Double) throws {
    let track = MadeTrack().go(1_200, at: 3)
    let kept = track.mapped { index, point in
      if index < count { point.latitude += degrees }
    }
    let found = try analysis(kept.gpx(), "a.gpx")
    #expect(found.trips.count == 1 && isNear(metres(found), 3_600, 0.03))
  }

  /// GIVEN a walk by a recorder that writes a speed of 0 where it knows none
  /// THEN it is the walk without speeds.
  @Test func speedsThatAreAlwaysZeroAreNoRest() throws {
    let track = MadeTrack().go(1_200, at: 1.5)
    let zeros = try analysis(track.gpx { _ in "<speed>0</speed>" }, "a.gpx")
    #expect(zeros.trips.count == 1 && isNear(metres(zeros), 1_800, 0.05))
  }

  /// GIVEN a few points on Friday, and many on Monday that begin where those ended: at rest, or in
  /// another segment
  /// THEN all of them are kept.
  @Test(arguments: [false, true]) func aRealPauseOfDaysIsKept(isMarked: Bool) throws {
    let track = MadeTrack().go(40, at: isMarked ? 4 : 0, every: 2)
      .pause(3 * 86_400, isMarked: isMarked).go(3_000, at: 4, every: 2)
    let found = try analysis(track.gpx(), "a.gpx")
    #expect(found.report.dropped.isEmpty && found.report.fixes == track.points.count)
  }

  // MARK: Accuracies

  /// GIVEN a walk with a fix per 10 s, and between them positions of the network 300 m off
  /// THEN the walk has its length.
  @Test func roughPositionsOfANetworkAreNoWay() throws {
    let track = MadeTrack().go(2_400, at: 1.4, every: 5)
    let rough = track.mapped { index, point in
      if index % 6 == 3 { point.latitude += index % 4 == 1 ? 0.003 : -0.003 }
    }
    let text = rough.gpx { index in
      index % 6 == 3 ? "<src>network</src>" : "<src>gps</src><sat>9</sat><hdop>0.9</hdop>"
    }
    let found = try analysis(text, "a.gpx")
    let accuracies = try Imported(text, named: "a.gpx", as: .gpx).batch.fixes
      .map(\.horizontalAccuracy)
    #expect(accuracies[0] == 4.5 && accuracies[3] == 500)
    #expect(found.trips.count == 1 && isNear(metres(found), 3_360, 0.1))
  }

  /// GIVEN a walk whose degrees have three decimals, for privacy
  /// THEN the accuracy is that of the rounding, and it is one trip on foot, not by car.
  @Test func roundedDegreesHaveTheErrorOfTheirRounding() throws {
    let track = MadeTrack().go(2_400, at: 1.4, every: 10)
    let found = try analysis(track.gpx(decimals: 3), "a.gpx")
    // 111.1 m north and 77.3 m east: √(−2 ln 0.32 · (111.1² + 77.3²) / 24).
    let radius = 41.7
    let accuracy = try #require(found.fixes[0].fix.horizontalAccuracy)
    #expect(abs(accuracy - (radius * radius + 100).squareRoot()) < 1)
    #expect(found.report.notes.contains { $0.contains("rounded to 3 decimals") })
    #expect(found.trips.map(\.dominantActivity) == [.walking])
    // With six decimals nothing is rounded.
    let fine = try analysis(track.gpx(decimals: 6), "b.gpx")
    #expect(fine.fixes[0].fix.horizontalAccuracy == nil && fine.report.notes.isEmpty)
  }

  // MARK: Ends

  /// GIVEN three activities of three days, the next of which begins elsewhere
  /// THEN a folder of them has the kilometres of its files, and between them are gaps.
  @Test func theKilometresOfAFolderAreThoseOfItsFiles() throws {
    var files: [String: String] = [:]
    for (number, speed) in [1.4, 7, 3].enumerated() {
      var track = MadeTrack(at: 1_780_300_800 + number * 86_400, seed: UInt64(number))
      if number > 0 { track = track.pause(0, over: 2_000 * Double(number)) }
      track = track.go(2_400, at: speed, every: number == 1 ? 5 : 1)
      files["\(number).gpx"] = track.gpx()
    }
    let alone = try files.keys.sorted().flatMap { try analysis(files[$0] ?? "", $0).items }
    let all = try Analysis(of: RecordingSource(path: folder.path), jobs: 1)
    let withoutGaps = all.items.filter { if case .gap = $0 { false } else { true } }
    #expect(withoutGaps == alone && alone.count == 3 && all.items.count == 5)
    #expect(all.diagnostics.fixes.received == all.report.fixes)
    for (item, next) in zip(all.items, all.items.dropFirst()) { #expect(item.end == next.start) }
  }

  /// GIVEN a recorder that is silent at rest and writes a file a day
  /// THEN the night between two files is the stay that it is.
  @Test func aRecorderThatIsSilentAtRestGoesOnInTheNextFile() throws {
    var track = MadeTrack()
    for _ in 0..<2 {
      track = track.go(1_200, at: 6, every: 5).go(120, at: 0, every: 5)
        .pause(40_000, isMarked: false).go(120, at: 0, every: 5).go(1_200, at: 6, every: 5)
        .go(120, at: 0, every: 5).pause(40_000, isMarked: false)
    }
    let noon = track.points[track.points.count / 2].time
    for (name, isFirst) in [("a.csv", true), ("b.csv", false)] {
      let rows = track.csv().split(separator: "\n").filter { row in
        Int(row.prefix { $0 != "," }).map { ($0 < noon) == isFirst } ?? true
      }
      try folder.write(rows.joined(separator: "\n"), to: name)
    }
    let found = try Analysis(of: RecordingSource(path: folder.path), jobs: 1)
    #expect(found.items.allSatisfy { if case .gap = $0 { false } else { true } })
    #expect(found.trips.count == 4)
  }
}
