import Foundation
import LocomotionSensing
import TestSupport
import Testing

@Suite struct AccelerationTests {
  /// 1/3 g in Double is rounded once, to the nearest Float of the exact product.
  @Test(
    arguments: [
      ((0, 0, -1), (0, 0, 9.80665)), ((0.5, -0.25, 2), (-4.903325, 2.4516625, -19.6133)),
      ((-1.0 / 3, 0, 0), (Float(9.80665 / 3), 0, 0)),
    ] as [((Double, Double, Double), (Float, Float, Float))])
  func eachAppleAxisIsScaledByMinusStandardGravity(
    gravities: (Double, Double, Double), expected: (Float, Float, Float)
  ) {
    let found = Acceleration(appleGravitiesX: gravities.0, y: gravities.1, z: gravities.2)
    #expect(found == Acceleration(x: expected.0, y: expected.1, z: expected.2))
  }

  @Test func appleValuesThatAreNotFiniteStaySo() {
    let acceleration = Acceleration(appleGravitiesX: .nan, y: .infinity, z: -.infinity)
    #expect(acceleration.x.isNaN)
    #expect(acceleration.y == -.infinity)
    #expect(acceleration.z == .infinity)
  }
}

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
    let least = LocationFix(
      timestamp: Timestamp(nanoseconds: 0), latitude: 0, longitude: 0,
      horizontalAccuracy: .leastNonzeroMagnitude)
    #expect(least.horizontalAccuracy == .leastNonzeroMagnitude)
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

@Suite struct TimestampTests {
  @Test func secondsAreRoundedToTheNearestNanosecond() {
    #expect(Timestamp(seconds: 0)?.nanoseconds == 0)
    #expect(Timestamp(seconds: 1)?.nanoseconds == 1_000_000_000)
    #expect(Timestamp(seconds: -0.25)?.nanoseconds == -250_000_000)
    #expect(Timestamp(seconds: 0.4e-9)?.nanoseconds == 0)
    #expect(Timestamp(seconds: 0.6e-9)?.nanoseconds == 1)
    #expect(Timestamp(seconds: -0.6e-9)?.nanoseconds == -1)
    #expect(Timestamp(seconds: 0.999_999_999_7)?.nanoseconds == 1_000_000_000)
    #expect(Timestamp(seconds: -0.999_999_999_7)?.nanoseconds == -1_000_000_000)
  }

  @Test func secondsOnTheUnixClockAreExactToTheNanosecond() {
    // 1 763 596 800.125 s fits a Double; its product with 1e9 does not.
    #expect(Timestamp(seconds: 1_763_596_800.125)?.nanoseconds == 1_763_596_800_125_000_000)
    // The Double nearest to 1 763 596 800.1 s is 1 763 596 800.099999904632568359375 s.
    #expect(Timestamp(seconds: 1_763_596_800.1)?.nanoseconds == 1_763_596_800_099_999_905)
  }

  @Test func invalidSecondsGiveNil() {
    for seconds in [
      Double.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, 4_611_686_019, -4_611_686_019,
    ] {
      #expect(Timestamp(seconds: seconds) == nil, "\(seconds) s")
    }
  }

  @Test func secondsInsideTheLimitGiveAPlausibleInstant() throws {
    // 2^62 ns = 4 611 686 018.427 387 904 s; the Doubles around it are 2^-20 s apart.
    let inside = try #require(Timestamp(seconds: 4_611_686_018.427_386))
    #expect(inside.isPlausible)
    #expect(Timestamp(seconds: 4_611_686_018.427_386 + 0x1p-20) != nil)
    #expect(Timestamp(seconds: 4_611_686_018.427_386 + 0x1p-19) == nil)
    #expect(Timestamp(seconds: -4_611_686_018.427_386 - 0x1p-19) == nil)
  }

  @Test func onlyInstantsInsideTheLimitArePlausible() {
    for (nanoseconds, expected) in [
      (Int64.min, false), (-Timestamp.limit - 1, false), (-Timestamp.limit, false),
      (-Timestamp.limit + 1, true), (0, true), (Timestamp.limit - 1, true),
      (Timestamp.limit, false), (Timestamp.limit + 1, false), (Int64.max, false),
    ] {
      #expect(Timestamp(nanoseconds: nanoseconds).isPlausible == expected, "\(nanoseconds) ns")
    }
  }

  /// Differences of plausible instants fit 64 bits, others saturate.
  @Test(
    arguments: [
      (Timestamp.limit - 1, 1 - Timestamp.limit, .max - 1),
      (1 - Timestamp.limit, Timestamp.limit - 1, .min + 2), (.max, .min, .max), (.min, .max, .min),
      (0, .min, .max), (-1, .min, .max), (-2, .max, .min), (-1, .max, .min), (.max, .max, 0),
    ] as [(Int64, Int64, Int64)])
  func differencesSaturate(last: Int64, first: Int64, difference: Int64) {
    let (last, first) = (Timestamp(nanoseconds: last), Timestamp(nanoseconds: first))
    #expect(last.nanoseconds(since: first) == difference && last.seconds(since: first).isFinite)
  }

