import CLocomotionMath
public import Locomotion
public import LocomotionSensing

extension RoadMap {
  /// Compares the trips of a timeline with the map: trains and vehicles on roads are told apart by
  /// what is near (`RailEvidence`), and what goes by wheels gets its route (`RouteMatcher`).
  ///
  /// - Parameters:
  ///   - items: The timeline; a leg may be divided where it leaves or reaches rails. What the user
  ///     corrected, distances, stays and times stay as they are.
  ///   - track: The smoothed locations at the fixes, in order of time.
  /// - Returns: The routes that are known, by the starts of their legs.
  /// - Throws: `RoadMap.Problem` where the map is damaged.
  public func matchTrips(
    in items: inout [TimelineItem], along track: [RouteMatcher.Position]
  ) throws(Problem) -> [Timestamp: RouteMatcher.Route] {
    var routes: [Timestamp: RouteMatcher.Route] = [:]
    for index in items.indices {
      guard case .trip(var trip) = items[index] else { continue }
      var legs: [Trip.Leg] = []
      for leg in trip.legs { legs += try parts(of: leg, track[leg.fixes(of: track)]) }
      trip.legs = legs
      items[index] = .trip(trip)
      for leg in legs where leg.mayBeOnWheels {
        // A way goes on from the last place that is known, and at the end to the next one, but not
        // over a gap nor over a stay without a fix, which two trips would both have.
        var way = leg.fixes(of: track)
        let last = index > 0 ? items[index - 1] : nil
        let earliest = last.map { $0.isGap ? trip.start : $0.start }
        if let before = track[..<way.lowerBound].last, before.time >= earliest ?? before.time {
          way = way.lowerBound - 1..<way.upperBound
        }
        let next = index + 1 < items.count ? items[index + 1] : nil
        let latest = next.map { $0.isGap ? trip.end : $0.end }
        if leg.end == trip.end, let after = track[way.upperBound...].first,
          latest.map({ after.time < $0 }) ?? true
        {
          way = way.lowerBound..<way.upperBound + 1
        }
        routes[leg.start] = try RouteMatcher.route(of: Array(track[way]), on: self) { kind in
          switch leg.activity {
          case .train: kind.isRail
          case .cycling: kind == .path || kind.isRoad && kind != .motorway
          default: kind.isRoad
          }
        }
      }
    }
    return routes
  }

  /// A leg; one in a vehicle as the parts that follow rails and those that do not.
  private func parts(
    of leg: Trip.Leg, _ track: ArraySlice<RouteMatcher.Position>
  ) throws(Problem) -> [Trip.Leg] {
    guard leg.mayBeInVehicle, track.count > 1 else { return [leg] }
    let prior = leg.railOdds / Double(track.count)
    let stretches = try RailEvidence.stretches(of: Array(track), on: self) { _ in prior }
    guard stretches.contains(where: { $0.evidence != 0 }) else { return [leg] }
    var parts: [Trip.Leg] = []
    for stretch in stretches {
      let end = track.startIndex + stretch.positions.upperBound
      guard
        var part = leg.cut(
          from: parts.last?.end ?? leg.start, to: end < track.endIndex ? track[end].time : leg.end)
      else { continue }
      part.tell(isOnRails: stretch.isOnRails, by: stretch.evidence)
      if let last = parts.last, last.activity == part.activity {
        parts[parts.count - 1].extend(by: part)
      } else {
        parts.append(part)
      }
    }
    return parts
  }
}

extension Trip.Leg {
  /// Faster than this nobody goes by bicycle for long, metres per second.
  private static let fastestRide = 9.0

  /// The places of those of a track that are in the leg.
  fileprivate func fixes(of track: [RouteMatcher.Position]) -> Range<Int> {
    let first = track.partitioningIndex { $0.time >= start }
    return first..<max(first, track.partitioningIndex { $0.time >= end })
  }

  private var isFast: Bool {
    (distance ?? 0) > Self.fastestRide * max(1, end.seconds(since: start))
  }

  fileprivate var mayBeInVehicle: Bool {
    !isCorrected && customActivity == nil
      && (activity?.isMotorized ?? isFast || activity == .cycling && isFast)
  }

  fileprivate var mayBeOnWheels: Bool {
    customActivity == nil && (activity.map { $0 == .cycling || $0.isMotorized } ?? true)
  }

  /// ln of the odds of a train by all but the map, at most 3.
  fileprivate var railOdds: Double {
    guard let modes else { return 0 }
    let odds = log(Double(max(modes[.train], 1e-3) / max(modes[.automotive], 1e-3)))
    return min(max(odds, -3), 3)
  }

  /// Takes what a map says: evidence in nats, of rails against roads.
  fileprivate mutating func tell(isOnRails: Bool, by evidence: Double) {
    // A road that no evidence is for leaves who seems to ride a bicycle alone.
    guard isOnRails || activity == .train else { return }
    activity = isOnRails ? .train : .automotive
    guard let own = modes else { return }
    let odds = min(max(railOdds + evidence, -8), 8)
    let share = Float(1 / (1 + exp(-odds)))
    let both = max(own[.train] + own[.automotive], 0.5)
    modes =
      ActivityProbabilities {
        $0 == .train ? both * share : $0 == .automotive ? both * (1 - share) : own[$0]
      }.ofModes
  }
}
