import Foundation

/// A rotation from the body's axes (forward, left, up) to the phone's.
struct Rotation: Sendable {
  /// (x, y, z, w), of length 1.
  var quaternion: SIMD4<Double>

  /// A rotation uniform over all rotations (Marsaglia 1972: four normals, normalised).
  init(_ random: inout RandomStream) {
    var value = SIMD4(random.normal(), random.normal(), random.normal(), random.normal())
    value /= (value * value).sum().squareRoot()
    quaternion = value
  }

  /// A rotation by the angles of a small vector, radians, exact to second order in the angle.
  init(vector: SIMD3<Double>) {
    let half = 0.5 * vector
    var value = SIMD4(half.x, half.y, half.z, 1)
    value /= (value * value).sum().squareRoot()
    quaternion = value
  }

  private init(quaternion: SIMD4<Double>) { self.quaternion = quaternion }

  /// The interpolation from `self` to `other`, linear in the quaternion and normalised.
  func blended(with other: Rotation, _ fraction: Double) -> Rotation {
    let near = (quaternion * other.quaternion).sum() < 0 ? -other.quaternion : other.quaternion
    let value = (1 - fraction) * quaternion + fraction * near
    let square = (value * value).sum()
    guard square > 1e-9 else { return fraction < 0.5 ? self : other }
    return Rotation(quaternion: value / square.squareRoot())
  }

  func callAsFunction(_ v: SIMD3<Double>) -> SIMD3<Double> {
    let u = SIMD3(quaternion.x, quaternion.y, quaternion.z)
    let t = 2 * cross(u, v)
    return v + quaternion.w * t + cross(u, t)
  }

  private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}

/// The carrying and the orientation of the phone at every instant.
struct CarryingPlan: Sendable {
  struct Change: Sendable {
    /// Seconds since the start.
    var time: Double
    var carrying: Carrying
    var rotation: Rotation
  }

  private(set) var changes: [Change] = []

  /// Seconds that a change takes.
  static let transition = 1.5

  init(_ scenario: Scenario, legStarts: [Int]) {
    var random = RandomStream(seed: scenario.seed, stream: 3)
    for (index, leg) in scenario.legs.enumerated() {
      let (start, end) = (Double(legStarts[index]), Double(legStarts[index + 1]))
      if changes.last?.carrying != leg.carrying {
        changes.append(
          Change(
            time: start, carrying: leg.carrying, rotation: Self.rotation(leg.carrying, &random)))
      }
      guard leg.handlingsPerHour > 0 else { continue }
      var time = start
      while true {
        time += -log(1 - random.uniform()) * 3600 / leg.handlingsPerHour
        let back = time + random.uniform(10...40)
        guard back + 10 < end else { break }
        changes.append(
          Change(time: time, carrying: .hand, rotation: Self.rotation(.hand, &random)))
        changes.append(
          Change(
            time: back, carrying: leg.carrying, rotation: Self.rotation(leg.carrying, &random)))
        time = back
      }
    }
  }

  /// On a table a phone lies on its back or face; elsewhere the orientation is uniform.
  private static func rotation(_ carrying: Carrying, _ random: inout RandomStream) -> Rotation {
    guard carrying == .table else { return Rotation(&random) }
    let lean = 0.01 * random.normal3()
    let flat = Rotation(vector: lean)
    return random.happens(0.8) ? flat : Rotation(vector: SIMD3(1e6, 0, 0))
  }
}
