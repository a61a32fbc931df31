internal import CLocomotionMath

/// A validated fix as the filter measures it: position and velocity with their covariances.
struct FixMeasurement: Sendable, StateElement {
  var timestamp: Timestamp
  /// Degrees.
  var latitude: Double
  /// Degrees, −180 ..< 180.
  var longitude: Double
  /// The same Earth-centred, metres.
  var point: SIMD3<Double>
  /// The variance along one axis, m², that the receiver claims.
  var reportedVariance: Double
  /// The deviation along one axis, metres, of the part of the error that persists.
  var correlatedDeviation: Double
  /// The variance along one axis, m², of the part that is new with every fix.
  var whiteVariance: Double
  /// The variance along one axis, m², of a slowly moving offset beside those two: a consider
  /// parameter, which widens what is claimed and is not estimated.
  var offsetVariance: Double
  /// m/s.
  var speed: Double?
  /// How much worse than under open sky the speed may be; at least 1.
  var speedNoiseScale: Double
  /// How fast the integral of the receiver's velocity errors spreads now, m²/s.
  var randomWalkDensity: Double
  /// Whether the receiver stated an accuracy.
  var hasAccuracy: Bool
  /// Whether the speed is a receiver's Doppler speed, which observes motion by itself.
  ///
  /// Of a receiver that never states a course or an accuracy it is made of steps and positions,
  /// some seconds late, 0 for who walks slowly, and often missing: watches do so.
  var hasDopplerSpeed = false
  /// Whether a direction came with the speed.
  var hasCourse: Bool
  /// The velocity the fix measures, by true north where it is; zero where a slow speed came
  /// without course.
  var localVelocity: KinematicState.Measurement?

  /// The variance of the whole error along one axis, m².
  var variance: Double { correlatedDeviation * correlatedDeviation + whiteVariance }

  mutating func ignoreSpeed() {
    speed = nil
    hasDopplerSpeed = false
    hasCourse = false
    localVelocity = nil
  }

  /// The velocity the fix measures, in the directions of a plane.
  @inline(__always)
  func velocity(in plane: LocalTangentPlane) -> KinematicState.Measurement? {
    guard var result = localVelocity else { return nil }
    result.value = plane.vector(result.value, atLatitude: latitude, longitude: longitude)
    return result
  }

  /// The fix's position as a measurement of the state.
  func positionMeasurement(_ position: SIMD2<Double>) -> KinematicState.Measurement {
    .position(
      position, correlatedDeviation: correlatedDeviation, variance: whiteVariance)
  }

  static let blank = FixMeasurement(
    timestamp: .blank, latitude: 0, longitude: 0, point: .zero, reportedVariance: 1,
    correlatedDeviation: 0, whiteVariance: 1, offsetVariance: 0, speed: nil, speedNoiseScale: 1,
    randomWalkDensity: 0, hasAccuracy: false, hasCourse: false, localVelocity: nil)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&timestamp, &latitude, &longitude, &point, &reportedVariance)
    archive.pass(&correlatedDeviation, &whiteVariance, &offsetVariance, &speed)
    archive.pass(&speedNoiseScale, &randomWalkDensity, &hasAccuracy, &hasDopplerSpeed)
    archive.pass(&hasCourse, &localVelocity)
  }
}

/// The radius of the circle that holds a centred isotropic normal vector with probability 0.6827
/// over its deviation along one axis: √(−2 ln 0.317310507862914).
let radius68PerDeviation = 1.515172903961339

extension LocationFilter.Settings {
  /// Accuracies below it, metres, are raised to it.
  private static let bestAccuracy = 3.0
  /// Fixes whose accuracy is worse, metres, are rejected.
  private static let worstAccuracy = 20_000.0
  /// Speeds above it, m/s, are taken as missing.
  static let fastestSpeed = 350.0

