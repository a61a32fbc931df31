/// What the accelerometer says about motion, in one plain value.
public struct AccelerationEvidence: Equatable, Sendable, StateElement {
  /// Root mean square of the acceleration without gravity over the last second, m/s².
  ///
  /// A phone on a table reads at most 0.03, held while standing 0.1 to 0.3, in a moving car 0.2 to
  /// 1, walking above 1.
  public var level: Float

  /// Evidence with the given level in m/s².
  public init(level: Float) {
    self.level = level
  }

  /// The level if it can be one, otherwise nil.
  var validLevel: Double? {
    level.isFinite && level >= 0 ? Double(level) : nil
  }

  package static let blank = AccelerationEvidence(level: 0)

  package mutating func pass(through archive: inout StateArchive) { archive.pass(&level) }
}
