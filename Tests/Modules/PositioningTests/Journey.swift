import Foundation
import LocomotionPositioning
import LocomotionSensing
import TestSupport

/// Fixes for tests, by where and when.
enum Journey {
  static let plane = LocalTangentPlane(latitude: 48.137, longitude: 11.575)

  /// A fix at `position` metres east and north of ``plane``'s origin.
  static func fix(
    at seconds: Double, _ position: SIMD2<Double>, accuracy: Double? = 10,
    velocity: SIMD2<Double>? = nil, in plane: LocalTangentPlane = plane
  ) -> LocationFix {
    let place = plane.geodetic(position)
    // A course counts from true north at the place, not from the plane's north.
    let here = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
    return LocationFix(
      timestamp: time(seconds), latitude: place.latitude, longitude: place.longitude,
      horizontalAccuracy: accuracy, speed: velocity.map { ($0 * $0).sum().squareRoot() },
      course: velocity.map { course(plane.rotate($0, to: here)) })
  }

  /// A drive east at 10 m/s with exact fixes once a second.
  static func drive(seconds: Int, from start: Int = 0) -> [LocationFix] {
    (start..<(start + seconds)).map {
      fix(at: Double($0), SIMD2(10 * Double($0), 0), velocity: SIMD2(10, 0))
    }
  }

  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  static func course(_ velocity: SIMD2<Double>) -> Double {
    (atan2(velocity.x, velocity.y) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
  }

  /// Where an estimate lies in ``plane``.
  static func position(_ estimate: LocationEstimate) -> SIMD2<Double> {
    plane.position(latitude: estimate.latitude, longitude: estimate.longitude)
  }

  static func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    ((a - b) * (a - b)).sum().squareRoot()
  }
}

extension LocationFilter.Settings {
  /// A plain constant-velocity filter: no correlated error, no gate, no latency.
  static var plain: Self {
    var settings = Self()
    settings.measurement.whiteFraction = 1
    settings.measurement.correlatedFraction = 0
    settings.measurement.offsetFraction = 0
    settings.measurement.scalePerDifference = 0
    settings.measurement.randomWalkSpan = .infinity
    settings.measurement.randomWalkPerSpeed = 0
    settings.measurement.velocityLatency = 0
    settings.gating.outlierGate = 1e12
    return settings
  }
}

/// Radius that holds 68.27 % over the deviation along one axis: √(−2 ln 0.3173).
let radiusPerDeviation = (-2 * log(1 - 0.682_689_492_137_086)).squareRoot()
