extension LocationFilter {
  /// What the filter assumes about receivers and about motion.
  ///
  /// <doc:LocationFiltering> says where each default comes from.
  public struct Settings: Hashable, Sendable {
    /// How a fix becomes a measurement with a covariance.
    public var measurement = Measurement()
    /// How a receiver's accuracy is learned while it moves, and what a reported radius holds.
    package var accuracy = Accuracy()
    /// How a phone moves, and how it rests: the process noise of either hypothesis.
    public var motion = Motion()
    /// How the hypotheses "moving" and "at rest" are weighed against each other.
    package var hypothesis = Hypothesis()
    /// Which fixes are outliers, and for how long an estimate is good.
    public var gating = Gating()
    /// When fixes that contradict the estimate replace it, and what hindsight makes of that.
    package var relocation = Relocation()

    /// The defaults.
    public init() {}
  }
}

extension LocationFilter.Settings {
  /// How a fix becomes a measurement with a covariance.
  public struct Measurement: Hashable, Sendable {
    /// Radius taken for a fix without accuracy, metres, until the track shows a larger one; default
    /// 8.
    ///
    /// One that has a course saw the sky and is given ``openSkyAccuracy``.
    public var missingAccuracy = 8.0
    /// Fixes whose accuracy is worse, metres, are rejected; default 20,000.
    public var worstAccuracy = 20_000.0
    /// Accuracies below it, metres, are raised to it; default 3.
    public var bestAccuracy = 3.0
    /// What every reported accuracy is multiplied by, beside what is learned of the receiver.
    ///
    /// Default 1.05.
    public var accuracyInflation = 1.05
    /// The fraction of a fix's error variance that persists from fix to fix; default 0.3.
    public var correlatedFraction = 0.3
    /// Seconds after which that part has decayed to 1/e; default 20.
    public var errorMemory = 20.0
    /// Accuracy, metres, up to which speeds are as good as under open sky; default 6.
    ///
    /// Beyond it a speed at rest deviates more in proportion, up to ``largestSpeedNoiseScale``
    /// times.
    public var openSkyAccuracy = 6.0
    /// A speed of exactly 0 with an accuracy worse than this, metres, comes from a network and is
    /// taken as missing; default 25.
    public var staleZero = 25.0
    /// Speeds above it, m/s, are taken as missing; default 350.
    public var fastestSpeed = 350.0
    /// A speed below it, m/s, that comes without a course is evidence of rest; default 1.5.
    public var slowWithoutCourse = 1.5
    /// The smallest standard deviation of a Doppler velocity along one axis, m/s; default 0.3.
    public var velocityDeviation = 0.3
    /// Accuracy, metres, up to which velocities deviate by ``velocityDeviation``; default 15.
    ///
    /// Beyond it they deviate more, with its square: there services report the speed of a ride that
    /// they lost sight of.
    public var velocityAccuracy = 15.0
    /// Accuracy, metres, up to which the integral of the velocity errors spreads as
    /// ``Motion/randomWalkDensity`` says; default 20.
    ///
    /// Beyond it it spreads faster, with its third power.
    public var randomWalkAccuracy = 20.0
    /// Speed, m/s, from which on it does so; default 4.
    ///
    /// Below it it spreads more slowly in proportion: what latency and course errors add up to is a
    /// part of the way.
    public var randomWalkSpeed = 4.0
    /// The fraction of it that is left at least at low speeds; default 0.2.
    public var smallestRandomWalkFraction = 0.2
    /// How far a Doppler velocity trails the position, seconds; default 0.35.
    public var velocityLatency = 0.35
    /// Squared correlated fix error, in units of its variance, up to which velocities count
    /// in full; default 4.
    public var velocityInflationGate = 4.0
    /// How fast the variance of a velocity grows with that beyond ``velocityInflationGate``;
    /// default 1.
    public var velocityInflationRate = 1.0
    /// Standard deviation of the speed that receivers report at rest, m/s; default 0.35.
    public var speedDeviationAtRest = 0.35
    /// How many times ``speedDeviationAtRest`` is at worst; default 1.5.
    public var largestSpeedNoiseScale = 1.5
    /// Degrees of freedom of Student's t, by which fixes inside the gate are weighted; default 8.
    public var tailDegreesOfFreedom = 8.0
    /// How many of its own variances a measurement is worsened by at most, per unit of that weight;
    /// default 4.
    public var tailReach = 4.0

