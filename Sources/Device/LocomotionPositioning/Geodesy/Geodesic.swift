internal import CLocomotionMath

/// The geodesic, the shortest line between two points of the WGS 84 ellipsoid: its length and its
/// directions.
///
/// ```swift
/// let geodesic = Geodesic(from: (48.137, 11.575), to: (60.170, 24.941))
/// geodesic.distance  // metres
/// geodesic.initialCourse  // degrees clockwise from true north, at the start
/// ```
///
/// Holds everywhere, at the poles, across the antimeridian and for points nearly opposite each
/// other. The distance is within 20 nm of the reference over the whole Earth, where rounding of
/// coordinates in degrees alone costs 10 nm.
///
/// Source: Karney, "Algorithms for geodesics", *Journal of Geodesy* 87 (2013), sections 3 and 4,
/// with the series of order 6. Deviation: where the ends are nearly opposite, the search for the
/// azimuth does not begin with the astroid's root (eqs. 55 and 56) but with the direction on the
/// sphere, and the bracket that surrounds the root is enforced at every step. That costs there up
/// to some dozen steps in place of three, and needs no special case.
///
/// - Complexity: O(1), some microseconds, without allocation. For a few kilometres around one
///   point ``LocalTangentPlane`` is the cheaper way.
public struct Geodesic: Hashable, Sendable {
  /// The length, metres, 0 to about 20,003,931.5; NaN when a coordinate is not finite.
  public let distance: Double
  /// The direction at the start, degrees clockwise from true north, 0 ..< 360.
  ///
  /// Nil when the points are the same. At a pole, where north means nothing, it is what it tends to
  /// along the meridian of the given longitude. Where several geodesics are equally short (ends
  /// exactly opposite) it is that of one of them.
  public let initialCourse: Double?
  /// The direction at the end, with which one arrives; otherwise like ``initialCourse``.
  public let finalCourse: Double?

  /// The geodesic between two points given in degrees.
  ///
  /// A latitude beyond ±90 is taken as the pole; any multiple of 360° may be added to a longitude.
  public init(
    from start: (latitude: Double, longitude: Double),
    to end: (latitude: Double, longitude: Double)
  ) {
    guard
      start.latitude.isFinite, start.longitude.isFinite, end.latitude.isFinite,
      end.longitude.isFinite
    else {
      distance = .nan
      initialCourse = nil
      finalCourse = nil
      return
    }
    // Remainders are exact, and the only rounding is the same on the way back.
    let difference =
      (end.longitude.remainder(dividingBy: 360)
      - start.longitude.remainder(dividingBy: 360)).remainder(dividingBy: 360)
    let first = min(max(start.latitude, -90), 90)
    let second = min(max(end.latitude, -90), 90)

    // By symmetry the start can be the end farther from the equator, south of it, and the geodesic
    // can lead east: then the azimuth sought is unique and lies between north and south (section
    // 4).
    let eastward: Double = difference < 0 ? -1 : 1
    let isSwapped = abs(first) < abs(second)
    let southward: Double = (isSwapped ? second : first) < 0 ? 1 : -1
    var ends = GeodesicEnds(
      startLatitude: southward * (isSwapped ? second : first),
      endLatitude: southward * (isSwapped ? first : second),
      longitudeDifference: abs(difference))
    ends.solve()

    let (departure, arrival) =
      isSwapped ? (ends.arrival, ends.departure) : (ends.departure, ends.arrival)
    let turn = SIMD2(eastward, isSwapped ? -southward : southward)
    distance = ends.distance
    initialCourse = ends.distance > 0 ? Self.course(departure * turn) : nil
    finalCourse = ends.distance > 0 ? Self.course(arrival * turn) : nil
  }

  /// The course of a direction given as its parts east and north.
  private static func course(_ direction: SIMD2<Double>) -> Double {
    let degrees = atan2(direction.x, direction.y) / WGS84.radiansPerDegree
    // A tiny negative angle would round to 360.
    return degrees >= 0 ? degrees : (degrees + 360 < 360 ? degrees + 360 : 0)
  }
}

