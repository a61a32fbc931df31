internal import Foundation
package import Locomotion
package import LocomotionMap
import LocomotionRecordings

extension AnalysisResult {
  /// Compares the trips with a map: trains and vehicles on roads are told apart by what is near, and
  /// what goes by wheels gets its route.
  package mutating func consult(_ map: RoadMap) throws(RoadMap.Problem) {
    for index in items.indices {
      guard case .trip(var trip) = items[index] else { continue }
      trip.legs = try legs(of: trip, by: map)
      items[index] = .trip(trip)
      for leg in trip.legs where leg.mayBeOnWheels {
        let track = positions(of: leg, isLast: leg.end == trip.end)
        routes[leg.start] = try RouteMatcher.route(of: track, on: map) { kind in
          switch leg.activity {
          case .train: kind.isRail
          case .cycling: kind == .path || kind.isRoad && kind != .motorway
          default: kind.isRoad
          }
        }
      }
    }
  }

  /// The longest time from a leg's end to a fix by which its route goes on, seconds.
  private static let longestStep = 300.0

  /// The locations at the fixes of a leg, and at those before and after it by which it joins others.
  private func positions(of leg: Trip.Leg, isLast: Bool) -> [RouteMatcher.Position] {
    let (first, end) = (firstIndex(from: leg.start), firstIndex(from: leg.end))
    let before = samples[..<first].last {
      $0.hasFix || leg.start.seconds(since: $0.end) > Self.longestStep
    }
    let after = samples[max(first, end)...].first {
      $0.hasFix || $0.start.seconds(since: leg.end) > Self.longestStep
    }
    let own = samples[first..<max(first, end)].map(Optional.some)
    return ([before] + own + [isLast ? after : nil])
      .compactMap { $0?.position }
  }

  /// The length of a trip, of each leg by the map where that knows it; nil without a route.
  package func networkDistance(of trip: Trip) -> Double? {
    guard trip.legs.contains(where: { routes[$0.start] != nil }) else { return nil }
    return trip.legs.reduce(0) { $0 + (routes[$1.start]?.length ?? $1.distance ?? 0) }
  }

  /// The legs of a trip of which those in a vehicle are told by the lines that they follow.
  private func legs(of trip: Trip, by map: RoadMap) throws(RoadMap.Problem) -> [Trip.Leg] {
    var legs: [Trip.Leg] = []
    for leg in trip.legs {
      let own = samples(from: leg.start, to: leg.end).filter { $0.position != nil }
      let track = own.compactMap { $0.position }
      guard leg.mayBeInVehicle, track.count > 1 else {
        legs.append(leg)
        continue
      }
      let prior = leg.railOdds
      let stretches = try RailEvidence.stretches(of: track, on: map) { _ in
        prior / Double(track.count)
      }
      for (number, stretch) in stretches.enumerated() {
        let isLast = number + 1 == stretches.count
        let part = leg.cut(
          from: number == 0 ? leg.start : own[stretch.positions.lowerBound].start,
          to: isLast ? leg.end : own[stretch.positions.upperBound].start)
        guard var part else { continue }
        part.tell(isOnRails: stretch.isOnRails, by: stretch.evidence)
        if let last = legs.last, last.activity == part.activity, last.end == part.start, number > 0 {
          legs[legs.count - 1].extend(by: part)
        } else {
          legs.append(part)
        }
      }
    }
    return legs
  }
}

extension ReportSample {
  /// The location at a fix; nil without one.
  fileprivate var position: RouteMatcher.Position? {
    guard hasFix, let location, let radius68 else { return nil }
    return RouteMatcher.Position(
      time: start, latitude: location.latitude, longitude: location.longitude, radius: radius68)
  }
}

extension Trip.Leg {
  /// Faster than this nobody goes by bicycle for long, metres per second.
  private static let fastestRide = 9.0

  private var isFast: Bool {
    (distance ?? 0) > Self.fastestRide * max(1, end.seconds(since: start))
  }

  fileprivate var mayBeInVehicle: Bool {
    !isCorrected && customActivity == nil
      && (activity?.isMotorized ?? isFast || activity == .cycling && isFast)
  }

  fileprivate var mayBeOnWheels: Bool {
    customActivity == nil && (activity == nil || activity == .cycling || activity!.isMotorized)
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
