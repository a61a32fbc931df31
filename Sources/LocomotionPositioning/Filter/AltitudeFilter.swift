internal import CLocomotionMath
public import LocomotionSensing

/// How high the phone is, from one fix after another.
///
/// A Kalman filter of altitude and climb rate, apart from the horizontal one: receivers err
/// differently upwards, and a phone at rest on the map may stand in a lift. The climb rate reverts
/// to zero (an Ornstein–Uhlenbeck process, Bar-Shalom, Li and Kirubarajan 2001, section 8.2).
/// Altitudes count less the worse they fit (Student's t), and after several in a row that do not
/// fit at all it starts again from the newest. On good receivers it changes little: their altitudes
/// are smooth already.
///
/// - Complexity: O(1) per altitude, without allocation.
public struct AltitudeFilter: Sendable, Codable {
  /// What the filter assumes.
  public struct Settings: Hashable, Sendable, Codable {
    /// Where a fix has no vertical accuracy, its deviation over the horizontal one along one axis;
    /// default 1.5, as satellites are seen on all sides but only above.
    public var verticalPerHorizontal = 1.5
    /// The deviation taken for an altitude with neither accuracy, metres; default 15.
    public var missingDeviation = 15.0
    /// Spectral density of the white vertical acceleration, m²/s³; default 0.5.
    public var accelerationDensity = 0.5
    /// Seconds after which a climb rate has reverted to 1/e; default 30.
    public var climbMemory = 30.0
    /// The part of an altitude's error variance that no averaging removes; default 0.2.
    public var persistentFraction = 0.2
    /// Squared normalised innovation beyond which an altitude is an outlier; default 25.
    public var outlierGate = 25.0
    /// Outliers in a row after which the filter starts from the newest; default 5.
    public var patience = 5
    /// Degrees of freedom of Student's t; default 8.
    public var tailDegreesOfFreedom = 8.0
    /// The age of the last altitude, seconds, beyond which there is no estimate and the next one
    /// starts anew; default 300.
    public var oldestAltitude = 300.0

    /// The defaults.
    public init() {}
  }

  /// What is known of the altitude at an instant.
  public struct Estimate: Hashable, Sendable, Codable {
    /// Metres, above the datum of the fixes.
    public var altitude: Double
    /// One standard deviation of ``altitude``, metres.
    public var deviation: Double
    /// How fast it rises, m/s.
    public var climbRate: Double
  }

  private struct State: Sendable, Codable {
    var timestamp: Timestamp
    var altitude, climbRate: Double
    /// Variances and covariance of the two.
    var aa, ac, cc: Double
    /// The variance of the newest altitude that was used, m².
    var measured: Double
  }

  /// What the filter assumes.
  public let settings: Settings
  private var state: State?
  private var outliers = 0

  /// A filter before its first altitude.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Forgets everything but the settings.
  public mutating func reset() {
    self = AltitudeFilter(settings: settings)
  }

  /// Takes in a fix; one without altitude, or not later than the last one, changes nothing.
  ///
  /// After a clock that was set back by more than ``Settings/oldestAltitude`` it starts again.
  public mutating func update(with fix: LocationFix) {
    guard let altitude = fix.altitude, abs(altitude) <= 20_000, fix.timestamp.isPlausible else {
      return
    }
    let deviation =
      fix.verticalAccuracy
      ?? fix.horizontalAccuracy.map {
        $0 / radius68PerDeviation * settings.verticalPerHorizontal
      } ?? settings.missingDeviation
    guard deviation.isFinite, deviation > 0 else { return }
    let variance = min(max(deviation * deviation, 0.01), 1e8)
    guard var next = state else {
      start(at: altitude, variance, fix.timestamp)
      return
    }
    let elapsed = fix.timestamp.seconds(since: next.timestamp)
    guard abs(elapsed) <= settings.oldestAltitude else {
      start(at: altitude, variance, fix.timestamp)
      return
    }
    guard elapsed > 0 else { return }
    predict(&next, elapsed)
    next.timestamp = fix.timestamp
    let difference = altitude - next.altitude
    let spread = next.aa + variance
    let squared = difference * difference / spread
    if squared > settings.outlierGate {
      outliers += 1
      if outliers >= settings.patience {
        start(at: altitude, variance, fix.timestamp)
      } else {
        state = next
      }
      return
    }
    outliers = 0
    // The expectation-maximisation weight of a t-distributed difference, on its variance.
    let weight = (settings.tailDegreesOfFreedom + squared) / (settings.tailDegreesOfFreedom + 1)
    let total = spread * max(weight, 1)
    let (a, c) = (next.aa / total, next.ac / total)
    next.altitude += a * difference
    next.climbRate += c * difference
    let (aa, ac) = (next.aa, next.ac)
    next.aa -= a * aa
    next.ac -= a * ac
    next.cc -= c * ac
    next.measured = variance
    guard next.altitude.isFinite, next.aa > 0, next.cc > 0, next.cc.isFinite else {
      start(at: altitude, variance, fix.timestamp)
      return
    }
    state = next
  }

  /// The estimate at an instant; nil before the first altitude and when the last one is older than
  /// ``Settings/oldestAltitude``.
  public func estimate(at timestamp: Timestamp) -> Estimate? {
    guard var state, timestamp.isPlausible else { return nil }
    let elapsed = timestamp.seconds(since: state.timestamp)
    guard abs(elapsed) <= settings.oldestAltitude else { return nil }
    if elapsed > 0 { predict(&state, elapsed) }
    return Estimate(
      altitude: state.altitude,
      deviation: (state.aa + settings.persistentFraction * state.measured).squareRoot(),
      climbRate: state.climbRate)
  }

  private mutating func start(at altitude: Double, _ variance: Double, _ timestamp: Timestamp) {
    state = State(
      timestamp: timestamp, altitude: altitude, climbRate: 0, aa: variance, ac: 0, cc: 1,
      measured: variance)
    outliers = 0
  }

  private func predict(_ state: inout State, _ seconds: Double) {
    let kept = exp(-seconds / settings.climbMemory)
    let drift = settings.climbMemory * (1 - kept)
    let (aa, ac, cc) = (state.aa, state.ac, state.cc)
    let q = settings.accelerationDensity
    // The noise of plain white acceleration, its time cut to the memory: within it the two agree.
    let t = min(seconds, settings.climbMemory)
    state.altitude += drift * state.climbRate
    state.climbRate *= kept
    state.aa = aa + 2 * drift * ac + drift * drift * cc + q * t * t * t / 3
    state.ac = kept * (ac + drift * cc) + q * t * t / 2
    state.cc = kept * kept * cc + q * t
  }
}
