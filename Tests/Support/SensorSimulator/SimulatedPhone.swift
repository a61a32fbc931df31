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
  /// The reported radius divided by the true 68 % one: 1 is calibrated, less is overconfident; 1 by
  /// default.
  public var accuracyScale = 1.0
  /// Deviation of the logarithm of the reported radius about the calibrated one; 0.15 by default.
  public var accuracySpread = 0.15
  /// The latency of the reported speed and course relative to the position, seconds; 0.3 by
  /// default.
  public var velocityLatency = 0.3
  /// Whether the first fix is an old one from elsewhere, as location services often send.
  public var sendsCachedFirstFix = false

  /// A phone with the default of every setting.
  public init() {}

  /// A phone whose accelerometer saturates at ±2 g.
  public static var narrowRange: SimulatedPhone {
    var phone = SimulatedPhone()
    phone.accelerationRange = 2 * 9.80665
    phone.accelerationStep = 4 * 9.80665 / 65_536
    return phone
  }
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

  /// One standard deviation of the position error per axis, metres.
  public var positionDeviation: Double {
    switch self {
    case .open: 2
    case .urban: 6
    case .indoor: 14
    case .tunnel: 25
    }
  }

  /// Seconds after which the error's autocorrelation has fallen to 1/e.
  public var errorTimeConstant: Double {
    switch self {
    case .open: 60
    case .urban: 40
    case .indoor: 120
    case .tunnel: 30
    }
  }

  /// One standard deviation of each horizontal component of the Doppler velocity, m/s.
  public var velocityDeviation: Double {
    switch self {
    case .open: 0.12
    case .urban: 0.35
    case .indoor, .tunnel: 0.5
    }
  }

  /// The probability that a fix which is due doesn't come.
  var missingFixProbability: Double {
    switch self {
    case .open: 0.002
    case .urban: 0.01
    case .indoor: 0.08
    case .tunnel: 1
    }
  }

  /// The probability that a fix at rest has no speed.
  var missingSpeedProbability: Double {
    switch self {
    case .open: 0.1
    case .urban: 0.2
    case .indoor, .tunnel: 0.6
    }
  }
}
