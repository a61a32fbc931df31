internal import LocomotionRecordings
internal import LocomotionSensing

/// The activities of a FIT file: its messages `record`, `session`, `lap`, `event` and `sport`.
///
/// Positions are in units of 180/2³¹ degrees. The sport of a session is its label, without the time
/// in which the timer stood still; without a session that of the laps, or of the message `sport`.
/// Sessions are also stated, with what the device measured of them, and so are the timer's pauses.
/// A record without a position is no point of a track; its altitude and speed are those of a point
/// within a second of it that has none, as some watches write them. Files that follow one another
/// are recordings of their own.
final class FITReader: TrackReader {
  /// Whether the file ended at a defect.
  private var isCut = false

  override func read(_ bytes: ByteReader) throws(RecordingError) {
    var messages = FITMessages(bytes)
    var count = 0
    repeat {
      count += 1
      try messages.beginFile()
      var activity = FITActivity()
      hasBegun = false
      spans = TrackSpans()
      var points = SplitRecords()
      while let message = try next(&messages) {
        guard message.number == FITActivity.record else {
          if !activity.take(message) { sink.leaveOut("messages of other kinds") }
          continue
        }
        if let time = message.instant {
          sink.measure(.heartRate, message.number(3), at: time)
          sink.measure(.cadence, message.number(4), at: time)
          sink.measure(.power, message.number(7), at: time)
        }
        guard let fix = fix(message) else {
          points.take(message)
          continue
        }
        try beginRecording(count > 1 ? "_\(count)" : "")
        if let complete = points.take(fix), try sink.append(complete) {
          spans.take(complete.timestamp)
        }
      }
      if let last = points.finish(), try sink.append(last) { spans.take(last.timestamp) }
      if let whole = spans.whole { try activity.give(label, whole, to: sink) }
      guard !isCut else { return }
    } while try messages.isAtFile()
    guard try messages.isAtEnd() else {
      return sink.note("\(path): what follows byte \(messages.position) is no FIT, and is left out")
    }
  }

  /// The next message; nil at the end, and at a defect behind points, with a note.
  private func next(_ messages: inout FITMessages) throws(RecordingError) -> FITMessages.Message? {
    do throws(RecordingError) {
      return try messages.next()
    } catch .malformed(_, let place, let expected, let found) where hasBegun {
      isCut = true
      sink.note(
        "\(path): \(place): expected \(expected), found \(found); what is whole before was read")
      return nil
    }
  }

  private func fix(_ message: FITMessages.Message) -> LocationFix? {
    guard let latitude = message.number(0), let longitude = message.number(1) else {
      sink.drop(.otherKind)
      return nil
    }
    guard let time = message.instant else {
      sink.drop(
        .noTime, in: path, at: "byte \(message.position)", expected: "a time since 1989",
        found: message.time.map { "\($0)" } ?? "none")
      return nil
    }
    return LocationFix(
      timestamp: time, latitude: latitude * 180 / 2_147_483_648,
      longitude: longitude * 180 / 2_147_483_648, altitude: message.altitude,
      horizontalAccuracy: message.number(31), speed: message.speed)
  }
}

extension FITMessages.Message {
  /// The altitude of a record, metres.
  fileprivate var altitude: Double? { number(78, 2, scale: 5).map { $0 - 500 } }
  /// The speed of a record, m/s.
  fileprivate var speed: Double? { number(73, 6, scale: 1_000) }
}

/// Points whose altitude or speed stands in a record of its own, before or after them.
private struct SplitRecords {
  /// The latest point, until the next one.
  private var point: LocationFix?
  /// What records without a position told last.
  private var latest: LocationFix?
  private static let reach = 1.0

  /// Takes the next point, and gives the one before.
  mutating func take(_ fix: LocationFix) -> LocationFix? {
    let before = point
    point = latest.map { Self.filled(fix, from: $0) } ?? fix
    return before
  }

  /// Takes a record without a position.
  mutating func take(_ record: FITMessages.Message) {
    guard let time = record.instant, record.altitude != nil || record.speed != nil else { return }
    let told = LocationFix(
      timestamp: time, latitude: .nan, longitude: .nan, altitude: record.altitude,
      speed: record.speed)
    point = point.map { Self.filled($0, from: told) }
    latest = latest.map { Self.filled(told, from: $0) } ?? told
  }

  mutating func finish() -> LocationFix? {
    defer { point = nil }
    return point
  }

  /// A fix with what another one of nearly the same time tells, and it does not.
  private static func filled(_ fix: LocationFix, from other: LocationFix) -> LocationFix {
    guard abs(fix.timestamp.seconds(since: other.timestamp)) <= reach else { return fix }
    var fix = fix
    fix.altitude = fix.altitude ?? other.altitude
    fix.speed = fix.speed ?? other.speed
    return fix
  }
}

/// What the messages of a file say of its activity besides its points.
private struct FITActivity {
  static let record: UInt16 = 20
  private static let session: UInt16 = 18
  private static let lap: UInt16 = 19
  private static let event: UInt16 = 21
  private static let sport: UInt16 = 12
  private static let fileIdentity: UInt16 = 0
  private static let labels: [Int64: String] = [1: "running", 2: "cycling", 11: "walking"]
  /// The limit for sessions and laps, each.
  private static let mostSpans = 100_000

