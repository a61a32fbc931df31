internal import CLocomotionMath
internal import LocomotionSensing

/// A fix that passed the checks which need no memory, in the terms of the filter.
struct AdmittedFix: Hashable, Sendable, Codable {
  var timestamp: Timestamp
  /// Degrees.
  var latitude: Double
  /// Degrees, −180 ..< 180.
  var longitude: Double
  /// The variance along one axis, m², that the receiver claims.
  var reportedVariance: Double
  /// The deviation along one axis, metres, of the part of the error that persists.
  var correlatedDeviation: Double
  /// The variance along one axis, m², of the part that is new with every fix.
  var whiteVariance: Double
  /// m/s.
  var speed: Double?
  /// How much worse than under open sky the speed may be; at least 1.
  var speedNoise: Double
  /// How fast the integral of the receiver's velocity errors spreads now, m²/s.
  var wander: Double
  /// Whether a direction came with the speed.
  var hasCourse: Bool
  /// The velocity the fix measures, by true north where it is; zero where a slow speed came
  /// without course.
  var localVelocity: KinematicState.Measurement?

  /// The variance of the whole error along one axis, m².
  var variance: Double { correlatedDeviation * correlatedDeviation + whiteVariance }

  /// The velocity the fix measures, in the directions of a plane.
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
}

/// Why a fix was not admitted.
struct Refusal: Error {
  var reason: RejectionReason
}

/// The radius of the circle that holds a centred isotropic normal vector with probability 0.6827
/// over its deviation along one axis: √(−2 ln 0.317310507862914).
let radius68PerDeviation = 1.515172903961339

extension LocationFilter.Settings {
  /// Checks position and accuracy and puts the fix into the filter's terms.
  func admit(
    _ raw: LocationFix, scale learned: AccuracyScale
  ) throws(Refusal) -> AdmittedFix {
    // The stored properties may have been set to anything after the initialiser's checks.
    let fix = LocationFix(
      timestamp: raw.timestamp, latitude: raw.latitude, longitude: raw.longitude,
      horizontalAccuracy: raw.horizontalAccuracy, speed: raw.speed,
      speedAccuracy: raw.speedAccuracy, course: raw.course, courseAccuracy: raw.courseAccuracy)
    guard abs(fix.latitude) <= 90, fix.longitude >= -180, fix.longitude <= 360 else {
      throw Refusal(reason: .impossiblePosition)
    }
    if fix.latitude == 0 && fix.longitude == 0 {
      throw Refusal(reason: .nullIsland)
    }
    let reported = max(
      fix.horizontalAccuracy ?? (fix.course == nil ? missingAccuracy : openSkyAccuracy),
      bestAccuracy)
    guard reported <= worstAccuracy else { throw Refusal(reason: .noAccuracy) }
    let scale = learned.factor(of: reported, self)
    let deviation = scale * reported * caution / radius68PerDeviation
    let speed = fix.speed.flatMap {
      $0 > fastestSpeed || ($0 == 0 && reported > staleZero) ? nil : $0
    }
    // What spoils the position (reflections, few satellites) spoils the Doppler speed too.
    let noise = min(max(reported / openSkyAccuracy, 1), worstSpeedNoise)
    return AdmittedFix(
      timestamp: fix.timestamp, latitude: fix.latitude,
      longitude: LocalTangentPlane.wrapped(fix.longitude),
      reportedVariance: (reported / radius68PerDeviation) * (reported / radius68PerDeviation),
      correlatedDeviation: deviation * correlatedShare.squareRoot(),
      whiteVariance: deviation * deviation * (1 - correlatedShare), speed: speed,
      speedNoise: noise, wander: learned.wander(self) * noise * noise,
      hasCourse: speed != nil && fix.course != nil,
      localVelocity: velocity(of: fix, speed: speed))
  }

  private func velocity(of fix: LocationFix, speed: Double?) -> KinematicState.Measurement? {
    guard let speed else { return nil }
    guard let course = fix.course else {
      guard speed < slowWithoutCourse else { return nil }
      let deviation = max(speed, speedDeviationAtRest, velocityDeviation)
      return .velocity(.zero, variance: deviation * deviation)
    }
    let angle = course * LocalTangentPlane.radiansPerDegree
    let along = fix.speedAccuracy ?? 0
    let across = speed * (fix.courseAccuracy ?? 0) * LocalTangentPlane.radiansPerDegree
    let variance = min((along * along + across * across) / 2, 1e4)
    return .velocity(
      SIMD2(speed * sin(angle), speed * cos(angle)),
      variance: max(velocityDeviation * velocityDeviation, variance))
  }

  /// What is known from one fix alone.
  func initialState(from fix: AdmittedFix) -> KinematicState {
    // The fix reads p + c·u + w, so p = z − c·u − w: position and fix error start correlated.
    let speedVariance = fix.localVelocity?.variance ?? unknownSpeed * unknownSpeed
    return KinematicState(
      position: .zero, velocity: fix.localVelocity?.value ?? .zero, fixError: .zero,
      covariance: AxisCovariance(
        pp: fix.variance, pv: 0, pu: -fix.correlatedDeviation, vv: speedVariance, vu: 0, uu: 1))
  }
}

extension LocalTangentPlane {
  /// The fix's position, or nil when it is so far away that the plane is no map of it any more.
  func nearbyPosition(of fix: AdmittedFix) -> SIMD2<Double>? {
    position(latitude: fix.latitude, longitude: fix.longitude, within: 300_000)
  }
}
