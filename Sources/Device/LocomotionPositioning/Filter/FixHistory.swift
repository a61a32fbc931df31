internal import CLocomotionMath

/// Where the last fixes lay, from which motion shows when no speed comes with them.
///
/// Holds up to eight fixes of the last minute or two in the plane of the track.
struct FixHistory: Sendable, StateArchivable {
  private var times = SIMD8<Double>(repeating: -1e12)
  private var east = SIMD8<Double>.zero
  private var north = SIMD8<Double>.zero
  private var variance = SIMD8<Double>.zero
  private var next = 0
  private var start: Timestamp?

  /// Least time between the fixes, seconds; those of a larger deviation than ``coarse``, m, are
  /// spread over the whole of ``Hypothesis/memory``.
  private static let spacing = 4.0
  private static let coarse = 50.0

  /// A history without fixes.
  init() {}

  /// Adds a fix, given where it lies in the plane; those close after the last one are left out.
  mutating func append(_ fix: FixMeasurement, at position: SIMD2<Double>) {
    let origin = start ?? fix.timestamp
    start = origin
    let time = fix.timestamp.seconds(since: origin)
    let spacing =
      fix.variance > Self.coarse * Self.coarse ? Hypothesis.memory / 8 : Self.spacing
    guard time - times[(next + 7) % 8] >= spacing else { return }
    times[next] = time
    (east[next], north[next], variance[next]) = (position.x, position.y, fix.variance)
    next = (next + 1) % 8
  }

  /// The evidence for motion in where a fix lies, `elapsed` seconds after the one before; nats.
  ///
  /// The fix is compared with the youngest one that is old enough for the speed between them to
  /// tell a ride, and where that says little with older ones, which tell slower motion.
  func logLikelihoodRatio(
    of fix: FixMeasurement, at position: SIMD2<Double>, elapsed: Double,
    _ settings: LocationFilter.Settings
  ) -> Double {
    guard let start else { return 0 }
    let time = fix.timestamp.seconds(since: start)
    let correlation = fix.correlatedDeviation * fix.correlatedDeviation / fix.variance
    var (ratio, span) = (0.0, 0.0)
    for back in 1...8 {
      let index = (next + 8 - back) % 8
      let seconds = time - times[index]
      guard seconds <= Hypothesis.memory else { break }
      guard seconds > 0 else { continue }
      // Of two errors only what changed between them counts.
      let changed = 1 - correlation * exp(-seconds / settings.measurement.errorMemory)
      let own = (fix.variance + variance[index]) * changed / (seconds * seconds)
      let isLast = back == 8 || isOldest(back, time)
      guard own <= Hypothesis.historySpeedVariance || isLast else { continue }
      ratio = Self.logLikelihoodRatio(
        from: SIMD2(east[index], north[index]), to: position, seconds: seconds,
        speedVariance: own)
      span = seconds
      if abs(ratio) >= Hypothesis.historyDecision || own <= Hypothesis.slowestHistoryVariance {
        break
      }
    }
    guard span > 0 else { return 0 }
    // The next fixes are compared with much the same: each counts for the time it adds.
    return ratio * min(Hypothesis.historyWeight * elapsed / span, 1)
  }

  /// Whether no older fix is left to compare with.
  private func isOldest(_ back: Int, _ time: Double) -> Bool {
    time - times[(next + 7 - back) % 8] > Hypothesis.memory
  }

  private static func logLikelihoodRatio(
    from a: SIMD2<Double>, to b: SIMD2<Double>, seconds: Double, speedVariance own: Double
  ) -> Double {
    typealias Motion = LocationFilter.Settings.Motion
    let square = ((b - a) * (b - a)).sum() / (seconds * seconds)
    func density(_ spread: Double) -> Double { exp(-0.5 * square / spread) / spread }
    let moving =
      0.5 * density(own + Motion.pedestrianSpeed * Motion.pedestrianSpeed / 2)
      + 0.5 * density(own + Motion.unknownSpeed * Motion.unknownSpeed / 2) + 1e-4
    return log(moving / (density(own) + 1e-4))
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&times, &east, &north, &variance)
    archive.pass(&next, in: 0...7)
    archive.pass(&start)
  }
}
