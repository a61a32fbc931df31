internal import Foundation
internal import LocomotionPositioning
package import LocomotionSensing

/// A smooth course through the fixes of a ride, second by second: a stand-in for a reference where
/// there is none.
///
/// Robust local regression of second degree (Cleveland, "Robust locally weighted regression and
/// smoothing scatterplots", Journal of the American Statistical Association 74, 1979): normal
/// weights over time, the reported accuracies, and Cauchy's weights of the residuals. Trains and
/// metros have courses that smooth; it says nothing of walks.
package struct SmoothCourse {
  /// Standard deviation of the weights over time, seconds.
  static let bandwidth = 60.0
  /// The fixes that must lie within twice the bandwidth, or else it is widened.
  static let leastFixes = 6
  /// Rounds in which fixes far off the course lose their weight.
  static let rounds = 4

  /// The fixes, in metres about the first one.
  private struct Observation {
    var seconds: Double
    var position: SIMD2<Double>
    /// The inverse of the reported variance, 1/m².
    var weight: Double
    var robustness = 1.0
  }

  /// The reference; nil with fewer than ``leastFixes`` fixes.
  package static func truth(of fixes: [LocationFix]) -> LocationTruth? {
    let fixes = fixes.filter { abs($0.latitude) <= 90 && $0.longitude.isFinite }
      .sorted { $0.timestamp < $1.timestamp }
    guard let first = fixes.first, let last = fixes.last, fixes.count >= leastFixes else {
      return nil
    }
    let plane = LocalTangentPlane(latitude: first.latitude, longitude: first.longitude)
    var observations = fixes.map { fix in
      let accuracy = max(fix.horizontalAccuracy ?? LocationFix.assumedAccuracy, 10)
      return Observation(
        seconds: fix.timestamp.seconds(since: first.timestamp),
        position: plane.position(latitude: fix.latitude, longitude: fix.longitude),
        weight: 1 / (accuracy * accuracy))
    }
    for _ in 0..<rounds {
      let residuals = observations.map { observation in
        let away = observation.position - course(at: observation.seconds, observations)
        return (away * away).sum().squareRoot()
      }
      let scale = 3 * ((Quantile.of(residuals, fraction: 0.5) ?? 0) + 1)
      for (index, residual) in residuals.enumerated() {
        let ratio = residual / scale
        observations[index].robustness = 1 / ((1 + ratio * ratio) * (1 + ratio * ratio))
      }
    }
    let duration = last.timestamp.seconds(since: first.timestamp)
    let moments = stride(from: 0, through: duration, by: 1).map { seconds in
      let place = plane.geodetic(course(at: seconds, observations))
      return LocationTruth.Moment(
        timestamp: first.timestamp.advanced(byNanoseconds: Int64(seconds * 1e9)),
        latitude: place.latitude, longitude: place.longitude, isMoving: true)
    }
    return LocationTruth(moments: moments, stays: nil)
  }

  /// The value at a time of the parabola that fits the observations about it best.
  private static func course(at time: Double, _ observations: [Observation]) -> SIMD2<Double> {
    var width = bandwidth
    while width < 600,
      observations.count(where: { abs($0.seconds - time) < 2 * width }) < leastFixes
    {
      width *= 1.3
    }
    // The normal equations of 1, x and x²; moments of x up to the fourth.
    var moments = [Double](repeating: 0, count: 5)
    var right = [SIMD2<Double>](repeating: .zero, count: 3)
    for observation in observations {
      let x = (observation.seconds - time) / width
      guard abs(x) < 6 else { continue }
      let weight = exp(-0.5 * x * x) * observation.weight * observation.robustness
      var power = weight
      for degree in 0..<5 {
        moments[degree] += power
        if degree < 3 { right[degree] += observation.position * power }
        power *= x
      }
    }
    let (a, b, c, d, e) = (moments[0], moments[1], moments[2], moments[3], moments[4])
    guard a > 0 else { return .zero }
    // Cramer's rule for the constant; without three distinct times the weighted mean.
    let determinant = a * (c * e - d * d) - b * (b * e - c * d) + c * (b * d - c * c)
    guard determinant > 1e-9 * a * c * e, determinant.isFinite else { return right[0] / a }
    let sum =
      right[0] * (c * e - d * d) - right[1] * (b * e - c * d) + right[2] * (b * d - c * c)
    return sum / determinant
  }
}
