internal import Foundation
internal import LocomotionPositioning
internal import LocomotionSensing

/// Makes instants of the readings of a clock, which is set forward in spring and back in autumn.
///
/// Of the hour that comes twice the first is meant until the readings have fallen back. Where rows
/// were sorted by their readings, those of both hours are in turn: each goes on where one of the
/// two was. Of a zone that is not known the offset is taken to be 0, and a fall by an hour in a
/// Sunday's night, but for the time between two rows, for the end of summer time.
struct LocalClock {
  /// The zone; nil for one that is not known.
  let zone: TimeZone?
  /// The place of the row whose time is next, where the reader knows it.
  var place: UntimedWay.Place?
  private var last: (reading: Timestamp, time: Timestamp, place: UntimedWay.Place?)?
  /// How many more readings rose than fell, and by what the last one rose, seconds.
  private var rises = 0
  private var step = 60.0
  /// The last places in the first hour, and in the second.
  private var ends: [UntimedWay.Place?] = [nil, nil]
  private var hasFallen = false
  private var wasSecond = false
  /// When the hour that comes twice begins on a clock without a zone; nil before it is found.
  private var begin: Timestamp?

  private static let hour = 3_600.0
  private static let nanoseconds: Int64 = 3_600_000_000_000
  /// Two rows of a reading that are farther apart are of two hours, metres.
  private static let samePlace = 50.0

  init(zone: TimeZone?) { self.zone = zone }

  /// How the readings are taken, for the user.
  var note: String {
    (zone.map { "times without a zone are read as those of \($0.identifier)" }
      ?? "times without a zone are taken for UTC")
      + (begin == nil ? "" : "; an hour of a night comes twice, as summer time ends: undone")
  }

  /// The instant of a reading, which is as if it were in UTC.
  mutating func time(of reading: Timestamp) -> Timestamp {
    let time = zone.map { instant(of: reading, in: $0) } ?? undoingFall(at: reading)
    if let last, last.reading != reading {
      let seconds = reading.seconds(since: last.reading)
      rises += seconds > 0 ? 1 : -1
      if seconds > 0 { step = seconds }
    }
    last = (reading, time, place)
    return time
  }

  private mutating func instant(of reading: Timestamp, in zone: TimeZone) -> Timestamp {
    func offset(_ seconds: Double) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))) * 1_000_000_000
    }
    let times = [-24, 24].map {
      reading.advanced(byNanoseconds: -offset(reading.seconds + $0 * Self.hour))
    }
    let possible = times.filter { offset($0.seconds) == reading.nanoseconds(since: $0) }
    // An hour that is passed over is read by the clock that was not set.
    guard times[0] < times[1], possible.count == 2 else {
      ends[0] = place
      return possible.first ?? times[0]
    }
    if let last, rises < 0 { return times[last.time < times[1] ? 0 : 1] }
    return times[isSecond(reading, hasFallen: last.map { $0.reading > reading } ?? false) ? 1 : 0]
  }

  /// Whether a reading in the hour that comes twice is of the second one.
  private mutating func isSecond(_ reading: Timestamp, hasFallen falls: Bool) -> Bool {
    hasFallen = hasFallen || falls
    guard !hasFallen, let place else { return hasFallen }
    if isOther(reading) {
      wasSecond.toggle()
    } else {
      let metres = ends.map { $0.map { Geodesic(from: $0, to: place).distance } ?? .infinity }
      wasSecond = metres[1] < metres[0]
    }
    ends[wasSecond ? 1 : 0] = place
    return wasSecond
  }

  /// Whether the row has the reading of the last one, at another place.
  private func isOther(_ reading: Timestamp) -> Bool {
    guard let last, last.reading == reading, let from = last.place, let place else { return false }
    return Geodesic(from: from, to: place).distance > Self.samePlace
  }

  private mutating func undoingFall(at reading: Timestamp) -> Timestamp {
    let days = (reading.seconds / (24 * Self.hour)).rounded(.down)
    // 1970 began on a Thursday.
    let isNight =
      (Int(days) + 4) % 7 == 0 && reading.seconds < (24 * days + 4) * Self.hour && rises >= 0
    if begin == nil, isNight, let last {
      let seconds = reading.seconds(since: last.reading)
      let falls = -Self.hour < seconds && seconds <= max(3 * step, 60) - Self.hour
      if falls || isOther(reading) {
        begin = Timestamp(nanoseconds: reading.interval(of: Self.nanoseconds) * Self.nanoseconds)
      }
    }
    guard let begin else {
      ends[0] = place
      return reading
    }
    let isAfter = reading.seconds(since: begin) >= Self.hour
    let falls = last.map { $0.reading > reading } ?? false
    return isAfter || isSecond(reading, hasFallen: falls)
      ? reading.advanced(byNanoseconds: Self.nanoseconds) : reading
  }
}
