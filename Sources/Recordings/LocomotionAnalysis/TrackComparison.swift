internal import LocomotionPositioning
package import LocomotionSensing

/// Where two tracks of one journey differ.
///
/// Every point of the first track is compared with the second in two ways: with where the second
/// was at that time, and with the nearest point of its path about that time. The first distance
/// contains what a clock that is off, or a filter that lags, adds along the way; the second, the
/// cross-track distance, does not.
///
/// ```swift
/// let comparison = TrackComparison(mine, with: theirs)
/// for stretch in comparison.stretches { print(stretch.start, stretch.largest) }
/// ```
///
/// - Complexity: O(n · m), with m the points of the second track within
///   ``Settings/window`` of a time.
package struct TrackComparison: Hashable, Sendable {
  /// What counts as near and as different.
  package struct Settings: Hashable, Sendable {
    /// How long before and after a point's time the other path is searched, seconds; default 60.
    package var window = 60.0
    /// The longest time between two points of the other track that is interpolated, seconds;
    /// default 120.
    var longestGap = 120.0
    /// The cross-track distance beyond which the tracks differ, metres; default 30.
    package var tolerance = 30.0
    /// Differences that are less than this apart are one stretch, seconds; default 10.
    var shortestAgreement = 10.0
    /// How many metres a second counts as where the nearest point is looked for; default 0.2.
    var metresPerSecond = 0.2
    /// The speed of the other track, m/s, below which no lag is stated; default 0.5.
    var slowest = 0.5

    /// The defaults.
    package init() {}
  }

  /// A point of the first track, and how it lies to the second.
  package struct Row: Hashable, Sendable, GeodeticPosition {
    /// The time of the point.
    package var timestamp: Timestamp
    /// Geodetic latitude of the first track on WGS 84, degrees.
    package var latitude: Double
    /// Geodetic longitude of the first track on WGS 84, degrees.
    package var longitude: Double
    /// The distance, metres, from where the second track was at that time; nil where that is not
    /// known.
    package var distance: Double?
    /// The distance, metres, from the nearest point of the second path: positive to the right of
    /// its direction, negative to the left; nil where the path is not known.
    package var crossTrack: Double?
    /// By how many seconds the first track is at that point later than the second; nil where the
    /// second hardly moves.
    package var lag: Double?
  }

  /// A time in which the tracks differ by more than ``Settings/tolerance``.
  package struct Stretch: Hashable, Sendable {
    /// The first and the last point that differ.
    package var start: Timestamp, end: Timestamp
    /// The largest cross-track distance, metres.
    package var largest: Double
    /// The length of the first track in it, metres.
    package var length: Double
  }

  /// What counted as near and as different.
  package let settings: Settings
  /// One row for each point of the first track, in time order.
  package private(set) var rows: [Row] = []
  /// Where the tracks differ, in time order.
  package private(set) var stretches: [Stretch] = []
  /// The length of the first track, metres, in the time that both have in common; nil without any.
  package private(set) var firstLength: Double?
  /// The length of the second track, metres, in that time.
  package private(set) var secondLength: Double?

  /// Compares two tracks; points that are not later than the one before are left out.
  package init(
    _ first: [LocationFix], with second: [LocationFix], settings: Settings = .init()
  ) {
    self.settings = settings
    let (first, second) = (Self.inOrder(first), Self.inOrder(second))
    guard !first.isEmpty, !second.isEmpty else { return }
    var low = 0
    for point in first {
      let begin = point.timestamp.advanced(byNanoseconds: -Int64(settings.window * 1e9))
      while low + 1 < second.count, second[low + 1].timestamp < begin { low += 1 }
      rows.append(row(of: point, along: second[low...]))
    }
    findStretches()
    let start = max(first[0].timestamp, second[0].timestamp)
    let end = min(first[first.count - 1].timestamp, second[second.count - 1].timestamp)
    if start < end {
      firstLength = Self.length(of: first, in: start...end)
      secondLength = Self.length(of: second, in: start...end)
    }
  }

  /// The cross-track distances without their signs, metres, of the rows that have one.
  package var crossTracks: [Double] { rows.compactMap { $0.crossTrack.map(abs) } }

  /// The cross-track distance, metres, that a fraction of the rows stays within; nil without rows.
  package func crossTrackDistance(within fraction: Double) -> Double? {
    Quantile.of(crossTracks, fraction: fraction)
  }

  /// By what fraction the first track is longer than the second; nil without a time in common.
  package var lengthDifference: Double? {
    guard let firstLength, let secondLength, secondLength > 0 else { return nil }
    return firstLength / secondLength - 1
  }

  private static func inOrder(_ points: [LocationFix]) -> [LocationFix] {
    points.reduce(into: []) { result, point in
      if result.last.map({ point.timestamp > $0.timestamp }) ?? true { result.append(point) }
    }
  }

  private static func length(of track: [LocationFix], in times: ClosedRange<Timestamp>) -> Double {
    let part = track.filter { times.contains($0.timestamp) }
    return zip(part, part.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  // MARK: One point

  /// The nearest point so far.
  private struct Nearest {
    var square: Double
    var isRight: Bool
    var timestamp: Timestamp
    var speed: Double
  }

  private func row(of point: LocationFix, along path: ArraySlice<LocationFix>) -> Row {
    var row = Row(
      timestamp: point.timestamp, latitude: point.latitude, longitude: point.longitude)
    let plane = LocalTangentPlane(latitude: point.latitude, longitude: point.longitude)
    let end = point.timestamp.advanced(byNanoseconds: Int64(settings.window * 1e9))
    var (nearest, least): (Nearest?, Double) = (nil, .infinity)
    for (a, b) in zip(path, path.dropFirst()) {
      guard a.timestamp <= end else { break }
      let seconds = b.timestamp.seconds(since: a.timestamp)
      guard seconds <= settings.longestGap else { continue }
      // The point is the origin of the plane.
      let from = plane.position(latitude: a.latitude, longitude: a.longitude)
      let to = plane.position(latitude: b.latitude, longitude: b.longitude)
      let way = to - from
      let square = (way * way).sum()
      if a.timestamp <= point.timestamp, point.timestamp <= b.timestamp {
        let part = point.timestamp.seconds(since: a.timestamp) / seconds
        let there = from + way * part
        row.distance = (there * there).sum().squareRoot()
      }
      let part = square > 0 ? min(max(-(from * way).sum() / square, 0), 1) : 0
      let foot = from + way * part
      let candidate = Nearest(
        square: (foot * foot).sum(), isRight: way.x * foot.y - way.y * foot.x >= 0,
        timestamp: a.timestamp.advanced(byNanoseconds: Int64(seconds * part * 1e9)),
        speed: square.squareRoot() / seconds)
      // Of places that were passed twice, or at a stop for long, the one nearest in time.
      let late = settings.metresPerSecond * point.timestamp.seconds(since: candidate.timestamp)
      let cost = candidate.square + late * late
      if cost < least { (nearest, least) = (candidate, cost) }
    }
    if let nearest {
      row.crossTrack = nearest.square.squareRoot() * (nearest.isRight ? 1 : -1)
      if nearest.speed >= settings.slowest {
        row.lag = point.timestamp.seconds(since: nearest.timestamp)
      }
    }
    return row
  }

  // MARK: Stretches

  private mutating func findStretches() {
    var last: Row?
    for row in rows {
      defer { last = row }
      guard let distance = row.crossTrack.map(abs), distance > settings.tolerance else { continue }
      let step = last?.distance(to: row) ?? 0
      if let open = stretches.last,
        row.timestamp.seconds(since: open.end) <= settings.shortestAgreement
      {
        stretches[stretches.count - 1].end = row.timestamp
        stretches[stretches.count - 1].largest = max(open.largest, distance)
        stretches[stretches.count - 1].length += step
      } else {
        stretches.append(
          Stretch(start: row.timestamp, end: row.timestamp, largest: distance, length: 0))
      }
    }
  }
}
