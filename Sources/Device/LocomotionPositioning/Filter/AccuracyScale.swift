internal import LocomotionSensing

/// How much worse a receiver's fixes are than it says, learned while it moves.
///
/// Over a few seconds the displacement between two fixes is known from the Doppler speeds far
/// better than from the fixes. What the fixes differ from it by is their own error: all of it that
/// changes within that time, which is most of it. A bias that stays for minutes does not show.
struct AccuracyScale: Hashable, Sendable {
  /// A fix to which later ones are compared.
  fileprivate struct Anchor: Hashable, Sendable {
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

  /// Where a fix lay, degrees.
  fileprivate struct Point: Hashable, Sendable {
    var timestamp: Timestamp
    var latitude, longitude: Double
  }

  /// The square of the error over the reported one.
  private(set) var square: Double
  /// The square of what ``LocationFilter/Settings/Measurement/missingAccuracy`` is to be multiplied
  /// by.
  private(set) var missing = 1.0
  /// The last two fixes without an accuracy.
  private var last, beforeLast: Point?
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
    guard reported <= settings.hypothesis.coarseDeviation * radius68PerDeviation else {
      return settings.accuracy.coarseScale
    }
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

  /// The part of the variance that a receiver claims which stays for minutes.
  func offsetFraction(_ settings: LocationFilter.Settings) -> Double {
    min(
      max(settings.accuracy.offsetPerGrowth * late / early, settings.accuracy.smallestOffset),
      settings.accuracy.largestOffset)
  }

  /// Takes in a fix without an accuracy.
  ///
  /// Of three fixes in a row the middle one lies off the line between the others by their errors,
  /// or because the phone turned. Only where it lies off by more than half of their distance, as
  /// the fixes of a phone that goes nowhere do, it counts.
  mutating func appendWithoutAccuracy(
    _ fix: FixMeasurement, _ settings: LocationFilter.Settings
  ) {
    defer {
      beforeLast = last
      last = Point(timestamp: fix.timestamp, latitude: fix.latitude, longitude: fix.longitude)
    }
    guard let first = beforeLast, let middle = last else { return }
    let span = fix.timestamp.seconds(since: first.timestamp)
    let part = middle.timestamp.seconds(since: first.timestamp) / span
    guard span > 0, span < 600, part > 0.2, part < 0.8 else { return }
    let plane = LocalTangentPlane(latitude: middle.latitude, longitude: middle.longitude)
    let a = plane.position(latitude: first.latitude, longitude: first.longitude)
    let b = plane.position(latitude: fix.latitude, longitude: fix.longitude)
    let off = a + (b - a) * part
    let square = (off * off).sum()
    guard 4 * square > ((b - a) * (b - a)).sum() else { return }
    let variance = fix.reportedVariance * (1 + part * part + (1 - part) * (1 - part))
    let step = 1 + settings.accuracy.missingStep
    // Half of the values of χ² with two degrees of freedom lie below 2 ln 2.
    missing = min(max(missing * (square > 1.386_294 * variance ? step : 1 / step), 1), 1e4)
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
    let growth = min(
      max(late / early, settings.accuracy.smallestGrowth), settings.accuracy.largestGrowth)
    let sample = settings.accuracy.scalePerGrowth * growth * ratio
    if sample.isFinite {
      // A running median, which single jumps do not decide: half the squares of a bivariate normal
      // vector lie below ln 2 of their mean.
      square *=
        sample > 0.693_147_180_559_945 * square
        ? 1 + settings.accuracy.scaleStep : 1 / (1 + settings.accuracy.scaleStep)
      let (least, most) = (settings.accuracy.smallestScale, settings.accuracy.largestScale)
      square = min(max(square, least * least), most * most)
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

extension AccuracyScale: StateArchivable {
  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&square)
    archive.pass(&missing)
    archive.pass(&last)
    archive.pass(&beforeLast)
    archive.pass(&early)
    archive.pass(&late)
    archive.pass(&typical)
    archive.pass(&anchor)
    archive.pass(&newest)
    archive.pass(&velocity)
  }
}

extension AccuracyScale.Anchor: StateElement {
  fileprivate static let blank = AccuracyScale.Anchor(
    timestamp: .blank, latitude: 0, longitude: 0, variance: 1, displacement: .zero, early: nil)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&timestamp)
    archive.pass(&latitude)
    archive.pass(&longitude)
    archive.pass(&variance)
    archive.pass(&displacement)
    archive.pass(&early)
  }
}

extension AccuracyScale.Point: StateElement {
  fileprivate static let blank = AccuracyScale.Point(timestamp: .blank, latitude: 0, longitude: 0)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&timestamp)
    archive.pass(&latitude)
    archive.pass(&longitude)
  }
}
