internal import CLocomotionMath

/// Eighty-seven numbers that describe 5.12 s of acceleration, however the phone is held.
///
/// The window is band-limited to 20 Hz, split at its mean vector μ (gravity, as the phone holds it)
/// into the norm m, the vertical part v and the horizontal part h, and measured in time and
/// frequency: see ``schema`` for every definition. Training and the device run this same code.
///
/// ## Invariance
/// A rotation of the phone changes no feature beyond rounding
/// (`FeatureInvarianceTests.rotationChangesNothing`). A gain error of the sensor shifts logarithms
/// by its logarithm and leaves ratios alone; a constant offset moves μ only.
///
/// ## Accuracy
/// Within 10⁻⁵ (relative, or absolute below 1) of the definitions in Float64
/// (`GoldenFeatureTests`).
///
/// ## Degenerate input
/// Features are finite whatever comes in. Values are limited to ±10⁶ m/s², NaN counts as 0. What
/// has no scale of its own (logarithms, ratios) has a floor below any sensor's noise, so that a
/// constant window gives constant features.
///
/// - Complexity: O(n log n); allocates in `init` only.
public struct FeatureExtractor: Sendable, Codable {
  /// The number of samples in a window, 5.12 s.
  public static let windowLength = 512
  /// The sampling rate of a window, Hz.
  public static let samplingRate: Float = 100

  /// What the last window was derived to; the signal check of the classifier reads it.
  private(set) var motion: MotionSignals
  private var meter: ShapeMeter
  private var sums = ShapeSums()
  private var shape = SignalShape()
  private var statistics: OrderStatistics

  /// Prepares an extractor.
  public init() {
    motion = MotionSignals()
    meter = ShapeMeter()
    statistics = OrderStatistics()
  }

  /// The standard deviation of the norm of the last window, m/s².
  var normDeviation: Float { shape.deviations.x }
  /// The mean norm of the last window, m/s².
  var meanNorm: Float { motion.gravity + shape.means.x }

  /// Writes the features of `window` to `features`, in the order of ``schema``.
  ///
  /// The window's lanes are x, y, z in m/s² with gravity, and |a|, which isn't read: it is formed
  /// again from the band-limited axes.
  ///
  /// - Precondition: `window.count` = ``windowLength`` and `features.count` = `schema.count`.
  public mutating func extract(
    from window: Span<SIMD4<Float>>, into features: inout MutableSpan<Float>
  ) {
    let isOrdinary = SignalCheck(window).isOrdinary
    extract(from: window, advancedBy: nil, isOrdinary: isOrdinary, into: &features)
  }

  /// The same, to the last bit, for a window that is known to be ordinary, or not, and to have moved
  /// on by `hop` samples since the call before; nil when that isn't known.
  mutating func extract(
    from window: Span<SIMD4<Float>>, advancedBy hop: Int?, isOrdinary: Bool,
    into features: inout MutableSpan<Float>
  ) {
    precondition(
      window.count == Self.windowLength,
      "expected \(Self.windowLength) samples, got \(window.count)")
    precondition(
      features.count == Self.schema.count,
      "expected room for \(Self.schema.count) features, got \(features.count)")
    motion.update(from: window, advancedBy: hop, isOrdinary: isOrdinary)
    meter.measure(
      motion.lanes, about: SignalShape.means(of: motion.quarterSums), into: &sums)
    shape.update(from: sums, quarterSums: motion.quarterSums)
    statistics.load(motion.lanes, means: shape.means, deviations: shape.deviations)
    let lower = statistics.values(at: Self.lowerRanks, of: motion.lanes)
    let upper = statistics.values(at: Self.upperRanks, of: motion.lanes)
    var writer = Writer()
    for lane in 0..<3 {
      write(lane, quartileRange: upper[lane] - lower[lane], to: &features, &writer)
    }
    writeWindow(percentileOfJerk: upper.w, to: &features, &writer)
  }

  /// The window before is none that the next could have moved on from.
  mutating func forgetWindow() { motion.forget() }

  // Quantiles as in definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
  // The American Statistician 50(4), 1996, which is the default of NumPy: the first quartile of 512
  // values is at 0.25 · 511. Of j the last value isn't one, and 0, thus the lowest: the percentile
  // 95 of the 511 others is at 1 + 0.95 · 510.
  private static let lowerRanks = SIMD4<Float>(127.75, 127.75, 127.75, 485.5)
  private static let upperRanks = SIMD4<Float>(383.25, 383.25, 383.25, 485.5)

  /// The smallest of each kind that is told from nothing; all lie below a resting phone's noise.
  private enum Floor {
    static let acceleration: Float = 1e-3
    static let jerk: Float = 1e-2
    static let power: Float = SignalShape.stillPower
    static let angle: Float = 1e-3
  }

