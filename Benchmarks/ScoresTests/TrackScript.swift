import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing

/// Fixes, points and truths for tests, in seconds and in metres east and north of one position.
struct TrackScript {
  var plane = LocalTangentPlane(latitude: 48.137, longitude: 11.575)

  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  func fix(
    _ seconds: Double, east: Double = 0, north: Double = 0, accuracy: Double? = 10,
    speed: Double? = nil, course: Double? = nil
  ) -> LocationFix {
    let place = plane.geodetic(SIMD2(east, north))
    return LocationFix(
      timestamp: Self.time(seconds), latitude: place.latitude, longitude: place.longitude,
      horizontalAccuracy: accuracy, speed: speed, course: course)
  }

  func point(
    _ seconds: Double, east: Double = 0, north: Double = 0, radius: Double? = nil,
    _ state: MovingState? = nil
  ) -> LocatedPoint {
    let place = plane.geodetic(SIMD2(east, north))
    return LocatedPoint(
      timestamp: Self.time(seconds), latitude: place.latitude, longitude: place.longitude,
      radius68: radius, movingState: state)
  }

  func moment(
    _ seconds: Double, east: Double = 0, north: Double = 0, isMoving: Bool? = nil
  ) -> LocationTruth.Moment {
    let place = plane.geodetic(SIMD2(east, north))
    return LocationTruth.Moment(
      timestamp: Self.time(seconds), latitude: place.latitude, longitude: place.longitude,
      isMoving: isMoving)
  }

  /// Metres east and north of that position.
  func position(_ point: LocatedPoint) -> SIMD2<Double> {
    plane.position(latitude: point.latitude, longitude: point.longitude)
  }

  /// Rest, 10 m/s east, rest: `[0, 60)`, `[60, 120)`, `[120, 180]` seconds.
  func ride(isMarked: Bool = true) -> LocationTruth {
    LocationTruth(
      moments: (0...180).map { (second: Int) in
        moment(
          Double(second), east: 10 * Double(min(max(second - 60, 0), 60)),
          isMoving: isMarked ? (60..<120).contains(second) : nil)
      })
  }
}

/// x with A·x = b, by Gauss's elimination with pivoting.
func solution(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
  var rows = zip(matrix, right).map { $0 + [$1] }
  let n = rows.count
  for column in 0..<n {
    let pivot = (column..<n).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
    rows.swapAt(column, pivot)
    for row in 0..<n where row != column {
      let factor = rows[row][column] / rows[column][column]
      for k in column...n { rows[row][k] -= factor * rows[column][k] }
    }
  }
  return (0..<n).map { rows[$0][n] / rows[$0][$0] }
}
