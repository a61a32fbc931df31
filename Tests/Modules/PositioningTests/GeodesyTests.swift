import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct GeodesicTests {
  private func anywhere(_ random: inout SplitMix64) -> (latitude: Double, longitude: Double) {
    (asin(2 * random.nextUniform() - 1) * 180 / .pi, 360 * random.nextUniform() - 180)
  }

  /// Those of geographiclib, which are exact.
  @Test func distancesAgreeWithTheGeodesicsOfTheEllipsoid() throws {
    for row in try TestFiles.golden("geodesic.csv") {
      let distance = Geodesic(from: (row[0], row[1]), to: (row[2], row[3])).distance
      let part = row[4] < 1e3 ? 1e-10 : row[4] < 1e4 ? 1e-9 : row[4] < 1e6 ? 1e-5 : 0.002
      #expect(abs(distance - row[4]) < 5e-9 + part * row[4], "\(row) \(distance)")
    }
  }

  @Test func theAntimeridianAndThePolesAreNoEdges() {
    let there = Geodesic(from: (10, 179.9), to: (10.3, -179.9)).distance
    #expect(abs(there - Geodesic(from: (10, 19.9), to: (10.3, 20.1)).distance) < 1e-7)
    #expect(Geodesic(from: (5, -180), to: (5, 180)).distance < 1e-8)
    #expect(Geodesic(from: (-90, 3), to: (-90, -140)).distance < 1e-8)
  }

  @Test func fullTurnsOfLongitudeChangeNothing() {
    let geodesic = Geodesic(from: (48, 11), to: (-20, -130))
    for turns in [-720.0, -360, 360, 1_080] {
      #expect(Geodesic(from: (48, 11 + turns), to: (-20, -130 - turns)) == geodesic)
    }
  }

  @Test func whatIsNotOnEarthIsTakenAsThePoleOrIsNotANumber() {
    #expect(Geodesic(from: (91, 0), to: (0, 0)) == Geodesic(from: (90, 0), to: (0, 0)))
    for bad in [Double.nan, .infinity, -.infinity] {
      #expect(Geodesic(from: (0, bad), to: (1, 1)).distance.isNaN)
      #expect(Geodesic(from: (0, 0), to: (1, bad)).distance.isNaN)
    }
    #expect(Geodesic(from: (.nan, 0), to: (1, 1)).distance.isNaN)
  }

  @Test func theWayBackIsAsLongAndNoDetourIsMuchShorter() {
    var random = SplitMix64(seed: 41)
    for _ in 0..<20_000 {
      let (start, over, end) = (anywhere(&random), anywhere(&random), anywhere(&random))
      let direct = Geodesic(from: start, to: end).distance
      #expect(direct == Geodesic(from: end, to: start).distance)
      let detour =
        Geodesic(from: start, to: over).distance + Geodesic(from: over, to: end).distance
      #expect(direct <= 1.004 * detour)
    }
  }
}

struct LocalTangentPlaneTests {
  @Test func goldenPositionsAgreeToTenNanometres() throws {
    for row in try TestFiles.golden("positioning_tangent_plane.csv") {
      let plane = LocalTangentPlane(latitude: row[0], longitude: row[1])
      let position = plane.position(latitude: row[2], longitude: row[3])
      // Two roundings of an Earth radius in Double, 2·0.9 nm, and three products of them.
      #expect(abs(position.x - row[4]) < 1e-8 && abs(position.y - row[5]) < 1e-8, "\(row)")
    }
  }

  @Test func roundTripWithin20KilometresEverywhere() {
    var random = SplitMix64(seed: 1)
    let special: [(Double, Double)] = [
      (90, 0), (-90, 77), (89.999, -180), (0, 180), (12, -180), (-66, 179.999_999), (0, 0),
    ]
    for trial in 0..<20_000 {
      let (latitude, longitude) =
        trial < 7_000
        ? special[trial % special.count]
        : (random.nextUniform() * 180 - 90, random.nextUniform() * 360 - 180)
      let plane = LocalTangentPlane(latitude: latitude, longitude: longitude)
      let position = SIMD2(random.nextUniform() - 0.5, random.nextUniform() - 0.5) * 28_000
      let place = plane.geodetic(position)
      let back = plane.position(latitude: place.latitude, longitude: place.longitude)
      let error = ((back - position) * (back - position)).sum().squareRoot()
      // 10⁻⁹ degrees of latitude are 0.11 mm; the angles are rounded to 2·10⁻¹⁴ degrees (3 nm).
      #expect(error < 2e-8, "\(plane) \(position) \(error)")
      #expect(abs(place.latitude) <= 90 && place.longitude >= -180 && place.longitude < 180)
    }
  }

  @Test func northTurnsByTheConvergenceOfTheMeridians() {
    let latitude = 60.0
    let turned = LocalTangentPlane(latitude: latitude, longitude: 10)
      .rotate(SIMD2(0, 1), to: LocalTangentPlane(latitude: latitude, longitude: 10.1))
    // Between two points of one parallel the convergence is 2·atan(tan(Δλ/2)·sin φ).
    let angle = 2 * atan(tan(0.05 * .pi / 180) * sin(latitude * .pi / 180))
    #expect(abs(abs(atan2(turned.x, turned.y)) - angle) < 1e-12)
    // Further east the pole lies to the left of the old north.
    #expect(turned.x > 0)
  }

  @Test func convertedVelocityIsTheRateOfTheConvertedPosition() {
    for (latitude, longitude) in [(60.0, 10.0), (-45, 179.95), (89.9, -30)] {
      let first = LocalTangentPlane(latitude: latitude, longitude: longitude)
      let place = first.geodetic(SIMD2(9_000, -3_000))
      let second = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
      let (position, velocity) = (SIMD2(9_000.0, -3_000), SIMD2(20.0, 30))
      let before = first.convert(position: position - velocity, velocity: velocity, to: second)
      let after = first.convert(position: position + velocity, velocity: velocity, to: second)
      let rate = (after.position - before.position) / 2
      // Length over the slope of the first plane at 9.5 km: 36 m/s · 1.1·10⁻⁶.
      #expect(abs(rate.x - before.velocity.x) < 1e-4, "\(rate) \(before.velocity)")
      #expect(abs(rate.y - before.velocity.y) < 1e-4, "\(rate) \(before.velocity)")
    }
  }

  @Test func anyNumbersMakeAPlane() {
    let strange = [Double.nan, .infinity, -.infinity, 1e308, -1e9, 361, -90.000_001]
    for latitude in strange {
      for longitude in strange {
        let plane = LocalTangentPlane(latitude: latitude, longitude: longitude)
        let place = plane.geodetic(SIMD2(1e9, -1e9))
        #expect(place.latitude.isFinite && place.longitude.isFinite)
        #expect(abs(plane.latitude) <= 90 && plane.longitude >= -180 && plane.longitude < 180)
      }
    }
  }
}
