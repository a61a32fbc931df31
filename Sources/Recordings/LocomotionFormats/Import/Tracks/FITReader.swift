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
  /// Seconds from 1970 to 1989-12-31, the zero of FIT's clock.
  private static let epoch: Int64 = 631_065_600
  /// Times below are seconds since the device was switched on.
  private static let firstDate: UInt32 = 0x1000_0000
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
      var points = SplitRecords()
      while let message = try next(&messages) {
        switch message.number {
        case FITActivity.record:
          if let time = Self.time(message.time) {
            for (quantity, field) in [
              (BodyQuantity.heartRate, UInt8(3)), (.cadence, 4), (.power, 7),
            ] {
              sink.measure(quantity, Self.number(field, of: message, scale: 1), at: time)
            }
          }
          guard let fix = fix(message) else {
            if let time = Self.time(message.time) {
              points.take(
                altitude: Self.altitude(of: message), speed: Self.speed(of: message), at: time)
            }
            continue
          }
          try beginRecording(count > 1 ? "_\(count)" : "")
          if let complete = points.take(fix), try sink.append(complete) {
            activity.take(complete.timestamp)
          }
        default:
          if !activity.take(message, Self.time) { sink.leaveOut("messages of other kinds") }
        }
      }
      if let last = points.finish(), try sink.append(last) { activity.take(last.timestamp) }
      if hasBegun {
        try activity.label(label, sink)
        activity.state(label, sink)
      }
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
    } catch {
      guard hasBegun, case .malformed(_, let place, let expected, let found) = error else {
        throw error
      }
      isCut = true
      sink.note(
        "\(path): \(place): expected \(expected), found \(found); what is whole before was read")
      return nil
    }
  }

  /// The instant of a number of seconds; nil when it does not count from FIT's zero.
  private static func time(_ seconds: UInt32?) -> Timestamp? {
    guard let seconds, seconds >= firstDate else { return nil }
    return Timestamp(nanoseconds: (Int64(seconds) + epoch) * 1_000_000_000)
  }

  private func fix(_ message: FITMessages.Message) -> LocationFix? {
    guard let latitude = message.values[0], let longitude = message.values[1] else {
      sink.drop(.otherKind)
      return nil
    }
    guard let time = Self.time(message.time) else {
      sink.drop(
        .noTime, in: path, at: "byte \(message.position)", expected: "a time since 1989",
        found: message.time.map { "\($0)" } ?? "none")
      return nil
    }
    return LocationFix(
      timestamp: time, latitude: Double(latitude) * 180 / 2_147_483_648,
      longitude: Double(longitude) * 180 / 2_147_483_648, altitude: Self.altitude(of: message),
      horizontalAccuracy: Self.number(31, of: message, scale: 1), speed: Self.speed(of: message))
  }

  private static func number(
    _ fields: UInt8..., of message: FITMessages.Message, scale: Double
  ) -> Double? {
    fields.lazy.compactMap { message.values[$0] }.first.map { Double($0) / scale }
  }

  private static func altitude(of message: FITMessages.Message) -> Double? {
    number(78, 2, of: message, scale: 5).map { $0 - 500 }
  }

  private static func speed(of message: FITMessages.Message) -> Double? {
    number(73, 6, of: message, scale: 1_000)
  }
}

/// Points whose altitude or speed stands in a record of its own, before or after them.
private struct SplitRecords {
  /// The latest point, until the next one.
  private var point: LocationFix?
  private var latest: (altitude: Double?, speed: Double?, time: Timestamp)?
  private static let reach = 1.0

  /// Takes the next point, and gives the one before.
  mutating func take(_ fix: LocationFix) -> LocationFix? {
    let before = point
    var fix = fix
    if let latest { Self.fill(&fix, latest.altitude, latest.speed, latest.time) }
    point = fix
    return before
  }

  /// Takes a record without a position.
  mutating func take(altitude: Double?, speed: Double?, at time: Timestamp) {
    guard altitude != nil || speed != nil else { return }
    if var fix = point {
      Self.fill(&fix, altitude, speed, time)
      point = fix
    }
    let isNear = latest.map { abs(time.seconds(since: $0.time)) <= Self.reach } ?? false
    latest = (
      altitude ?? (isNear ? latest?.altitude : nil), speed ?? (isNear ? latest?.speed : nil), time
    )
  }