/// The inverse problem in Karney's normal form: φ₁ ≤ 0, φ₁ ≤ φ₂ ≤ −φ₁ and 0 ≤ λ₁₂ ≤ 180°.
///
/// Angles are pairs of sine (x) and cosine (y), so that nothing is lost near 0° and 90°.
private struct GeodesicEnds {
  /// Reduced latitudes β.
  private let start, end: SIMD2<Double>
  /// √(1 + e′²·sin²β), the rate of length along the ellipsoid over that along the sphere.
  private let startStretch, endStretch: Double
  private let longitude: SIMD2<Double>
  private let longitudeRadians: Double
  private let startsAtPole, hasEqualLatitudes: Bool

  /// Metres.
  private(set) var distance = 0.0
  /// The azimuths at both ends: their parts east and north.
  private(set) var departure = SIMD2(0.0, 1.0)
  private(set) var arrival = SIMD2(0.0, 1.0)

  init(startLatitude: Double, endLatitude: Double, longitudeDifference: Double) {
    start = Self.reduced(startLatitude)
    var end = Self.reduced(endLatitude)
    // Whether the latitudes are equal, by whichever of sine and cosine tells more; then both must
    // be, or the difference of the azimuths is noise.
    hasEqualLatitudes = start.y < -start.x ? end.y == start.y : abs(end.x) == -start.x
    if hasEqualLatitudes { end = SIMD2(end.x < 0 ? start.x : -start.x, start.y) }
    self.end = end
    startStretch = (1 + WGS84.secondEccentricitySquared * start.x * start.x).squareRoot()
    endStretch = (1 + WGS84.secondEccentricitySquared * end.x * end.x).squareRoot()
    longitude = sineCosine(degrees: longitudeDifference)
    longitudeRadians = longitudeDifference * WGS84.radiansPerDegree
    startsAtPole = startLatitude == -90
  }

  /// Sine and cosine of the reduced latitude; the cosine stays above 0 to keep directions at poles.
  private static func reduced(_ latitude: Double) -> SIMD2<Double> {
    let φ = sineCosine(degrees: latitude)
    var β = unit(SIMD2((1 - WGS84.flattening) * φ.x, φ.y))
    β.y = max(β.y, smallest)
    return β
  }

  mutating func solve() {
    if startsAtPole || longitude.x == 0, takeMeridian() { return }
    if start.x == 0, longitudeRadians <= (1 - WGS84.flattening) * .pi {
      // Both ends on the equator, which is the geodesic as long as they are not nearly
      // opposite.
      departure = SIMD2(1, 0)
      arrival = departure
      distance = WGS84.semiMajorAxis * longitudeRadians
      return
    }
    if takeShortLine() { return }
    takeLineByItsLongitude()
  }

  // MARK: Along a meridian

  /// Takes the meridian through both ends; false when it is not the geodesic.
  private mutating func takeMeridian() -> Bool {
    let direction = longitude
    let from = SIMD2(start.x, direction.y * start.y)
    let to = SIMD2(end.x, end.y)
    let arc = angle(from: from, to: to)
    let series = GeodesicSeries(WGS84.secondEccentricitySquared)
    // Beyond the first conjugate point (reduced length below 0) another line is shorter.
    guard arc < 1 || reducedLength(series, arc, from, to) >= 0 else { return false }
    departure = direction
    arrival = SIMD2(0, 1)
    distance = arc < 1e-300 ? 0 : WGS84.semiMinorAxis * series.distance(arc, from, to)
    return true
  }

  // MARK: A few decimetres

