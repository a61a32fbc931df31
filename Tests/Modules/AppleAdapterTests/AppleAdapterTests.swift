import AppleAdapters
import CoreLocation
import CoreMotion
import Foundation
import LocomotionSensing
import Testing

@Suite struct AppleMotionTests {
  static let boot = Timestamp(nanoseconds: 1_763_596_800_000_000_000)

  static func motion(
    gravity: CMAcceleration = .init(x: 0, y: 0, z: -1),
    user: CMAcceleration = .init(x: 0, y: 0, z: 0),
    rate: CMRotationRate = .init(x: 0, y: 0, z: 0), at seconds: Double = 0
  ) -> CMDeviceMotion {
    CMDeviceMotion(
      gravity: gravity, userAcceleration: user, rotationRate: rate, timestamp: seconds)
  }

  /// Axes keep their places and turn their sign: a flat phone reads plus one gravity on z.
  @Test(
    arguments: [
      (SIMD3(0, 0, -1), SIMD3(0, 0, 9.80665)),
      (SIMD3(1, -2, 0.5), SIMD3(-9.80665, 19.6133, -4.903325)),
    ] as [(SIMD3<Double>, SIMD3<Float>)])
  func accelerationsAreInAndroidsSign(gravities: SIMD3<Double>, expected: SIMD3<Float>) {
    var batch = SensorBatch()
    let reading = CMAcceleration(x: gravities.x, y: gravities.y, z: gravities.z)
    batch.append(CMAccelerometerData(acceleration: reading, timestamp: 0), bootTime: Self.boot)
    #expect(batch.rotationRates.count == 0 && batch.fixes.isEmpty)
    batch.append(Self.motion(gravity: reading), bootTime: Self.boot)
    #expect(batch.accelerations.x == [expected.x, expected.x])
    #expect(batch.accelerations.y == [expected.y, expected.y])
    #expect(batch.accelerations.z == [expected.z, expected.z])
  }

  @Test func aDeviceMotionAddsGravityAndUserAcceleration() {
    var batch = SensorBatch()
    batch.append(
      Self.motion(
        gravity: CMAcceleration(x: 0.5, y: 0, z: -0.75),
        user: CMAcceleration(x: 0.25, y: -0.5, z: -0.25)),
      bootTime: Self.boot)
    // Free fall reads zero.
    batch.append(Self.motion(user: CMAcceleration(x: 0, y: 0, z: 1)), bootTime: Self.boot)
    #expect(batch.accelerations.x == [Float(-0.75 * 9.80665), 0])
    #expect(batch.accelerations.y == [Float(0.5 * 9.80665), 0])
    #expect(batch.accelerations.z == [9.80665, 0])
  }

  @Test func rotationRatesAreTakenAsTheyAre() {
    var batch = SensorBatch()
    batch.append(
      Self.motion(rate: CMRotationRate(x: 0.1, y: -2, z: 30), at: 1), bootTime: Self.boot)
    #expect(batch.rotationRates.x == [0.1])
    #expect(batch.rotationRates.y == [-2])
    #expect(batch.rotationRates.z == [30])
    #expect(batch.rotationRates.timestamps == batch.accelerations.timestamps)
  }

  @Test func secondsSinceBootAreMovedOntoTheClockOfTheFixes() {
    var batch = SensorBatch()
    let flat = CMAcceleration(x: 0, y: 0, z: -1)
    for seconds in [0.0, 12.5, 86_400.000_000_001, -1] {
      batch.append(
        CMAccelerometerData(acceleration: flat, timestamp: seconds), bootTime: Self.boot)
    }
    #expect(
      batch.accelerations.timestamps.map { $0.nanoseconds(since: Self.boot) }
        == [0, 12_500_000_000, 86_400_000_000_001, -1_000_000_000])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e30])
  func aTimeThatIsNoneIsKeptAsImpossible(seconds: Double) {
    var batch = SensorBatch()
    let flat = CMAcceleration(x: 0, y: 0, z: -1)
    batch.append(CMAccelerometerData(acceleration: flat, timestamp: seconds), bootTime: Self.boot)
    batch.append(Self.motion(at: seconds), bootTime: Self.boot)
    #expect(batch.accelerations.count == 2)
    #expect(batch.rotationRates.count == 1)
    for series in [batch.accelerations, batch.rotationRates] {
      #expect(series.timestamps.allSatisfy { !$0.isPlausible })
    }
  }

  @Test func valuesThatAreNotFiniteReachTheBatch() {
    var batch = SensorBatch()
    let damaged = CMAcceleration(x: .nan, y: .infinity, z: -1)
    batch.append(CMAccelerometerData(acceleration: damaged, timestamp: 0), bootTime: Self.boot)
    #expect(batch.accelerations.x[0].isNaN)
    #expect(batch.accelerations.y == [-.infinity])
  }
}

