import LocomotionSensing
import Testing

@Suite struct AccelerationTests {
  @Test func aFlatApplePhoneReadsPlusOneGravityOnZ() {
    let acceleration = Acceleration(appleGravitiesX: 0, y: 0, z: -1)
    #expect(acceleration == Acceleration(x: 0, y: 0, z: 9.80665))
  }

  @Test func eachAppleAxisIsScaledByMinusStandardGravity() {
    let acceleration = Acceleration(appleGravitiesX: 0.5, y: -0.25, z: 2)
    #expect(acceleration == Acceleration(x: -4.903325, y: 2.4516625, z: -19.6133))
  }

  @Test func appleConversionRoundsOnce() {
    // 1/3 g in Double, then one rounding to Float: the nearest Float to the exact product.
    let acceleration = Acceleration(appleGravitiesX: -1.0 / 3, y: 0, z: 0)
    #expect(acceleration.x == Float(9.80665 / 3))
  }

  @Test func appleValuesThatAreNotFiniteStaySo() {
    let acceleration = Acceleration(appleGravitiesX: .nan, y: .infinity, z: -.infinity)
    #expect(acceleration.x.isNaN)
    #expect(acceleration.y == -.infinity)
    #expect(acceleration.z == .infinity)
  }

  @Test func axesKeepTheirOrder() {
    let acceleration = Acceleration(x: 1, y: 2, z: 3)
    #expect((acceleration.x, acceleration.y, acceleration.z) == (1, 2, 3))
    let rate = RotationRate(x: 4, y: 5, z: 6)
    #expect((rate.x, rate.y, rate.z) == (4, 5, 6))
  }
}
