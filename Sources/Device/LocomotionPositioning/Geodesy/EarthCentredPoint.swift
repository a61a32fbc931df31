package import LocomotionSensing

/// A position on the Earth with the variance of its error along one axis.
package struct EarthCentredPoint: Sendable, StateElement {
  /// Earth-centred, metres.
  package var position: SIMD3<Double>
  /// The variance along one axis by the receiver's claim, m²; nil without a claim.
  package var variance: Double?

  /// A point from its parts.
  package init(position: SIMD3<Double>, variance: Double?) {
    self.position = position
    self.variance = variance
  }

  /// The position of a fix; nil when it isn't on the Earth.
  package init?(_ fix: LocationFix) {
    guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 360 else { return nil }
    self.init(
      position: WGS84.earthCentred(latitude: fix.latitude, longitude: fix.longitude),
      accuracy: fix.horizontalAccuracy)
  }

  /// A position with the accuracy that a receiver claims, metres.
  init(position: SIMD3<Double>, accuracy: Double?) {
    let accuracy = accuracy.flatMap { $0 > 0 && $0 <= 1e7 ? $0 : nil }
    self.init(position: position, variance: accuracy.map { $0 * $0 / Self.squaredRadius68 })
  }

  /// The variance along one axis of a fix that claims none, m².
  package static let unclaimedVariance = 144.0

  /// The variance of the error along one axis, m², of a usual fix where there is no claim.
  package var errorVariance: Double { variance ?? Self.unclaimedVariance }

  /// The squared radius that holds 0.68 of a circular normal distribution, over the variance along
  /// one axis: P(r < k·sd) = 1 − exp(−k²/2).
  package static let squaredRadius68 = 2.279

  /// The great-circle distance to another point, metres: that of the chord on a sphere.
  package func distance(to other: EarthCentredPoint) -> Double {
    arcLength(ofChord: other.position - position)
  }

  package static let blank = EarthCentredPoint(position: .zero, variance: nil)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&position, &variance)
  }
}