  /// Where the next feature goes.
  private struct Writer {
    var index = 0

    mutating func append(_ value: Float, to features: inout MutableSpan<Float>) {
      features[index] = value
      index += 1
    }

    /// Appends log(max(value, floor)).
    mutating func append(log value: Float, floor: Float, to features: inout MutableSpan<Float>) {
      append(CLocomotionMath.log(max(value, floor)), to: &features)
    }
  }

  /// The features of the signal in `lane`.
  private mutating func write(
    _ lane: Int, quartileRange: Float, to features: inout MutableSpan<Float>,
    _ writer: inout Writer
  ) {
    let logDeviation = CLocomotionMath.log(max(shape.deviations[lane], Floor.acceleration))
    writer.append(logDeviation, to: &features)
    writer.append(log: quartileRange, floor: Floor.acceleration, to: &features)
    writer.append(log: shape.jerks[lane], floor: Floor.jerk, to: &features)
    writer.append(shape.crossingRates[lane], to: &features)
    let firstBand = writer.index
    for band in shape.bandPowers.indices {
      writer.append(log: shape.bandPowers[band][lane], floor: Floor.power, to: &features)
    }
    writer.append(shape.centroids[lane], to: &features)
    writer.append(shape.entropies[lane], to: &features)
    writer.append(log: shape.peaks[lane], floor: Floor.power, to: &features)
    writer.append(shape.periodicities[lane], to: &features)
    writer.append(shape.periods[lane], to: &features)
    // What is linear in the logarithms is known already, but the hinges of an additive model can't
    // bend along a difference unless it is a feature of its own.
    for band in shape.bandPowers.indices {
      writer.append(features[firstBand + band] - 2 * logDeviation, to: &features)
    }
  }

  /// The features of the window as a whole.
  private mutating func writeWindow(
    percentileOfJerk: Float, to features: inout MutableSpan<Float>, _ writer: inout Writer
  ) {
    let eigenvalues = SymmetricEigenvalues(
      diagonal: motion.covariance.diagonal, offDiagonal: motion.covariance.offDiagonal)
    let first = max(eigenvalues.first, Double(Floor.power))
    writer.append(Float(max(0, eigenvalues.second) / first), to: &features)
    writer.append(Float(max(0, eigenvalues.third) / first), to: &features)
    writer.append(Float(CLocomotionMath.log(first)), to: &features)

    // j has one value less than the window has samples, and its sum counts the missing one as 0.
    let share = Float(Self.windowLength) / Float(Self.windowLength - 1)
    let meanJerk = shape.means.w * share
    let meanSquare = shape.deviations.w * shape.deviations.w + shape.means.w * shape.means.w
    let varianceOfJerk = max(0, meanSquare * share - meanJerk * meanJerk)
    let jerkScale = max(meanJerk, Floor.jerk)
    writer.append(log: meanJerk, floor: Floor.jerk, to: &features)
    writer.append(varianceOfJerk.squareRoot() / jerkScale, to: &features)
    writer.append(percentileOfJerk / jerkScale, to: &features)

    writer.append(log: shape.means.z, floor: Floor.acceleration, to: &features)
    writer.append(log: motion.meanMagnitude, floor: Floor.acceleration, to: &features)
    let turn = (angle(0, 1) + angle(1, 2) + angle(2, 3)) / 3
    writer.append(log: turn, floor: Floor.angle, to: &features)
    writer.append(log: angle(0, 3), floor: Floor.angle, to: &features)
    writer.append(shape.means.x, to: &features)
    let (highest, lowest) = shape.quarterDeviations
    let unsteadiness = max(highest.x, Floor.acceleration) / max(lowest.x, Floor.acceleration)
    writer.append(CLocomotionMath.log(unsteadiness), to: &features)
  }

  /// The angle between the mean vectors of two quarters of the window, radians.
  private func angle(_ first: Int, _ second: Int) -> Float {
    let p = motion.mean + motion.quarterOffsets[first]
    // p × q = p × (q − p): the difference is known to more digits than q.
    let d = motion.quarterOffsets[second] - motion.quarterOffsets[first]
    let x = p.y * d.z - p.z * d.y
    let y = p.z * d.x - p.x * d.z
    let z = p.x * d.y - p.y * d.x
    let sine = (x * x + y * y + z * z).squareRoot()
    return atan2(sine, (p * (p + d)).sum())
  }

  /// Restores an extractor, which holds nothing but its schema's digest between windows.
  public init(from decoder: any Decoder) throws {
    try Self.schema.checkDigest(in: decoder)
    self.init()
  }

  /// Stores the digest of ``schema``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Self.schema.digest)
  }
}