  /// Checks position and accuracy, and gives the fix its covariances.
  @inline(__always)
  func validate(
    _ raw: LocationFix, at point: SIMD3<Double>, scale learned: AccuracyScale
  ) throws(RejectionReason) -> FixMeasurement {
    // The stored properties may have been set to anything after the initialiser's checks.
    let fix = LocationFix(
      timestamp: raw.timestamp, latitude: raw.latitude, longitude: raw.longitude,
      horizontalAccuracy: raw.horizontalAccuracy, speed: raw.speed,
      speedAccuracy: raw.speedAccuracy, course: raw.course, courseAccuracy: raw.courseAccuracy)
    guard abs(fix.latitude) <= 90, fix.longitude >= -180, fix.longitude <= 360 else {
      throw .impossiblePosition
    }
    if fix.latitude == 0 && fix.longitude == 0 {
      throw .nullIsland
    }
    let reported = max(
      fix.horizontalAccuracy
        ?? (fix.course == nil ? Measurement.missingAccuracy : Measurement.openSkyAccuracy)
          * learned.missing.squareRoot(),
      Self.bestAccuracy)
    guard reported <= Self.worstAccuracy else { throw .noAccuracy }
    let deviation = reported / radius68PerDeviation
    let claimed = deviation * deviation
    let variance = claimed * learned.square(self)
    let speed = fix.speed.flatMap {
      $0 > Self.fastestSpeed || ($0 == 0 && reported > Measurement.staleZero) ? nil : $0
    }
    // What spoils the position (reflections, few satellites) spoils the Doppler speed too.
    let noise = min(
      max(reported / Measurement.openSkyAccuracy, 1), Measurement.largestSpeedNoiseScale)
    return FixMeasurement(
      timestamp: fix.timestamp, latitude: fix.latitude,
      longitude: WGS84.wrapped(fix.longitude), point: point,
      reportedVariance: claimed,
      correlatedDeviation: (variance * measurement.correlatedFraction).squareRoot(),
      whiteVariance: variance * measurement.whiteFraction,
      offsetVariance: variance * measurement.offsetFraction,
      speed: speed,
      speedNoiseScale: noise,
      randomWalkDensity: claimed / measurement.randomWalkSpan
        + measurement.randomWalkPerSpeed * (speed ?? 0) * (speed ?? 0),
      hasAccuracy: fix.horizontalAccuracy != nil,
      hasCourse: speed != nil && fix.course != nil,
      localVelocity: velocity(of: fix, speed: speed))
  }

  @inline(__always)
  private func velocity(of fix: LocationFix, speed: Double?) -> KinematicState.Measurement? {
    guard let speed else { return nil }
    guard let course = fix.course else {
      guard speed < Measurement.slowWithoutCourse else { return nil }
      let deviation = max(speed, measurement.velocityDeviation)
      return .velocity(.zero, variance: deviation * deviation)
    }
    let least = measurement.velocityDeviation
    let angle = course * WGS84.radiansPerDegree
    let along = fix.speedAccuracy ?? 0
    let across = speed * (fix.courseAccuracy ?? 0) * WGS84.radiansPerDegree
    let variance = min((along * along + across * across) / 2, 1e4)
    return .velocity(
      SIMD2(speed * sin(angle), speed * cos(angle)),
      variance: max(least * least, variance))
  }

  /// What is known from a fix and from a velocity, if there is one.
  func initialState(
    from fix: FixMeasurement, velocity: KinematicState.Measurement?
  ) -> KinematicState {
    // The fix reads p + c·u + w, so p = z − c·u − w: position and fix error start correlated.
    let speedVariance = velocity?.variance ?? Motion.unknownSpeed * Motion.unknownSpeed
    return KinematicState(
      position: .zero, velocity: velocity?.value ?? .zero, fixError: .zero,
      covariance: AxisCovariance(
        pp: fix.variance, pv: 0, pu: -fix.correlatedDeviation, vv: speedVariance, vu: 0, uu: 1))
  }
}

extension LocalTangentPlane {
  /// The fix's position, or nil when it is so far away that the plane is no map of it any more.
  @inline(__always)
  func nearbyPosition(of fix: FixMeasurement) -> SIMD2<Double>? {
    position(of: fix.point, within: 300_000)
  }
}
