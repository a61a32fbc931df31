import LocomotionAnalysis
import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

@Suite struct TrackComparisonTests {
  /// A track through places in metres east and north of a point at 48° north, one a second.
  private func track(
    _ places: [SIMD2<Double>], from start: Double = 0, every interval: Double = 1
  ) -> [LocationFix] {
    let plane = LocalTangentPlane(latitude: 48, longitude: 11)
    return places.enumerated().map { index, place in
      let point = plane.geodetic(place)
      return LocationFix(
        timestamp: .at(start + Double(index) * interval),
        latitude: point.latitude, longitude: point.longitude)
    }
  }

  private func ride(_ count: Int, offset: SIMD2<Double> = .zero) -> [SIMD2<Double>] {
    (0..<count).map { SIMD2(0, 10 * Double($0)) + offset }
  }

  @Test(arguments: [(8.0, 8.0), (-8, -8)])
  func rightOfThePathIsPositive(_ east: Double, _ expected: Double) throws {
    let comparison = TrackComparison(
      track(ride(60, offset: SIMD2(east, 0))), with: track(ride(60)))
    for row in comparison.rows {
      #expect(abs(try #require(row.crossTrack) - expected) < 1e-3)
      #expect(abs(try #require(row.distance) - 8) < 1e-3)
      #expect(abs(try #require(row.lag)) < 1e-3)
    }
    #expect(abs(try #require(comparison.crossTrackDistance(within: 0.95)) - 8) < 1e-3)
    #expect(comparison.stretches.isEmpty)
    #expect(abs(try #require(comparison.lengthDifference)) < 1e-9)
  }

  @Test func aClockThatIsOffGivesALagAndNoCrossTrackDistance() throws {
    let comparison = TrackComparison(track(ride(60), from: 5), with: track(ride(80)))
    for row in comparison.rows.dropLast(6) {
      #expect(abs(try #require(row.distance) - 50) < 1e-3)
      #expect(abs(try #require(row.crossTrack)) < 1e-3)
      #expect(abs(try #require(row.lag) - 5) < 1e-3)
    }
  }

  @Test func aDetourIsOneStretch() throws {
    var places = ride(100)
    for second in 40..<60 { places[second].x = second % 10 == 5 ? 0 : 80 }
    let comparison = TrackComparison(track(places), with: track(ride(100)))
    let stretch = try #require(comparison.stretches.first)
    #expect(comparison.stretches.count == 1)
    #expect(stretch.start.seconds == 40 && stretch.end.seconds == 59)
    #expect(abs(stretch.largest - 80) < 0.01)
    #expect(stretch.length > 190)
  }

  @Test func outsideTheOtherTrackNothingIsKnown() {
    let comparison = TrackComparison(track(ride(60), from: 1_000), with: track(ride(60)))
    #expect(comparison.rows.count == 60)
    #expect(comparison.rows.allSatisfy { $0.distance == nil && $0.crossTrack == nil })
    #expect(comparison.firstLength == nil && comparison.lengthDifference == nil)
    #expect(TrackComparison([], with: track(ride(3))).rows.isEmpty)
    #expect(TrackComparison(track(ride(3)), with: []).rows.isEmpty)
  }

  @Test func gapsOfTheOtherTrackAreNotInterpolated() throws {
    let sparse = track(ride(10).map { $0 * SIMD2(1, 20) }, every: 200)
    let comparison = TrackComparison(track(ride(100)), with: sparse)
    #expect(comparison.rows.allSatisfy { $0.crossTrack == nil })
  }

  @Test func pointsOutOfOrderAreLeftOut() {
    var points = track(ride(20))
    points.swapAt(5, 9)
    points.append(points[3])
    #expect(TrackComparison(points, with: points).rows.count < 20)
  }
}
