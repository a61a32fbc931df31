import Foundation
import LocomotionSensing
import Testing

@Suite struct LocationFixTests {
  static let invalid: [Double?] = [
    nil, -1, -.leastNonzeroMagnitude, .nan, .signalingNaN, .infinity, -.infinity,
  ]

  @Test func validValuesAreKept() {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 7), latitude: 52.5, longitude: -13.4, altitude: -3.5,
      horizontalAccuracy: 4, verticalAccuracy: 6, speed: 1.25, speedAccuracy: 0.5, course: 271.5,
      courseAccuracy: 12)
    #expect(fix.timestamp.nanoseconds == 7)
    #expect([fix.latitude, fix.longitude] == [52.5, -13.4])
    #expect([fix.altitude, fix.speed, fix.course] == [-3.5, 1.25, 271.5])
    #expect(fix.accuracies == [4, 6, 0.5, 12])
  }

  @Test(arguments: invalid) func anInvalidValueBecomesNil(value: Double?) {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0,
      horizontalAccuracy: value, verticalAccuracy: value, speed: value, speedAccuracy: value,
      course: value, courseAccuracy: value)
    #expect(fix.accuracies + [fix.speed, fix.course] == Array(repeating: nil, count: 6))
  }

  @Test func zeroIsAValidSpeedAndCourseButNoValidAccuracy() {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0, altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: 0, speed: 0, speedAccuracy: 0, course: 0,
      courseAccuracy: 0)
    #expect([fix.altitude, fix.speed, fix.course] == [0, 0, 0])
    #expect(fix.accuracies == [nil, nil, nil, nil])
  }

  /// 10¹⁵ = 360 · 2 777 777 777 777 + 280.
  static let courses: [(Double, Double)] = [
    (0, 0), (359.5, 359.5), (360, 0), (725, 5), (360.25, 0.25), (1e15, 280),
  ]

  @Test(arguments: courses)
  func aCourseIsReducedToOneTurn(course: Double, expected: Double) {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0, course: course)
    #expect(fix.course == expected)
  }

  static let altitudes: [(Double, Bool)] = [
    (20_000, true), (-20_000, true), (-430.5, true), (20_000.0.nextDown, true),
    (20_000.0.nextUp, false), ((-20_000.0).nextDown, false), (.nan, false), (.infinity, false),
    (-.infinity, false),
  ]

  @Test(arguments: altitudes)
  func anAltitudeIsKeptWithinTwentyKilometres(altitude: Double, isKept: Bool) {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0, altitude: altitude)
    #expect(fix.altitude == (isKept ? altitude : nil))
  }

  @Test func theSmallestAccuracyIsKept() {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0,
      horizontalAccuracy: .leastNonzeroMagnitude)
    #expect(fix.horizontalAccuracy == .leastNonzeroMagnitude)
  }

  @Test func anImpossiblePositionIsLeftToTheFilter() {
    let fix = LocationFix(
      timestamp: Timestamp(nanoseconds: .max), latitude: 91, longitude: .infinity)
    #expect(fix.latitude == 91)
    #expect(fix.longitude == .infinity)
    #expect(fix.timestamp.nanoseconds == .max)
  }

  @Test func aFixIsCodable() throws {
    let full = LocationFix(
      timestamp: Timestamp(nanoseconds: 1_763_596_800_125_000_001), latitude: 52.123_456_789,
      longitude: -0.1, altitude: 34.2, horizontalAccuracy: 3.79, speed: 1.1, course: 359.999)
    let bare = LocationFix(timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0)
    for fix in [full, bare] {
      let stored = try JSONEncoder().encode(fix)
      #expect(try JSONDecoder().decode(LocationFix.self, from: stored) == fix)
    }
  }
}

extension LocationFix {
  /// Of the position, the altitude, the speed and the course.
  fileprivate var accuracies: [Double?] {
    [horizontalAccuracy, verticalAccuracy, speedAccuracy, courseAccuracy]
  }
}
