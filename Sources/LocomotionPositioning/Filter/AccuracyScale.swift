internal import LocomotionSensing

/// How much worse a receiver's fixes are than it says, learned while it moves.
///
/// Over a few seconds the displacement between two fixes is known from the Doppler speeds far
/// better than from the fixes. What the fixes differ from it by is their own error: all of it that
/// changes within that time, which is most of it. A bias that stays for minutes does not show.
struct AccuracyScale: Hashable, Sendable, Codable {
  /// A fix to which later ones are compared.
  private struct Anchor: Hashable, Sendable, Codable {
    var timestamp: Timestamp
    /// Degrees.
    var latitude, longitude: Double
    /// Of the reported error, per axis, m².
    var variance: Double
    /// The displacement since then by the Doppler speeds, metres east and north.
    var displacement: SIMD2<Double>
    /// The squared difference per axis soon after, m², once it is known.
    var early: Double?
  }

  /// The mean square of the error over the reported one.
  private(set) var square: Double
  /// Running medians of the squared difference per axis, m², soon after an anchor and at its end.
  private var early: Double
  private var late: Double
  /// A running mean of the reported accuracies behind it, metres.
  private var typical = 0.0
  private var anchor: Anchor?
  private var newest: Timestamp?
  private var velocity: SIMD2<Double>?

  init(_ settings: LocationFilter.Settings) {
    square = settings.accuracy.initialScale * settings.accuracy.initialScale
    early = 0.2
    late =
      settings.accuracy.randomWalkGrowth * early
      + settings.motion.randomWalkDensity
      * (settings.accuracy.scaleSpan - settings.accuracy.randomWalkSpan)
      / settings.accuracy.randomWalkPerMedian
  }

  /// What a reported accuracy, metres, is to be multiplied by.
  ///
  /// That good fixes are better than they claim says nothing about much worse ones.
  func factor(of reported: Double, _ settings: LocationFilter.Settings) -> Double {
    let factor = min(
      max(square.squareRoot(), settings.accuracy.smallestScale), settings.accuracy.largestScale)
    let isMuchWorse =
      reported > settings.accuracy.scaleReach * max(typical, settings.measurement.openSkyAccuracy)
    return isMuchWorse ? max(factor, 1) : factor
  }

  /// How fast the integral of the Doppler speeds' errors spreads, m²/s.
  func randomWalkDensity(_ settings: LocationFilter.Settings) -> Double {
    let slope =
      settings.accuracy.randomWalkPerMedian * (late - settings.accuracy.randomWalkGrowth * early)
      / (settings.accuracy.scaleSpan - settings.accuracy.randomWalkSpan)
    return min(
      max(slope, settings.accuracy.smallestRandomWalkDensity),
      settings.accuracy.largestRandomWalkDensity)
  }

  /// Forgets the fixes but not what was learned from them.
  mutating func interrupt() {
    anchor = nil
    newest = nil
    velocity = nil
  }

  /// Takes in a fix of a moving phone; `reported` is the variance that the fix claims, per axis.
  mutating func append(
    _ fix: FixMeasurement, velocity: SIMD2<Double>, reported: Double,
    settings: LocationFilter.Settings
  ) {
    defer {
      newest = fix.timestamp
      self.velocity = velocity
    }
    guard var anchor, let newest, let before = self.velocity,
      fix.timestamp.seconds(since: newest) < 3
    else {
      self.anchor = Self.anchor(fix, reported)
      return
    }
    anchor.displacement += (before + velocity) * (0.5 * fix.timestamp.seconds(since: newest))
    let elapsed = fix.timestamp.seconds(since: anchor.timestamp)
    let isEarly = anchor.early == nil && elapsed >= settings.accuracy.randomWalkSpan
    guard isEarly || elapsed >= settings.accuracy.scaleSpan else {
      self.anchor = anchor
      return
    }
    let plane = LocalTangentPlane(latitude: anchor.latitude, longitude: anchor.longitude)
    let error =
      plane.position(latitude: fix.latitude, longitude: fix.longitude) - anchor.displacement
    let difference = (error * error).sum() / 2
    if elapsed < settings.accuracy.scaleSpan {
      anchor.early = difference
      self.anchor = anchor
      return
    }
    if let first = anchor.early, difference.isFinite, first.isFinite {
      early *=
        first > early
        ? 1 + settings.accuracy.randomWalkStep : 1 / (1 + settings.accuracy.randomWalkStep)
      late *=
        difference > late
        ? 1 + settings.accuracy.randomWalkStep : 1 / (1 + settings.accuracy.randomWalkStep)
      early = min(max(early, 0.01), 1e4)
      late = min(max(late, 0.01), 1e4)
    }
    let excess = max(randomWalkDensity(settings) - settings.motion.randomWalkDensity, 0)
    let own = max(difference - excess * elapsed, min(difference, early))
    let ratio = own / (reported + anchor.variance)
    let sample = settings.accuracy.scalePerDifference * settings.accuracy.scalePerDifference * ratio
    if sample.isFinite {
      // A single jump may raise the scale, not decide it.
      square +=
        (min(sample, settings.accuracy.scaleCap * square) - square) / settings.accuracy.scaleMemory
      typical +=
        (reported.squareRoot() * radius68PerDeviation - typical) / settings.accuracy.scaleMemory
    }
    self.anchor = Self.anchor(fix, reported)
  }

  private static func anchor(_ fix: FixMeasurement, _ reported: Double) -> Anchor {
    Anchor(
      timestamp: fix.timestamp, latitude: fix.latitude, longitude: fix.longitude,
      variance: reported, displacement: .zero, early: nil)
  }
}