  /// Takes a line so short that the ellipsoid is a sphere; false when it is longer.
  private mutating func takeShortLine() -> Bool {
    let sine = end.x * start.y - end.y * start.x
    let cosine = end.y * start.y + end.x * start.x
    guard cosine >= 0, sine < 0.5, end.y * longitudeRadians < 0.5 else { return false }
    let sum = start + end
    let middle = sum.x * sum.x / (sum.x * sum.x + sum.y * sum.y)
    let stretch = (1 + WGS84.secondEccentricitySquared * middle).squareRoot()
    let (direction, arrival, arc) = onSphere(
      longitudeRadians / ((1 - WGS84.flattening) * stretch))
    guard arc < Self.shortestArc else { return false }
    departure = unit(direction)
    self.arrival = unit(arrival)
    distance = WGS84.semiMinorAxis * stretch * arc
    return true
  }

  /// Directions and arc between the ends on the auxiliary sphere, `ω` radians of longitude apart.
  private func onSphere(_ ω: Double) -> (SIMD2<Double>, SIMD2<Double>, arc: Double) {
    let (s, c) = (sin(ω), cos(ω))
    let difference = end.x * start.y - end.y * start.x
    let sum = end.x * start.y + end.y * start.x
    let departure = SIMD2(
      end.y * s,
      c >= 0
        ? difference + end.y * start.x * s * s / (1 + c) : sum - end.y * start.x * s * s / (1 - c)
    )
    let arrival = SIMD2(
      start.y * s, difference - start.y * end.x * (c >= 0 ? s * s / (1 + c) : 1 - c))
    let cosine = start.x * end.x + start.y * end.y * c
    return (departure, arrival, atan2(length(departure), cosine))
  }

  // MARK: Any other line

  /// One line from the start that reaches the end's latitude, and how far from the end it does so.
  private struct Trial {
    var arrival: SIMD2<Double>
    var from, to: SIMD2<Double>
    var arc: Double
    /// Longitude reached less longitude wanted, radians, and its derivative by the azimuth.
    var excess, slope: Double
    var series: GeodesicSeries
  }

  private mutating func takeLineByItsLongitude() {
    var direction = unit(onSphere(longitudeRadians).0)
    if !(direction.x > 0) { direction = unit(SIMD2(Self.smallest, direction.y)) }
    // The excess grows with the azimuth: between north and south lies exactly one root.
    var (north, south) = (SIMD2(Self.smallest, 1), SIMD2(Self.smallest, -1))
    var best = trial(direction)
    for step in 0..<90 {
      if abs(best.excess) <= Self.tolerance { break }
      if best.excess > 0 { south = direction } else { north = direction }
      var next = (north + south) / 2
      let gap = length(north - south)
      if gap < 0x1p-53 { break }
      // Halving is safe and slow: Newton's step is taken while it stays inside the bracket.
      if step < 30, best.slope > 0 {
        let change = -best.excess / best.slope
        if abs(change) < .pi {
          let turned = turn(direction, by: change)
          if isBetween(turned, north, south) { next = turned }
        }
      }
      // North and south themselves have no middle; east is it.
      next = length(next) > 0 ? next : SIMD2(1, 0)
      let before = abs(best.excess)
      direction = unit(next)
      best = trial(direction)
      if before <= 16 * Self.tolerance, abs(best.excess) <= 8 * Self.tolerance { break }
    }
    departure = direction
    arrival = best.arrival
    distance = WGS84.semiMinorAxis * best.series.distance(best.arc, best.from, best.to)
  }

  private func isBetween(
    _ direction: SIMD2<Double>, _ north: SIMD2<Double>, _ south: SIMD2<Double>
  ) -> Bool {
    direction.x > 0 && direction.x * north.y > north.x * direction.y
      && south.x * direction.y > direction.x * south.y
  }

