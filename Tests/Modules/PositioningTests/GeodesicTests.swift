import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct GeodesicTests {
  private static let degree = Double.pi / 180
  /// WGS 84.
  private static let (a, f) = (6_378_137.0, 1 / 298.257223563)

  /// The difference of two courses, degrees, −180 to 180.
  private func difference(_ a: Double?, _ b: Double) -> Double {
    ((a ?? .nan) - b).remainder(dividingBy: 360)
  }

  private func anywhere(_ random: inout SplitMix64) -> (latitude: Double, longitude: Double) {
    (asin(2 * random.nextUniform() - 1) / Self.degree, 360 * random.nextUniform() - 180)
  }

  // MARK: Another implementation

  @Test func goldenDistancesAgreeTo20Nanometres() throws {
    for row in try TestFiles.golden("geodesic.csv") {
      let geodesic = Geodesic(from: (row[0], row[1]), to: (row[2], row[3]))
      // Three roundings at the Earth's half circumference, 3.7 nm each, in either program; for what
      // is short those of a sine, 0.7 nm.
      let error = abs(geodesic.distance - row[4])
      #expect(error < (row[4] < 1_000 ? 2e-9 : 2e-8), "\(row) \(geodesic)")
    }
  }

  @Test func goldenCoursesPointAtTheSamePlace() throws {
    for row in try TestFiles.golden("geodesic.csv") {
      let geodesic = Geodesic(from: (row[0], row[1]), to: (row[2], row[3]))
      guard row[4] > 0 else {
        #expect(geodesic.initialCourse == nil && geodesic.finalCourse == nil, "\(row)")
        continue
      }
      // How far aside of the end one would arrive; opposite ends forgive a course.
      let arm = min(row[4], 20_003_931.458_7 - row[4]) * Self.degree
      let departure = abs(difference(geodesic.initialCourse, row[5])) * arm
      let arrival = abs(difference(geodesic.finalCourse, row[6])) * arm
      #expect(departure < 3e-7 && arrival < 3e-7, "\(row) \(geodesic)")
    }
  }

  // MARK: Closed forms

  @Test func aQuarterMeridianIsTenThousandKilometres() {
    // E(e²) of the ellipse: 10,001,965.729 m for WGS 84 (NIMA TR8350.2, table 3.3 to the metre).
    let geodesic = Geodesic(from: (0, 17), to: (90, 17))
    #expect(abs(geodesic.distance - 10_001_965.729_312_7) < 1e-6)
    #expect(geodesic.initialCourse == 0 && geodesic.finalCourse == 0)
  }

  @Test func theEquatorIsACircleUntilTheEndsAreNearlyOpposite() {
    for longitude in [1e-6, 1, 90, 179, 179.396] {
      let geodesic = Geodesic(from: (0, 0), to: (0, longitude))
      #expect(abs(geodesic.distance - Self.a * longitude * Self.degree) < 1e-8)
      #expect(geodesic.initialCourse == 90 && geodesic.finalCourse == 90)
    }
    // Beyond (1 − f)·180° the way over the poles is shorter.
    let opposite = Geodesic(from: (0, 0), to: (0, 180))
    #expect(abs(opposite.distance - 2 * 10_001_965.729_312_7) < 1e-6)
    #expect(Geodesic(from: (0, 0), to: (0, 179.9)).distance < Self.a * 179.9 * Self.degree)
  }

  @Test func courseAt60DegreesNorthKnowsThatMeridiansConverge() {
    // A degree of longitude is half a degree of latitude there: north-east is not (1°, 1°).
    let geodesic = Geodesic(from: (60, 10), to: (60.001, 10.001))
    let φ = 60.000_5 * Self.degree
    let w = (1 - Self.f * (2 - Self.f) * sin(φ) * sin(φ))
    let north = Self.a * (1 - Self.f * (2 - Self.f)) / (w * w.squareRoot())
    let east = Self.a / w.squareRoot() * cos(φ)
    let middle = atan2(east, north) / Self.degree
    // The meridians converge by Δλ·sin φ, of which half has been turned at the middle.
    let turned = 0.001 * sin(φ) / 2
    #expect(abs(difference(geodesic.initialCourse, middle - turned)) < 1e-7)
    #expect(abs(difference(geodesic.finalCourse, middle + turned)) < 1e-7)
    #expect(middle > 26.5 && middle < 26.7)
    // The great ellipse between points of one parallel begins north of east.
    let along = Geodesic(from: (60, 10), to: (60, 40))
    #expect(along.initialCourse.map { $0 > 76.9 && $0 < 77 } ?? false)
  }

  @Test(arguments: [-1.0, 1])
  func fromAPoleTheCourseIsGivenByTheMeridians(pole: Double) {
    for longitude in stride(from: -170.0, through: 170, by: 20) {
      let geodesic = Geodesic(from: (90 * pole, 25), to: (80 * pole, longitude))
      // From the north pole, facing south along 25°, a greater longitude lies to the left.
      let expected = pole > 0 ? 180 - (longitude - 25) : longitude - 25
      #expect(abs(difference(geodesic.initialCourse, expected)) < 1e-12)
      #expect(abs(difference(geodesic.finalCourse, pole > 0 ? 180 : 0)) < 1e-12)
    }
    #expect(Geodesic(from: (90 * pole, 3), to: (90 * pole, -140)).distance < 1e-9)
  }

  @Test func theAntimeridianIsNoEdge() {
    let there = Geodesic(from: (10, 179.9), to: (10.3, -179.9))
    let elsewhere = Geodesic(from: (10, 19.9), to: (10.3, 20.1))
    #expect(abs(there.distance - elsewhere.distance) < 1e-7)
    #expect(abs(difference(there.initialCourse, elsewhere.initialCourse ?? .nan)) < 1e-10)
    #expect(Geodesic(from: (5, -180), to: (5, 180)).distance == 0)
  }

  @Test func fullTurnsOfLongitudeChangeNothing() {
    let geodesic = Geodesic(from: (48, 11), to: (-20, -130))
    for turns in [-720.0, -360, 360, 1_080] {
      let turned = Geodesic(from: (48, 11 + turns), to: (-20, -130 - turns))
      #expect(turned == geodesic)
    }
  }

  @Test func whatIsNotOnEarthIsTakenAsThePoleOrIsNotANumber() {
    #expect(Geodesic(from: (91, 0), to: (0, 0)) == Geodesic(from: (90, 0), to: (0, 0)))
    for bad in [Double.nan, .infinity, -.infinity] {
      let ways = [
        Geodesic(from: (bad, 0), to: (1, 1)), Geodesic(from: (0, bad), to: (1, 1)),
        Geodesic(from: (0, 0), to: (bad, 1)), Geodesic(from: (0, 0), to: (1, bad)),
      ]
      #expect(ways.allSatisfy { $0.distance.isNaN && $0.initialCourse == nil })
    }
  }

  // MARK: Properties

  @Test func theWayBackIsAsLongAndLeadsBack() {
    var random = SplitMix64(seed: 41)
    for _ in 0..<20_000 {
      let (start, end) = (anywhere(&random), anywhere(&random))
      let (there, back) = (Geodesic(from: start, to: end), Geodesic(from: end, to: start))
      #expect(there.distance == back.distance)
      let arm = min(there.distance, 20_003_931 - there.distance) * Self.degree
      #expect(abs(difference(there.initialCourse, (back.finalCourse ?? 0) + 180)) * arm < 1e-7)
    }
  }

  @Test func mirroringInTheEquatorMirrorsTheCourse() {
    var random = SplitMix64(seed: 42)
    for _ in 0..<5_000 {
      let (start, end) = (anywhere(&random), anywhere(&random))
      let geodesic = Geodesic(from: start, to: end)
      let mirrored = Geodesic(
        from: (-start.latitude, start.longitude), to: (-end.latitude, end.longitude))
      #expect(abs(geodesic.distance - mirrored.distance) < 1e-8)
      let arm = min(geodesic.distance, 20_003_931 - geodesic.distance) * Self.degree
      #expect(
        abs(difference(mirrored.initialCourse, 180 - (geodesic.initialCourse ?? 0))) * arm < 1e-7)
    }
  }

  @Test func noDetourIsShorter() {
    var random = SplitMix64(seed: 43)
    for _ in 0..<20_000 {
      let (start, over, end) = (anywhere(&random), anywhere(&random), anywhere(&random))
      let direct = Geodesic(from: start, to: end).distance
      let detour =
        Geodesic(from: start, to: over).distance + Geodesic(from: over, to: end).distance
      #expect(direct <= detour + 2e-8)
      #expect(direct <= 20_003_931.458_63)
    }
  }

  @Test func shortDistancesAgreeWithTheChord() {
    var random = SplitMix64(seed: 44)
    for _ in 0..<20_000 {
      let start = anywhere(&random)
      let plane = LocalTangentPlane(latitude: start.latitude, longitude: start.longitude)
      let size = exp(log(1e-3) + random.nextUniform() * log(1e7))
      let angle = 2 * Double.pi * random.nextUniform()
      let end = plane.geodetic(SIMD2(size * sin(angle), size * cos(angle)))
      let geodesic = Geodesic(from: start, to: end)
      let chord = self.chord(start, end)
      // An arc exceeds its chord by d³/24R², R between 6,335 and 6,400 km.
      let (least, most) = (
        pow(chord, 3) / (24 * pow(6.4e6, 2)), pow(chord, 3) / (24 * pow(6.335e6, 2))
      )
      #expect(
        geodesic.distance >= chord + least - 2e-8
          && geodesic.distance <= chord + most * 1.001 + 2e-8)
    }
  }

  @Test func shortWaysLeadWhereTheTangentPlaneSays() {
    var random = SplitMix64(seed: 45)
    for _ in 0..<5_000 {
      let start = anywhere(&random)
      guard abs(start.latitude) < 89.9 else { continue }
      let plane = LocalTangentPlane(latitude: start.latitude, longitude: start.longitude)
      let angle = 360 * random.nextUniform()
      let end = plane.geodetic(SIMD2(sin(angle * Self.degree), cos(angle * Self.degree)) * 1_000)
      // A normal section and the geodesic part by e²·s²/12N²·sin 2α·cos²φ: 1.4·10⁻¹¹ rad; the rest
      // is rounding, 8 nm in 1 km.
      let geodesic = Geodesic(from: start, to: end)
      #expect(abs(difference(geodesic.initialCourse, angle)) * Self.degree < 5e-11)
    }
  }

  @Test func aHalfwayPointHalvesTheWay() {
    // By the sum of both halves' lengths: a point that is found by bisecting the latitude at which
    // the course from the start is the way's own.
    let geodesic = Geodesic(from: (-33.86, 151.21), to: (37.42, -122.09))
    var (low, high) = (-33.86, 37.42)
    for _ in 0..<60 {
      let latitude = (low + high) / 2
      var (west, east) = (151.21, 237.91)
      for _ in 0..<60 {
        let longitude = (west + east) / 2
        let part = Geodesic(from: (-33.86, 151.21), to: (latitude, longitude))
        if part.initialCourse ?? 0 < geodesic.initialCourse ?? 0 {
          west = longitude
        } else {
          east = longitude
        }
      }
      let first = Geodesic(from: (-33.86, 151.21), to: (latitude, (west + east) / 2)).distance
      let second = Geodesic(from: (latitude, (west + east) / 2), to: (37.42, -122.09)).distance
      #expect(abs(first + second - geodesic.distance) < 1e-6)
      if first < second { low = latitude } else { high = latitude }
    }
  }

  private func chord(
    _ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double)
  ) -> Double {
    let d = centred(a) - centred(b)
    return (d * d).sum().squareRoot()
  }

  /// Earth-centred coordinates, through the reduced latitude.
  private func centred(_ p: (latitude: Double, longitude: Double)) -> SIMD3<Double> {
    let (φ, λ) = (p.latitude * Self.degree, p.longitude * Self.degree)
    let (y, x) = ((1 - Self.f) * sin(φ), cos(φ))
    let n = (x * x + y * y).squareRoot()
    return SIMD3(
      Self.a * x / n * cos(λ), Self.a * x / n * sin(λ), Self.a * (1 - Self.f) * y / n)
  }
}
