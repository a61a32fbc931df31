/// How much worse a receiver's fixes are than it says, learned while it moves.
///
/// Over two seconds the speeds tell far better than the fixes how far the phone came. What the
/// distance between fixes differs from that by, over the variances they claim, is .004 to .04 in
/// the median for chips under open sky and for the fused fixes of phones, .3 between high houses,
/// where errors are larger than claimed. An error that lasts for minutes does not show: claims are
/// never made smaller.
struct AccuracyScale: Sendable, StateArchivable {
  /// A fix to which the next ones are compared.
  fileprivate struct Anchor: Sendable, StateElement {
    var timestamp: Timestamp
    /// Earth-centred, metres.
    var point: SIMD3<Double>
    /// The variance per axis that it claims, m².
    var variance: Double
    /// The distance since then by the speeds, metres.
    var distance: Double

    fileprivate static let blank = AccuracyScale.Anchor(
      timestamp: .blank, point: .zero, variance: 1, distance: 0)

    fileprivate mutating func pass(through archive: inout StateArchive) {
      archive.pass(&timestamp, &point, &variance, &distance)
    }
  }

  /// Where a fix lay, degrees.
  fileprivate struct Point: Sendable, StateElement {
    var timestamp: Timestamp
    var latitude, longitude: Double

    fileprivate static let blank = AccuracyScale.Point(timestamp: .blank, latitude: 0, longitude: 0)

    fileprivate mutating func pass(through archive: inout StateArchive) {
      archive.pass(&timestamp, &latitude, &longitude)
    }
  }

  /// A running median of the squared difference over the variances claimed.
  private var median = 0.02
  private var anchor: Anchor?
  private var newest: Timestamp?
  private var speed = 0.0
  /// The square of what ``LocationFilter/Settings/Measurement/missingAccuracy`` is to be multiplied
  /// by.
  private(set) var missing = 1.0
  /// The last two fixes without an accuracy.
  private var last, beforeLast: Point?
  /// Running means of the distance from one such fix to the next, and of its square.
  private var meanChord = 0.0
  private var squaredChord = 0.0
  private var chords = 0

  /// Nothing was learned yet.
  init() {}

  /// The error's variance over the reported one, at least 1.
  func square(_ settings: LocationFilter.Settings) -> Double {
    return min(max(settings.measurement.scalePerDifference * median, 1), Self.largest)
  }

  /// Takes in a fix; `reported` is the variance that it claims, per axis.
  mutating func append(_ fix: FixMeasurement) {
    guard let speed = fix.speed else {
      anchor = nil
      return
    }
    defer {
      newest = fix.timestamp
      self.speed = speed
    }
    guard var anchor, let newest, fix.timestamp.seconds(since: newest) < 3 else {
      self.anchor = Anchor(fix)
      return
    }
    anchor.distance += (self.speed + speed) * (0.5 * fix.timestamp.seconds(since: newest))
    let elapsed = fix.timestamp.seconds(since: anchor.timestamp)
    guard elapsed >= Self.span else {
      self.anchor = anchor
      return
    }
    self.anchor = Anchor(fix)
    // Fixes of a slow phone are as far apart as their errors, whatever its speed.
    guard anchor.distance > elapsed * Self.slowest else { return }
    let offset = fix.point - anchor.point
    let difference = (offset * offset).sum().squareRoot() - anchor.distance
    let ratio = difference * difference / (anchor.variance + fix.reportedVariance)
    median = min(max(median * (ratio > median ? Self.step : 1 / Self.step), 1e-3), 1e3)
  }

  /// The largest such factor.
  private static let largest = 36.0
  /// Seconds over which fixes are compared with the speeds.
  private static let span = 2.0
  /// The speed, m/s, above which they are.
  private static let slowest = 1.0
  /// By what a comparison changes the median.
  private static let step = 1.2
  /// The weight of a distance in the running means, and the squared coefficient of variation up to
  /// which distances are steady; that of a Rayleigh distribution is 4/π − 1 = 0.27.
  private static let chordWeight = 1.0 / 24
  private static let steadyVariation = 0.18
  /// The same of what is learned of fixes without an accuracy.
  private static let missingStep = 1.1

  /// Takes in a fix without an accuracy.
  ///
  /// Of three fixes in a row the middle one lies off the line between the others by their errors,
  /// or because the phone turned. Only where it lies off by more than half of their distance, as
  /// the fixes of a phone that goes nowhere do, it counts; and not while the fixes are at steady
  /// distances, as those of a path in hairpins are: distances of errors are Rayleigh distributed.
  mutating func appendWithoutAccuracy(_ fix: FixMeasurement) {
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
    let chord = (b * b).sum().squareRoot()
    chords += 1
    let weight = max(1 / Double(chords), Self.chordWeight)
    meanChord += weight * (chord - meanChord)
    squaredChord += weight * (chord * chord - squaredChord)
    let isSteady = squaredChord < (1 + Self.steadyVariation) * meanChord * meanChord
    guard 4 * square > ((b - a) * (b - a)).sum(), !(isSteady && chords >= 8) else { return }
    let variance = fix.reportedVariance * (1 + part * part + (1 - part) * (1 - part))
    // Half of the values of χ² with two degrees of freedom lie below 2 ln 2.
    let isFarther = square > 1.386_294 * variance
    missing = min(max(missing * (isFarther ? Self.missingStep : 1 / Self.missingStep), 1), 1e4)
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&median, &anchor, &newest, &speed, &missing)
    archive.pass(&last, &beforeLast, &meanChord, &squaredChord, &chords)
  }
}

extension AccuracyScale.Anchor {
  fileprivate init(_ fix: FixMeasurement) {
    self.init(
      timestamp: fix.timestamp, point: fix.point, variance: fix.reportedVariance, distance: 0)
  }
}
