import Foundation
import Locomotion
import LocomotionAnalysis
import TestSupport

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
    func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
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

extension TimelineItem {
  var asTrip: Trip? { if case .trip(let trip) = self { trip } else { nil } }
  var asStay: Stay? { if case .stay(let stay) = self { stay } else { nil } }
}
