package import LocomotionSensing

/// When a recording of fixes began and ended, and how long it is silent.
package struct RecordedSpan: Sendable {
  private var start, end: Timestamp
  /// The longest silence, and the third longest, which one pause does not make.
  private var silence: (longest: Double, usual: Double)

  /// The shortest time between two recordings, seconds: files of one recorder follow at once; where
  /// the later one begins at the earlier one's last place.
  private static let (shortestPause, shortestRest) = (30.0, 180.0)
  /// The shortest time between sessions (laps follow at once), and of fixes beyond one, seconds.
  private static let edge = 60.0

  /// The span of a recording with fixes of these times; nil without any.
  package init?(_ times: [Timestamp]) {
    let times = times.sorted()
    guard let start = times.first, let end = times.last else { return nil }
    (self.start, self.end) = (start, end)
    let silences = zip(times, times.dropFirst()).map { $1.seconds(since: $0) }.sorted(by: >)
    silence = (silences.first ?? 0, silences.prefix(3).last ?? 0)
  }

  /// Becomes that of both, or where the later one doesn't continue this one that one, and returns
  /// the time between them.
  ///
  /// The last point of a file is where its recording ends. A recorder that is itself silent for as
  /// long as the time between its files goes on in the next one, at rest after one such silence, on
  /// the way after several, unless the person ended one activity and began another a minute later
  /// or more: both sides have a session of `statements`. `isOnePlace` says whether the fixes of two
  /// times are at one place.
  package mutating func append<Failure: Error>(
    _ later: RecordedSpan, _ statements: [StatedInterval],
    _ isOnePlace: (Timestamp, Timestamp) throws(Failure) -> Bool
  ) throws(Failure) -> StatedInterval? {
    let pause = later.start.seconds(since: end)
    let sessions = statements.lazy.filter { $0.isSession }
    var goesOn = pause <= max(Self.shortestPause, silence.usual, later.silence.usual)
    if !goesOn, pause <= max(Self.shortestRest, silence.longest, later.silence.longest) {
      goesOn = try isOnePlace(end, later.start)
    }
    guard goesOn,
      pause < Self.edge
        || !sessions.contains(where: { -Self.edge...pause ~= $0.end.seconds(since: end) })
        || !sessions.contains(where: { -pause...Self.edge ~= $0.start.seconds(since: later.start) })
    else {
      defer { self = later }
      return StatedInterval(.unrecorded, from: end, to: later.start, source: "import")
    }
    end = max(end, later.end)
    silence.longest = max(silence.longest, later.silence.longest, pause)
    silence.usual = max(silence.usual, later.silence.usual)
    return nil
  }

  /// The times between recordings, given by those of their fixes, of which the later doesn't
  /// continue the earlier.
  package static func pauses<Failure: Error>(
    between recordings: [[Timestamp]], _ statements: [StatedInterval],
    _ isOnePlace: (Timestamp, Timestamp) throws(Failure) -> Bool
  ) throws(Failure) -> [StatedInterval] {
    let spans = recordings.compactMap { RecordedSpan($0) }.sorted { $0.start < $1.start }
    guard var before = spans.first else { return [] }
    var pauses: [StatedInterval] = []
    for span in spans.dropFirst() {
      if let pause = try before.append(span, statements, isOnePlace) { pauses.append(pause) }
    }
    return pauses
  }
}
