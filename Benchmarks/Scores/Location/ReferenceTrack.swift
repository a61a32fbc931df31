package import LocomotionRecordings
package import LocomotionSensing

/// The ground truth of a recording, to score estimates against.
///
/// The file `X.truth.csv[.gz]` has the columns `t,lat,lon` and any of `alt`, `speed`, `course`,
/// `moving` (1 moving, 0 not, anything else undecided), `stay`, `env`, `mode`, `activity`,
/// `cadence` and `steps`, found by name, on the clock of the recording `X`. The format is that of
/// ``RecordingReader``.
package struct ReferenceTrack: Hashable, Sendable {
  /// One point of the track.
  package struct Point: Hashable, Sendable {
    /// The time, on the recording's clock.
    package var timestamp: Timestamp
    /// Geodetic latitude and longitude, degrees; NaN where the file has none.
    package var latitude, longitude: Double
    /// Altitude, metres.
    package var altitude: Double?
    /// Ground speed, m/s.
    package var speed: Double?
    /// Direction of travel, degrees clockwise from true north.
    package var course: Double?
    /// Whether the person was moving; nil where the reference is undecided.
    package var isMoving: Bool?
    /// The index in ``ReferenceTrack/stays`` of the stay that contains this point.
    package var stay: Int?
    /// The surroundings as given in the file, "indoor" for example.
    package var environment: String?
    /// The means of transport as given in the file, "bus" for example.
    package var mode: String?
    /// The activity as given in the file, "walking" for example.
    package var activity: String?
    /// Steps of both feet per minute; nil where there is no gait.
    package var cadenceStepsPerMinute: Double?
    /// Steps of both feet since the previous point.
    package var steps: Int?
  }

  /// A stay at one place.
  package struct Stay: Hashable, Sendable {
    /// The start and the end, on the recording's clock.
    package var start, end: Timestamp
    /// The place's geodetic latitude and longitude, degrees.
    package var latitude, longitude: Double
  }

  /// The points in the file's order.
  package let points: [Point]
  /// The stays of `X.stays.csv[.gz]` (`start,end,lat,lon`), empty when there is no such file.
  package let stays: [Stay]

  /// Reads the track at `path`, and the stays beside it.
  ///
  /// Rows without a time are left out. Memory grows with the file.
  ///
  /// - Throws: ``RecordingError``, also when no row has a time.
  package init(path: String) throws(RecordingError) {
    points = try Self.points(path)
    guard !points.isEmpty else {
      throw .nothingUsable(path: path, reason: "no row with a time below the header")
    }
    let staysPath = RecordingPath(path).sibling("stays")
    stays = if let staysPath { try Self.stays(staysPath) } else { [] }
  }

  /// The path of the reference track beside the recording at `path`, or nil when there is none.
  package static func path(besideRecording path: String) -> String? {
    RecordingPath(path).sibling("truth")
  }

  private static func points(_ path: String) throws(RecordingError) -> [Point] {
    var rows = try TableRows(LineReader(path: path))
    let expected = "t,lat,lon[,alt,speed,course,moving,stay,env,mode,…]"
    let required = try rows.positions(of: ["t", "lat", "lon"], expected: expected)
    let altitude = rows.position(of: "alt")
    let speed = rows.position(of: "speed")
    let course = rows.position(of: "course")
    let moving = rows.position(of: "moving")
    let stay = rows.position(of: "stay")
    let environment = rows.position(of: "env")
    let mode = rows.position(of: "mode")
    let activity = rows.position(of: "activity")
    let cadence = rows.position(of: "cadence")
    let steps = rows.position(of: "steps")
    var points: [Point] = []
    while try rows.next() {
      guard let timestamp = try rows.timestamp(at: required[0]) else { continue }
      // The initializer of LocationFix recognizes the values that mean "unknown".
      let fix = LocationFix(
        timestamp: timestamp, latitude: try rows.number(at: required[1]),
        longitude: try rows.number(at: required[2]), altitude: try rows.number(ifAt: altitude),
        speed: try rows.number(ifAt: speed), course: try rows.number(ifAt: course))
      let isMoving: Bool? =
        switch try rows.number(ifAt: moving) {
        case 0: false
        case 1: true
        default: nil
        }
      let stride = try rows.number(ifAt: cadence)
      points.append(
        Point(
          timestamp: timestamp, latitude: fix.latitude, longitude: fix.longitude,
          altitude: fix.altitude, speed: fix.speed, course: fix.course, isMoving: isMoving,
          stay: try rows.count(ifAt: stay), environment: rows.text(ifAt: environment),
          mode: rows.text(ifAt: mode), activity: rows.text(ifAt: activity),
          cadenceStepsPerMinute: stride.flatMap { $0 > 0 ? $0 : nil },
          steps: try rows.count(ifAt: steps)))
    }
    return points
  }

  private static func stays(_ path: String) throws(RecordingError) -> [Stay] {
    var rows = try TableRows(LineReader(path: path))
    let expected = "start,end,lat,lon"
    let required = try rows.positions(of: ["start", "end", "lat", "lon"], expected: expected)
    var stays: [Stay] = []
    while try rows.next() {
      let (start, end) = try rows.interval(from: required[0], to: required[1])
      stays.append(
        Stay(
          start: start, end: end, latitude: try rows.number(at: required[2]),
          longitude: try rows.number(at: required[3])))
    }
    return stays
  }
}

extension TableRows {
  /// The count in an optional column; nil unless it is 0, 1, 2, ….
  fileprivate func count(ifAt position: Int?) throws(RecordingError) -> Int? {
    guard let number = try number(ifAt: position), number >= 0 else { return nil }
    return Int(exactly: number)
  }
}
