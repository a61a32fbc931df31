/// Angular velocity about the phone's three axes, in rad/s, right-handed.
///
/// Apple and Android agree on this sign.
public struct RotationRate: Equatable, Sendable {
  /// The rate about each device axis, rad/s.
  public var x, y, z: Float

  /// Angular velocity with the given components in rad/s.
  public init(x: Float, y: Float, z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The same from `Double`s or other real numbers, rounded to `Float`.
  public init<Component: BinaryFloatingPoint>(x: Component, y: Component, z: Component) {
    self.init(x: Float(x), y: Float(y), z: Float(z))
  }
}
