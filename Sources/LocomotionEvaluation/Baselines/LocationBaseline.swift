public import LocomotionPositioning
public import LocomotionSensing

/// Where the phone was at one fix, by one method, and what the method claims.
public struct LocatedPoint: Hashable, Sendable {
  /// When.
  public var timestamp: Timestamp
  /// Geodetic latitude on WGS 84, degrees.
  public var latitude: Double
  /// Geodetic longitude on WGS 84, degrees.
  public var longitude: Double
  /// The radius, metres, that the method claims to hold the truth with probability 0.68; nil when
  /// it claims none.
  public var radius68: Double?
  /// Whether the phone moved; nil when the method says nothing about it.
  public var movingState: MovingState?

  /// A point from its parts.
  public init(
    timestamp: Timestamp, latitude: Double, longitude: Double, radius68: Double? = nil,
    movingState: MovingState? = nil
  ) {
    self.timestamp = timestamp
    self.latitude = latitude
    self.longitude = longitude
    self.radius68 = radius68
    self.movingState = movingState
  }

  /// The geodesic distance to another point, metres.
  func distance(to other: LocatedPoint) -> Double {
    Geodesic(from: (latitude, longitude), to: (other.latitude, other.longitude)).distance
  }
}

/// Another way to make a track of a recording's fixes, to compare with.
///
/// These are reference implementations for evaluation: they restate published or well-known
/// behaviour, faults included, as plainly as possible. None of them belongs on a device.
public protocol LocationBaseline: Sendable {
  /// What tables call it.
  var name: String { get }
  /// One entry for each fix, in the same order; nil where the method gives no position.
  func points(for fixes: [LocationFix]) -> [LocatedPoint?]
}

/// The fixes as they came.
///
/// The reported accuracy is the claimed radius, and the phone moves when its reported speed exceeds
/// 0.5 m/s; a missing speed counts as rest, when receivers most often have none.
public struct RawFixes: LocationBaseline {
  /// What tables call it.
  public let name = "raw fixes"

  /// The baseline.
  public init() {}

  /// The fixes themselves.
  public func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    fixes.map { fix in
      guard fix.hasPosition else { return nil }
      return fix.point(
        movingState: fix.speed ?? 0 > 0.5 ? .moving : .stationary)
    }
  }
}

/// The median of latitude and of longitude over five fixes, two of them later ones.
///
/// At the ends of the recording the window shrinks to three and one. A textbook despiking filter
/// (Tukey 1977): reported accuracies and times are not looked at, and no motion is decided.
public struct MedianOfFive: LocationBaseline {
  /// What tables call it.
  public let name = "median of five"

  /// The baseline.
  public init() {}

  /// The medians, at the times of the fixes.
  public func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    let usable = fixes.indices.filter { fixes[$0].hasPosition }
    var result = [LocatedPoint?](repeating: nil, count: fixes.count)
    for (position, index) in usable.enumerated() {
      let reach = min(2, position, usable.count - 1 - position)
      let window = usable[position - reach...position + reach].map { fixes[$0] }
      let centre = fixes[index].longitude
      // Longitudes as differences, so that the antimeridian is no edge.
      let longitudes = window.map { ($0.longitude - centre).remainder(dividingBy: 360) }.sorted()
      result[index] = LocatedPoint(
        timestamp: fixes[index].timestamp, latitude: window.map(\.latitude).sorted()[reach],
        longitude: centre + longitudes[reach], radius68: fixes[index].horizontalAccuracy)
    }
    return result
  }
}

extension LocationFix {
  /// Whether the position is one on Earth; (0, 0) is what programs write that have none.
  var hasPosition: Bool {
    abs(latitude) <= 90 && abs(longitude) <= 360 && !(latitude == 0 && longitude == 0)
      && timestamp.isPlausible
  }

  /// What is assumed where a recording has no accuracy: a usual one outdoors, metres.
  static let assumedAccuracy = 10.0

  /// The fix as a point with the reported accuracy as its claim.
  func point(movingState: MovingState? = nil) -> LocatedPoint {
    LocatedPoint(
      timestamp: timestamp, latitude: latitude, longitude: longitude,
      radius68: horizontalAccuracy, movingState: movingState)
  }
}
