/// The simulated phone's sensors: rates, noise and ranges.
public struct SimulatedPhone: Sendable, Hashable {
  /// Accelerometer samples per second, Hz, 20 to 500; 100 by default.
  public var sampleRate = 100.0
  /// Deviation of the sampling times from the grid, in sampling intervals; 0.02 by default.
  public var samplingJitter = 0.02
  /// White noise of each acceleration, m/s²; 0.012 by default.
  public var accelerationNoise = 0.012
  /// One standard deviation of the constant offset of each axis, m/s²; 0.05 by default.
  public var accelerationOffset = 0.05
  /// One standard deviation of the gain error of each axis; 0.005 by default.
  public var accelerationGainError = 0.005
  /// The range of the accelerometer, beyond which it saturates, m/s²; ±8 g by default.
  public var accelerationRange = 8 * 9.80665
  /// The step between two values of an acceleration, m/s²; 16 bits over ±8 g by default.
  public var accelerationStep = 16 * 9.80665 / 65_536
  /// Whether rotation rates are delivered, one with each acceleration; false by default.
  public var hasGyroscope = false
  /// White noise of each rotation rate, rad/s; 0.003 by default.
  public var rotationNoise = 0.003

  /// Seconds between location fixes while the person is under way; 1 by default.
  public var fixInterval = 1.0
  /// Seconds between location fixes on a leg at rest; 1 by default.
  public var restFixInterval = 1.0
  /// Deviation of the logarithm of the reported radius about the calibrated one; 0.15 by default.
  public var accuracySpread = 0.15
  /// The latency of the reported speed and course relative to the position, seconds; 0.3 by
  /// default.
  public var velocityLatency = 0.3

  /// A phone with the default of every setting.
  public init() {}
}

/// The position of the phone on the person.
public enum Carrying: String, Sendable, Hashable, CaseIterable {
  /// Lying on a table, at rest but for the sensor's noise.
  case table
  /// In the hand: slow sway of the arm and a tremor.
  case hand
  /// In a trouser pocket: moves with one thigh.
  case pocket
  /// In a bag or a jacket: moves with the trunk.
  case bag
  /// In a holder fixed to a vehicle.
  case mount
}

/// The location service's view of the sky, which determines its errors.
public enum SkyView: String, Sendable, Hashable, CaseIterable {
  /// 2 m per axis, correlated over 60 s.
  case open
  /// Between buildings: 6 m per axis, correlated over 40 s.
  case urban
  /// Under a roof: 14 m per axis, correlated over 120 s.
  case indoor
  /// No fixes at all.
  case tunnel

  /// One standard deviation of the position error per axis, metres; the seconds after which the
  /// error's autocorrelation has fallen to 1/e; one standard deviation of each horizontal component
  /// of the Doppler velocity, m/s; the probability that a fix which is due doesn't come, and that
  /// one at rest has no speed.
  var errors:
    (
      position: Double, timeConstant: Double, velocity: Double, missingFix: Double,
      missingSpeed: Double
    )
  {
    switch self {
    case .open: (2, 60, 0.12, 0.002, 0.1)
    case .urban: (6, 40, 0.35, 0.01, 0.2)
    case .indoor: (14, 120, 0.5, 0.08, 0.6)
    case .tunnel: (25, 30, 0.5, 1, 0.6)
    }
  }
}