  /// The last point.
  mutating func finish() -> LocationFix? {
    defer { point = nil }
    return point
  }

  private static func fill(
    _ fix: inout LocationFix, _ altitude: Double?, _ speed: Double?, _ time: Timestamp
  ) {
    guard abs(fix.timestamp.seconds(since: time)) <= reach else { return }
    fix.altitude = fix.altitude ?? altitude
    fix.speed = fix.speed ?? speed
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
  private var span: ClosedRange<Timestamp>?
  /// When the timer ran.
  private var runs = TrackSpans()

  /// Notes the time of a point.
  mutating func take(_ time: Timestamp) {
    span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
  }

  /// Notes what a message says; false when it is of another kind.
  mutating func take(
    _ message: FITMessages.Message, _ time: (UInt32?) -> Timestamp?
  ) -> Bool {
    switch message.number {
    case Self.session where sessions.count < Self.mostSpans:
      Self.part(message, sport: 5, 6, climb: 22, time).map { sessions.append($0) }
    case Self.lap where laps.count < Self.mostSpans:
      Self.part(message, sport: 25, 39, climb: 21, time).map { laps.append($0) }
    case Self.sport: wholeSport = message.values[0]
    case Self.event: takeEvent(message, time)
    case Self.fileIdentity: break
    default: return false
    }
    return true
  }

  /// A session or a lap: its start, field 2, and its length, field 7, or the message's own time;
  /// the timer's seconds, field 8, or those in motion, and the metres, field 9.
  private static func part(
    _ message: FITMessages.Message, sport: UInt8, _ subSport: UInt8, climb: UInt8,
    _ time: (UInt32?) -> Timestamp?
  ) -> Part? {
    guard let start = time(message.values[2].flatMap { UInt32(exactly: $0) }) else { return nil }
    let end =
      message.values[7].map { start.advanced(byNanoseconds: $0 * 1_000_000) }
      ?? time(message.time)
    guard let end, start <= end else { return nil }
    func number(_ field: UInt8, _ scale: Double = 1) -> Double? {
      message.values[field].map { Double($0) / scale }
    }
    return Part(
      span: start...end, sport: message.values[sport], subSport: message.values[subSport],
      totals: StatedTotals(
        distance: number(9, 100),
        movingSeconds: (message.number == session ? number(59, 1_000) : nil) ?? number(8, 1_000),
        elapsedSeconds: number(7, 1_000), climb: number(climb), descent: number(climb + 1)))
  }

  /// Notes when the timer, event 0, starts and stops.
  private mutating func takeEvent(
    _ message: FITMessages.Message, _ time: (UInt32?) -> Timestamp?
  ) {
    guard message.values[0] == 0, let instant = time(message.time) else { return }
    switch message.values[1] {
    case 0: runs.start(at: instant)
    case 1, 4, 8, 9: runs.stop(at: instant)
    default: break
    }
  }

  /// Labels the points, up to the first and the last of them.
  func label(_ label: TrackLabel, _ sink: ImportSink) throws(RecordingError) {
    guard let whole = span else { return }
    var runs = runs
    if runs.spans.isEmpty { runs.start(at: whole.lowerBound) }
    runs.stop(at: whole.upperBound)
    for part in parts(of: whole) where part.span.overlaps(whole) {
      let text = label.text(own: part.sport.flatMap { Self.labels[$0] })
      try runs.clamped(to: part.span.clamped(to: whole)).label(text, sink)
    }
  }

  /// The sessions, or else the laps, or else all points.
  private func parts(of whole: ClosedRange<Timestamp>) -> [Part] {
    guard sessions.isEmpty else { return sessions }
    return laps.contains { $0.sport != nil }
      ? Self.joined(laps) : [Part(span: whole, sport: wholeSport)]
  }

  /// States the sessions and when the timer stood still, up to the first and the last point.
  func state(_ label: TrackLabel, _ sink: ImportSink) {
    guard let whole = span else { return }
    for part in parts(of: whole) where part.span.overlaps(whole) {
      let bounds = part.span.clamped(to: whole)
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
