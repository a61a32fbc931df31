import TestSupport

/// A rotation of space.
struct Rotation {
  /// Unit quaternion, scalar last.
  private let quaternion: SIMD4<Double>

  /// A uniformly distributed rotation: a normal vector in four dimensions, normalised.
  init(using generator: inout SplitMix64) {
    let vector = SIMD4(
      generator.nextNormal(), generator.nextNormal(), generator.nextNormal(),
      generator.nextNormal())
    quaternion = vector / (vector * vector).sum().squareRoot()
  }

  func callAsFunction(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    // v + 2 q × (q × v + w v), rounded once at the end.
    let (q, w, v) = (
      SIMD3(quaternion.x, quaternion.y, quaternion.z), quaternion.w, SIMD3<Double>(vector)
    )
    return SIMD3<Float>(v + 2 * cross(q, cross(q, v) + w * v))
  }

  private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
