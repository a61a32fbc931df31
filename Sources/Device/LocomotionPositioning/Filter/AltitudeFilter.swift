internal import CLocomotionMath

/// How high the phone is, from the altitudes of fixes and, where the phone has a barometer, from
/// the pressure of the air.
///
/// A Kalman filter of altitude, climb rate and the barometer's offset, apart from the horizontal
/// one: receivers err differently upwards, and a phone at rest on the map may stand in a lift. The
/// climb rate reverts to zero (an Ornstein–Uhlenbeck process, Bar-Shalom, Li and Kirubarajan 2001,
/// section 8.2).
///
/// A pressure is an altitude in the standard atmosphere (ICAO Doc 7488): good to decimetres from
/// one second to the next, and off by tens of metres for as long as the weather lasts. The offset
/// is a random walk that the altitudes of the fixes observe. Without a pressure it takes no part.
///
/// Altitudes count less the worse they fit (Student's t), and after several in a row that do not
/// fit at all it starts again from the newest. Without a barometer it changes little on good
/// receivers: their altitudes are smooth already.
///
/// How steady altitudes are the track itself shows (see ``Estimate/shortTermDeviation``): those of
/// a watch with a barometer come without a claim, and are to be believed to decimetres from one to
/// the next.
///
/// - Complexity: O(1) per altitude and pressure, without allocation.
public struct AltitudeFilter: Sendable, StateArchivable {
  /// Where a fix has no vertical accuracy, its deviation over the horizontal one along one axis, as
  /// satellites are seen on all sides but only above.
  fileprivate static let verticalPerHorizontal = 1.5
  /// The deviation taken for an altitude with neither accuracy, metres.
  fileprivate static let missingDeviation = 15.0
  /// Squared normalised innovation beyond which an altitude is an outlier.
  fileprivate static let outlierGate = 25.0
  /// Outliers in a row after which the filter starts from the newest.
  fileprivate static let patience = 5
  /// The age of the last altitude, seconds, beyond which there is no estimate and the next one
  /// starts anew.
  fileprivate static let oldestAltitude = 300.0
  /// One standard deviation of a second's mean pressure, as an altitude, metres: noise, wind and
  /// ventilation.
  fileprivate static let pressureDeviation = 0.4
  /// One standard deviation of the altitude that the standard atmosphere gives, metres, as the
  /// pressure at sea level varies by 10 hPa.
  fileprivate static let weatherDeviation = 85.0
  /// How fast the weather moves the barometer's offset, m²/s, half a hectopascal in an hour.
  fileprivate static let weatherDensity = 0.005
  /// The variance of the offset, m², that a metre of climb adds, as air that is warmer or colder
  /// than the standard's makes it a few per cent longer.
  fileprivate static let offsetVariancePerClimb = 0.3
  /// Seconds for which the error of a fix's altitude lasts.
  static let errorMemory = 60.0
  /// The least part of a claimed deviation that ``Estimate/shortTermDeviation`` is, as an error
  /// that changes slowly leaves no trace in a track.
  fileprivate static let leastShortTermPerClaim = 0.5
  /// The least deviation, metres, taken for an altitude without a claim in a steady track, as files
  /// round to 0.2 or 1 m.
  fileprivate static let steadyDeviation = 0.5
  /// The age of the last pressure, seconds, up to which it tells of climbs.
  fileprivate static let oldestPressure = 10.0

  /// What the filter assumes.
  public struct Settings: Sendable {
    /// Spectral density of the white vertical acceleration, m²/s³; default 0.5.
    public var accelerationDensity = 0.5
    /// Seconds after which a climb rate has reverted to 1/e; default 30.
    public var climbMemory = 30.0
    /// The part of an altitude's error variance that no averaging removes; default 0.2.
    public var persistentFraction = 0.2
    /// Degrees of freedom of Student's t; default 8.
    public var tailDegreesOfFreedom = 8.0

    /// The defaults.
    public init() {}
  }

