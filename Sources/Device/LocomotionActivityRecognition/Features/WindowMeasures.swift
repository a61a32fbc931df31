internal import CLocomotionMath

/// The measures of a window, from which its features are written.
struct WindowMeasures: Sendable {
  /// The means, set before all else is derived.
  var motion = MotionMeans()
  private(set) var shape = SignalShape()
  /// The lower quartiles of m, v and h, and their upper quartiles with the 95th percentile of j.
  private var (lower, upper) = (SIMD4<Float>.zero, SIMD4<Float>.zero)

  /// The standard deviation of the norm, m/s².
  var normDeviation: Float { shape.deviations.x }
  /// The mean norm, m/s².
  var meanNorm: Float { motion.gravity + shape.means.x }

  /// Derives the shape of the signals from the sums over one of several windows.
  mutating func derive(from sums: ShapeSums, of window: Int) {
    shape.update(from: sums, of: window, quarterSums: motion.quarterSums)
  }

  /// Computes the quantiles of the window's signals, after their shape was derived.
  mutating func rank(_ signals: Span<SIMD4<Float>>, with statistics: inout OrderStatistics) {
    statistics.load(signals, means: shape.means, deviations: shape.deviations)
    (lower, upper) = statistics.values(at: Self.lowerRanks, and: Self.upperRanks, of: signals)
  }

  // Quantiles as in definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
  // The American Statistician 50(4), 1996, which is the default of NumPy: the first quartile of 512
  // values is at 0.25 · 511. Of j the last value isn't one, and 0, thus the lowest: the percentile
  // 95 of the 511 others is at 1 + 0.95 · 510.
  private static let lowerRanks = SIMD4<Float>(127.75, 127.75, 127.75, 485.5)
  private static let upperRanks = SIMD4<Float>(383.25, 383.25, 383.25, 485.5)

  /// The floors of each kind of measure; all lie below a resting phone's noise.
  private enum Floor {
    static let acceleration: Float = 1e-3
    static let jerk: Float = 1e-2
    static let power: Float = SignalShape.stillPower
    static let angle: Float = 1e-3
  }

  /// The position of the next feature.
  private struct Writer {
    var index: Int

    mutating func append(_ value: Float, to features: inout MutableSpan<Float>) {
      features[index] = value
      index += 1
    }

    mutating func append(log value: Float, floor: Float, to features: inout MutableSpan<Float>) {
      append(CLocomotionMath.log(max(value, floor)), to: &features)
    }
  }

  /// Writes the features in the order of ``FeatureExtractor/schema``.
  func write(to features: inout MutableSpan<Float>) {
    var rows = Rows(count: 9 + 2 * shape.bandPowers.count)
    writeSignals(to: &features, &rows)
    var writer = Writer(index: Rows.signals * rows.count)
    writeWindow(percentileOfJerk: upper.w, to: &features, &writer)
  }

  /// The position of the next feature of each of the signals m, v, h; those of a signal are
  /// contiguous.
  private struct Rows {
    static let signals = 3
    let count: Int
    private var index = 0

    init(count: Int) { self.count = count }

    mutating func append(_ values: SIMD4<Float>, to features: inout MutableSpan<Float>) {
      for lane in 0..<Self.signals { features[lane * count + index] = values[lane] }
      index += 1
    }
  }

  /// The features that each of the signals m, v, h has.
  private func writeSignals(to features: inout MutableSpan<Float>, _ rows: inout Rows) {
    func logarithm(_ values: SIMD4<Float>, floor: Float) -> SIMD4<Float> {
      CLocomotionMath.log(larger(values, SIMD4(repeating: floor)))
    }
    let logDeviations = logarithm(shape.deviations, floor: Floor.acceleration)
    rows.append(logDeviations, to: &features)
    rows.append(logarithm(upper - lower, floor: Floor.acceleration), to: &features)
    rows.append(logarithm(shape.jerks, floor: Floor.jerk), to: &features)
    rows.append(shape.crossingRates, to: &features)
    for power in shape.bandPowers {
      rows.append(logarithm(power, floor: Floor.power), to: &features)
    }
    rows.append(shape.centroids, to: &features)
    rows.append(shape.entropies, to: &features)
    rows.append(logarithm(shape.peaks, floor: Floor.power), to: &features)
    rows.append(shape.periodicities, to: &features)
    rows.append(shape.periods, to: &features)
    // Differences of logarithms are linear in other features, but an additive model can't be
    // nonlinear in a difference unless it is a feature of its own.
    for power in shape.bandPowers {
      rows.append(logarithm(power, floor: Floor.power) - 2 * logDeviations, to: &features)
    }
  }

  /// The features of the window as a whole.
  private func writeWindow(
    percentileOfJerk: Float, to features: inout MutableSpan<Float>, _ writer: inout Writer
  ) {
    let eigenvalues = SymmetricEigenvalues(
      diagonal: motion.covariance.diagonal, offDiagonal: motion.covariance.offDiagonal)
    let first = max(eigenvalues.first, Double(Floor.power))
    writer.append(Float(max(0, eigenvalues.second) / first), to: &features)
    writer.append(Float(max(0, eigenvalues.third) / first), to: &features)
    writer.append(Float(CLocomotionMath.log(first)), to: &features)

    // j has one value less than the window has samples, and its sum counts the missing one as 0.
    let fraction = Float(FeatureExtractor.windowLength) / Float(FeatureExtractor.windowLength - 1)
    let meanJerk = shape.means.w * fraction
    let meanSquare = shape.deviations.w * shape.deviations.w + shape.means.w * shape.means.w
    let varianceOfJerk = max(0, meanSquare * fraction - meanJerk * meanJerk)
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
}

/// The eigenvalues of a symmetric 3 × 3 matrix, largest first.
///
/// The trigonometric solution (Smith, "Eigenvalues of a symmetric 3 × 3 matrix", CACM 4(4), 1961)
/// in Double: exact to about 1e-15 of the largest, which is all that ratios of them need.
struct SymmetricEigenvalues {
  let first: Double
  let second: Double
  let third: Double

  /// From the diagonal xx, yy, zz and the other elements xy, yz, zx.
  init(diagonal: SIMD3<Double>, offDiagonal: SIMD3<Double>) {
    let mean = diagonal.sum() / 3
    let centred = diagonal - mean
    let spread = ((centred * centred).sum() + 2 * (offDiagonal * offDiagonal).sum()) / 6
    guard spread > 0 else {
      (first, second, third) = (mean, mean, mean)
      return
    }
    let radius = spread.squareRoot()
    let (a, b, c) = (centred.x / radius, centred.y / radius, centred.z / radius)
    let (xy, yz, zx) = (
      offDiagonal.x / radius, offDiagonal.y / radius, offDiagonal.z / radius
    )
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * zx) + zx * (xy * yz - b * zx)
    let angle = acos(min(1, max(-1, determinant / 2))) / 3
    first = mean + 2 * radius * cos(angle)
    third = mean + 2 * radius * cos(angle + 2 * .pi / 3)
    second = 3 * mean - first - third
  }
}