@Suite struct AppleLocationTests {
  static func location(
    altitude: Double = 34, horizontalAccuracy: Double = 10, verticalAccuracy: Double = 4,
    course: Double = 90, courseAccuracy: Double = 5, speed: Double = 1.5,
    speedAccuracy: Double = 0.3, secondsSince1970 seconds: Double = 1_763_596_800.125
  ) -> CLLocation {
    CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 52.5, longitude: -13.25), altitude: altitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, course: course,
      courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
      timestamp: Date(timeIntervalSince1970: seconds))
  }

  @Test func validValuesAreTaken() throws {
    let fix = try #require(LocationFix(Self.location()))
    #expect(fix.timestamp.nanoseconds == 1_763_596_800_125_000_000)
    #expect([fix.latitude, fix.longitude] == [52.5, -13.25])
    #expect([fix.altitude, fix.speed, fix.course] == [34, 1.5, 90])
    #expect([fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy] == [4, 0.3, 5])
  }

  @Test func theRadiusHoldsSixtyEightPercentOfARayleighDistribution() throws {
    let fix = try #require(LocationFix(Self.location(horizontalAccuracy: 10)))
    let radius = try #require(fix.horizontalAccuracy)
    // A root mean square of 10 m in two dimensions: P(error <= r) = 1 - exp(-r^2 / 100).
    // which is to be the fraction of a normal variable within one deviation.
    #expect(abs(1 - exp(-radius * radius / 100) - erf(0.5.squareRoot())) < 1e-10)
  }

  @Test(arguments: [-1, -1e-300, Double.nan, -Double.infinity])
  func anInvalidPositionGivesNoFix(horizontalAccuracy: Double) {
    #expect(LocationFix(Self.location(horizontalAccuracy: horizontalAccuracy)) == nil)
  }

  @Test(arguments: [0, Double.infinity])
  func aPositionOfUnknownAccuracyIsKept(horizontalAccuracy: Double) throws {
    let fix = try #require(LocationFix(Self.location(horizontalAccuracy: horizontalAccuracy)))
    #expect(fix.latitude == 52.5)
    #expect(fix.horizontalAccuracy == nil)
  }

  @Test(arguments: [-1, Double.nan]) func aNegativeAccuracyMakesItsQuantityUnknown(
    accuracy: Double
  ) throws {
    let fix = try #require(
      LocationFix(
        Self.location(
          verticalAccuracy: accuracy, courseAccuracy: accuracy, speedAccuracy: accuracy)))
    #expect([fix.altitude, fix.course, fix.speed] == [nil, nil, nil])
    #expect([fix.verticalAccuracy, fix.courseAccuracy, fix.speedAccuracy] == [nil, nil, nil])
  }

  @Test func anAccuracyOfZeroVoidsTheAltitudeAlone() throws {
    let fix = try #require(
      LocationFix(
        Self.location(verticalAccuracy: 0, courseAccuracy: 0, speedAccuracy: 0)))
    #expect([fix.altitude, fix.speed, fix.course] == [nil, 1.5, 90])
    #expect([fix.speedAccuracy, fix.courseAccuracy] == [nil, nil])
  }

  @Test func aNegativeSpeedOrCourseIsUnknown() throws {
    let fix = try #require(LocationFix(Self.location(course: -1, speed: -1)))
    #expect(fix.speed == nil)
    #expect(fix.course == nil)
    #expect(fix.speedAccuracy == 0.3)
  }

  @Test(arguments: [Double.nan, .infinity, 1e18])
  func aDateThatIsNoInstantGivesNoFix(seconds: Double) {
    #expect(LocationFix(Self.location(secondsSince1970: seconds)) == nil)
  }

  @Test func motionAndLocationShareOneClock() throws {
    let fix = try #require(LocationFix(Self.location(secondsSince1970: 1_763_596_812.5)))
    var batch = SensorBatch()
    batch.append(AppleMotionTests.motion(at: 12.5), bootTime: AppleMotionTests.boot)
    #expect(batch.accelerations.timestamps == [fix.timestamp])
  }
}