    /// The defaults.
    public init() {}
  }

  /// How a receiver's accuracy is learned while it moves, and what a reported radius holds.
  package struct Accuracy: Hashable, Sendable {
    /// The error over the reported one before anything was learned of a receiver; default 0.6.
    package var initialScale = 0.6
    /// The least that a reported accuracy is multiplied by; default 0.25.
    package var smallestScale = 0.25
    /// The same for a fix without a speed, of whose kind nothing is learned; default 0.8.
    package var smallestScaleWithoutSpeed = 0.8
    /// The most that a reported accuracy is multiplied by; default 6.
    package var largestScale = 6.0
    /// How many times worse than usual a reported accuracy is, beyond which it is not made smaller;
    /// default 4.
    package var scaleReach = 4.0
    /// Seconds over which fixes are compared with the Doppler speeds; default 8.
    package var scaleSpan = 8.0
    /// The squared error over what fixes differ by after that time, per unit of the growth of the
    /// differences between ``randomWalkSpan`` and ``scaleSpan``; default 1.5.
    ///
    /// Errors that still grow then are mostly unseen; errors that don't are all there is.
    package var scalePerGrowth = 1.5
    /// The least growth that counts; default 0.5.
    package var smallestGrowth = 0.5
    /// The largest growth that counts; default 6.
    package var largestGrowth = 6.0
    /// By how much a comparison changes the square of the scale; default 0.2.
    package var scaleStep = 0.2
    /// By how much three fixes without an accuracy change the square of what
    /// ``Measurement/missingAccuracy`` is multiplied by; default 0.1.
    package var missingStep = 0.1
    /// The error over the reported one of fixes beyond ``Hypothesis/coarseDeviation``; default 0.5.
    package var coarseScale = 0.5
    /// So many comparisons are averaged; default 70.
    package var scaleMemory = 70.0
    /// The least that is learned of it, m²/s; default 0.05.
    package var smallestRandomWalkDensity = 0.05
    /// The most that is learned of it, m²/s; default 8.
    package var largestRandomWalkDensity = 8.0
    /// Seconds after which fixes are first compared with the Doppler speeds; what they differ by
    /// more after ``scaleSpan`` is the speeds' error; default 2.
    package var randomWalkSpan = 2.0
    /// By how much a comparison changes the medians from which it is learned; default 0.08.
    package var randomWalkStep = 0.08
    /// How many times more fixes differ after ``scaleSpan`` by their own errors alone; default 4.
    package var randomWalkGrowth = 4.0
    /// The mean of those squares over their median; default 10.
    package var randomWalkPerMedian = 10.0
    /// The part of a reported variance that is an offset which stays for minutes, per unit of the
    /// growth of the differences between ``randomWalkSpan`` and ``scaleSpan``; default 0.05.
    ///
    /// It enters ``LocationEstimate/radius68`` only: no filter removes it.
    package var offsetPerGrowth = 0.05
    /// The least such part; default 0.05.
    package var smallestOffset = 0.05
    /// The largest such part; default 0.6.
    package var largestOffset = 0.6

    /// The defaults.
    package init() {}
  }

