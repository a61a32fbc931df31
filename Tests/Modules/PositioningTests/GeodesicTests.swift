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

  @Test func aQuarterMeridianIsTenThousandKilometres() {
    // E(e²) of the ellipse: 10,001,965.729 m for WGS 84 (NIMA TR8350.2, table 3.3 to the metre).
    #expect(abs(Geodesic(from: (0, 17), to: (90, 17)).distance / 10_001_965.729 - 1) < 0.002)
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
