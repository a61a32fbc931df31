import Foundation

/// A polyline by the fraction of its length.
struct MapCourse {
  private let points: [SIMD2<Double>]
  /// The length from the start to each point.
  private let lengths: [Double]

  var length: Double { lengths.last ?? 0 }

  init(_ points: [SIMD2<Double>]) {
    self.points = points
    var total = 0.0
    var lengths = points.isEmpty ? [] : [0.0]
    for (from, to) in zip(points, points.dropFirst()) {
      let step = to - from
      total += (step * step).sum().squareRoot()
      lengths.append(total)
    }
    self.lengths = lengths
  }

  /// The point at `fraction`, and the direction there: clockwise from the east, seen on the map.
  func at(_ fraction: Double) -> (point: SIMD2<Double>, degrees: Double) {
    // The direction is that over a few points of the drawing, where the track trembles.
    let (before, after) = (point(fraction * length - 4), point(fraction * length + 4))
    let step = after - before
    return (point(fraction * length), atan2(step.y, step.x) * 180 / .pi)
  }

  private func point(_ wanted: Double) -> SIMD2<Double> {
    guard let last = points.last else { return .zero }
    guard let next = lengths.firstIndex(where: { $0 >= wanted }) else { return last }
    guard next > 0 else { return points[0] }
    let step = lengths[next] - lengths[next - 1]
    let fraction = step > 0 ? (wanted - lengths[next - 1]) / step : 0
    return points[next - 1] + (points[next] - points[next - 1]) * fraction
  }
}