  /// Follows the line that leaves in a direction, after Karney's equations 5, 8, 9, 12 and 46.
  private func trial(_ given: SIMD2<Double>) -> Trial {
    // A start on the equator meanVelocity east would be at no node at all.
    let α = start.x == 0 && given.y == 0 ? SIMD2(given.x, -Self.smallest) : given
    let sine0 = α.x * start.y
    let cosine0 = length(SIMD2(α.y, α.x * start.x))
    let from = unit(SIMD2(start.x, α.y * start.y))
    let fromLongitude = unit(SIMD2(sine0 * start.x, α.y * start.y))
    var arrival = SIMD2(α.x, abs(α.y))
    if !hasEqualLatitudes {
      let change =
        start.y < -start.x
        ? (end.y - start.y) * (start.y + end.y) : (start.x - end.x) * (start.x + end.x)
      let part = α.y * start.y
      arrival = SIMD2(sine0 / end.y, max(0, part * part + change).squareRoot() / end.y)
    }
    let to = unit(SIMD2(end.x, arrival.y * end.y))
    let toLongitude = unit(SIMD2(sine0 * end.x, arrival.y * end.y))
    let arc = angle(from: from, to: to)
    let ω = SIMD2(
      max(0, fromLongitude.y * toLongitude.x - fromLongitude.x * toLongitude.y),
      fromLongitude.y * toLongitude.y + fromLongitude.x * toLongitude.x)
    // The excess on the sphere, without the loss of subtracting two angles.
    let η = atan2(
      ω.x * longitude.y - ω.y * longitude.x, ω.y * longitude.y + ω.x * longitude.x)
    let series = GeodesicSeries(cosine0 * cosine0 * WGS84.secondEccentricitySquared)
    let excess = η - WGS84.flattening * sine0 * series.longitude(arc, from, to)
    let slope =
      arrival.y == 0
      ? -2 * (1 - WGS84.flattening) * startStretch / start.x
      : reducedLength(series, arc, from, to) * (1 - WGS84.flattening) / (arrival.y * end.y)
    return Trial(
      arrival: arrival, from: from, to: to, arc: arc, excess: excess, slope: slope, series: series)
  }

  /// How far neighbouring lines are apart, per radian at the start, over the semi-minor axis.
  ///
  /// Karney's equation 38.
  private func reducedLength(
    _ series: GeodesicSeries, _ arc: Double, _ from: SIMD2<Double>, _ to: SIMD2<Double>
  ) -> Double {
    endStretch * (from.y * to.x) - startStretch * (from.x * to.y)
      - from.y * to.y * series.spread(arc, from, to)
  }

  private static let smallest = 0x1p-511
  private static let tolerance = 0x1p-52
  /// 4·10⁻⁸ rad, 0.2 m: the sphere's error is the cube of it, the search's a rounding of 1.
  private static let shortestArc = 4e-8
}

/// Sine and cosine of an angle in degrees, exact at multiples of 90.
private func sineCosine(degrees: Double) -> SIMD2<Double> {
  let rest = degrees.remainder(dividingBy: 90)
  let quarters = Int(((degrees - rest) / 90).rounded()) & 3
  let radians = rest * WGS84.radiansPerDegree
  let (s, c) = (sin(radians), cos(radians))
  return switch quarters {
  case 0: SIMD2(s, c)
  case 1: SIMD2(c, -s)
  case 2: SIMD2(-s, -c)
  default: SIMD2(-c, s)
  }
}

/// The angle, 0 to π, by which `to` lies ahead of `from`, each given as sine and cosine.
private func angle(from: SIMD2<Double>, to: SIMD2<Double>) -> Double {
  atan2(max(0, from.y * to.x - from.x * to.y), from.y * to.y + from.x * to.x)
}

private func turn(_ direction: SIMD2<Double>, by angle: Double) -> SIMD2<Double> {
  let (s, c) = (sin(angle), cos(angle))
  return SIMD2(direction.x * c + direction.y * s, direction.y * c - direction.x * s)
}

private func length(_ vector: SIMD2<Double>) -> Double {
  (vector * vector).sum().squareRoot()
}

private func unit(_ vector: SIMD2<Double>) -> SIMD2<Double> {
  vector / length(vector)
}