  /// The sports of Garmin's profile by their numbers, in the names that labels have.
  private static let sports: [Int64: String] = [
    1: "running", 2: "cycling", 5: "swimming", 11: "walking", 12: "skiing", 13: "skiing",
    14: "skiing", 15: "rowing", 16: "mountaineering", 17: "hiking", 19: "rowing", 20: "flying",
    21: "e-biking", 22: "motorcycle", 23: "boating", 24: "car", 25: "golf", 26: "flying",
    27: "horse-riding", 30: "skating", 32: "sailing", 33: "skating", 35: "snowshoeing",
    36: "snowmobiling", 37: "rowing", 41: "rowing", 42: "rowing", 43: "sailing", 44: "sailing",
  ]
  /// The sub-sports that say more: with a motor, uphill.
  private static let subSports: [Int64: String] = [28: "e-biking", 47: "e-biking"]

  private struct Part {
    var span: ClosedRange<Timestamp>
    var sport: Int64?
    var subSport: Int64?
    var totals: StatedTotals?
  }
  private var sessions: [Part] = []
  private var laps: [Part] = []
  private var wholeSport: Int64?
  /// When the timer ran.
  private var runs = TrackSpans()

  /// Notes what a message says; false when it is of another kind.
  mutating func take(_ message: FITMessages.Message) -> Bool {
    switch message.number {
    case Self.session where sessions.count < Self.mostSpans:
      Self.part(message, sport: 5, 6, climb: 22).map { sessions.append($0) }
    case Self.lap where laps.count < Self.mostSpans:
      Self.part(message, sport: 25, 39, climb: 21).map { laps.append($0) }
    case Self.sport: wholeSport = message.values[0]
    // When the timer, event 0, starts and stops.
    case Self.event:
      guard message.values[0] == 0, let instant = message.instant else { break }
      switch message.values[1] {
      case 0: runs.start(at: instant)
      case 1, 4, 8, 9: runs.stop(at: instant)
      default: break
      }
    case Self.fileIdentity: break
    default: return false
    }
    return true
  }

  /// A session or a lap: its start, field 2, and its length, field 7, or the message's own time;
  /// the timer's seconds, field 8, or those in motion, and the metres, field 9.
  private static func part(
    _ message: FITMessages.Message, sport: UInt8, _ subSport: UInt8, climb: UInt8
  ) -> Part? {
    let begin = message.values[2].flatMap { UInt32(exactly: $0) }
    guard let start = FITMessages.instant(begin) else { return nil }
    let end =
      message.values[7].map { start.advanced(byNanoseconds: $0 * 1_000_000) } ?? message.instant
    guard let end, start <= end else { return nil }
    let moving = message.number == session ? message.number(59, scale: 1_000) : nil
    return Part(
      span: start...end, sport: message.values[sport], subSport: message.values[subSport],
      totals: StatedTotals(
        distance: message.number(9, scale: 100),
        movingSeconds: moving ?? message.number(8, scale: 1_000),
        elapsedSeconds: message.number(7, scale: 1_000), climb: message.number(climb),
        descent: message.number(climb + 1)))
  }

  /// The sessions, or else the laps, or else all points.
  private func parts(of whole: ClosedRange<Timestamp>) -> [Part] {
    guard sessions.isEmpty else { return sessions }
    return laps.contains { $0.sport != nil }
      ? Self.joined(laps) : [Part(span: whole, sport: wholeSport)]
  }

  /// Labels and states the sessions, and states when the timer stood still, up to the first and the
  /// last point.
  func give(
    _ label: TrackLabel, _ whole: ClosedRange<Timestamp>, to sink: ImportSink
  ) throws(RecordingError) {
    var timed = runs
    if timed.spans.isEmpty { timed.start(at: whole.lowerBound) }
    timed.stop(at: whole.upperBound)
    for part in parts(of: whole) where part.span.overlaps(whole) {
      let bounds = part.span.clamped(to: whole)
      try timed.clamped(to: bounds)
        .label(label.text(own: part.sport.flatMap { Self.labels[$0] }), sink)
      let own =
        part.subSport.flatMap { Self.subSports[$0] } ?? part.sport.flatMap { Self.sports[$0] }
      let stated = label.statement(own: own, .chosen)
      sink.state(
        .activity(name: stated.sport, distance: nil), from: bounds.lowerBound,
        to: bounds.upperBound, source: "FIT", basis: stated.basis, totals: part.totals)
    }
    for lap in laps where lap.span.overlaps(whole) {
      sink.addLap(from: lap.span.lowerBound, lap.totals)
    }
    runs.statePauses("FIT", sink, within: whole)
  }

  /// Laps of one sport that follow one another as one part.
  private static func joined(_ laps: [Part]) -> [Part] {
    laps.reduce(into: []) { parts, lap in
      if let last = parts.last, last.sport == lap.sport {
        let (old, new) = (last.span, lap.span)
        parts[parts.count - 1].span =
          min(old.lowerBound, new.lowerBound)...max(old.upperBound, new.upperBound)
        parts[parts.count - 1].totals = last.totals.flatMap { sum in
          lap.totals.flatMap { sum + $0 }
        }
      } else {
        parts.append(lap)
      }
    }
  }
}
