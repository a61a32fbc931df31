package import LocomotionActivityRecognition
internal import LocomotionPositioning
package import LocomotionSensing

/// The reference for a location evaluation, interpolated between its moments.
///
/// Positions are interpolated linearly in metres of a tangent plane. In gaps longer than
/// ``longestGap`` the truth is unknown, and nothing is scored.
package struct LocationTruth: Hashable, Sendable {
  /// One moment of the reference.
  package struct Moment: Hashable, Sendable {
    /// The time of the moment.
    package var timestamp: Timestamp
    /// Geodetic latitude on WGS 84, degrees.
    package var latitude: Double
    /// Geodetic longitude on WGS 84, degrees.
    package var longitude: Double
    /// Whether the phone moved from here to the next moment; nil where the reference doesn't state
    /// it.
    package var isMoving: Bool?
    /// The person's activity from here to the next moment; nil in a stay, at a halt on foot or by
    /// bicycle, and where the reference doesn't state it.
    package var travel: Activity?

    /// A moment from its parts.
    package init(
      timestamp: Timestamp, latitude: Double, longitude: Double, isMoving: Bool? = nil,
      travel: Activity? = nil
    ) {
      self.timestamp = timestamp
      self.latitude = latitude
      self.longitude = longitude
      self.isMoving = isMoving
      self.travel = travel == .stationary ? nil : travel
    }
  }

  /// A time in which the reference was clearly in one state.
  package struct Run: Hashable, Sendable {
    package var start, end: Timestamp
    package var isMoving: Bool
    /// Whether the run before ends here, in the other state.
    package var follows: Bool
  }

  /// The longest gap that is interpolated, seconds.
  package static let longestGap = 2.0
  /// The speed above which a phone moves where the reference doesn't state it, m/s.
  package static let movingSpeed = 0.5

  /// The moments in time order, all with a position.
  package let moments: [Moment]
  /// The true stays; nil when the reference has none.
  package let stays: [StayInterval]?
  private let decidesMotion: Bool

  /// A truth from its moments.
  ///
  /// A moment without a valid position, or not later than the one before it, is skipped. When no
  /// moment states whether the phone moved, the positions decide: it moves where they are more than
  /// 0.5 m apart in the second around an instant.
  package init(moments: [Moment], stays: [StayInterval]? = nil) {
    var kept: [Moment] = []
    for moment in moments {
      guard abs(moment.latitude) <= 90, moment.longitude.isFinite, moment.timestamp.isPlausible,
        kept.last.map({ $0.timestamp < moment.timestamp }) ?? true
      else { continue }
      kept.append(moment)
    }
    self.moments = kept
    self.stays = stays
    decidesMotion = kept.contains { $0.isMoving != nil }
  }

  /// The truth of a reference track; stays are known when it has any.
  package init(_ track: ReferenceTrack) {
    self.init(
      moments: track.points.map {
        Moment(
          timestamp: $0.timestamp, latitude: $0.latitude, longitude: $0.longitude,
          isMoving: $0.isMoving,
          travel: $0.stay ?? -1 < 0 ? $0.activity.flatMap(Activity.init(name:)) : nil)
      },
      stays: track.stays.isEmpty
        ? nil
        : track.stays.map {
          StayInterval(
            start: $0.start, end: $0.end, latitude: $0.latitude, longitude: $0.longitude)
        })
  }

  /// The true position; nil outside the reference and in its gaps.
  package func position(at timestamp: Timestamp) -> (latitude: Double, longitude: Double)? {
    guard let index = index(at: timestamp) else { return nil }
    let before = moments[index]
    if before.timestamp == timestamp { return (before.latitude, before.longitude) }
    guard let after = next(index) else { return nil }
    let fraction =
      timestamp.seconds(since: before.timestamp) / after.timestamp.seconds(since: before.timestamp)
    let plane = LocalTangentPlane(latitude: before.latitude, longitude: before.longitude)
    return plane.geodetic(
      fraction * plane.position(latitude: after.latitude, longitude: after.longitude))
  }

  /// Whether the phone moved; nil where that is not known or ambiguous.
  package func isMoving(at timestamp: Timestamp) -> Bool? {
    if decidesMotion {
      guard let index = index(at: timestamp),
        moments[index].timestamp == timestamp || next(index) != nil
      else { return nil }
      return moments[index].isMoving
    }
    let half: Int64 = 500_000_000
    guard let before = position(at: timestamp.advanced(byNanoseconds: -half)),
      let after = position(at: timestamp.advanced(byNanoseconds: half))
    else { return nil }
    return Geodesic(from: before, to: after).distance > Self.movingSpeed
  }

  /// The path length from one instant to another along the reference, parts at rest excluded.
  func distance(from start: Timestamp, to end: Timestamp) -> Double {
    var sum = 0.0
    for (before, after) in zip(moments, moments.dropFirst())
    where before.timestamp >= start && after.timestamp <= end && before.isMoving != false {
      sum +=
        Geodesic(
          from: (before.latitude, before.longitude), to: (after.latitude, after.longitude)
        ).distance
    }
    return sum
  }

  /// The times in which the reference was clearly moving or clearly not, in order.
  package func runs() -> [Run] {
    var runs: [Run] = []
    var isOpen = false
    for index in moments.indices {
      let time = moments[index].timestamp
      let state = isMoving(at: time)
      if isOpen { runs[runs.count - 1].end = time }
      guard let state else {
        isOpen = false
        continue
      }
      if !isOpen || runs[runs.count - 1].isMoving != state {
        runs.append(Run(start: time, end: time, isMoving: state, follows: isOpen))
      }
      isOpen = next(index) != nil
    }
    return runs
  }

  /// The last moment that is not later than an instant.
  private func index(at timestamp: Timestamp) -> Int? {
    let later = moments.partitioningIndex { $0.timestamp > timestamp }
    return later > 0 ? later - 1 : nil
  }

  /// The moment after another one, unless a gap lies between.
  private func next(_ index: Int) -> Moment? {
    guard index + 1 < moments.count,
      moments[index + 1].timestamp.seconds(since: moments[index].timestamp) <= Self.longestGap
    else { return nil }
    return moments[index + 1]
  }
}