  /// How a phone moves, and how it rests: the process noise of either hypothesis.
  public struct Motion: Hashable, Sendable {
    /// Spectral density of the white acceleration of a moving phone, m²/s³; default 2.
    public var accelerationDensity = 2.0
    /// The same of a pedestrian, m²/s³; default 0.1.
    ///
    /// It applies to fixes without speeds, as long as they lie where a pedestrian may have come to.
    public var pedestrianAccelerationDensity = 0.1
    /// ``randomWalkDensity`` of a pedestrian without speeds, m²/s; default 0.05.
    public var pedestrianRandomWalkDensity = 0.05
    /// Squared normalised innovation up to which a fix lies there; default 6.
    public var pedestrianGate = 6.0
    /// The largest standard deviation of a fix, m per axis, that tells a pedestrian; default 10.
    public var pedestrianDeviation = 10.0
    /// The estimated speed, m/s, below which a track without speeds may be a pedestrian's;
    /// default 2.5.
    public var fastestPedestrian = 2.5
    /// How fast the integral of a receiver's velocity errors spreads under open sky, m²/s;
    /// default 0.8.
    ///
    /// A velocity error that lasts for seconds leads the position away as a random walk does.
    public var randomWalkDensity = 0.8
    /// How long without a fix a velocity is extrapolated as it is, seconds; default 12.
    public var coasting = 12.0
    /// Standard deviation of the velocity along one axis of a moving phone of which nothing is
    /// known, m/s; default 12.
    public var unknownSpeed = 12.0
    /// The speed of a pedestrian, m/s per axis, for telling a journey from a jump; default 1.2.
    public var pedestrianSpeed = 1.2
    /// How fast the position variance of a phone at rest grows, m²/s; default 0.002.
    public var restDrift = 0.002
    /// The same with a receiver that gives no speeds, and no accelerometer, m²/s; default 0.07.
    public var unobservedRestDrift = 0.07
    /// Standard deviation of the velocity of a phone at rest, m/s per axis; default 0.03.
    public var restSpeed = 0.03
    /// How many of its standard deviations the position of a phone at rest must have changed by
    /// before another one is reported; default 2.
    public var holdingDeviations = 2.0

    /// The defaults.
    public init() {}
  }

  /// How the hypotheses "moving" and "at rest" are weighed against each other.
  package struct Hypothesis: Hashable, Sendable {
    /// How often a phone at rest starts to move, 1/s; default 1/150.
    package var startingRate = 1.0 / 150
    /// How often a moving phone stops, 1/s; default 1/120.
    package var stoppingRate = 1.0 / 120
    /// The same while it brakes, 1/s; default 1/4.
    package var brakingRate = 1.0 / 4
    /// It brakes when the mean speed lately was more than so many times the speed now; default 1.5.
    package var brakingRatio = 1.5
    /// How much more it must have been than that besides, m/s; default 1.
    package var brakingSpeed = 1.0
    /// How sure of motion or rest the filter never is, so that it can change its mind within a
    /// second or two; default 0.003.
    package var probabilityFloor = 0.003
    /// The odds have changed sides when the probability passes 0.5 by this; default 0.02.
    package var hysteresis = 0.02
    /// The fraction of the acceleration's evidence for motion that counts; default 0.45.
    package var accelerationWeight = 0.45
    /// The same where no speed comes with the fix, as indoors, where phones are handled; default
    /// 0.1.
    package var handlingWeight = 0.1
    /// The fraction of its evidence for rest that counts; default 1.
    package var stillnessWeight = 1.0
    /// Fraction of wild speeds at rest per unit of a speed's noise beyond 1, as between buildings,
    /// where a reflection may pass for a few m/s; default 0.1.
    package var speedTail = 0.1
    /// Weight of a pedestrian's speeds, of 1.2 ± 0.4 m/s, among those of moving phones, s/m;
    /// default 0.4.
    package var walkWeight = 0.4
    /// The most that the angle between a fix's velocity and those before it may say, as the
    /// concentration of a von Mises distribution; default 2.
    package var directionConcentration = 2.0
    /// Seconds over which those velocities are averaged; default 4.
    package var meanVelocityMemory = 4.0
    /// Least time between the fixes that are kept to tell motion without speeds, seconds; default
    /// 4.
    package var historySpacing = 4.0
    /// Standard deviation of a fix, m per axis, from which on they are spread over the whole of
    /// ``historyLength``; default 50.
    package var historyDeviation = 50.0
    /// The oldest fix with which another is compared for that, seconds; default 120.
    package var historyLength = 120.0
    /// The variance per axis, m²/s², at which the speed between two fixes tells a ride; default
    /// 0.25.
    package var historySpeedVariance = 0.25
    /// The same at which it tells a slow walk, which the fixes further back are asked for where
    /// those tell nothing; default 0.03.
    package var slowestHistoryVariance = 0.03
    /// How much they must tell, nats; default 2.
    package var historyDecision = 2.0
    /// How much such a speed counts: 1 is as if speeds without overlap alone told; default 4.
    package var historyWeight = 4.0
    /// How long a receiver that gave a speed, and keeps silent now, is taken to keep silent because
    /// the phone is at rest, seconds; default 120.
    package var motionObservationMemory = 120.0
    /// The reported deviation, m, from which on a fix is coarse: from cells or networks, which give
    /// no speed to anybody; default 200.
    package var coarseDeviation = 200.0
    /// The acceleration level, m/s², up to which a phone with coarse fixes is at rest; default
    /// 0.02.
    ///
    /// A smooth train shakes a phone no more than a table with people about it.
    package var coarseStillness = 0.02
    /// The probability of motion or rest that coarse fixes need for a decision; default 0.85.
    package var coarseThreshold = 0.85
    /// Evidence for motion, nats, that a single far fix may give after a rest; default 1.
    package var firstJumpLimit = 1.0

    /// The defaults.
    package init() {}
  }

