/// A rotation of space, by a unit quaternion.
package struct Rotation: Sendable {
  /// The vector, and the scalar last.
  private let quaternion: SIMD4<Double>

  /// The one that changes nothing.
  package static let identity = Rotation(quaternion: SIMD4(0, 0, 0, 1))

  private init(quaternion: SIMD4<Double>) { self.quaternion = quaternion }

  /// A uniformly distributed rotation (Shoemake 1992: a normal vector in four dimensions,
  /// normalised).
  package init(using generator: inout SplitMix64) {
    let vector = SIMD4(
      generator.nextNormal(), generator.nextNormal(), generator.nextNormal(),
      generator.nextNormal())
    quaternion = vector / (vector * vector).sum().squareRoot()
  }

  package func callAsFunction(_ v: SIMD3<Double>) -> SIMD3<Double> {
    // v + 2 q × (q × v + w v).
    let (q, w) = (SIMD3(quaternion.x, quaternion.y, quaternion.z), quaternion.w)
    return v + 2 * cross(q, cross(q, v) + w * v)
  }

  /// The same, rounded once at the end.
  package func callAsFunction(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3<Float>(self(SIMD3<Double>(vector)))
  }

  private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
