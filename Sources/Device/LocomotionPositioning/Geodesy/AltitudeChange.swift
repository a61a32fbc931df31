/// What was climbed and descended, with the variance of its error, and between which altitudes.
public struct AltitudeChange: Equatable, Sendable, StateElement {
  /// An altitude with its error.
  public struct Level: Equatable, Sendable, StateElement {
    /// Metres above the datum of the fixes.
    public var altitude: Double
    /// One standard deviation of ``altitude``, metres.
    public var deviation: Double

    /// A level from its parts.
    public init(altitude: Double, deviation: Double) {
      self.altitude = altitude
      self.deviation = deviation
    }

    package static let blank = AltitudeChange.Level(altitude: 0, deviation: 0)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&altitude, &deviation)
    }
  }

  /// Metres up and down, neither negative.
  public var climb = 0.0, descent = 0.0
  /// The variance of each, m², but for the error of the scale and what is not resolved.
  public var climbVariance = 0.0, descentVariance = 0.0
  /// What is lower than this, metres, does not count as a climb or a descent.
  public var resolution = 0.0
  /// Metres that depend on what counts as a climb.
  ///
  /// At the turning points, by the resolution, and between fixes that are far apart: it does not
  /// average out.
  public var ambiguity = 0.0
  /// The highest and the lowest altitude; nil where none was known.
  public var highest: Level?, lowest: Level?

  /// One standard deviation of the scale: air that is 10 °C warmer or colder than the standard
  /// atmosphere makes a climb 3.5 per cent longer or shorter.
  static let scaleDeviation = 0.03

  /// No change.
  public init() {}

  /// One standard deviation of ``climb``, metres.
  public var climbDeviation: Double { deviation(climb, climbVariance) }

  /// One standard deviation of ``descent``, metres.
  public var descentDeviation: Double { deviation(descent, descentVariance) }

  /// The part of the change that is on a fraction of its way; the levels are those of the whole.
  package func scaled(by fraction: Double) -> AltitudeChange {
    var part = self
    part.climb *= fraction
    part.descent *= fraction
    part.climbVariance *= fraction
    part.descentVariance *= fraction
    part.ambiguity *= fraction
    return part
  }

  /// Adds a change that follows.
  public static func += (sum: inout AltitudeChange, next: AltitudeChange) {
    sum.climb += next.climb
    sum.descent += next.descent
    sum.climbVariance += next.climbVariance
    sum.descentVariance += next.descentVariance
    sum.resolution = max(sum.resolution, next.resolution)
    sum.ambiguity += next.ambiguity
    if let level = next.highest, sum.highest.map({ $0.altitude < level.altitude }) ?? true {
      sum.highest = level
    }
    if let level = next.lowest, sum.lowest.map({ $0.altitude > level.altitude }) ?? true {
      sum.lowest = level
    }
  }

  private func deviation(_ metres: Double, _ variance: Double) -> Double {
    let scale = Self.scaleDeviation * metres
    return (variance + scale * scale + resolution * resolution + ambiguity * ambiguity)
      .squareRoot()
  }

  package static let blank = AltitudeChange()

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&climb, &descent, &climbVariance, &descentVariance, &resolution)
    archive.pass(&ambiguity, &highest, &lowest)
  }
}
