internal import LocomotionPositioning
internal import LocomotionSensing

/// The places of a path that has times at its ends alone.
enum UntimedPath {
  /// A place, degrees on WGS 84.
  typealias Place = (latitude: Double, longitude: Double)

  /// The times of places at a constant speed from `start`, at the first, to `end`, at the last.
  static func times(
    of places: [Place], from start: Timestamp, to end: Timestamp
  ) -> [Timestamp] {
    var distances = [0.0]
    for (place, next) in zip(places, places.dropFirst()) {
      let step = Geodesic(from: place, to: next).distance
      distances.append(distances[distances.count - 1] + (step.isFinite ? step : 0))
    }
    let whole = distances[distances.count - 1]
    let duration = Double(end.nanoseconds(since: start))
    return distances.prefix(places.count).enumerated().map { index, distance in
      let share =
        whole > 0 ? distance / whole : Double(index) / Double(max(1, places.count - 1))
      // A rounded duration of all time is just beyond 64 bits.
      return start.advanced(byNanoseconds: Int64(min(max(share * duration, -9e18), 9e18)))
    }
  }
}

extension LocationFix {
  /// The length of the geodesic to another fix, metres.
  func distance(to other: LocationFix) -> Double {
    Geodesic(
      from: (latitude, longitude), to: (other.latitude, other.longitude)
    ).distance
  }
}