  /// What is known of the altitude at an instant.
  public struct Estimate: Equatable, Sendable, StateElement {
    /// Metres, above the datum of the fixes; of the standard atmosphere, while no fix had one.
    public var altitude: Double
    /// One standard deviation of ``altitude``, metres.
    public var deviation: Double
    /// How fast it rises, m/s.
    public var climbRate: Double
    /// The altitude in the standard atmosphere, metres: off by what the weather does, and so of use
    /// for differences only, which it gives to decimetres; nil without a barometer.
    public var barometricAltitude: Double?
    /// One standard deviation of what comes and goes in the error of ``altitude`` within minutes,
    /// metres: what matters for climbs.
    ///
    /// By the track itself, and no less than half of what the receiver claims where it does.
    public var shortTermDeviation: Double

    /// An estimate from its parts; all of its error comes and goes where no `shortTermDeviation` is
    /// given.
    public init(
      altitude: Double, deviation: Double, climbRate: Double, barometricAltitude: Double? = nil,
      shortTermDeviation: Double? = nil
    ) {
      self.altitude = altitude
      self.deviation = deviation
      self.climbRate = climbRate
      self.barometricAltitude = barometricAltitude
      self.shortTermDeviation = shortTermDeviation ?? deviation
    }

    package static let blank = AltitudeFilter.Estimate(altitude: 0, deviation: 1, climbRate: 0)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&altitude, &deviation, &climbRate, &barometricAltitude, &shortTermDeviation)
    }
  }

  fileprivate struct State: Sendable, StateElement {
    var timestamp: Timestamp
    /// The offset is the barometric altitude less the true one, metres.
    var altitude, climbRate, offset: Double
    /// Variances and covariances of the three.
    var aa, ac, cc, ao, co, oo: Double
    /// The variance of the newest altitude that was used, m².
    var measured: Double
    /// Its deviation as the receiver claims it, metres; 0 when it claims none.
    var claimed = 0.0
    /// When an altitude and a pressure were last used.
    var lastAltitude, lastPressure: Timestamp?

    fileprivate static let blank = AltitudeFilter.State(
      timestamp: .blank, altitude: 0, climbRate: 0, offset: 0, aa: 1, ac: 0, cc: 1, ao: 0, co: 0,
      oo: 1, measured: 1, lastAltitude: nil, lastPressure: nil)

    fileprivate mutating func pass(through archive: inout StateArchive) {
      archive.pass(&timestamp, &altitude, &climbRate, &offset, &aa)
      archive.pass(&ac, &cc, &ao, &co, &oo)
      archive.pass(&measured, &claimed, &lastAltitude, &lastPressure)
    }
  }

  /// What the filter assumes.
  public let settings: Settings
  private var state: State?
  private var noise = AltitudeNoise()
  private var outliers = 0
  private var pressureOutliers = 0
  /// The last pressure, as an altitude in the standard atmosphere, metres.
  private var reading: Reading?

  /// An altitude, metres, at a time.
  struct Reading: Sendable, StateElement {
    var time: Timestamp
    var altitude: Double

    static let blank = Reading(time: .blank, altitude: 0)

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&time, &altitude)
    }
  }

  /// A filter before its first altitude.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Takes in a fix; one without altitude, or not later than the last one, changes nothing.
  ///
  /// After a clock that was set back by more than `oldestAltitude` it starts again.
  public mutating func update(with fix: LocationFix) {
    guard let altitude = fix.altitude, abs(altitude) <= 20_000, fix.timestamp.isPlausible else {
      return
    }
    let claim =
      fix.verticalAccuracy
      ?? fix.horizontalAccuracy.map {
        $0 / radius68PerDeviation * Self.verticalPerHorizontal
      }
    let deviation = claim ?? Self.missingDeviation
    guard deviation.isFinite, deviation > 0 else { return }
    let variance = min(max(deviation * deviation, 0.01), 1e8)
    defer { state?.claimed = claim == nil ? 0 : variance.squareRoot() }
    guard var next = state, next.predict(to: fix.timestamp, settings) else {
      noise = AltitudeNoise()
      noise.add(altitude, at: fix.timestamp)
      start(at: altitude, variance, fix.timestamp)
      return
    }
    let elapsed = next.lastAltitude.map { fix.timestamp.seconds(since: $0) } ?? .infinity
    guard elapsed > 0 else { return }
    noise.add(altitude, at: fix.timestamp)
    let difference = altitude - next.altitude
    let squared = difference * difference / (next.aa + variance)
    guard squared <= Self.outlierGate else {
      outliers += 1
      if outliers >= Self.patience {
        restart(&next, at: altitude, variance, fix.timestamp)
      }
      state = next
      return
    }
    outliers = 0
    // A barometer averages for minutes over errors that last that long.
    let hasPressure = isRecent(next.lastPressure, at: fix.timestamp)
    let correlation = hasPressure ? 1 + 2 * Self.errorMemory / max(elapsed, 1) : 1
    // The expectation-maximisation weight of a t-distributed difference, on its variance.
    let weight = (settings.tailDegreesOfFreedom + squared) / (settings.tailDegreesOfFreedom + 1)
    // Of an altitude without a claim only the part that comes and goes is for the filter.
    let shortTerm = max(noise.deviation, Self.steadyDeviation)
    let filtered = claim == nil && !hasPressure ? min(shortTerm * shortTerm, variance) : variance
    let total = (next.aa + filtered * correlation) * max(weight, 1)
    next.correct(by: difference, gain: (next.aa, next.ac, next.ao), total: total)
    next.measured = variance
    next.lastAltitude = fix.timestamp
    guard next.isSound else {
      start(at: altitude, variance, fix.timestamp)
      return
    }
    state = next
  }

  /// Takes in the mean pressure of about a second; one beyond 100 to 1,200 hPa changes nothing.
  ///
  /// After several that do not fit at all, as in the cabin of a starting aircraft, the offset is
  /// observed anew; at once where a pressure differs from the one before by more than any lift
  /// makes, as after a stale first value.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure of the air.
  ///   - timestamp: The middle of the time over which it is the mean.
  public mutating func update(pressure hectopascals: Double, at timestamp: Timestamp) {
    guard 100...1_200 ~= hectopascals, timestamp.isPlausible else { return }
    let altitude = Self.standardAltitude(ofPressure: hectopascals)
    let hasJumped =
      reading.map { last in
        let seconds = timestamp.seconds(since: last.time)
        return abs(altitude - last.altitude) > ClimbMeter.fastest * max(abs(seconds), 1)
      } ?? false
    reading = Reading(time: timestamp, altitude: altitude)
    let variance = Self.pressureDeviation * Self.pressureDeviation
    let weather = Self.weatherDeviation * Self.weatherDeviation
    guard var next = state, next.predict(to: timestamp, settings) else {
      state = State(
        timestamp: timestamp, altitude: altitude, climbRate: 0, offset: 0, aa: weather + variance,
        ac: 0, cc: 1, ao: -weather, co: 0, oo: weather, measured: 0, lastPressure: timestamp)
      outliers = 0
      pressureOutliers = 0
      return
    }
    if next.lastPressure == nil {
      (next.offset, next.oo) = (0, weather)
    }
    let difference = altitude - next.altitude - next.offset
    let gain = (next.aa + next.ao, next.ac + next.co, next.ao + next.oo)
    let total = gain.0 + gain.2 + variance
    guard !hasJumped, difference * difference <= Self.outlierGate * total else {
      pressureOutliers += 1
      if hasJumped || pressureOutliers >= Self.patience {
        pressureOutliers = 0
        next.offset += difference
        (next.ao, next.co, next.oo) = (0, 0, weather)
        next.lastPressure = timestamp
      }
      state = next
      return
    }
    pressureOutliers = 0
    next.correct(by: difference, gain: gain, total: total)
    next.lastPressure = timestamp
    state = next.isSound ? next : nil
  }

  /// The altitude at which the standard atmosphere has a pressure, metres (ICAO Doc 7488, below
  /// 11 km); negative below sea level.
  public static func standardAltitude(ofPressure hectopascals: Double) -> Double {
    44_330.77 * (1 - exp(0.190_263 * log(hectopascals / 1_013.25)))
  }

  /// The estimate at an instant; nil before the first altitude and when the last one is older than
  /// `oldestAltitude`.
  @inline(__always)
  public func estimate(at timestamp: Timestamp) -> Estimate? {
    guard timestamp.isPlausible, var state, state.predict(to: timestamp, settings) else {
      return nil
    }
    let hasPressure = isRecent(state.lastPressure, at: timestamp)
    return Estimate(
      altitude: state.altitude,
      deviation: (state.aa + settings.persistentFraction * state.measured).squareRoot(),
      climbRate: state.climbRate,
      barometricAltitude: hasPressure ? state.altitude + state.offset : nil,
      shortTermDeviation: max(
        noise.deviation,
        Self.leastShortTermPerClaim * state.claimed))
  }

  private func isRecent(_ time: Timestamp?, at timestamp: Timestamp) -> Bool {
    time.map { timestamp.seconds(since: $0) <= Self.oldestPressure } ?? false
  }

  private mutating func start(at altitude: Double, _ variance: Double, _ timestamp: Timestamp) {
    state = State(
      timestamp: timestamp, altitude: altitude, climbRate: 0, offset: 0, aa: variance, ac: 0,
      cc: 1, ao: 0, co: 0, oo: 0, measured: variance, lastAltitude: timestamp)
    outliers = 0
    pressureOutliers = 0
  }

  /// Takes the altitude of a fix for true; what the barometer reads is its offset then.
  private mutating func restart(
    _ next: inout State, at altitude: Double, _ variance: Double, _ timestamp: Timestamp
  ) {
    outliers = 0
    let barometric = next.altitude + next.offset
    (next.altitude, next.climbRate, next.measured) = (altitude, 0, variance)
    (next.aa, next.ac, next.cc) = (variance, 0, 1)
    next.lastAltitude = timestamp
    guard next.lastPressure != nil else { return }
    next.offset = barometric - altitude
    (next.ao, next.co, next.oo) = (-variance, 0, variance)
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&state, &noise, &outliers, &pressureOutliers, &reading)
  }
}