  /// Which fixes are outliers, and for how long an estimate is good.
  public struct Gating: Hashable, Sendable {
    /// Squared normalised innovation beyond which a fix is an outlier; default 30.
    public var outlierGate = 30.0
    /// Squared correlated fix error, in units of its variance, beyond which the receiver's speeds
    /// have led astray and its positions are outliers until they confirm one another; default 16.
    public var lostGate = 16.0
    /// The same beyond which a fix ends, for its own step, a rest that positions alone
    /// have observed; default 9.
    public var restGate = 9.0
    /// A fix further ahead than this, seconds, waits for a second one; default 86,400.
    public var suspiciousGap = 86_400.0
    /// After a gap this long, seconds, the filter starts again; default 1,800.
    public var restartGap = 1_800.0
    /// The age of the last fix, seconds, beyond which there is no estimate; default 1,800.
    public var oldestFix = 1_800.0
    /// The age of the last fix, seconds, beyond which a speed is unknown, also at rest; default 60.
    public var oldestSpeed = 60.0
    /// Distance from the plane's origin, metres, at which the plane is moved along; default 10,000.
    public var planeRadius = 10_000.0

    /// The defaults.
    public init() {}
  }

  /// When fixes that contradict the estimate replace it, and what hindsight makes of that.
  package struct Relocation: Hashable, Sendable {
    /// Outliers in a row that agree with one another before the filter relocates to them; default
    /// 3.
    package var count = 3
    /// The same where the fixes are far better than the estimate, or where their velocities lead
    /// from one to the other under open sky; default 2.
    package var confidentCount = 2
    /// The variance of the estimate over that of the fixes from which on they are far better;
    /// default 4.
    package var confidenceRatio = 4.0
    /// The distance, metres, that two fixes may lie off where their velocities lead, at once and
    /// per second between them; default 1.
    package var velocityAgreement = 1.0
    /// Seconds that those outliers must span; default 8.
    package var span = 8.0
    /// The same where every one of them claims
    /// ``LocationFilter/Settings/Measurement/openSkyAccuracy`` or better, seconds; default 3.
    package var spanInOpenSky = 3.0
    /// The same for a phone whose decision is "at rest", seconds; default 180.
    package var spanAtRest = 180.0
    /// Fixes in a row, on one new clock, before a clock that was set back is followed; default 3.
    package var clockRecoveryCount = 3
    /// Squared normalised innovation up to which a fix lies where the phone was expected before the
    /// last relocation; default 16.
    package var alternateGate = 16.0
    /// The least squared distance from there to where it is now, in variances of the fix against
    /// that expectation; default 9.
    package var alternateSeparation = 9.0
    /// How long after a relocation the filter may go back, seconds; default 120.
    package var alternateMemory = 120.0
    /// The longest drift, seconds, that hindsight replaces by a bridge; default 30.
    package var longestBridge = 30.0
    /// Squared normalised innovation, of position and velocity, at which it begins; default 3.
    package var bridgeGate = 3.0

    /// The defaults.
    package init() {}
  }
}