  @Test func advancingSaturates() {
    #expect(Timestamp(nanoseconds: .max).advanced(byNanoseconds: 1).nanoseconds == .max)
    #expect(Timestamp(nanoseconds: .min).advanced(byNanoseconds: -1).nanoseconds == .min)
    #expect(Timestamp(nanoseconds: .max).advanced(byNanoseconds: .min).nanoseconds == -1)
    #expect(Timestamp(nanoseconds: .min).advanced(byNanoseconds: .max).nanoseconds == -1)
    #expect(Timestamp(nanoseconds: 5).advanced(byNanoseconds: -7).nanoseconds == -2)
  }

  @Test func nanosecondsRoundTripThroughSecondsForFortyEightDays() {
    var generator = SplitMix64(seed: 1)
    let end: Int64 = (1 << 22) * 1_000_000_000
    for _ in 0..<100_000 {
      let timestamp = Timestamp(nanoseconds: .random(in: -end...end, using: &generator))
      #expect(Timestamp(seconds: timestamp.seconds) == timestamp)
    }
  }

  @Test func secondsOnTheUnixClockRoundTripThroughNanoseconds() throws {
    var generator = SplitMix64(seed: 2)
    for _ in 0..<100_000 {
      let seconds = Double.random(in: 8_388_608..<4_000_000_000, using: &generator)
      #expect(try #require(Timestamp(seconds: seconds)).seconds == seconds)
    }
  }

  @Test func secondsSinceAnInstantAreExactWhateverTheClocksZero() {
    let first = Timestamp(nanoseconds: 1_763_596_800_000_000_001)
    let last = Timestamp(nanoseconds: 1_763_596_801_500_000_001)
    #expect(last.seconds(since: first) == 1.5)
    #expect(first.seconds(since: last) == -1.5)
    #expect(Timestamp(nanoseconds: 3).seconds(since: Timestamp(nanoseconds: 0)) == 3e-9)
  }

  @Test(
    arguments: [
      (-21, -3, -2), (-20, -2, -2), (-1, -1, 0), (0, 0, 0), (1, 0, 1), (9, 0, 1), (10, 1, 1),
    ] as [(Int64, Int64, Int64)])
  func intervalsAreRoundedDownAlsoBeforeZero(nanoseconds: Int64, holding: Int64, next: Int64) {
    let timestamp = Timestamp(nanoseconds: nanoseconds)
    #expect(timestamp.interval(of: 10) == holding)
    #expect(timestamp.firstInterval(of: 10) == next)
  }

  @Test func everyInstantIsInAnInterval() {
    #expect(Timestamp(nanoseconds: .min).interval(of: 10) == Int64.min / 10 - 1)
    #expect(Timestamp(nanoseconds: .max).firstInterval(of: 10) == Int64.max / 10 + 1)
  }
}

/// What a statement refuses, and what it leaves out.
@Suite struct StatedIntervalTests {
  private let times = (Timestamp(nanoseconds: 1), Timestamp(nanoseconds: 2))

  private func interval(
    _ kind: StatedInterval.Kind, probability: Double? = nil, isReversed: Bool = false
  ) -> StatedInterval? {
    let (start, end) = isReversed ? (times.1, times.0) : times
    return StatedInterval(kind, from: start, to: end, source: "a", probability: probability)
  }

  @Test func whatIsImpossibleIsNoStatement() {
    let place = StatedInterval.Kind.visit(latitude: 50, longitude: 8, radius: 9)
    #expect(interval(place)?.isVisit == true && interval(place, isReversed: true) == nil)
    for (latitude, longitude) in [(91.0, 8.0), (.nan, 8), (50, .infinity), (50, 361)] {
      let place = StatedInterval.Kind.visit(
        latitude: latitude, longitude: longitude, radius: nil)
      #expect(interval(place) == nil)
    }
  }

  @Test(arguments: [-1.0, .nan, .infinity]) func whatIsInvalidIsNotTold(value: Double) {
    let visit = interval(
      .visit(latitude: 50, longitude: 8, radius: value), probability: value)
    #expect(visit?.kind == .visit(latitude: 50, longitude: 8, radius: nil))
    #expect(visit?.probability == nil)
    let walk = interval(.activity(name: "walking", distance: value), probability: 1.5)
    #expect(walk?.kind == .activity(name: "walking", distance: nil) && walk?.isVisit == false)
    #expect(walk?.probability == nil && interval(.activity(name: nil, distance: 0)) != nil)
  }
}

@Suite struct BisectionTests {
  private struct Refused: Error {}

  @Test func itIsTheFirstIndexOfTheSecondPartAtEveryLengthAndPlace() {
    for count in 0...33 {
      let values = Array(0..<count)
      for first in 0...count {
        #expect(values.partitioningIndex { $0 >= first } == first)
        #expect(values[(count / 3)...].partitioningIndex { $0 >= first } == max(first, count / 3))
      }
    }
  }

  @Test func itAsksAsOftenAsBitsOfTheLength() {
    for count in [1, 2, 1_000, 65_536] {
      var calls = 0
      _ = (0..<count).partitioningIndex { index in
        calls += 1
        return index > count / 3
      }
      #expect(calls <= Int.bitWidth - count.leadingZeroBitCount)
    }
  }
}
