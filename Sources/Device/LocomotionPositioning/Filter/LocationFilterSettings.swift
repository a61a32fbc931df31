extension LocationFilter {
  /// What the filter assumes about receivers and about motion.
  ///
  /// <doc:LocationFiltering> says where each default comes from.
  public struct Settings: Sendable {
    /// How a fix becomes a measurement with a covariance.
    public var measurement = Measurement()
    /// How a phone moves, and how it rests: the process noise of either hypothesis.
    public var motion = Motion()
    /// Which fixes are outliers, and for how long an estimate is good.
    public var gating = Gating()

    /// The defaults.
    public init() {}
  }
}

extension LocationFilter.Settings {
  /// How a fix becomes a measurement with a covariance.
  public struct Measurement: Sendable {
    /// Radius taken for a fix without accuracy, metres, until the track shows a larger one.
    ///
    /// One that has a course saw the sky and is given ``openSkyAccuracy``.
    static let missingAccuracy = 4.0
    /// The part of the claimed variance that is new with every fix; default 0.4.
    public var whiteFraction = 0.4
    /// The part that persists for ``errorMemory``; default 0.17.
    public var correlatedFraction = 0.17
    /// The part that persists for minutes, which no filter removes; default 0.3.
    ///
    /// It enters ``LocationEstimate/radius68`` only.
    public var offsetFraction = 0.3
    /// Seconds after which the correlated part has decayed to 1/e; default 40.
    public var errorMemory = 40.0
    /// The error's variance over the claimed one, per unit of what fixes and speeds differ by over
    /// two seconds; default 20.
    public var scalePerDifference = 20.0
    /// Seconds in which the velocity errors of a moving phone add up to the claimed variance;
    /// default 20.
    ///
    /// A velocity error that lasts for seconds leads the position away as a random walk does, and
    /// what spoils positions spoils velocities.
    public var randomWalkSpan = 20.0
    /// How fast they add up besides, m²/s per squared speed, s; default 0.03.
    ///
    /// Course and latency err by a part of the speed.
    public var randomWalkPerSpeed = 0.03
    /// Accuracy, metres, up to which speeds are as good as under open sky.
    ///
    /// Beyond it a speed at rest deviates more in proportion, up to ``largestSpeedNoiseScale``
    /// times.
    static let openSkyAccuracy = 6.0
    /// A speed of exactly 0 with an accuracy worse than this, metres, comes from a network and is
    /// taken as missing.
    static let staleZero = 25.0
    /// A speed below it, m/s, that comes without a course is evidence of rest.
    static let slowWithoutCourse = 1.5
    /// The smallest standard deviation of a Doppler velocity along one axis, m/s; default 0.3.
    public var velocityDeviation = 0.3
    /// How far a Doppler velocity trails the position, seconds; default 0.35.
    public var velocityLatency = 0.35
    /// How many times ``velocityDeviation`` a speed at rest deviates by at worst.
    static let largestSpeedNoiseScale = 1.5

    /// The defaults.
    public init() {}
  }

  /// How a phone moves, and how it rests: the process noise of either hypothesis.
  public struct Motion: Sendable {
    /// Spectral density of the white acceleration of a moving phone, m²/s³; default 1.
    public var accelerationDensity = 1.0
    /// By what it grows with the speed, m/s², where none was measured lately, for the braking and
    /// the turns that a receiver's speeds would have told of.
    static let accelerationPerSpeed = 0.5
    /// How long without a fix a velocity is extrapolated as it is, seconds.
    static let coasting = 12.0
    /// Standard deviation of the velocity along one axis of a moving phone of which nothing is
    /// known, m/s.
    static let unknownSpeed = 12.0
    /// Standard deviation of the velocity of a phone at rest, m/s per axis.
    static let speedAtRest = 0.03
    /// The speed of a pedestrian, m/s per axis, for telling a journey from a jump.
    static let pedestrianSpeed = 1.2
    /// How fast the position variance of a phone at rest grows, m²/s; default 0.002.
    public var restDrift = 0.002

    /// The defaults.
    public init() {}
  }

  /// Which fixes are outliers, and for how long an estimate is good.
  public struct Gating: Sendable {
    /// Squared normalised innovation beyond which a fix is an outlier; default 30.
    public var outlierGate = 30.0
    /// The same beyond which a fix ends, for its own step, a rest that positions alone have
    /// observed.
    static let restGate = 9.0
    /// After a gap this long, seconds, the filter starts again.
    static let restartGap = 1_800.0
    /// The age of the last fix, seconds, beyond which a speed is unknown, also at rest.
    static let oldestSpeed = 60.0

    /// The defaults.
    public init() {}
  }
}

/// How the hypotheses "moving" and "at rest" are weighed against each other.
enum Hypothesis {
  /// How long what was observed is remembered, seconds.
  ///
  /// So long a receiver that gave a speed, and keeps silent now, is taken to keep silent because
  /// the phone is at rest; so far back fixes without speeds are compared; so long after a
  /// relocation the filter may go back.
  static let memory = 120.0
  /// How often a phone at rest starts to move, and a moving one stops, 1/s.
  static let switchingRate = 1.0 / 150
  /// How often a phone stops that brakes, 1/s.
  static let brakingRate = 1.0 / 4
  /// How much more it must have been than that besides, m/s.
  static let brakingSpeed = 1.0
  /// The fraction of the acceleration's evidence for motion that counts.
  static let accelerationWeight = 0.45
  /// The same where no speed comes with the fix, as indoors, where phones are handled.
  static let handlingWeight = 0.1
  /// How much a speed counts that is no Doppler speed: each second repeats those before it.
  ///
  /// Of 0.1, 0.2, 0.4 and 1 all have 86 or 87 % of activities within 3 % of their devices' totals.
  static let derivedSpeedWeight = 0.2
  /// The most that the angle between a fix's velocity and those before it may say, as the
  /// concentration of a von Mises distribution.
  static let directionConcentration = 2.0
  /// The variance per axis, m²/s², at which the speed between two fixes tells a ride.
  static let historySpeedVariance = 0.5
  /// The same at which it tells a slow walk, which the fixes further back are asked for where those
  /// tell nothing.
  static let slowestHistoryVariance = 0.03
  /// How much they must tell, nats.
  static let historyDecision = 2.0
  /// How much such a speed counts: 1 is as if speeds without overlap alone told.
  static let historyWeight = 3.0
  /// The reported deviation, m, from which on a fix is coarse: from cells or networks, which give
  /// no speed to anybody.
  static let coarseDeviation = 200.0
  /// The probability of motion or rest that coarse fixes need for a decision.
  static let coarseThreshold = 0.85
}
