/// Specific force along the phone's three axes, in m/s².
///
/// Android's sign: a phone lying flat with its screen up reads z = +9.81. Apple reports the
/// opposite sign in units of standard gravity; see ``init(appleGravitiesX:y:z:)``.
public struct Acceleration: Equatable, Sendable {
  /// The component along each device axis, m/s².
  public var x, y, z: Float

  /// Specific force with the given components in m/s², Android's sign.
  public init(x: Float, y: Float, z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The same from `Double`s or other real numbers, rounded to `Float`.
  public init<Component: BinaryFloatingPoint>(x: Component, y: Component, z: Component) {
    self.init(x: Float(x), y: Float(y), z: Float(z))
  }

  /// Converts Apple's acceleration, in units of standard gravity and with Apple's sign.
  ///
  /// Each component is multiplied by −``standardGravity``.
  public init(appleGravitiesX x: Double, y: Double, z: Double) {
    self.x = Float(-x * Self.standardGravity)
    self.y = Float(-y * Self.standardGravity)
    self.z = Float(-z * Self.standardGravity)
  }

  /// Standard gravity, 9.80665 m/s² (BIPM, The International System of Units, 9th edition).
  public static let standardGravity = 9.80665
}
