internal import CLocomotionMath

/// The measures of a window, from which its features are written.
struct WindowMeasures: Sendable {
  /// The means, set before all else is derived.
  var motion = MotionMeans()
  private(set) var shape = SignalShape()
  /// The 95th percentile of j, m/s³.
  private var percentileOfJerk: Float = 0

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
    let (lower, upper) = statistics.values(
      at: Self.lowerRanks, and: Self.upperRanks, of: signals)
    shape.take(quartileRange: upper - lower)
    percentileOfJerk = upper.w
  }

  // Quantiles as in definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
  // The American Statistician 50(4), 1996, which is the default of NumPy: the first quartile of 512
  // values is at 0.25 · 511. Of j the last value isn't one, and 0, thus the lowest: the percentile
  // 95 of the 511 others is at 1 + 0.95 · 510.
  private static let lowerRanks = SIMD4<Float>(127.75, 127.75, 127.75, 485.5)
  private static let upperRanks = SIMD4<Float>(383.25, 383.25, 383.25, 485.5)

  private typealias Floor = SignalShape.Floor

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

  /// Writes the features in the order of ``FeatureExtractor/schema``; those of a signal are
  /// contiguous.
  func write(to features: inout MutableSpan<Float>) {
    let (signals, count) = (3, shape.features.count)
    for (index, values) in shape.features.enumerated() {
      for lane in 0..<signals { features[lane * count + index] = values[lane] }
    }
    var writer = Writer(index: signals * count)
    writeWindow(to: &features, &writer)
  }

  /// The features of the window as a whole.
  private func writeWindow(
    to features: inout MutableSpan<Float>, _ writer: inout Writer
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
