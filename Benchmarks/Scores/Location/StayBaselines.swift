internal import LocomotionPositioning
internal import LocomotionSensing

/// The sliding rule of Li and others, with trackintel's thresholds.
///
/// Li, Zheng, Xie, Chen, Liu and Ma, "Mining user similarity based on location history", ACM
/// SIGSPATIAL (2008): from a first point on, the first point at least 100 m away ends a stay when 5
/// minutes have passed. trackintel adds that a gap of more than 15 minutes restarts the rule, that
/// the end is the time of the point outside and the centre the medians of the coordinates.
/// Deviation: the last stay counts also without a point outside, as with that library's
/// `include_last`.
package struct SlidingWindowStays: StayBaseline {
  /// The name in tables.
  package let name = "100 m for 5 min (trackintel)"
  /// The distance that ends a stay, metres; default 100.
  package var distance = 100.0
  /// The least duration of a stay, seconds; default 300.
  package var duration = 300.0
  /// The gap that restarts the rule, seconds; default 900.
  package var gap = 900.0

  /// The rule with its default thresholds.
  package init() {}

  /// The stays, whose ends may touch.
  package func stays(in points: [LocatedPoint]) -> [StayInterval] {
    var result: [StayInterval] = []
    var start = 0
    for current in points.indices.dropFirst() {
      if points[current].timestamp.seconds(since: points[current - 1].timestamp) > gap {
        start = current
        continue
      }
      let isOutside = points[start].distance(to: points[current]) >= distance
      let isLast = current == points.count - 1
      guard isOutside || isLast else { continue }
      if points[current].timestamp.seconds(since: points[start].timestamp) >= duration {
        let inside = points[start..<(isOutside ? current : current + 1)]
        result.append(
          StayInterval(
            start: points[start].timestamp, end: points[current].timestamp,
            latitude: median(inside.map(\.latitude)), longitude: median(inside.map(\.longitude))))
      }
      start = current
    }
    return result
  }
}

/// The rule of Theseus, the open clone of the Moves app.
///
/// Restates that app's processing of the day: a message "stationary" begins a stop and any other
/// one a path; an event shorter than 60 s is merged into the one before it; a gap of more than 120
/// s is untracked time; neighbours of one kind are merged; two stops whose centres are within 100 m
/// are merged with the path between. Deviation: messages about the activity are replaced by the
/// points' moving states, where an undecided one has no effect.
package struct ActivityMessageStays: StayBaseline {
  /// The name in tables.
  package let name = "messages and 100 m (Moves clone)"
  /// Shorter events are merged into the one before, seconds; default 60.
  package var shortestEvent = 60.0
  /// The longest gap within an event, seconds; default 120.
  package var longestSilence = 120.0
  /// The greatest distance of two stops that are merged, metres; default 100.
  package var nearDistance = 100.0

  /// The rule with its default thresholds.
  package init() {}

  private struct Event {
    var isStop: Bool
    var points: [LocatedPoint]
    var start: Timestamp
    var end: Timestamp

    var stay: StayInterval {
      // Means in a plane: a mean of longitudes would fail at the antimeridian.
      let plane = LocalTangentPlane(
        latitude: points[0].latitude, longitude: points[0].longitude)
      let sum = points.reduce(SIMD2(0.0, 0)) {
        $0 + plane.position(latitude: $1.latitude, longitude: $1.longitude)
      }
      let centre = plane.geodetic(sum / Double(points.count))
      return StayInterval(
        start: start, end: end, latitude: centre.latitude, longitude: centre.longitude)
    }

    mutating func take(_ later: Event, keepingPlace: Bool) {
      if !keepingPlace { points += later.points }
      end = later.end
    }
  }

  /// The stops that remain.
  package func stays(in points: [LocatedPoint]) -> [StayInterval] {
    var result: [StayInterval] = []
    for tracked in trackedPeriods(points) {
      result += stops(in: events(in: tracked)).map(\.stay)
    }
    return result
  }

  private func trackedPeriods(_ points: [LocatedPoint]) -> [ArraySlice<LocatedPoint>] {
    var result: [ArraySlice<LocatedPoint>] = []
    var begin = 0
    for index in points.indices {
      let isLast = index + 1 == points.count
      guard
        isLast
          || points[index + 1].timestamp.seconds(since: points[index].timestamp) > longestSilence
      else { continue }
      result.append(points[begin...index])
      begin = index + 1
    }
    return result
  }

  private func events(in points: ArraySlice<LocatedPoint>) -> [Event] {
    var events: [Event] = []
    for point in points {
      let isStop: Bool? =
        switch point.movingState {
        case .stationary: true
        case .moving: false
        default: nil
        }
      if let last = events.indices.last {
        // An event lasts until the next one begins.
        events[last].end = point.timestamp
        if isStop ?? events[last].isStop == events[last].isStop {
          events[last].points.append(point)
          continue
        }
      }
      events.append(
        Event(
          isStop: isStop ?? false, points: [point], start: point.timestamp, end: point.timestamp))
    }
    var folded: [Event] = []
    for event in events {
      guard let last = folded.indices.last else {
        folded.append(event)
        continue
      }
      if event.end.seconds(since: event.start) < shortestEvent {
        folded[last].take(event, keepingPlace: folded[last].isStop != event.isStop)
      } else if folded[last].isStop == event.isStop {
        folded[last].take(event, keepingPlace: false)
      } else {
        folded.append(event)
      }
    }
    return folded
  }

  private func stops(in events: [Event]) -> [Event] {
    var stops: [Event] = []
    for event in events where event.isStop {
      if let last = stops.last, let apart = last.stay.distance(to: event.stay),
        apart <= nearDistance
      {
        stops[stops.count - 1].take(event, keepingPlace: false)
      } else {
        stops.append(event)
      }
    }
    return stops
  }
}

/// The middle value, or the mean of the two middle ones; 0 without values.
private func median(_ values: [Double]) -> Double { Quantile.of(values, fraction: 0.5) ?? 0 }