extension AltitudeFilter.State {
  /// Predicts to a time, or stays when that is a little earlier; false when the state is too old.
  @inline(__always)
  fileprivate mutating func predict(
    to timestamp: Timestamp, _ settings: AltitudeFilter.Settings
  ) -> Bool {
    let seconds = timestamp.seconds(since: self.timestamp)
    guard abs(seconds) <= AltitudeFilter.oldestAltitude else { return false }
    guard seconds > 0 else { return true }
    self.timestamp = timestamp
    let kept = exp(-seconds / settings.climbMemory)
    let drift = settings.climbMemory * (1 - kept)
    let q = settings.accelerationDensity
    // The noise of plain white acceleration, its time cut to the memory: within it the two agree.
    let t = min(seconds, settings.climbMemory)
    let climb = drift * climbRate
    altitude += climb
    climbRate *= kept
    aa += 2 * drift * ac + drift * drift * cc + q * t * t * t / 3
    ac = kept * (ac + drift * cc) + q * t * t / 2
    cc = kept * kept * cc + q * t
    guard lastPressure != nil else { return true }
    ao += drift * co
    co *= kept
    oo +=
      AltitudeFilter.weatherDensity * seconds + AltitudeFilter.offsetVariancePerClimb * abs(climb)
    return true
  }

  /// The Kalman update with a scalar measurement; `gain` before its division by the innovation's
  /// variance `total`.
  fileprivate mutating func correct(
    by innovation: Double, gain g: (Double, Double, Double), total: Double
  ) {
    let inverse = 1 / total
    let (a, c, o) = (g.0 * inverse, g.1 * inverse, g.2 * inverse)
    altitude += a * innovation
    climbRate += c * innovation
    offset += o * innovation
    aa -= a * g.0
    ac -= a * g.1
    cc -= c * g.1
    ao -= a * g.2
    co -= c * g.2
    oo -= o * g.2
  }

  fileprivate var isSound: Bool {
    altitude.isFinite && offset.isFinite && aa > 0 && cc > 0 && cc.isFinite && oo >= 0
  }
}
