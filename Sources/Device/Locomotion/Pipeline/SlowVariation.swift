internal import LocomotionSensing

/// How much the mean acceleration of a second varies over the newest seconds, by which a phone is
/// known that lies.
///
/// What moves with a vehicle is accelerated, tilted and turned within seconds. Knocks at a table,
/// as of who types beside the phone, and vibrations average out. Of the seconds of labelled sets
/// the standard deviation over 20 s is below the limit in 13 % at rest, in 1.4 % in trains and .2 %
/// in road vehicles, most of them at stops, and in none on foot or by bicycle.
struct SlowVariation: Sendable, StateArchivable {
  /// The newest means, m/s², and the place of the oldest when there are as many as are kept.
  private var means: [SIMD4<Float>] = []
  private var oldest = 0

  private static let length = 20
  /// The means from which on something is said.
  private static let fewest = 3
  /// The standard deviation below which a phone lies, m/s².
  private static let largestAtRest: Float = 0.008

  init() { means.reserveCapacity(Self.length) }

  /// Takes the acceleration of the next second: its samples in m/s², of which the first three lanes
  /// count.
  mutating func append(_ cells: Span<SIMD4<Float>>) {
    var sum = SIMD4<Float>.zero
    for index in cells.indices { sum += cells[index] }
    let mean = sum / Float(max(1, cells.count))
    if means.count < Self.length {
      means.append(mean)
    } else {
      means[oldest] = mean
      oldest = (oldest + 1) % Self.length
    }
  }

  /// Whether the variance of the means, summed over the axes, is that of a phone that lies.
  var isStill: Bool {
    guard means.count >= Self.fewest, let first = means.first else { return false }
    var (sum, squares) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for mean in means {
      // Deviations from one of them, so that gravity costs no precision.
      let deviation = mean - first
      sum += deviation
      squares += deviation * deviation
    }
    let count = Float(means.count)
    let variances = (squares - sum * sum / count) / count
    return variances.x + variances.y + variances.z < Self.largestAtRest * Self.largestAtRest
  }

  /// Forgets the seconds before a gap.
  mutating func reset() {
    means.removeAll(keepingCapacity: true)
    oldest = 0
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&means, &oldest)
    archive.require(means.count <= Self.length && oldest < Self.length)
  }
}
